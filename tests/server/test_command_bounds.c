/* No command holds the server for 50 ms, and no reply takes more memory than its bound, however large the value is:
 * each command of the table on values that are made to be the worst for it. */
#include <string.h>

#include "bounds.h"
#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "settings.h"

enum {
    BLOCKS = 50000,
    STAGED = 100000,
    SOME = 100000,
    MEGABYTE = 1 << 20,
    PAGES_MEGABYTES = 128,
    HANDLES = 100000
};

#define META "META 1 m 8000*m"
#define ACL  "POLICIES 5 a 0 1 r b 0 1 r c 0 1 r d 0 1 r e 0 1 r"

/* --- Containers and blobs --- */

static void send_content(const char *head, const char *content, size_t length) {
    struct words words = words_of_line(head);
    words_add_bytes(&words, content, length);
    bounds_send_words(&words);
}

static void stage_blocks(const char *blob, int count) {
    for (int i = 0; i < count; i++) bounds_send("BLOB.PUTBLOCK box %s B%07d %016d", blob, i, i);
    bounds_receive_all();
}

static struct words list_of_blocks(const char *blob) {
    struct words words = words_of_line(pool_print("BLOB.PUTBLOCKLIST box %s %d", blob, BLOCKS));
    for (int i = 0; i < BLOCKS; i++) {
        words_add(&words, "LATEST");
        words_add(&words, pool_print("B%07d", i));
    }
    return words;
}

static void commit_blocks(const char *blob) {
    stage_blocks(blob, BLOCKS);
    struct words words = list_of_blocks(blob);
    bounds_send_words(&words);
    bounds_receive_all();
}

/* One block, very often. */
static void list_a_block(void) {
    static char block[10240];
    struct words words = words_of_line(pool_print("BLOB.PUTBLOCKLIST box listed %d", BLOCKS));
    send_content("BLOB.PUTBLOCK box listed AAAA", block, sizeof(block));
    for (int i = 0; i < BLOCKS; i++) words_add_line(&words, "LATEST AAAA");
    bounds_send_words(&words);
    bounds_receive_all();
}

static void fill_pages(const char *create, const char *put) {
    static char part[4 * MEGABYTE];
    bounds_do(create);
    for (int i = 0; i < PAGES_MEGABYTES / 4; i++)
        send_content(pool_print("%s %d", put, i * 4 * MEGABYTE), part, sizeof(part));
    bounds_receive_all();
}

static void victim_of_blocks(void) {
    commit_blocks("victim");
}
static void victim_of_pages(void) {
    fill_pages("BLOB.CREATEPAGE box pvictim 134217728", "BLOB.PUTPAGE box pvictim");
}
static void victim_of_pages_kept(void) {
    victim_of_pages();
    bounds_do("BLOB.SNAPSHOT box pvictim");
}
static void victim_staged(void) {
    stage_blocks("svictim", STAGED);
}
static void victim_appended(void) {
    bounds_do("BLOB.CREATEAPPEND box avictim");
    for (int i = 0; i < BLOCKS; i++) bounds_send("BLOB.APPEND box avictim %016d", i);
    bounds_receive_all();
}
static void victim_with_snapshots(void) {
    bounds_do("BLOB.CREATEPAGE box kvictim 512 META 1 a b");
    bounds_do("BLOB.PUTPAGE box kvictim 0 512*x");
    for (int i = 0; i < SOME; i++) bounds_send("BLOB.SNAPSHOT box kvictim");
    bounds_receive_all();
}
static void victim_container(void) {
    bounds_do("CONTAINER.CREATE other");
    for (int i = 0; i < SOME; i++) bounds_send("BLOB.PUT other n%06d x", i);
    bounds_receive_all();
}

static void fill_followed(const char *container) {
    bounds_do(pool_print("CONTAINER.FEED %s ON", container));
    for (int i = 0; i < SOME; i++) bounds_send("BLOB.PUT %s n%06d x", container, i);
    for (int i = 0; i < SOME / 2; i++) bounds_send("BLOB.DELETE %s n%06d", container, i);
    bounds_receive_all();
}
static void victim_followed(void) {
    bounds_do("DEL trail");
    bounds_do("CONTAINER.CREATE trail");
    fill_followed("trail");
}

