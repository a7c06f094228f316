#!/bin/bash
# What 'make install' and 'make uninstall' leave behind, under a DESTDIR of the test's own. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

module=build/holdfast.so
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# Neither needs to compile: the rules of the Makefile are read, and what they do is done with the module that is there.
install_it() { make -s -o "$module" install DESTDIR="$place/root" PREFIX="${1:-/usr/local}" >/dev/null; }
uninstall_it() { make -s uninstall DESTDIR="$place/root" PREFIX="${1:-/usr/local}" >/dev/null; }
tree() { (cd "$place/root" && find . | LC_ALL=C sort); }
anew() {
    rm -rf "$place/root"
    mkdir -p "$place/root"
    (cd "$place/root" && mkdir -p . "$@")
}

expected_files=$(printf '%s\n' bin/holdfast-cli lib/redis/modules/holdfast.so lib/redis/modules/holdfast.so.debug \
    share/holdfast/cluster/node.conf share/holdfast/made-folders share/holdfast/monitoring/dashboard.json \
    share/holdfast/monitoring/holdfast.lua share/holdfast/monitoring/holdfast.rules.yml share/holdfast/monitoring/prometheus.yml share/holdfast/redis-replicated.conf share/holdfast/redis.conf \
    share/holdfast/sentinel/node.conf share/holdfast/sentinel/sentinel.conf share/holdfast/users-cluster.acl share/holdfast/users.acl)

anew usr/local/bin usr/local/lib usr/local/share
before=$(tree)
install_it
same "$(cd "$place/root/usr/local" && find . -type f | sed 's#^\./##' | LC_ALL=C sort)" "$expected_files" 'what is installed is announced'
uninstall_it
same "$(tree)" "$before" 'on a machine with empty bin, lib and share, nothing is left and nothing of it is gone'

anew usr/local/bin usr/local/lib/redis/modules usr/local/share/holdfast
before=$(tree)
install_it
uninstall_it
same "$(tree)" "$before" 'folders that were there before stay, empty as they are'

anew usr/local/bin usr/local/lib/redis/modules usr/local/share
touch "$place/root/usr/local/lib/redis/modules/other.so"
before=$(tree)
install_it
install_it
uninstall_it
same "$(tree)" "$before" 'after two installs, the files of others stay and everything else goes'

anew usr/local/bin usr/local/lib usr/local/share
install_it
touch "$place/root/usr/local/share/holdfast/mine.conf"
uninstall_it
same "$(cd "$place/root" && find . -type f)" './usr/local/share/holdfast/mine.conf' 'what somebody put into our folder stays'

anew
uninstall_it
same "$(tree)" . 'uninstalling what is not there does nothing'

anew
install_it /opt/holdfast
uninstall_it /opt/holdfast
same "$(tree)" "$(printf '%s\n' . ./opt ./opt/holdfast ./opt/holdfast/bin ./opt/holdfast/lib ./opt/holdfast/share)" 'bin, lib and share belong to everybody and stay'

anew
install_it '/opt/other'
same "$(grep loadmodule "$place/root/opt/other/share/holdfast/redis.conf")" 'loadmodule /opt/other/lib/redis/modules/holdfast.so' \
    'the sample configuration names the module where it is'

# --- What is installed of the module ------------------------------------------------------------------------------------------------------

installed="$place/root/opt/other/lib/redis/modules/holdfast.so"
holds 'the module is installed without debug information' \
    test "$(readelf -SW "$installed" | grep -c '\.debug_info')" -eq 0
holds 'a file beside it has the debug information' test "$(readelf -SW "$installed.debug" | grep -c '\.debug_info')" -eq 1
holds 'the module names that file' grep -q 'holdfast.so.debug' <(readelf -p .gnu_debuglink "$installed")
holds 'both have the same build id' \
    test "$(readelf -n "$installed" | grep 'Build ID')" = "$(readelf -n "$installed.debug" | grep 'Build ID')"
holds 'the installed module is smaller than 1 MB' test "$(stat -c %s "$installed")" -lt 1000000
holds 'the stack is guarded' grep -q '__stack_chk_fail' <(nm -D "$installed")
holds 'calls of the library are checked against the size of what they write to' grep -qE '__[a-z]+_chk' <(nm -D "$installed" | grep -v stack_chk)
holds 'everything is bound at load, and the tables are read-only then' \
    test "$(readelf -dlW "$installed" | grep -cE 'BIND_NOW|GNU_RELRO')" -eq 2
done_testing
