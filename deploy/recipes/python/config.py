# deploy/recipes/python/config.py
"""A configuration that reloads itself: a blob, of which each process is told as soon as it has changed."""

import contextlib
import threading

import redis

from holdfast import LONGEST_BLOCK, outlasting, refusal


def watch(server, container, blob, apply, stop, wait=LONGEST_BLOCK):
    """Calls apply(content) for what is there, and for each change; apply(None) when there is nothing. A change that apply
    refuses, by raising ValueError, is passed over: the old configuration stays."""
    condition = ("IFNONEMATCH", "none")
    while not stop.is_set():
        seen = None
        try:
            with outlasting():
                seen = server.execute_command("BLOB.GET", container, blob, *condition, "BLOCK", wait)
        except redis.ResponseError as error:
            if refusal(error) != ("NOTFOUND", "BlobNotFound"):
                raise
            seen = None, None
        if seen is not None:  # None: nothing is new
            etag, content = seen
            condition = ("IFNONEMATCH", etag) if etag else ()  # without one it waits until the blob is there
            with contextlib.suppress(ValueError):
                apply(content)


def start(server, container, blob, apply):
    """In the background. Set the event that it answers to end it."""
    stop = threading.Event()
    threading.Thread(target=watch, args=(server, container, blob, apply, stop), daemon=True).start()
    return stop
