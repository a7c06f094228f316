# deploy/recipes/python/leader.py
"""A leader election: all stand in line for one lease, and all are told at once who leads. Failovers are waited out."""

import redis

from holdfast import LONGEST_BLOCK, outlasting, pause, refusal, text
from lock import Lock


def is_others(error):
    """Not our turn yet, or no longer: the lease was broken, or a failover lost it."""
    return refusal(error)[1].startswith(("Lease", "BlobNotFound"))


def reign(lead, lock):
    """Answers what lead failed with, unless it is that the lease is lost, which the server knows."""
    try:
        lead(lock)
    except redis.ResponseError as error:
        if not is_others(error) or not lock.held():
            raise
        lock.renew()  # refused if it is lost indeed
        return error
    return None


def campaign(server, container, name, lead, stop, seconds=15, wait=LONGEST_BLOCK):
    """Calls lead(lock) whenever it is our turn. lead returns when lock.held() says no, or to step down. A write that is refused
    since the lease is lost may end it, too, and what passes by itself. Any other error of lead ends the campaign."""
    while not stop.is_set():
        failure = None
        with outlasting():
            try:
                with Lock(server, container, "leader", seconds, wait, name) as lock:
                    lock.put(name)
                    failure = reign(lead, lock)
            except redis.ResponseError as error:
                if not is_others(error):
                    raise
                pause(50)
        if failure:
            raise failure


def follow(server, container, tell, stop, wait=LONGEST_BLOCK):
    """Calls tell(name) for the leader that is there, and for each new one."""
    news = ()  # of what is not there yet, its coming
    while not stop.is_set():
        seen = None
        try:
            with outlasting():
                seen = server.execute_command("BLOB.GET", container, "leader", *news, "BLOCK", wait)
        except redis.ResponseError as error:
            if refusal(error) != ("NOTFOUND", "BlobNotFound"):
                raise
            news = ()
        if seen is not None:  # None: the time is up, and nothing is new
            etag, name = seen
            news = ("IFNONEMATCH", etag)
            if name:
                tell(text(name))
