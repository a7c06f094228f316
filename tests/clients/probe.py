"""What redis-py hands over for each shape of reply; see tests/clients.sh."""

import os
import sys

import redis

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../deploy/recipes/python"))
from holdfast import connect, fields, refusal, text  # noqa: E402

options = {"port": int(os.environ["PORT"])}
if os.environ.get("RESP") == "3":
    options["protocol"] = 3
server = connect(**options)
send = server.execute_command


def tell(shape, reply, holds):
    print(shape, type(reply).__name__ if holds else "WRONG", sep="\t")


tell("status", reply := send("QUEUE.CREATE", "made"), text(reply) == "OK")
tell("pair", reply := send("BLOB.GET", "c", "b"), reply[1] == b"text")
print("bytes", "exact" if send("BLOB.GET", "c", "raw")[1] == b"\0\r\n\xff" else "WRONG", sep="\t")
tell("null", reply := send("BLOB.GET", "c", "b", "IFNONEMATCH", reply[0]), reply is None)
tell("map", reply := send("CONTAINER.GET", "c"), int(fields(reply)["blobs"]) == 2)
meta = fields(send("BLOB.STAT", "c", "b"))["meta"]
tell("map in map", meta, fields(meta)["k"] == b"v")
message = send("QUEUE.PEEK", "q")[0]
tell("map in list", message, fields(message)["message"] == b"hello")
tell("null in list", reply := send("BLOB.LIST", "c")[0], reply is None)
found = fields(send("TABLE.GET", "t", "p", "r")[1])
tell("int64", reply := found["n:int64"], int(reply) == 2**63 - 1)
tell("double", reply := found["d:double"], float(reply) == 0.5)
tell("bool", reply := found["f:bool"], reply in (True, 1))
tell("empty", reply := send("QUEUE.PEEK", "e"), reply == [])
tell("wait", reply := send("QUEUE.GET", "e", "BLOCK", 0.2), reply == [])
try:
    tell("error", send("BLOB.GET", "c", "none"), False)
except redis.ResponseError as error:
    print("error", str(error).split(" ", 1)[0] if refusal(error) == ("NOTFOUND", "BlobNotFound") else "WRONG", sep="\t")
hasty = connect(socket_timeout=0.3, **options)
try:
    hasty.execute_command("QUEUE.GET", "h", "BLOCK", 2)
    print("hasty\twaits")
except redis.TimeoutError:
    send("QUEUE.PUT", "h", "work")
    print("hasty", "hangs up" if send("QUEUE.PEEK", "h") else "loses the message", sep="\t")
