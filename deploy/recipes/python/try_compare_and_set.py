# deploy/recipes/python/try_compare_and_set.py
"""Four writers add to one number, 25 times each: nothing is lost."""

from compare_and_set import update
from trying import container, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")


def add():
    for _ in range(25):
        update(server, docs, "visits", lambda old: str(int(old or 0) + 1))


together(add, add, add, add)
same(int(server.execute_command("BLOB.GET", docs, "visits")[1]), 100)
