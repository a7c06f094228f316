#include "ccan/array_size/array_size.h"
#include "instructions.h"
#include "scripts.h"

/* Compare-and-set as one does it without a module: the caller says which version it has seen. */
#define COMPARE_AND_SET                                                                                      \
    "SCRIPT LOAD {local version = redis.call('HGET', KEYS[1], 'version') if version ~= ARGV[1] then return " \
    "redis.error_reply('PRECONDITION') end redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', "        \
    "ARGV[3]) return ARGV[2]} => a ."

/* The same for ten at once, all or none. */
#define COMPARE_AND_SET_TEN                                                                                  \
    "SCRIPT LOAD {for i = 1, 10 do if redis.call('HGET', KEYS[i], 'version') ~= ARGV[1] then return "        \
    "redis.error_reply('PRECONDITION ' .. i - 1) end end for i = 1, 10 do redis.call('HSET', KEYS[i], "      \
    "'version', ARGV[2], 'value', ARGV[3]) end return ARGV[2]} => a ."
#define TEN_OBJECTS(action)                                                                                  \
    action(0) action(1) action(2) action(3) action(4) action(5) action(6) action(7) action(8) action(9)
#define OBJECT_KEY(number)   " object%i." #number
#define PUT_NUMBERED(number) " 6 BLOB.PUT c blob%i." #number " %v IFNONEMATCH 0x0000000000000001"

#define FINISH_AND_TELL "SCRIPT LOAD {" FINISH_SCRIPT "} => a ."

#define CREATE_BLOBS                                                                                         \
    { "CONTAINER.CREATE c", "BLOB.PUT c blob%i %v" }
#define CREATE_FILES                                                                                         \
    { "SHARE.CREATE s", "FILE.CREATE s file%i 512" }
#define CONNECT    "SHARE.CONNECT s 3600 OWNER %i => a ."
#define DISCONNECT "SHARE.DISCONNECT s %a"
#define CREATE_OPEN_FILES                                                                                    \
    { "SHARE.CREATE s", "FILE.CREATE s file%i 512", CONNECT, OPEN " => b 1" }
#define OPEN          "FILE.OPEN s %a file%i ACCESS 2 READ WRITE SHARE 2 READ WRITE"
#define TWO_PROPS     "PROPS 2 name %v age:int32 42"
#define INSERT_ENTITY "TABLE.INSERT t p row%i " TWO_PROPS

