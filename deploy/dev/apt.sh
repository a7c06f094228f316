# A package manager's state of our own, for scripts that read this file: source lists, package lists and a cache in one folder, derived
# from the machine's own lists. The machine's package sources are only read. Only sources are asked for.
#
#   prepare_apt STATE [RELEASE]     writes STATE/apt.conf, for apt-get -c; with another RELEASE in the place of the machine's own
#
# For scripts that take source packages of several releases, with $folder/.apt for what apt keeps and $folder/.tarballs for what comes:
#
#   read_release RELEASE                    reads its lists once; 'own' is the machine's own. The answer is whether there are any
#   tarball_of RELEASE PACKAGE              prints the name of the tarball that the release has of a source package
#   fetch_from_release RELEASE PACKAGE      fetches it; apt checks it against the signed lists. One that is there already is only checked
sources_list=${APT_SOURCES_LIST:-/etc/apt/sources.list}
sources_parts=${APT_SOURCES_PARTS:-/etc/apt/sources.list.d}

# The one-line form: 'deb [options] address suite components'. Where the machine lists binaries, sources are asked for. The option arch=
# goes, as sources have no architecture, and so do discs, which nobody is there to insert.
one_line_sources() {
    awk '/^[ \t]*(deb|deb-src)[ \t]/ && !/cdrom:/ {
        sub(/^[ \t]*(deb|deb-src)[ \t]+/, "deb-src ")
        if (match($0, /^deb-src \[[^]]*\]/)) {
            options = substr($0, 10, RLENGTH - 10); rest = substr($0, RLENGTH + 1)
            gsub(/(^|[ \t])arch[+-]?=[^ \t]*/, "", options)
            $0 = options ~ /[^ \t]/ ? "deb-src [" options "]" rest : "deb-src" rest
        }
        gsub(/[ \t]+/, " ")
        if (!seen[$0]++) print
    }' "$@"
}

# The deb822 form: stanzas of fields. Only the field Types changes, and Architectures goes; disabled stanzas stay disabled.
stanza_sources() {
    awk '/^[ \t]/ { if (!dropping) print; next }
         { dropping = 0 }
         tolower($0) ~ /^types:/ { print "Types: deb-src"; dropping = 1; next }
         tolower($0) ~ /^architectures(-add|-remove)?:/ { dropping = 1; next }
         { print }' "$1"
}

# What the machine's lists may call its own release: by name, or by its place among the releases.
own_releases() {
    local name
    name=$(sed -nE 's/^VERSION_CODENAME="?([^"]*)"?$/\1/p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null || true)
    echo "$name stable oldstable oldoldstable testing unstable sid"
}

# The same lists for another release. What is the machine's release gets the other name; its updates, its security fixes and everything of
# third parties goes, as nobody knows what they are called there.
one_line_sources_of() {
    one_line_sources "$2" | awk -v release="$1" -v own=" $(own_releases) " '{
        suite = 3
        if ($2 ~ /^\[/) for (suite = 2; $suite !~ /\]$/; suite++) continue
        if ($2 ~ /^\[/) suite += 2
        if (index(own, " " $suite " ")) { $suite = release; print }
    }'
}

stanza_sources_of() {
    stanza_sources "$2" | awk -v release="$1" -v own=" $(own_releases) " '
        function tell(  i) { if (is_own) for (i = 1; i <= count; i++) print lines[i]; if (is_own) print ""; count = is_own = 0 }
        /^[ \t]*$/ { tell(); next }
        tolower($0) ~ /^suites:/ {
            for (field = 2; field <= NF; field++) if (index(own, " " $field " ")) is_own = 1
            $0 = "Suites: " release
        }
        { lines[++count] = $0 }
        END { tell() }'
}

# Writes the lists of one form, FILTER FILE, or FILTER_of RELEASE FILE.
derive_sources() {
    local filter=$1 file=$2 release=$3
    [ -f "$file" ] || return 0
    if [ -n "$release" ]; then "${filter}_of" "$release" "$file"; else "$filter" "$file"; fi
}

# One folder with everything that apt would otherwise read or write in the machine's own places. The #clear lines keep other programs'
# hooks from running after an update that is none of the machine's.
prepare_apt() {
    local apt=$1 release=${2:-} file
    rm -rf "$apt/sources"
    mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    for file in "$sources_list" "$sources_parts"/*.list; do
        derive_sources one_line_sources "$file" "$release" >"$apt/sources/$(basename "$file" .list).list"
    done
    for file in "$sources_parts"/*.sources; do
        derive_sources stanza_sources "$file" "$release" >"$apt/sources/$(basename "$file")"
    done
    cat >"$apt/apt.conf" <<CONF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$apt/sources";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Log "$apt";
Acquire::Retries "3";
APT::Sandbox::User "$(id -un)";
CONF
}

declare -A release_is_there=()
read_release() {
    local release=$1 state=$folder/.apt/$1 name=''
    if [ -z "${release_is_there[$release]:-}" ]; then
        [ "$release" = own ] || name=$release
        mkdir -p "$state"
        prepare_apt "$state" "$name"
        release_is_there[$release]=no
        if apt-get -c "$state/apt.conf" update -qq >"$state/update.log" 2>&1; then release_is_there[$release]=yes; fi
        # One list of several that cannot be read need not matter; which one has what is wanted shows later.
        if compgen -G "$state/lists/*Sources*" >/dev/null; then release_is_there[$release]=yes; fi
    fi
    [ "${release_is_there[$release]}" = yes ]
}

tarball_of() {
    apt-get -c "$folder/.apt/$1/apt.conf" source --print-uris -qq --tar-only "$2" 2>/dev/null |
        awk '$2 ~ /\.orig\.tar\./ && !found { print $2; found = 1 }'
}

fetch_from_release() {
    mkdir -p "$folder/.tarballs"
    (cd "$folder/.tarballs" && apt-get -c "$folder/.apt/$1/apt.conf" source -qq --download-only --tar-only "$2")
}
