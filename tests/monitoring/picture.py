"""Draws what the dashboard shows, from numbers that were scraped in a real run of some minutes: picture.py FILE.svg [SECONDS]"""
import html
import json
import math
import sys
import threading
import time

from stage import MONITORING, Stage, read

WIDTH, HEIGHT, MARGIN, COLUMNS = 400, 170, 12, 3
COLOURS = ("#3b7dd8", "#e0792c", "#3c9d5d", "#c8414b", "#8560b8")
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 56, WIDTH - 10, 34, HEIGHT - 40


def readable(number, unit):
    if unit == "s":
        return f"{number * 1000:.3g} ms" if abs(number) < 1 else f"{number:.3g} s"
    digits = f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
    return digits + ("/s" if unit == "ops" else "")


def round_up(number):
    """To 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(number)) if number > 0 else 1
    return next(step * power for step in (1, 2, 5, 10) if step * power >= number)


def legend(pattern, labels):
    for name, text in labels.items():
        pattern = pattern.replace("{{" + name + "}}", text)
    return pattern


def lines_of(stage, panel, begin, end):
    for target in panel["targets"]:
        expression = target["expr"].replace("$instance", ".*").replace("$__rate_interval", "20s")
        for series in stage.ask("query_range", query=expression, start=begin, end=end, step=2):
            points = [(moment, float(text)) for moment, text in series["values"] if text not in ("NaN", "+Inf")]
            if points:
                yield legend(target["legendFormat"], series["metric"]), points


def draw_panel(stage, panel, begin, end):
    unit, lines = panel["fieldConfig"]["defaults"]["unit"], list(lines_of(stage, panel, begin, end))
    top = round_up(max((value for _, points in lines for _, value in points), default=1) or 1)
    drawn = [f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#fff" stroke="#d5d8dd"/>',
             f'<text x="10" y="18" font-weight="bold">{html.escape(panel["title"])}</text>']
    for part in (0, 0.5, 1):
        height = PLOT_BOTTOM - part * (PLOT_BOTTOM - PLOT_TOP)
        drawn.append(f'<path d="M{PLOT_LEFT} {height:.0f}H{PLOT_RIGHT}" stroke="#e6e8eb"/>')
        drawn.append(f'<text x="{PLOT_LEFT - 4}" y="{height + 4:.0f}" text-anchor="end" fill="#667">{readable(top * part, unit)}</text>')
    at = 10
    for number, (name, points) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        places = (f"{PLOT_LEFT + (moment - begin) / (end - begin) * (PLOT_RIGHT - PLOT_LEFT):.1f} "
                  f"{PLOT_BOTTOM - max(0, value) / top * (PLOT_BOTTOM - PLOT_TOP):.1f}" for moment, value in points)
        drawn.append(f'<path d="M{"L".join(places)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        drawn.append(f'<rect x="{at}" y="{HEIGHT - 19}" width="10" height="3" fill="{colour}"/>')
        drawn.append(f'<text x="{at + 14}" y="{HEIGHT - 13}">{html.escape(name)}</text>')
        at += 28 + 6.5 * len(name)
    return "".join(drawn)


def draw(stage, begin, end):
    panels = json.loads(read(MONITORING, "dashboard.json"))["panels"]
    rows = -(-len(panels) // COLUMNS)
    width, height = COLUMNS * (WIDTH + MARGIN) + MARGIN, rows * (HEIGHT + MARGIN) + MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="11" fill="#223">', f'<rect width="{width}" height="{height}" fill="#f4f5f7"/>']
    for number, panel in enumerate(panels):
        x, y = (MARGIN + number % COLUMNS * (WIDTH + MARGIN), MARGIN + number // COLUMNS * (HEIGHT + MARGIN))
        parts.append(f'<g transform="translate({x} {y})">{draw_panel(stage, panel, begin, end)}</g>\n')
    return "\n".join(parts) + "</svg>\n"


def main():
    path, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 120
    with Stage() as stage:
        begin = time.time()
        stage.call("SHARE.CREATE", "share")
        session = stage.call("SHARE.CONNECT", "share", 600)
        while time.time() < begin + seconds:
            busy = time.time() > begin + seconds / 3
            threads = [threading.Thread(target=stage.work, args=(6,)) for _ in range(3 if busy else 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            number = int(time.time())
            stage.call("FILE.CREATE", "share", f"h{number}", 1)
            stage.call("FILE.OPEN", "share", session, f"h{number}", "ACCESS", 1, "READ", "SHARE", 1, "READ")
        with open(path, "w", encoding="utf-8") as file:
            file.write(draw(stage, begin + 3, begin + seconds))


main()
