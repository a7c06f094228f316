"""A server with Holdfast, the distribution's prometheus-redis-exporter and its prometheus, on free ports, in a folder that goes
with them; and some work, so that every metric has something to tell. Used by check.py and picture.py."""
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
MONITORING = os.path.join(TOP, "deploy", "monitoring")
SETTINGS = """bind 127.0.0.1
save ""
appendonly yes
appendfsync everysec
holdfast.lease-min-seconds 0.05
holdfast.copy-from 127.0.0.1:1
holdfast.copy-timeout-seconds 0.2
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Stage:
    """with Stage() as stage: …"""

    def __init__(self, interval="1s"):
        self.interval = interval
        self.processes = []
        self.folder = tempfile.mkdtemp(prefix="holdfast-monitoring-")
        self.redis, self.exporter, self.prometheus = free_port(), free_port(), free_port()

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, name, *words):
        with open(os.path.join(self.folder, name + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT))

    def start_all(self):
        server = os.environ.get("HOLDFAST_SERVER") or "redis-server"
        module = os.path.join(TOP, "build", "holdfast.so")
        users = self.write("users.acl", read(TOP, "deploy", "users.acl").replace(
            "user default off", "user default on nopass ~* &* +@all"))
        self.run("redis", server, self.write("redis.conf", f"loadmodule {module}\nport {self.redis}\naclfile {users}\n{SETTINGS}"))
        secret = self.write("redis-password", json.dumps({f"redis://127.0.0.1:{self.redis}": "change-this-metrics-password"}))
        self.run("exporter", "prometheus-redis-exporter", "-redis.addr", f"redis://127.0.0.1:{self.redis}", "-redis.user", "metrics",
                 "-redis.password-file", secret, "-script", os.path.join(MONITORING, "holdfast.lua"),
                 "-web.listen-address", f"127.0.0.1:{self.exporter}")
        configuration = read(MONITORING, "prometheus.yml").replace("localhost:9121", f"127.0.0.1:{self.exporter}")
        configuration = re.sub(r"(scrape|evaluation)_interval: 15s", rf"\1_interval: {self.interval}", configuration)
        shutil.copy(os.path.join(MONITORING, "holdfast.rules.yml"), self.folder)
        self.run("prometheus", "prometheus", "--config.file", self.write("prometheus.yml", configuration),
                 "--storage.tsdb.path", os.path.join(self.folder, "data"), "--web.listen-address", f"127.0.0.1:{self.prometheus}")
        self.await_that("the server answers", lambda: self.call("PING") == "PONG")
        self.await_that("prometheus has scraped", lambda: self.values("holdfast_info"))

    def await_that(self, what, holds, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            try:
                if holds():
                    return
            except (OSError, ValueError):  # it does not listen yet, or is not ready
                pass
            time.sleep(0.1)
        logs = "".join(f"--- {name}\n{read(self.folder, name)[-1500:]}\n" for name in os.listdir(self.folder) if name.endswith(".log"))
        raise RuntimeError(f"waited in vain: {what}\n{logs}")

    def call(self, *words):
        answer = subprocess.run(["redis-cli", "-p", str(self.redis), *map(str, words)], capture_output=True, text=True, check=False)
        return answer.stdout.rstrip("\n")

    def information(self):
        lines = (line.partition(":") for line in self.call("INFO", "holdfast").splitlines())
        return {name: text.strip() for name, _, text in lines if name.startswith("holdfast_")}

    def ask(self, path, **parameters):
        address = f"http://127.0.0.1:{self.prometheus}/api/v1/{path}?" + urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(address, timeout=20) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise ValueError(f"{parameters}: {error.read().decode()}") from error

    def values(self, query):
        """All series of an instant query: (labels, number)."""
        return [(item["metric"], float(item["value"][1])) for item in self.ask("query", query=query)]

    def work(self, rounds):
        """A copy that fails, blobs, leases with lines, queues with dead letters, tables, files, refusals of several kinds."""
        for name, line in (("CONTAINER.CREATE", "box"), ("QUEUE.CREATE", "jobs MAXDELIVERIES 2"), ("TABLE.CREATE", "people"),
                           ("SHARE.CREATE", "share")):
            self.call(name, *line.split())
        self.call("BLOB.COPY", "box", "copied", "box", "b0", "FROM", "127.0.0.1", 1)
        for number in range(rounds):
            self.call("BLOB.PUT", "box", f"b{number % 50}", "x" * (number % 997))
            self.call("BLOB.PUT", "box", "b0", "y", "IFMATCH", "0x0000000000000001")
            self.call("BLOB.GET", "box", "missing")
            self.call("QUEUE.PUT", "jobs", f"message {number}")
            if number % 3:
                self.call("QUEUE.GET", "jobs", "VISIBILITY", "1")
            self.call("TABLE.INSERTORREPLACE", "people", "p", f"r{number % 100}", "PROPS", 1, "age:int32", number)
            self.call("TABLE.QUERY", "people", "FILTER", "age gt 5")
            self.call("FILE.CREATE", "share", f"f{number % 20}", number)
            self.hand_over(number)

    def hand_over(self, number):
        """One holds a lease for a while, another one waits for it."""
        first = self.call("LEASE.ACQUIRE", "box", 60, "BLOB", "b0", "OWNER", "first").splitlines()[0]
        waiter = threading.Thread(target=self.call, args=("LEASE.ACQUIRE", "box", 0.1, "BLOB", "b0", "BLOCK", 5))
        waiter.start()
        time.sleep(0.02 * (number % 5))
        self.call("LEASE.RELEASE", "box", first, "BLOB", "b0")
        waiter.join()
        self.call("LEASE.BREAK", "box", "PERIOD", 0, "BLOB", "b0")
