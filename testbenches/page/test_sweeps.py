#!/usr/bin/env python3
"""Pages of real sweeps in headless Chromium: two sweeps side by side, whose changes and intervals are computed again here, and the page of a
sweep that runs, which keeps what a reader chose and ends as the page of a sweep that has ended.

Usage: test_sweeps.py WORMSCOPE [SCREENSHOT]. Needs chromium and chromedriver on the path, and nothing beyond Python's own library."""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, stdev

from browser import Browser, same

BASE = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)], run: (warmup_cycles: 200, measure_cycles: %d))\n"
# Student's quantile for three seeds.
STUDENT = 4.302653


def rows(folder, name):
    """Values of latency by depth, load and seed."""
    with open(folder / name / "rows.csv", newline="") as file:
        return {(row["fifo_depth"], row["load"], row["seed"]): float(row["latency_last_mean"]) for row in csv.DictReader(file)}


def changed(before, after, depth, load):
    """The change of a pair in per cent, and half the width of its interval, seed by seed."""
    seeds = [seed for at, of, seed in before if (at, of) == (depth, load)]
    percents = [100 * (after[depth, load, seed] / before[depth, load, seed] - 1) for seed in seeds]
    return mean(percents), STUDENT * stdev(percents) / len(percents) ** 0.5


def table(browser):
    return browser.js("return [...document.querySelectorAll('#changes tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")


def type_in(browser, text):
    browser.js("const i = document.getElementById('filter'); i.value = arguments[0]; i.dispatchEvent(new Event('input', { bubbles: true }))", text)


def check_pair(run, browser, folder, screenshot):
    (folder / "base.ron").write_text(BASE % 400)
    both = ["sweep", "base.ron", "--vary", "fifo_depth=2,4", "--vary", "load=0.05,0.1,0.2", "--seeds", "3"]
    run(*both, "-o", "before")
    run(*both, "--vary", "routing_cycles=0", "-o", "after")
    run("report", "before", "after", "-o", "both.html")
    browser.call("POST", "/url", {"url": (folder / "both.html").as_uri()})
    same("a point of each sweep is on the page", browser.text("#count"), "12 of 12 points")
    same("pairs have the same settings", browser.text("#change-count"),
         "6 pairs with the same settings: 6 better in B, 0 worse, beyond noise. Without a partner: 0 of A, 0 of B.")
    same("other fields are told", browser.text("#different"), "Fields that differ between the sweeps: network.switch.routing_cycles 1 in A, 0 in B")
    before, after = rows(folder, "before"), rows(folder, "after")
    for one, other, depth, load, *_, change, _ in table(browser):
        percent, half = changed(before, after, depth, load)
        told, interval = (float(text) for text in change.removesuffix(" %").split(" ± "))
        digits = len(change.split(" ± ")[1].removesuffix(" %").partition(".")[2])
        same(f"the change of {one} to {other} is the one computed here", (told, interval), (round(percent, digits), round(half, digits)))
    titles = browser.js("return [...document.querySelectorAll('#curves .title')].map((text) => text.textContent)")
    same("the sweeps stand side by side", titles, ["sweep before", "sweep after"])
    ticks = browser.js("const all = [...document.querySelectorAll('#curves .title')].map((title) => title.getBoundingClientRect());"
                       "return [Math.abs(all[0].top - all[1].top) < 2, all[1].left > all[0].right]")
    same("at the same height", ticks, [True, True])
    type_in(browser, "load=0.1")
    same("one filter is for both", (browser.text("#count"), len(table(browser))), ("4 of 12 points", 2))
    browser.choose("change-metric", "area_ge")
    same("a value without noise has an interval of 0", [row[-2].split(" ± ")[1] for row in table(browser)], ["0.00 %", "0.00 %"])
    browser.choose("change-order", "change")
    browser.click("#changes tbody tr")
    same("a row chooses its point of B", browser.text("#chosen")[:7], "Point B")
    address = browser.js("return location.hash")
    browser.js("location.reload()")
    time.sleep(0.5)
    same("a reload keeps the filter", (browser.js("return location.hash"), browser.text("#count"), len(table(browser))), (address, "4 of 12 points", 2))
    same("and the choices", browser.js("return [document.getElementById('change-metric').value, document.getElementById('change-order').value]"), ["area_ge", "change"])
    same("and the chosen point", browser.text("#chosen")[:7], "Point B")
    same("no command draws both", browser.text("#curves-command"), "No command draws this view: the page shows two sweeps.")
    type_in(browser, "sweep=before")
    same("a filter chooses one sweep", (browser.text("#count"), browser.text("#change-count")[:7]), ("6 of 12 points", "0 pairs"))
    type_in(browser, "")
    browser.choose("change-metric", "latency_last_mean")
    if screenshot:
        browser.screenshot(screenshot)
        browser.js("document.getElementById('change-section').scrollIntoView()")
        browser.screenshot(screenshot.replace(".png", "-changes.png"))
    same("the page fits 1280 pixels", browser.js("const d = document.documentElement; return d.scrollWidth <= d.clientWidth"), True)