static void stage_blobs(void) {
    bounds_do("CONTAINER.CREATE followed");
    fill_followed("followed");
    bounds_do("CONTAINER.CREATE box " META);
    bounds_do("CONTAINER.CREATE src");
    bounds_do("CONTAINER.SETACL box " ACL);
    for (int i = 0; i < SOME; i++) bounds_send("BLOB.PUT box n%06d x", i);
    for (int i = 0; i < 5000; i++) bounds_send("LEASE.ACQUIRE box -1 BLOB n%06d OWNER somebody", i);
    bounds_receive_all();
    for (int i = 0; i < 200; i++) bounds_do(pool_print("BLOB.PUT box m%03d 4*x META 1 m 8000*m", i));
    commit_blocks("blocks");
    bounds_do("BLOB.COPY src blocks box blocks");
    list_a_block();
    stage_blocks("staged", STAGED);
    fill_pages("BLOB.CREATEPAGE box page 536870912", "BLOB.PUTPAGE box page");
    bounds_do("BLOB.COPY src page box page");
    bounds_do("BLOB.CREATEPAGE box striped 67108864");
    for (int i = 0; i < 49000; i++)
        send_content(pool_print("BLOB.PUTPAGE box striped %d", i * 1024), pool_take(512), 512);
    bounds_receive_all();
    bounds_do("striped = BLOB.SNAPSHOT box striped");
    victim_appended();
    bounds_do("l = LEASE.ACQUIRE box -1 BLOB blocks ID 00000000-0000-0000-0000-000000000001");
}

