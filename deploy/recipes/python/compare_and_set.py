# deploy/recipes/python/compare_and_set.py
"""Read, decide, write on the condition that nobody else did in between, and start over if somebody did."""

import redis

from holdfast import pause, refusal

AGAIN = {("PRECONDITION", "ConditionNotMet"), ("CONFLICT", "BlobAlreadyExists")}


def update(server, container, blob, change, attempts=100):
    """change(old content, or None when there is no blob yet) answers the new content; it may run more than once.
    Answers the new ETag."""
    for attempt in range(1, attempts + 1):
        try:
            etag, old = server.execute_command("BLOB.GET", container, blob)
            condition = ("IFMATCH", etag)
        except redis.ResponseError as error:
            if refusal(error) != ("NOTFOUND", "BlobNotFound"):
                raise
            old, condition = None, ("IFNONEMATCH", "*")
        new = change(old)
        try:
            return server.execute_command("BLOB.PUT", container, blob, new, *condition)
        except redis.ResponseError as error:
            if refusal(error) not in AGAIN:
                raise
        pause(attempt)
    raise TimeoutError(f"{container} {blob}: others kept changing it")
