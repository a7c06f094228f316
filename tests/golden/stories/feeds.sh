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
