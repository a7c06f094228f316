# deploy/recipes/python/try_files.py
"""Files replaced under readers, names that one alone may have, and processes that come and go."""

import time

from holdfast import text
from mutexes import mutex, slot
from presence import present, who
from readers import Session
from replace_file import replace
from trying import refused, same, server_to_try, together

server = server_to_try()
server.delete("try:work")
server.execute_command("SHARE.CREATE", "try:work")
server.execute_command("FILE.MKDIR", "try:work", "there")

with Session(server, "try:work") as alice, Session(server, "try:work") as bob:
    replace(alice, "prices", b"lamp,9.50\n")
    with bob.open("prices", ["READ"], ["READ"]) as file:
        refused("SharingViolation", replace, alice, "prices", b"lamp,8.50\n", wait=0.1)
        same(text(file.read()), "lamp,9.50\n")
    replace(alice, "prices", b"lamp,8.50\n")
    same(text(server.execute_command("FILE.GET", "try:work", "prices")[1]), "lamp,8.50\n")

    inside, most = [], []

    def enter(session):
        with session.open("locks", ["READ"], ["READ", "WRITE"], "DISPOSITION", "OPENIF") as file:
            with mutex(session, file, "customer 17"):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.02)
                inside.pop()

    together(lambda: enter(alice), lambda: enter(bob))
    same(most, [1, 1])
    with alice.open("locks", ["READ"], ["READ", "WRITE"]) as one, bob.open("locks", ["READ"], ["READ", "WRITE"]) as two:
        with slot(alice, one, 2) as first, slot(bob, two, 2) as second, slot(bob, two, 1) as third:
            same((first, second, third), (0, 1, None))

    with present(alice, "alice"), present(bob, "bob"):
        same(sorted(who(alice)), ["alice", "bob"])
        refused("SharingViolation", present(bob, "alice").__enter__)
    same(who(bob), [])
    alice.send("FILE.MKDIR", "crowd")
    for number in range(1001):  # more than one page
        alice.send("FILE.CREATE", f"crowd/{number:04}", 0)
    same(len(who(alice, "crowd")), 1001)
