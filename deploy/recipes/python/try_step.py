# deploy/recipes/python/try_step.py
"""Workers that are killed, one at each point of a step: whatever happens, each message has its effect once."""

import os
import signal
import subprocess
import sys
import time

import step
import transactions
from holdfast import fields, text
from tables import props
from trying import same, server_to_try

server = server_to_try()


def count_and_mail(message):
    """Adds one to a counter and puts a mail into the next queue."""
    etag, found = server.execute_command("TABLE.GET", "try:results", "r", "count")
    count = int(fields(found)["n:int64"]) + 1
    return [
        ("TABLE.MERGE", "try:results", "r", "count", "IFMATCH", etag, *props({"n:int64": count})),
        ("TABLE.INSERT", "try:results", "done", text(message["message"]), *props({"n:int64": count})),
        ("QUEUE.PUT", "try:mail", text(message["message"])),
    ]


def stolen(message):
    """Somebody else has taken the message meanwhile."""
    server.execute_command("QUEUE.RELEASE", "try:jobs", message["id"], message["receipt"])
    server.execute_command("QUEUE.GET", "try:jobs")
    return []


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(point):
    """A worker that is killed before it takes, after that, after it has decided, before the answer, or after it."""
    atomic = transactions.atomic

    def before_answer(server, *commands):
        words = [word for command in commands for word in (len(command), *command)]
        connection = server.connection_pool.get_connection("HOLDFAST.ATOMIC")
        connection.send_command("HOLDFAST.ATOMIC", len(commands), *words)
        time.sleep(0.05)  # it is on its way, and may be done
        die()

    def decide(message):
        if point == "taken":
            die()
        commands = count_and_mail(message)
        if point == "decided":
            die()
        return commands

    if point == "sent":
        step.atomic = before_answer
    if point == "answered":
        step.atomic = lambda *words: (atomic(*words), die())
    if point == "idle":
        die()
    step.run_step(server, "try:jobs", decide, window=1, wait=5)


if len(sys.argv) == 2:
    die_at(sys.argv[1])
    sys.exit("it should be dead")

for key, command in (("try:jobs", "QUEUE.CREATE"), ("try:mail", "QUEUE.CREATE"), ("try:results", "TABLE.CREATE")):
    server.delete(key)
    server.execute_command(command, key)
server.execute_command("TABLE.INSERT", "try:results", "r", "count", *props({"n:int64": 0}))
points = ("idle", "taken", "decided", "sent", "answered")
for number, point in enumerate(points):
    server.execute_command("QUEUE.PUT", "try:jobs", point)
    dead = subprocess.run([sys.executable, "-W", "ignore", __file__, point], capture_output=True, text=True, timeout=30)
    same((dead.returncode, dead.stderr), (-signal.SIGKILL, ""))
    count = int(fields(server.execute_command("TABLE.GET", "try:results", "r", "count")[1])["n:int64"])
    same(count, number + (point in ("sent", "answered")))
    found = step.run_step(server, "try:jobs", count_and_mail, window=1, wait=1.5)  # the next worker
    same(found is None, point in ("sent", "answered"))

same(int(fields(server.execute_command("TABLE.GET", "try:results", "r", "count")[1])["n:int64"]), len(points))
mails = server.execute_command("QUEUE.GET", "try:mail", "COUNT", 32)
same(sorted(text(fields(mail)["message"]) for mail in mails), sorted(points))
same(int(fields(server.execute_command("QUEUE.STAT", "try:jobs"))["messages"]), 0)

for answer in ("mismatch", "notfound"):
    server.execute_command("QUEUE.PUT", "try:jobs", "stolen")
    server.execute_command("CONFIG", "SET", "holdfast.queue-receipt-mismatch", answer)
    same(text(step.run_step(server, "try:jobs", stolen)["message"]), "stolen")