def check_watch(wormscope, run, browser, folder):
    (folder / "long.ron").write_text(BASE % 400000)
    sweep = subprocess.Popen([wormscope, "sweep", "long.ron", "--vary", "load=0.05..0.3/0.05", "--vary", "fifo_depth=2,4", "--seeds", "2", "--jobs", "1", "-o", "long"],
                             cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (folder / "long" / "journal").exists():
        time.sleep(0.05)
    watch = subprocess.Popen([wormscope, "report", "long", "-o", "long.html", "--watch"], cwd=folder, stdout=subprocess.PIPE, text=True)
    while not (folder / "long.html").exists():
        time.sleep(0.05)
    browser.call("POST", "/url", {"url": (folder / "long.html").as_uri()})
    while browser.text("#count") == "" or browser.text("#count").startswith("0 of "):
        time.sleep(0.3)
    same("the page says that the sweep runs", browser.text("#live"), "The sweep runs. This page loads itself again every 3 s.")
    type_in(browser, "fifo_depth=2")
    browser.choose("curve-y", "latency_last_p99")
    browser.js("document.querySelector('#table tbody tr').click()")
    chosen, first = browser.text("#chosen"), int(browser.text("#count").split()[2])
    browser.js("window.same = true")
    while browser.js("return window.same"):
        time.sleep(0.3)
    state = lambda: (browser.js("return [document.getElementById('filter').value, document.getElementById('curve-y').value]"), browser.text("#chosen"))
    same("it loads itself again and keeps what was chosen", state(), (["fifo_depth=2", "latency_last_p99"], chosen))
    same("the sweep ends", sweep.wait(), 0)
    told = watch.communicate()[0]
    same("so does the watch", (watch.returncode, told.split(":")[0]), (0, "12 points, 24 runs"))
    run("report", "long", "-o", "again.html")
    same("its last page is that of report", (folder / "long.html").read_bytes() == (folder / "again.html").read_bytes(), True)
    while browser.text("#live"):
        time.sleep(0.3)
    same("the open page comes to it", (browser.text("#count"), state()), ("6 of 12 points", (["fifo_depth=2", "latency_last_p99"], chosen)))
    same("it began with fewer points", first < 12, True)
    browser.js("window.same = true")
    time.sleep(4)
    same("the last page does not load itself", browser.js("return window.same"), True)


def main():
    wormscope = str(Path(sys.argv[1]).resolve())
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run = lambda *args: subprocess.run([wormscope, *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            check_pair(run, browser, folder, sys.argv[2] if len(sys.argv) > 2 else None)
            check_watch(wormscope, run, browser, folder)
            same("the browser complained of nothing", browser.complaints(), [])
    finally:
        browser.close()


main()
