# deploy/recipes/python/lock.py
"""A lock that is waited for in line, renewed in the background, and checked by Redis with every write."""

import contextlib
import os
import socket
import threading
import time
import uuid

import redis

from holdfast import LONGEST_BLOCK, refusal


class Lock:
    """The lease of a blob. Use it as `with Lock(server, "infra", "report") as lock:`."""

    def __init__(self, server, container, blob, seconds=15, wait=LONGEST_BLOCK, owner=None):
        self.server, self.container, self.blob, self.seconds = server, container, blob, seconds
        self.id = str(uuid.uuid4())  # proposed by us, so that an ACQUIRE whose answer was lost can be sent again
        self.owner = owner or f"{socket.gethostname()}:{os.getpid()}"
        self.token = self.acquire(wait)[1]
        self.over = threading.Event()
        try:
            self.renew()  # the answer may have been long on its way: from here on we know when the lease ends
        except redis.RedisError:
            self.release()  # nobody waits for the end of a lease that nobody has
            raise
        threading.Thread(target=self.keep, daemon=True).start()

    def send(self, command, *words):
        return self.server.execute_command(command, self.container, *words, "BLOB", self.blob)

    def acquire(self, wait):
        words = (self.seconds, "ID", self.id, "OWNER", self.owner, "BLOCK", wait)
        try:
            return self.send("LEASE.ACQUIRE", *words)
        except redis.ResponseError as error:
            if refusal(error) != ("NOTFOUND", "BlobNotFound"):
                raise
        with contextlib.suppress(redis.ResponseError):  # somebody else may have made it just now
            self.server.execute_command("BLOB.PUT", self.container, self.blob, "", "IFNONEMATCH", "*")
        return self.send("LEASE.ACQUIRE", *words)

    def renew(self):
        sent = time.monotonic()
        self.send("LEASE.RENEW", self.id)
        self.ends = sent + self.seconds  # by our clock, and never later than by the server's

    def keep(self):
        while not self.over.wait(self.seconds / 3):
            try:
                self.renew()
            except redis.ResponseError as error:
                if refusal(error)[0] in ("CONFLICT", "NOTFOUND"):
                    self.ends = 0  # broken, or somebody else's by now
                    return
            except (redis.ConnectionError, redis.TimeoutError):
                pass  # there is time for another attempt

    def held(self):
        """For what you do elsewhere. Redis itself checks every write that says LEASE."""
        return time.monotonic() < self.ends

    def put(self, content):
        return self.server.execute_command("BLOB.PUT", self.container, self.blob, content, "LEASE", self.id)

    def release(self):
        self.over.set()
        with contextlib.suppress(redis.RedisError):  # there may be nothing left to release
            self.send("LEASE.RELEASE", self.id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()
