# Copies from another server: this one.
call config set holdfast.copy-from "127.0.0.1:$port"
call container.create fetched
fetch() { call blob.copy fetched "$1" box "$2" from 127.0.0.1 "$port"; }
for blob in small large blocks pages log; do fetch "$blob" "$blob"; done
call blob.put fetched over "was there before"
fetch over small
fetch missing "not there"
call eval "local copy = redis.call('BLOB.COPY', KEYS[1], 'aborted', 'box', 'large', 'FROM', '127.0.0.1', ARGV[1])
           return redis.call('BLOB.ABORTCOPY', KEYS[1], 'aborted', copy[2])" 1 fetched "$port"
until ! call blob.list fetched count 100 include 1 copy | grep -q pending; do sleep 0.1; done
call config set holdfast.copy-from ''
