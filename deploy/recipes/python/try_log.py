# deploy/recipes/python/try_log.py
"""Lines of several writers, one of them sent twice; a follower that dies, goes on, outlives a failover, and hears of the end."""

import threading

from holdfast import text
from log import append, append_at, follow, make, seal
from trying import container, fail_over, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")
make(server, docs, "log")
make(server, docs, "log")


class Killed(Exception):
    pass


done, store = [], {"position": 0}


def tell(lines, position):
    if done and not store.get("again"):
        raise Killed
    done.append(text(lines))
    store["position"] = position  # in one transaction with what was made of the lines


def follower():
    try:
        follow(server, docs, "log", tell, wait=5)
    except Killed:
        store["again"] = True
        same(follow(server, docs, "log", tell, store["position"], wait=5), sum(len(lines) for lines in done))
        store["ended"] = True


def writer(name):
    for number in range(5):
        append(server, docs, "log", f"{name} {number}\n")


same(append(server, docs, "log", "first\n"), 0)
same(append_at(server, docs, "log", "second\n", 6), True)
same(append_at(server, docs, "log", "second\n", 6), False)
same(append(server, docs, "log", b"caf\xe9\n"), 13)  # not UTF-8
following = threading.Thread(target=follower)
following.start()
while not done:
    pass
together(lambda: writer("alice"), lambda: writer("bob"))
fail_over(server)
seal(server, docs, "log")
following.join()
same(store["ended"], True)
lines = "".join(done).splitlines()
same(lines[:3], ["first", "second", "caf\udce9"])
same(sorted(lines[3:]), sorted(f"{name} {number}" for name in ("alice", "bob") for number in range(5)))
same(append(server, docs, "log", "too late\n"), None)
