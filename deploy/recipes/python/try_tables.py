# deploy/recipes/python/try_tables.py
"""Updates side by side, transfers in both directions, one that is sent twice, a late holder, and pages."""

import redis

from holdfast import fields
from lock import Lock
from tables import guarded, props, query, transfer, update
from trying import container, refused, same, server_to_try, together

server = server_to_try()
server.delete("try:shop")
server.execute_command("TABLE.CREATE", "try:shop")


def one_more():
    for _ in range(20):
        update(server, "try:shop", "eu", "lamp", lambda old: {"stock:int32": int(old.get("stock:int32", 0)) + 1})


together(one_more, one_more, one_more)
same(int(fields(server.execute_command("TABLE.GET", "try:shop", "eu", "lamp")[1])["stock:int32"]), 60)

for name in ("anna", "bob"):
    server.execute_command("TABLE.INSERT", "try:shop", "bank", name, *props({"coins:int64": 10}))


def coins(name):
    return int(fields(server.execute_command("TABLE.GET", "try:shop", "bank", name)[1])["coins:int64"])


def pay(source, target, first):
    for number in range(first, first + 10):
        transfer(server, "try:shop", "bank", source, target, 1, number)


together(lambda: pay("anna", "bob", 0), lambda: pay("bob", "anna", 10))
same(coins("anna") + coins("bob"), 20)
same(transfer(server, "try:shop", "bank", "anna", "bob", 1, 3), True)  # sent once more
same((coins("anna"), coins("bob")), (10, 10))
same(transfer(server, "try:shop", "bank", "anna", "bob", 11, 99), False)

infra = container(server, "try:infra")
server.execute_command("TABLE.INSERT", "try:shop", "eu", "fence", *props({"token": ""}))
late = Lock(server, infra, "shop")
guarded(server, "try:shop", "eu", late.token, ("INSERTORMERGE", "lamp", *props({"price:double": 9.5})))
server.execute_command("LEASE.BREAK", infra, "PERIOD", 0, "BLOB", "shop")
with Lock(server, infra, "shop") as lock:
    guarded(server, "try:shop", "eu", lock.token, ("INSERTORMERGE", "lamp", *props({"price:double": 8.5})))
    operation = ("INSERTORMERGE", "lamp", *props({"price:double": 1}))
    refused("UpdateConditionNotSatisfied", guarded, server, "try:shop", "eu", late.token, operation)

for number in range(25):
    server.execute_command("TABLE.INSERT", "try:shop", "us", f"{number:03}", *props({"stock:int32": number}))
found = list(query(server, "try:shop", "PartitionKey eq 'us' and stock ge 5", "SELECT", 1, "stock", "TOP", 10))
same([row for _, row, _, _ in found], [f"{number:03}" for number in range(5, 25)])
same([int(properties["stock"] if "stock" in properties else properties["stock:int32"]) for _, _, _, properties in found][:2], [5, 6])
calls = []


def fail(old):
    calls.append(old)
    return fields(server.execute_command("TABLE.GET", "try:shop", "eu", "no such lamp")[1])


refused("ResourceNotFound", update, server, "try:shop", "eu", "lamp", fail, attempts=2)
same(len(calls), 1)
