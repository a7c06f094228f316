# The clients that are there, for the scripts that try them: recipes.sh and clients.sh, which read this with '.' at the top of the tree.
#
# CLIENTS names a folder that deploy/dev/clients.sh filled; without one the distribution's clients alone are taken.
#
#   start_server FOLDER            a server of one's own with the module, its port in $port; all of them end with the script
#   clients_of_LANGUAGE            prints 'client|settings' for each client of a language, VARIABLE=value …
#   programs_of_LANGUAGE           prints the names of the programs that try the recipes
#   run_LANGUAGE PROGRAM           runs one of them, with the settings in its environment
recipes=$PWD/deploy/recipes
module=$PWD/build/holdfast.so
server_program=${HOLDFAST_SERVER:-redis-server}
clients=${CLIENTS:+$(realpath -m "$CLIENTS")}
CC=${CC:-gcc}
place=$(mktemp -d)
trap 'stop_servers; rm -rf "$place"' EXIT

# Debian's clients belong to Debian's Python, whatever else is in the PATH.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

stop_servers() {
    local file
    for file in "$place"/*/pid; do
        [ ! -s "$file" ] || kill "$(<"$file")" 2>/dev/null
    done
}

# Starts a server for one client and leaves its port in $port.
start_server() {
    local folder=$1
    mkdir -p "$folder"
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 20000))
        "$server_program" --port "$port" --bind 127.0.0.1 --save '' --dir "$folder" --loadmodule "$module" >"$folder/server.log" 2>&1 &
        echo $! >"$folder/pid"
        for _ in {1..100}; do
            if redis-cli -p "$port" INFO server 2>/dev/null | tr -d '\r' | grep -qx "process_id:$(<"$folder/pid")"; then return 0; fi
            kill -0 "$(<"$folder/pid")" 2>/dev/null || break
            sleep 0.05
        done
    done
    return 1
}

version_from_list() {
    awk -v language="$1" -v name="$2" '$1 == language && $2 == name { print $3 }' "$clients/list" 2>/dev/null
}

# --- What each language has: 'client|what is set for it', and how one of its programs is run --------------------------------------------

clients_of_python() {
    local version
    version=$("$python" -c 'import redis; print(redis.__version__)' 2>/dev/null)
    if [ -n "$version" ]; then
        echo "redis-py $version, RESP2|"
        echo "redis-py $version, RESP2, decoding|DECODE=yes"
    fi
    version=$(version_from_list python redis-py)
    [ -n "$version" ] || return 0
    echo "redis-py $version, RESP2|PYTHONPATH=$clients/redis-py RESP=2"
    echo "redis-py $version, RESP3|PYTHONPATH=$clients/redis-py RESP=3"
    echo "redis-py $version, RESP3, decoding|PYTHONPATH=$clients/redis-py RESP=3 DECODE=yes"
}

run_python() { PYTHONDONTWRITEBYTECODE=1 "$python" "$recipes/python/try_$1.py"; }
programs_of_python() { (cd "$recipes/python" && printf '%s\n' try_*.py | sed 's/^try_//; s/\.py$//'); }

# One program has all of them here, too: it is compiled when its clients are asked for.
compile_c() {
    # shellcheck disable=SC2086 # several words
    "$CC" -std=gnu11 -O1 -Wall -Wextra -Wconversion -Werror $2 -o "$place/$1" "$recipes"/c/*.c $3 -lpthread >"$place/$1.log" 2>&1
}

clients_of_c() {
    local version include=$clients/hiredis/include
    version=$(printf '%s\n' '#include <hiredis/hiredis.h>' HIREDIS_MAJOR.HIREDIS_MINOR.HIREDIS_PATCH | "$CC" -E -P -x c - 2>/dev/null | tail -n 1 | tr -d ' ')
    case $version in
    *HIREDIS* | '') ;;
    *) if compile_c try-own '' -lhiredis; then echo "hiredis $version, RESP2|TRY=$place/try-own"; else not_compiled try-own; fi ;;
    esac
    version=$(version_from_list c hiredis)
    [ -n "$version" ] || return 0
    if compile_c try-newest "-isystem $include" "$clients/hiredis/libhiredis.a"; then
        printf '%s\n' "hiredis $version, RESP2|TRY=$place/try-newest RESP=2" "hiredis $version, RESP3|TRY=$place/try-newest RESP=3"
    else
        not_compiled try-newest
    fi
}

not_compiled() {
    echo "the recipes do not compile|TRY=false"
    sed 's/^/#   /' "$place/$1.log" | head -n 20 >&2
}

run_c() { "$TRY" "$1"; }
programs_of_c() { sed -nE 's/.*\{"([a-z_]+)", try_.*/\1/p; ' "$recipes/c/try.c"; }

clients_of_node() {
    local name version
    for name in redis redis5 redis4 ioredis glide; do
        version=$(version_from_list node "$name")
        [ -n "$version" ] || continue
        case $name in
        redis4 | ioredis) echo "${name%4} $version|CLIENT=$name" ;;
        *) printf '%s\n' "${name%5} $version, RESP2|CLIENT=$name RESP=2" "${name%5} $version, RESP3|CLIENT=$name RESP=3" ;;
        esac
    done
}

