#!/usr/bin/env python3
"""The page of a sweep in headless Chromium: it sorts, filters, answers to hover and picking, agrees with `wormscope explore`, hands out
configurations and commands that run, and neither asks a network nor takes what files say for HTML.

Usage: test_page.py WORMSCOPE [SCREENSHOT]. Needs chromium and chromedriver on the path, and nothing beyond Python's own library."""

import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def sweep(directory):
    """Three depths, two lane counts and eight loads with four seeds: latencies with noise, a curve that deadlocks."""
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
    for depth in (2, 4, 16):
        for lanes in (1, 2):
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
                              "const box = found.getBoundingClientRect(); return [Math.min(box.left + box.width / 2, innerWidth - 80), box.top + box.height / 2]", selector)
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


def check_unsound(browser):
    """What is not sound is left out and told, and joined to nothing where it is asked for."""
    seen = lambda: browser.js("return [document.querySelectorAll('#curves .point').length, document.querySelectorAll('#curves .deadlock').length, "
                              "[...document.querySelectorAll('#curves .left-out')].map((p) => p.textContent)]")
    lines = lambda: browser.js("return [...document.querySelectorAll('#curves .curve')].map((path) => path.getAttribute('d').match(/[ML]/g).length)")
    told = ["13 points are left out, not sound: 13 saturated"]
    same("points that saturate are left out, one that deadlocks is crossed", seen(), [35, 1, told])
    before = lines()
    same("lines join the points that are sound", sum(before), 34)
    browser.click("#curve-unsound")
    same("all are shown where asked for", seen(), [48, 1, []])
    same("and joined to nothing", lines(), before)
    browser.click("#curve-unsound")
    browser.choose("curve-y", "saturation")
    same("what is of the hardware is always sound", seen(), [48, 0, []])
    browser.choose("curve-y", "latency_last_mean")
    browser.choose("front-y", "latency_last_mean")
    same("the front says why points are not judged", "14 not judged: 13 saturated, 1 a run deadlocks" in browser.text("#front .keys"), True)
    browser.choose("front-y", "saturation")


def check(wormscope, browser, folder, screenshot):
    sweep(folder / "out")
    (folder / "base.ron").write_text(BASE)
    subprocess.run([wormscope, "report", "out", "-o", "out.html"], cwd=folder, check=True)
    browser.call("POST", "/url", {"url": (folder / "out.html").as_uri()})
    same("all points are there", browser.text("#count"), "48 of 48 points")
    same("curves are drawn, a line for each hardware", browser.js("return document.querySelectorAll('#curves .curve').length"), 6)
    check_unsound(browser)
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
                        ("load=0.120", "load=0.12")]:
        browser.type(count)
        expected = browser.text("#count")
        browser.type(text)
        same(f"filter {text!r} is {count!r}", (browser.text("#count"), browser.text("#wrong")), (expected, ""))
        same("which leaves some points out", expected.split()[0] not in ("0", "48"), True)
    for text, why in [("lod=1", 'no column is called "lod"; fields: fifo_depth, virtual_channels, load; metrics: those of the table'),
                      ("p99<=", '"p99<=" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER'), ("<=4", '"<=4" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER'),
                      ("p99<=many", '"many" is no number'), ("load=0.3", "load is never 0.3 in this sweep; allowed: 0.04, 0.08, 0.12, 0.16, 0.2, 0.24, 0.28, 0.32"),
                      ("latency_last=3", '"latency_last" is short for several; name one: latency_last_mean, latency_last_p99'),
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
         "latency_last_p99 (cycles) against fifo_depth (flits)")
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
    import shlex
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
