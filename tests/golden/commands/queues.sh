# Queues: every command that changes one, and what only time does.
take() { call queue.get "$@"; }

call queue.create jobs maxdeliveries 2 meta 1 team x
call queue.configure jobs maxdeliveries 3
call queue.setmeta jobs meta 2 team x floor 3
call queue.setacl jobs policies 1 reader - 1900000000000 rp
call queue.create gone
call queue.drop gone
call queue.put jobs "in a window" ttl -1
call queue.put jobs "deleted" ttl -1
taken=$(take jobs)
call queue.update jobs "$(echo "$taken" | field id)" "$(echo "$taken" | field receipt)" visibility 604800 message "in a window, updated"
taken=$(take jobs)
call queue.delete jobs "$(echo "$taken" | field id)" "$(echo "$taken" | field receipt)"
call queue.put jobs "released with a reason" ttl -1
taken=$(take jobs)
call queue.release jobs "$(echo "$taken" | field id)" "$(echo "$taken" | field receipt)" visibility 3 reason "not now"
call queue.putmany jobs 3 one two three ttl -1 group g
call queue.put jobs "put once" ttl -1 dedup order-17 within 604800
call queue.put jobs "later" ttl -1 visibility 604800
call queue.put jobs "expires" ttl 5
pass 10
call queue.put jobs "behind what expired" ttl -1
call queue.create late
lose 'QUEUE.GET late BLOCK 20' 'QUEUE.PUT late "nobody was told" TTL -1'
call queue.create dying maxdeliveries 1
call queue.putmany dying 4 a b c d ttl -1
for reason in first second; do
    taken=$(take dying)
    call queue.release dying "$(echo "$taken" | field id)" "$(echo "$taken" | field receipt)" reason "$reason"
done
call queue.redrive dying count 1
call queue.putmany dying 100 $(seq 100) ttl -1
for i in {1..3}; do take dying count 32 visibility 5; done
in_transaction "config set holdfast.clock-offset-ms $(((seconds + 10) * 1000))" "queue.clear dying"
call queue.put dying "alive" ttl -1
call queue.create cleared
call queue.putmany cleared 2 a b ttl -1
call queue.clear cleared
call queue.create undead maxdeliveries 1
call queue.put undead a
taken=$(take undead)
call queue.release undead "$(echo "$taken" | field id)" "$(echo "$taken" | field receipt)"
call queue.clear undead dead
