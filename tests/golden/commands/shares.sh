# Shares and files: every command that changes one, and what only time does.
id=11111111-1111-1111-1111-111111111111
handle() { field handle; }

call share.create fs quota 1000000 meta 1 team x
call share.setmeta fs meta 2 team x floor 3
call share.setprops fs quota 2000000
call share.setacl fs policies 1 reader - - r
call share.create gone
call share.delete gone
call lease.acquire fs -1 id $id owner owner-of-all
call lease.release fs $id
call file.mkdir fs docs meta 1 k v
call file.mkdir fs empty
call file.rmdir fs empty
call file.create fs docs/plan.txt 100 attributes 1 archive props 1 content-type text/plain meta 1 k v
call file.putrange fs docs/plan.txt 0 "the plan"
call file.putrange fs docs/plan.txt 50 "its end"
call file.clearrange fs docs/plan.txt 52 2
call file.setprops fs docs/plan.txt size 200 attributes 2 hidden archive props 1 content-language de
call file.setmeta fs docs/plan.txt meta 1 k w
call file.create fs docs/gap.bin 40000
call file.putrange fs docs/gap.bin 33000 "goes later"
call share.snapshot fs meta 1 taken once
call file.clearrange fs docs/gap.bin 32768 7232
call file.putrange fs docs/plan.txt 0 "THE PLAN"
call file.copy fs docs/plan.txt docs/copy.txt
call file.rename fs docs/copy.txt docs/renamed.txt
call file.create fs docs/leased.txt 10
call lease.acquire fs -1 file docs/leased.txt id $id owner worker-1
call file.create fs docs/deleted.txt 10
call file.delete fs docs/deleted.txt
session=$(call share.connect fs 604800 owner tester)
call share.ping fs "$session"
opened=$(call file.open fs "$session" docs/plan.txt access 2 read write share 2 read write | handle)
call file.write fs "$opened" 10 written
call file.truncate fs "$opened" 150
call file.lock fs "$opened" exclusive 0 10
call file.lock fs "$opened" shared 20 10
call file.lock fs "$opened" shared 40 10
call file.unlock fs "$opened" 40 10
marked=$(call file.open fs "$session" docs/renamed.txt access 2 read delete share 3 read write delete | handle)
call file.dispose fs "$marked" on
closed=$(call file.open fs "$session" docs/new.txt access 1 write share 1 none disposition create size 20 | handle)
call file.close fs "$closed"
forced=$(call file.open fs "$session" docs/new.txt access 1 read share 3 read write delete | handle)
call file.closehandles fs docs/new.txt '*'
ending=$(call share.connect fs 60 owner short)
call file.open fs "$ending" docs/new.txt access 1 read share 3 read write delete
call share.disconnect fs "$ending"
ending=$(call share.connect fs 60 owner shorter)
call file.open fs "$ending" docs/new.txt access 1 read share 3 read write delete
held=$(call file.open fs "$session" docs/leased.txt access 1 read share 1 none | handle)
lose "FILE.OPEN fs $session docs/leased.txt ACCESS 1 READ SHARE 1 NONE BLOCK 20" "FILE.CLOSE fs $held"
seconds=$((seconds + 120))
in_transaction "config set holdfast.clock-offset-ms $((seconds * 1000))" "file.putrange fs docs/new.txt 0 x"
ending=$(call share.connect fs 60 owner shortest)
call file.open fs "$ending" docs/new.txt access 1 read share 3 read write delete
pass 120
call file.create fs docs/after.txt 1
call file.create fs docs/old.txt 20000
call file.putrange fs docs/old.txt 9000 "in the middle"
call file.create fs docs/moved.txt 10
call share.snapshot fs
call file.delete fs docs/old.txt
call file.rename fs docs/moved.txt docs/elsewhere.txt
call file.clearrange fs docs/plan.txt 0 150
sleep 0.5
