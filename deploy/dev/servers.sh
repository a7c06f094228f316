#!/bin/bash
# Builds the servers that people run, to be tested with, out of the distribution's own source packages:
#
#   servers.sh FOLDER       builds each into FOLDER/NAME-VERSION/ and lists them in FOLDER/list: a name, and its program, or '-'
#
# Which: Redis of this machine's release, with its own allocator, which the distribution's program is not built with; and the Redis and the
# Valkey of the current stable and of the newest release, 'experimental' among them. Nothing of them goes into the module, so whatever the signed package lists hold
# today is taken; apt checks it. What was built before is not built again. Where the lists cannot be read, what was built from them the last
# time is taken, and told of. The exit status says whether all were there.
set -euo pipefail

# shellcheck source=deploy/dev/apt.sh
source "$(dirname "$0")/apt.sh"

folder=$(mkdir -p "$1" && cd "$1" && pwd)
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
CC=${CC:-gcc}

# What is wanted: a name, the source package, and the names of the releases that may have it, the one that is meant first.
wanted='own-redis      redis   own
stable-redis   redis   stable trixie testing forky unstable sid
newest-redis   redis   experimental unstable sid testing forky stable trixie
stable-valkey  valkey  stable trixie testing forky unstable sid
newest-valkey  valkey  unstable sid testing forky stable trixie'

tell() {
    echo "servers.sh: $*" >&2
}

# 'redis_8.0.2.orig.tar.gz' gives redis-8.0.2; what the distribution adds to a version does not matter.
name_of() {
    sed -E 's/_/-/; s/\.orig\.tar\..*//; s/\+.*//' <<<"$1"
}

# The allocator that comes with the server: only with it can a server move what is in memory. No Python, since what it would generate is
# part of the tarball. Not optimised across files, which takes longest and changes nothing that tests see.
compile() {
    local source=$1 program=$2
    env -u MAKEFLAGS -u MAKELEVEL make -C "$source/src" -j"$jobs" CC="$CC" MALLOC=jemalloc OPTIMIZATION=-O1 DEBUG= PYTHON= \
        BUILD_TLS=no USE_SYSTEMD=no "$program"
}

build() {
    local name=$1 tarball=$2 program=${1%%-*}-server source=$folder/.build/$1
    [ ! -x "$folder/$name/$program" ] || return 0
    echo "Building $name"
    rm -rf "$source"
    mkdir -p "$source"
    tar -xf "$folder/.tarballs/$tarball" -C "$source" --strip-components=1
    if ! compile "$source" "$program" >"$folder/$name.log" 2>&1; then
        tail -n 20 "$folder/$name.log" >&2
        tell "$name does not compile; all that it said is in $folder/$name.log"
        return 1
    fi
    if ! "$source/src/$program" --version | grep -q jemalloc; then tell "$name is without its allocator"; return 1; fi
    mkdir -p "$folder/$name"
    mv "$source/src/$program" "$folder/$name/$program"
    rm -rf "$source"
}

# Prints the first of the given releases that has the package, and its tarball.
find_package() {
    local package=$1 meant=$2 release tarball
    shift
    for release in "$@"; do
        read_release "$release" || continue
        tarball=$(tarball_of "$release" "$package")
        [ -n "$tarball" ] || continue
        [ "$release" = "$meant" ] || tell "no $package of '$meant' in the package lists: taking that of '$release'"
        found_release=$release found_tarball=$tarball
        return 0
    done
    return 1
}

# What the lists said the last time lies in .wanted, for a machine without a network.
obtain() {
    local wish=$1 package=$2 name
    shift 2
    if find_package "$package" "$@"; then
        name=$(name_of "$found_tarball")
        if ! [ -x "$folder/$name/$package-server" ]; then
            fetch_from_release "$found_release" "$package" || { tell "cannot fetch $found_tarball"; unobtained "$wish" "$name"; return; }
        fi
        build "$name" "$found_tarball" || { unobtained "$wish" "$name"; return; }
        echo "$name" >"$folder/.wanted/$wish"
    elif [ -f "$folder/.wanted/$wish" ]; then
        name=$(<"$folder/.wanted/$wish")
        tell "the package lists have no $package for $wish today: $name, built before, stays"
    else
        tell "the package lists have no $package for $wish"
        unobtained "$wish" ''
        return
    fi
    list "$name" "$folder/$name/$package-server"
}

unobtained() {
    list "${2:-$1}" -
    status=1
}

# Two releases may have the same one.
list() {
    grep -qs "^$1 " "$folder/list.new" || echo "$1 $2" >>"$folder/list.new"
}

status=0 found_release='' found_tarball=''
command -v apt-get >/dev/null || { tell 'there is no apt-get here'; exit 1; }
exec 9>"$folder/.lock"
if command -v flock >/dev/null; then flock 9; fi
mkdir -p "$folder/.wanted"
rm -f "$folder/list" "$folder/list.new"
while read -r wish package releases; do
    # shellcheck disable=SC2086 # several words
    obtain "$wish" "$package" $releases
done <<<"$wanted"
mv "$folder/list.new" "$folder/list"
while read -r name program; do
    if [ "$program" = - ]; then echo "$name: not there"; else "$program" --version; fi
done <"$folder/list"
exit "$status"
