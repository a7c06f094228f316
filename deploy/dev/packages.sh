#!/bin/bash
# Makes sure that this machine has what a task needs, and nothing more.
#
#   packages.sh [--check] TASK...      TASK: build, fetch, run, test, servers, recipes, clients, monitoring, deb, deb-test, fuzz, bench,
#                                           bench-instructions, format or lint
#
# What is there already is recognised by the command, header or library itself, wherever it came from, so a machine with everything
# is left alone and needs no network. Only what is missing is installed, from the distribution's own packages. With --check nothing is
# installed: what is missing is named, and the exit status says so.
set -euo pipefail

CC=${CC:-gcc}
CLANG=${CLANG:-}

# What each task needs: kind:what:package. The package names are those of Debian and its descendants.
needs() {
    case $1 in
    build) echo "command:$CC:gcc
                 header:stdio.h:libc6-dev
                 header:md5.h:libmd-dev
                 header:openssl/ssl.h:libssl-dev" ;;
    fetch) echo "command:xz:xz-utils
                 certificates::ca-certificates" ;;
    run)   echo "command:${HOLDFAST_SERVER:-redis-server}:redis-server
                 command:redis-cli:redis-tools" ;;
    test)  echo "command:${HOLDFAST_SERVER:-redis-server}:redis-server
                 header:hiredis/hiredis.h:libhiredis-dev
                 header:cmocka.h:libcmocka-dev
                 python:redis:python3-redis" ;;
    recipes) echo "command:make:make
                 command:xz:xz-utils
                 command:go:golang-go" ;;
    clients) echo "php:redis:php-redis
                 command:php:php-cli
                 ruby:redis:ruby-redis
                 perl:Redis:libredis-perl" ;;
    monitoring) echo "command:prometheus:prometheus
                 command:prometheus-redis-exporter:prometheus-redis-exporter
                 command:python3:python3" ;;
    deb) echo "command:dpkg-shlibdeps:dpkg-dev
                 command:objcopy:binutils" ;;
    deb-test) echo "command:lintian:lintian
                 command:debootstrap:debootstrap" ;;
    servers) echo "command:make:make
                 command:xz:xz-utils
                 command:flock:util-linux" ;;
    fuzz)  echo "clang::clang-14
                 fuzzer::libclang-rt-14-dev" ;;
    bench) echo "command:${HOLDFAST_SERVER:-redis-server}:redis-server
                 header:hiredis/hiredis.h:libhiredis-dev" ;;
    bench-instructions) echo "command:${HOLDFAST_SERVER:-redis-server}:redis-server
                 command:valgrind:valgrind
                 header:valgrind/callgrind.h:valgrind
                 header:hiredis/hiredis.h:libhiredis-dev" ;;
    format) echo "command:clang-format:clang-format" ;;
    lint)  echo "command:clang-format:clang-format
                 command:clang-tidy:clang-tidy
                 command:cppcheck:cppcheck
                 header:hiredis/hiredis.h:libhiredis-dev
                 header:valgrind/callgrind.h:valgrind
                 header:cmocka.h:libcmocka-dev" ;;
    *) echo "packages.sh: no task is called '$1'" >&2; exit 2 ;;
    esac
}

clang_command() {
    local candidate
    for candidate in $CLANG clang clang-14; do
        if command -v "$candidate" >/dev/null; then echo "$candidate"; return 0; fi
    done
    return 1
}

# Some distributions ship clang without its run-time libraries.
fuzzer_library_is_there() {
    local clang folder
    clang=$(clang_command) || return 1
    folder=$("$clang" -print-resource-dir)/lib
    compgen -G "$folder/*/libclang_rt.fuzzer*.a" >/dev/null
}

# The machine's own package list may name https addresses; then apt could not have worked without certificates.
certificates_are_there() {
    [ -e /etc/ssl/certs/ca-certificates.crt ] || ! grep -qsE '^[^#]*https:' /etc/apt/sources.list /etc/apt/sources.list.d/*
}

# cmocka.h compiles only after other headers, so the preprocessor is asked, not the compiler.
header_is_there() {
    command -v "$CC" >/dev/null || return 1
    printf '#include <%s>\n' "$1" | "$CC" ${CPPFLAGS:-} ${CFLAGS:-} -E -x c - >/dev/null 2>&1
}

# Debian's modules are for Debian's Python, whatever else is called python3.
python_module_is_there() {
    local python=python3
    [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
    "$python" -c "import $1" 2>/dev/null
}

is_there() {
    case $1 in
    command) command -v "$2" >/dev/null ;;
    header) header_is_there "$2" ;;
    python) python_module_is_there "$2" ;;
    php) php -r "exit(extension_loaded('$2') ? 0 : 1);" 2>/dev/null ;;
    ruby) ruby -e "require '$2'" 2>/dev/null ;;
    perl) perl -M"$2" -e 1 2>/dev/null ;;
    clang) clang_command >/dev/null ;;
    fuzzer) fuzzer_library_is_there ;;
    certificates) certificates_are_there ;;
    esac
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        echo "Needs root: sudo $*" >&2
        sudo "$@"
    else
        echo "These packages are missing, and neither root nor sudo is at hand to install them. As root:" >&2
        echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
}

# Debian starts a service as soon as its package is installed, and again at every boot. Nobody asked for that here: only the program is
# wanted. A policy that says no is put in place for the time of the installation, unless the machine has a policy of its own.
policy=/usr/sbin/policy-rc.d
services=(redis-server prometheus prometheus-redis-exporter)
install_packages() {
    local package quiet=()
    for package in "$@"; do
        if ! apt-cache show "$package" >/dev/null 2>&1; then
            as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
            break
        fi
    done
    for package in "${services[@]}"; do
        if [[ " $* " == *" $package "* ]] && ! [ -e "$policy" ]; then quiet+=("$package"); fi
    done
    if [ ${#quiet[@]} -gt 0 ]; then
        trap 'as_root rm -f "$policy"' EXIT
        as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
    if [ ${#quiet[@]} -gt 0 ]; then
        as_root rm -f "$policy"
        trap - EXIT
        if [ -d /run/systemd/system ]; then
            as_root systemctl disable --quiet "${quiet[@]}" || true
            echo "The distribution's own services stay off (${quiet[*]}); 'systemctl enable --now' turns them on."
        fi
    fi
}

check_only=''
if [ "${1:-}" = --check ]; then check_only=yes; shift; fi

missing=()
for task in "$@"; do
    while IFS=: read -r kind what package; do
        kind=${kind//[[:space:]]/}
        if ! is_there "$kind" "$what" && [[ " ${missing[*]} " != *" $package "* ]]; then missing+=("$package"); fi
    done < <(needs "$task")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ -n "$check_only" ] || ! command -v apt-get >/dev/null; then
    echo "Missing on this machine; the packages are called on Debian: ${missing[*]}" >&2
    if command -v apt-get >/dev/null; then echo "'make packages' installs what building and running need." >&2; fi
    exit 1
fi
echo "Installing from the distribution's packages: ${missing[*]}"
install_packages "${missing[@]}"
