# deploy/recipes/python/try_compare_and_set.py
"""Four writers add to one number, 25 times each: nothing is lost. What change itself fails with is not taken for somebody else's write."""

from compare_and_set import update
from trying import container, refused, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")


def add():
    for _ in range(25):
        update(server, docs, "visits", lambda old: str(int(old or 0) + 1))


together(add, add, add, add)
same(int(server.execute_command("BLOB.GET", docs, "visits")[1]), 100)
calls = []


def fail(old):
    calls.append(old)
    return server.execute_command("BLOB.PUT", docs, "visits", "", "IFMATCH", "none")


refused("ConditionNotMet", update, server, docs, "visits", fail, attempts=2)
same(len(calls), 1)
