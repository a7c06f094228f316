# deploy/recipes/python/try_mirror.py
"""A follower that is killed and goes on from its bookmark, one that missed too many deletions, and writers all the while, in the end with failovers, of which some lose what the follower had read."""

import threading

from holdfast import text
from mirror import Mirror, names, turn_on
from trying import container, fail_over, same, server_to_try, together

server = server_to_try()
docs = container(server, "try:docs")
turn_on(server, docs, keep=5)


def put(name, content):
    server.execute_command("BLOB.PUT", docs, name, content)


def delete(name):
    server.execute_command("BLOB.DELETE", docs, name)


def there():
    return {name: text(server.execute_command("BLOB.GET", docs, name)[1]) for name, _ in names(server, docs)}


def seen(mirror):
    return {name: text(content) for name, (_, content) in mirror.blobs.items()}


for number in range(20):
    put(f"old {number}", f"{number}")
mirror = Mirror()
mirror.follow(server, docs, wait=0.01)
same(seen(mirror), there())

put("new", "1")
put("old 3", "3, changed")
delete("old 4")
mirror.follow(server, docs)
same(seen(mirror), there())


class Killed(Exception):
    pass


# Killed in the middle of a page: what it kept is half of it, with the bookmark from before, and the changes come once more.
dying = Mirror(mirror.blobs, mirror.bookmark)
fetch, fetched = dying.fetch, []


def dies(*words):
    if fetched:
        raise Killed
    fetched.append(words)
    fetch(*words)


dying.fetch = dies
put("a", "1")
put("b", "1")
try:
    dying.follow(server, docs)
    raise SystemExit("it should be dead")
except Killed:
    pass
kept = Mirror(dying.blobs, dying.bookmark)
same(len(kept.blobs), len(there()) - 1)
kept.follow(server, docs)
same(seen(kept), there())
delete("a")
kept.follow(server, docs)
same(seen(kept), there())

# While nobody followed, more was deleted than the feed remembers.
for number in range(5, 15):
    delete(f"old {number}")
kept.follow(server, docs, wait=0.01)
same(kept.bookmark, None)
kept.follow(server, docs, wait=0.01)
same(seen(kept), there())

over = threading.Event()


def follower():
    while not over.is_set() or seen(kept) != there():
        kept.follow(server, docs, wait=0.5)


def writer(who):
    for number in range(30):
        put(f"{who} {number % 4}", str(number))
        if number % 5 == 4:
            delete(f"{who} {number % 4}")


def writers():
    together(lambda: writer("alice"), lambda: writer("bob"))
    fail_over(server)
    put("after", "1")
    over.set()


together(follower, writers)
same(seen(kept), there())


# A name that is not UTF-8.
server.execute_command("BLOB.PUT", docs, b"caf\xe9", "1")
kept.follow(server, docs, wait=0.01)
same(seen(kept), there())


# A failover loses what the follower had read, when no page had told of it yet. Whether anything is written afterwards or not, it notices.
def loses(*written_after):
    read, behind = kept.read, kept.bookmark[:10] + "FFFFFFFF"
    kept.read = lambda *words: (behind, b"what is lost")
    put("lost", "1")
    kept.follow(server, docs)
    same(seen(kept)["lost"], "what is lost")
    kept.read = read
    fail_over(server)
    for name in written_after:
        put(name, "1")
    kept.follow(server, docs, wait=0.01)
    kept.follow(server, docs, wait=0.01)
    same(seen(kept), there())


loses()
loses("another")