run_node() { CLIENTS=$clients/node node "$recipes/node/try-$1.mjs"; }
programs_of_node() { (cd "$recipes/node" && printf '%s\n' try-*.mjs | sed 's/^try-//; s/\.mjs$//'); }

# One program has all of them: it is compiled when its clients are asked for.
clients_of_go() {
    local version
    version=$(version_from_list go go-redis)
    [ -n "$version" ] || return 0
    if (cd "$recipes/go" && GOPATH=$clients/go GO111MODULE=off go test -c -vet=off -o "$place/recipes.test" .) >"$place/go.log" 2>&1; then
        printf '%s\n' "go-redis $version, RESP2|RESP=2" "go-redis $version, RESP3|RESP=3"
    else
        echo "go-redis $version does not compile|"
        sed 's/^/#   /' "$place/go.log"
    fi
}

run_go() { "$place/recipes.test" -test.run "^$1\$" -test.v | grep -v '^=== '; }
programs_of_go() { sed -nE 's/^func (Test[A-Za-z]+)\(.*/\1/p' "$recipes/go/recipes_test.go"; }


# Jedis is in no package: the recipes go through a client of the tests' own, and only what adapts them to Jedis is not run.
clients_of_java() {
    local version
    command -v javac >/dev/null || return 0
    version=$(javac -version 2>&1 | sed -E 's/[^0-9]*([0-9]+).*/\1/')
    # shellcheck disable=SC2046 # several files
    if (cd "$recipes/java" && javac -Xlint:all -Werror -d "$place/java" $(printf '%s\n' *.java | grep -v '^Of')) >"$place/java.log" 2>&1; then
        printf '%s\n' "Java $version, RESP2|RESP=2" "Java $version, RESP3|RESP=3"
    else
        echo 'the recipes do not compile|'
        sed 's/^/#   /' "$place/java.log" | head -n 20 >&2
    fi
}

run_java() { java -cp "$place/java" Try "$1"; }
programs_of_java() { sed -nE 's/.*case "([a-z_]+)" -> try.*/\1/p' "$recipes/java/Try.java"; }

# Neither is StackExchange.Redis, nor .NET: Mono runs the recipes, with a client of the tests' own.
clients_of_csharp() {
    local version
    command -v mcs >/dev/null && command -v mono >/dev/null || return 0
    version=$(mono --version | sed -nE '1s/.*version ([0-9]+).*/\1/p')
    # shellcheck disable=SC2046 # several files
    if mcs -warnaserror -out:"$place/try.exe" $(printf '%s\n' "$recipes"/csharp/*.cs | grep -v '/Of') >"$place/csharp.log" 2>&1; then
        printf '%s\n' "Mono $version, RESP2|RESP=2" "Mono $version, RESP3|RESP=3"
    else
        echo 'the recipes do not compile|'
        sed 's/^/#   /' "$place/csharp.log" | head -n 20 >&2
    fi
}

run_csharp() { mono "$place/try.exe" "$1"; }
programs_of_csharp() { sed -nE 's/.*case "([a-z_]+)": Try.*/\1/p' "$recipes/csharp/Try.cs"; }

# --- Clients that have no recipes of their own language, and are only probed ----------------------------------------------------------------

clients_of_php() {
    local version
    version=$(php -r 'echo phpversion("redis");' 2>/dev/null)
    [ -z "$version" ] || echo "phpredis $version|"
}

clients_of_ruby() {
    local version
    version=$(ruby -e 'require "redis"; print Redis::VERSION' 2>/dev/null)
    [ -z "$version" ] || echo "redis-rb $version|"
}

clients_of_perl() {
    local version
    version=$(perl -MRedis -e 'print $Redis::VERSION' 2>/dev/null)
    [ -z "$version" ] || echo "Perl Redis $version|"
}
