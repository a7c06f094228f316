# deploy/recipes/python/try_table_mirror.py
"""A batch comes as a whole, deletions come, and a follower that missed too many lists anew."""

from table_mirror import TableMirror
from trying import same, server_to_try

server = server_to_try()
server.delete("try:shop")
server.execute_command("TABLE.CREATE", "try:shop")
server.execute_command("TABLE.FEED", "try:shop", "ON", "KEEP", 2)


def insert(partition, row, stock):
    server.execute_command("TABLE.INSERT", "try:shop", partition, row, "PROPS", 1, "stock:int32", stock)


def stocks(mirror):
    return {name: int(found["stock:int32"]) for name, (_, found) in mirror.blobs.items()}


for number in range(5):
    insert("eu", f"{number}", number)
mirror = TableMirror()
mirror.follow(server, "try:shop", wait=0.01)
same(stocks(mirror), {("eu", f"{number}"): number for number in range(5)})

words = ("DELETE", "0", "IFMATCH", "*", "MERGE", "1", "IFMATCH", "*", "PROPS", 1, "stock:int32", 11)
server.execute_command("TABLE.BATCH", "try:shop", "eu", 2, *words)
insert("us", "lamp", 7)
mirror.follow(server, "try:shop")
same(stocks(mirror), {("eu", "1"): 11, ("eu", "2"): 2, ("eu", "3"): 3, ("eu", "4"): 4, ("us", "lamp"): 7})

for number in range(1, 5):
    server.execute_command("TABLE.DELETE", "try:shop", "eu", f"{number}", "IFMATCH", "*")
mirror.follow(server, "try:shop", wait=0.01)
same(mirror.bookmark, None)
mirror.follow(server, "try:shop", wait=0.01)
same(stocks(mirror), {("us", "lamp"): 7})
