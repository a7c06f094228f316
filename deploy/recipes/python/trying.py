# deploy/recipes/python/trying.py
"""What the programs try_*.py share: a server of PORT, in RESP2 or RESP3, with or without decoding."""

import os
import sys
import threading
import time

import redis

from holdfast import connect


def server_to_try(**options):
    options.setdefault("port", int(os.environ.get("PORT", "6379")))
    if os.environ.get("RESP") == "3":
        options["protocol"] = 3  # redis-py 5 and newer; older ones refuse the word
    if os.environ.get("DECODE") == "yes":
        options["decode_responses"] = True
    return connect(**options)


def container(server, name):
    """A fresh container."""
    server.delete(name)
    server.execute_command("CONTAINER.CREATE", name)
    return name


def same(found, expected):
    if found != expected:
        sys.exit(f"{sys.argv[0]}: found {found!r}, expected {expected!r}")


def refused(code, call, *words, **options):
    try:
        call(*words, **options)
    except redis.ResponseError as error:
        if code not in str(error):
            raise
    else:
        sys.exit(f"{sys.argv[0]}: {code} was expected, but nothing was refused")


def fail_over(server, grace=0):
    """What a planned failover is to clients: waiters are sent away, and the server is a replica for a moment, then a primary in grace."""
    time.sleep(0.2)  # by then all wait
    server.execute_command("CONFIG", "SET", "holdfast.grace-seconds", grace)
    server.execute_command("REPLICAOF", "127.0.0.1", 1)
    time.sleep(0.2)
    server.execute_command("REPLICAOF", "NO", "ONE")


def together(*calls):
    """Runs the calls in threads; a failure of one is a failure of the program."""
    failures = []

    def run(call):
        try:
            call()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
