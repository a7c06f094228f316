# deploy/recipes/python/try_clusters.py
"""A cluster of two nodes: commands find their node, nothing is sent twice, a worker outlasts that all nodes are gone for a while, and a transaction that its slot is on its way."""

import os
import random
import re
import subprocess
import tempfile
import threading
import time

import redis

from clusters import connect_cluster
from compare_and_set import update
from holdfast import outlasting, passes, text
from transactions import atomic
from trying import same, server_to_try
from worker import work_one

PROGRAM = os.environ.get("HOLDFAST_SERVER") or "redis-server"
GIVEN = server_to_try().connection_pool.connection_kwargs
OPTIONS = {name: GIVEN[name] for name in ("protocol", "decode_responses") if name in GIVEN}
LIST = ["redis-cli", "-p", os.environ.get("PORT", "6379"), "MODULE", "LIST"]
listed = subprocess.run(LIST, capture_output=True, text=True, check=True)
MODULE = re.search(r"\S+holdfast\S*\.so", listed.stdout)[0]


class Node:
    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(dir=folder)
        while True:
            self.port = random.randrange(20000, 40000)
            self.start()
            if self.answers():
                break

    def start(self):
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--cluster-enabled", "yes", "--loadmodule", MODULE]
        words += ["--appendonly", "yes", "--appendfsync", "always"]  # it will be killed
        self.process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL)

    def ask(self, *words):
        command = ["redis-cli", "-p", str(self.port), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def answers(self):
        while self.process.poll() is None:
            if f"process_id:{self.process.pid}\n" in self.ask("INFO", "server").replace("\r", ""):
                return True
            time.sleep(0.05)
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()


def all_well(nodes):
    return all("cluster_state:ok" in node.ask("CLUSTER", "INFO") and "8001-16383" in node.ask("CLUSTER", "NODES") for node in nodes)


def wait_for(holds, *words):
    for _ in range(200):
        if holds(*words):
            return
        time.sleep(0.1)
    raise SystemExit(f"waited in vain for {holds.__name__}")


def answer_to_broken_wait(server, nodes):
    """Whoever waits when the connection breaks is told so, and nothing is sent again."""

    def kill_clients():
        for node in nodes:
            node.ask("CLIENT", "KILL", "TYPE", "normal")

    threading.Timer(0.3, kill_clients).start()
    try:
        return server.execute_command("QUEUE.GET", "{a}:jobs", "BLOCK", 2)
    except redis.ConnectionError:
        return "a broken connection"


def try_while_moving(server, nodes):
    """One of two keys is at the new node of their slot already."""
    both = ("QUEUE.PUT", "{a}:jobs", "job"), ("BLOB.GET", "{a}:docs", "count")
    slot = server.keyslot("{a}")
    old, new = sorted(nodes, key=lambda node: "{a}:docs" not in node.ask("CLUSTER", "GETKEYSINSLOT", slot, 9))
    new.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", old.ask("CLUSTER", "MYID").strip())
    old.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", new.ask("CLUSTER", "MYID").strip())
    old.ask("MIGRATE", "127.0.0.1", new.port, "{a}:docs", 0, 5000)
    try:
        atomic(server, *both)
        raise SystemExit("it should be refused")
    except redis.RedisError as error:
        same(passes(error), True)
    old.ask("MIGRATE", "127.0.0.1", new.port, "{a}:jobs", 0, 5000)
    for node in (new, old):
        node.ask("CLUSTER", "SETSLOT", slot, "NODE", new.ask("CLUSTER", "MYID").strip())
    same(len(atomic(server, *both)), 2)


def try_all(nodes):
    nodes[0].ask("CLUSTER", "ADDSLOTSRANGE", 0, 8000)
    nodes[1].ask("CLUSTER", "ADDSLOTSRANGE", 8001, 16383)
    nodes[1].ask("CLUSTER", "SET-CONFIG-EPOCH", 2)
    nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", nodes[1].port)
    wait_for(all_well, nodes)
    server = connect_cluster(port=nodes[0].port, **OPTIONS)
    for tag in "abcd":  # slots of both nodes
        docs, jobs = f"{{{tag}}}:docs", f"{{{tag}}}:jobs"
        server.execute_command("CONTAINER.CREATE", docs)
        server.execute_command("QUEUE.CREATE", jobs)
        for _ in range(3):
            update(server, docs, "count", lambda old: int(old or 0) + 1)
        same(text(server.execute_command("BLOB.GET", docs, "count")[1]), "3")
        same(len(atomic(server, ("QUEUE.PUT", jobs, "job"), ("BLOB.GET", docs, "count"))), 2)
        same(text(work_one(server, jobs, lambda message: None, wait=1)["message"]), "job")
    same(len(server.execute_command("HOLDFAST.HELP", "QUEUE.GET", target_nodes=server.RANDOM)) > 0, True)

    if not redis.__version__.startswith("4."):
        same(answer_to_broken_wait(server, nodes), "a broken connection")
    handled, stop = [], threading.Event()

    def work():
        while not stop.is_set():
            with outlasting(seconds=0.2):
                work_one(server, "{a}:jobs", lambda message: handled.append(text(message["message"])), wait=1)

    worker = threading.Thread(target=work)
    worker.start()
    for node in nodes:
        node.kill()
    time.sleep(1)
    for node in nodes:
        node.start()
    wait_for(all_well, nodes)
    nodes[0].ask("-c", "QUEUE.PUT", "{a}:jobs", "late")
    wait_for(lambda: handled == ["late"] or not worker.is_alive())
    same(handled, ["late"])
    stop.set()
    worker.join()
    try_while_moving(server, nodes)


with tempfile.TemporaryDirectory() as place:
    cluster = []
    try:
        cluster += [Node(place), Node(place)]
        try_all(cluster)
    finally:
        for one in cluster:
            one.kill()
