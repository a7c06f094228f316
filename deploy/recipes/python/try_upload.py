# deploy/recipes/python/try_upload.py
"""An upload that breaks off and is resumed, and one that comes too late."""

import os
import tempfile

from trying import container, refused, same, server_to_try
from upload import arrived, part_id, upload

server = server_to_try()
raw = server_to_try(decode_responses=False) if os.environ.get("DECODE") != "yes" else None
docs = container(server, "try:docs")
content = os.urandom(10_000) if raw else b"x" * 10_000
with tempfile.NamedTemporaryFile() as file:
    file.write(content)
    file.flush()
    same(arrived(server, docs, "film"), set())
    server.execute_command("BLOB.PUTBLOCK", docs, "film", part_id(b"upload-1", 0), content[:4096])
    same(len(arrived(server, docs, "film")), 1)
    etag = upload(server, docs, "film", file.name, b"upload-1", part=4096)
    found = server.execute_command("BLOB.GET", docs, "film")[1]
    same(found if raw else found.encode(), content)
    refused("BlobAlreadyExists", upload, server, docs, "film", file.name, b"upload-2", part=4096)
    newer = upload(server, docs, "film", file.name, b"upload-3", replaces=etag, part=4096)
    refused("ConditionNotMet", upload, server, docs, "film", file.name, b"upload-4", replaces=etag, part=4096)
    same(newer > etag, True)
