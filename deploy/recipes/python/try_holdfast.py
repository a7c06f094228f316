# deploy/recipes/python/try_holdfast.py
"""The decoder with every shape that a client hands over, and the errors of every client."""

import redis

from holdfast import LONGEST_BLOCK, connect, fields, passes, refusal
from trying import refused, same, server_to_try

expected = {"id": "7", "dequeue-count": 1}
for reply in (
    ["id", "7", "dequeue-count", 1],
    {"id": "7", "dequeue-count": 1},
    [("id", "7"), ("dequeue-count", 1)],
    [["id", "7"], ["dequeue-count", 1]],
):
    same(fields(reply), expected)
same(fields([b"id", b"7"]), {"id": b"7"})
same(fields({b"id": b"7"}), {"id": b"7"})
same(fields([]), {})
same(fields({}), {})

same(refusal("CONFLICT LeaseAlreadyPresent held by x"), ("CONFLICT", "LeaseAlreadyPresent"))
same(refusal("CONFLICT: LeaseAlreadyPresent held by x"), ("CONFLICT", "LeaseAlreadyPresent"))
same(refusal("[LEASE.ACQUIRE] CONFLICT LeaseAlreadyPresent held by x"), ("CONFLICT", "LeaseAlreadyPresent"))
same(refusal(""), ("", ""))

server = server_to_try()
same(server.connection_pool.connection_kwargs["socket_timeout"] > LONGEST_BLOCK, True)
server.delete("try:t")
server.execute_command("TABLE.CREATE", "try:t")
server.execute_command("TABLE.INSERT", "try:t", "p", "r", "PROPS", 2, "n:int64", 2**63 - 1, "b:bool", "true")
same(int(fields(server.execute_command("TABLE.GET", "try:t", "p", "r")[1])["n:int64"]), 2**63 - 1)
stranger = server_to_try(username="nobody", password="wrong")
try:
    stranger.ping()
    raise SystemExit("nobody should have been let in")
except redis.RedisError as error:
    same(passes(error), False)
for words, expected in (("BUSY Redis is busy", True), ("MISCONF it cannot save", True), ("READONLY you", True), ("OOM command", False)):
    try:
        server.eval("return redis.error_reply(ARGV[1])", 0, words)
    except redis.RedisError as error:
        same((words, passes(error)), (words, expected))
refused("EntityAlreadyExists", server.execute_command, "TABLE.INSERT", "try:t", "p", "r", "PROPS", 0)

# What the recipes avoid: a socket that is less patient than BLOCK loses the answer.
hasty = server_to_try(socket_timeout=0.3)
server.delete("try:q")
server.execute_command("QUEUE.CREATE", "try:q")
try:
    hasty.execute_command("QUEUE.GET", "try:q", "BLOCK", 2)
    raise SystemExit("a hasty socket should have given up")
except redis.TimeoutError:
    pass
# The connection was closed, so nothing is given to whoever has gone.
server.execute_command("QUEUE.PUT", "try:q", "work")
same(len(connect(port=server.connection_pool.connection_kwargs["port"]).execute_command("QUEUE.GET", "try:q")), 1)
