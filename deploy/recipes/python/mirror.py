# deploy/recipes/python/mirror.py
"""A cache of a container that follows its feed: list, then follow, and list anew when the server says that something was lost."""

import redis

from holdfast import LONGEST_BLOCK, fields, outlasting, pause, refusal, text

LOST = ("CONFLICT", "ChangesLost")
LATER = ("CONFLICT", "FeedBuilding")


def turn_on(server, container, keep=100_000):
    """Once, by whoever makes the container; keep: how many deletions a follower may miss before it has to list anew."""
    server.execute_command("CONTAINER.FEED", container, "ON", "KEEP", keep)


def names(server, container):
    """Name and ETag of each blob."""
    marker = ()
    while marker is not None:
        more, items = server.execute_command("BLOB.LIST", container, *marker)
        yield from ((text(item["name"]), text(item["etag"])) for item in map(fields, items))
        marker = ("MARKER", more) if more is not None else None


class Mirror:
    """The contents by name, and how far the feed was followed. What you keep elsewhere, keep together with the bookmark."""

    changes, missing = "CONTAINER.CHANGES", ("NOTFOUND", "BlobNotFound")

    def __init__(self, blobs=None, bookmark=None):
        self.blobs, self.bookmark = dict(blobs or {}), bookmark  # name: (ETag, content)

    def begin(self, server, container):
        """Lists everything. What is written meanwhile comes again with the feed, since the bookmark is taken first."""
        bookmark = text(server.execute_command(self.changes, container, "SINCE", "$")[0])
        there = dict(self.listed(server, container))
        for name in set(self.blobs) - set(there):
            del self.blobs[name]
        for name, etag in there.items():
            if name not in self.blobs or self.blobs[name][0] != etag:
                self.fetch(server, container, name)
        self.bookmark = bookmark

    def listed(self, server, container):
        return names(server, container)

    def name_of(self, item):
        return text(item["name"])

    def read(self, server, container, name):
        return server.execute_command("BLOB.GET", container, name)

    def fetch(self, server, container, name):
        try:
            etag, content = self.read(server, container, name)
            self.blobs[name] = text(etag), content
        except redis.ResponseError as error:
            if refusal(error) != self.missing:
                raise
            self.blobs.pop(name, None)  # deleted by now, which the feed will tell, too

    def follow(self, server, container, wait=LONGEST_BLOCK):
        """Brings the cache up to date, and waits for a change when there is nothing new. Call it again and again."""
        with outlasting():
            self.step(server, container, wait)

    def step(self, server, container, wait):
        try:
            if self.bookmark is None:
                self.begin(server, container)
            words = ("SINCE", self.bookmark, "BLOCK", wait)
            bookmark, items = server.execute_command(self.changes, container, *words)
        except redis.ResponseError as error:
            if refusal(error) == LATER:
                return pause(50)
            if refusal(error) != LOST:
                raise
            self.bookmark = None  # the cache may be wrong: list anew
            return None
        for item in map(fields, items):
            name = self.name_of(item)
            if "deleted" in item:
                self.blobs.pop(name, None)
            elif name not in self.blobs or self.blobs[name][0] < text(item["etag"]):  # ETags grow, also as text
                self.fetch(server, container, name)
        doubtful = self.doubts(text(bookmark), items)
        self.bookmark = None if doubtful else text(bookmark)  # behind what was done: whoever dies before does it once more
        return None

    def doubts(self, bookmark, items):
        """What was read of blobs may be newer than what pages told, and no bookmark knows it. It may be lost when there is a new epoch,
        as after a failover, and it is when the feed ends without it."""
        ahead = not items and any(etag > bookmark for etag, _ in self.blobs.values())
        return ahead or bookmark[:10] != self.bookmark[:10]
