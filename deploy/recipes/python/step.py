# deploy/recipes/python/step.py
"""A step of work that happens exactly once: the message goes, and its results and the next messages come, in one transaction."""

import redis

from holdfast import LONGEST_BLOCK, fields, pause, refusal
from transactions import atomic
from worker import LOST, extended


def run_step(server, queue, decide, window=30, wait=LONGEST_BLOCK):
    """decide(message) answers the commands that are to happen, each a tuple of words. It may run more than once, so it reads, and
    changes nothing itself. Answers the message, or None when none came in time. Whenever this program dies, the message comes
    back, or all of it has happened."""
    taken = server.execute_command("QUEUE.GET", queue, "VISIBILITY", window, "BLOCK", wait)
    if not taken:
        return None
    message = fields(taken[0])
    for attempt in range(1, 100):
        with extended(server, queue, message, window):
            commands = decide(message)
        try:
            atomic(server, ("QUEUE.DELETE", queue, message["id"], message["receipt"]), *commands)
            return message
        except redis.ResponseError as error:
            if " 0: " in str(error) and refusal(error) in LOST:
                return message  # too late: somebody else has the message, and does it
            if refusal(error)[0] not in ("PRECONDITION", "CONFLICT"):
                raise
        pause(attempt)  # what was decided on has changed: decide again
    raise TimeoutError(f"{queue} {message['id']}: others kept changing what was decided on")
