# deploy/recipes/python/try_transactions.py
"""An outbox, transfers in both directions between tables, one that is asked for twice, and one that cannot be."""

from holdfast import fields, text
from tables import props
from transactions import change_and_tell, transfer
from trying import container, refused, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")
for table in ("try:east", "try:west"):
    server.delete(table)
    server.execute_command("TABLE.CREATE", table)
server.delete("try:mail")
server.execute_command("QUEUE.CREATE", "try:mail")


def mails():
    return [text(fields(mail)["message"]) for mail in server.execute_command("QUEUE.PEEK", "try:mail", "COUNT", 10)]


create = ("BLOB.PUT", docs, "order-17", "new", "IFNONEMATCH", "*")
etag = change_and_tell(server, create, "try:mail", "order 17 is new")[0]
refused("BlobAlreadyExists", change_and_tell, server, create, "try:mail", "order 17 is new again")
ship = ("BLOB.PUT", docs, "order-17", "shipped", "IFMATCH", etag)
replies = [change_and_tell(server, ship, "try:mail", "order 17 is shipped", token="ship-17") for _ in range(3)]
same(len({text(reply[0]) for reply in replies}), 1)  # asked for three times, done once
same(mails(), ["order 17 is new", "order 17 is shipped"])

anna, bob = ("try:east", "bank", "anna"), ("try:west", "bank", "bob")
for account in (anna, bob):
    server.execute_command("TABLE.INSERT", *account, *props({"coins:int64": 10}))


def coins(account):
    return int(fields(server.execute_command("TABLE.GET", *account)[1])["coins:int64"])


def pay(source, target, first):
    for number in range(first, first + 10):
        same(transfer(server, source, target, ("try:east", "journal"), 1, number), True)


together(lambda: pay(anna, bob, 0), lambda: pay(bob, anna, 10))
same((coins(anna), coins(bob)), (10, 10))
same(transfer(server, anna, bob, ("try:east", "journal"), 1, 3), True)  # asked for once more
same(transfer(server, anna, bob, ("try:east", "journal"), 11, 99), False)
same(transfer(server, anna, bob, ("try:east", "journal"), 10, 100), True)
same(transfer(server, anna, bob, ("try:east", "journal"), 10, 100), True)  # although there is nothing left
same((coins(anna), coins(bob)), (0, 20))
