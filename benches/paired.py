#!/usr/bin/env python3
"""Speed of whole runs, beside an older program and beside BookSim 2.0.

    benches/paired.py WORMSCOPE [--baseline PATH] [--booksim PATH] [--repeat N] [--only GLOB] [--quick] [-o FOLDER]

Prints million flit-hops in a second of user time, as the median and the range of N runs. In each of the N turns, the
programs run one after the other, and a ratio compares two runs of the same turn. So other work on the machine changes
a ratio less than a speed. Each run has a second run of one cycle beside it. Its time is that of the start and of the
network, and is subtracted. The largest meshes take thousands of cycles to fill. There a run up to the first full cycle
is subtracted too, with its flit-hops. Writes each run to speed.csv in FOLDER, the table in Markdown to speed.md, and
draws the cost of a flit-hop against the size to cost.svg there. Needs Linux.

The programs run in one thread, but for the rows named threads. These compare the time on the clock of a large mesh in
one thread with that in as many threads as there are processors.

The rows named watched have an observer: energy, a waveform, all checkers of `wormscope test`, or a page of
`wormscope view`. Their times are of all threads and of the system as well, and the script prints them as multiples of
a plain run of the same turn.
"""

import argparse
import collections
import csv
import ctypes
import fnmatch
import json
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
SIZES = [64, 128, 256, 512, 1024]
TWIN = "mesh_booksim"

# `radix` and `load` are set if they are given. `theirs` is the number of cycles for BookSim, which runs only there.
# The first `warm` cycles are not measured.
Row = collections.namedtuple("Row", "name config cycles radix load theirs warm", defaults=[None, None, 0, 1])
Run = collections.namedtuple("Run", "hops user build peak")  # flit-hops, seconds, seconds, bytes

# Place of the time on the clock among the results of a process.
WALL = 4


def size(radix, cycles, warm=1):
    """A large mesh at half of the load at which it saturates, which is 1.84 / radix flits per node and cycle."""
    return Row(f"mesh {radix}x{radix}", "mesh", cycles, radix, 0.92 / radix, 0, warm)


ROWS = [
    Row("mesh 8x8, load 0.05", "mesh", 4_000_000, 8, 0.05),
    Row("mesh 8x8, load 0.115", "mesh", 2_000_000, 8, 0.115),
    Row("mesh 8x8, load 0.21", "mesh", 1_500_000, 8, 0.21),
    Row("mesh 16x16, load 0.07", "mesh", 700_000, 16, 0.07),
    Row("mesh 32x32, load 0.04", "mesh", 200_000, 32, 0.04),
    *map(size, SIZES, [60_000, 20_000, 5_000, 1_800, 2_300], [1, 1, 1_000, 1_200, 2_000]),
    Row("mesh 16x16, trees", "mesh_trees", 150_000),
    Row("mesh 16x16, dual path", "mesh_paths", 300_000),
    Row("BI-MIN of 64 nodes, ATBM", "bi_min_atbm", 1_200_000),
    Row("UNI-MIN of 64 nodes", "uni_min_baseline", 1_200_000),
    Row("torus 8x8, datelines", "torus_datelines", 1_200_000),
    Row("twin 8x8, load 0.05", TWIN, 4_000_000, 8, 0.05, 40_000),
    Row("twin 8x8, load 0.115", TWIN, 2_000_000, 8, 0.115, 20_000),
    Row("twin 8x8, load 0.21", TWIN, 1_500_000, 8, 0.21, 15_000),
    Row("twin 16x16, load 0.07", TWIN, 500_000, 16, 0.07, 4_000),
]

# Large meshes in one thread and in several.
THREADS = [size(radix, cycles)._replace(name=f"threads {radix}x{radix}")
           for radix, cycles in zip(SIZES[1:], [20_000, 8_000, 3_000, 1_500])]

