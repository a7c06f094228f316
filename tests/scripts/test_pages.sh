#!/bin/bash
# The pages of documentation: every link leads somewhere, every page is found from README.md, README.md stays short. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

shopt -s nullglob
pages=(*.md module/*.md module/*/*.md deploy/*.md deploy/*/*.md deploy/*/*/*.md tests/*.md tests/*/*.md)

# Prints what a page has outside of its blocks of code and its `code`.
prose() {
    awk '/^ *```/ { inside = !inside; next } !inside { gsub(/`[^`]*`/, "`"); print }' "$1"
}

# Prints the anchors of a page: its headings in lower case, without punctuation, with hyphens for spaces.
anchors() {
    awk '/^ *```/ { inside = !inside; next }
         !inside && /^#+ / {
             sub(/^#+ +/, ""); $0 = tolower($0)
             gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-")
             print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "")
         }' "$1"
}

# Prints where the links of a page lead, one target on each line. A link may begin on one line and end on the next.
targets() {
    prose "$1" | tr '\n' ' ' | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'
}

# The same as paths from the top, with their anchors: module/blob/README.md#blocks. One call of realpath for each page is enough.
destinations_of() {
    local page=$1 folder
    folder=$(dirname "$page")
    targets "$page" | grep -vE '^(https?|mailto):' | sed "s|^#|$(basename "$page")#|" >"$scratch/targets"
    sed 's|#.*||' "$scratch/targets" | sed "s|^|$folder/|" | xargs -r realpath -m --relative-to=. >"$scratch/files"
    sed -E 's|^[^#]*||' "$scratch/targets" | paste -d '' "$scratch/files" -
}

destinations() { cat "$scratch/of/$1"; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for page in "${pages[@]}"; do
    mkdir -p "$scratch/of/$(dirname "$page")"
    destinations_of "$page" >"$scratch/of/$page"
done

dead_links() {
    local page destination file
    for page in "${pages[@]}"; do
        while read -r destination; do
            file=${destination%%#*}
            if [ ! -e "$file" ]; then
                echo "$page: no file $file"
            elif [ "$file" != "$destination" ] && ! grep -qxF -- "${destination#*#}" <(anchors "$file"); then
                echo "$page: no heading $destination"
            fi
        done < <(destinations "$page")
    done
}

# Prints the pages that can be reached from README.md.
pages_found() {
    local found=(README.md) next=0 destination
    while [ "$next" -lt ${#found[@]} ]; do
        while read -r destination; do
            destination=${destination%%#*}
            case $destination in *.md) ;; *) continue ;; esac
            case " ${found[*]} " in *" $destination "*) ;; *) found+=("$destination") ;; esac
        done < <(destinations "${found[next]}")
        next=$((next + 1))
    done
    printf '%s\n' "${found[@]}" | sort
}

# Prints the destinations that are at most so many clicks away from README.md.
within_clicks() {
    local clicks=$1 pages_here=README.md seen='' destinations_here page
    while [ "$clicks" -gt 0 ]; do
        destinations_here=$(for page in $pages_here; do destinations "$page"; done | sort -u)
        echo "$destinations_here"
        seen+=" $pages_here"
        pages_here=$(sed 's/#.*//' <<<"$destinations_here" | grep '\.md$' | sort -u | grep -vxF -f <(tr ' ' '\n' <<<"$seen"))
        clicks=$((clicks - 1))
    done
}

# What stands below a heading of a page, up to the next one: below FILE#ANCHOR
below() {
    awk -v wanted="${1#*#}" '
        /^ *```/ { inside = !inside }
        !inside && /^#+ / {
            name = $0
            sub(/^#+ +/, "", name); name = tolower(name)
            gsub(/[^a-z0-9_ -]/, "", name); gsub(/ /, "-", name)
            printing = name == wanted
        }
        printing' "${1%%#*}"
}

# What newcomers ask, where it is answered, and a word of the answer.
questions() {
    echo 'how do I delay a job|module/queue/README.md#queueput|VISIBILITY
who holds it|module/lease/README.md#leaseget|owner
the shortest lease|deploy/README.md#configuration|holdfast.lease-min-seconds
how do I install it|deploy/README.md#loading|loadmodule
dead letters|module/queue/README.md#dead-letters|QUEUE.REDRIVE
what to grant|deploy/README.md#access|users.acl
does it work in a cluster|deploy/README.md#redis-cluster|slot
does my Azure SDK talk to it|deploy/MIGRATING.md#the-azure-sdk|not an HTTP server
which client versions|README.md#clients|redis-py 8
how do I come from Redlock|deploy/MIGRATING.md#redlock|LEASE.ACQUIRE'
}

unanswered() {
    local near question place word
    near=$(within_clicks 3)
    while IFS='|' read -r question place word; do
        grep -qxF -- "$place" <<<"$near" || echo "$question: $place is more than three clicks away"
        grep -qF -- "$word" <<<"$(below "$place")" || echo "$question: $place does not tell of $word"
    done < <(questions)
}

# Commands have a heading each on the pages of the families.
missing_on_cheatsheet() {
    grep -hoE '^### [A-Z]+\.[A-Z]+$' module/*/README.md | sed 's/^### //' | grep -vx HOLDFAST.APPLY | while read -r command; do
        grep -qE "\`$command[ \`]" deploy/CHEATSHEET.md || echo "$command"
    done
}

# Names of commands that no family has a heading for.
unknown_commands() {
    grep -oE '\b(BLOB|CONTAINER|LEASE|QUEUE|TABLE|SHARE|FILE|HOLDFAST)\.[A-Z]+\b' "${pages[@]}" | sort -u | while IFS=: read -r page command; do
        grep -qxF "### $command" module/*/README.md || echo "$page: $command"
    done
}

# In the code an event is a string; on the page it is the only code of its form.
events='(container|blob|lease|queue|table|share|file)\.[a-z]+'
events_sent() { grep -rhoE --include='*.[ch]' "\"$events\"" module | tr -d '"' | sort -u; }
events_told() { below module/server/README.md#notifications | grep -oE "\`$events\`" | tr -d '`' | sort -u; }

same "$(dead_links)" '' 'every link leads to a file and to a heading in it'
same "$(pages_found)" "$(printf '%s\n' "${pages[@]}" | sort)" 'every page is found from README.md'
holds 'README.md has at most 300 lines' [ "$(wc -l <README.md)" -le 300 ]
same "$(unanswered)" '' 'what newcomers ask is answered within three clicks'
same "$(missing_on_cheatsheet)" '' 'the cheatsheet has every command'
same "$(unknown_commands)" '' 'every command that a page names is there'
same "$(events_told)" "$(events_sent)" 'the page of notifications has every event'
done_testing
