#!/usr/bin/env python3
"""The page of `wormscope view` in headless Chromium: every value that it shows is that of the waveform of the same run, in runs of configurations
drawn at random; it plays, steps, is clicked, searched and linked into, saves pictures, and neither asks a network nor takes what files say for HTML.

Usage: test_view.py WORMSCOPE [SCREENSHOT_DIR], in the folder with configs. Needs chromium and chromedriver on the path, and nothing beyond
Python's own library. PAGE_CASES says how many configurations are drawn, PAGE_SEED the seed of the first. Each other has the next seed. The same
are drawn every time unless PAGE_SEED says otherwise."""

import csv
import itertools
import json
import math
import os
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
from configurations import Configuration
from registers import Comparison

CONFIGS = Path("configs").resolve()
HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1<script> & \"{js}.ron"
RIGHT, LEFT, DOWN, HOME, END, SHIFT, ENTER, ESCAPE, TAB, PAGE_DOWN = "\ue014", "\ue012", "\ue015", "\ue011", "\ue010", "\ue008", "\ue007", "\ue00c", "\ue004", "\ue00f"
SEED = int(os.environ.get("PAGE_SEED", 1))
CASES = int(os.environ.get("PAGE_CASES", 12))
# Moments of each run that are compared with its waveform.
MOMENTS = 12
# Runs that are compared whatever is drawn, as a configuration, fields that are overridden and cycles shown: trees in a mesh, tokens, paths that
# are stripped in a window that begins amid them, lanes side by side, masks for ports, wires of several cycles, as deep nodes as none by default.
COMPARED = [("mesh_4x4_bit_string.ron", [], []), ("atbm_fig6c_token_ring.ron", [], []),
            ("mesh_8x8_dual_path.ron", ["run.max_cycles=300"], ["--window", "150..300"]), ("atbm_fig6c_virtual_channels.ron", [], []),
            ("uni_min_16_multiport_buffered.ron", [], []), ("mesh_4x4_bit_string.ron", ["network.link.link_cycles=3", "network.switch.crossbar_cycles=2"], []),
            ("nodes.ron", ["network.node.consumption_depth=9"], []), ("nodes.ron", ["network.node.consumption_depth=1"], []),
            ("far.ron", [], ["--window", "5000000000..5000000020"])]
# Two nodes, and one worm in cycle 2; the same in a cycle that 32 bits do not hold.
NODES = "(network: (topology: linear(nodes: 2)), workload: [messages([(cycle: 2, source: 0, destinations: [1], payload_flits: 12)])])"
FAR = NODES.replace("cycle: 2", "cycle: 5000000003")

# More than a thousand worms under way: the longest name of a curve.
MANY = "(network: (topology: mesh(radices: [36, 36])), workload: [traffic(load: 0.9, payload_flits: 16)], run: (measure_cycles: 40, max_cycles: 60))"

LATE = """(purpose: "Trees in a mesh arrive in time", network: (topology: mesh(radices: [4, 4])),
    random: [(worms: 24, cycles: (0, 60), payload_flits: (4, 12)),
        (worms: 4, cycles: (0, 20), payload_flits: (4, 12), encodings: [(bit_string, 1)], destinations: (3, 6))],
    expect: (final_state: empty, latencies: [(worms: [3, 4, 5, 6], at_most: 14)]))"""


