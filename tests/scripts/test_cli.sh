#!/bin/bash
# deploy/holdfast-cli against real servers: what it shows, names that would do something to a terminal, servers that say no, and that it
# writes nothing unasked. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh
. tests/scripts/server.sh

place=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$place"' EXIT
cli=$PWD/deploy/holdfast-cli

# start ARGUMENT...: a server, its port in $port.
start() {
    REDISCLI_AUTH=secret start_server "$place" "$@" && pids+=("$server")
}

start --loadmodule "$PWD/build/holdfast.so"
ours=$port
on() { "$cli" -p "$ours" "$@" </dev/null 2>&1; }
redis() { redis-cli -p "$ours" "$@" >/dev/null; }

# terminal ANSWER COMMAND...: runs it on a terminal of 80 columns, where somebody types the answer as soon as there is a question, after
# having run $meanwhile.
terminal() {
    MEANWHILE=${meanwhile:-} python3 - "$@" <<'PY'
import fcntl, os, pty, struct, subprocess, sys, termios
answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
output = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    output += part
    if b"[y/N]" in part:
        if os.environ["MEANWHILE"]:
            subprocess.run(os.environ["MEANWHILE"], shell=True, check=True, stdout=subprocess.DEVNULL)
        os.write(terminal, answer.encode() + b"\n")
sys.stdout.buffer.write(output)
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status))
PY
}

# --- What it shows ------------------------------------------------------------------------------------------------------------------------

redis CONTAINER.CREATE docs
redis BLOB.PUT docs plan.txt 'ship on Friday' PROPS 1 content-type text/plain META 1 status draft
redis LEASE.ACQUIRE docs 60 BLOB plan.txt OWNER anna
redis QUEUE.CREATE jobs MAXDELIVERIES 1
redis QUEUE.PUTMANY jobs 3 one two three
redis QUEUE.GET jobs VISIBILITY 1
redis SHARE.CREATE work
session=$(redis-cli -p "$ours" SHARE.CONNECT work 600 OWNER 'shop-1:4711')
redis FILE.OPEN work "$session" report ACCESS 1 WRITE SHARE 1 READ DISPOSITION OPENIF
redis FILE.CREATE work ledger 0
redis LEASE.ACQUIRE work -1 FILE ledger OWNER bert
redis TABLE.CREATE stock
redis TABLE.INSERT stock eu lamp PROPS 2 count:int64 9223372036854775807 price:double 9.5
sleep 1.1

same "$(on ls | awk '{ print $1, $2 }')" "$(printf '%s\n' 'key kind' 'docs container' 'jobs queue' 'stock table' 'work share')" 'ls shows the keys'
holds 'ls shows what is in a container' grep -qE '^plan.txt +block +14 B .* leased$' <(on ls docs)
holds 'in a table' grep -qE '^eu +lamp +2 +.*count:int64=9223372036854775807' <(on ls stock)
holds 'in a share' grep -qE '^report +0 B' <(on ls work)
holds 'in a queue' grep -qE ' two$' <(on ls jobs)
same "$(on ls 'do*' | awk '{ print $1 }')" $'key\ndocs' 'ls takes a pattern'
same "$(on cat docs plan.txt)" 'ship on Friday' 'cat shows a blob'
holds 'cat shows an entity' grep -qx 'count:int64 9223372036854775807' <(on cat stock eu lamp)
holds 'leases tells whose' grep -qE '^docs +plan.txt +anna +leased +[0-9]+ s +0$' <(on leases)
holds 'also those of files' grep -qE '^work +ledger +bert +leased +without end +0$' <(on leases)
holds 'who-holds tells whose' grep -q ' anna ' <(on who-holds docs plan.txt)
holds 'also that of a file' grep -q ' bert ' <(on who-holds work ledger)
holds 'and no other' test -z "$(on who-holds work report | grep bert)"
holds 'who-holds tells who has a file open' grep -qE '^ +[0-9]+ +report +shop-1:4711 +write +read ' <(on who-holds work)
holds 'sessions tells who is there' grep -qE 'shop-1:4711 +1 +report' <(on sessions work)
holds 'queues tells the depth' grep -qE '^jobs +2 +0 .* 1$' <(on queues)
id=$(on dead jobs | awk 'NR == 2 { print $1 }')
holds 'dead shows dead letters' grep -qE "^$id +1 .* one$" <(on dead jobs)
same "$(on cat jobs "$id")" one 'cat shows a dead letter'
(for _ in {1..40}; do redis BLOB.PUT docs plan.txt x; sleep 0.05; done) &
holds 'top shows refusals as they happen' grep -qE '^ +[1-9][0-9.]*/s +LeaseIdMissing' <(on top --once)
wait $!
holds 'top shows what is held' grep -qE '^  docs plan.txt +anna ' <(on top --once)

