#!/bin/bash
# What 'make dist' packs: a tarball of the version's name, the same bytes each time, which builds a module of that version. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh
. tests/scripts/server.sh

place=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; rm -rf "$place"' EXIT
server=''

version=$(sed -nE 's/^#define RELEASE_TEXT "(.*)"$/\1/p' module/release.h)
name=holdfast-$version
deploy/dev/dist.sh "$place/one" >/dev/null
deploy/dev/dist.sh "$place/two" >/dev/null
holds "it is called $name.tar.gz" test -s "$place/one/$name.tar.gz"
holds 'the same sources give the same bytes' cmp "$place/one/$name.tar.gz" "$place/two/$name.tar.gz"
holds 'its sum is told' bash -c "cd '$place/one' && sha256sum --quiet -c $name.tar.gz.sha256"

tar -xf "$place/one/$name.tar.gz" -C "$place"
same "$(ls "$place/$name")" "$(printf '%s\n' LICENSE Makefile README.md deploy module tests)" 'it holds the sources and nothing that was made'
same "$(sed -nE 's/^## \[([0-9.]+)\].*/\1/p' deploy/CHANGELOG.md | head -n 1)" "$version" 'the newest version of the CHANGELOG is that of the module'
same "$(sed -nE 's/^enum \{ RELEASE_NUMBER = ([0-9]+) \};$/\1/p' module/release.h)" \
    "$(IFS=.; read -r major minor patch <<<"$version"; echo $((major * 10000 + minor * 100 + patch)))" 'the number that the server is told is the same version'

# What was fetched already is not fetched again, and nobody waits for an optimiser, without which the compiler warns of other things.
mkdir -p "$place/$name/build"
cp -a build/deps "$place/$name/build/deps"
if make -s -C "$place/$name" OPTIMISE=-O0 CFLAGS=-Wno-error build >"$place/log" 2>&1; then
    told ok 'it builds'
else
    told 'not ok' 'it builds'
    tail -n 20 "$place/log" | sed 's/^/#   /'
fi

start_server "$place" --loadmodule "$place/$name/build/holdfast.so"
same "$(redis-cli -p "$port" HOLDFAST.VERSION)" "$version" 'the module that was built says the same version'

# Where there is no git, the sources are found without it.
(cd "$place/$name" && deploy/dev/dist.sh "$place/three" >/dev/null)
same "$(tar -tf "$place/three/$name.tar.gz")" "$(tar -tf "$place/one/$name.tar.gz")" 'it packs itself'
done_testing
