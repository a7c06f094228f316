# Several changes as one effect, with content beside them.
large=$(printf 'x%.0s' {1..2000})
call container.create together
call queue.create together-work
call table.create together-rows
call share.create together-files
call holdfast.atomic 6 4 blob.put together a small 4 blob.put together b "$large" 5 queue.put together-work first ttl -1 \
    8 table.insert together-rows p r props 1 name x 4 file.create together-files f 10 4 container.setmeta together meta 0
call holdfast.atomic 2 4 blob.put together c "$large" 3 blob.delete together a once together-1
call queue.putmany together-work 3 one "$large" three
call table.batch together-rows p 3 insert s props 0 insert t props 1 name "$large" merge r ifmatch '*' props 1 more y
