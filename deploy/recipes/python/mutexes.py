# deploy/recipes/python/mutexes.py
"""Many mutexes and slots in one empty file: locks need no bytes, so each name has a byte far behind its end."""

import contextlib
import hashlib

import redis

from holdfast import LONGEST_BLOCK, refusal


@contextlib.contextmanager
def unlocked_after(session, file, byte):
    try:
        yield
    finally:
        with contextlib.suppress(redis.RedisError):
            session.send("FILE.UNLOCK", file.handle, byte, 1)


@contextlib.contextmanager
def mutex(session, file, name, wait=LONGEST_BLOCK):
    """While the block runs nobody else is in it under this name."""
    byte = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")
    session.send("FILE.LOCK", file.handle, "EXCLUSIVE", byte, 1, "BLOCK", wait)
    with unlocked_after(session, file, byte):
        yield


@contextlib.contextmanager
def slot(session, file, count):
    """The number of the first free one of so many slots, or None."""
    for number in range(count):
        try:
            session.send("FILE.LOCK", file.handle, "EXCLUSIVE", number, 1)
        except redis.ResponseError as error:
            if refusal(error) != ("CONFLICT", "FileLockConflict"):
                raise
            continue
        with unlocked_after(session, file, number):
            yield number
        return
    yield None