/* clang-format off */
const struct row rows[] = {
    /* What Redis does without the module. */
    {.name = "PING", .counted = "PING %i"},
    {.name = "SET", .counted = "SET key%i %v", .is_propagated = true},
    {.name = "SET NX PX", .before = {"DEL key%i"}, .counted = "SET key%i %v NX PX 60000", .is_propagated = true},
    {.name = "SET NX refused", .once = {"SET key%i %v"}, .counted = "SET key%i %v NX PX 60000", .is_refused = true},
    {.name = "GET", .once = {"SET key%i %v"}, .counted = "GET key%i"},
    {.name = "DEL", .before = {"SET key%i %v"}, .counted = "DEL key%i"},
    {.name = "APPEND", .once = {"SET key%i %v"}, .counted = "APPEND key%i %v", .is_propagated = true},
    {.name = "SETRANGE", .once = {"SETRANGE key 65535 x"}, .counted = "SETRANGE key 1024 %p", .is_propagated = true},
    {.name = "GETRANGE", .once = {"SETRANGE key 65535 x"}, .counted = "GETRANGE key 1024 1535"},
    {.name = "HSET", .counted = "HSET object%i name %v age 42", .is_propagated = true},
    {.name = "HGETALL", .once = {"HSET object%i name %v age 42"}, .counted = "HGETALL object%i"},
    {.name = "HGETALL of 11", .once = {"HSET object%i blob-type block etag 0x6AFE5F3F5CC20F52 last-modified 1795055424027 created 1795055424027 "
                                       "content-length 100 content-type application/octet-stream snapshots 0 lease-state available "
                                       "lease-status unlocked meta {} length 7"}, .counted = "HGETALL object%i"},
    {.name = "HSCAN of 100", .once = {"HSET hash field%i %v", "HSET hash more%i %v"},
     .counted = "HSCAN hash 0 COUNT 100", .calls = 5},
    {.name = "ZRANGEBYLEX of 100", .once = {"ZADD set 0 a%i 0 b%i"}, .counted = "ZRANGEBYLEX set - + LIMIT 0 100", .calls = 5},
    {.name = "XADD", .counted = "XADD stream * message %v", .is_propagated = true},
    {.name = "XREADGROUP", .once = {"XGROUP CREATE stream g $ MKSTREAM"}, .before = {"XADD stream * message%i %v"},
     .counted = "XREADGROUP GROUP g c COUNT 1 STREAMS stream >", .is_propagated = true},
    {.name = "XACK", .once = {"XGROUP CREATE stream g $ MKSTREAM"},
     .before = {"XADD stream * message%i %v", "XREADGROUP GROUP g c%i COUNT 1 STREAMS stream > => a 0.1.0.0"},
     .counted = "XACK stream g %a", .is_propagated = true},
    {.name = "BLPOP grant", .waiter = "BLPOP list%i 0", .counted = "RPUSH list%i %v"},
    {.name = "EVAL compare-and-set", .once = {"HSET object%i version 1 value %v", COMPARE_AND_SET},
     .counted = "EVALSHA %a 1 object%i 1 1 %v", .is_propagated = true},

    {.name = "EVAL of 10", .once = {COMPARE_AND_SET_TEN, "EVAL {for i = 0, 9 do redis.call('HSET', KEYS[1] .. '.' .. i, 'version', '1', 'value', 'x') end return 1} 1 object%i"},
     .counted = "EVALSHA %a 10" TEN_OBJECTS(OBJECT_KEY) " 1 1 %v", .calls = 5, .is_propagated = true},
    {.name = "EVAL of three kinds", .once = {"XGROUP CREATE stream g $ MKSTREAM", "HSET object%i version 1 age 42", FINISH_AND_TELL},
     .before = {"XADD stream * message%i %v", "XREADGROUP GROUP g c%i COUNT 1 STREAMS stream > => b 0.1.0.0"},
     .counted = "EVALSHA %a 3 stream object%i list %b 1 1 %v c%i", .is_propagated = true},

    /* What any module pays: see modules/bare.c. */
    {.name = "bare BLOB.PUT", .native = "SET", .once = {"BARE.PUT c x"}, .counted = "BARE.PUT c blob%i %v", .is_propagated = true},
    {.name = "bare BLOB.PUT IFMATCH", .native = "SET", .once = {"BARE.PUT c x"}, .counted = "BARE.PUT c blob%i %v IFMATCH 0x6AFE5F3F5CC20F52", .is_propagated = true},
    {.name = "bare BLOB.PUT ONCE", .native = "SET", .once = {"BARE.PUT c x"}, .counted = "BARE.PUT c blob%i %v ONCE token%n", .is_propagated = true},
    {.name = "bare BLOB.GET", .native = "GET", .once = {"BARE.PUT c %v"}, .counted = "BARE.GET c blob%i"},
    {.name = "bare FILE.PUTRANGE", .native = "SETRANGE", .once = {"BARE.PUT s x"}, .counted = "BARE.PUT s file%i 0 %p", .is_propagated = true},
    {.name = "bare LEASE.ACQUIRE refused", .native = "SET NX refused", .once = {"BARE.PUT c x"},
     .counted = "BARE.REFUSE c 60 BLOB blob%i", .is_refused = true},
    {.name = "bare LEASE.ACQUIRE", .native = "SET NX PX", .once = {"BARE.PUT c x"}, .counted = "BARE.PUT c 60 BLOB blob%i", .is_propagated = true},
    {.name = "bare QUEUE.PUT", .native = "XADD", .once = {"BARE.PUT q x"}, .counted = "BARE.PUT q %v", .is_propagated = true},
    {.name = "bare TABLE.MERGE", .native = "EVAL compare-and-set", .once = {"BARE.PUT t x"},
     .counted = "BARE.PUT t p row%i IFMATCH 0x6AFE5F3F5CC20F52 PROPS 1 age:int32 43", .is_propagated = true},
    {.name = "bare ATOMIC of 1", .native = "BLOB.PUT", .once = {"BARE.PUT c x"},
     .counted = "BARE.PUT c 1 6 BLOB.PUT blob%i %v IFMATCH 0x6AFE5F3F5CC20F52", .is_propagated = true},

    /* Blobs */
    {.name = "BLOB.PUT new", .native = "SET", .once = {"CONTAINER.CREATE c"}, .counted = "BLOB.PUT c blob%n %v", .is_propagated = true},
    {.name = "BLOB.PUT", .native = "SET", .once = CREATE_BLOBS, .counted = "BLOB.PUT c blob%i %v", .is_propagated = true},
    {.name = "BLOB.PUT IFMATCH", .native = "EVAL compare-and-set", .once = CREATE_BLOBS, .before = {"BLOB.GET c blob%i => a 0"},
     .counted = "BLOB.PUT c blob%i %v IFMATCH %a", .is_propagated = true},
    {.name = "BLOB.PUT LEASE", .native = "EVAL compare-and-set", .once = CREATE_BLOBS,
     .before = {"LEASE.ACQUIRE c 60 BLOB blob%i => a 0"}, .counted = "BLOB.PUT c blob%i %v LEASE %a", .after = {"LEASE.RELEASE c %a BLOB blob%i"}},
    {.name = "BLOB.PUT refused", .native = "EVAL compare-and-set", .once = CREATE_BLOBS,
     .counted = "BLOB.PUT c blob%i %v IFMATCH 0x0000000000000001", .is_refused = true},
    {.name = "BLOB.PUT ONCE", .native = "BLOB.PUT", .once = CREATE_BLOBS, .counted = "BLOB.PUT c blob%i %v ONCE token%n", .is_propagated = true},
    {.name = "BLOB.PUT ONCE again", .native = "BLOB.PUT", .once = CREATE_BLOBS, .before = {"BLOB.PUT c blob%i %v ONCE token%i"},
     .counted = "BLOB.PUT c blob%i %v ONCE token%i", .is_propagated = true, .changes_nothing = true},
    {.name = "BLOB.GET", .native = "GET", .once = CREATE_BLOBS, .counted = "BLOB.GET c blob%i"},
    {.name = "BLOB.GET RANGE", .native = "GETRANGE", .once = {"CONTAINER.CREATE c", "BLOB.CREATEPAGE c page 65536", "BLOB.PUTPAGE c page 1024 %p"},
     .counted = "BLOB.GET c page RANGE 1024 512"},
    {.name = "BLOB.STAT", .native = "HGETALL of 11", .once = CREATE_BLOBS, .counted = "BLOB.STAT c blob%i"},
    {.name = "BLOB.DELETE", .native = "DEL", .once = {"CONTAINER.CREATE c"}, .before = {"BLOB.PUT c blob%i %v"}, .counted = "BLOB.DELETE c blob%i"},
    {.name = "BLOB.APPEND", .native = "APPEND", .once = {"CONTAINER.CREATE c", "BLOB.CREATEAPPEND c log%i"}, .counted = "BLOB.APPEND c log%i %v", .is_propagated = true},
    {.name = "BLOB.PUTPAGE", .native = "SETRANGE", .once = {"CONTAINER.CREATE c", "BLOB.CREATEPAGE c page 65536", "BLOB.PUTPAGE c page 1024 %p"},
     .counted = "BLOB.PUTPAGE c page 1024 %p", .is_propagated = true},
    {.name = "BLOB.SNAPSHOT", .native = "SET", .once = CREATE_BLOBS, .counted = "BLOB.SNAPSHOT c blob%i"},
    {.name = "BLOB.LIST of 100", .native = "HSCAN of 100", .once = {"CONTAINER.CREATE c", "BLOB.PUT c blob%n %v", "BLOB.PUT c more%n %v"},
     .counted = "BLOB.LIST c COUNT 100", .calls = 5},

    /* Feeds */
    {.name = "BLOB.PUT new followed", .native = "BLOB.PUT new", .once = {"CONTAINER.CREATE c", "CONTAINER.FEED c ON"}, .counted = "BLOB.PUT c blob%n %v", .is_propagated = true},
    {.name = "BLOB.PUT followed", .native = "BLOB.PUT", .once = {"CONTAINER.CREATE c", "CONTAINER.FEED c ON", "BLOB.PUT c blob%i %v"},
     .counted = "BLOB.PUT c blob%i %v", .is_propagated = true},
    {.name = "BLOB.DELETE followed", .native = "BLOB.DELETE", .once = {"CONTAINER.CREATE c", "CONTAINER.FEED c ON"}, .before = {"BLOB.PUT c blob%i %v"},
     .counted = "BLOB.DELETE c blob%i"},
    {.name = "CHANGES of 100", .native = "BLOB.LIST of 100", .once = {"CONTAINER.CREATE c", "CONTAINER.FEED c ON", "BLOB.PUT c blob%n %v", "BLOB.PUT c more%n %v"},
     .counted = "CONTAINER.CHANGES c SINCE 0 COUNT 100", .calls = 5},
    {.name = "CHANGES told", .native = "BLPOP grant", .once = {"CONTAINER.CREATE c%i", "CONTAINER.FEED c%i ON"},
     .before = {"CONTAINER.CHANGES c%i SINCE $ => a 0"}, .waiter = "CONTAINER.CHANGES c%i SINCE %a BLOCK 0", .counted = "BLOB.PUT c%i blob %v"},

    /* Leases */
    {.name = "LEASE.ACQUIRE", .native = "SET NX PX", .once = CREATE_BLOBS, .counted = "LEASE.ACQUIRE c 60 BLOB blob%i",
     .after = {"LEASE.BREAK c PERIOD 0 BLOB blob%i"}, .is_propagated = true},
    {.name = "LEASE.ACQUIRE refused", .native = "SET NX refused", .once = {"CONTAINER.CREATE c", "BLOB.PUT c blob%i %v", "LEASE.ACQUIRE c -1 BLOB blob%i"},
     .counted = "LEASE.ACQUIRE c 60 BLOB blob%i", .is_refused = true},
    {.name = "LEASE.ACQUIRE grant", .native = "BLPOP grant", .once = CREATE_BLOBS, .before = {"LEASE.ACQUIRE c -1 BLOB blob%i => a 0"},
     .waiter = "LEASE.ACQUIRE c 60 BLOB blob%i BLOCK 0", .counted = "LEASE.RELEASE c %a BLOB blob%i", .after = {"LEASE.BREAK c PERIOD 0 BLOB blob%i"}},
    {.name = "LEASE.RENEW", .native = "SET NX PX", .once = CREATE_BLOBS, .before = {"LEASE.ACQUIRE c 60 BLOB blob%i => a 0"},
     .counted = "LEASE.RENEW c %a BLOB blob%i", .after = {"LEASE.RELEASE c %a BLOB blob%i"}, .is_propagated = true},
    {.name = "LEASE.RELEASE", .native = "DEL", .once = CREATE_BLOBS, .before = {"LEASE.ACQUIRE c 60 BLOB blob%i => a 0"},
     .counted = "LEASE.RELEASE c %a BLOB blob%i", .is_propagated = true},

    /* Queues */
    {.name = "QUEUE.PUT", .native = "XADD", .once = {"QUEUE.CREATE q"}, .counted = "QUEUE.PUT q %v", .is_propagated = true},
    {.name = "QUEUE.PUT ONCE", .native = "QUEUE.PUT", .once = {"QUEUE.CREATE q"}, .counted = "QUEUE.PUT q %v ONCE token%n", .is_propagated = true},
    {.name = "QUEUE.GET", .native = "XREADGROUP", .once = {"QUEUE.CREATE q"}, .before = {"QUEUE.CLEAR q", "QUEUE.PUT q message%i%v"},
     .counted = "QUEUE.GET q", .is_propagated = true},
    {.name = "QUEUE.GET grant", .native = "BLPOP grant", .once = {"QUEUE.CREATE q"}, .before = {"QUEUE.CLEAR q"}, .waiter = "QUEUE.GET q BLOCK 0",
     .counted = "QUEUE.PUT q %v"},
    {.name = "QUEUE.UPDATE", .native = "XREADGROUP", .once = {"QUEUE.CREATE q"}, .before = {"QUEUE.CLEAR q", "QUEUE.PUT q message%i%v => a 1 b 3"},
     .counted = "QUEUE.UPDATE q %a %b VISIBILITY 60"},
    {.name = "QUEUE.DELETE", .native = "XACK", .once = {"QUEUE.CREATE q"}, .before = {"QUEUE.CLEAR q", "QUEUE.PUT q message%i%v => a 1 b 3"},
     .counted = "QUEUE.DELETE q %a %b", .is_propagated = true},
    {.name = "QUEUE.PUTMANY of 10", .native = "XADD", .once = {"QUEUE.CREATE q"}, .counted = "QUEUE.PUTMANY q 10 %v %v %v %v %v %v %v %v %v %v"},
    {.name = "QUEUE.STAT", .native = "HGETALL", .once = {"QUEUE.CREATE q", "QUEUE.PUT q message%i%v"}, .counted = "QUEUE.STAT q"},

    /* Tables */
    {.name = "TABLE.INSERT", .native = "HSET", .once = {"TABLE.CREATE t"}, .counted = "TABLE.INSERT t p row%n " TWO_PROPS, .is_propagated = true},
    {.name = "TABLE.GET", .native = "HGETALL", .once = {"TABLE.CREATE t", INSERT_ENTITY}, .counted = "TABLE.GET t p row%i"},
    {.name = "TABLE.MERGE", .native = "EVAL compare-and-set", .once = {"TABLE.CREATE t", INSERT_ENTITY}, .before = {"TABLE.GET t p row%i => a 0"},
     .counted = "TABLE.MERGE t p row%i IFMATCH %a PROPS 1 age:int32 43", .is_propagated = true},
    {.name = "TABLE.MERGE ONCE", .native = "TABLE.MERGE", .once = {"TABLE.CREATE t", INSERT_ENTITY}, .before = {"TABLE.GET t p row%i => a 0"},
     .counted = "TABLE.MERGE t p row%i IFMATCH %a PROPS 1 age:int32 43 ONCE token%n", .is_propagated = true},
    {.name = "TABLE.REPLACE", .native = "EVAL compare-and-set", .once = {"TABLE.CREATE t", INSERT_ENTITY}, .before = {"TABLE.GET t p row%i => a 0"},
     .counted = "TABLE.REPLACE t p row%i IFMATCH %a " TWO_PROPS, .is_propagated = true},
    {.name = "TABLE.DELETE", .native = "DEL", .once = {"TABLE.CREATE t"}, .before = {INSERT_ENTITY}, .counted = "TABLE.DELETE t p row%i IFMATCH *"},
    {.name = "TABLE.BATCH of 3", .native = "EVAL compare-and-set", .once = {"TABLE.CREATE t", INSERT_ENTITY},
     .counted = "TABLE.BATCH t p 3 INSERTORREPLACE row%n.1 " TWO_PROPS " MERGE row%i IFMATCH * PROPS 1 age:int32 43 INSERTORMERGE row%n.2 " TWO_PROPS},
    {.name = "TABLE.QUERY point", .native = "HGETALL", .once = {"TABLE.CREATE t", INSERT_ENTITY},
     .counted = "TABLE.QUERY t FILTER {PartitionKey eq 'p' and RowKey eq 'row%i'}"},
    {.name = "TABLE.QUERY scan of 100", .native = "HSCAN of 100", .once = {"TABLE.CREATE t", INSERT_ENTITY, "TABLE.INSERT t q row%i " TWO_PROPS},
     .counted = "TABLE.QUERY t FILTER {age lt 40 or RowKey eq 'row0007'}"},

    /* Several as one */
    {.name = "ATOMIC of 1", .native = "EVAL compare-and-set", .once = CREATE_BLOBS, .before = {"BLOB.GET c blob%i => a 0"},
     .counted = "HOLDFAST.ATOMIC 1 6 BLOB.PUT c blob%i %v IFMATCH %a", .is_propagated = true},
    {.name = "ATOMIC of 10", .native = "EVAL of 10", .once = {"CONTAINER.CREATE c", "HOLDFAST.ATOMIC 10" TEN_OBJECTS(PUT_NUMBERED)},
     .counted = "HOLDFAST.ATOMIC 10" TEN_OBJECTS(PUT_NUMBERED), .calls = 5, .is_propagated = true},
    {.name = "ATOMIC of three kinds", .native = "EVAL of three kinds", .once = {"QUEUE.CREATE q", "QUEUE.CREATE mail", "TABLE.CREATE t", INSERT_ENTITY},
     .before = {"QUEUE.CLEAR q", "QUEUE.PUT q message%i%v => a 1 b 3", "TABLE.GET t p row%i => c 0"},
     .counted = "HOLDFAST.ATOMIC 3 4 QUEUE.DELETE q %a %b 10 TABLE.MERGE t p row%i IFMATCH %c PROPS 1 age:int32 43 3 QUEUE.PUT mail %v", .is_propagated = true},

    /* Files */
    {.name = "FILE.GET", .native = "GET", .once = CREATE_FILES, .counted = "FILE.GET s file%i"},
    {.name = "FILE.PUTRANGE", .native = "SETRANGE", .once = CREATE_FILES, .counted = "FILE.PUTRANGE s file%i 0 %p", .is_propagated = true},
    {.name = "FILE.OPEN", .native = "SET NX PX", .once = CREATE_FILES, .before = {CONNECT}, .counted = OPEN, .after = {DISCONNECT}},
    {.name = "FILE.CLOSE", .native = "DEL", .once = CREATE_FILES, .before = {CONNECT, OPEN " => b 1"}, .counted = "FILE.CLOSE s %b",
     .after = {DISCONNECT}},
    {.name = "FILE.READ", .native = "GETRANGE", .once = CREATE_OPEN_FILES, .counted = "FILE.READ s %b 0 512"},
    {.name = "FILE.WRITE", .native = "SETRANGE", .once = CREATE_OPEN_FILES, .counted = "FILE.WRITE s %b 0 %p", .is_propagated = true},
    {.name = "FILE.LOCK", .native = "SET NX PX", .once = CREATE_OPEN_FILES, .counted = "FILE.LOCK s %b EXCLUSIVE 0 10", .after = {"FILE.UNLOCK s %b 0 10"}},
    {.name = "FILE.UNLOCK", .native = "DEL", .once = CREATE_OPEN_FILES, .before = {"FILE.LOCK s %b EXCLUSIVE 0 10"}, .counted = "FILE.UNLOCK s %b 0 10"},
};
/* clang-format on */
const size_t row_count = ARRAY_SIZE(rows);
