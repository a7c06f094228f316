#!/bin/bash
# The same sources give the same bytes in whatever folder they are compiled. Shown with core/ and a file that uses __FILE__; without a
# compiler cache, which would hand out what it compiled in another folder. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

built_in() {
    local folder=$place/$1
    mkdir -p "$folder/module" "$folder/deploy/dev" "$folder/build"
    cp Makefile "$folder"
    cp -r module/core "$folder/module"
    cp deploy/dev/*.sh "$folder/deploy/dev"
    cp -r build/deps "$folder/build/deps"
    printf 'const char *where(void);\nconst char *where(void) { return __FILE__; }\n' >"$folder/module/where.c"
    (cd "$folder" && CCACHE_DISABLE=1 make -s -j2 LDFLAGS=-Wl,--unresolved-symbols=ignore-all build/holdfast.so) >"$place/log" 2>&1 ||
        sed 's/^/# /' "$place/log"
    sha256sum <"$folder/build/holdfast.so"
}

one=$(built_in a)
other=$(built_in a-folder/that/is-deeper)
holds 'something was compiled' test -s "$place/a/build/holdfast.so"
same "$other" "$one" 'the module is the same, byte by byte, debug information and all'
holds 'it does not tell in which folder it was compiled' test "$(strings -a "$place/a/build/holdfast.so" | grep -cF "$place")" -eq 0
done_testing
