# deploy/recipes/python/table_mirror.py
"""A cache of a table that follows its feed (TABLE.FEED table ON), as that of a container does."""

from holdfast import fields, text
from mirror import Mirror
from tables import query


class TableMirror(Mirror):
    """Properties by partition key and row key."""

    changes, missing = "TABLE.CHANGES", ("NOTFOUND", "ResourceNotFound")

    def listed(self, server, table):
        for partition, row, etag, _ in query(server, table, "PartitionKey ge ''", "SELECT", 1, "RowKey"):
            yield (partition, row), etag

    def name_of(self, item):
        return text(item["pk"]), text(item["rk"])

    def read(self, server, table, name):
        etag, found = server.execute_command("TABLE.GET", table, *name)
        return etag, fields(found)
