# deploy/recipes/python/try_worker.py
"""Work that takes longer than its window, answers that are lost, work that fails and dies, a worker that dies, and a failover."""

import threading
import time

import redis

from holdfast import fields, text
from trying import fail_over, same, server_to_try, together
from worker import dead, redrive, work, work_one

server = server_to_try()
server.delete("try:jobs")
server.execute_command("QUEUE.CREATE", "try:jobs", "MAXDELIVERIES", 1)
stop, seen = threading.Event(), []


def handle(message):
    seen.append(text(message["message"]))
    if seen[-1] == "long":
        time.sleep(1.6)  # longer than the window of one second
    if seen[-1] == "last":
        stop.set()


together(
    lambda: work(server, "try:jobs", handle, stop, window=1, wait=1),
    lambda: work(server, "try:jobs", handle, stop, window=1, wait=1),
    lambda: server.execute_command("QUEUE.PUT", "try:jobs", "long"),
    lambda: (time.sleep(2.0), server.execute_command("QUEUE.PUT", "try:jobs", "last")),
)
same(seen, ["long", "last"])


class Losing:
    """A server of which the first answer to a command does not arrive."""

    def __init__(self, command):
        self.command = command

    def execute_command(self, *words):
        answer = server.execute_command(*words)
        if words[0] == self.command:
            self.command = None
            raise redis.ConnectionError("Connection closed by server.")
        return answer


for seconds in (0.5, 1.6):  # the answer is asked for again when the work is done, and in the midst of it
    server.execute_command("QUEUE.PUT", "try:jobs", "slow")
    message = work_one(Losing("QUEUE.UPDATE"), "try:jobs", lambda message: time.sleep(seconds), window=1)
    same(message.get("lost", False), False)
    same(fields(server.execute_command("QUEUE.STAT", "try:jobs"))["messages"], 0)

server.execute_command("QUEUE.PUT", "try:jobs", "poison")


def fail(message):
    raise ValueError("cannot be done " + "ü" * 300)


work_one(server, "try:jobs", fail)
letters = dead(server, "try:jobs")
same([text(letter["reason"])[:14] for letter in letters], ["cannot be done"])
same(redrive(server, "try:jobs", letters), 1)
same(redrive(server, "try:jobs", []), 0)
same(text(work_one(server, "try:jobs", lambda message: None)["message"]), "poison")
same(work_one(server, "try:jobs", fail, wait=0.1), None)

server.execute_command("QUEUE.CONFIGURE", "try:jobs", "MAXDELIVERIES", 5)
server.execute_command("QUEUE.PUT", "try:jobs", "of one who dies")
server.execute_command("QUEUE.GET", "try:jobs", "VISIBILITY", 1)
again = work_one(server, "try:jobs", lambda message: None, wait=5)
same((text(again["message"]), int(again["dequeue-count"])), ("of one who dies", 2))
same(fields(server.execute_command("QUEUE.STAT", "try:jobs"))["messages"], 0)


def stolen(message):
    server.execute_command("QUEUE.RELEASE", "try:jobs", message["id"], message["receipt"])
    server.execute_command("QUEUE.GET", "try:jobs")
    while not message.get("lost"):
        time.sleep(0.01)


for answer in ("mismatch", "notfound"):  # a late worker goes on with the next message, whatever it is answered
    server.execute_command("CONFIG", "SET", "holdfast.queue-receipt-mismatch", answer)
    server.execute_command("QUEUE.PUT", "try:jobs", "stolen")
    same(text(work_one(server, "try:jobs", stolen, window=1)["message"]), "stolen")
    server.execute_command("QUEUE.CLEAR", "try:jobs")

stop, seen = threading.Event(), []
together(
    lambda: work(server, "try:jobs", handle, stop, wait=2),
    lambda: (fail_over(server), server.execute_command("QUEUE.PUT", "try:jobs", "last")),
)
same(seen, ["last"])
