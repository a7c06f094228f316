# deploy/recipes/python/outside.py
"""A message whose work is done in a database, once, although it may come twice: the database remembers its id."""

from holdfast import text


def prepare(bank):
    bank.execute("CREATE TABLE IF NOT EXISTS handled (id TEXT PRIMARY KEY)")


def once(bank, message, statement, *values):
    """Executes the statement in one transaction with the message's id; False when that was done before."""
    bank.execute("BEGIN IMMEDIATE")
    try:
        new = bank.execute("INSERT OR IGNORE INTO handled VALUES (?)", (text(message["id"]),)).rowcount == 1
        if new:
            bank.execute(statement, values)
        bank.execute("COMMIT")
        return new
    except BaseException:
        bank.execute("ROLLBACK")
        raise