static const struct bound blob_bounds[] = {
    {"CONTAINER.CREATE new " META, NULL, "DEL new", 0},
    {"CONTAINER.GET box", NULL, NULL, 0},
    {"CONTAINER.GETMETA box", NULL, NULL, 0},
    {"CONTAINER.SETMETA box " META, NULL, NULL, 0},
    {"CONTAINER.GETACL box", NULL, NULL, 0},
    {"CONTAINER.SETACL box " ACL, NULL, NULL, 0},
    {"CONTAINER.FEED box ON", NULL, "CONTAINER.FEED box OFF", 0},
    {"CONTAINER.FEED trail ON KEEP 0", victim_followed, NULL, 0},
    {"CONTAINER.FEED trail OFF", victim_followed, NULL, 0},
    {"CONTAINER.CHANGES followed SINCE 0 COUNT 5000", NULL, NULL, 0},
    {"CONTAINER.CHANGES followed SINCE 0 PREFIX z", NULL, NULL, 0},
    {"CONTAINER.DELETE other", victim_container, NULL, 0},
    {"BLOB.PUT box victim x", victim_of_blocks, NULL, 0},
    {"BLOB.PUT box svictim x", victim_staged, NULL, 0},
    {"BLOB.GET box blocks RANGE 0 33554432", NULL, NULL, LIKE_NATIVE},
    {"BLOB.GET box listed RANGE 0 33554432", NULL, NULL, LIKE_NATIVE},
    {"BLOB.GET box page RANGE 0 33554432", NULL, NULL, LIKE_NATIVE},
    {"BLOB.GET box page RANGE 402653184 33554432", NULL, NULL, LIKE_NATIVE},
    {"BLOB.STAT box m000", NULL, NULL, 0},
    {"BLOB.SETPROPS box pvictim SIZE 0", victim_of_pages, NULL, 0},
    {"BLOB.SETPROPS box pvictim SIZE 1024", victim_of_pages, NULL, 0},
    {"BLOB.GETMETA box m000", NULL, NULL, 0},
    {"BLOB.SETMETA box m000 " META, NULL, NULL, 0},
    {"BLOB.DELETE box victim", victim_of_blocks, NULL, 0},
    {"BLOB.DELETE box svictim", victim_staged, NULL, 0},
    {"BLOB.DELETE box pvictim", victim_of_pages, NULL, 0},
    {"BLOB.DELETE box pvictim SNAPSHOTS INCLUDE", victim_of_pages_kept, NULL, 0},
    {"BLOB.DELETE box kvictim SNAPSHOTS INCLUDE", victim_with_snapshots, NULL, 5},
    {"BLOB.DELETE box kvictim SNAPSHOTS ONLY", victim_with_snapshots, NULL, 5},
    {"BLOB.LIST box COUNT 5000", NULL, NULL, 0},
    {"BLOB.LIST box PREFIX m INCLUDE 1 META", NULL, NULL, 0},
    {"BLOB.LIST box DELIMITER 1", NULL, NULL, 0},
    {"BLOB.LIST box PREFIX z", NULL, NULL, 0},
    {"BLOB.SNAPSHOT box n050000", NULL, NULL, 0},
    {"BLOB.COPY box victim src blocks", victim_of_blocks, NULL, 0},
    {"BLOB.COPY box pvictim src page", victim_of_pages, NULL, 0},
    {"BLOB.COPY src p2 box page", NULL, NULL, 0},
    {"BLOB.COPY src l2 box listed", NULL, NULL, 0},
    {"BLOB.ABORTCOPY box n000000 0x0000000000000001", NULL, "LEASE.BREAK box BLOB n000000 PERIOD 0", 0},
    {"BLOB.PUTBLOCK box staged B0000000 1048576*x", NULL, NULL, 0},
    {"BLOB.PUTBLOCKLIST box victim 0", victim_of_blocks, NULL, 0},
    {"BLOB.PUTBLOCKLIST box svictim 1 LATEST B0000000", victim_staged, NULL, 0},
    {"BLOB.GETBLOCKLIST box blocks ALL", NULL, NULL, 0},
    {"BLOB.GETBLOCKLIST box staged ALL", NULL, NULL, 0},
    {"BLOB.CREATEPAGE box pvictim 512", victim_of_pages, NULL, 0},
    {"BLOB.PUTPAGE box page 0 4194304*x", NULL, NULL, 0},
    {"BLOB.CLEARPAGE box pvictim 0 134217728", victim_of_pages, NULL, 0},
    {"BLOB.CLEARPAGE box pvictim 512 134216704", victim_of_pages, NULL, 0},
    {"BLOB.GETPAGES box striped", NULL, NULL, 0},
    {"BLOB.GETPAGES box striped SINCE @striped", NULL, "BLOB.PUTPAGE box striped 0 512*x", 0},
    {"BLOB.CREATEAPPEND box avictim", victim_appended, NULL, 0},
    {"BLOB.APPEND box avictim 1048576*x", NULL, NULL, 0},
    {"BLOB.SEAL box avictim", victim_appended, NULL, 0},
    {"LEASE.ACQUIRE box -1 BLOB n060000", NULL, "LEASE.BREAK box BLOB n000001 PERIOD 0", 0},
    {"LEASE.RENEW box @l BLOB blocks", NULL, NULL, 0},
    {"LEASE.CHANGE box @l 00000000-0000-0000-0000-000000000001 BLOB blocks", NULL, NULL, 0},
    {"LEASE.GET box BLOB blocks", NULL, NULL, 0},
    {"LEASE.LIST box COUNT 1000", NULL, NULL, 0},
    {"LEASE.BREAK box PERIOD 0 BLOB n000002", NULL, "LEASE.GET box BLOB n000002", 0},
    {"LEASE.RELEASE box @r BLOB n070000", NULL, "r = LEASE.ACQUIRE box -1 BLOB n070000", 0},
    {NULL, NULL, NULL, 0},
};

TEST(blobs_hold_nobody_up) {
    bounds_begin("");
    stage_blobs();
    bounds_measure(blob_bounds);
}

/* --- Queues --- */

static const char with_file[] = APPEND_ONLY_FILE("no") "holdfast.queue-max-count 1000\n";

static void put_messages(const char *queue, const char *clauses) {
    struct words words = words_of_line(pool_print("QUEUE.PUTMANY %s 1000", queue));
    for (int i = 0; i < 1000; i++) words_add(&words, "0123456789");
    words_add_line(&words, clauses);
    for (int i = 0; i < SOME; i += 1000) bounds_send_words(&words);
    bounds_receive_all();
}

