# deploy/recipes/python/try_leader.py
"""Two campaign; the second leads as soon as the first steps down, and the follower, who was there before them, hears of both. A third waits through a failover. A fourth loses what it was granted, again and again. What a fifth itself fails with comes through, although it looks like that."""

import threading
import time

from leader import campaign, follow
from lock import Lock
from trying import container, fail_over, refused, same, server_to_try, together

server = server_to_try()
infra = container(server, "try:infra")
stop, first_leads, led, told = threading.Event(), threading.Event(), [], []


def lead(lock):
    led.append(lock.token)
    first_leads.set()
    while len(told) < len(led):  # each leads until the follower knows
        threading.Event().wait(0.01)
    if len(led) == 2:
        stop.set()


def alice():
    time.sleep(0.3)
    campaign(server, infra, "alice", lambda lock: (lead(lock), retire.set()), retire, wait=2)


def bob():
    first_leads.wait(10)
    campaign(server, infra, "bob", lead, stop, wait=2)


retire = threading.Event()
together(alice, bob, lambda: follow(server, infra, told.append, stop, wait=1))
same(told, ["alice", "bob"])
same(led[0] < led[1], True)

# The failover comes while all wait, and its grace lasts longer than they do at a time.
held = Lock(server, infra, "leader")
over, told = threading.Event(), []


def failover():
    fail_over(server, grace=1.5)
    held.release()


def heard(name):
    told.append(name)
    if name == "carol":
        over.set()


def reign(lock):
    over.wait(10)


together(
    lambda: campaign(server, infra, "carol", reign, over, wait=0.5),
    lambda: follow(server, infra, heard, over, wait=2),
    failover,
)
same(told, ["bob", "carol"])


class Losing:
    """A failover loses the lease right after the answer to one of these commands."""

    def __init__(self, *commands):
        self.commands = list(commands)

    def execute_command(self, command, *words):
        reply = server.execute_command(command, *words)
        if self.commands and command == self.commands[0]:
            self.commands.pop(0)
            server.execute_command("LEASE.BREAK", infra, "PERIOD", 0, "BLOB", "leader")
            if command == "LEASE.ACQUIRE":
                server.execute_command("BLOB.DELETE", infra, "leader")  # or the blob as well
        return reply


tried, told, over = [], [], threading.Event()


def rule(lock):
    tried.append(lock.token)
    if len(tried) == 1:
        server.execute_command("LEASE.BREAK", infra, "PERIOD", 0, "BLOB", "leader")
    lock.put("an order")
    while told[-1] != "an order":
        time.sleep(0.01)
    over.set()


together(
    lambda: follow(server, infra, told.append, over, wait=0.5),
    lambda: (time.sleep(0.3), campaign(Losing("LEASE.ACQUIRE", "LEASE.RENEW"), infra, "dave", rule, over, wait=0.5)),
)
same(len(tried), 2)
same([told[0], told[-1]], ["carol", "an order"])

tried, over = [], threading.Event()


def fail(lock):
    tried.append(lock.token)
    if len(tried) == 2:
        over.set()  # it should not be called again
    server.execute_command("BLOB.GET", infra, "no such plan")


refused("BlobNotFound", campaign, server, infra, "erin", fail, over, wait=0.5)
same(len(tried), 1)
Lock(server, infra, "leader", wait=0).release()  # nobody waits for the end of her lease
