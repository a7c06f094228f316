# deploy/recipes/python/retries.py
"""Sends a write until it is answered, and has it done once: with a token the server answers what it answered the first time."""

import time
import uuid

import redis

from holdfast import passes


def send_once(server, *words, token=None, attempts=60):
    """For every command that writes. 60 attempts take 50 seconds, longer than a failover. Keep a token of your own where
    this program may die between two attempts: the server remembers it for holdfast.once-seconds."""
    token = token or str(uuid.uuid4())
    for attempt in range(1, attempts + 1):
        try:
            return server.execute_command(*words, "ONCE", token)
        except redis.RedisError as error:
            if attempt == attempts or not passes(error):
                raise  # it may have been done, or not: send it again with the same token, later
        time.sleep(min(0.05 * attempt, 1))
