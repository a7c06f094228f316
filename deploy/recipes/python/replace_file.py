# deploy/recipes/python/replace_file.py
"""Replaces a file as a whole: readers see the old content or the new one, never a part of each."""

import contextlib
import uuid

import redis

from holdfast import LONGEST_BLOCK, refusal
from readers import PIECE


def replace(session, path, content, wait=LONGEST_BLOCK):
    """Puts the content beside the old one, then renames it; waits for those who have the old one open."""
    new = f"{path}.{uuid.uuid4()}"
    session.send("FILE.CREATE", new, len(content))
    try:
        for start in range(0, len(content), PIECE):
            session.send("FILE.PUTRANGE", new, start, content[start : start + PIECE])
        try:
            session.send("FILE.RENAME", new, path)
        except redis.ResponseError as error:
            if refusal(error) != ("CONFLICT", "ResourceAlreadyExists"):
                raise
            with session.open(path, ["WRITE"], ["READ", "WRITE", "DELETE"], "BLOCK", wait):
                session.send("FILE.RENAME", new, path, "REPLACE")
    except BaseException:
        with contextlib.suppress(redis.RedisError):
            session.send("FILE.DELETE", new)
        raise
