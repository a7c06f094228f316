# Tables: every command that changes one.
call table.create people
call table.setacl people policies 1 reader - - r
call table.create gone
call table.drop gone
call table.insert people eu 1 props 9 name Anna age:int32 44 ids:int64 9007199254740993 score:double 0.5 active:bool true \
    born:datetime 1980-01-01T00:00:00Z ref:guid 11111111-1111-1111-1111-111111111111 photo:binary abc note "$(printf 'n%.0s' {1..300})"
call table.insert people eu 2 props 1 name Bert
call table.insert people us 1 props 2 name Cleo age:int32 7
call table.replace people eu 2 ifmatch '*' props 2 name Bert age:int32 50
call table.merge people us 1 ifmatch '*' props 1 city Boston
call table.insertorreplace people us 2 props 1 name Dan
call table.insertorreplace people us 2 props 1 name Daniel
call table.insertormerge people us 3 props 1 name Eve
call table.insertormerge people us 3 props 1 age:int32 3
call table.insert people us 4 props 0
call table.delete people us 4 ifmatch '*'
call table.batch people eu 3 insert 3 props 1 name Finn merge 1 ifmatch '*' props 1 age:int32 45 delete 2 ifmatch '*'
call table.index people name age
call table.unindex people age
call table.create full
for i in {1..40}; do
    call table.batch full p 100 $(for j in {1..100}; do echo insertorreplace "$i-$j" props 1 n:int32 "$j"; done)
done >/dev/null
call table.index full n
sleep 1
