# deploy/recipes/python/try_config.py
"""A process hears of each configuration, keeps the old one when the new one is wrong, or gone, and outlives a deletion and a failover."""

import queue

from config import start
from holdfast import text
from trying import container, fail_over, same, server_to_try

server = server_to_try()
docs = container(server, "try:docs")
told, current = queue.Queue(), {}


def apply(content):
    told.put(content and text(content))
    if content is None or text(content) == "wrong":
        raise ValueError
    current["is"] = text(content)


def put(content):
    server.execute_command("BLOB.PUT", docs, "config", content)


put("one")
stop = start(server, docs, "config", apply)
same(told.get(timeout=5), "one")
put("two")
same(told.get(timeout=5), "two")
put("wrong")
same(told.get(timeout=5), "wrong")
server.execute_command("BLOB.DELETE", docs, "config")
same(told.get(timeout=5), None)
same(current["is"], "two")
put("three")
same(told.get(timeout=5), "three")
fail_over(server)
put("four")
same(told.get(timeout=5), "four")
stop.set()
