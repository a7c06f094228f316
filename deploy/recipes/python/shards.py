# deploy/recipes/python/shards.py
"""One large container, queue or table, cut into many: each part is a key of its own, and a cluster spreads the parts over its nodes."""

import hashlib
import heapq
import random

from holdfast import fields, text


class Shards:
    """`docs` in 64 parts: {docs:0} to {docs:63}. Take many more parts than there will ever be nodes, since the number stays:
    with another one, things would be looked for where they are not."""

    def __init__(self, name, count=64):
        self.name, self.count = name, count

    def part(self, number, more=""):
        return f"{{{self.name}:{number}}}{more}"

    def key(self, thing, more=""):
        """The part in which a thing belongs: a blob by its name, an entity by its partition key, a message by its group. What
        has to change together takes the same thing and another end: {docs:7}, {docs:7}:mail."""
        digest = hashlib.sha256(thing.encode("utf-8", "surrogateescape")).digest()
        return self.part(int.from_bytes(digest[:4], "big") % self.count, more)

    def keys(self, more=""):
        return [self.part(number, more) for number in range(self.count)]


def blobs(server, key, *options):
    """The blobs of one part, in the order of their names."""
    marker = ()
    while True:
        following, items = server.execute_command("BLOB.LIST", key, *options, *marker)
        yield from map(fields, items)
        if following is None:
            return
        marker = ("MARKER", following)


def all_blobs(server, shards, *options):
    """Those of all parts, in the order of their names. Each part is read at another moment."""
    parts = [blobs(server, key, *options) for key in shards.keys()]
    return heapq.merge(*parts, key=lambda blob: text(blob["name"]).encode("utf-8", "surrogateescape"))


def take(server, shards, home, visibility=30, wait=1):
    """One message, with the key of its part, or None. A worker waits at its home; before, it looks whether there is work
    elsewhere, beginning anywhere. With at least as many workers as parts, each at a home of its own, waiting alone will do."""
    first = random.randrange(shards.count)
    others = [shards.part((first + step) % shards.count) for step in range(shards.count)]
    for key, block in [(key, ()) for key in others] + [(shards.part(home), ("BLOCK", wait))]:
        for message in server.execute_command("QUEUE.GET", key, "VISIBILITY", visibility, *block):
            return key, fields(message)
    return None
