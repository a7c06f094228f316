# Feeds: what has changed, deletions included.
call container.create followed
for i in {1..5}; do call blob.put followed "$i" x; done
call container.feed followed on keep 3
for i in {1..4}; do call blob.delete followed "$i"; done
call container.feed followed on keep 2
call blob.put followed 5 changed
call blob.put followed 6 new
call container.create unfollowed
call blob.put unfollowed a x
call container.feed unfollowed on
call container.feed unfollowed off
call container.create many
for i in {1..120}; do for j in {1..10}; do printf 'BLOB.PUT many %s-%s x\n' "$i" "$j"; done; done | call
call container.feed many on
until call container.get many | grep -qx on; do sleep 0.1; done

# The same of tables.
call table.create tracked
for i in {1..5}; do call table.insert tracked p "$i" props 0; done
call table.feed tracked on keep 3
for i in {1..4}; do call table.delete tracked p "$i" ifmatch '*'; done
call table.feed tracked on keep 2
call table.insertorreplace tracked p 5 props 1 a changed
call table.insert tracked p 6 props 0
call table.create untracked
call table.feed untracked on
call table.feed untracked off
call table.create crowd
for i in {1..120}; do for j in {1..10}; do printf 'TABLE.INSERT crowd p %s-%s PROPS 0\n' "$i" "$j"; done; done | call
call table.feed crowd on
until call table.changes crowd since "$" >"$scratch/crowd" && ! grep -q FeedBuilding "$scratch/crowd"; do sleep 0.1; done
