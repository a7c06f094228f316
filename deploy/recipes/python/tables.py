# deploy/recipes/python/tables.py
"""Entities: read, decide, write or start over; a transfer in one partition; a fence; all pages of a query."""

import redis

from holdfast import fields, pause, refusal, text

AGAIN = {
    ("PRECONDITION", "UpdateConditionNotSatisfied"),
    ("CONFLICT", "EntityAlreadyExists"),
    ("NOTFOUND", "ResourceNotFound"),
}


def props(properties):
    """{"stock:int32": 3} as the words of PROPS; names carry their types."""
    return "PROPS", len(properties), *(word for pair in properties.items() for word in pair)


def update(server, table, partition, row, change, attempts=100):
    """change(properties, {} when there is no entity yet) answers those to be set; the others stay as they are.
    It may run more than once. Answers the new ETag."""
    for attempt in range(1, attempts + 1):
        try:
            etag, found = server.execute_command("TABLE.GET", table, partition, row)
            old, command, condition = fields(found), "TABLE.MERGE", ("IFMATCH", etag)
        except redis.ResponseError as error:
            if refusal(error) != ("NOTFOUND", "ResourceNotFound"):
                raise
            old, command, condition = {}, "TABLE.INSERT", ()
        new = change(old)
        try:
            return server.execute_command(command, table, partition, row, *condition, *props(new))
        except redis.ResponseError as error:
            if refusal(error) not in AGAIN:
                raise
        pause(attempt)
    raise TimeoutError(f"{table} {partition} {row}: others kept changing it")


def query(server, table, filter, *words):
    """Partition key, row key, ETag and properties of all that match; words are SELECT and TOP.
    A page without rows is not the end: null in the place of the next keys is."""
    more = ()
    while more is not None:
        place = ("NEXT", *more) if more else ()
        more, rows = server.execute_command("TABLE.QUERY", table, "FILTER", filter, *words, *place)
        for partition, row, etag, found in rows:
            yield text(partition), text(row), etag, fields(found)


def transfer(server, table, partition, source, target, amount, number):
    """Moves coins between two entities of a partition. The journal's line makes it happen once, however often it is sent.
    False when there are too few."""
    for attempt in range(1, 100):
        seen = [server.execute_command("TABLE.GET", table, partition, row) for row in (source, target)]
        (from_etag, giver), (to_etag, taker) = [(etag, fields(found)) for etag, found in seen]
        left, more = int(giver["coins:int64"]) - amount, int(taker["coins:int64"]) + amount
        operations = (
            ("INSERT", f"transfer-{number}", *props({"from": source, "to": target, "coins:int64": amount})),
            ("MERGE", source, "IFMATCH", from_etag, "IF", f"coins ge {amount}L", *props({"coins:int64": left})),
            ("MERGE", target, "IFMATCH", to_etag, *props({"coins:int64": more})),
        )
        words = [word for operation in operations for word in operation]
        try:
            server.execute_command("TABLE.BATCH", table, partition, len(operations), *words)
            return True
        except redis.ResponseError as error:
            if refusal(error) == ("CONFLICT", "EntityAlreadyExists"):
                return True  # it has happened already
            if refusal(error) not in AGAIN:
                raise
        if left < 0:
            return False
        pause(attempt)
    raise TimeoutError(f"{table} {partition}: others kept changing the accounts")


def guarded(server, table, partition, token, *operations):
    """Operations of a batch under a lease's token: one with a smaller token than the greatest so far changes nothing.
    The entity 'fence' is inserted once, with an empty token."""
    fence = ("MERGE", "fence", "IFMATCH", "*", "IF", f"token le '{text(token)}'", *props({"token": text(token)}))
    words = [word for operation in (fence, *operations) for word in operation]
    return server.execute_command("TABLE.BATCH", table, partition, 1 + len(operations), *words)[1:]
