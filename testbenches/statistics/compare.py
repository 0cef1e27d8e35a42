#!/usr/bin/env python3
"""Recompute answers of wormscope with pandas, statsmodels and scipy.

    compare.py WORMSCOPE

The script makes a sweep, reads its rows, and computes three things again:

- the Pareto front of `explore`, with the 95 % interval of each mean;
- the shares of variance of `explore --effects`, by the analysis of variance of statsmodels;
- the gains of `advise`, from the rows of one sweep for each change.

It prints the largest difference of each, and fails if one is not small.
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pandas
    import scipy.stats
    import statsmodels.api
    import statsmodels.formula.api
except ModuleNotFoundError as error:
    sys.exit(f"compare.py needs {error.name}: pip install pandas scipy statsmodels")

BASE = """(network: (topology: mesh(radices: [4, 4])),
    workload: [traffic(load: 0.2, payload_flits: 7)], run: (warmup_cycles: 200, measure_cycles: 2000))"""
FIELDS = {"fifo_depth": "2,4,8", "virtual_channels": "1,2", "payload_flits": "4,8,16"}
SEEDS = 4


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        def wormscope(*words):
            return subprocess.run([program, *words], cwd=folder, check=True, capture_output=True, text=True).stdout

        Path(folder, "mesh.ron").write_text(BASE)
        vary = [word for name, values in FIELDS.items() for word in ("--vary", f"{name}={values}")]
        wormscope("sweep", "mesh.ron", *vary, "--seeds", str(SEEDS), "-o", "out")
        rows = pandas.read_csv(Path(folder, "out", "rows.csv"))
        differences = {
            "front": front(wormscope, rows, folder),
            "effects": effects(wormscope, rows),
            "advice": advice(wormscope, folder),
        }
    for name, (difference, count) in differences.items():
        print(f"{name}: {count} values, largest difference {difference:.2g}")
    # Printed shares have one decimal of a per cent.
    limits = {"front": 1e-9, "effects": 0.051, "advice": 1e-6}
    return int(any(differences[name][0] > limit for name, limit in limits.items()))


def interval(values):
    """Mean of some values, and half the width of its 95 % interval after Student."""
    error = values.std(ddof=1) / len(values) ** 0.5
    return values.mean(), scipy.stats.t.ppf(0.975, len(values) - 1) * error


def front(wormscope, rows, folder):
    """Means, intervals and dominance of area against latency."""
    wormscope("explore", "out", "--cost", "area", "--quality", "latency", "--csv", "front.csv")
    told = {int(row["point"]): row for row in csv.DictReader(Path(folder, "front.csv").open())}
    grouped = {point: group for point, group in rows.groupby("point")}
    difference = 0.0
    for point, row in told.items():
        mean, half = interval(grouped[point]["latency_last_mean"])
        difference = max(difference, abs(float(row["latency_last_mean"]) - mean))
        difference = max(difference, abs(float(row["latency_last_mean_high"]) - mean - half))
    means = rows.groupby("point")[["area_ge", "latency_last_mean"]].mean()
    for point, row in told.items():
        area, latency = means.loc[point]
        better = (means["area_ge"] <= area) & (means["latency_last_mean"] <= latency)
        dominated = (better & ((means["area_ge"] < area) | (means["latency_last_mean"] < latency))).any()
        # Points that are dominated only within the noise tie.
        if row["standing"] == "dominated" and not dominated or row["standing"] == "front" and dominated:
            difference = float("inf")
    return difference, len(told)


def effects(wormscope, rows):
    """Shares of variance in per cent."""
    told = wormscope("explore", "out", "--effects", "latency")
    formula = "latency_last_mean ~ " + " * ".join(f"C({name})" for name in FIELDS)
    table = statsmodels.api.stats.anova_lm(statsmodels.formula.api.ols(formula, rows).fit(), typ=2)
    shares = 100 * table["sum_sq"] / table["sum_sq"].sum()
    difference, count = 0.0, 0
    for term, share in shares.items():
        names = re.findall(r"C\((\w+)\)", term)
        label = {0: "noise between seeds", 3: "three fields and more"}.get(len(names), " with ".join(names))
        line = next(line for line in told.splitlines() if line.strip().startswith(f"{label}  "))
        difference = max(difference, abs(float(re.search(r"([\d.]+) %", line)[1]) - share))
        count += 1
    return difference, count


def advice(wormscope, folder):
    """Gains in per cent, and their intervals."""
    wormscope("advise", "mesh.ron", "--seeds", str(SEEDS), "--json", "advice.json")
    told = json.loads(Path(folder, "advice.json").read_text())

    def latencies(name, sets):
        vary = [word for change in sets for word in ("--vary", change)]
        wormscope("sweep", "mesh.ron", *vary, "--seeds", str(SEEDS), "-o", name)
        return pandas.read_csv(Path(folder, name, "rows.csv"))["latency_last_mean"]

    before = latencies("before", [])
    difference, count = 0.0, 0
    for number, row in enumerate(told["tried"]):
        mean, half = interval(100 * (before - latencies(f"change{number}", row["sets"])) / before)
        difference = max(difference, abs(row["load"]["percent"] - mean), abs(row["load"]["half_width"] - half))
        count += 2
    return difference, count


if __name__ == "__main__":
    sys.exit(main())