static void victim_queue(void) {
    bounds_do("DEL v");
    bounds_do("QUEUE.CREATE v MAXDELIVERIES 1");
    put_messages("v", "");
}
static void take_all(const char *queue, int count) {
    for (int i = 0; i < count; i += 1000) bounds_send("QUEUE.GET %s COUNT 1000 VISIBILITY 1", queue);
    bounds_receive_all();
}
static void victim_half_dead(void) {
    victim_queue();
    put_messages("v", "");
    take_all("v", SOME);
    bounds_later(2);
}
static void victim_dead(void) {
    victim_queue();
    take_all("v", SOME);
    bounds_later(2);
}
static void victim_expired(void) {
    bounds_do("DEL v");
    bounds_do("QUEUE.CREATE v");
    put_messages("v", "TTL 1 GROUP one");
    put_messages("v", "TTL 1");
    bounds_later(2);
}

static void stage_queues(void) {
    bounds_do("QUEUE.CREATE q " META);
    bounds_do("QUEUE.SETACL q " ACL);
    put_messages("q", "");
    bounds_do("QUEUE.CREATE g");
    put_messages("g", "GROUP one");
    for (int i = 0; i < SOME; i++) bounds_send("QUEUE.PUT g x GROUP g%06d", i);
    bounds_receive_all();
}

static const struct bound queue_bounds[] = {
    {"QUEUE.CREATE new " META, NULL, "DEL new", 0},
    {"QUEUE.DROP v", victim_queue, NULL, 0},
    {"QUEUE.CONFIGURE q MAXDELIVERIES 5", NULL, NULL, 0},
    {"QUEUE.GETMETA q", NULL, NULL, 0},
    {"QUEUE.SETMETA q " META, NULL, NULL, 0},
    {"QUEUE.GETACL q", NULL, NULL, 0},
    {"QUEUE.SETACL q " ACL, NULL, NULL, 0},
    {"QUEUE.STAT g", NULL, NULL, 0},
    {"QUEUE.STAT v", victim_half_dead, NULL, 0},
    {"QUEUE.PUT g 60000*x GROUP one", NULL, NULL, 0},
    {"QUEUE.PUT v x", victim_expired, NULL, 0},
    {"QUEUE.PUTMANY g 3 x y z GROUP one", NULL, NULL, 0},
    {"QUEUE.GET q COUNT 1000", NULL, NULL, 0},
    {"QUEUE.GET g COUNT 1000", NULL, NULL, 0},
    {"QUEUE.GET v COUNT 1000", victim_expired, NULL, 0},
    {"QUEUE.PEEK v COUNT 1000", victim_expired, NULL, 0},
    {"QUEUE.PEEK g COUNT 1000", NULL, NULL, 0},
    {"QUEUE.CLEAR v", victim_queue, NULL, 0},
    {"QUEUE.CLEAR v", victim_dead, NULL, 0},
    {"QUEUE.CLEAR v", victim_half_dead, NULL, 250},
    {"QUEUE.CLEAR v DEAD", victim_dead, NULL, 250},
    {"QUEUE.DEAD v COUNT 1000", victim_dead, NULL, 0},
    {"QUEUE.REDRIVE v COUNT 1000", victim_dead, NULL, 0},
    {"QUEUE.UPDATE q @id @r VISIBILITY 5 MESSAGE 60000*x", NULL, "m = QUEUE.PUT q x", 0},
    {"QUEUE.RELEASE q @id @r", NULL, "m = QUEUE.PUT q x", 0},
    {"QUEUE.DELETE q @id @r", NULL, "m = QUEUE.PUT q x", 0},
    {"QUEUE.DELETEMANY q 1 @id @r", NULL, "m = QUEUE.PUT q x", 0},
    {NULL, NULL, NULL, 0},
};

TEST(queues_hold_nobody_up) {
    bounds_begin(with_file);
    stage_queues();
    bounds_measure(queue_bounds);
}

/* --- Tables --- */

static void fill_entities(const char *table) {
    for (int i = 0; i < SOME; i++)
        bounds_send("TABLE.INSERT %s p %06d PROPS 3 a:int32 %d b x c y%06d", table, i, i % 10, i);
    bounds_receive_all();
}

static void victim_table(void) {
    bounds_do("TABLE.CREATE v");
    fill_entities("v");
}
static void victim_indexed(void) {
    if (bounds_do("EXISTS v")->integer) return;
    victim_table();
    bounds_do("TABLE.INDEX v a c");
}

