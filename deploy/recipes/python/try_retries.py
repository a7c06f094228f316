# deploy/recipes/python/try_retries.py
"""The connection breaks before a command arrives, and before its answer does; the server is away for a while: each is done once."""

import os
import socket
import threading

from holdfast import connect, fields, text
from retries import send_once
from trying import container, same, server_to_try

PORT = int(os.environ.get("PORT", "6379"))
server = server_to_try()
docs = container(server, "try:docs")
server.execute_command("BLOB.CREATEAPPEND", docs, "log")


class Proxy:
    """A server that hangs up on the first connections: before it passes a command on, or before it passes the answer back."""

    def __init__(self, *faults):
        self.faults, self.listener = list(faults), socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.create_connection(("127.0.0.1", PORT)) as upstream:
            while command := client.recv(1 << 16):
                is_ours = b"BLOB.APPEND" in command
                if is_ours and self.faults and self.faults[0] == "command":
                    return self.faults.pop(0)
                upstream.sendall(command)
                answer = upstream.recv(1 << 16)
                if is_ours and self.faults:
                    return self.faults.pop(0)
                client.sendall(answer)


def append(line, *faults):
    proxy = Proxy(*faults)
    return send_once(connect(port=proxy.listener.getsockname()[1]), "BLOB.APPEND", docs, "log", line)


offsets = [append("one\n", "command"), append("two\n", "answer"), append("three\n", "command", "answer", "answer"), append("four\n")]
same([int(offset) for _, offset, _ in offsets], [0, 4, 8, 14])
same(text(server.execute_command("BLOB.GET", docs, "log")[1]), "one\ntwo\nthree\nfour\n")
same(int(fields(server.execute_command("BLOB.STAT", docs, "log"))["block-count"]), 4)

# A failover: the server is a replica for a moment, and says so; and there is none for a moment.
server.execute_command("REPLICAOF", "127.0.0.1", 1)
threading.Timer(0.3, server.execute_command, ("REPLICAOF", "NO", "ONE")).start()
same(int(send_once(server, "BLOB.APPEND", docs, "log", "five\n")[1]), 19)
proxy = Proxy()
port = proxy.listener.getsockname()[1]
proxy.listener.close()
threading.Timer(0.5, lambda: setattr(proxy, "listener", socket.create_server(("127.0.0.1", port))) or proxy.accept()).start()
same(int(send_once(connect(port=port), "BLOB.APPEND", docs, "log", "six\n")[1]), 24)
os._exit(0)  # the proxy would wait for more
