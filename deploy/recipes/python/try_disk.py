# deploy/recipes/python/try_disk.py
"""The first owner writes, the second takes over, and the first one's late write is refused."""

from disk import Disk
from holdfast import text
from trying import container, refused, same, server_to_try

server = server_to_try()
docs = container(server, "try:docs")
first = Disk(server, docs, "disk", 4096)
first.put(0, b"first")
second = Disk(server, docs, "disk", 4096)
second.put(1, b"second")
refused("SequenceNumberConditionNotMet", first.put, 1, b"too late")
same(text(server.execute_command("BLOB.GET", docs, "disk", "RANGE", 0, 5)[1]), "first")
same(text(server.execute_command("BLOB.GET", docs, "disk", "RANGE", 512, 6)[1]), "second")
