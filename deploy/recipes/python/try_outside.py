# deploy/recipes/python/try_outside.py
"""A worker pays and dies before it deletes the message. The next one gets it again, and pays nothing."""

import sqlite3

from outside import once, prepare
from trying import same, server_to_try
from worker import work_one

server = server_to_try()
server.delete("try:jobs")
server.execute_command("QUEUE.CREATE", "try:jobs")
bank = sqlite3.connect(":memory:", isolation_level=None)
prepare(bank)
bank.execute("CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL)")
bank.execute("INSERT INTO account VALUES ('anna', 0)")
paid = []


class Killed(BaseException):
    pass


def pay(message):
    paid.append(once(bank, message, "UPDATE account SET balance = balance + 1 WHERE name = ?", "anna"))
    if len(paid) == 1:
        raise Killed


server.execute_command("QUEUE.PUT", "try:jobs", "anna")
try:
    work_one(server, "try:jobs", pay, window=1)
except Killed:
    pass
work_one(server, "try:jobs", pay, window=1, wait=5)
same(paid, [True, False])
same(bank.execute("SELECT balance FROM account").fetchone(), (1,))
