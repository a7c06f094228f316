#!/bin/bash
# Puts the module and the sample configurations in place, or takes them away again:
#
#   install.sh install DESTDIR PREFIX MODULE
#   install.sh uninstall DESTDIR PREFIX
#
# What is installed of the module is small: its debug information lies in a file beside it, which debuggers find by themselves.
# Uninstalling removes the files below, and of the folders those that installing had to make, once they are empty. Folders that were
# there before stay, and so do bin/, lib/ and share/ themselves, which belong to everybody.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
task=$1 prefix=$3
root=$2$3

modules=lib/redis/modules
share=share/holdfast
configurations=(redis.conf redis-replicated.conf users.acl users-cluster.acl sentinel/node.conf sentinel/sentinel.conf cluster/node.conf)
monitoring=(holdfast.lua holdfast.rules.yml prometheus.yml dashboard.json)
files=("$modules/holdfast.so" "$modules/holdfast.so.debug" bin/holdfast-cli "${configurations[@]/#/$share/}" "${monitoring[@]/#/$share/monitoring/}")
folders=("$share/sentinel" "$share/cluster" "$share/monitoring" "$share" "$modules" lib/redis)
made=$root/$share/made-folders # one a line; those of an earlier install stay listed

put() {
    echo "  $root/$2"
    install -m "${3:-644}" "$1" "$root/$2"
}

put_module() {
    local parts
    parts=$(mktemp -d)
    objcopy --only-keep-debug "$1" "$parts/holdfast.so.debug"
    objcopy --strip-unneeded --add-gnu-debuglink="$parts/holdfast.so.debug" "$1" "$parts/holdfast.so"
    put "$parts/holdfast.so.debug" "$modules/holdfast.so.debug"
    put "$parts/holdfast.so" "$modules/holdfast.so" 755
    rm -r "$parts"
}

put_everything() {
    local folder name missing=()
    for folder in "${folders[@]}"; do
        [ -d "$root/$folder" ] || missing+=("$folder")
    done
    install -d "$root/$modules" "$root/$share/sentinel" "$root/$share/cluster" "$root/$share/monitoring" "$root/bin"
    if [ ${#missing[@]} -gt 0 ]; then printf '%s\n' "${missing[@]}" >>"$made"; fi
    put_module "$1"
    put "$here/holdfast-cli" bin/holdfast-cli 755
    for name in "${configurations[@]}"; do
        "$here/dev/configuration.sh" "$name" | sed "s#/usr/local/#$prefix/#g" | put /dev/stdin "$share/$name"
    done
    for name in "${monitoring[@]}"; do put "$here/monitoring/$name" "$share/monitoring/$name"; done
}

remove_everything() {
    local file folder listed=''
    if [ -e "$made" ]; then listed=$(<"$made"); fi
    for file in "${files[@]}"; do rm -f "$root/$file"; done
    rm -f "$made"
    for folder in "${folders[@]}"; do
        if grep -qxF "$folder" <<<"$listed" && [ -d "$root/$folder" ]; then
            rmdir --ignore-fail-on-non-empty "$root/$folder"
        fi
    done
}

case $task in
install) put_everything "$4" ;;
uninstall) remove_everything ;;
*) echo "install.sh: install or uninstall, not $task" >&2; exit 2 ;;
esac