static void victim_trail(void) {
    bounds_do("DEL trail");
    bounds_do("TABLE.CREATE trail");
    bounds_do("TABLE.FEED trail ON");
    fill_entities("trail");
    for (int i = 0; i < SOME / 2; i++) bounds_send("TABLE.DELETE trail p %06d IFMATCH *", i);
    bounds_receive_all();
}

static void stage_tables(void) {
    bounds_do("TABLE.CREATE t");
    bounds_do("TABLE.SETACL t " ACL);
    bounds_do("TABLE.INDEX t a c");
    fill_entities("t");
    for (int i = 0; i < 200; i++) {
        struct words words = words_of_line(pool_print("TABLE.INSERT t large %d PROPS 14", i));
        for (int j = 0; j < 14; j++) {
            char *letters = pool_take(32001);
            memset(letters, 'x', 32000);
            words_add(&words, pool_print("p%d", j));
            words_add(&words, letters);
        }
        bounds_send_words(&words);
    }
    bounds_receive_all();
}

static const struct bound table_bounds[] = {
    {"TABLE.CREATE new", NULL, "DEL new", 0},
    {"TABLE.DROP v", victim_table, NULL, 0},
    {"TABLE.GETACL t", NULL, NULL, 0},
    {"TABLE.SETACL t " ACL, NULL, NULL, 0},
    {"TABLE.INDEX t b", NULL, NULL, 0},
    {"TABLE.UNINDEX v a c", victim_indexed, "TABLE.INDEXES v", 0},
    {"TABLE.INDEXES t", NULL, NULL, 0},
    {"TABLE.FEED t ON", NULL, "TABLE.FEED t OFF", 0},
    {"TABLE.FEED trail ON KEEP 0", victim_trail, NULL, 0},
    {"TABLE.FEED trail OFF", victim_trail, NULL, 0},
    {"TABLE.CHANGES trail SINCE 0 COUNT 5000", victim_trail, NULL, 0},
    {"TABLE.INSERT t p new PROPS 1 a:int32 5", NULL, "TABLE.INSERTORREPLACE t p other PROPS 0", 0},
    {"TABLE.GET t large 0", NULL, NULL, 0},
    {"TABLE.QUERY t", NULL, NULL, 0},
    {"TABLE.QUERY t NEXT large 0", NULL, NULL, 0},
    {"TABLE.QUERY t FILTER b~eq~'none'", NULL, NULL, 0},
    {"TABLE.QUERY t FILTER a~ge~1", NULL, NULL, 0},
    {"TABLE.QUERY t FILTER c~ge~'y05'~and~b~eq~'none'", NULL, NULL, 0},
    {"TABLE.QUERY t FILTER a~ge~1~or~c~lt~'y05' EXPLAIN", NULL, NULL, 0},
    {"TABLE.REPLACE t p 000001 IFMATCH * PROPS 1 a:int32 7", NULL, NULL, 0},
    {"TABLE.MERGE t large 0 IFMATCH * PROPS 1 p0 32000*y", NULL, NULL, 0},
    {"TABLE.DELETE t p 000002 IFMATCH *", NULL, "TABLE.INSERTORREPLACE t p 000002 PROPS 0", 0},
    {"TABLE.INSERTORREPLACE t large 1 PROPS 1 p0 32000*y", NULL, NULL, 0},
    {"TABLE.INSERTORMERGE t large 2 PROPS 1 p0 32000*y", NULL, NULL, 0},
    {"TABLE.BATCH t large 3 MERGE 3 IFMATCH * PROPS 1 p0 32000*y MERGE 4 IFMATCH * PROPS 1 p0 32000*y DELETE "
     "5 "
     "IFMATCH *",
     NULL, "TABLE.INSERTORREPLACE t large 5 PROPS 0", 0},
    {NULL, NULL, NULL, 0},
};

TEST(tables_hold_nobody_up) {
    bounds_begin(with_file);
    stage_tables();
    bounds_measure(table_bounds);
}

/* --- Shares --- */

static void open_handles(const char *session, const char *path) {
    const char *id = bounds_kept(session);
    for (int i = 0; i < HANDLES; i++)
        bounds_send("FILE.OPEN fs %s %s ACCESS 1 READ SHARE 3 READ WRITE DELETE", id, path);
    bounds_receive_all();
}

