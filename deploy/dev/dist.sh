#!/bin/bash
# Packs the sources into a tarball that builds like the repository. The same sources give the same bytes.
#
#   dist.sh FOLDER         makes FOLDER/holdfast-VERSION.tar.gz and a file with its SHA-256 beside it
#
# What git knows of is packed, as it is on disk; where there is no git, everything but build/ and what begins with a dot.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
version=$(sed -nE 's/^#define RELEASE_TEXT "(.*)"$/\1/p' module/release.h)
name=holdfast-$version

files() {
    if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z
    else
        find . \( -path ./build -o -path ./.git \) -prune -o \( -type f -o -type l \) -printf '%P\0'
    fi
}

# The commit's time, or that of the newest file.
moment() {
    git log -1 --format=@%ct 2>/dev/null || find . -path ./build -prune -o -type f -printf '@%T@\n' | sort -V | tail -n 1
}

files | LC_ALL=C sort -z | tar --create --no-recursion --transform "s|^|$name/|S" --mtime="$(moment)" --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --format=gnu --null --files-from=- | gzip -n9 >"$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
