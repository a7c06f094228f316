"""Metrics from the server to Prometheus and into the dashboard: what INFO shows is what a scrape yields. Answers in TAP."""
import json
import re
import sys
import time

from stage import MONITORING, Stage, read

told = []


def tell(what, faults):
    told.append(not faults)
    print(f"{'not ok' if faults else 'ok'} {len(told)} - {what}")
    for fault in list(faults)[:20]:
        print("#   " + fault)


GROWING = set("""answered breaks changes commands deaths deletes done dropped duplicates examined expiries failed gets grants handoffs
    malformed misfit puts redeliveries redrives refusals refused releases renewals rows steps told transactions updates waits""".split())
GROWING_NAMES = {"copies_bytes", "given_back"}
LABELLED = ((r"refused_class_(\w+)$", "refusals_by_class_total", "class"), (r"refused_(\w+)$", "refusals_by_code_total", "code"),
            (r"table_queries_(\w+)$", "table_queries_total", "way"),
            (r"copies_failed_(\w+)$", "copies_failed_by_reason_total", "reason"))


def histogram_series(name, text):
    parts = dict(part.split("=") for part in text.split(","))
    count, reached = int(parts["count"]), 0
    for power in range(23):
        reached = int(parts.get(f"le_{2 ** power}", reached))
        yield name + "_bucket", {"le": f"{2 ** power / 1000:.15g}"}, reached
    yield name + "_bucket", {"le": "+Inf"}, count
    yield name + "_count", {}, count
    yield name + "_sum", {}, int(parts["sum"]) / 1000


def series_of(name, text):
    """What a field of INFO has to be: names, labels and numbers."""
    if name == "version":
        return [("info", {"version": text}, 1)]
    if text.startswith("le_"):
        return list(histogram_series(name[:-3] + "_seconds", text))
    for pattern, other, label in LABELLED:
        match = re.match(pattern, name)
        if match:
            return [(other, {label: match.group(1)}, int(text))]
    name = "refusals" if name == "refused" else name
    if name.endswith("_ms"):
        return [(name[:-3] + "_seconds", {}, int(text) / 1000)]
    grows = name in GROWING_NAMES or name.rsplit("_", 1)[-1] in GROWING
    return [(name + ("_total" if grows else ""), {}, int(text))]


# What goes on by itself between the scrape and the look.
MOVING = {"holdfast_queue_oldest_seconds": 10, "holdfast_clock_behind_seconds": 1, "holdfast_upkeep_bytes": 1e5}


def expected_series(stage):
    expected = {}
    for field, text in stage.information().items():
        for name, labels, number in series_of(field[len("holdfast_"):], text):
            expected["holdfast_" + name, tuple(sorted(labels.items()))] = number
    return expected


def scraped_series(stage):
    found = {}
    for labels, number in stage.values('{__name__=~"holdfast_.*", job="holdfast"}'):
        name = labels.pop("__name__")
        for common in ("instance", "job"):
            labels.pop(common)
        found[name, tuple(sorted(labels.items()))] = number
    return found


def compare(stage):
    expected, found = expected_series(stage), scraped_series(stage)
    found = {key: number for key, number in found.items() if key[0] != "holdfast_findings"}
    yield from (f"{key} is missing" for key in sorted(expected.keys() - found.keys()))
    yield from (f"{key} is of nobody's making" for key in sorted(found.keys() - expected.keys()))
    for key in sorted(expected.keys() & found.keys()):
        if abs(expected[key] - found[key]) > MOVING.get(key[0], 1e-9):
            yield f"{key} is {found[key]}, and INFO has {expected[key]}"


def await_same(stage):
    for _ in range(20):
        faults = list(compare(stage))
        if not faults:
            break
        time.sleep(0.5)
    return faults


def unused(names):
    """Fields that a word of ours makes a counter, though INFO has no such field any more."""
    return [word for word in sorted(GROWING) if not any(name.rsplit("_", 1)[-1] == word for name in names | {"refusals"})]


def expressions():
    board = json.loads(read(MONITORING, "dashboard.json"))
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def unknown_metrics(stage):
    known = {labels["__name__"] for labels, _ in stage.values('{__name__=~"holdfast.*"}')}
    for title, expression in expressions():
        for name in re.findall(r"\bholdfast[a-z0-9_:]*", expression):
            if name not in known and not name.startswith('holdfast"'):
                yield f"{title}: no scrape yields {name}"
        try:
            stage.values(expression.replace("$instance", ".*").replace("$__rate_interval", "5m"))
        except ValueError as error:
            yield f"{title}: {error}"


def main():
    with Stage() as stage:
        stage.work(12)
        time.sleep(2.5)  # windows end, and messages die
        stage.call("QUEUE.GET", "jobs", "VISIBILITY", "1")
        tell("what INFO holdfast shows is what a scrape yields, with proper names and labels", await_same(stage))
        left = stage.values('{__name__=~"redis_script_values"}')
        tell("nothing stays under the exporter's own name", [str(labels) for labels, _ in left])
        tell("every word that makes a counter is in use", unused({name[len("holdfast_"):] for name in stage.information()}))
        stage.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
        stage.await_that("DOCTOR's findings are counted", lambda: [number for _, number in stage.values('holdfast_findings{severity="danger"}')] == [1])
        tell("findings of HOLDFAST.DOCTOR are counted by severity", [])
        time.sleep(2)
        tell("each metric of the dashboard is one that a scrape yields, and each expression is sound", list(unknown_metrics(stage)))
        denied = [line for line in stage.call("ACL", "LOG").splitlines() if "holdfast" in line.lower()]
        tell("the user 'metrics' may do what the script does", denied)
    print(f"1..{len(told)}")
    sys.exit(not all(told))


main()
