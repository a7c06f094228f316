# deploy/recipes/python/upload.py
"""Uploads a file in parts, several at a time; readers see the old content or the new one. It can be resumed."""

import base64
import concurrent.futures

import redis

from holdfast import fields, refusal, text

PART = 4 << 20


def part_id(upload, number):
    """All ids of one blob have the same length. With the upload in them, two uploads do not mix."""
    return base64.b64encode(b"%8s%08d" % (upload, number)).decode()


def arrived(server, container, blob):
    """The ids of the parts that wait for their commit. They are kept for a week."""
    try:
        staged = fields(server.execute_command("BLOB.GETBLOCKLIST", container, blob, "UNCOMMITTED"))["uncommitted"]
    except redis.ResponseError as error:
        if refusal(error) != ("NOTFOUND", "BlobNotFound"):
            raise
        return set()
    return {text(pair[0]) for pair in staged}


def upload(server, container, blob, path, name, replaces=None, part=PART, workers=4):
    """name: eight bytes of this upload, the same when it is resumed. replaces: the ETag of what is to be replaced,
    None for a new blob. Answers the new ETag."""
    with open(path, "rb") as file:
        parts = -(-file.seek(0, 2) // part)
    there = arrived(server, container, blob)

    def send(number):
        with open(path, "rb") as file:
            file.seek(number * part)
            server.execute_command("BLOB.PUTBLOCK", container, blob, part_id(name, number), file.read(part))

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(send, (number for number in range(parts) if part_id(name, number) not in there)))
    blocks = [word for number in range(parts) for word in ("UNCOMMITTED", part_id(name, number))]
    condition = ("IFMATCH", replaces) if replaces else ("IFNONEMATCH", "*")
    return server.execute_command("BLOB.PUTBLOCKLIST", container, blob, parts, *blocks, *condition)
