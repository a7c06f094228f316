# deploy/recipes/python/worker.py
"""Takes messages, extends their windows while it works, and settles them: deleted, or given back with a reason."""

import contextlib
import threading
import time

import redis

from holdfast import LONGEST_BLOCK, fields, outlasting, refusal, text

LOST = {("NOTFOUND", "MessageNotFound"), ("INVALID", "PopReceiptMismatch")}  # by holdfast.queue-receipt-mismatch


@contextlib.contextmanager
def extended(server, queue, message, window):
    """Prolongs the message's window in the background. Each UPDATE answers a new receipt. The old one is its token: an UPDATE whose
    answer did not come is sent again, and answered as if for the first time."""
    done = threading.Event()

    def keep():
        end, asked = time.monotonic() + window, None  # since when an answer is missing
        while not done.wait(window / 3) or asked:
            asked = asked or time.monotonic()
            try:
                words = (queue, message["id"], message["receipt"], "VISIBILITY", window, "ONCE", message["receipt"])
                message["receipt"] = fields(server.execute_command("QUEUE.UPDATE", *words))["receipt"]
                end, asked = asked + window, None
            except redis.RedisError as error:
                message["lost"] = refusal(error) in LOST or time.monotonic() > end  # somebody else has it, or may have
                if message["lost"] or done.is_set():
                    return

    keeper = threading.Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()


def settle(server, command, queue, message, *words):
    """False when it is too late: somebody else has the message, or it has died."""
    try:
        server.execute_command(command, queue, message["id"], message["receipt"], *words)
        return True
    except redis.ResponseError as error:
        if refusal(error) not in LOST:
            raise
        return False


def work_one(server, queue, handle, window=30, wait=LONGEST_BLOCK):
    """Handles one message and answers it, or None when none came in time."""
    taken = server.execute_command("QUEUE.GET", queue, "VISIBILITY", window, "BLOCK", wait)
    if not taken:
        return None
    message = fields(taken[0])
    failure = None
    with extended(server, queue, message, window):
        try:
            handle(message)
        except Exception as error:
            failure = error
    if failure is None:
        settle(server, "QUEUE.DELETE", queue, message)
    else:
        pause = min(2 ** int(message["dequeue-count"]), 600)
        reason = str(failure)[:64]  # never half of a character: decoding clients would choke on it
        settle(server, "QUEUE.RELEASE", queue, message, "VISIBILITY", pause, "REASON", reason)
    return message


def work(server, queue, handle, stop, window=30, wait=LONGEST_BLOCK):
    while not stop.is_set():
        with outlasting():  # what we had comes back to the queue by itself
            work_one(server, queue, handle, window, wait)


def dead(server, queue, count=32):
    """The dead letters, the oldest first: with id, dequeue-count, reason and message."""
    return [fields(letter) for letter in server.execute_command("QUEUE.DEAD", queue, "COUNT", count)]


def redrive(server, queue, letters):
    """Puts these dead letters back, once what killed them is mended; answers how many."""
    ids = [text(letter["id"]) for letter in letters]
    return server.execute_command("QUEUE.REDRIVE", queue, "IDS", len(ids), *ids) if ids else 0
