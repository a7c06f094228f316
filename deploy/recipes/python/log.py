# deploy/recipes/python/log.py
"""A log that many append to and many follow. Sealing it tells everybody that nothing more will come."""

import redis

from holdfast import LONGEST_BLOCK, fields, outlasting, refusal

FULL = {("PRECONDITION", "MaxBlobSizeConditionNotMet"), ("CONFLICT", "BlockCountExceedsLimit"), ("CONFLICT", "BlobIsSealed")}


def make(server, container, log):
    try:
        server.execute_command("BLOB.CREATEAPPEND", container, log, "IFNONEMATCH", "*")
    except redis.ResponseError as error:
        if refusal(error) != ("CONFLICT", "BlobAlreadyExists"):
            raise


def append(server, container, log, line, most=32 << 20):
    """Answers the offset of the line, or None when the log is full or sealed: begin the next one."""
    try:
        return server.execute_command("BLOB.APPEND", container, log, line, "IFMAXSIZE", most)[1]
    except redis.ResponseError as error:
        if refusal(error) not in FULL:
            raise
        return None


def append_at(server, container, log, line, position):
    """Appends only if the log still ends at this position. So it happens once, also when it is sent again."""
    try:
        server.execute_command("BLOB.APPEND", container, log, line, "IFPOSITION", position)
        return True
    except redis.ResponseError as error:
        if refusal(error) != ("PRECONDITION", "AppendPositionConditionNotMet"):
            raise
        return False


def seal(server, container, log):
    server.execute_command("BLOB.SEAL", container, log)


def follow(server, container, log, tell, position=0, wait=LONGEST_BLOCK):
    """Calls tell(lines, position behind them) for what is there and for all that comes, until the log is sealed.
    A follower that stores the position with what it makes of the lines goes on from there after a crash."""
    while True:
        seen = None
        with outlasting():
            stat = fields(server.execute_command("BLOB.STAT", container, log))
            length = int(stat["content-length"])
            if length <= position and int(stat.get("sealed", 0)):
                return position
            for_more = () if length > position else ("IFNONEMATCH", stat["etag"], "BLOCK", wait)
            try:
                seen = server.execute_command("BLOB.GET", container, log, "RANGE", position, -1, *for_more)
            except redis.ResponseError as error:  # when it has changed, but not grown, there is nothing to tell
                if length < position or refusal(error) != ("INVALID", "InvalidRange"):
                    raise  # the log is shorter than what was read of it: it was begun anew
        if seen is not None:
            lines = seen[1]
            position += len(lines if isinstance(lines, bytes) else lines.encode("utf-8", "surrogateescape"))
            tell(lines, position)
