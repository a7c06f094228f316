# deploy/recipes/python/fencing.py
"""The lock's token outside of Redis: a database remembers the greatest token and refuses smaller ones."""


def prepare(bank):
    bank.execute("CREATE TABLE IF NOT EXISTS fence (resource TEXT PRIMARY KEY, token TEXT NOT NULL)")


def guarded(bank, resource, token, statement, *values):
    """Executes the statement in one transaction with the check, unless a later holder has been here."""
    token = token.decode() if isinstance(token, bytes) else token  # all have the same length: they compare as text
    bank.execute("BEGIN IMMEDIATE")
    try:
        seen = bank.execute(
            "INSERT INTO fence VALUES (?, ?) ON CONFLICT (resource) "
            "DO UPDATE SET token = excluded.token WHERE excluded.token >= fence.token",
            (resource, token),
        )
        if seen.rowcount != 1:
            raise PermissionError(f"{resource}: somebody else has the lock by now")
        bank.execute(statement, values)
        bank.execute("COMMIT")
    except BaseException:
        bank.execute("ROLLBACK")
        raise
