#!/bin/bash
# Fetches the outside sources that Holdfast is compiled against, out of the distribution's source packages:
#
#   fetch.sh redis FOLDER      puts redismodule.h into FOLDER
#   fetch.sh ccan FOLDER       puts the folder ccan/ into FOLDER
#   fetch.sh hiredis FOLDER    puts the folder hiredis/, as it comes with Redis, into FOLDER
#   fetch.sh config FOLDER     puts the config.h that ccan's headers ask for into FOLDER (no network)
#
# The machine's package sources are not touched. apt gets a source list, a state folder and a cache of its own beside FOLDER, derived from
# the machine's list. Only a tarball with the SHA-256 below is ever unpacked; one that lies in tarballs/ already is not fetched again.
set -euo pipefail

# shellcheck source=deploy/dev/apt.sh
source "$(dirname "$0")/apt.sh"

what=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
deps=$(dirname "$folder")
tarballs=$deps/tarballs
apt=$deps/apt

redis_tarball=redis_7.0.15.orig.tar.gz
redis_sha256=4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982
ccan_tarball=sbsigntool_0.9.4.orig.tar.xz
ccan_sha256=016d7db322492b09f2f8a3bc02aa2b643db3ca0f31f9efa630c3e8ddef9484e8

fail() {
    echo "fetch.sh: $*" >&2
    exit 1
}

# Prints the version of the source package whose files include the tarball that is wanted: a newer one may stand beside it.
version_with() {
    { apt-cache -c "$apt/apt.conf" showsrc "$1" 2>/dev/null || true; } |
        awk -v name="$1" -v hash="$2" '/^Package:/ { package = $2 } /^Version:/ { version = $2 }
             $1 == hash && package == name && !found { print version; found = 1 }'
}

# Prints the SHA-256 that the package lists give for a tarball of that name, to tell "not there" from "there, but another one".
listed_sha256() {
    { apt-cache -c "$apt/apt.conf" showsrc "$1" 2>/dev/null || true; } |
        awk -v tarball="$2" 'length($1) == 64 && $3 == tarball && !found { print $1; found = 1 }'
}

fetch_tarball() {
    local package=$1 tarball=$2 sha256=$3 version listed
    command -v apt-get >/dev/null || fail "there is no apt-get here. Get $tarball of the source package '$package'
    (SHA-256 $sha256) and put it into $tarballs,
    or name your own copies: make REDISMODULE_INCLUDE=folder-of-redismodule.h CCAN_DIR=folder-that-holds-ccan"
    prepare_apt "$apt"
    version=$(version_with "$package" "$sha256")
    if [ -z "$version" ]; then
        # A third party's list that cannot be read need not matter: what counts is whether the package is found afterwards.
        apt-get -c "$apt/apt.conf" update -qq || echo "fetch.sh: not every package list could be read, going on without" >&2
        version=$(version_with "$package" "$sha256")
    fi
    listed=$(listed_sha256 "$package" "$tarball")
    if [ -z "$version" ] && [ -n "$listed" ]; then
        fail "the distribution's $tarball is not the file that it should be.
    SHA-256 expected $sha256
    SHA-256 listed   $listed
    Nothing was fetched. A copy of your own can be named: make CCAN_DIR=folder-that-holds-ccan REDISMODULE_INCLUDE=folder"
    fi
    [ -n "$version" ] || fail "no source package '$package' in this machine's package sources holds $tarball.
    Name your own copies: make REDISMODULE_INCLUDE=folder-of-redismodule.h CCAN_DIR=folder-that-holds-ccan"
    (cd "$tarballs" && apt-get -c "$apt/apt.conf" source -qq --download-only --tar-only "$package=$version" >"$apt/source.log") ||
        fail "apt-get could not fetch $tarball of $package $version"
}

check_tarball() {
    local tarball=$1 sha256=$2 found
    found=$(sha256sum "$tarballs/$tarball" | cut -d ' ' -f 1)
    if [ "$found" != "$sha256" ]; then
        fail "$tarballs/$tarball is not the file that it should be.
    SHA-256 expected $sha256
    SHA-256 found    $found
    Nothing of it was used. Remove it to fetch it again."
    fi
}

# The lock keeps two rules of one parallel make from driving apt at the same time.
obtain() {
    mkdir -p "$tarballs"
    exec 9>"$deps/.lock"
    if command -v flock >/dev/null; then flock 9; fi
    if ! [ -f "$tarballs/$2" ]; then
        echo "Fetching $2 from the distribution's source package $1"
        fetch_tarball "$1" "$2" "$3"
        [ -f "$tarballs/$2" ] || fail "apt-get said nothing, but $2 did not arrive"
    fi
    check_tarball "$2" "$3"
}

# What ccan's own configurator would find out about a C11 compiler of today.
write_config() {
    cat >"$folder/config.h.new" <<'CONF'
#ifndef CCAN_CONFIG_H
#define CCAN_CONFIG_H
#define HAVE_ATTRIBUTE_COLD 1
#define HAVE_ATTRIBUTE_CONST 1
#define HAVE_ATTRIBUTE_NORETURN 1
#define HAVE_ATTRIBUTE_PRINTF 1
#define HAVE_ATTRIBUTE_UNUSED 1
#define HAVE_ATTRIBUTE_USED 1
#define HAVE_BACKTRACE 0
#define HAVE_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define HAVE_BSWAP_64 1
#define HAVE_BUILTIN_CHOOSE_EXPR 1
#define HAVE_BUILTIN_CONSTANT_P 1
#define HAVE_BUILTIN_EXPECT 1
#define HAVE_BUILTIN_TYPES_COMPATIBLE_P 1
#define HAVE_BYTESWAP_H 1
#define HAVE_FILE_OFFSET_BITS 0
#define HAVE_FLEXIBLE_ARRAY_MEMBER 1
#define HAVE_ISBLANK 1
#define HAVE_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define HAVE_TYPEOF 1
#define HAVE_WARN_UNUSED_RESULT 1
#endif
CONF
    mv "$folder/config.h.new" "$folder/config.h"
}

case $what in
redis)
    obtain redis "$redis_tarball" "$redis_sha256"
    tar -xzf "$tarballs/$redis_tarball" --to-stdout --wildcards '*/src/redismodule.h' >"$folder/redismodule.h.new"
    mv "$folder/redismodule.h.new" "$folder/redismodule.h"
    ;;
ccan)
    obtain sbsigntool "$ccan_tarball" "$ccan_sha256"
    rm -rf "$folder/ccan"
    tar -xJf "$tarballs/$ccan_tarball" -C "$folder" --strip-components=3 --wildcards '*/lib/ccan/ccan'
    ;;
hiredis)
    obtain redis "$redis_tarball" "$redis_sha256"
    rm -rf "$folder/hiredis"
    tar -xzf "$tarballs/$redis_tarball" -C "$folder" --strip-components=2 --no-wildcards-match-slash --wildcards '*/deps/hiredis/*.[ch]' '*/deps/hiredis/COPYING'
    touch "$folder/hiredis/hiredis.h"
    ;;
config)
    write_config
    ;;
*)
    fail "what is '$what'?"
    ;;
esac
