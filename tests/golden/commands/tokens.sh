# Calls that are remembered by their tokens, and forgotten.
call config set holdfast.once-most 3
call container.create retried
for token in a b c d e; do call blob.put retried "$token" x once "$token"; done
call queue.create retries
call queue.put retries one ttl -1 once put-1
call queue.get retries visibility 604800 once get-1
call table.create retrying
call table.insert retrying p r props 1 name x once insert-1
call share.create retried-files
call file.create retried-files a 10 once create-1
call container.create forgotten
call blob.put forgotten x y once soon-over
pass 700
call container.create taken
call lease.acquire taken -1 id 11111111-1111-1111-1111-111111111111
lose 'LEASE.ACQUIRE taken -1 ID 33333333-3333-3333-3333-333333333333 BLOCK 20 ONCE lost' \
    'LEASE.RELEASE taken 11111111-1111-1111-1111-111111111111'
call blob.put retried last x once last
call config set holdfast.once-most 100000
