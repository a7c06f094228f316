#!/bin/bash
# The pages of documentation: every link leads somewhere, every page is found from README.md, README.md stays short. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

shopt -s nullglob
pages=(*.md module/*.md module/*/*.md deploy/*.md deploy/*/*.md deploy/*/*/*.md tests/*.md)

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

# The same as paths from the top, with their anchors: module/blob/README.md#blocks.
destinations() {
    local page=$1 target file anchor
    while read -r target; do
        case $target in http://* | https://* | mailto:*) continue ;; esac
        file=${target%%#*} anchor=''
        case $target in *#*) anchor="#${target#*#}" ;; esac
        if [ -z "$file" ]; then
            echo "$page$anchor"
        else
            echo "$(realpath -m --relative-to=. "$(dirname "$page")/$file")$anchor"
        fi
    done < <(targets "$page")
}

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

same "$(dead_links)" '' 'every link leads to a file and to a heading in it'
same "$(pages_found)" "$(printf '%s\n' "${pages[@]}" | sort)" 'every page is found from README.md'
holds 'README.md has at most 300 lines' [ "$(wc -l <README.md)" -le 300 ]
done_testing
