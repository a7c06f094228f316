# deploy/recipes/python/semaphore.py
"""A semaphore: a queue that holds one message for each permit. Who dies gives the permit back when its window ends."""

import contextlib

from holdfast import LONGEST_BLOCK, fields
from worker import extended, settle

MAKE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('QUEUE.CREATE', KEYS[1])
for permit = 1, ARGV[1] do redis.call('QUEUE.PUT', KEYS[1], 'permit ' .. permit, 'TTL', '-1') end
return 1
"""


def make(server, name, permits):
    """Makes the semaphore unless it is there. All may call it at once: a script is one step."""
    return server.eval(MAKE, 1, name, permits) == 1


@contextlib.contextmanager
def permit(server, name, window=30, wait=LONGEST_BLOCK):
    """Waits in line for a permit and holds it while the block runs; None when the time was up."""
    taken = server.execute_command("QUEUE.GET", name, "VISIBILITY", window, "BLOCK", wait)
    if not taken:
        yield None
        return
    message = fields(taken[0])
    try:
        with extended(server, name, message, window):
            yield message
    finally:
        settle(server, "QUEUE.RELEASE", name, message)