# Commands with an observer. Each runs a 16x16 mesh at load 0.07 for a number of cycles.
Watched = collections.namedtuple("Watched", "name command words cycles")
WATCHED = [
    Watched("watched: run", "run", (), 40_000),
    Watched("watched: run --engine banked", "run", ("--engine", "banked"), 40_000),
    Watched("watched: run --energy", "run", ("--energy", HERE.parent / "configs/energy/dsent_45nm.ron"), 40_000),
    Watched("watched: run --wave vcd", "run", ("--wave", "run.vcd"), 40_000),
    Watched("watched: run --wave fst", "run", ("--wave", "run.fst"), 40_000),
    Watched("watched: test", "test", (), 40_000),
    Watched("watched: view", "view", ("-o", "run.html"), 4_000),
]
MESH = """(network: (topology: mesh(radices: [16, 16])), workload: [traffic(load: 0.07, payload_flits: 15)],
    run: (measure_cycles: {cycles}, drain: empty),{more})"""

# The pipeline of paired/mesh_booksim.ron, as testbenches/booksim/compare.py has it.
BOOKSIM = """
wait_for_tail_credit = 0; vc_allocator = separable_input_first; sw_allocator = separable_input_first;
routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 0;
output_speedup = 1; internal_speedup = 1.0; input_speedup = 1; num_vcs = 1; vc_buf_size = 8;
topology = mesh; n = 2; routing_function = dor; traffic = uniform;
packet_size = 16; injection_rate_uses_flits = 1;
sim_type = throughput; warmup_periods = 1; max_samples = 2;
"""


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def process(folder, command, statuses=(0,)):
    """Runs a program. Returns its user time, its peak memory in bytes, its output, its system and its wall time."""
    # The peak of a process starts with that of the process that starts it, and Python is larger than a small network.
    # So a small shell starts the program and ends, and the program becomes a child of Python (main).
    with open(folder / "out", "w") as out, open(folder / "err", "w") as err:
        begun = time.monotonic()
        files = [(os.POSIX_SPAWN_DUP2, file.fileno(), number) for file, number in ((out, 1), (err, 2))]
        words = ["sh", "-c", '"$@" &', "sh", *map(str, command)]
        os.waitpid(os.posix_spawn("/bin/sh", words, os.environ, file_actions=files), 0)
    _, status, usage = os.wait4(-1, 0)
    wall = time.monotonic() - begun
    text = (folder / "out").read_text()
    if os.waitstatus_to_exitcode(status) not in statuses:
        fail(f"{' '.join(map(str, command))} failed:\n{(folder / 'err').read_text()}{text[-1000:]}")
    return usage.ru_utime, usage.ru_maxrss * 1024, text, usage.ru_stime, wall


def result(hops, long, short, build, clock=0):
    """A run from those of many cycles and of few; the clock of user time has steps of milliseconds. `clock` is the
    place of the time among the results of a process."""
    return Run(hops, max(long[clock] - short[clock], 1e-3), build[clock], long[1])


def wormscope(program, folder, row, words=(), clock=0):
    values = {"radices": row.radix and f"[{row.radix},{row.radix}]", "load": row.load}
    sets = [word for path, value in values.items() if value for word in ("--set", f"{path}={value}")]
    def run(cycles):
        ran = process(folder, [program, "run", HERE / f"paired/{row.config}.ron", *sets, "--cycles", cycles,
                               "--json", folder / "run.json", *words])
        totals = json.loads((folder / "run.json").read_text())["totals"]
        if totals["cycles"] != cycles:
            fail(f"{row.name}: {program} ends after {totals['cycles']} cycles, and not after {cycles}")
        return ran, totals["flit_hops"]
    build, _ = run(1)
    short, before = run(row.warm) if row.warm > 1 else (build, 0)
    long, hops = run(row.cycles)
    return result(hops - before, long, short, build, clock)


