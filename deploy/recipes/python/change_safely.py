# deploy/recipes/python/change_safely.py
"""A change that is undone when it fails, and a draft that is published exactly as it was checked."""


def migrate(server, container, blob, step):
    """Calls step(lease id). If it fails, the blob is as before. Nobody else writes to it meanwhile. If it cannot be undone, since
    the server cannot be reached or the lease was broken, that is the error, and the snapshot is still there."""
    lease = server.execute_command("LEASE.ACQUIRE", container, -1, "BLOB", blob, "OWNER", "migration")[0]
    try:
        before = server.execute_command("BLOB.SNAPSHOT", container, blob, "LEASE", lease)[0]
        try:
            step(lease)
        except BaseException:
            words = (container, blob, container, blob, "SNAPSHOT", before, "LEASE", lease)
            server.execute_command("BLOB.COPY", *words)
            server.execute_command("BLOB.DELETE", container, blob, "SNAPSHOT", before)
            raise
        server.execute_command("BLOB.DELETE", container, blob, "SNAPSHOT", before)
    finally:
        server.execute_command("LEASE.RELEASE", container, lease, "BLOB", blob)


def publish(server, container, draft, target, check, replaces=None):
    """replaces: the ETag of what the draft takes the place of, None when there is nothing yet.
    PRECONDITION SourceConditionNotMet: the draft has changed since, check again.
    PRECONDITION TargetConditionNotMet, CONFLICT BlobAlreadyExists: somebody else has published. Answers the new ETag."""
    etag, content = server.execute_command("BLOB.GET", container, draft)
    check(content)
    condition = ("IFMATCH", replaces) if replaces else ("IFNONEMATCH", "*")
    words = (container, target, container, draft, "SOURCEIFMATCH", etag, *condition)
    return server.execute_command("BLOB.COPY", *words)[0]
