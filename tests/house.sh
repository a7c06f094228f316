#!/bin/bash
# The rules of the house that a compiler does not check: what lies where, which part may know which, how long things get,
# how comments look. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/.."
# lastpipe: the last part of a pipe runs in this shell, so that rule can count.
shopt -s nullglob lastpipe

CC=${CC:-gcc}
families=(lease blob queue table file)
count=0

# Without one of these, rules would find nothing to tell of.
for tool in "${CC%% *}" awk diff nm perl; do
    command -v "$tool" >/dev/null || { echo "Bail out! there is no $tool"; exit 1; }
done

# Tells of one rule. What breaks it comes on standard input, one line each.
rule() {
    local offences
    offences=$(cat)
    count=$((count + 1))
    if [ -z "$offences" ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        while IFS= read -r line; do echo "#   $line"; done <<<"$offences"
    fi
}

# Prints 'FILE: WHAT' for every #include "WHAT" of the given files whose folder is not among the allowed ones. An include without a
# folder is of the file's own, and ccan is everybody's.
includes_outside() {
    local allowed=$1
    shift
    [ $# -gt 0 ] || return 0
    awk -v allowed=" $allowed ccan " '
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
            name = $0
            sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
            folder = index(name, "/") ? substr(name, 1, index(name, "/") - 1) : "."
            if (folder != "." && !index(allowed, " " folder " ")) print FILENAME ":" FNR ": " name
        }' "$@"
}

# Prints the lines of the given files that include a Redis header.
includes_of_redis() {
    [ $# -gt 0 ] || return 0
    grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](redismodule|hiredis)' "$@"
}

# The rooms of server/ in the order in which they may know each other, as module/README.md lists them.
server_rooms() {
    sed -n '/^### The rooms of server/,/^## /s/^| \*\*`\([a-z]*\)\/`\*\* .*/\1/p' module/README.md
}

# Prints 'FILE: HEADER' for every include of a room that comes later.
includes_of_later_rooms() {
    local room later=
    [ -n "$(server_rooms)" ] || echo 'module/README.md lists no room'
    for room in $(server_rooms | tac); do
        [ -z "$later" ] || grep -nHE "#include \"server/($later)/" module/server/"$room"/*.[ch]
        later="${later:+$later|}$room"
    done
}

# Modules of a folder and those that its list in module/README.md has. Its rooms, if there are any, begin with '**`room/`'.
modules_of() {
    find "module/$1" -name '*.[ch]' | sed "s#^module/$1/##; s/\.[ch]\$//" | sort -u
}

modules_listed() {
    awk -v heading="^### The [a-z]+ of $1/" '
        /^##/ { on = $0 ~ heading; room = "" }
        on && match($0, /^\| \*\*`[a-z]+\/`/) { room = substr($0, 6, RLENGTH - 6); next }
        on && /^\| `/ {
            split($0, cell, "|")
            count = split(cell[2], names, "`")
            for (i = 2; i <= count; i += 2) print room names[i]
        }' module/README.md | sort -u
}

modules_and_list_differ() {
    diff <(modules_of "$1") <(modules_listed "$1") | sed -n 's/^</not listed:/p; s/^>/not there:/p'
}

pure_sources() {
    local folder
    for folder in core change "${families[@]}"; do
        printf '%s\n' "module/$folder"/*.c
    done | grep -v '^$'
}

# Follows the includes all the way down. Headers that are not found by it are only named, so nothing need be fetched for this.
pure_sources_that_know_redis() {
    local source includes
    while read -r source; do
        includes=$($CC -MM -MG -Imodule "$source" 2>&1) || { echo "$source: $CC -MM: ${includes%%$'\n'*}"; continue; }
        tr ' \\' '\n\n' <<<"$includes" | grep -E '(^|/)(redismodule\.h|server/|redis/)' | sed "s#^#$source: #"
    done < <(pure_sources)
}

# A definition starts in the first column and ends with a brace there.
long_functions() {
    awk -v limit=40 '
        FNR == 1 { start = 0 }
        /^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ { start = FNR }
        /^\{[ \t]*$/ && !start { start = FNR }
        /^\}/ && start { if (FNR - start + 1 > limit) print FILENAME ":" start ": " FNR - start + 1 " lines"; start = 0 }' "$@" /dev/null
}

# Identifiers of a family in code, comments left out, that should not know of any. A lease is what several families have.
family_words() {
    perl -0ne '
        s{/\*.*?\*/}{ $& =~ s/[^\n]//gr }gse;
        my $line = 0;
        for my $text (split /\n/) {
            $line++;
            print "$ARGV:$line:$text\n" if $text =~ s{\bcontainer_of\b|ccan/container_of/}{}gr =~
                /\b(?:blob|queue|entity|container|share|file)_|_(?:blob|queue|entity|container)s?\b|\b(?:BLOB|QUEUE|TABLE|FILE|SHARE|CONTAINER)_/;
        }' "$@"
}

# Functions of one name in several files: grep and break find the wrong one.
# A definition starts in the first column.
function_names_shared() {
    awk '
        { gsub(/"[^"]*"/, "") }
        /^static / || /^[a-z].*\(.*[,{]$/ {
            if (sub(/^static LISTENER\(/, "")) sub(/,/, "(")
            if (!match($0, /[A-Za-z_0-9]+\(/)) next
            name = substr($0, RSTART, RLENGTH - 1)
            if (name ~ /^[A-Z_]+$/ || name == "__attribute__") next
            if (name in place && place[name] != FILENAME) print name ": " place[name] ", " FILENAME
            place[name] = FILENAME
        }' "$@" /dev/null
}

# Structs, unions and enums of one tag in several files.
tags_shared() {
    awk '
        match($0, /^(static |const |typedef )*(struct|union|enum) [a-z_0-9]+ \{/) {
            name = substr($0, RSTART, RLENGTH - 2)
            sub(/.* /, "", name)
            if (name in place && place[name] != FILENAME) print name ": " place[name] ", " FILENAME
            place[name] = FILENAME
        }' "$@" /dev/null
}

# Functions that are named as a question but answer with an outcome, which is 0 when there is nothing to refuse.
questions_with_outcomes() {
    local words='may|is|are|has|can|covers|needs|fits|met|legal|allowed|sound|known|matches|permits'
    grep -nHE "\benum outcome \(?\*?([a-z0-9]+_)*($words)(_[a-z0-9]+)*\)?\(" "$@" | grep -vE 'enum outcome [a-z0-9_]*check'
}

# Functions that answer with an outcome, and cannot do anything else: no argument lets them change what it points to. They are
# checks, or choose a refusal, and their names say so.
checks_without_the_word() {
    perl -0ne '
        s{/\*.*?\*/}{ $& =~ s/[^\n]//gr }gse;
        while (/^(?:static |inline )*enum outcome (\w+)\(([^;{]*?)\) \{/gms) {
            my ($name, $arguments) = ($1, $2);
            next if $name =~ /(^|_)(check|refusal)(_|$)/ or grep { /\*/ && !/^\s*const [^*]*\*[^*]*$/ } split /,/, $arguments;
            print "$ARGV:", 1 + (substr($_, 0, $-[0]) =~ tr/\n//), ": $name\n";
        }' "$@"
}

# Names in comments of the module that nothing has: of files, of functions (name()), and words with an underscore. prefix_… is the
# parameter of type_methods.h, le_… a field of INFO, and enter_… made of a row of command_rows.h.
comments_name_nothing() {
    perl -0ne '
        my $file = $ARGV;
        $files{$file =~ s{.*/}{}r} = 1;
        (my $code = $_) =~ s{/\*.*?\*/}{ }gs;
        $known{$1} = 1 while $code =~ /([A-Za-z_]\w*)/g;
        while ($file =~ m{^module/} && m{(/\*.*?\*/)}gs) {
            push @comments, [$file, 1 + (substr($_, 0, $-[0]) =~ tr/\n//), $1];
        }
        END {
            for (@comments) {
                my ($file, $line, $text) = @$_;
                while ($text =~ m{([\w/]+\.[ch])\b}g) { print "$file:$line: $1\n" unless $files{$1 =~ s{.*/}{}r} }
                while ($text =~ m{\b(\w+)\(\)}g) { print "$file:$line: $1()\n" unless $known{$1} }
                while ($text =~ m{\b([a-z]\w*_\w*\w)\b(?!…|\.[ch]\b)}g) {
                    print "$file:$line: $1\n" unless $known{$1} || $1 =~ /^(prefix|le|enter)_/;
                }
            }
        }' "$@"
}

# Modules, a header and its source each, that include each other, directly or through others: one group per line.
cycles() {
    perl -e '
        my (%includes, %number, %low, @stack, %stacked, @cycles, $count);
        for my $file (@ARGV) {
            (my $module = $file) =~ s{^module/|\.[ch]$}{}g;
            $includes{$module} //= {};
            open my $in, "<", $file or die;
            while (<$in>) {
                next unless /^\s*#\s*include\s+"([^"]+)\.h"/;
                my $other = $1;
                $other = "$1$other" if $other !~ m{/} && $module =~ m{(.*/)};
                $includes{$module}{$other} = 1 if $other ne $module;
            }
        }
        sub visit {
            my $module = shift;
            $number{$module} = $low{$module} = ++$count;
            push @stack, $module;
            $stacked{$module} = 1;
            for my $other (grep { $includes{$_} } sort keys %{$includes{$module}}) {
                visit($other) unless $number{$other};
                $low{$module} = $low{$other} if $stacked{$other} && $low{$other} < $low{$module};
            }
            return if $low{$module} < $number{$module};
            my @cycle;
            do { push @cycle, pop @stack; $stacked{$cycle[-1]} = 0 } while $cycle[-1] ne $module;
            push @cycles, join " ", sort @cycle if @cycle > 1;
        }
        for (sort keys %includes) { visit($_) unless $number{$_} }
        print map { "$_\n" } sort @cycles;' "$@"
}

# What comments look like: 'wide' ones have a line of more than 120 characters, 'orphan' ones end in a line of one word.
comments() {
    perl -CSD -0777 -ne '
        BEGIN { $what = shift }
        while (m{^([^\n]*?)(/\*.*?\*/)}gms) {
            my ($before, $comment) = ($1, $2);
            my $line = 1 + (substr($_, 0, $-[0]) =~ tr/\n//);
            my @lines = split /\n/, $before . $comment;
            my ($last) = $lines[-1] =~ m{^\s*\*?\s*(.*?)\s*\*/};
            print "$ARGV:$line\n" if $what eq "wide" && grep { length > 120 } @lines;
            print "$ARGV:$line: $last\n" if $what eq "orphan" && @lines > 1 && $last =~ /^\S+$/;
        }' "$@"
}

# 'HEADER FILE' where a function that HEADER declares is defined in FILE, which has another name. The handlers
# of a family have one header, <family>_commands.h.
defined_elsewhere() {
    perl -0777 -e '
        for my $file (@ARGV) {
            open my $in, "<", $file or die;
            my $text = <$in>;
            $text =~ s{/\*.*?\*/}{}gs;
            my $names = $file =~ /h$/ ? \%declared : \%defined;
            my $end = $file =~ /h$/ ? qr/;/ : qr/\{/;
            while ($text =~ /^(?!static|typedef|#|\s)\w[\w \*]*?\b(\w+)\([^;{]*\)[^;{()]*$end/gm) { $names->{$1} = $file }
        }
        for my $name (keys %declared) {
            my ($header, $file) = ($declared{$name}, $defined{$name});
            next if !$file || $header =~ m{/redis/\w+_commands\.h$} || substr($header, 0, -2) eq substr($file, 0, -2);
            $elsewhere{"$header $file"} = 1;
        }
        print map { "$_\n" } sort keys %elsewhere;' "$@"
}

# Functions that a header declares or defines and whose names do not lead to it: they begin neither with a word of its name nor with
# one of a struct, union or enum that it names. The headers of a family's handlers are about all of the family.
functions_of_no_header() {
    perl -0777 -ne '
        next if $ARGV =~ m{/redis/\w+_commands\.h$|/command_rows\.h$};
        my ($family, $name) = $ARGV =~ m{(\w+)/(?:redis/)?(\w+)\.h$};
        s{/\*.*?\*/}{}gs;
        my @owners = map { split /_/ } $name, /\b(?:struct|union|enum) (\w+)/g;
        push @owners, $family if $ARGV =~ m{/redis/};
        push @owners, map { (s/s$//r, s/ies$/y/r, s/y$/ies/r, "${_}s") } @owners;
        my $owner = join "|", @owners;
        while (/^(?!typedef|#|\s)\w[\w \*]*?\b([a-z]\w*)\([^;{]*\)[^;{()]*[;{]/gm) {
            print "$ARGV: $1\n" unless $1 =~ /^(?:$owner)_/;
        }' "$@" | sort
}

# 'HEADER: N' for each family that has less than four option slots left.
families_short_of_slots() {
    awk '
        FILENAME ~ /args\.h$/ && /^    SLOT_LEASING,/ { first = shared + 8 }
        FILENAME ~ /args\.h$/ && /^    SLOT_/ { shared++ }
        FILENAME ~ /args\.h$/ && /^    SLOTS_MAX = / { max = $3 + 0 }
        / = SLOT_FAMILY,/ && FILENAME !~ /args\.h$/ { used = 0; counting = 1 }
        /^    SLOT_[A-Z]+_END/ && counting { if (max - first - used < 4) print FILENAME ": " max - first - used; counting = 0; families++ }
        /^    SLOT_/ && counting { used++ }
        END { if (!first || !max || families < ARGC - 2) print families + 0 " families have slots that could be counted" }' module/server/grammar/args.h module/*/redis/*_commands.h
}

# Rows of the table of commands whose handler is not named as one, and functions named as handlers that no row names.
handlers_named_otherwise() {
    grep -nE '^DECIDES\(' module/command_rows.h | grep -vE '\([a-z_]+_decide,'
    diff <(grep -ohE '\w+_decide\b' module/command_rows.h module/commands.c | sort -u) \
        <(sed -nE 's/^[a-z].*\b(\w+_decide)\(.*\{$/\1/p' module/*.c module/*/*.c module/*/*/*.c | sort) | sed -n 's/^>/in no row:/p'
}

# Unit tests that have neither the name of a source nor begin with it. That of golden records is about all kinds of changes.
unit_tests_named_otherwise() {
    local test name
    for test in tests/unit/test_*.c; do
        name=${test#tests/unit/test_}
        name=${name%.c}
        while ! grep -qE "^module/(.*/)?$name\.[ch]\$" <<<"$all_paths"; do
            [[ $name == *_* ]] || { echo "$test"; break; }
            name=${name%_*}
        done
    done | grep -vx 'tests/unit/test_golden.c'
}

# The entry itself must be among them.
other_exports() {
    nm -D --defined-only build/holdfast.so 2>&1 | awk '
        $3 == "RedisModule_OnLoad" { found = 1; next }
        { print }
        END { if (!found) print "there is no RedisModule_OnLoad" }'
}

# 'PAGE: NAME' for each file or folder that a page names between backticks and that nobody has under this name, or under a path
# that ends in it. What a run makes is left out: all in build/ and results/, and names with capitals in them.
names_of_nothing() {
    local page name
    for page in "$@"; do
        grep -oE '`[a-z_.][a-z0-9_./-]*(\.(c|h|sh|md|py|txt|yml)|/)`' "$page" | tr -d '`' | sort -u | while read -r name; do
            case $name in build/* | results*) continue ;; esac
            name=${name%/}
            [ -e "$name" ] || [ -e "$(dirname "$page")/$name" ] || grep -qE "(^|/)${name//./\\.}(\$|/)" <<<"$all_paths" || echo "$page: $name"
        done
    done
}

# Calls of the server that the module makes, and those that module/server/base/api.c binds; a call that is not bound ends the server.
calls_made() {
    grep -rhoE 'RedisModule_[A-Za-z0-9]+ *\(' module --include='*.[ch]' | sed 's/RedisModule_//; s/ *(//' |
        grep -vxE 'OnLoad|IsAOFClient' | sort -u
}

calls_bound() {
    sed -n '/#define REQUIRED_CALLS/,/clang-format on/p' module/server/base/api.c | grep -oE 'X\([A-Za-z0-9]+\)' | sed 's/X(//; s/)//' |
        grep -vx X | sort -u
}

mapfile -t sources < <(find module tests -name '*.[ch]' | sort)

{
    diff <(printf '%s\n' LICENSE Makefile README.md deploy module tests) <(LC_ALL=C ls -1 | grep -v '^build$')
} | grep '^[<>]' | sed 's/^</missing:/; s/^>/not expected:/' | rule 'the top level is as announced'

{
    includes_outside core module/core/*.[ch]
    includes_of_redis module/core/*.[ch]
} | rule 'core knows nothing but core'

{
    includes_outside 'core change' module/change/*.[ch]
    includes_of_redis module/change/*.[ch]
} | rule 'the engine of changes knows nothing but core'

includes_outside 'core change server' module/server/*/*.[ch] | rule 'server knows no family'

includes_of_later_rooms | rule 'each room of server/ knows only those that are listed before it'

for folder in core change "${families[@]}"; do
    modules_and_list_differ "$folder" | rule "module/README.md lists every file of $folder/"
done

{
    modules_and_list_differ server
    ls module/server | grep -vxE "README.md|$(server_rooms | paste -sd'|')" | sed 's/^/in no room: /'
} | rule 'module/README.md lists every file of server/'

family_words module/server/*/*.[ch] module/change/*.[ch] | rule 'the code of server and change has no word of a family'

for family in "${families[@]}"; do
    files=(module/"$family"/*.[ch] module/"$family"/redis/*.[ch])
    [ ${#files[@]} -gt 0 ] || continue
    includes_outside "core change server lease $family" "${files[@]}" | rule "$family knows no other family but lease"
done

{
    includes_outside '' tests/models/*.[ch]
    includes_of_redis tests/models/*.[ch]
} | rule 'models of tests know neither the module nor a server'

pure_sources_that_know_redis | rule 'pure sources know nothing of Redis'

for source in "${sources[@]}"; do
    lines=$(wc -l <"$source")
    [ "$lines" -le 600 ] || echo "$source: $lines lines"
done | rule 'no file is longer than 600 lines'

for header in $(find module -name '*.h'); do
    name=$(basename "$header" .h)
    guard=$(grep -m1 '^#ifndef' "$header")
    [[ $guard =~ ^#ifndef\ HOLDFAST_([A-Z]+_)?${name^^}_H$ ]] || echo "$header"
done | grep -vxE 'module/(core/outcome_table|command_rows).h' | rule 'the guard of a header is its name'

long_functions module/*.c module/*/*.c module/*/*/*.c | rule 'no function of the module is longer than 40 lines'

mapfile -t module_files < <(find module -name '*.[ch]' | sort)

# Who breaks a circle takes it off this list.
diff <(cycles "${module_files[@]}") - <<'END' | sed -n 's/^</new:/p; s/^>/no longer there:/p' |
blob/blob blob/snapshots
END
    rule 'no more modules include each other in a circle than those that do'

# memory.h and args.h name what the server side provides to those who do not know it.
diff <(defined_elsewhere "${module_files[@]}") - <<'END' | sed -n 's/^</new:/p; s/^>/no longer there:/p' |
module/core/memory.h module/server/base/memory.c
module/server/grammar/args.h module/server/call/call.c
END
    rule 'what a header declares is defined in the source of its name, or known not to be'

comments wide "${module_files[@]}" | rule 'no comment of the module is wider than 120 columns'

comments orphan "${sources[@]}" | rule 'no comment ends in a line of one word'

comments_name_nothing "${sources[@]}" | rule 'the files and names that comments of the module name are there'

families_short_of_slots | rule 'each family has option slots left'

{
    function_names_shared module/*.c module/*/*.c module/*/*/*.c
    function_names_shared tests/bench/*.c tests/support/*.c
} | rule 'no two files have a function of the same name'

grep -nHE '^[^("]*\bstatic [^("]*[ *][a-z0-9]+\(' $(find module tests/bench tests/support -name '*.c') module/server/storage/type_methods.h |
    rule 'the name of a static function is more than one word'

{
    tags_shared "${module_files[@]}"
    tags_shared tests/bench/*.[ch] tests/support/*.[ch]
} | rule 'no two files have a struct, union or enum of the same tag'

grep -nE '^[a-z].*[ *]call_[a-z_]+\(' $(find module -name '*.h' ! -path '*/server/call/call.h') |
    rule 'a function whose name begins with call_ is in call.h'

# checks.h has a function for each sort of text that a record can hold; number.h also compares sizes.
diff <(functions_of_no_header $(find module -name '*.h')) - <<'END' | sed -n 's/^</new:/p; s/^>/no longer there:/p' |
module/change/checks.h: metadata_is_sound
module/change/checks.h: name_is_sound
module/change/checks.h: policies_are_sound
module/change/checks.h: properties_are_sound
module/core/number.h: size_fits
module/core/number.h: size_max
module/core/number.h: size_min
module/core/relocation.h: relocate
module/server/running/atomic.h: touches_nothing
END
    rule 'the name of a function in a header leads to it, or is known not to'

questions_with_outcomes "${module_files[@]}" | rule 'a function that is named as a question answers yes or no'

checks_without_the_word "${module_files[@]}" | rule 'a function that only checks, and answers with an outcome, is named so'

grep -nE '^void (container|queue|table|share)_(events|changed|wake|info)\(' module/*/redis/*.c | grep -v '/after\.c:' |
    rule "what follows a family's changes, and its part of INFO, is in after.c"

handlers_named_otherwise | rule 'the handler of a command, and nothing else, has a name that ends in _decide'

diff <(calls_made) <(calls_bound) | sed -n 's/^</not bound:/p; s/^>/bound, but never called:/p' | rule 'the calls that are bound are those that are made'

grep -nF '__builtin_prefetch' "${module_files[@]}" | grep -v '^module/core/prefetch.h:' |
    rule 'memory is prefetched by core/prefetch.h alone, which the compiler does not drop'

grep -l 'RedisModule_SubscribeToServerEvent(' module/*.c module/*/*.c module/*/*/*.c | grep -v '^module/server/base/events.c$' |
    rule 'who listens to an event of the server does not displace others'

all_paths=$(find module tests deploy -type f)
names_of_nothing module/README.md tests/README.md |
    rule 'the files and folders that the pages for developers name are there'

unit_tests_named_otherwise | rule 'a unit test has the name of a source, or begins with it'

other_exports | rule 'the module exports nothing but its entry'

echo "1..$count"
