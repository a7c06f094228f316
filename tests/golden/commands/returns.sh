# A feed of several epochs: an older state of its container comes back.
call container.create returned
call container.feed returned on
call blob.put returned 1 x
call copy returned kept
call blob.put returned 2 lost
call copy kept returned replace
call blob.put returned 3 later
call del kept
