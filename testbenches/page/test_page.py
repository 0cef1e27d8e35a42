#!/usr/bin/env python3
"""The page of a sweep in headless Chromium: it sorts, filters, answers to hover and picking, agrees with `wormscope explore`, hands out
configurations and commands that run, and neither asks a network nor takes what files say for HTML.

Usage: test_page.py WORMSCOPE [SCREENSHOT]. Needs chromium and chromedriver on the path, and nothing beyond Python's own library."""

import csv
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from browser import Browser, same

HOSTILE = "<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>"
BASE = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 3)], run: (measure_cycles: 200))\n"


class Page(Browser):
    """The page of a sweep."""

    def type(self, text):
        self.js("const i = document.getElementById('filter'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", text)

    def column(self, name):
        return self.js("const at = [...document.querySelectorAll('#table th')].findIndex((th) => th.textContent.split(' ')[0] === arguments[0]);"
                       "return [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[at].textContent)", name)


def column(name, kind, role, unit=None, path=None):
    return {"name": name, "type": kind, "role": role, "unit": unit, "path": path, "estimate": name == "area_ge", "doc": HOSTILE}


def sweep(directory, depths=(2, 4, 16), channels=(1, 2)):
    """Depths, lane counts and eight loads with four seeds: latencies with noise, a curve that deadlocks."""
    draw = random.Random(7)
    columns = [column("run", "integer", "id"), column("point", "integer", "id"), column("base", "text", "id"),
               column("fifo_depth", "integer", "axis", "flits", "network.switch.fifo_depth"),
               column("virtual_channels", "integer", "axis", None, "network.switch.virtual_channels"),
               column("load", "number", "axis", "flits a node and cycle", "workload[0].traffic.load"),
               column("seed_index", "integer", "seed"), column("seed", "integer", "seed"), column("outcome", "text", "outcome"),
               column("reason", "text", "outcome"), column("latency_last_mean", "number", "metric", "cycles"),
               column("latency_last_p99", "integer", "metric", "cycles"), column("saturation", "number", "metric", "flits a node and cycle"),
               column("area_ge", "number", "metric", "gate equivalents")]
    rows = []
    for depth in depths:
        for lanes in channels:
            limit = 0.15 + 0.05 * min(depth, 8) / 8 + 0.04 * lanes
            # A metric of the hardware: the same at all loads of a seed.
            saturations = [round(draw.gauss(limit, 0.012), 4) for _ in range(4)]
            for load in (0.04, 0.08, 0.12, 0.16, 0.2, 0.24, 0.28, 0.32):
                for seed in range(4):
                    outcome = "done" if load < limit else "saturated"
                    if (depth, lanes, load, seed) == (2, 1, 0.32, 3):
                        outcome = "deadlock"
                    latency = round(20 + 6 * load / max(0.02, limit + 0.03 - load) + draw.gauss(0, 0.4), 3)
                    rows.append([len(rows), len(rows) // 4, "base.ron", depth, lanes, load, seed, draw.randrange(2**64), outcome, "",
                                 latency, int(3 * latency), saturations[seed], 2955 + 1400 * depth * lanes])
    schema = {"format": 1, "version": "0.1.0", "command": "wormscope sweep " + HOSTILE, "bases": [{"name": "base.ron", "sha256": HOSTILE, "text": BASE}],
              "points": len(rows) // 4, "seeds": 4, "runs": len(rows), "columns": columns}
    directory.mkdir()
    (directory / "schema.json").write_text(json.dumps(schema))
    with open(directory / "rows.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[c["name"] for c in columns], *rows])


def explored(wormscope, folder, *args):
    """What `wormscope explore` makes of the points: standing by number."""
    subprocess.run([wormscope, "explore", "out", *args, "--csv", "front.csv"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(folder / "front.csv", newline="") as file:
        return {row["point"]: row["standing"] for row in csv.DictReader(file)}


def standings(browser):
    return browser.js("return Object.fromEntries([...document.querySelectorAll('#front .point')].map((p) => [p.dataset.point, "
                      "['dominated', 'tie', 'front'].find((c) => p.classList.contains(c))]))")


# Whether the error stands by the field: in its line, or in the next one where the window is narrow.
BESIDE = """const field = document.getElementById('filter').getBoundingClientRect(), wrong = document.getElementById('wrong').getBoundingClientRect();
return wrong.width > 0 && wrong.top < field.bottom + field.height && wrong.bottom > field.top"""
# Of the detail of a point: whether all of it is in the window, and whether it hides the place that was clicked.
PLACE = """const [x, y] = arguments, detail = document.getElementById('detail'), box = detail.getBoundingClientRect();
const seen = document.elementFromPoint(box.left + box.width / 2, box.top + 20);
return [!detail.hidden && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth && box.height > 200 && detail.contains(seen),
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom]"""


def check_detail(browser):
    """The detail of a point is in the window at once, and not over what was clicked."""
    for width, height in [(1280, 800), (1024, 640), (820, 600), (640, 700)]:
        browser.resize(width, height)
        for selector in ["#curves .point", "#curves .point:last-of-type", "#front .point", "#table tbody tr", "#table tbody tr:nth-child(30)"]:
            x, y = browser.js("const found = document.querySelector(arguments[0]); found.scrollIntoView({block: 'center', inline: 'nearest'});"
                              "const box = found.getBoundingClientRect(), seen = document.getElementById('work').getBoundingClientRect();"
                              "return [Math.min(box.left + box.width / 2, seen.right - 80), box.top + box.height / 2]", selector)
            browser.click_at(x, y)
            same(f"at {width}x{height} the detail of {selector} is in the window and leaves it free", browser.js(PLACE, x, y), [True, False])
            browser.keys("\ue00c")
            same("Escape closes it", browser.js("return document.getElementById('detail').hidden"), True)
    browser.resize(1280, 800)
    browser.js("document.querySelector('#front .point').focus()")
    browser.keys("\ue007")
    same("Enter opens it too", browser.js(PLACE, -1, -1), [True, False])
    browser.click("#close")
    same("its button closes it", browser.js("return document.getElementById('detail').hidden"), True)
    browser.js("scrollTo(0, 0)")


# Of two texts of a chart that touch, their words; of a text that leaves its chart, its words.
TOUCHING = """const wrong = [];
for (const svg of document.querySelectorAll('.chart svg')) {
  const frame = svg.getBoundingClientRect(), all = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
  all.forEach(([text, box], i) => {
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) wrong.push(text);
    for (const [other, of] of all.slice(0, i)) if (box.left < of.right - 1 && of.left < box.right - 1 && box.top < of.bottom - 3 && of.top < box.bottom - 3) wrong.push(`${text} | ${other}`);
  });
}
return wrong"""
# Colours and dashes of the keys of each legend; a legend is the keys of one picture, or of one panel.
KEYS = """return [...document.querySelectorAll('#curves .key')].filter((key) => key.querySelector('path[d*=h24]')).map((key) => [key.textContent,
  key.firstChild.getAttribute('stroke') + (key.firstChild.getAttribute('stroke-dasharray') ?? '')])"""
RINGS = "return ['curves', 'front'].map((id) => document.querySelectorAll(`#${id} .ring.picked`).length)"


def check_charts(wormscope, browser, folder):
    """A click on a chart always shows a point, in all charts; texts do not touch; fronts of three metrics have numbers."""
    browser.js("scrollTo(0, 0)")
    for chart in ("curves", "front"):
        for right, down in [(0.3, 0.15), (0.6, 0.5), (0.95, 0.1), (0.2, 0.8)]:
            x, y = browser.js("const box = document.querySelector(`#${arguments[0]} svg`).getBoundingClientRect();"
                              "return [box.left + arguments[1] * box.width, box.top + arguments[2] * Math.min(box.height, 280)]", chart, right, down)
            browser.click_at(x, y)
            same(f"a click into {chart} at {right}, {down} shows a point beside it", browser.js(PLACE, x, y), [True, False])
            same("and marks it in both charts", browser.js(RINGS), [1, 1])
    beside = "return document.getElementById('detail').getBoundingClientRect().left >= document.getElementById('charts').getBoundingClientRect().right"
    same("the details stand beside the charts", browser.js(beside), True)
    browser.js("document.querySelector('#table [data-point=\"47\"]').click()")
    same("a row is marked in both charts", browser.js(RINGS), [1, 1])
    same("the details say what is not sound", browser.text("#not-sound"), "Values that are struck out are not valid: saturated.")
    same("and strike it out", browser.js("return document.querySelectorAll('#values .unsound').length"), 2)
    browser.click("#close")
    same("closing takes the marks away", browser.js(RINGS), [0, 0])
    browser.choose("front-z", "latency_last_mean")
    browser.type("load<=0.16")
    same("a front of three metrics is that of wormscope explore", standings(browser),
         explored(wormscope, folder, "--cost", "area", "--quality", "saturation", "--least", "latency_last_mean", "--where", "load=0.04,0.08,0.12,0.16"))
    same("it has a chart for each pair", browser.js("return document.querySelectorAll('#front .axis').length"), 2)
    check_numbers(browser)
    browser.choose("front-z", "saturation")
    same("a metric twice is refused", browser.text("#front"), "A front has different metrics. Choose another.")
    browser.choose("front-z", "")
    browser.type("")


def check_all_axes(browser):
    """A line for each point along all axes: a click chooses the nearest line, a drag along an axis filters."""
    browser.js("document.getElementById('parallel').scrollIntoView({block: 'center'})")
    lines = lambda: browser.js("return document.querySelectorAll('#parallel .line').length")
    same("each point has a line", lines(), 48)
    left, top, width = browser.js("const box = document.querySelector('#parallel svg').getBoundingClientRect(); return [box.left, box.top, box.width]")
    browser.click_at(left + 0.4 * width, top + 120)
    same("a click between the axes chooses a point", browser.js(PLACE, left + 0.4 * width, top + 120), [True, False])
    same("which is marked in all charts", browser.js("return ['curves', 'front', 'parallel'].map((id) => document.querySelectorAll(`#${id} .ring.picked`).length)"), [1, 1, 1])
    browser.click("#close")
    browser.js("document.getElementById('parallel').scrollIntoView({block: 'center'})")
    x, y, height = browser.js("const box = document.querySelector('[data-column=fifo_depth]').getBoundingClientRect(); return [box.left + 9, box.top + 4, box.height - 8]")
    # The axis is linear from 2 to 16, so that its lower half has the depths 2 and 4.
    browser.drag(x, y + height + 2, x, y + height / 2)
    same("a drag along an axis becomes bounds of the filter", re.sub(r"=[-\d.]+", "=", browser.js("return document.getElementById('filter').value")), "fifo_depth>= fifo_depth<=")
    same("which hold", (browser.text("#count"), lines(), browser.text("#wrong")), ("32 of 48 points", 32, ""))
    same("and choose no point", browser.js("return document.getElementById('detail').hidden"), True)
    browser.type("")
    browser.js("scrollTo(0, 0)")


def check_saved(wormscope, browser, folder):
    """A view is saved with the command that draws it."""
    browser.type("fifo_depth<=4 load=0.04,0.08 --at-most area=9000")
    texts_of = lambda chart: " ".join(text.text or "" for text in ElementTree.fromstring(browser.js("return saved(arguments[0])", chart)).iter("{http://www.w3.org/2000/svg}text"))
    command = "wormscope explore out --least area_ge --most saturation --where fifo_depth=2,4 --where load=0.04,0.08 --at-most area_ge=9000 --svg front.svg"
    same("the command of a front is below it", browser.text("#front-command"), command)
    same("and in the file", f"command: {command} " in texts_of("front"), True)
    run = lambda line: subprocess.run([wormscope, *shlex.split(line)[1:]], cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    listed = [line.split()[0] for line in run(command).splitlines()[2:] if line.strip() and line.split()[0].isdigit() and " more " not in line]
    same("the command finds the same front", sorted(listed), sorted(browser.js("return [...document.querySelectorAll('#front-list tbody tr')].map((row) => row.dataset.point)")))
    same("a file has no rules of the page", re.search(r"\.chart|var\(", browser.js("return saved('front')")), None)
    why = 'no option of wormscope plot has the filter "fifo_depth<=4 load=0.04,0.08 --at-most area=9000"'
    same("a view without a command says why", browser.text("#curves-command"), f"No command draws this view: {why}.")
    browser.type("fifo_depth!=16")
    command = "wormscope plot out --y latency_last_mean --x load --where fifo_depth=2,4 --svg curves.svg"
    same("the command of curves has the values of a field", browser.text("#curves-command"), command)
    run(command)
    keys = browser.js("return [...document.querySelectorAll('#curves .key')].map((key) => key.textContent)")
    same("the command draws the same curves", [key for key in keys if key in texts((folder / "curves.svg").read_text())], keys)
    browser.type("done")
    same("a word is no option", browser.text("#front-command"), 'No command draws this view: no option of wormscope explore has the filter "done".')
    browser.type("")


def check_numbers(browser):
    """The points of a front have the numbers of the table, in each chart."""
    numbers = browser.js("return [...document.querySelectorAll('#front .number')].map((text) => text.textContent)")
    listed = browser.js("return [...document.querySelectorAll('#front-list tbody tr')].map((row) => row.cells[0].textContent)")
    best = browser.js("return [...new Set([...document.querySelectorAll('#front .front, #front .tie')].map((mark) => mark.dataset.point))]")
    same("each point of the front has its number in each chart", sorted(numbers), sorted(2 * best))
    same("and a row of the table", sorted(listed), sorted(best))
    return len(best)


def check_crowds(wormscope, browser, folder):
    """Many curves and large fronts can be read."""
    for name, depths, channels, panels, titles in [("few", (2, 4, 8, 16), (1, 2, 3), 3, ["virtual_channels 1", "virtual_channels 2", "virtual_channels 3"]),
                                                   ("many", tuple(range(1, 13)), (1, 2), 3, []), ("long", (2, 4), tuple(range(1, 9)), 2, ["fifo_depth 2", "fifo_depth 4"])]:
        (folder / name).mkdir()
        sweep(folder / name / "out", depths, channels)
        subprocess.run([wormscope, "report", "out", "-o", "out.html"], cwd=folder / name, check=True)
        browser.call("POST", "/url", {"url": (folder / name / "out.html").as_uri()})
        same(f"{name}: curves are in panels", browser.js("return document.querySelectorAll('#curves .axis').length"), panels)
        same("with titles", browser.js("return [...document.querySelectorAll('#curves .title')].map((title) => title.textContent)"), titles)
        keys, curves = browser.js(KEYS), len(depths) * len(channels)
        legends = [keys] if titles else [keys[i:i + 8] for i in range(0, len(keys), 8)]
        same("a panel has eight curves at most", max(len(legend) for legend in legends) <= 8, True)
        same("all curves have a key", len(keys), curves // panels if titles else curves)
        same("of their own colour and dashes", [len({look for _, look in legend}) for legend in legends], [len(legend) for legend in legends])
        svg = plotted(wormscope, folder / name)
        same("plot has the same panels", [title for title in texts(svg) if title.startswith("Latency to")],
             [f"Latency to the last destination: {title}" for title in titles] or 3 * ["Latency to the last destination"])
        same("no texts touch", browser.js(TOUCHING), [])
    browser.choose("front-x", "latency_last_p99")
    browser.choose("front-y", "saturation")
    browser.choose("front-z", "area_ge")
    browser.type("load<=0.12")
    same("a front of three metrics has many points", check_numbers(browser) >= 16, True)
    same("whose numbers do not touch", browser.js(TOUCHING), [])
    browser.type("")
    for x, y in [("load", "area_ge"), ("virtual_channels", "latency_last_p99"), ("fifo_depth", "saturation"), ("area_ge", "latency_last_mean")]:
        browser.choose("curve-x", x)
        browser.choose("curve-y", y)
        for log in (True, False):
            browser.click("#curve-log")
            same(f"no texts of {y} against {x} touch", browser.js(TOUCHING), [])
            label = browser.js("return document.querySelector('#curves .up').textContent")
            same("a logarithmic axis says so", label.endswith(", log scale"), log)
    browser.choose("curve-x", "area_ge")
    browser.choose("curve-y", "saturation")
    same("points against a metric are in one panel", browser.js("return ['axis', 'sound', 'curve', 'key'].map((kind) => document.querySelectorAll(`#curves .${kind}`).length)"), [1, 128, 0, 0])
    same("large numbers have prefixes", all(re.fullmatch(r"0|[\d.]+[kMG]?", tick) and len(tick) <= 6 for tick in browser.js(
        "return [...document.querySelectorAll('#front .tick')].map((tick) => tick.textContent)")), True)


def check_categories(wormscope, browser, folder):
    """A sweep without a load: no line leads from one category to another."""
    (folder / "base.ron").write_text(BASE)
    topologies = "topology=mesh(radices: [4, 4]),torus(radices: [4, 4], datelines: false)"
    for out, more in [("kinds", []), ("depths", ["--vary", "fifo_depth=2,4"])]:
        subprocess.run([wormscope, "sweep", "base.ron", "--vary", topologies, *more, "-o", out], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([wormscope, "report", out, "-o", f"{out}.html"], cwd=folder, check=True)
    seen = lambda: browser.js("return [document.getElementById('curve-x').value, document.querySelectorAll('#curves .point').length, document.querySelectorAll('#curves .curve').length]")
    browser.call("POST", "/url", {"url": (folder / "kinds.html").as_uri()})
    same("categories alone are points and no line", seen(), ["topology", 2, 0])
    for text, count in [("topology=mesh(radices:[4,4])", 1), ("topology=mesh(radices: [4, 4])", 1), ("topology!=mesh( radices: [4,4] )", 1), ("torus", 1),
                        ("topology=mesh(radices:[4,4]),torus(radices:[4,4],datelines:false)", 2)]:
        browser.type(text)
        same(f"filter {text!r}", (browser.text("#count"), browser.text("#wrong")), (f"{count} of 2 points", ""))
    browser.type("topology<=3")
    same("an order of categories is refused", browser.text("#wrong"), "topology is no number; write topology=VALUE,VALUE. All points are shown.")
    browser.type("load=0.1")
    same("a fixed load is told", browser.text("#wrong"), "load is fixed in this sweep, at 0.1. All points are shown.")
    browser.call("POST", "/url", {"url": (folder / "depths.html").as_uri()})
    same("a field of numbers comes before categories", seen(), ["fifo_depth", 4, 2])
    browser.choose("curve-x", "topology")
    same("and no line joins these", seen(), ["topology", 4, 0])
    places = browser.js("return [...document.querySelectorAll('#curves .point')].map((p) => Math.round(p.getBBox().x))")
    same("points of one category stand side by side", len(set(places)), 4)


def plotted(wormscope, folder, *args):
    """The picture of `wormscope plot`."""
    subprocess.run([wormscope, "plot", "out", *args, "--svg", "plot.svg"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (folder / "plot.svg").read_text()


def texts(svg):
    return [text.strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def strokes(browser):
    """The lines of the marks in the legend, each from the first end, and their widths."""
    found = browser.js("return [...document.querySelectorAll('#curves .key .foot')].map((mark) => [mark.dataset.flaw, ...[...mark.querySelectorAll('path')].map((line) => "
                       "[line.getAttribute('d'), line.getAttribute('stroke-width')])])")
    moved = lambda d: [(b - a) for a, b in zip(*[[float(n) for n in end.split(",")] for end in d[1:].split("L")])]
    return {name: [[*moved(d), int(width)] for d, width in lines] for name, *lines in found}


def plot_strokes(svg):
    """The same of a picture of `wormscope plot`: grey lines before the names in its legend."""
    found = {}
    for name, text in [("a run deadlocks", "a run deadlocks"), ("saturated", "saturated from here")]:
        before = svg.split(f"\n{text}\n")[0].split("</text>")[-1]
        lines = re.findall(r'<polyline[^>]*stroke="#6B6B6B"[^>]*stroke-width="(\d)"[^>]*points="([-\d]+),([-\d]+) ([-\d]+),([-\d]+)', before)
        found[name] = [[int(x2) - int(x1), int(y2) - int(y1), int(width)] for width, x1, y1, x2, y2 in lines]
    return found


def check_unsound(wormscope, browser, folder):
    """What is not sound is left out and told, and joined to nothing where it is asked for."""
    seen = lambda: browser.js("const count = (of) => document.querySelectorAll('#curves ' + of).length;"
                              "return [count('.sound'), count('.hollow'), count('.foot.point'), [...document.querySelectorAll('#curves .left-out')].map((p) => p.textContent).join(' ')]")
    lines = lambda: browser.js("return [...document.querySelectorAll('#curves .curve')].map((path) => path.getAttribute('d').match(/[ML]/g).length)")
    told = "14 of 48 points have no valid latency_last_mean: 1 deadlocked, 13 were saturated"
    # Along the load a curve ends at its first point that is saturated. Each of six curves saturates.
    same("a mark at the foot shows the end of each curve and the deadlock", seen(), [34, 0, 7, told])
    before = lines()
    same("lines join the points that are sound", sum(before), 34)
    svg = plotted(wormscope, folder)
    same("plot has the same note", told in texts(svg), True)
    words = [word for word in browser.js("return [...document.querySelectorAll('#curves .key')].map((key) => key.textContent)") if not word.startswith("fifo_depth")]
    same("a mark has a meaning", words, ["a run deadlocks", "saturated from here"])
    same("in the words of plot", [word for word in words if word in texts(svg)], words)
    same("the marks are those of plot", strokes(browser), plot_strokes(svg))
    browser.click("#curve-unsound")
    same("all are shown where asked for", seen(), [34, 14, 7, told])
    same("and joined to nothing", lines(), before)
    browser.click("#curve-unsound")
    struck = browser.js("return [...document.querySelectorAll('#table .unsound')].map((cell) => cell.title)")
    same("the table strikes out what is not sound", sorted(set(struck)), ["not valid: a run deadlocks", "not valid: saturated"])
    same("of both latencies, and of nothing else", len(struck), 2 * 14)
    browser.choose("curve-y", "saturation")
    same("what is of the hardware is always sound", seen(), [48, 0, 0, ""])
    browser.choose("curve-y", "latency_last_mean")
    browser.choose("front-y", "latency_last_mean")
    same("the front says why points are not judged", told in browser.js("return [...document.querySelectorAll('#front .left-out')].map((line) => line.textContent).join(' ')"), True)
    same("and marks them", browser.js("return [...new Set([...document.querySelectorAll('#front .foot.point')].map((mark) => mark.dataset.flaw))].sort()"), ["a run deadlocks", "saturated"])
    browser.choose("front-y", "saturation")


def check(wormscope, browser, folder, screenshot):
    sweep(folder / "out")
    (folder / "base.ron").write_text(BASE)
    subprocess.run([wormscope, "report", "out", "-o", "out.html"], cwd=folder, check=True)
    browser.call("POST", "/url", {"url": (folder / "out.html").as_uri()})
    same("all points are there", browser.text("#count"), "48 of 48 points")
    same("curves are drawn, a line for each hardware", browser.js("return document.querySelectorAll('#curves .curve').length"), 6)
    check_unsound(wormscope, browser, folder)
    check_charts(wormscope, browser, folder)
    check_all_axes(browser)
    check_saved(wormscope, browser, folder)
    same("what files say is text", browser.js("return [window.hacked ?? null, document.images.length, document.scripts.length]"), [None, 0, 2])
    same("the command is shown as it was", HOSTILE in browser.text("#origin"), True)

    browser.js("document.querySelectorAll('#table th button')[4].click()")
    means = [float(cell.split()[0]) for cell in browser.column("area_ge")]
    same("a click on a heading sorts", browser.js("return document.querySelector('[aria-sort]').textContent"), "ended ▲")
    for direction in (False, True):
        browser.js("[...document.querySelectorAll('#table th button')].find((b) => b.textContent.startsWith('area_ge')).click()")
        means = [float(cell.split()[0]) for cell in browser.column("area_ge")]
        same(f"numbers sort as numbers, descending {direction}", means, sorted(means, reverse=direction))

    for text, count in [("fifo_depth=4", 16), ("fifo_depth=4,16 load<=0.08", 8), ("deadlock", 1), ("virtual_channels!=1 load>0.3", 3), ("", 48)]:
        browser.type(text)
        same(f"filter {text!r}", browser.text("#count"), f"{count} of 48 points")
    for text, count in [("latency<=25", "latency_last_mean<=25"), ("p99<=100", "latency_last_p99<=100"), ("p99>100", "latency_last_p99>100"),
                        ("area=5755", "area_ge=5755"), ("p99 <= 100", "latency_last_p99<=100"), ("fifo_depth = 4, 16", "fifo_depth=4,16"),
                        ("network.switch.fifo_depth=4", "fifo_depth=4"), ("switch.fifo_depth!=4", "fifo_depth!=4"), ("depth<4", "fifo_depth<4"),
                        ("load=0.120", "load=0.12"), ("--where fifo_depth=4,16 --at-most p99=100", "fifo_depth=4,16 p99<=100"),
                        ("--where=load=0.1200 --at-least saturation=0.2", "load=0.12 saturation>=0.2")]:
        browser.type(count)
        expected = browser.text("#count")
        browser.type(text)
        same(f"filter {text!r} is {count!r}", (browser.text("#count"), browser.text("#wrong")), (expected, ""))
        same("which leaves some points out", expected.split()[0] not in ("0", "48"), True)
    for text, why in [("lod=1", 'no column is called "lod"; did you mean "load"? fields: fifo_depth, virtual_channels, load; metrics: those of the table'),
                      ("p99<=", '"p99<=" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER'), ("<=4", '"<=4" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER'),
                      ("p99<=many", '"many" is no number'), ("load=0.3", "load is never 0.3 in this sweep; allowed: 0.04, 0.08, 0.12, 0.16, 0.2, 0.24, 0.28, 0.32"),
                      ("latency_last=3", '"latency_last" is short for several; name one: latency_last_mean, latency_last_p99'),
                      ("fifo_dept", 'no point has "fifo_dept"; did you mean "fifo_depth"? write FIELD=VALUE,VALUE, FIELD<=NUMBER or a word such as done'),
                      ("--at-mos p99=3", 'unknown option "--at-mos"; did you mean "--at-most"? allowed: --where, --at-most, --at-least'),
                      ("--at-most p99<=3", '--at-most takes METRIC=NUMBER, not "p99<=3"'), ("--where", "--where needs FIELD=VALUES"),
                      ("--where p99=3", '--where takes FIELD=VALUE,VALUE, not "p99=3"; fields: fifo_depth, virtual_channels, load'),
                      ("flit_bits=64", "flit_bits is fixed in this sweep, at 64"), ("measure_cycles>4", "measure_cycles is fixed in this sweep, at 200")]:
        browser.type("fifo_depth=4")
        same("a filter holds", browser.text("#count"), "16 of 48 points")
        browser.type(text)
        same(f"what is wrong with {text!r} is told", browser.text("#wrong"), why + ". All points are shown.")
        same("and the filter before is not gone on with", browser.text("#count"), "48 of 48 points")
        same("beside the field", browser.js(BESIDE), True)
    browser.type("x" * 5000 + "=1")
    same("a long name is cut", len(browser.text("#wrong")) < 250, True)
    browser.type("")
    same("a filter that is right has no error", (browser.text("#wrong"), browser.js("return document.getElementById('filter').ariaInvalid")), ("", "false"))

    same("the front is that of wormscope explore", standings(browser), explored(wormscope, folder, "--cost", "area", "--quality", "saturation"))
    browser.type("load=0.12")
    browser.choose("front-y", "latency_last_mean")
    expected = explored(wormscope, folder, "--cost", "area", "--least", "latency_last_mean", "--where", "load=0.12")
    same("so is one with noise", standings(browser), expected)
    same("in which noise decides something", "tie" in expected.values(), True)
    browser.type("")
    browser.choose("front-y", "saturation")

    browser.choose("curve-x", "fifo_depth")
    browser.choose("curve-y", "latency_last_p99")
    same("axes can be picked", browser.js("return document.querySelector('#curves svg').getAttribute('aria-label')"),
         "latency_last_p99 (cycles) against fifo_depth (flits), log scale")
    browser.choose("curve-x", "load")
    browser.choose("curve-y", "latency_last_mean")
    browser.hover("#curves .point[data-point='4']")
    same("a point answers to hover", browser.text("#tip").split("\n")[:4], ["point 4", "fifo_depth 2", "virtual_channels 1", "load 0.2"])
    same("visibly", browser.js("return document.getElementById('tip').hidden"), False)

    browser.click("#front .point[data-point='16']")
    same("a click chooses", browser.text("#chosen"), "Point 16: fifo_depth 4, virtual_channels 1, load 0.04")
    same("in the table too", browser.js("return document.querySelector('#table [aria-selected=true]').dataset.point"), "16")
    command = browser.text("#command")
    same("the command is the point's", command, "wormscope run base.ron --set network.switch.fifo_depth=4 "
         "--set network.switch.virtual_channels=1 --set 'workload[0].traffic.load=0.04'")
    (folder / "chosen.ron").write_text(browser.text("#config"))
    run = lambda line: subprocess.run([wormscope, *line], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n", 1)[1]
    same("the configuration runs as the command does", run(["run", "chosen.ron"]), run(shlex.split(command)[1:]))
    browser.click("[data-copy=config]")
    same("copying takes the configuration", browser.js("return getSelection().toString().trim() === document.getElementById('config').textContent.trim()"), True)

    browser.click("#close")
    check_detail(browser)
    fits = "const d = document.documentElement; return d.scrollWidth <= d.clientWidth"
    same("the page fits 1280 pixels", browser.js(fits), True)
    browser.js("scrollTo(0, 0)")
    if screenshot:
        browser.screenshot(screenshot)
    check_crowds(wormscope, browser, folder)
    check_categories(wormscope, browser, folder)
    same("nothing was asked of a network", browser.js("return performance.getEntriesByType('resource').length"), 0)
    time.sleep(0.2)
    same("the browser complained of nothing", browser.complaints(), [])


def main():
    wormscope = str(Path(sys.argv[1]).resolve())
    browser = Page()
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(wormscope, browser, Path(folder), sys.argv[2] if len(sys.argv) > 2 else None)
    finally:
        browser.close()


main()
