# deploy/recipes/python/try_change_safely.py
"""A migration that succeeds, one that fails, and drafts that change while they are checked."""

from change_safely import migrate, publish
from holdfast import text
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

put("draft", "all is well")
published = publish(server, docs, "draft", "page", lambda content: None)
same(get("page"), "all is well")
refused("BlobAlreadyExists", publish, server, docs, "draft", "page", lambda content: None)
refused("SourceConditionNotMet", publish, server, docs, "draft", "page", lambda content: put("draft", "worse"), published)
publish(server, docs, "draft", "page", lambda content: None, published)
refused("TargetConditionNotMet", publish, server, docs, "draft", "page", lambda content: None, published)
same(get("page"), "worse")