def compare(wormscope, browser, folder, name, sets, parts, draw, what):
    """The page of a run, or a part of it, with the waveform of the whole."""
    config = name if (folder / name).exists() else CONFIGS / name
    subprocess.run([wormscope, "view", config, *sets, *parts, "-o", "x.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([wormscope, "run", config, *sets, "--wave", "x.vcd", "--accounts", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 2:
        sys.exit(f"{what}: no waveform: {done.stderr}")
    visit(browser, folder / "x.html")
    is_accounted(browser, folder, what)
    print(f"ok  {what}: {Comparison(browser, folder / 'x.vcd', what).of(draw, MOMENTS)}")


def is_accounted(browser, folder, what):
    """The cycles of each worm by cause are those of `run --accounts`, at the destination that it reaches last."""
    rows = {int(row["worm"]): row for row in csv.DictReader((folder / "x.csv").open())}
    moves, found, expected = {"header", "decision", "crossing", "link"}, {}, {}
    causes = browser.js("return wormscope.meta().causes.slice(0, -1)")
    waits = lambda row: {name: int(row[name.replace("-", "_")]) for name in causes}
    arrived = {w["id"] for w in browser.js("return wormscope.meta().worms") if len(w["delivered"]) == len(w["to"])}
    for account in browser.js("return wormscope.accounts()"):
        if account["worm"] not in arrived:
            continue
        cycles = waits(rows[account["worm"]])
        found[account["worm"]] = account["cycles"]
        moving = {"moves": sum(cycles[name] for name in moves)}
        expected[account["worm"]] = {name: n for name, n in (cycles | moving).items() if n and name not in moves}
    same(f"{what}: accounts of {len(found)} worms", found, expected)


def is_traced(wormscope, browser, folder):
    """The way to the root of a wait, as `wormscope why` tells it."""
    config = CONFIGS / "bi_min_64_8x8_atbm.ron"
    subprocess.run([wormscope, "view", config, "-o", "tokens.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    visit(browser, folder / "tokens.html", "#t=200&worm=7")
    for t in (150, 200, 250, 300):
        subprocess.run([wormscope, "why", config, "--worm", "7", "--at", str(t), "--json", "why.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        steps = json.loads((folder / "why.json").read_text())[0]["traces"][0]["steps"]
        expected = [{"lane": step["at"], "worm": step["worm"]} for step in steps]
        same(f"the root of worm 7 in cycle {t}", browser.js("return wormscope.root(7, arguments[0])", t), expected)
    config = CONFIGS / "atbm_fig6c_deadlock.ron"
    subprocess.run([wormscope, "why", config, "--worm", "1", "--at", "32", "--json", "why.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    steps = json.loads((folder / "why.json").read_text())[0]["traces"][0]["steps"]
    subprocess.run([wormscope, "view", config, "--no-cures", "-o", "knot.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    visit(browser, folder / "knot.html", "#t=32&worm=1")
    # The page goes from a branch to its sibling in one step.
    expected = [step["worm"] for step, before in zip(steps, [None, *steps]) if before is None or (step["at"], step["worm"]) != (before["at"], before["worm"])]
    found = browser.js("return wormscope.root(1, 32)")
    same("the root of a deadlock goes through the same worms", {step["worm"] for step in found}, set(expected))
    stall = folder / "stall.ron"
    worm = "messages([(cycle: 0, source: 4, destinations: [7], payload_flits: 8)])"
    stall.write_text(f'(network: (topology: mesh(radices: [4, 4])), workload: [stalls([(link: "rt_1_1.out0", from: 0, until: 60)]), {worm}])')
    subprocess.run([wormscope, "view", stall, "-o", "stall.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    visit(browser, folder / "stall.html", "#t=30&worm=0")
    text = told(browser)
    same("a stall is at the root of a wait", all(part in text for part in ["stall 5", "waits for the end of a stall", "the workload stalls the link"]), True)
    visit(browser, folder / "tokens.html", "#t=300&worm=7")
    text = told(browser)
    same("the panel says where its cycles went", all(part in text for part in ["Where its 294 cycles went", "token 184", "worm 6 74; worm 8 99"]), True)


def part(browser, draw):
    """A window and a scope of the run that the page shows, or none."""
    since, until = browser.js("return wormscope.span()")
    parts = []
    if draw.random() < 0.5:
        first = draw.randrange(since, until)
        parts += ["--window", f"{first}..{draw.choice(['', first + draw.randint(1, 50)])}"]
    if draw.random() < 0.3:
        names = browser.js("const m = wormscope.meta(); return [...m.switches.map((s) => s.name), ...m.nodes.map((n) => n.name.replace('n', 'node'))]")
        for name in draw.sample(names, min(len(names), draw.randint(1, 3))):
            parts += ["--scope", f"top.{name}"]
    return parts


def is_compared(wormscope, browser, folder):
    """Runs that are chosen, and runs of configurations that are drawn, of which a part is shown."""
    for name, sets, window in COMPARED:
        sets = [arg for value in sets for arg in ("--set", value)]
        compare(wormscope, browser, folder, name, sets, window, random.Random(1), " ".join([name, *sets, *window]))
    print(f"    configurations are drawn: PAGE_SEED={SEED} PAGE_CASES={CASES}")
    for seed in range(SEED, SEED + CASES):
        again, command = f"PAGE_SEED={seed} PAGE_CASES=1", ""
        try:
            draw = random.Random(seed)
            drawn = Configuration(wormscope, draw, folder, "drawn.ron")
            command = shlex.join([drawn.name, *drawn.sets])
            compare(wormscope, browser, folder, drawn.name, drawn.sets, [], draw, f"{again}: {command}")
            parts = part(browser, draw)
            if parts:
                compare(wormscope, browser, folder, drawn.name, drawn.sets, parts, draw, f"    {shlex.join(parts)}")
        except BaseException:
            print(f"{again} draws this again:\n{(folder / 'drawn.ron').read_text()}{command}", file=sys.stderr)
            raise


def visit(browser, path, fragment=""):
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": path.as_uri() + fragment})
    for _ in range(600):
        if browser.js("return Boolean(window.wormscope || document.getElementById('wrong'))"):
            break
        time.sleep(0.05)
    same("the page is shown", browser.js("return document.getElementById('wrong')?.textContent ?? null"), None)
    drawn(browser)


def drawn(browser):
    """Waits until the page has drawn a frame after all that was done so far."""
    browser.js("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")


def goes_to(browser, fragment):
    """Follows a link into the page that is shown."""
    follow = "return new Promise((done) => { addEventListener('hashchange', () => done(null), {once: true}); location.hash = arguments[0]; })"
    browser.js(follow, fragment)
    drawn(browser)


def now(browser):
    return browser.js("return wormscope.now()")


def told(browser, selector="#detail"):
    """What the panel says, once it is drawn."""
    drawn(browser)
    return browser.text(selector)


def chosen(browser):
    return browser.js("return wormscope.selection()")


def plays(browser):
    """The clock, by keys and by buttons."""
    browser.keys(HOME)
    same("Home is the first cycle", now(browser), 0)
    browser.keys(RIGHT)
    browser.keys(RIGHT)
    same("an arrow is a step", now(browser), 2)
    browser.keys(SHIFT, RIGHT)
    same("with shift ten", now(browser), 12)
    browser.keys(LEFT)
    same("and back", now(browser), 11)
    browser.keys(" ")
    same("space plays", browser.js("return wormscope.playing()"), True)
    for _ in range(600):
        if now(browser) > 12:
            break
        time.sleep(0.05)
    same("time passes", now(browser) > 12, True)
    browser.keys(" ")
    same("space pauses", browser.js("return wormscope.playing()"), False)
    browser.keys(END)
    same("End is the last cycle", now(browser), browser.js("return wormscope.span()[1] - 1"))
    browser.click("#start")
    browser.click("#step")
    same("buttons step as well", now(browser), 1)
    drawn(browser)
    same("the address tells the cycle", "t=1" in browser.js("return location.hash"), True)


def is_clicked(browser):
    """A flit, a switch, a wire, a node, the band."""
    browser.js("wormscope.seek(16); wormscope.select(null)")
    cell = "const g = wormscope.geometry(), k = wormscope.at(16).inputs.findIndex((lane) => lane.count > 1); return [...wormscope.screen(...g.cellAt(k, 1)), wormscope.at(16).inputs[k].cells[1][0]]"
    x, y, worm = browser.js(cell)
    browser.click_at(x, y)
    same("a click on a flit chooses its worm", chosen(browser), {"kind": "worm", "worm": worm})
    same("which the panel is about", told(browser, "#detail h2"), f"Worm {worm}")
    browser.click_at(x, y)
    same("a second click chooses the cell", chosen(browser)["kind"], "input")
    x, y = browser.js("const s = wormscope.meta().switches[0]; return wormscope.screen(...s.at)")
    browser.click_at(x, y)
    same("a switch", chosen(browser), {"kind": "switch", "switch": 0})
    same("whose lanes are told", "in2" in told(browser), True)
    x, y = browser.js("const p = wormscope.meta().outputs[0].points; return wormscope.screen((p[0] + p[2]) / 2, (p[1] + p[3]) / 2)")
    browser.click_at(x, y)
    same("a wire", chosen(browser), {"kind": "link", "output": 0})
    same("whose use is told", "%" in told(browser), True)
    x, y = browser.js("return wormscope.screen(...wormscope.meta().nodes[3].receive)")
    browser.click_at(x, y)
    same("a node", chosen(browser), {"kind": "node", "node": 3})
    browser.click_at(*browser.js("return wormscope.band(21)"))
    same("the band leads to its cycle", now(browser), 21)


def is_searched(browser):
    browser.keys("/")
    same("/ searches", browser.js("return document.activeElement.id"), "search")
    browser.write("worm 1")
    browser.keys(ENTER)
    same("by worm", chosen(browser), {"kind": "worm", "worm": 1})
    for text, kind in [("n14", "node"), ("rt_2_1", "switch"), ("rt_2_1.out2", "link"), ("bit_string", "worm")]:
        browser.keys("/")
        browser.js("document.getElementById('search').value = ''")
        browser.write(text)
        browser.keys(ENTER)
        same(f"by {text}", chosen(browser)["kind"], kind)
    browser.keys(ESCAPE)
    same("Esc chooses nothing", chosen(browser), None)


def is_explained(browser):
    browser.js("wormscope.seek(16); wormscope.select({worm: 0})")
    text = told(browser)
    same("a wait for a lane says who has it", "waits for rt_2_1.out2 owned by worm 1" in text, True)
    same("a blocked branch says who holds", "without credit on rt_1_1.out0" in text and "have the flit and hold" in text, True)
    buttons = browser.js("return [...document.querySelectorAll('#jumps button')].map((b) => b.textContent)")
    same("there are places to go to", buttons, ["First branching", "First without credit", "Longest wait", "Slowest multicast", "Summary"])
    browser.js("document.querySelectorAll('#jumps button')[2].click()")
    same("the longest wait", "LANES" in told(browser) and chosen(browser) == {"kind": "worm", "worm": 0}, True)


def is_misled(browser, page):
    """Addresses and searches that name nothing, or a multicast by number."""
    worms = browser.js("return wormscope.meta().worms.map((w) => w.id)")
    for fragment, wrong, near in [("worm=9999", f"worm=9999 is no worm of this page; allowed: {min(worms)} to {max(worms)}", f"nearest: {max(worms)}"), ("switch=rt_2_17", "switch=rt_2_17 is no switch", "nearest: rt_2_1"),
                                  ("t=abc", "t=abc is no cycle of this page; allowed: 0 to 41", ""), ("t=99", "t=99 is no cycle of this page; allowed: 0 to 41", "nearest: 41"),
                                  ("node=n33", "node=n33 is no node", "nearest: n3"), ("link=rt_1_1.out9", "link=rt_1_1.out9 is no link", "nearest: rt_1_1.out0"), ("fifo=rt_1_1.im0", "fifo=rt_1_1.im0 is no fifo", "nearest: rt_1_1.in0"),
                                  ("run=2", "run=2 is no run of this page; allowed: 1 to 1", ""), ("wrm=1", "wrm is nothing that an address takes; allowed: t, worm, switch", "nearest: worm")]:
        goes_to(browser, f"#{fragment}")
        line = told(browser, "#now")
        same(f"#{fragment}", (wrong in line, near in line), (True, True))
    visit(browser, page, "#t=12&worm=77")
    same("an address says so when the page opens as well", (now(browser), "worm=77 is no worm" in told(browser, "#now")), (12, True))
    browser.keys(RIGHT)
    same("until something else happens", "worm=77" in told(browser, "#now"), False)


def finds_multicasts(browser):
    """Worm 111 where it is a multicast, else the 111th one."""
    worms = browser.js("return wormscope.meta().worms.filter((w) => w.to.length > 1).map((w) => w.id)")
    for text, worm in [(f"multicast {worms[2]}", worms[2]), ("multicast 2", worms[1])]:
        browser.js("wormscope.select(null); document.getElementById('search').value = ''")
        browser.keys("/")
        browser.write(text)
        browser.keys(ENTER)
        same(f"search finds {text}", chosen(browser), {"kind": "worm", "worm": worm})


def is_alone(browser):
    """One worm alone in colour: a picture of it has neither the colours nor the marks of others."""
    browser.js("wormscope.seek(16); wormscope.select({worm: 1})")
    grey = lambda colour: max(channels := [int(colour[i:i + 2], 16) for i in (1, 3, 5)]) - min(channels) < 60
    colours = lambda: {colour for colour in re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', browser.js("return wormscope.svg()")) if not grey(colour)}
    of_all = colours()
    browser.keys("f")
    alone = colours()
    browser.keys("f")
    same("of all worms there are several colours", len(of_all) > 2, True)
    same("with f only those of the chosen one", alone, {browser.js("return wormscope.colours().worms[1]")})


def are_by_time(browser):
    """A lane for each worm, in the order and the span that are asked for."""
    lanes = lambda: browser.js("return wormscope.lanes()")
    worms = browser.js("return wormscope.meta().worms")
    browser.keys("w")
    drawn(browser)
    same("every worm has a lane by time", lanes(), [worm["id"] for worm in sorted(worms, key=lambda worm: (worm["created"], worm["id"]))])
    order = lambda name: browser.js("const of = document.querySelector('#worms select'); of.value = arguments[0]; of.onchange()", name)
    order("cycles waited")
    waited = {of["worm"]: sum(n for cause, n in of["cycles"].items() if cause != "moves") for of in browser.js("return wormscope.accounts()")}
    same("those that waited longest are first", [waited[worm] for worm in lanes()], sorted(waited.values(), reverse=True))
    order("latency")
    latency = {worm["id"]: max(d[3] for d in worm["delivered"]) - worm["created"] for worm in worms if worm["delivered"]}
    same("or those that took longest", latency[lanes()[0]], max(latency.values()))
    browser.click("#worms input")
    same("or multicasts alone", sorted(lanes()), [worm["id"] for worm in worms if len(worm["to"]) > 1])
    browser.click("#worms input")
    order("creation")
    browser.js("document.querySelector('#worms canvas').focus(); wormscope.select({worm: arguments[0]})", lanes()[3])
    browser.keys(DOWN)
    same("the arrow down chooses the next one", chosen(browser), {"kind": "worm", "worm": lanes()[4]})
    before = len(lanes())
    browser.keys("m")
    browser.js("const [from, until] = document.querySelectorAll('#heatbar input'); from.value = 100; until.value = 119; until.onchange()")
    there = lambda worm: worm["created"] < 120 and (len(worm["delivered"]) < len(worm["to"]) or max(d[3] for d in worm["delivered"]) > 100)
    same("a brushed span leaves the worms that are there in it", (sorted(lanes()), len(lanes()) < before), ([worm["id"] for worm in worms if there(worm)], True))
    browser.keys("m")
    browser.js("document.activeElement.blur()")


def is_summed_up(wormscope, browser, folder, config, page):
    """With nothing chosen: what `run` prints and warns of, and for a deadlock commands that free it."""
    browser.js("wormscope.select(null)")
    text = told(browser)
    done = subprocess.run([wormscope, "run", config], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    meta = browser.js("const { report, warnings, brief, changed, freed } = wormscope.meta(); return { report, warnings, brief, changed, freed }")
    same(f"the report of {page} is that of run", (done.stdout.startswith(meta["report"]), meta["report"] in text), (True, True))
    same("the warnings as well", [f"warning: {w}" for w in meta["warnings"]], done.stderr.splitlines())
    same("which the panel tells", [w in text for w in meta["warnings"]], [True] * len(meta["warnings"]))
    same("and each field that is not as by default", [path.removeprefix("network.") in text for path, *_ in meta["changed"]], [True] * len(meta["changed"]))
    cures = browser.js("return [...document.querySelectorAll('#detail .command')].map((c) => [c.textContent, c.querySelector('code').textContent])")
    same("a deadlock has its commands", bool(cures), meta["freed"] is not None)
    for about, command in cures:
        done = subprocess.run([wormscope, *shlex.split(command)[1:], *(["--before", "0"] if " deadlock " in command else [])], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if " deadlock " in command:
            same(command, (done.returncode, all(line in done.stdout for line in meta["freed"]["noReturn"].splitlines())), (3, True))
        else:
            same(command, (done.returncode, re.search(r"done at (\d+)", about)[1]), (0, re.search(r"done after (\d+) cycles", done.stdout)[1]))


AXE = Path("src/page/view/page/node_modules/axe-core/axe.min.js").resolve()
# What who sees no green, or no red, sees of linear light (Machado, Oliveira and Fernandes 2009, severity 1).
BLIND = {"all colours": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
         "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]}


def lab(colour, sight):
    """A colour in CIE Lab, as somebody sees it."""
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    seen = [min(1, max(0, sum(a * b for a, b in zip(row, light)))) for row in sight]
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = [sum(a * b for a, b in zip(row, seen)) / white for row, white in zip(to_xyz, (0.95047, 1, 1.08883))]
    x, y, z = [c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz]
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def is_told_apart(browser):
    """States have colours that stay apart for the colour-blind, and worms have looks of their own."""
    for theme in ("light", "dark"):
        if browser.js("return document.documentElement.dataset.theme") != theme:
            browser.keys("d")
        colours = browser.js("const c = wormscope.colours(); return ['header', 'route', 'token', 'lanes', 'move', 'blocked', 'heads'].map((state) => c[state])")
        for sight, matrix in BLIND.items():
            apart = min(math.dist(lab(a, matrix), lab(b, matrix)) for a, b in itertools.combinations(colours, 2))
            same(f"{theme}: states are apart for who sees {sight}: {apart:.0f} in Lab", apart >= 25, True)
    browser.keys("d")
    looks = browser.js("return Array.from({ length: 121 }, (_, worm) => wormscope.look(worm))")
    same("121 worms have as many looks", len(set(looks)), 121)


def is_accessible(browser, what):
    """axe-core finds nothing, in light and dark."""
    browser.js(AXE.read_text())
    for theme in ("light", "dark"):
        if browser.js("return document.documentElement.dataset.theme") != theme:
            browser.js("document.getElementById('theme').click()")
        drawn(browser)
        found = browser.js("return axe.run().then(({ violations }) => violations.map((of) => [of.id, ...of.nodes.map((node) => node.html.slice(0, 120))]))")
        same(f"axe-core finds nothing in {what}, {theme}", found, [])
    browser.js("document.getElementById('theme').click()")


def is_reached(browser):
    """What has the focus keeps it; the keyboard does everything; a screen reader is not talked over."""
    focused = lambda: browser.js("return document.activeElement.id || document.activeElement.className || document.activeElement.textContent")
    browser.js("wormscope.seek(10); document.getElementById('step').focus()")
    browser.keys(" ")
    same("space presses the button that has the focus", (now(browser), focused()), (11, "step"))
    browser.keys(RIGHT)
    same("a step leaves the focus where it is", (now(browser), focused()), (12, "step"))
    browser.js("wormscope.select({worm: 0}); document.getElementById('step').focus()")
    drawn(browser)
    browser.js("[...document.querySelectorAll('#detail a')].find((a) => a.textContent === 'n3').focus()")
    browser.keys(RIGHT)
    drawn(browser)
    same("in the panel as well", browser.js("return document.activeElement.textContent"), "n3")
    browser.keys(ENTER)
    same("where Enter follows a link", chosen(browser), {"kind": "node", "node": 3})
    stops = set()
    browser.js("document.activeElement.blur(); document.getElementById('search').focus()")
    for _ in range(60):
        browser.keys(TAB)
        stops.add(focused())
    wanted = {"save", "theme", "help", "in", "out", "fit", "alone", "start", "back", "play", "step", "end", "cycle", "speed", "band", "panel", "Copy"}
    same("Tab comes to every control", wanted - stops, set())
    band = browser.js("const b = document.querySelector('.band'); b.focus(); return ['role', 'tabindex', 'aria-valuemin', 'aria-valuemax', 'aria-valuenow', 'aria-label'].map((name) => b.getAttribute(name))")
    same("the band is a slider", band, ["slider", "0", "0", "41", str(now(browser)), "Cycle"])
    browser.keys(PAGE_DOWN)
    drawn(browser)
    same("which page down moves", browser.js("return Number(document.querySelector('.band').getAttribute('aria-valuenow'))"), 23)
    before = browser.js("const v = wormscope.view(); return [v.x, v.y]")
    for key in "hk":
        browser.keys(key)
    same("h and k move the network", browser.js("const v = wormscope.view(); return [v.x, v.y]"), [before[0] + 60, before[1] + 60])
    browser.keys("0")
    browser.keys(HOME)
    time.sleep(1)
    browser.js("window.said = []; new MutationObserver(() => window.said.push(document.getElementById('spoken').textContent)).observe(document.getElementById('spoken'), {childList: true})")
    browser.choose("speed", "10")
    browser.js("document.getElementById('play').click()")
    time.sleep(3)
    said = browser.js("return window.said.length")
    browser.js("document.getElementById('play').click()")
    time.sleep(1)
    same("a screen reader hears of a run that plays at most once in 3 s", said <= 1, True)
    same("and where it stops", browser.js("return window.said.at(-1).startsWith(`Cycle ${wormscope.now()}: `)"), True)


def is_small(browser):
    """At 200 %: the network keeps a size that is of use, and all else is below it."""
    browser.command("Emulation.setDeviceMetricsOverride", width=640, height=400, deviceScaleFactor=2, mobile=False)
    drawn(browser)
    size = browser.js("const v = wormscope.view(), b = wormscope.geometry().bounds; return Math.min(v.scale * (b.right - b.left), v.scale * (b.bottom - b.top))")
    same(f"at 200 % the network has {size:.0f} pixels", size > 220, True)
    same("nothing is cut at the side", browser.js("return document.documentElement.scrollWidth <= innerWidth"), True)
    order = browser.js("return ['views', 'band', 'panel'].map((id) => document.getElementById(id).getBoundingClientRect().top)")
    same("the time line is below it, the panel below that", order, sorted(order))
    browser.command("Emulation.clearDeviceMetricsOverride")
    drawn(browser)


# By wire and FIFO, as `meta` names them.
NAMED_HEAT = """const { maps: [{ wires, fifos }], from, until } = wormscope.heat(), m = wormscope.meta(), full = (name, owner) => (name.startsWith(owner + ".") ? name : `${owner}.${name}`);
    const links = m.outputs.flatMap((o, k) => (o.points.length ? [[full(o.name, m.switches[o.switch].name), wires[k]]] : []));
    const injected = m.injections.map((i, k) => [`node${i.node}.${i.name}`, wires[m.outputs.length + k]]);
    return { from, until, links: Object.fromEntries([...links, ...injected]), fifos: Object.fromEntries(m.inputs.flatMap((i, k) => (i.exists ? [[full(i.name, m.switches[i.switch].name), fifos[k]]] : []))) };"""


def is_heated(wormscope, browser, folder, config, sets):
    """Heat over the whole run is what `run --links` and `--fifos` count."""
    subprocess.run([wormscope, "run", CONFIGS / config, *sets, "--links", "links.csv", "--fifos", "fifos.csv"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([wormscope, "view", CONFIGS / config, *sets, "-o", "heat.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    visit(browser, folder / "heat.html")
    rows = {name: list(csv.DictReader((folder / f"{name}.csv").open())) for name in ("links", "fifos")}
    browser.keys("m")
    browser.js("document.querySelectorAll('#heatbar input')[1].value = arguments[0] - 1; document.querySelectorAll('#heatbar input')[1].dispatchEvent(new Event('change'))", int(rows["links"][0]["cycles"]))
    heat = browser.js(NAMED_HEAT)
    # Lanes of a link are called after it.
    lanes = lambda found, name: [value for lane, value in found.items() if lane == name or lane.startswith(name + ".")]
    near = lambda found, expected, of=sum: [(name, value, lanes(found, name)) for name, value in expected.items() if not lanes(found, name) or abs(of(lanes(found, name)) - value) > 1e-9]
    same(f"{config} {sets}: use of {len(rows['links'])} links", near(heat["links"], {row["link"]: float(row["use"]) * int(row["links"]) for row in rows["links"]}), [])
    same("mean fill of FIFOs", near(heat["fifos"], {row["fifo"]: float(row["mean"]) for row in rows["fifos"]}), [])
    browser.js("const by = document.querySelector('#heatbar select'); by.value = 'blocked'; by.dispatchEvent(new Event('change'))")
    heat = browser.js(NAMED_HEAT)
    same("blocked share of links", near(heat["links"], {row["link"]: float(row["blocked"]) for row in rows["links"]}, max), [])
    same("of which some are", any(float(row["blocked"]) for row in rows["links"]), True)


def is_brushed(browser):
    """A drag on the time line brushes the span."""
    browser.js("document.getElementById('heat').click()")
    browser.drag(*browser.js("return wormscope.band(10)"), *browser.js("return wormscope.band(19)"))
    drawn(browser)
    heat = browser.js("const { from, until, most, fullest } = wormscope.heat(); return { from, until, most, fullest }")
    same("a drag on the time line brushes", (heat["from"], heat["until"]), (10, 20))
    key = browser.text("#heatbar .keys")
    same("the legend has its numbers", (f"{100 * heat['most']:.1f} % of the cycles" in key, f"{heat['fullest']:.2f} of 4 flits" in key), (True, True))
    before = now(browser)
    browser.click_at(*browser.js("return wormscope.band(25)"))
    same("a click goes to its cycle", (before != 25, now(browser)), (True, 25))
    picture = browser.js("return wormscope.svg()")
    heats = browser.js("return wormscope.colours().heat")
    same("the picture has the hottest colour, and the coordinates", (heats[-1] in picture, len(re.findall(r">[0-3]</text>", picture)) >= 8), (True, True))
    browser.keys("m")
    same("m shows a cycle again", browser.js("return wormscope.heat()"), None)


def parting(browser):
    """The first cycle in which the registers of two runs differ, but for credits and cells, which a deeper FIFO has more of."""
    kept = {"inputs": ["state", "worm", "branches", "taken", "count"], "outputs": ["valid", "worm", "flit"], "injections": ["valid", "worm", "flit"],
            "consumptions": ["valid", "worm", "flit"], "tokens": ["here", "holder", "request"]}
    for t in range(min(browser.js("return [0, 1].map((run) => wormscope.span(run)[1])"))):
        runs = browser.js("return [0, 1].map((run) => wormscope.at(arguments[0], run))", t)
        seen = [{f"{kind} {of['name']}": [of[key] for key in keys] for kind, keys in kept.items() for of in run[kind] if of.get("exists", True)} for run in runs]
        names = [name.split(" ")[1] for name in seen[0] if seen[0][name] != seen[1][name]]
        if names:
            return t, names
    return None


def is_compared_beside(browser):
    """Two runs: one view of both, where they differ first, the worms of both."""
    views = lambda: browser.js("return [0, 1].map((run) => { const { x, y, scale } = wormscope.view(run); return [x, y, scale].map((n) => Math.round(100 * n)); })")
    found = parting(browser)
    same("the first difference is seen first", now(browser), found[0])
    line = told(browser, "#now")
    same("a line tells it", (line.startswith(f"First difference in cycle {found[0]}: "), any(name.split(".")[-1] in line for name in found[1])), (True, True))
    browser.js("wormscope.seek(30); wormscope.select({worm: 0})")
    browser.js("[...document.querySelectorAll('#jumps button')].find((b) => b.textContent === 'First difference').click()")
    same("a button leads there", now(browser), found[0])
    browser.js("[...document.querySelectorAll('#jumps button')].find((b) => b.textContent === 'Longest wait').click()")
    whole = """return [0, 1].map((run) => { const v = wormscope.view(run), b = wormscope.geometry(run).bounds, box = v.element.getBoundingClientRect();
        return v.x + v.scale * b.left >= 0 && v.x + v.scale * b.right <= box.width && v.y + v.scale * b.top >= 0 && v.y + v.scale * b.bottom <= box.height; })"""
    same("the longest wait leaves both networks in sight", browser.js(whole), [True, True])
    before = views()
    x, y = browser.js("return wormscope.screen(...wormscope.meta().switches[5].at)")
    browser.wheel(x, y, -300)
    drawn(browser)
    same("the wheel zooms both alike", (views()[0] == before[0], views()[0] == views()[1]), (False, True))
    browser.keys("0")
    same("0 shows all of both", views(), before)
    rows = browser.js("return [...document.querySelectorAll('#both tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    ends = browser.js("return [0, 1].map((run) => wormscope.meta(run).worms.map((w) => Math.max(...w.delivered.map((d) => d[3])) - w.created))")
    same("each worm has its latency in both", {row[0]: row[1:3] for row in rows}, {f"worm {k}": [str(a), str(b)] for k, (a, b) in enumerate(zip(*ends))})
    apart = [abs(int(b) - int(a)) for _, a, b, _ in rows]
    same("those that differ most first", apart, sorted(apart, reverse=True))
    browser.js("wormscope.select(null)")
    browser.click("#both tbody tr:nth-child(2) td:nth-child(3)")
    name = rows[1][0]
    same("a row chooses its worm in both", [browser.js("return wormscope.selection(arguments[0])", run) for run in (0, 1)], [{"kind": "worm", "worm": int(name.split()[1])}] * 2)
    drawn(browser)
    same("and both runs tell of it", browser.js("return [...document.querySelectorAll('#detail h2')].map((h) => h.textContent.split(' ')[0])"), ["A", "Worm", "B", "Worm"])


def is_handed_out(wormscope, browser, folder):
    """The command of the waveform, and pictures."""
    browser.js("wormscope.select({worm: 0})")
    command = told(browser, "#command code")
    done = subprocess.run([wormscope, *shlex.split(command)[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    same(f"the command runs: {command}", (done.returncode, (folder / "view.fst").exists()), (0, True))
    picture = ElementTree.fromstring(browser.js("return wormscope.svg()"))
    same("a moment is saved as SVG", picture.tag.endswith("svg") and len(picture.findall(".//{*}rect")) > 16, True)
    moving = ElementTree.fromstring(browser.js("return wormscope.animation(10, 20)"))
    same("a span as one that moves", len(moving.findall(".//{*}animate")), 10)


def is_labelled(browser):
    """Nothing of what the curves are called is cut off at the edge of the band."""
    edge = """const band = document.querySelector('canvas.band'), wide = Math.round(4 * devicePixelRatio), top = Math.round(18 * devicePixelRatio);
        return new Set(new Uint32Array(band.getContext('2d').getImageData(0, top, wide, band.height - top).data.buffer)).size"""
    same("names of curves stand inside the band", browser.js(edge), 1)


def is_calm(browser):
    is_labelled(browser)
    same("there is one term for a lane without credit", re.findall(r"no credit|First blocked|\d blocked", browser.js("return document.body.innerText")), [])
    same("nothing was asked of a network", browser.js("return performance.getEntriesByType('resource').length"), 0)
    same("what files say is text", browser.js("return [window.hacked ?? null, document.images.length]"), [None, 0])
    drawn(browser)
    same("the browser complained of nothing", browser.complaints(), [])


def check(wormscope, browser, folder, shots):
    def shot(name):
        if shots:
            drawn(browser)
            browser.screenshot(shots / f"{name}.png")

    view = lambda *args: subprocess.run([wormscope, "view", *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "nodes.ron").write_text(NODES)
    (folder / "far.ron").write_text(FAR)
    is_compared(wormscope, browser, folder)

    (folder / HOSTILE).write_text((CONFIGS / "mesh_4x4_bit_string.ron").read_text())
    view(HOSTILE, "-o", "hostile.html")
    visit(browser, folder / "hostile.html")
    same("a name is shown as it is", browser.text("#title"), HOSTILE)
    same("the first sight is a worm that branches", (chosen(browser), now(browser) > 0), ({"kind": "worm", "worm": 0}, True))
    plays(browser)
    is_clicked(browser)
    is_searched(browser)
    is_explained(browser)
    shot("tree")
    is_alone(browser)
    is_told_apart(browser)
    is_reached(browser)
    is_small(browser)
    browser.js("wormscope.seek(16); wormscope.select(null)")
    is_accessible(browser, "a run")
    browser.js("wormscope.select({worm: 0})")
    is_accessible(browser, "a worm")
    browser.js("wormscope.select({kind: 'switch', switch: 6})")
    is_accessible(browser, "a switch")
    is_brushed(browser)
    is_misled(browser, folder / "hostile.html")
    is_handed_out(wormscope, browser, folder)
    browser.keys("d")
    same("d is dark or light", browser.js("return document.documentElement.dataset.theme"), "dark")
    browser.js("wormscope.seek(16)")
    shot("dark")
    same("the page fits the window", browser.js("const d = document.documentElement; return d.scrollWidth <= d.clientWidth && d.scrollHeight <= d.clientHeight"), True)
    is_calm(browser)

    visit(browser, folder / "hostile.html", "#t=12&worm=1")
    same("an address leads to its moment", (now(browser), chosen(browser)), (12, {"kind": "worm", "worm": 1}))
    goes_to(browser, "#t=20&switch=rt_2_1")
    same("so does another one", (now(browser), chosen(browser)), (20, {"kind": "switch", "switch": 6}))
    shot("switch")
    goes_to(browser, "#t=20&link=rt_3_3.out0")
    same("but not to a lane beyond the border", chosen(browser), {"kind": "switch", "switch": 6})

    is_traced(wormscope, browser, folder)
    shot("root")
    view(CONFIGS / "atbm_fig6c_deadlock.ron", "-o", "deadlock.html")
    visit(browser, folder / "deadlock.html")
    same("a deadlock is seen first", now(browser), 24)
    same("with its circle", browser.js("return [...document.querySelectorAll('#knot li')].map((li) => li.textContent)"),
         ["worm 1 at sw_s1_r2.in0 waits for sw_s1_r2.out1 owned by worm 2", "worm 2 at sw_s1_r0.in1 waits for sw_s1_r0.out1 owned by worm 1"])
    shot("deadlock")
    is_summed_up(wormscope, browser, folder, CONFIGS / "atbm_fig6c_deadlock.ron", "a deadlock")
    is_accessible(browser, "a deadlock")
    shot("summary")
    is_calm(browser)

    (folder / "late.ron").write_text(LATE)
    view("late.ron", "-o", "late.html")
    visit(browser, folder / "late.html")
    failures = browser.js("return wormscope.meta().failures")
    items = browser.js("return [...document.querySelectorAll('#failed li')].map((li) => li.textContent)")
    same("what a testbench does not expect is told", (len(failures) > 0, [item.startswith(f["text"]) for item, f in zip(items, failures)]), (True, [True] * len(items)))
    first = min(failures, key=lambda f: f["cycle"])
    same("a late worm has a wait that made it late", first["since"] < first["cycle"], True)
    same("and that is seen first", (now(browser), chosen(browser)), (first["since"], {"kind": "worm", "worm": first["worm"]}))
    same("with why it is late", first["why"] in told(browser, "#failed"), True)
    browser.js("wormscope.seek(0); document.querySelector('#jumps button').click()")
    same("a button goes there", now(browser), first["since"])
    shot("failure")
    is_calm(browser)

    view(CONFIGS / "mesh_4x4_bit_string.ron", "--scope", "top.rt_[01]_*", "-o", "scope.html")
    visit(browser, folder / "scope.html", "#t=12&switch=rt_2_1")
    same("of what is outside the scope nothing is said", "Outside the scope" in told(browser), True)
    goes_to(browser, "#t=12&switch=rt_1_1")
    same("of the rest all", "rt_1_1" in told(browser) and "Outside" not in told(browser), True)
    shot("scope")
    is_calm(browser)

    view(CONFIGS / "atbm_fig6c_token_ring.ron", "--set", "network.token_ring.hop_cycles=5", "-o", "token.html")
    visit(browser, folder / "token.html", "#t=48")
    shot("token")

    view(CONFIGS / "atbm_fig6c_token_ring.ron", "--beside", CONFIGS / "atbm_fig6c_deadlock.ron", "-o", "beside.html")
    visit(browser, folder / "beside.html")
    same("two runs stand side by side", browser.js("return document.querySelectorAll('.view').length"), 2)
    browser.js("wormscope.seek(30); wormscope.select({worm: 2})")
    same("and the same worm is chosen in both", [browser.js("return wormscope.selection(arguments[0])", run) for run in (0, 1)], [{"kind": "worm", "worm": 2}] * 2)
    shot("beside")
    told_of = lambda run: browser.js("return document.querySelectorAll('.told')[arguments[0]].textContent", run)
    spans = [browser.js("return wormscope.span(arguments[0])", run) for run in (0, 1)]
    short = min((0, 1), key=lambda run: spans[run][1])
    browser.js("wormscope.seek(arguments[0])", spans[short][1])
    drawn(browser)
    same("of the one that is over its last cycle is told", [told_of(run).startswith("its last cycle is ") for run in (short, 1 - short)], [True, False])
    is_calm(browser)

    (folder / "stage.ron").write_text(NODES.replace("linear(nodes: 2)", "uni_min(kind: baseline, switch_ports: 2, stages: 1)"))
    view("nodes.ron", "--beside", "stage.ron", "-o", "unlike.html")
    visit(browser, folder / "unlike.html")
    heads = browser.js("return [0, 1].map((run) => wormscope.meta(run).worms[0].delivered[0][2])")
    same("networks unlike each other are compared at their nodes", told(browser, "#now"), f"First difference in cycle {min(heads)}: consumption channel n1.ej: A no flit crosses; B flit 0 of worm 0 crosses")

    view(CONFIGS / "mesh_4x4_bit_string.ron", "--beside-set", "network.switch.fifo_depth=2", "-o", "depths.html")
    visit(browser, folder / "depths.html")
    is_compared_beside(browser)
    is_accessible(browser, "two runs")
    shot("depths")
    is_calm(browser)

    is_heated(wormscope, browser, folder, "mesh_4x4_bit_string.ron", [])
    is_accessible(browser, "heat")
    is_heated(wormscope, browser, folder, "mesh_8x8_dual_path.ron", ["--set", "run.max_cycles=400"])
    is_heated(wormscope, browser, folder, "atbm_fig6c_virtual_channels.ron", [])
    is_heated(wormscope, browser, folder, "bi_min_64_8x8_atbm.ron", [])
    is_heated(wormscope, browser, folder, "two_sided_32_4x4.ron", ["--set", "run.warmup_cycles=0", "--set", "run.measure_cycles=400"])
    is_calm(browser)

    (folder / "many.ron").write_text(MANY)
    view("many.ron", "-o", "many.html")
    visit(browser, folder / "many.html")
    same("over a thousand worms are under way", browser.js("return Math.max(...wormscope.summary().underWay) > 1000"), True)
    shot("many")
    is_calm(browser)

    view(CONFIGS / "mesh_16x16_multicast.ron", "-o", "large.html")
    visit(browser, folder / "large.html")
    finds_multicasts(browser)
    is_summed_up(wormscope, browser, folder, CONFIGS / "mesh_16x16_multicast.ron", "a large run")
    same("fields that are not as by default", browser.js("return wormscope.meta().changed"), [["network.switch.flit_bits", "32", "64"],
        ["network.node.consumption_channels", "4", "1"], ["network.clock_ns", "2.0", "None"], ["run.seed", "7", "1"], ["run.measure_cycles", "1000", "None"]])
    are_by_time(browser)
    shot("worms")
    is_accessible(browser, "worms by time")
    browser.keys(" ")
    time.sleep(3)
    shot("large")
    times = browser.js("return wormscope.frameTimes()")[-100:]
    print(f"    {1000 * len(times) / max(1, sum(times)):.0f} frames a second of 256 switches; the page has {(folder / 'large.html').stat().st_size} bytes")
    is_calm(browser)


def main():
    wormscope = str(Path(sys.argv[1]).resolve())
    shots = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(wormscope, browser, Path(folder), shots)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
