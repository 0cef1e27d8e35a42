"""What the page of a run shows, held to the waveform of the same run: registers of all lanes and channels, flits in FIFOs and on wires, curves of
the band, worms, and the panel's text."""

import re
import sys
from bisect import bisect_right

NONE, NO_OWNER, NO_ENCODING = 0xFFFFFFFF, 255, 7
TOKEN, LANES, BLOCKED, HEADS = 3, 4, 6, 7
# What no text says: something was not there.
NOTHING = re.compile(r"undefined|null|NaN|Infinity|-1\b")
# The page draws before the callback here, which the same frame calls after its own.
SHOWN = """const [t, to] = arguments; wormscope.seek(t); wormscope.select(to);
return new Promise((done) => requestAnimationFrame(() => {
    const detail = document.getElementById("detail");
    done({text: detail.innerText, rows: [...detail.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent))});
}));"""


def bits(mask):
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


class Waveform:
    """Changes of every signal of a VCD file, by its name."""

    def __init__(self, path):
        self.changes, of, scopes, cycle = {}, {}, [], 0
        with open(path) as file:
            for line in file:
                words = line.split()
                if line.startswith("$scope"):
                    scopes.append(words[2])
                elif line.startswith("$upscope"):
                    scopes.pop()
                elif line.startswith("$var"):
                    of[words[3]] = self.changes.setdefault(".".join([*scopes[1:], words[4]]), ([], []))
                elif line.startswith("$enddefinitions"):
                    break
            clock = next(signal for signal, changes in of.items() if changes is self.changes["cycle"])
            for line in file:
                if line[0] in "bB":
                    value, signal = line[1:].split()
                    value = int(value, 2)
                elif line[0] in "01":
                    value, signal = int(line[0]), line[1:].strip()
                else:
                    continue
                # The clock is the first signal of each time step.
                if signal == clock:
                    cycle = value
                cycles, values = of[signal]
                cycles.append(cycle)
                values.append(value)

    def at(self, name, t):
        cycles, values = self.changes[name]
        return values[bisect_right(cycles, t) - 1]

    def crossings(self, name):
        """Worm and flit by the cycle in which they cross, in its order."""
        found = {}
        (cycles, values), (times, _) = self.changes[f"{name}.valid"], self.changes[f"{name}.flit"]
        for k, cycle in enumerate(cycles):
            if values[k]:
                # Where a worm of one flit follows another, only the worm changes.
                others = self.changes[f"{name}.worm"][0]
                after = cycles[k + 1]
                inside = {cycle, *(t for t in (*times, *others) if cycle <= t < after)}
                if len(inside) != after - cycle:
                    sys.exit(f"{name} has no flit for each cycle of {cycle}..{after}")
                for t in sorted(inside):
                    found[t] = (self.at(f"{name}.worm", t), self.at(f"{name}.flit", t))
        return found


