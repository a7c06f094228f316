# deploy/recipes/python/try_lock.py
"""One at a time, kept alive beyond its duration, refused when it is lost, fenced outside of Redis."""

import sqlite3
import time

import redis

from fencing import guarded, prepare
from lock import Lock
from trying import container, refused, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")
inside, most = [], []


def work():
    with Lock(server, docs, "report", wait=20):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        inside.pop()


together(work, work, work)
same(most, [1, 1, 1])

with Lock(server, docs, "report") as lock:
    lock.put("part 1")
    refused("LeaseIdMissing", server.execute_command, "BLOB.PUT", docs, "report", "a stranger's")
    refused("LeaseAlreadyPresent", Lock, server, docs, "report", wait=0.1)
    same(lock.held(), True)
same(server.execute_command("BLOB.GET", docs, "report")[1] in ("part 1", b"part 1"), True)

bank = sqlite3.connect(":memory:", isolation_level=None)
prepare(bank)
bank.execute("CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL)")
ADD = "INSERT INTO account VALUES ('anna', ?) ON CONFLICT (name) DO UPDATE SET balance = balance + excluded.balance"
late = Lock(server, docs, "report")
guarded(bank, "report", late.token, ADD, 1)
server.execute_command("LEASE.BREAK", docs, "PERIOD", 0, "BLOB", "report")
with Lock(server, docs, "report") as next_one:
    guarded(bank, "report", next_one.token, ADD, 10)
    try:
        guarded(bank, "report", late.token, ADD, 100)
        raise SystemExit("a late holder was let in")
    except PermissionError:
        pass
    refused("PRECONDITION Lease", late.put, "too late")
    refused("CONFLICT", late.renew)
same(bank.execute("SELECT balance FROM account").fetchone(), (11,))


class Breaking:
    """The connection breaks when the lease is renewed for the first time."""

    def execute_command(self, command, *words):
        if command == "LEASE.RENEW":
            raise redis.ConnectionError("it broke")
        return server.execute_command(command, *words)


try:
    Lock(Breaking(), docs, "report")
    raise SystemExit("it should be broken")
except redis.ConnectionError:
    Lock(server, docs, "report", wait=1).release()  # nobody waits for the end of a lease that nobody has