def booksim(program, folder, row):
    (folder / "booksim.cfg").write_text(BOOKSIM)
    def run(period):
        return process(folder, [program, folder / "booksim.cfg", f"k={row.radix}", f"injection_rate={row.load}",
                                f"sample_period={period}"], (0, 255))  # 255 is its status of success
    short, long = run(1), run(row.theirs // 2)
    overall = long[2].partition("Overall Traffic")[2]
    accepted, hops = (re.search(rf"{name} average = (\S+)", overall) for name in ("Accepted flit rate", "Hops"))
    if not (accepted and hops):
        fail(f"{program} prints no accepted flit rate: is it BookSim 2.0?")
    return result(float(accepted[1]) * row.radix ** 2 * row.theirs * float(hops[1]), long, short, short)


def watched(program, folder, row, cycles):
    """A run of a command with an observer. Its time is that of the user and of the system, of all threads."""
    def run(cycles, command, words):
        file = folder / "mesh.ron"
        more = ' purpose: "unicasts pass all checkers", expect: (deadlock: never)' if command == "test" else ""
        file.write_text(MESH.format(cycles=cycles, more=more))
        words = [folder / word if str(word).startswith("run.") else word for word in words]
        user, peak, text, system, _ = process(folder, [program, command, file, *words])
        return user + system, peak, text
    run(cycles, "run", ["--json", "run.json"])
    hops = json.loads((folder / "run.json").read_text())["totals"]["flit_hops"]
    # In fewer cycles no worm arrives, and `test` fails.
    short, long = run(50, row.command, row.words), run(cycles, row.command, row.words)
    return result(hops, long, short, short)


def spread(values):
    """Median and range, with three digits or two decimals."""
    middle, least, most = (f"{value:.{2 - (value >= 10) - (value >= 100)}f}" for value in
                           (statistics.median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})"


def speeds(runs):
    return [run.hops / run.user / 1e6 for run in runs]


def measure(programs, row, folder, repeat):
    """The runs of each program for a row; every other turn has the reverse order."""
    runs = {name: [] for name in programs if name != "BookSim" or row.theirs}
    for turn in range(repeat):
        for name in list(runs)[::1 - turn % 2 * 2]:
            one = booksim if name == "BookSim" else wormscope
            runs[name].append(one(programs[name], folder, row))
    if "before" in runs and runs["before"][0].hops != runs["now"][0].hops:
        print(f"{row.name}: the programs have different flit-hops, {runs['before'][0].hops} before and "
              f"{runs['now'][0].hops} now", file=sys.stderr)
    return runs


def table(programs, results):
    """Prints the speeds of all rows. Returns them as lines of a table in Markdown."""
    others = [name for name in programs if name != "now"]
    heads = ["now", *(head for name in others for head in (name, f"now / {name}")), "build, s"]
    print("\nmillion flit-hops in a second of user time, without the time of the start and the network (build):")
    print("median (least to most)\n")
    print(f"{'':26}" + "".join(f"{head:>24}" for head in heads))
    markdown = ["| " + " | ".join(["workload", *heads]) + " |", "|---" * (len(heads) + 1) + "|"]
    for row, runs in results.items():
        now = speeds(runs["now"])
        cells = [spread(now)]
        for name in others:
            other = speeds(runs.get(name, []))
            ratios = [a / b for a, b in zip(now, other)]
            cells += [spread(other), spread(ratios)] if other else ["-", "-"]
        cells.append(spread([run.build for run in runs["now"]]))
        print(f"{row.name:26}" + "".join(f"{cell:>24}" for cell in cells))
        markdown.append("| " + " | ".join([row.name, *cells]) + " |")
    return markdown


def table_of_threads(results):
    """Prints how many times as fast several threads are."""
    print("\nlarge meshes: million flit-hops in a second of the clock, without the time of the start and the network\n")
    print(f"{'':26}" + "".join(f"{head:>24}" for head in ("one thread", "all processors", "times as fast")))
    for row, runs in results.items():
        one, more = speeds(runs["one thread"]), speeds(runs["all processors"])
        cells = [spread(one), spread(more), spread([b / a for a, b in zip(one, more)])]
        print(f"{row.name:26}" + "".join(f"{cell:>24}" for cell in cells))


def peak(runs):
    return statistics.median(run.peak for run in runs)


def table_of_watched(results):
    """Prints the speeds of commands with observers, as multiples of the time of the first rows, the plain runs."""
    plain = [row for row in results if row.name in (WATCHED[0].name, WATCHED[1].name)]
    print("\nwith an observer: million flit-hops in a second of all threads, and times the time of a plain run\n")
    heads = ["now", *(f"x {row.name.partition(': ')[2]}" for row in plain), "before", "now / before"]
    print(f"{'':30}" + "".join(f"{head:>24}" for head in heads))
    for row, runs in results.items():
        now, before = speeds(runs["now"]), speeds(runs.get("before", []))
        cells = [spread(now), *(spread([a / b for a, b in zip(speeds(results[of]["now"]), now)]) for of in plain)]
        cells += [spread(before), spread([a / b for a, b in zip(now, before)])] if before else ["-", "-"]
        print(f"{row.name:30}" + "".join(f"{cell:>24}" for cell in cells))


def table_of_sizes(small, sizes):
    """Prints memory and cost of the large meshes. `small` has the runs of a small mesh for each program."""
    print("\nmemory: bytes per router at the peak, without that of a 4x4 mesh; cost of a flit-hop: 64x64 is 1\n")
    print(f"{'':26}" + "".join(f"{f'{head} {name}':>16}" for name in small for head in ("bytes", "cost")))
    for row, runs in sizes.items():
        cells = []
        for name in small:
            memory = peak(runs[name]) - peak(small[name])
            first = next((runs[name] for row, runs in sizes.items() if row.radix == SIZES[0]), None)
            cost = first and statistics.median(speeds(first)) / statistics.median(speeds(runs[name]))
            cells += [f"{memory / row.radix ** 2:.0f}", f"{cost:.2f}" if cost else "-"]
        print(f"{row.name:26}" + "".join(f"{cell:>16}" for cell in cells))


def write_csv(file_name, results):
    with open(file_name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "program", "turn", "flit_hops", "user_seconds", "build_seconds", "peak_bytes"])
        writer.writerows([row.name, name, turn, f"{run.hops:.0f}", f"{run.user:.6f}", f"{run.build:.6f}", run.peak]
                         for row, runs in results.items() for name in runs for turn, run in enumerate(runs[name], 1))


