# deploy/recipes/python/holdfast.py
"""What the other recipes share. For redis-py 4 and newer, RESP2 or RESP3, decode_responses or not."""

import contextlib
import random
import re
import time

import redis
from redis.backoff import NoBackoff
from redis.exceptions import ClusterDownError, MasterDownError, ReadOnlyError, TryAgainError
from redis.retry import Retry

LONGEST_BLOCK = 20  # seconds: what the recipes wait at most in one command
PASSING = (redis.ConnectionError, redis.TimeoutError, ReadOnlyError, TryAgainError, ClusterDownError, MasterDownError)


def connect(host="127.0.0.1", port=6379, **options):
    """A pool of connections that sends no command twice and waits longer for an answer than any BLOCK."""
    options.setdefault("socket_timeout", LONGEST_BLOCK + 10)  # redis-py 8 would hang up after 5 seconds
    options.setdefault("socket_keepalive", True)
    options.setdefault("encoding_errors", "surrogateescape")  # names may be any bytes: what text() answers can be sent again
    return redis.Redis(host=host, port=port, retry=Retry(NoBackoff(), 0), **options)


def text(value):
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def fields(reply):
    """A map as a dict with text names: RESP2 sends a flat list of names and values, RESP3 a map."""
    if isinstance(reply, dict):
        pairs = reply.items()
    elif reply and isinstance(reply[0], (list, tuple)):
        pairs = reply
    else:
        pairs = zip(reply[::2], reply[1::2])
    return {text(name): value for name, value in pairs}


def refusal(error):
    """The class and the code of an error: ("CONFLICT", "LeaseAlreadyPresent")."""
    found = re.match(r"(?:\[.*?\] )?(\w+):? (\w+)", str(error))
    return found.groups() if found else ("", "")


def passes(error):
    """Whether it passes by itself, as a broken connection does: a failover, the grace after it, a server that loads, is busy with a
    script, or cannot save now. A wrong password does not, which redis-py counts among errors of the connection."""
    answered = refusal(error)
    refused = answered[0] in ("UNBLOCKED", "NOREPLICAS", "BUSY", "MISCONF") or answered == ("CONFLICT", "ServerRecovering")
    return refused or (isinstance(error, PASSING) and not isinstance(error, redis.AuthenticationError))


@contextlib.contextmanager
def outlasting(seconds=1):
    """For each round of a loop that is to run for ever: what passes by itself ends the round after a pause, and not the loop."""
    try:
        yield
    except redis.RedisError as error:
        if not passes(error):
            raise
        time.sleep(seconds)


def pause(attempt):
    """Somebody was quicker: wait a random time, longer with each attempt, so that writers do not collide in step."""
    time.sleep(random.random() * min(0.002 * attempt, 0.1))
