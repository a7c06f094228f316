# deploy/recipes/python/try_readers.py
"""Readers side by side, a writer alone; a session that dies leaves nothing behind."""

from holdfast import text
from readers import Session
from trying import refused, same, server_to_try

server = server_to_try()
server.delete("try:work")
server.execute_command("SHARE.CREATE", "try:work")
with Session(server, "try:work") as anna, Session(server, "try:work") as bob:
    with anna.writing("prices") as file:
        file.replace("lamp 9.50")
        refused("SharingViolation", lambda: bob.reading("prices", wait=0.1).__enter__())
    with anna.reading("prices") as one, bob.reading("prices") as other:
        same(text(one.read()), "lamp 9.50")
        same(text(other.read()), "lamp 9.50")
        refused("SharingViolation", lambda: bob.writing("prices", wait=0.1).__enter__())
    with bob.writing("prices") as file:
        file.replace("lamp 8")
        same(text(file.read()), "lamp 8")

dies = Session(server, "try:work", seconds=1)
dies.over.set()  # no PING any more
dies.writing("prices").__enter__()
with Session(server, "try:work") as next_one, next_one.writing("prices", wait=5) as file:
    same(text(file.read()), "lamp 8")