def draw(file_name, programs, sizes):
    """Draws the cost of a flit-hop against the size, both axes logarithmic; a bar is the range of the runs."""
    costs = {(row.radix, name): sorted(1e3 / speed for speed in speeds(runs[name]))
             for row, runs in sizes.items() for name in programs}
    low = math.floor(math.log2(min(cost[0] for cost in costs.values())))
    high = max(math.ceil(math.log2(max(cost[-1] for cost in costs.values()))), low + 1)
    x = lambda radix: 80 + 90 * math.log2(radix / SIZES[0])
    y = lambda cost: 300 - 250 * (math.log2(cost) - low) / (high - low)
    text = lambda at, to, word, more="": f'<text x="{at:.1f}" y="{to:.1f}" text-anchor="middle" {more}>{word}</text>'
    line = lambda points, more: f'<polyline points="{points}" fill="none" {more}/>'
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 370" font-family="sans-serif" font-size="12">',
             '<rect width="500" height="370" fill="white"/>',
             text(255, 25, "Cost of a flit-hop in a square mesh, half of the saturation load", 'font-size="14"'),
             text(260, 355, "routers along a side"),
             text(20, 175, "user time of a flit-hop, ns", 'transform="rotate(-90 20 175)"')]
    for power in range(low, high + 1):
        parts += [line(f"60,{y(2 ** power):.1f} 460,{y(2 ** power):.1f}", 'stroke="#ddd"'),
                  text(45, y(2 ** power) + 4, f"{2.0 ** power:g}")]
    parts += [text(x(radix), 325, radix) for radix in SIZES]
    for height, name, colour in zip((60, 78), programs, ("#0063a6", "#c25400")):
        own = {radix: cost for (radix, program), cost in costs.items() if program == name}
        middle = {radix: statistics.median(cost) for radix, cost in own.items()}
        stroke = f'stroke="{colour}" stroke-width="2"'
        parts.append(line(" ".join(f"{x(radix):.1f},{y(cost):.1f}" for radix, cost in middle.items()), stroke))
        parts += [line(f"{x(radix):.1f},{y(cost[0]):.1f} {x(radix):.1f},{y(cost[-1]):.1f}", stroke)
                  + f'<circle cx="{x(radix):.1f}" cy="{y(middle[radix]):.1f}" r="4" fill="{colour}"/>'
                  for radix, cost in own.items()]
        parts.append(text(100, height, name, f'fill="{colour}" font-weight="bold"'))
    file_name.write_text("\n".join([*parts, "</svg>\n"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wormscope", help="the program to measure")
    parser.add_argument("--baseline", metavar="PATH", help="an older wormscope to compare with")
    parser.add_argument("--booksim", metavar="PATH", help="BookSim 2.0 to compare with, on the rows named twin")
    parser.add_argument("--repeat", metavar="N", type=int, help="runs of each row [default: 5; 1 with --quick]")
    parser.add_argument("--only", metavar="GLOB", default="*", help="measure the rows with such a name: 'mesh 8x8*'")
    parser.add_argument("--quick", action="store_true", help="try the script: few cycles, small sizes, no valid speeds")
    parser.add_argument("-o", metavar="FOLDER", type=pathlib.Path, default=HERE.parent / "target/bench",
                        help="folder of speed.csv, speed.md and cost.svg [default: target/bench]")
    args = parser.parse_args()
    if args.repeat is None:
        args.repeat = 1 if args.quick else 5
    if sys.platform != "linux":
        fail("this script reads peak memory as Linux counts it")
    programs = {"now": args.wormscope, "before": args.baseline, "BookSim": args.booksim}
    programs = {name: path for name, path in programs.items() if path is not None}
    for name, path in programs.items():
        if not shutil.which(path):
            fail(f"{path or 'an empty path'} is no program ({name})")
    if args.repeat < 1:
        fail(f"--repeat is {args.repeat}, and must be at least 1")
    rows = [row for row in ROWS if fnmatch.fnmatch(row.name, args.only) and ("BookSim" in programs or not row.theirs)]
    shared = [row for row in THREADS if fnmatch.fnmatch(row.name, args.only)]
    observed = [row for row in WATCHED if fnmatch.fnmatch(row.name, args.only)]
    if args.quick:
        observed = [row._replace(cycles=row.cycles // 20) for row in observed]
        shared = [row._replace(cycles=row.cycles // 20) for row in shared if row.radix <= SIZES[1]]
        rows = [row._replace(cycles=max(row.cycles // 100, 20), theirs=row.theirs // 20, warm=1) for row in rows
                if (row.radix or 0) <= SIZES[1]]
    if not rows and not observed and not shared:
        names = "; ".join(row.name for row in [*ROWS, *THREADS, *WATCHED])
        fail(f"no row has a name like {args.only!r}; the names are: {names}")
    # Programs whose parent has ended become children of this process (PR_SET_CHILD_SUBREAPER).
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as name:
        folder, results = pathlib.Path(name), {}
        for number, row in enumerate(rows, 1):
            print(f"[{number}/{len(rows)}] {row.name}: {row.cycles} cycles, {args.repeat} runs", file=sys.stderr)
            results[row] = measure(programs, row, folder, args.repeat)
        ours = {name: path for name, path in programs.items() if name != "BookSim"}
        of_shared = {row: {name: [] for name in ("one thread", "all processors")} for row in shared}
        all_processors = ["--threads", os.cpu_count()]
        for row in shared:
            print(f"{row.name}: {row.cycles} cycles, {args.repeat} runs", file=sys.stderr)
            for turn in range(args.repeat):
                for name, words in (("one thread", []), ("all processors", all_processors))[::1 - turn % 2 * 2]:
                    of_shared[row][name].append(wormscope(args.wormscope, folder, row, words, WALL))
        small = measure(ours, Row("mesh 4x4", "mesh", 10_000, 4), folder, args.repeat)
        of_watched = {row: {name: [] for name in ours} for row in observed}
        for turn in range(args.repeat if observed else 0):
            print(f"with an observer: {len(observed)} commands, turn {turn + 1} of {args.repeat}", file=sys.stderr)
            for row in observed:
                for name, path in ours.items():
                    of_watched[row][name].append(watched(path, folder, row, row.cycles))
    markdown = table(programs, results) if results else []
    if of_shared:
        table_of_threads(of_shared)
    if of_watched:
        table_of_watched(of_watched)
    results |= of_shared | of_watched
    sizes = {row: results[row] for row in rows if row.radix in SIZES}
    args.o.mkdir(parents=True, exist_ok=True)
    write_csv(args.o / "speed.csv", results)
    (args.o / "speed.md").write_text("\n".join([*markdown, ""]))
    wrote = f"{args.o / 'speed.csv'}, {args.o / 'speed.md'}"
    if sizes:
        table_of_sizes(small, sizes)
        draw(args.o / "cost.svg", ours, sizes)
        wrote = f"{wrote} and {args.o / 'cost.svg'}"
    print(f"\nwrote {wrote}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        # The shell lets the program ignore an interrupt from the keyboard.
        for child in pathlib.Path("/proc/thread-self/children").read_text().split():
            os.kill(int(child), signal.SIGTERM)
        sys.exit(130)
