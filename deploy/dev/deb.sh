#!/bin/bash
# Builds the Debian packages holdfast and holdfast-dbgsym out of a module that is there:
#
#   deb.sh MODULE FOLDER          writes FOLDER/holdfast_VERSION_ARCHITECTURE.deb and holdfast-dbgsym_….deb
#
# DEBFULLNAME and DEBEMAIL say who maintains them, DEBREVISION (1) which packaging of the version it is. The same module gives the same
# bytes: instants in the packages are those of SOURCE_DATE_EPOCH, or of the newest source.
set -euo pipefail
module=$(realpath "$1") folder=$2
cd "$(dirname "$0")/../.."

release=$(sed -nE 's/^#define RELEASE_TEXT "(.*)"$/\1/p' module/release.h)
version=$release-${DEBREVISION:-1}
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-Holdfast maintainers} <${DEBEMAIL:-holdfast@users.noreply.github.com}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(find module deploy LICENSE -type f -printf '%T@\n' | sort -n | tail -n 1 | cut -d. -f1)}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
root=$place/holdfast symbols=$place/holdfast-dbgsym doc=$place/holdfast/usr/share/doc/holdfast
umask 022

# What the module needs of the distribution's libraries. The tool wants to stand in a source package.
libraries() {
    mkdir -p "$place/source/debian"
    printf 'Source: holdfast\n\nPackage: holdfast\nArchitecture: any\n' >"$place/source/debian/control"
    (cd "$place/source" && dpkg-shlibdeps -O "$root/usr/lib/redis/modules/holdfast.so" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

build_id() { readelf -n "$root/usr/lib/redis/modules/holdfast.so" | sed -n 's/.*Build ID: //p'; }

fill_in() {
    local size
    size=$(du -sk --apparent-size "$2" | cut -f1)
    sed -e "s#@VERSION@#$version#; s#@ARCHITECTURE@#$architecture#; s#@MAINTAINER@#$maintainer#; s#@SIZE@#$size#" \
        -e "s#@LIBRARIES@#$3#; s#@BUILD_ID@#$4#" "$1"
}

put_files() {
    install -d "$root/usr"
    deploy/dev/install.sh install "$root" /usr "$module" >/dev/null
    rm "$root/usr/share/holdfast/made-folders"
    install -d "$root/etc/redis" "$root/usr/lib/systemd/system/redis-server@holdfast.service.d" "$root/usr/share/man/man1" "$root/usr/share/man/man7" "$doc"
    sed -e 's#/etc/holdfast/redis.conf#/etc/redis/redis-holdfast.conf#; s#/etc/holdfast/users.acl#/etc/redis/holdfast-users.acl#' \
        "$root/usr/share/holdfast/redis.conf" >"$root/etc/redis/redis-holdfast.conf"
    install -m 644 deploy/debian/redis-server@holdfast.conf "$root/usr/lib/systemd/system/redis-server@holdfast.service.d/holdfast.conf"
}

put_documents() {
    sed -e "s#@RELEASE@#$release#; s#@DATE@#$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)#" deploy/debian/holdfast.7 |
        gzip -9n >"$root/usr/share/man/man7/holdfast.7.gz"
    echo '.so man7/holdfast.7' | gzip -9n >"$root/usr/share/man/man1/holdfast-cli.1.gz"
    sed -n '5,$ { s/^$/./; s/^/ /; p }' LICENSE >"$place/license"
    sed -e "/@LICENSE@/ { r $place/license" -e 'd }' deploy/debian/copyright >"$doc/copyright"
    gzip -9nc deploy/CHANGELOG.md >"$doc/changelog.gz"
    printf 'holdfast (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' "$version" "$maintainer" \
        "$(date -uR -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
    install -m 644 deploy/README.md deploy/SECURITY.md deploy/SERVERS.md "$doc"
}

put_symbols() {
    local id=$1
    install -d "$symbols/usr/lib/debug/.build-id/${id:0:2}" "$symbols/usr/share/doc"
    mv "$root/usr/lib/redis/modules/holdfast.so.debug" "$symbols/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
    ln -s holdfast "$symbols/usr/share/doc/holdfast-dbgsym"
}

# pack ROOT CONTROL LIBRARIES BUILD_ID
pack() {
    install -d "$1/DEBIAN"
    (cd "$1" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$1/DEBIAN/md5sums"
    fill_in "$2" "$1" "$3" "$4" >"$1/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$1" "$folder" | sed -n "s/.* in '\(.*\)'\./\1/p"
}

mkdir -p "$folder"
put_files
put_documents
id=$(build_id)
needed=$(libraries)
put_symbols "$id"
install -d "$root/DEBIAN"
install -m 755 deploy/debian/postinst deploy/debian/postrm "$root/DEBIAN"
echo /etc/redis/redis-holdfast.conf >"$root/DEBIAN/conffiles"
pack "$root" deploy/debian/control "$needed" "$id"
pack "$symbols" deploy/debian/control-dbgsym '' "$id"
