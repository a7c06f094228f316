#!/bin/bash
# Gets the newest clients, to run the recipes with, beside those of this machine's distribution:
#
#   clients.sh FOLDER LANGUAGE...      c, python, go: the source packages of the distribution's newest release; node: from npm
#
# FOLDER/list says what is there: a language, a name and a version in each line. What cannot be had is told of, with the reason, and is in
# FOLDER/missing: whoever runs the recipes skips it. What was made before is not made again; the exit status is always 0.
set -uo pipefail

# shellcheck source=deploy/dev/apt.sh
source "$(dirname "$0")/apt.sh"

folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
packages_of_node=(redis@latest redis5@npm:redis@5 redis4@npm:redis@4 ioredis@latest @valkey/valkey-glide@latest)

lacks() {
    echo "clients.sh: $1: $2" >&2
    echo "$1 $2" >>"$folder/missing"
}

# unpack PACKAGE INTO: the newest source package of that name; its version goes into INTO/.version.
unpack() {
    local package=$1 into=$folder/$2 tarball release
    [ ! -f "$into/.version" ] || return 0
    command -v apt-get >/dev/null || return 1
    for release in unstable sid testing stable; do
        read_release "$release" || continue
        tarball=$(tarball_of "$release" "$package")
        [ -n "$tarball" ] || continue
        fetch_from_release "$release" "$package" >"$folder/apt.log" 2>&1 || continue
        rm -rf "$into"
        mkdir -p "$into"
        tar -xf "$folder/.tarballs/$tarball" -C "$into" --strip-components=1 || return 1
        sed -E 's/^[^_]*_//; s/\.orig\.tar.*//; s/[~+].*//' <<<"$tarball" >"$into/.version"
        return 0
    done
    return 1
}

is_there() {
    echo "$1 $2 $(<"$folder/$3/.version")" >>"$folder/list"
}

get_c() {
    unpack hiredis hiredis || { lacks c 'no source package of hiredis can be had'; return; }
    [ -f "$folder/hiredis/libhiredis.a" ] ||
        env -u MAKEFLAGS -u MAKELEVEL make -s -C "$folder/hiredis" static >"$folder/hiredis.log" 2>&1 ||
        { lacks c 'hiredis does not compile'; return; }
    mkdir -p "$folder/hiredis/include"
    ln -sfn .. "$folder/hiredis/include/hiredis"
    is_there c hiredis hiredis
}

get_python() {
    unpack python-redis redis-py || { lacks python 'no source package of redis-py can be had'; return; }
    is_there python redis-py redis-py
}

# A GOPATH of source packages, since no proxy of modules need be within reach. One of them wants one function of a newer Go's library,
# which it gets here where Go is older.
get_go() {
    local github=go/src/github.com
    command -v go >/dev/null || { lacks go 'there is no go'; return; }
    if ! unpack golang-github-redis-go-redis $github/redis/go-redis/v9 || ! unpack golang-github-cespare-xxhash $github/cespare/xxhash/v2 ||
        ! unpack golang-github-dgryski-go-rendezvous $github/dgryski/go-rendezvous; then
        lacks go 'no source package of go-redis can be had'
        return
    fi
    if ! go list slices >/dev/null 2>&1; then
        mkdir -p "$folder/go/src/slices"
        printf '%s\n' 'package slices' 'func Contains[E comparable](all []E, one E) bool {' \
            'for _, each := range all { if each == one { return true } }; return false }' >"$folder/go/src/slices/slices.go"
    fi
    is_there go go-redis $github/redis/go-redis/v9
}

get_node() {
    local name
    command -v npm >/dev/null || { lacks node 'there is no npm'; return; }
    if ! [ -f "$folder/node/.installed" ]; then
        mkdir -p "$folder/node"
        echo '{ "private": true }' >"$folder/node/package.json"
        if ! (cd "$folder/node" && timeout 300 npm install --no-audit --no-fund --ignore-scripts "${packages_of_node[@]}") \
            >"$folder/npm.log" 2>&1; then
            lacks node 'npm cannot install the clients'
            return
        fi
        touch "$folder/node/.installed"
    fi
    for name in redis redis5 redis4 ioredis @valkey/valkey-glide; do
        echo "node ${name#@valkey/valkey-} $(sed -nE 's/^ *"version": "([^"]*)".*/\1/p' "$folder/node/node_modules/$name/package.json" | head -n 1)"
    done >>"$folder/list"
}

rm -f "$folder/list" "$folder/missing"
touch "$folder/list" "$folder/missing"
for language in "$@"; do "get_$language"; done
cat "$folder/list"
exit 0
