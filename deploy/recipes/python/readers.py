# deploy/recipes/python/readers.py
"""Readers and writers: many read a file at once, or one writes it. All that a process has open ends with its session."""

import contextlib
import os
import socket
import threading

import redis

from holdfast import LONGEST_BLOCK, fields, refusal

PIECE = 4 << 20  # what one command writes at most


class Session:
    """A session of a share, kept alive in the background until it ends or is lost."""

    def __init__(self, server, share, seconds=15):  # seconds: what others wait at most when this process dies
        self.server, self.share, self.over = server, share, threading.Event()
        self.id = self.send("SHARE.CONNECT", seconds, "OWNER", f"{socket.gethostname()}:{os.getpid()}")
        threading.Thread(target=self.keep, args=(seconds / 3,), daemon=True).start()

    def send(self, command, *words):
        return self.server.execute_command(command, self.share, *words)

    def keep(self, pause):
        while not self.over.wait(pause):
            try:
                self.send("SHARE.PING", self.id)
            except redis.ResponseError as error:
                if refusal(error)[0] == "NOTFOUND":
                    self.over.set()  # all that it had open and locked is gone
            except (redis.ConnectionError, redis.TimeoutError):
                pass  # there is time for another attempt

    @contextlib.contextmanager
    def open(self, path, access, share, *options):
        words = ("ACCESS", len(access), *access, "SHARE", len(share), *share, *options)
        handle = fields(self.send("FILE.OPEN", self.id, path, *words))["handle"]
        try:
            yield File(self, handle)
        finally:
            with contextlib.suppress(redis.RedisError):  # what is lost is closed, or will be with the session
                self.send("FILE.CLOSE", handle)

    def reading(self, path, wait=LONGEST_BLOCK):
        """Others may read meanwhile, and nobody writes."""
        return self.open(path, ["READ"], ["READ"], "BLOCK", wait)

    def writing(self, path, wait=LONGEST_BLOCK):
        """Nobody else has the file open meanwhile. It is made if it is not there."""
        return self.open(path, ["READ", "WRITE"], ["NONE"], "DISPOSITION", "OPENIF", "BLOCK", wait)

    def end(self):
        self.over.set()
        with contextlib.suppress(redis.RedisError):
            self.send("SHARE.DISCONNECT", self.id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class File:
    def __init__(self, session, handle):
        self.session, self.handle = session, handle

    def read(self):
        pieces, offset = [], 0
        while not pieces or len(pieces[-1]) == PIECE:
            pieces.append(self.session.send("FILE.READ", self.handle, offset, PIECE))
            offset += len(pieces[-1])
        return pieces[0][:0].join(pieces)  # bytes, or text where the client decodes

    def replace(self, content):
        for start in range(0, len(content), PIECE):
            self.session.send("FILE.WRITE", self.handle, start, content[start : start + PIECE])
        self.session.send("FILE.TRUNCATE", self.handle, len(content))
