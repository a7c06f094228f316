# deploy/recipes/python/try_change_safely.py
"""A migration that succeeds, one that fails, one that is interrupted, one that cannot be undone at once, and drafts that change while they are checked."""

import redis

from change_safely import migrate, publish
from holdfast import fields, text
from trying import container, refused, same, server_to_try

server = server_to_try()
docs = container(server, "try:docs")


def put(blob, content, *words):
    return server.execute_command("BLOB.PUT", docs, blob, content, *words)


def get(blob):
    return text(server.execute_command("BLOB.GET", docs, blob)[1])


put("settings", "version 1")
migrate(server, docs, "settings", lambda lease: put("settings", "version 2", "LEASE", lease))
same(get("settings"), "version 2")


def fail(lease):
    put("settings", "half of version 3", "LEASE", lease)
    raise ValueError("no")


try:
    migrate(server, docs, "settings", fail)
    raise SystemExit("the failure was swallowed")
except ValueError:
    same(get("settings"), "version 2")



def interrupted(lease):
    put("settings", "half of version 3", "LEASE", lease)
    raise SystemExit


try:
    migrate(server, docs, "settings", interrupted)
except SystemExit:
    pass
same(get("settings"), "version 2")


class Breaking:
    """The connection breaks when the blob is to be copied back."""

    def execute_command(self, command, *words):
        if command == "BLOB.COPY":
            raise redis.ConnectionError("it broke")
        return server.execute_command(command, *words)


try:
    migrate(Breaking(), docs, "settings", fail)
    raise SystemExit("the failure was swallowed")
except redis.ConnectionError:
    same(get("settings"), "half of version 3")
items = server.execute_command("BLOB.LIST", docs, "INCLUDE", 1, "SNAPSHOTS")[1]
kept = [text(item["snapshot"]) for item in map(fields, items) if "snapshot" in item]
same(len(kept), 1)  # from which somebody can go back
server.execute_command("BLOB.COPY", docs, "settings", docs, "settings", "SNAPSHOT", kept[0])
same(get("settings"), "version 2")

put("draft", "all is well")
published = publish(server, docs, "draft", "page", lambda content: None)
same(get("page"), "all is well")
refused("BlobAlreadyExists", publish, server, docs, "draft", "page", lambda content: None)
refused("SourceConditionNotMet", publish, server, docs, "draft", "page", lambda content: put("draft", "worse"), published)
publish(server, docs, "draft", "page", lambda content: None, published)
refused("TargetConditionNotMet", publish, server, docs, "draft", "page", lambda content: None, published)
same(get("page"), "worse")
