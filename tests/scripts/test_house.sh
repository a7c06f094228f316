#!/bin/bash
# Each rule of tests/house.sh tells of what breaks it: a copy of the tree is spoilt, at least once for each rule, and the rules have to
# tell of all that and of nothing else. A rule that nothing here breaks is a failure. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tree"
cp -r LICENSE Makefile README.md deploy module tests "$place/tree"
cd "$place/tree"

declare -A expected

# breaks RULE OFFENCE...: what was just spoilt breaks the rule, which tells of it with these lines, without numbers of lines.
breaks() {
    local rule=$1
    shift
    expected[$rule]+=$(printf '%s\n' "$@")$'\n'
}

# Prints the lines in which house.sh told how the rule was broken, without numbers of lines, addresses and what a compiler said.
offences() {
    awk -v rule="$1" '
        /^(not )?ok / { sub(/^(not )?ok [0-9]+ - /, ""); on = $0 == rule; next }
        on && sub(/^#   /, "")' "$place/answer" | sed -E 's/^[0-9]+:|^[0-9a-f]{16} //; s/:[0-9]+:/:/; s/: ?-?[0-9]+$//; s/(-MM): .*/\1/'
}

# --- What lies where, and which part may know which ---------------------------------------------------------------------------------------

touch notes.txt
rm LICENSE
breaks 'the top level is as announced' 'missing: LICENSE' 'not expected: notes.txt'

echo '#include "change/nothing.h"' >>module/core/hex.c
echo '#include "redismodule.h"' >>module/core/utf8.c
breaks 'core knows nothing but core' 'module/core/hex.c: change/nothing.h' 'module/core/utf8.c:#include "redismodule.h"'
breaks 'pure sources know nothing of Redis' 'module/core/utf8.c: redismodule.h'

echo '#include "lease/nothing.h"' >>module/change/checks.c
echo '#include <hiredis/hiredis.h>' >>module/change/record.c
breaks 'the engine of changes knows nothing but core' 'module/change/checks.c: lease/nothing.h' \
    'module/change/record.c:#include <hiredis/hiredis.h>'

echo '#include "queue/nothing.h"' >>module/server/base/api.c
breaks 'server knows no family' 'module/server/base/api.c: queue/nothing.h'

echo '#include "server/waiting/nothing.h"' >>module/server/base/memory.c
breaks 'each room of server/ knows only those that are listed before it' \
    'module/server/base/memory.c:#include "server/waiting/nothing.h"'

for source in lease/lease.c blob/blob.c queue/redis/queues.c table/table.h file/path.h; do
    family=${source%%/*}
    other=$([ "$family" = blob ] && echo table || echo blob)
    echo "#include \"$other/nothing.h\"" >>"module/$source"
    breaks "$family knows no other family but lease" "module/$source: $other/nothing.h"
done

echo '#include "core/hex.h"' >>tests/models/dice.c
echo '#include <hiredis.h>' >>tests/models/dice.h
breaks 'models of tests know neither the module nor a server' 'tests/models/dice.c: core/hex.h' 'tests/models/dice.h:#include <hiredis.h>'

echo '#include "server/nothing.h"' >>module/lease/lease.c
echo '#include "blob/redis/nothing.h"' >>module/blob/blocks.c
echo '#error' >>module/core/guid.c
breaks 'pure sources know nothing of Redis' 'module/lease/lease.c: server/nothing.h' 'module/blob/blocks.c: blob/redis/nothing.h' \
    "module/core/guid.c: ${CC:-gcc} -MM"

# --- What module/README.md lists ----------------------------------------------------------------------------------------------------------

sed -i 's/`hex`/`hexadecimal`/' module/README.md
breaks 'module/README.md lists every file of core/' 'not there: hexadecimal' 'not listed: hex'

mkdir -p module/server/attic
touch module/server/attic/attic.c
for folder in change lease blob queue table file; do
    touch "module/$folder/attic.c"
    breaks "module/README.md lists every file of $folder/" 'not listed: attic'
done
breaks 'module/README.md lists every file of change/' 'not listed: record'
breaks 'module/README.md lists every file of server/' 'not listed: attic/attic' 'in no room: attic'

echo 'Nobody has `core/attic.c` or `tests/attic/`.' >>tests/README.md
breaks 'the files and folders that the pages for developers name are there' 'tests/README.md: core/attic.c' 'tests/README.md: tests/attic'

touch tests/unit/test_hex_words.c tests/unit/test_words_hex.c
breaks 'a unit test has the name of a source, or begins with it' tests/unit/test_words_hex.c

# --- How long and wide things get ---------------------------------------------------------------------------------------------------------

yes '' | head -n 601 >tests/long.c
breaks 'no file is longer than 600 lines' 'tests/long.c: 601 lines'

{ echo 'static void count_to_forty(void) {'; yes '    puts("");' | head -n 39; echo '}'; } >>module/core/hex.c
breaks 'no function of the module is longer than 40 lines' 'module/core/hex.c: 41 lines'

printf '/* %0120d */\n' 0 >>module/core/hex.c
breaks 'no comment of the module is wider than 120 columns' module/core/hex.c

printf '/* The last line of this one has but one\n * word. */\n' >>tests/models/dice.c
breaks 'no comment ends in a line of one word' 'tests/models/dice.c: word.'

# --- Names --------------------------------------------------------------------------------------------------------------------------------

sed -i 's/HOLDFAST_UTF8_H/HOLDFAST_UTF_H/' module/core/utf8.h
breaks 'the guard of a header is its name' module/core/utf8.h

echo 'int first = container_of(a, struct b, c); /* no blob_name */' >>module/server/base/api.c
echo 'int second = container_of(a, struct b, blob_name);' >>module/server/base/api.c
echo 'int third = FILE_NAME;' >>module/change/record.c
breaks 'the code of server and change has no word of a family' \
    'module/server/base/api.c:int second = container_of(a, struct b, blob_name);' 'module/change/record.c:int third = FILE_NAME;'

echo '/* See gone.c, gone_for_good and vanishing(); le_name, prefix_name and enter_name are made up, hex_read is there. */' >>module/core/hex.c
breaks 'the files and names that comments of the module name are there' 'module/core/hex.c: gone.c' 'module/core/hex.c: vanishing()' \
    'module/core/hex.c: gone_for_good'

printf 'static void ask_twice(void) {\n}\n' | tee -a module/core/hex.c >>module/file/sharing.c
printf 'static void bench_twice(void) {\n}\n' | tee -a tests/bench/files.c >>tests/bench/leases.c
breaks 'no two files have a function of the same name' 'ask_twice: module/core/hex.c, module/file/sharing.c' \
    'bench_twice: tests/bench/files.c, tests/bench/leases.c'

printf 'static int count(int a) {\n    return a;\n}\n' >>module/core/hex.c
printf 'static int number(int a) {\n    return a;\n}\n' >>tests/support/processes.c
breaks 'the name of a static function is more than one word' 'module/core/hex.c:static int count(int a) {' \
    'tests/support/processes.c:static int number(int a) {'

printf 'struct told_twice {\n    int a;\n};\n' | tee -a module/core/hex.c >>module/file/sharing.c
printf 'enum bench_twice {\n    A\n};\n' | tee -a tests/bench/files.c >>tests/bench/leases.c
breaks 'no two files have a struct, union or enum of the same tag' 'told_twice: module/core/hex.c, module/file/sharing.c' \
    'bench_twice: tests/bench/files.c, tests/bench/leases.c'

echo 'void call_elsewhere(void);' >>module/server/base/api.h
breaks 'a function whose name begins with call_ is in call.h' 'module/server/base/api.h:void call_elsewhere(void);'
breaks 'the name of a function in a header leads to it, or is known not to' 'new: module/server/base/api.h: call_elsewhere'

sed -i 's/\bsize_max\b/number_of_sizes/g' module/core/number.h
breaks 'the name of a function in a header leads to it, or is known not to' 'no longer there: module/core/number.h: size_max'

echo 'void hex_told(void);' >>module/core/hex.h
printf 'void hex_told(void) {\n}\n' >>module/core/utf8.c
breaks 'what a header declares is defined in the source of its name, or known not to be' 'new: module/core/hex.h module/core/utf8.c'

printf 'static enum outcome hex_is_met(int *a) {\n    return *a;\n}\n' >>module/core/hex.c
breaks 'a function that is named as a question answers yes or no' 'module/core/hex.c:static enum outcome hex_is_met(int *a) {'

printf 'static enum outcome hex_looked_at(const int *a) {\n    return *a;\n}\n' >>module/core/hex.c
breaks 'a function that only checks, and answers with an outcome, is named so' 'module/core/hex.c: hex_looked_at'

# --- What would compile, and be wrong -----------------------------------------------------------------------------------------------------

echo '#include "core/utf8.h"' >>module/core/hex.c
echo '#include "core/hex.h"' >>module/core/utf8.c
sed -i '/#include "blob\/snapshots.h"/d' module/blob/blob.c
breaks 'no more modules include each other in a circle than those that do' 'new: core/hex core/utf8' 'no longer there: blob/blob blob/snapshots'

sed -i "s/^    SLOT_FILE_END,/$(printf '    SLOT_%d,\\n' {1..40})&/" module/file/redis/file_commands.h
breaks 'each family has option slots left' module/file/redis/file_commands.h

echo 'void queue_wake(void) {}' >>module/queue/redis/queues.c
breaks "what follows a family's changes, and its part of INFO, is in after.c" 'module/queue/redis/queues.c:void queue_wake(void) {}'

echo 'DECIDES(blob_told,' >>module/command_rows.h
printf 'enum outcome attic_decide(struct call *call) {\n}\n' >>module/file/redis/open.c
breaks 'the handler of a command, and nothing else, has a name that ends in _decide' 'DECIDES(blob_told,' 'in no row: attic_decide'

echo 'RedisModule_Attic(0);' >>module/server/base/memory.c
sed -i 's/X(HashGet)//' module/server/base/api.c
breaks 'the calls that are bound are those that are made' 'not bound: Attic'

echo '__builtin_prefetch(0);' >>module/queue/redis/queues.c
breaks 'memory is prefetched by core/prefetch.h alone, which the compiler does not drop' 'module/queue/redis/queues.c:__builtin_prefetch(0);'

echo 'RedisModule_SubscribeToServerEvent(0);' >>module/queue/redis/queues.c
breaks 'who listens to an event of the server does not displace others' module/queue/redis/queues.c

mkdir build
echo 'void attic(void); void attic(void) {}' | "${CC:-gcc}" -shared -fPIC -x c -o build/holdfast.so -
breaks 'the module exports nothing but its entry' 'T attic' 'there is no RedisModule_OnLoad'

tests/house.sh >"$place/answer"
while IFS= read -r rule; do
    [ "${expected[$rule]+there}" ] || { told 'not ok' "nothing breaks this rule here: $rule"; continue; }
    same "$(offences "$rule" | sort)" "$(printf '%s' "${expected[$rule]}" | sort)" "broken: $rule"
    unset 'expected[$rule]'
done < <(sed -nE 's/^(not )?ok [0-9]+ - //p' "$place/answer")
same "$(printf '%s\n' "${!expected[@]}")" '' 'there is no other rule'
done_testing