section=$(sed -n '/^## holdfast-cli/,/^## TLS/p' deploy/README.md)
same "$(for command in $("$cli" --help | sed -nE 's/^  ([a-z-]+)( [A-Z[].*)? {2,}.*/\1/p' | sort -u); do grep -qE "\`$command[ \`]" <<<"$section" || echo "$command"; done)" '' 'the page tells of every command'
same "$(grep -E '^.{81,}' <<<"$(sed -n '/^```text/,/^```$/{/^```/d;p}' <<<"$section")")" '' 'and shows them on a terminal of 80 columns'

# --- Writing --------------------------------------------------------------------------------------------------------------------------------

holds 'without somebody to ask nothing is put back' grep -q 'Nobody is there to ask' <(on redrive jobs)
same "$(redis-cli -p "$ours" --raw QUEUE.STAT jobs | sed -n '/dead/{n;p}')" 1 'and it was not'
terminal n "$cli" -p "$ours" redrive jobs >/dev/null
same "$(redis-cli -p "$ours" --raw QUEUE.STAT jobs | sed -n '/dead/{n;p}')" 1 'nor when the answer is no'
holds 'when it is yes they are' grep -q '1 put back' <(terminal y "$cli" -p "$ours" redrive jobs "$id")
redis BLOB.PUT docs notes old PROPS 1 content-type text/plain META 1 status draft
echo new >"$place/new"
holds 'put asks' grep -q "Replace the content of 'notes' (3 B" <(on put docs notes "$place/new")
same "$(on cat docs notes)" old 'and writes nothing unasked'
on put docs notes "$place/new" --yes >/dev/null
same "$(on cat docs notes)" new 'with --yes it writes'
same "$(redis-cli -p "$ours" BLOB.STAT docs notes | grep -A 1 -xE 'content-type|status' | grep -v '^--')" \
    "$(printf '%s\n' content-type text/plain status draft)" 'and keeps properties and metadata'
holds 'what changed while it asked is not overwritten' \
    grep -q 'PRECONDITION ConditionNotMet' <(meanwhile="redis-cli -p $ours BLOB.PUT docs notes theirs" terminal y "$cli" -p "$ours" put docs notes "$place/new")
same "$(on cat docs notes)" theirs 'and theirs is there'
holds 'a lease is respected' grep -q 'LeaseIdMissing' <(on put docs plan.txt "$place/new" --yes)

# --- Names that would do something to a terminal --------------------------------------------------------------------------------------------

redis-cli -p "$ours" DEL docs jobs work stock >/dev/null
python3 - "$ours" <<'PY'
import socket, sys
server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
stream = server.makefile("rb")

def send(*words):
    words = [word if isinstance(word, bytes) else word.encode() for word in words]
    server.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    line = stream.readline()
    if line[:1] == b"$":
        return stream.read(int(line[1:]) + 2)[:-2]
    if line[:1] == b"-":
        raise SystemExit(line.decode())
    return line

evil = [b"\x1b[2J\x1b]0;owned\x07", b"a\nb\rc\x00d", "\u202erightleft\u009b31m\u200b".encode(), b"\xff\xfe\x80", "漢字".encode() * 60,
        b"n" * 1000, b"\x7f\x08\x08", "e\u0301".encode() * 100]
for key in evil:
    send("CONTAINER.CREATE", b"c:" + key)
    for name in evil:
        send("BLOB.PUT", b"c:" + key, name, name)
    send("BLOB.PUT", b"c:" + key, b"held", b"x")
send("CONTAINER.CREATE", "evil")
for name in evil:
    send("BLOB.PUT", "evil", name, name)
server.sendall(b"*7\r\n$13\r\nLEASE.ACQUIRE\r\n$4\r\nevil\r\n$2\r\n60\r\n$4\r\nBLOB\r\n$4\r\nheld\r\n$5\r\nOWNER\r\n$1\r\nx\r\n")
stream.readline()
send("BLOB.PUT", "evil", "held", "x")
for name in evil[:4]:
    words = [b"LEASE.ACQUIRE", b"evil", b"60", b"BLOB", name, b"OWNER", name]
    server.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    for _ in range(5):
        stream.readline()
send("QUEUE.CREATE", b"q\x1b[2J")
send("QUEUE.CREATE", "evilq", "MAXDELIVERIES", "1")
PY
redis QUEUE.PUT evilq $'\e[2Jpoison\r\n\x9b31m'
taken=$(redis-cli -p "$ours" QUEUE.GET evilq)
redis QUEUE.RELEASE evilq "$(sed -n 2p <<<"$taken")" "$(sed -n 4p <<<"$taken")" REASON $'why\e[31m\n\x07'
redis QUEUE.PUT evilq $'\e[2Jwaits'
redis TABLE.CREATE evilt
redis TABLE.INSERT evilt eu lamp PROPS 2 name $'red\e[31m\x07' blob:binary $'\x1b\xff'
redis SHARE.CREATE evils
session=$(redis-cli -p "$ours" SHARE.CONNECT evils 600 OWNER $'\e]0;x\x07')
redis FILE.OPEN evils "$session" report ACCESS 1 WRITE SHARE 1 READ DISPOSITION OPENIF

