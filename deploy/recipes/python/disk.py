# deploy/recipes/python/disk.py
"""A blob of pages that one owner at a time writes: its sequence number fences off all earlier ones."""

import redis

from holdfast import fields, refusal

PAGE = 512


class Disk:
    def __init__(self, server, container, blob, size=1 << 30):
        self.server, self.container, self.blob = server, container, blob
        try:
            self.send("BLOB.CREATEPAGE", size, "IFNONEMATCH", "*")
        except redis.ResponseError as error:
            if refusal(error) != ("CONFLICT", "BlobAlreadyExists"):
                raise
        self.number = self.take_over()

    def send(self, command, *words):
        return self.server.execute_command(command, self.container, self.blob, *words)

    def take_over(self):
        """From here on the late writes of the owner before us are refused."""
        while True:
            stat = fields(self.send("BLOB.STAT"))
            number = int(stat["sequence-number"]) + 1
            try:
                self.send("BLOB.SETPROPS", "SEQUENCE", "UPDATE", number, "IFMATCH", stat["etag"])
                return number
            except redis.ResponseError as error:
                if refusal(error) != ("PRECONDITION", "ConditionNotMet"):
                    raise

    def put(self, page, content):
        """PRECONDITION SequenceNumberConditionNotMet: somebody else has taken over."""
        return self.send("BLOB.PUTPAGE", page * PAGE, content.ljust(PAGE, b"\0"), "IFSEQUENCE", "EQ", self.number)
