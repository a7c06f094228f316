# deploy/recipes/python/retries.py
"""Sends a write until it is answered, and has it done once: with a token the server answers what it answered the first time."""

import uuid

import redis

from holdfast import pause


def send_once(server, *words, token=None, attempts=5):
    """For every command that writes. Keep a token of your own where this program may die between two attempts:
    the server remembers it for holdfast.once-seconds."""
    token = token or str(uuid.uuid4())
    for attempt in range(1, attempts + 1):
        try:
            return server.execute_command(*words, "ONCE", token)
        except (redis.ConnectionError, redis.TimeoutError):
            if attempt == attempts:
                raise  # it may have been done, or not: send it again with the same token, later
        pause(attempt)