# harmless OUTPUT none|colours|wide: what came to the terminal is text and ends of lines, or colours, too. No line is wider than 80 columns,
# but of an error, which is told whole.
harmless() {
    python3 - "$1" "$2" <<'PY'
import re, sys, unicodedata
output = open(sys.argv[1], "rb").read().decode("utf-8", "strict")
if sys.argv[2] == "colours":
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
for line in output.replace("\r\n", "\n").split("\n"):
    width = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    if not line.isprintable() or (width > 80 and sys.argv[2] != "wide"):
        sys.exit(f"# {width}: {line!r}")
PY
}

for words in ls 'ls evil' 'ls evilq' 'ls evilt' 'ls evils' leases 'leases evil' 'who-holds evil' 'who-holds evils' 'sessions evils' queues \
    'dead evilq' 'cat evilt eu lamp' 'top --once'; do
    # shellcheck disable=SC2086 # several words
    NO_COLOR='' terminal '' "$cli" -p "$ours" $words >"$place/coloured"
    if [ -s "$place/coloured" ] && harmless "$place/coloured" colours; then
        told ok "hostile names do nothing: $words"
    else
        told 'not ok' "hostile names do nothing: $words"
    fi
done
NO_COLOR=1 terminal '' "$cli" -p "$ours" cat evil $'\e[2J\e]0;owned\x07' >"$place/plain"
holds 'nor does a content' harmless "$place/plain" none
same "$(od -An -tx1 <("$cli" -p "$ours" cat evil $'\xff\xfe\x80'))" ' ff fe 80' 'and a pipe gets the bytes'
holds 'a name that is not there is shown without harm' harmless <(NO_COLOR=1 terminal '' "$cli" -p "$ours" cat evil $'\e[2Jgone') wide
colours=$(NO_COLOR='' terminal '' "$cli" -p "$ours" leases | grep -c $'\e\\[' || true)
holds 'a terminal gets colours' test "$colours" -gt 0
holds 'a pipe does not' test "$(on leases | grep -c $'\e')" -eq 0

# --- Servers that say no ----------------------------------------------------------------------------------------------------------------

"$cli" --help >"$place/help"
holds 'the help fits a terminal' test "$(awk 'length > 80' "$place/help" | wc -l)" -eq 0
"$cli" >/dev/null 2>&1
same $? 2 'no command is a fault of use'
"$cli" -p 1 ls >"$place/none" 2>&1
same "$?: $(<"$place/none")" '1: holdfast-cli: no server at 127.0.0.1:1: Connection refused' 'no server is told of in one line'
start --loadmodule "$PWD/build/holdfast.so" --requirepass secret
holds 'a password is asked for' grep -q 'the server wants a password: set REDISCLI_AUTH' <("$cli" -p "$port" ls 2>&1)
holds 'a wrong one is told of' grep -q WRONGPASS <("$cli" -p "$port" -a wrong ls 2>&1)
holds 'the right one is taken from the environment' grep -q 'no key of Holdfast is here' <(REDISCLI_AUTH=secret "$cli" -p "$port" ls)
REDISCLI_AUTH=secret redis-cli -p "$port" ACL SETUSER reader on '>pass' '~*' +@all -hello >/dev/null
REDISCLI_AUTH=secret redis-cli -p "$port" CONTAINER.CREATE docs >/dev/null
holds 'a user without HELLO gets RESP2 and the same' grep -qE '^docs +container +0 blobs' <("$cli" -p "$port" --user reader -a pass ls)
start
holds 'a server without the module is told of' grep -q 'is the module loaded' <("$cli" -p "$port" dead q 2>&1; "$cli" -p "$port" top --once 2>&1)
cluster=()
for _ in 1 2; do
    start --loadmodule "$PWD/build/holdfast.so" --cluster-enabled yes
    cluster+=("$port")
done
redis-cli -p "${cluster[0]}" CLUSTER ADDSLOTSRANGE 0 8191 >/dev/null
redis-cli -p "${cluster[1]}" CLUSTER ADDSLOTSRANGE 8192 16383 >/dev/null
redis-cli -p "${cluster[0]}" CLUSTER MEET 127.0.0.1 "${cluster[1]}" >/dev/null
for _ in {1..200}; do
    if redis-cli -p "${cluster[0]}" CLUSTER INFO | grep -q 'cluster_state:ok'; then break; fi
    sleep 0.05
done
# 'foo' is in slot 12182.
holds 'in a cluster it names the server that has the key' grep -qx "  holdfast-cli -h 127.0.0.1 -p ${cluster[1]} ..." \
    <("$cli" -p "${cluster[0]}" ls foo 2>&1)
done_testing
