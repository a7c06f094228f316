#!/bin/bash
# The Debian packages: what is in them, what lintian says, and whether they can be installed, used and removed in a system of their own
# that debootstrap makes (build/chroot; made once, and copied for each run). Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
system=$place/system
trap 'unmount; rm -rf "$place"' EXIT

skip() {
    echo "# skipped: $1"
    tests_told=$((tests_told + 1))
    echo "ok $tests_told # SKIP $2"
}

unmount() { ! mountpoint -q "$system/proc" || umount "$system/proc"; }

have() {
    deploy/dev/packages.sh --check "$1" >/dev/null 2>&1 ||
        { [ "$(id -u)" -eq 0 ] && deploy/dev/packages.sh "$1" >"$place/packages.log" 2>&1; }
}

if ! have deb; then
    skip 'the packages dpkg-dev and binutils are not here, and cannot be had' packages
    done_testing
    exit 0
fi

# --- What is in them ----------------------------------------------------------------------------------------------------------------------

deploy/dev/deb.sh build/holdfast.so "$place/one" >"$place/log" 2>&1
deploy/dev/deb.sh build/holdfast.so "$place/two" >>"$place/log" 2>&1
package=$(compgen -G "$place/one/holdfast_*.deb") symbols=$(compgen -G "$place/one/holdfast-dbgsym_*.deb")
holds 'there are two packages' test -s "$package" -a -s "$symbols"
[ -s "$package" ] || sed 's/^/#   /' "$place/log"
holds 'the same module gives the same bytes' diff -r "$place/one" "$place/two"
same "$(dpkg-deb -c "$package" | awk '$2 != "root/root" || $1 ~ /^-.*w..w/' )" '' 'all belongs to root, and nobody else may write to it'
dpkg-deb -x "$package" "$place/contents"
dpkg-deb -x "$symbols" "$place/symbols"
module=$place/contents/usr/lib/redis/modules/holdfast.so
same "$(readelf -SW "$module" | grep -c '\.debug_info')" 0 'the module has no debug information in it'
id=$(readelf -n "$module" | sed -n 's/.*Build ID: //p')
holds 'the debug information lies where debuggers look for it' test -s "$place/symbols/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
holds 'it may be executed: the server loads no module that may not' test -x "$module"
holds 'the configuration loads the module where it is' grep -qx 'loadmodule /usr/lib/redis/modules/holdfast.so' "$place/contents/etc/redis/redis-holdfast.conf"
same "$(grep -rl /usr/local "$place/contents/etc" "$place/contents/usr/share/holdfast" "$place/contents/usr/lib/systemd")" '' 'nothing speaks of /usr/local'
same "$(man --warnings -l "$place/contents/usr/share/man/man7/holdfast.7.gz" 2>&1 >/dev/null)" '' 'the man page is sound'

if have deb-test; then
    lintian --fail-on error "$package" "$symbols" >"$place/lintian" 2>&1
    same "$(grep '^E:' "$place/lintian")" '' 'lintian finds no error'
else
    skip 'the packages lintian and debootstrap are not here, and cannot be had' lintian
fi

# --- In a system of its own ---------------------------------------------------------------------------------------------------------------

# Whatever is missing (root, the network, leave to make devices) shows here.
make_system() {
    if ! [ -e build/chroot/.made ]; then
        [ "$(id -u)" -eq 0 ] || return 1
        rm -rf build/chroot
        mkdir -p build/chroot
        debootstrap --variant=minbase --include=redis-server "$(. /etc/os-release; echo "$VERSION_CODENAME")" build/chroot >"$place/debootstrap" 2>&1 ||
            { rm -rf build/chroot; return 1; }
        touch build/chroot/.made
    fi
    cp -a build/chroot "$system" && mount -t proc proc "$system/proc" && cp "$package" "$system/holdfast.deb"
}

inside() { chroot "$system" env PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"; }

# Files, but for what dpkg keeps for itself and what programs log.
files_inside() { (cd "$system" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache \) -prune -o -print | LC_ALL=C sort); }

ask_inside() {
    local answer=''
    for _ in {1..100}; do
        answer=$(inside redis-cli -s /tmp/holdfast.sock "$@" 2>/dev/null)
        if [ -n "$answer" ]; then break; fi
        sleep 0.1
    done
    echo "$answer"
}

if ! make_system; then
    skip 'no system of its own could be made (that takes root, the network and debootstrap)' chroot
    done_testing
    exit 0
fi

before=$(files_inside)
inside dpkg -i /holdfast.deb >"$place/log" 2>&1
same "$?" 0 'it can be installed in a clean system'
same "$(inside stat -c '%U:%G %a' /etc/redis/redis-holdfast.conf)" 'redis:redis 640' 'the configuration is for the server alone'
same "$(inside dpkg --verify holdfast | grep -v '^??5?????? c')" '' 'what was installed is what was packed'

inside install -d -o redis -g redis /var/lib/holdfast
inside setpriv --reuid redis --regid redis --clear-groups redis-server /etc/redis/redis-holdfast.conf --port 0 --unixsocket /tmp/holdfast.sock \
    >"$place/server.log" 2>&1 &
server=$!
same "$(ask_inside HOLDFAST.VERSION)" "$(sed -nE 's/^#define RELEASE_TEXT "(.*)"$/\1/p' module/release.h)" 'a server with the configuration has the module'
kill -0 "$server" 2>/dev/null || tail -n 3 "$place/server.log" | sed 's/^/#   /'
same "$(ask_inside --no-raw HOLDFAST.DOCTOR)" '(empty array)' 'and all is well with it'
ask_inside CONFIG REWRITE >/dev/null
holds 'it may write to its configuration' grep -q 'Generated by CONFIG REWRITE' "$system/etc/redis/redis-holdfast.conf"
inside redis-cli -s /tmp/holdfast.sock SHUTDOWN NOSAVE >/dev/null 2>&1
wait "$server"

rm -rf "$system/var/lib/holdfast" "$system/tmp/holdfast.sock"
inside dpkg -r holdfast >"$place/log" 2>&1
holds 'removed, it leaves the configuration' test -e "$system/etc/redis/redis-holdfast.conf"
inside dpkg -P holdfast >>"$place/log" 2>&1
same "$(files_inside)" "$before" 'purged, it leaves nothing, and nothing else is gone'
done_testing