static void victim_file(void) {
    fill_pages("FILE.CREATE fs v 1099511627776", "FILE.PUTRANGE fs v");
}
static void victim_open_file(void) {
    victim_file();
    bounds_do("vs = SHARE.CONNECT fs 604800");
    bounds_do("vh = FILE.OPEN fs @vs v ACCESS 2 READ WRITE SHARE 3 READ WRITE DELETE");
}
static void victim_session(void) {
    bounds_do("vs = SHARE.CONNECT fs 604800");
    open_handles("vs", "d/f");
}
/* A directory in which a session that is over had files open. */
static void victim_directory(void) {
    bounds_do("vs = SHARE.CONNECT fs 600");
    bounds_do("FILE.MKDIR fs e");
    bounds_do("FILE.CREATE fs e/f 0");
    open_handles("vs", "e/f");
    bounds_later(700);
}
static void end_directory(void) {
    struct words words = words_of_line("FILE.RMDIR fs e2");
    call_line(bounds_client, "FILE.DELETE fs e2/f");
    call_words(bounds_client, &words);
    victim_directory();
}
static void victim_share(void) {
    bounds_do("SHARE.CREATE other");
    for (int i = 0; i < SOME; i++) bounds_send("FILE.CREATE other n%06d 0", i);
    bounds_receive_all();
}

static void stage_shares(void) {
    bounds_do("SHARE.CREATE fs " META);
    bounds_do("SHARE.SETACL fs " ACL);
    bounds_do("FILE.MKDIR fs d");
    bounds_do("FILE.MKDIR fs l");
    bounds_do("FILE.CREATE fs d/f 1000000");
    bounds_do("FILE.CREATE fs striped 67108864");
    for (int i = 0; i < 49000; i++)
        send_content(pool_print("FILE.PUTRANGE fs striped %d", i * 1024), pool_take(512), 512);
    bounds_receive_all();
    for (int i = 0; i < 199; i++) bounds_do("snap = SHARE.SNAPSHOT fs");
    bounds_do("FILE.PUTRANGE fs striped 0 512*x");
    fill_pages("FILE.CREATE fs page 1099511627776", "FILE.PUTRANGE fs page");
    for (int i = 0; i < SOME; i++) bounds_send("FILE.CREATE fs l/n%06d 0", i);
    bounds_receive_all();
    bounds_do("s = SHARE.CONNECT fs 604800 OWNER 256*o");
    open_handles("s", "d/f");
    bounds_do("p = FILE.OPEN fs @s page ACCESS 2 READ WRITE SHARE 3 READ WRITE DELETE");
    bounds_do("x = FILE.OPEN fs @s d/f ACCESS 1 READ SHARE 3 READ WRITE DELETE");
    for (int i = 0; i < 9000; i++) bounds_send("FILE.LOCK fs %s SHARED %d 1", bounds_kept("x"), 2 * i);
    bounds_receive_all();
    bounds_do("FILE.CREATE fs small 1000");
}

