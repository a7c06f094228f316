# deploy/recipes/python/transactions.py
"""Several commands as one: all of them happen, or none. In a cluster their keys share a slot: orders{7}, mail{7}."""

import redis

from holdfast import fields, pause, refusal
from tables import props

AGAIN = ("PRECONDITION", "UpdateConditionNotSatisfied")


def atomic(server, *commands, token=None):
    """commands: each a tuple of words. Answers the replies, in order."""
    words = [word for command in commands for word in (len(command), *command)]
    once = ("ONCE", token) if token else ()
    return server.execute_command("HOLDFAST.ATOMIC", len(commands), *words, *once)


def change_and_tell(server, change, queue, text, token=None):
    """An outbox: the message is in the queue if the change has happened, and only then."""
    return atomic(server, change, ("QUEUE.PUT", queue, text), token=token)


def transfer(server, source, target, journal, amount, number, attempts=100):
    """Moves coins from one account to another: source and target are (table, partition, row), wherever they are. The line in the
    journal, (table, partition), makes the transfer happen once, however often it is asked for. False when there are too few coins."""
    for attempt in range(1, attempts + 1):
        (from_etag, giver), (to_etag, taker) = [
            (etag, int(fields(found)["coins:int64"]))
            for etag, found in (server.execute_command("TABLE.GET", *account) for account in (source, target))
        ]
        commands = [("TABLE.INSERT", *journal, f"transfer-{number}", *props({"coins:int64": amount}))]
        if giver >= amount:
            commands.append(("TABLE.MERGE", *source, "IFMATCH", from_etag, *props({"coins:int64": giver - amount})))
            commands.append(("TABLE.MERGE", *target, "IFMATCH", to_etag, *props({"coins:int64": taker + amount})))
        else:
            commands[0] = ("TABLE.GET", *journal, f"transfer-{number}")  # has it happened before?
        try:
            atomic(server, *commands)
            return True
        except redis.ResponseError as error:
            if refusal(error) == ("CONFLICT", "EntityAlreadyExists"):
                return True  # it has happened before
            if refusal(error) == ("NOTFOUND", "ResourceNotFound") and giver < amount:
                return False
            if refusal(error) != AGAIN:
                raise
        pause(attempt)
    raise TimeoutError(f"{source} {target}: others kept changing the accounts")
