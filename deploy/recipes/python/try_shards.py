# deploy/recipes/python/try_shards.py
"""Things lie in their parts, are found by whoever asks for all of them, and no part is forgotten by a worker."""

from holdfast import text
from shards import Shards, all_blobs, take
from trying import same, server_to_try

server = server_to_try()
docs, jobs, orders = Shards("try:docs", 8), Shards("try:jobs", 8), Shards("try:orders", 8)
same(Shards("docs").key("plan.txt"), "{docs:29}")  # as with Node
same(docs.key("plan.txt", ":mail").replace(":mail", ""), docs.key("plan.txt"))

for shards, command in (docs, "CONTAINER.CREATE"), (jobs, "QUEUE.CREATE"), (orders, "TABLE.CREATE"):
    for key in shards.keys():
        server.delete(key)
        server.execute_command(command, key)

names = [f"doc-{number:03}" for number in range(200)]
for name in reversed(names):
    server.execute_command("BLOB.PUT", docs.key(name), name, "text of " + name)
same([text(blob["name"]) for blob in all_blobs(server, docs, "COUNT", 7)], names)
same(text(server.execute_command("BLOB.GET", docs.key("doc-150"), "doc-150")[1]), "text of doc-150")
used = {docs.key(name) for name in names}
same(len(used), 8)

for number in range(40):
    server.execute_command("QUEUE.PUT", jobs.key(f"customer-{number}"), f"job-{number}")
done = set()
while found := take(server, jobs, home=3, wait=0.01):
    key, message = found
    server.execute_command("QUEUE.DELETE", key, message["id"], message["receipt"])
    done.add(text(message["message"]))
same(done, {f"job-{number}" for number in range(40)})

# All orders of a customer are in one part, so one batch can change several.
server.execute_command("TABLE.BATCH", orders.key("bob"), "bob", 2, "INSERT", "1", "PROPS", 1, "state", "new", "INSERT", "2", "PROPS", 1, "state", "new")
same(len(server.execute_command("TABLE.QUERY", orders.key("bob"), "FILTER", "PartitionKey eq 'bob'")[1]), 2)
for shards in docs, jobs, orders:
    server.delete(*shards.keys())
