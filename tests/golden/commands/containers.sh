# Containers and blobs: every command that changes one, and what only time does.
page=$(printf 'p%.0s' {1..512})
id=11111111-1111-1111-1111-111111111111
large=$(printf 'large %.0s' {1..2000})

call container.create box access blob meta 1 team x
call container.setmeta box meta 2 team x floor 3
call container.setacl box access container policies 1 reader 1700000000000 - r
call container.create gone
call container.delete gone
call blob.put box small "a small content" props 2 content-type text/plain cache-control no-store meta 1 k v
call blob.put box large "$large"
call blob.put box changed one
call blob.setprops box changed props 1 content-language de
call blob.setmeta box changed meta 1 state changed
call blob.put box deleted x
call blob.delete box deleted
call blob.createpage box pages 4096 sequence 7
call blob.putpage box pages 512 "$page"
call blob.putpage box pages 2048 "$page"
call blob.clearpage box pages 2048 512
call blob.setprops box pages size 8192 sequence increment
call blob.createappend box log
call blob.append box log first
call blob.append box log second
call blob.createappend box sealed
call blob.append box sealed all
call blob.seal box sealed
call blob.putblock box blocks QUFB "block a"
call blob.putblock box blocks QkJC "block b, $large"
call blob.putblocklist box blocks 2 latest QUFB latest QkJC
call blob.putblock box blocks Q0ND "waits to be committed"
call blob.putblock box uncommitted QUFB "waits, too"
call blob.snapshot box blocks meta 1 taken once
call blob.snapshot box small
call blob.put box small "written over its snapshot"
call blob.put box snapshots x
snapshot=$(call blob.snapshot box snapshots | head -n 1)
call blob.snapshot box snapshots
call blob.delete box snapshots snapshot "$snapshot"
call blob.copy box copied box blocks
call container.create other
call blob.copy other copied box large meta 1 from box
call lease.acquire box -1 blob small id $id owner worker-1
call lease.acquire box 60 blob changed id $id owner worker-2
call lease.release box $id blob changed
call lease.acquire box 20 blob log id $id
pass 30
call lease.acquire box 60 blob log id 22222222-2222-2222-2222-222222222222
call lease.renew box 22222222-2222-2222-2222-222222222222 blob log
call lease.change box 22222222-2222-2222-2222-222222222222 $id blob log
call lease.acquire box -1 blob large id $id
call lease.break box period 0 blob large
call lease.acquire other -1 id $id owner owner-of-all
lose 'LEASE.ACQUIRE box -1 BLOB small ID 33333333-3333-3333-3333-333333333333 BLOCK 20' "LEASE.RELEASE box $id BLOB small"
call lease.acquire box -1 blob small id $id owner worker-1
call container.create lapsing
call blob.putblock lapsing old QUFB "nobody commits it"
pass $((8 * 86400))
call blob.put lapsing new x
call blob.putblock box uncommitted QUFB "waits, too"
call blob.putblock box blocks Q0ND "waits to be committed"
