# deploy/recipes/python/try_semaphore.py
"""Six want one of two permits: never more than two are inside, and none is lost, also not to a holder that fails."""

import time

from holdfast import fields
from semaphore import make, permit
from trying import same, server_to_try, together

server = server_to_try()
server.delete("try:permits")
same(sorted(make(server, "try:permits", 2) for _ in range(3)), [False, False, True])
inside, most = [], []


def work():
    with permit(server, "try:permits") as mine:
        same(mine is not None, True)
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.05)
        inside.pop()


together(*[work] * 6)
same(max(most), 2)
same(fields(server.execute_command("QUEUE.STAT", "try:permits"))["visible"], 2)
with permit(server, "try:permits"), permit(server, "try:permits"), permit(server, "try:permits", wait=0.1) as third:
    same(third, None)

try:
    with permit(server, "try:permits"):
        raise ValueError("no")
except ValueError:
    same(fields(server.execute_command("QUEUE.STAT", "try:permits"))["visible"], 2)