static const struct bound share_bounds[] = {
    {"SHARE.CREATE new " META, NULL, "DEL new", 0},
    {"SHARE.GET fs", NULL, NULL, 0},
    {"SHARE.GETMETA fs", NULL, NULL, 0},
    {"SHARE.SETMETA fs " META, NULL, NULL, 0},
    {"SHARE.SETPROPS fs QUOTA 0", NULL, NULL, 0},
    {"SHARE.GETACL fs", NULL, NULL, 0},
    {"SHARE.SETACL fs " ACL, NULL, NULL, 0},
    {"SHARE.DELETE other", victim_share, NULL, 0},
    {"SHARE.SNAPSHOT new", NULL, NULL, 0},
    {"SHARE.CONNECT fs 1000", NULL, NULL, 0},
    {"SHARE.PING fs @s", NULL, NULL, 0},
    {"SHARE.DISCONNECT fs @vs", victim_session, NULL, 0},
    {"FILE.MKDIR fs new " META, NULL, "DEL nothing", 0},
    {"FILE.LIST fs l COUNT 5000", NULL, NULL, 0},
    {"FILE.LIST fs l PREFIX n0999 SNAPSHOT @snap", NULL, NULL, 0},
    {"FILE.CREATE fs v 0", victim_file, NULL, 0},
    {"FILE.GET fs page RANGE 0 33554432", NULL, NULL, LIKE_NATIVE},
    {"FILE.STAT fs page", NULL, NULL, 0},
    {"FILE.GETMETA fs d/f", NULL, NULL, 0},
    {"FILE.SETPROPS fs v SIZE 0", victim_file, NULL, 0},
    {"FILE.SETMETA fs small " META, NULL, NULL, 0},
    {"FILE.PUTRANGE fs page 1 4000000*x", NULL, NULL, 0},
    {"FILE.CLEARRANGE fs v 1 134217726", victim_file, NULL, 0},
    {"FILE.GETRANGES fs striped", NULL, NULL, 0},
    {"FILE.GETRANGES fs striped SINCE @snap", NULL, NULL, 0},
    {"FILE.DELETE fs v", victim_file, NULL, 0},
    {"FILE.COPY fs page v", victim_file, NULL, 0},
    {"FILE.RENAME fs small v REPLACE", victim_file, "FILE.CREATE fs small 1", 0},
    {"FILE.HANDLES fs COUNT 1000", NULL, NULL, 0},
    {"FILE.HANDLES fs d/f COUNT 1000", NULL, NULL, 0},
    {"FILE.HANDLES fs l RECURSIVE", NULL, NULL, 0},
    {"FILE.OPEN fs @s d/f ACCESS 1 READ SHARE 3 READ WRITE DELETE", NULL, NULL, 0},
    {"FILE.READ fs @p 0 33554432", NULL, NULL, LIKE_NATIVE},
    {"FILE.WRITE fs @p 1 4000000*x", NULL, NULL, 0},
    {"FILE.TRUNCATE fs @vh 1", victim_open_file, NULL, 0},
    {"FILE.LOCK fs @x SHARED 50001 1", NULL, "FILE.CREATE fs small 1", 0},
    {"FILE.UNLOCK fs @x 0 1", NULL, NULL, 0},
    {"FILE.DISPOSE fs @d OFF", NULL, "d = FILE.OPEN fs @s small ACCESS 1 DELETE SHARE 3 READ WRITE DELETE",
     0},
    {"FILE.CLOSEHANDLES fs d * RECURSIVE", NULL, NULL, 0},
    {"FILE.CLOSEHANDLES fs l * RECURSIVE", NULL, NULL, 0},
    {"FILE.CLOSE fs @x", NULL, "x = FILE.OPEN fs @s d/f ACCESS 1 READ SHARE 3 READ WRITE DELETE", 0},
    {"FILE.RENAME fs e e2", end_directory, NULL, 0},
    {"FILE.RMDIR fs k", NULL, "FILE.MKDIR fs k", 0},
    {"HOLDFAST.ATOMIC 2 5 FILE.PUTRANGE fs page 1 4000000*x 4 FILE.CREATE fs v 0", victim_file, NULL, 0},
    {"HOLDFAST.GRACE END", NULL, NULL, 0},
    {"HOLDFAST.DOCTOR", NULL, NULL, 0},
    {"HOLDFAST.HELP", NULL, NULL, 0},
    {"HOLDFAST.VERSION", NULL, NULL, 0},
    {NULL, NULL, NULL, 0},
};

TEST(shares_hold_nobody_up) {
    bounds_begin(""); /* a file of commands would be gigabytes long */
    stage_shares();
    bounds_measure(share_bounds);
}

/* --- Completeness --- */

static const struct bound *const all_bounds[] = {blob_bounds, queue_bounds, table_bounds, share_bounds};

static bool is_measured(const char *command) {
    for (size_t i = 0; i < ARRAY_SIZE(all_bounds); i++)
        for (const struct bound *row = all_bounds[i]; row->line; row++)
            if (!strncmp(row->line, command, strlen(command)) && strchr(" ", row->line[strlen(command)]))
                return true;
    return false;
}

/* A command that is new belongs in here. */
TEST(no_command_is_left_out) {
    struct words commands = grammar_commands(primary);
    assert_true(commands.count > 80);
    for (size_t i = 0; i < commands.count; i++)
        if (!is_effect_command(commands.word[i])) /* takes as long as what it repeats */
            require(is_measured(commands.word[i]), "%s is not measured", commands.word[i]);
}