class Comparison:
    """A page and the waveform of the whole run of which it shows a part."""

    def __init__(self, browser, dump, what):
        self.browser, self.what, self.wave = browser, what, Waveform(dump)
        self.since, self.until = browser.js("return wormscope.span()")
        self.meta = meta = browser.js("return wormscope.meta()")
        self.compared = 0
        switches, nodes = meta["switches"], meta["nodes"]
        is_shown = lambda lane: switches[lane["switch"]]["shown"]
        self.is_whole = all(part["shown"] for part in (*switches, *nodes))
        self.inputs = [f"{switches[lane['switch']]['name']}.{lane['name']}" if lane["exists"] and is_shown(lane) else None for lane in meta["inputs"]]
        ends = lambda lane: nodes[lane["node"]]["shown"] if lane["node"] is not None else is_shown(meta["inputs"][lane["input"]])
        self.outputs = [f"{switches[lane['switch']]['name']}.{lane['name']}" if lane["points"] and (is_shown(lane) or ends(lane)) else None for lane in meta["outputs"]]
        of_node = lambda lane: nodes[lane["node"]]["shown"]
        self.injections = [f"node{lane['node']}.{lane['name']}" if of_node(lane) or is_shown(meta["inputs"][lane["input"]]) else None for lane in meta["injections"]]
        self.consumptions = [f"node{lane['node']}.{lane['name']}" if of_node(lane) else None for lane in meta["consumptions"]]
        self.flits = {name: self.wave.crossings(name) for name in (*self.outputs, *self.injections, *self.consumptions) if name}
        self.feeders = {lane["input"]: (name, meta["arrival"]) for lane, name in zip(meta["outputs"], self.outputs) if lane["input"] is not None}
        self.feeders |= {lane["input"]: (name, meta["injectionArrival"]) for lane, name in zip(meta["injections"], self.injections)}
        self.encodings = {worm["id"]: worm["encoding"] for worm in meta["worms"]}

    def same(self, t, name, found, expected):
        if found != expected:
            sys.exit(f"{self.what}, cycle {t}, {name}: the page has {found}, the waveform {expected}")
        self.compared += 1

    def of(self, draw, moments):
        """Compares some moments, and what is told of the whole; says how much."""
        chosen = sorted(draw.sample(range(self.since, self.until), min(moments, self.until - self.since)))
        for t in {self.since, self.until - 1, *chosen}:
            self.registers(t)
        self.band()
        self.worms()
        self.panel(draw, draw.choice(chosen))
        return f"{self.compared} values"

    def registers(self, t):
        page, value = self.browser.js("return wormscope.at(arguments[0])", t), lambda name: self.wave.at(name, t)
        worm_of = lambda name: -1 if value(name) == NONE else value(name)
        owner_of = lambda name: -1 if value(name) == NO_OWNER else value(name)
        for k, (lane, name) in enumerate(zip(page["inputs"], self.inputs)):
            if name:
                expected = {"count": value(f"{name}.fifo_count"), "state": value(f"{name}.state"), "worm": worm_of(f"{name}.worm"),
                            "branches": bits(value(f"{name}.branches")), "taken": bits(value(f"{name}.taken")), "cells": self.cells(k, name, t)}
                self.same(t, name, {key: lane[key] for key in expected}, expected)
                if lane["worm"] >= 0 and value(f"{name}.enc") != NO_ENCODING:
                    self.same(t, f"{name}.enc", self.encodings[lane["worm"]], value(f"{name}.enc"))
        for kind, names in (("outputs", self.outputs), ("injections", self.injections)):
            for lane, told, name in zip(page[kind], self.meta[kind], names):
                if name:
                    arrival = self.meta["injectionArrival" if kind == "injections" else "arrival" if told["node"] is None else "consumptionArrival"]
                    expected = self.crossing(name, t) | {"credits": value(f"{name}.credits"), "wire": self.wire(name, arrival, t)}
                    expected |= {"owner": owner_of(f"{name}.owner")} if kind == "outputs" else {"queue": value(f"node{told['node']}.queue")}
                    self.same(t, name, {key: lane[key] for key in expected}, expected)
        for lane, name in zip(page["consumptions"], self.consumptions):
            if name:
                expected = self.crossing(name, t)
                self.same(t, name, {key: lane[key] for key in expected}, expected)
        for station in page["tokens"]:
            name = f"{station['name']}.token"
            expected = (value(f"{name}.here") == 1, owner_of(f"{name}.holder"), bits(value(f"{name}.request")))
            self.same(t, name, (station["here"], station["holder"], station["request"]), expected)

    def crossing(self, name, t):
        worm, flit = self.flits[name].get(t, (-1, -1))
        return {"valid": t in self.flits[name], "worm": worm, "flit": flit}

    def cells(self, k, name, t):
        """Flits in a FIFO, the front first: the last ones of those that have come over the lane in front."""
        feeder, arrival = self.feeders[k]
        held = self.wave.at(f"{name}.fifo_count", t)
        came = [list(flit) for cycle, flit in self.flits[feeder].items() if cycle <= t - arrival]
        cells = came[len(came) - held:]
        if cells and [cells[0][1]] != [self.wave.at(f"{name}.flit", t)]:
            sys.exit(f"{self.what}, cycle {t}, {name}: {cells} do not begin with the flit at the front")
        return cells

    def wire(self, name, arrival, t):
        """Flits on a wire, the last one first, with the cycles they are on it."""
        return [[*self.flits[name][t - back], back] for back in range(max(1, arrival)) if t - back in self.flits[name]]

    def band(self):
        """The curves of the band, in every cycle."""
        summary, cycles = self.browser.js("return wormscope.summary()"), range(self.since, self.until)
        lanes = [self.flits[name] for name in (*self.outputs, *self.injections) if name]
        states = [f"{name}.state" for name in self.inputs if name]
        leaves = {worm["id"]: self.leaves(worm) for worm in self.meta["worms"]} if self.is_whole else {}
        for k, t in enumerate(cycles):
            self.same(t, "flits crossing", summary["crossing"][k], sum(t in lane for lane in lanes))
            self.same(t, "lanes waiting", summary["blocked"][k], sum(self.wave.at(state, t) in (TOKEN, LANES, BLOCKED, HEADS) for state in states))
            if self.is_whole:
                self.same(t, "worms under way", summary["underWay"][k], sum(since <= t <= until for since, until in leaves.values()))

    def leaves(self, worm):
        """First and last cycle of a worm in the network; the last is none before it has arrived everywhere."""
        first = min((t for name in self.injections for t, flit in self.flits[name].items() if flit[0] == worm["id"]), default=float("inf"))
        tails = [t for tail in self.arrivals(worm).values() for t, flit in tail if flit == worm["header"] + worm["payload"] - 1]
        return first, max(tails) if len(tails) == len(worm["to"]) else float("inf")

    def arrivals(self, worm):
        """Cycles and flits of a worm by the node that they arrive at."""
        found = {}
        for lane, name in zip(self.meta["consumptions"], self.consumptions):
            if name:
                for t, flit in self.flits[name].items():
                    if flit[0] == worm["id"]:
                        found.setdefault(lane["node"], []).append((t, flit[1]))
        return found

    def worms(self):
        """What is told of worms."""
        if not self.is_whole:
            return
        for worm in self.meta["worms"]:
            name, first = f"worm {worm['id']}", self.leaves(worm)[0]
            if worm["injected"] is not None or first < self.until:
                self.same(None, f"{name}, injected", worm["injected"], first)
            arrivals = {node: flits for node, flits in self.arrivals(worm).items() if flits[-1][1] == worm["header"] + worm["payload"] - 1}
            expected = sorted([node, first, flits[0][0], flits[-1][0], len(flits)] for node, flits in arrivals.items())
            self.same(None, f"{name}, arrivals", sorted(worm["delivered"]), expected)

    def shown(self, t, to):
        """Text and rows of the panel about something."""
        shown = self.browser.js(SHOWN, t, to)
        if NOTHING.search(shown["text"]):
            sys.exit(f"{self.what}, cycle {t}, {to}: the panel says {shown['text']!r}")
        return shown["text"], {row[0]: row[1:] for row in shown["rows"] if row}

    def depth(self, name):
        """All credits of a lane, which it has in the beginning."""
        return self.wave.changes[f"{name}.credits"][1][0]

    def panel(self, draw, t):
        """What the panel says of some lanes, of a switch, of a node and of a worm."""
        meta, value = self.meta, lambda name: self.wave.at(name, t)
        some = lambda names: draw.sample([k for k, name in enumerate(names) if name], min(3, sum(map(bool, names))))
        in_page = lambda name: sum(self.since <= cycle < self.until for cycle in self.flits[name])
        dash = lambda name: "\u2013" if value(name) in (NONE, NO_OWNER) else value(name)
        for k in some(self.outputs):
            name = self.outputs[k]
            text, rows = self.shown(t, {"kind": "link", "output": k})
            self.same(t, f"{name}: credits", rows["credits"], [f"{value(f'{name}.credits')} of {self.depth(name)}"])
            crosses = "worm {}, flit {}".format(*self.flits[name][t]) if t in self.flits[name] else "nothing"
            self.same(t, f"{name}: crosses", rows["crosses"], [crosses])
            self.same(t, f"{name}: flits", re.search(r"a flit crosses: (\d+) in all", text)[1], str(in_page(name)))
        for k in some(self.injections):
            name = self.injections[k]
            text, _ = self.shown(t, {"kind": "injection", "channel": k})
            credits, depth, queue = re.search(r"(\d+) credits of (\d+); (\d+) message", text).groups()
            self.same(t, name, [int(credits), int(depth), int(queue)], [value(f"{name}.credits"), self.depth(name), value(f"node{meta['injections'][k]['node']}.queue")])
            self.same(t, f"{name}: flits", re.search(r"a flit crosses: (\d+) in all", text)[1], str(in_page(name)))
        for k in some(self.inputs):
            name = self.inputs[k]
            text, _ = self.shown(t, {"kind": "input", "input": k, "cell": 0})
            self.same(t, f"{name}: flits", re.search(r"Flits: (\d+) of (\d+)", text).groups(), (str(value(f"{name}.fifo_count")), str(meta["inputs"][k]["depth"])))
        shown = [k for k, switch in enumerate(meta["switches"]) if switch["shown"]]
        for k in draw.sample(shown, min(2, len(shown))):
            _, rows = self.shown(t, {"kind": "switch", "switch": k})
            lanes = [(lane, name) for lane, name in zip(meta["inputs"], self.inputs) if name and lane["switch"] == k]
            for lane, name in lanes:
                worm = dash(f"{name}.worm")
                expected = [f"{value(f'{name}.fifo_count')}/{lane['depth']}", meta["states"][value(f"{name}.state")], worm if worm == "\u2013" else f"w{worm}"]
                self.same(t, f"{name} in a table", rows[lane["name"]][:3], expected)
            for lane, name in ((lane["name"], name) for lane, name in zip(meta["outputs"], self.outputs) if name and lane["switch"] == k):
                owner = value(f"{name}.owner")
                owner = "\u2013" if owner == NO_OWNER else meta["inputs"][meta["laneBase"][k][0] + owner]["name"]
                crosses = "w{}.{}".format(*self.flits[name][t]) if t in self.flits[name] else "\u2013"
                self.same(t, f"{name} in a table", rows[lane], [owner, str(value(f"{name}.credits")), crosses])
        nodes = [k for k, node in enumerate(meta["nodes"]) if node["shown"]]
        for k in draw.sample(nodes, min(2, len(nodes))):
            text, _ = self.shown(t, {"kind": "node", "node": k})
            for what, kind, names in (("sends", "injections", self.injections), ("takes", "consumptions", self.consumptions)):
                worms = [self.flits[name][t][0] for lane, name in zip(meta[kind], names) if lane["node"] == k and t in self.flits[name]]
                self.same(t, f"node {k} {what}", [int(worm) for worm in re.findall(what + r" worm (\d+)", text)], worms)
        for worm in draw.sample(meta["worms"], min(2, len(meta["worms"]))):
            text, _ = self.shown(t, {"kind": "worm", "worm": worm["id"]})
            if worm["injected"] is not None and self.is_whole:
                since, until = self.leaves(worm)
                told = re.search(r"in the network from (\d+) (?:to (\d+)|on, not wholly delivered)", text)
                self.same(t, f"worm {worm['id']}", [told[1], told[2]], [str(since), None if until == float("inf") else str(until)])
