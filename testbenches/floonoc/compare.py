#!/usr/bin/env python3
"""Compares the routers of PULP's FlooNoC with those of wormscope, flit by flit.

    testbenches/floonoc/compare.py FLOONOC COMMON_CELLS AXI [--wormscope PROGRAM] [--runs N] [--seed S]

FLOONOC, COMMON_CELLS and AXI are checkouts of these repositories of https://github.com/pulp-platform.
The script builds meshes of FlooNoC's router with Verilator (mesh.sv). It draws worms and stalls, and
runs both programs with them. Each flit must cross each link in the same cycle, up to the end of the
run or to a deadlock. At the first difference the script prints it, keeps the two inputs and fails.
"""

import argparse
import csv
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

HERE = Path(__file__).parent

Mesh = namedtuple("Mesh", "columns rows fifo_depth out_fifo_depth sink_depth multicast routing")

# FlooNoC refuses FIFOs of one flit. Without multicasts its routers have no way from a port back to it.
MESHES = [
    Mesh(4, 4, 2, 0, 2, True, "xy"),
    Mesh(4, 4, 2, 0, 2, True, "yx"),
    Mesh(4, 4, 2, 0, 2, False, "xy"),
    Mesh(3, 3, 3, 0, 2, True, "yx"),
    Mesh(5, 2, 4, 0, 1, True, "xy"),
    Mesh(2, 2, 2, 0, 3, True, "xy"),
    Mesh(4, 4, 2, 2, 2, True, "xy"),
    Mesh(3, 3, 2, 4, 3, True, "yx"),
]

ROUTINGS = {"xy": "dimension_order", "yx": "reverse_dimension_order"}

# FlooNoC's places of links in mesh.sv, as the names of waveforms: north, east, south, west, node, injection.
PLACES = ["out2", "out0", "out3", "out1", "out4", "inj"]
INJECTION, SINK = 5, 6

CHECKOUTS = ["floonoc", "common_cells", "axi"]

CONFIG = """(
    network: (
        topology: mesh(radices: [{columns}, {rows}]),
        routing: {order},
        switch: (
            flit_bits: 64,
            fifo_depth: {depth},
            crossbar_cycles: {crossbar_cycles},
            header_timing: beside,
            copy_to_source: {copies},
            routing_cycles: 0,
            arbiter: rr_tree,
            port_order: ["north", "east", "south", "west", "node"],
        ),
        link: (credit_cycles: {cycles}),
        node: (
            injection_link: (link_cycles: {cycles}, credit_cycles: {cycles}),
            consumption_depth: {end_depth},
            consumption_link: (credit_cycles: {cycles}),
        ),
    ),
    workload: [
        stalls([{stalls}]),
        messages([{messages}]),
    ],
    run: (drain: all),
)
"""

Worm = namedtuple("Worm", "cycle source address mask destinations flits")
Stall = namedtuple("Stall", "node place begin end")


def matching(mesh, address, mask):
    """The nodes that match, or none if a coordinate lies outside of the mesh."""
    columns = [x for x in range(16) if (x ^ address[0]) & ~mask[0] == 0]
    rows = [y for y in range(16) if (y ^ address[1]) & ~mask[1] == 0]
    if max(columns) >= mesh.columns or max(rows) >= mesh.rows:
        return []
    return [x + mesh.columns * y for y in rows for x in columns]


class Draw:
    """Random worms and stalls for a mesh."""

    def __init__(self, mesh, dice):
        self.mesh, self.dice = mesh, dice
        span = dice.choice([1, 20, 60, 200])
        most = dice.choice([1, 4, 12])
        share = dice.choice([0.05, 0.3, 1.0]) if mesh.multicast else 0.0
        cycles = sorted(dice.randrange(span) for _ in range(dice.randint(4, 60)))
        self.worms = [self.multicast(cycle, most) if dice.random() < share else self.unicast(cycle, most)
                      for cycle in cycles]
        self.stalls = [stall for stall in map(self.stall, range(dice.choice([0, 0, 2, 6]))) if stall]

    def place(self, node):
        return node % self.mesh.columns, node // self.mesh.columns

    def unicast(self, cycle, most):
        nodes = self.mesh.columns * self.mesh.rows
        source = self.dice.randrange(nodes)
        # With way back: a unicast to its own source goes to its router and back.
        others = [node for node in range(nodes) if self.mesh.multicast or node != source]
        destination = self.dice.choice(others)
        return Worm(cycle, source, self.place(destination), None, [destination], self.dice.randint(1, most))

    def multicast(self, cycle, most):
        while True:
            source = self.dice.randrange(self.mesh.columns * self.mesh.rows)
            mask = self.dice.randrange(4), self.dice.randrange(4)
            node = self.place(self.dice.randrange(self.mesh.columns * self.mesh.rows))
            address = node[0] & ~mask[0], node[1] & ~mask[1]
            destinations = matching(self.mesh, address, mask)
            if destinations:
                return Worm(cycle, source, address, mask, destinations, self.dice.randint(1, most))

    def stall(self, _):
        node, place = self.dice.randrange(self.mesh.columns * self.mesh.rows), self.dice.randrange(7)
        begin = self.dice.randrange(100)
        x, y = self.place(node)
        # wormscope stalls a link behind the arbiter, where output FIFOs come first.
        if self.mesh.out_fifo_depth and place < INJECTION:
            return None
        exists = [y < self.mesh.rows - 1, x < self.mesh.columns - 1, y > 0, x > 0, True, True, True][place]
        return Stall(node, place, begin, begin + self.dice.randint(1, 40)) if exists else None

    def config(self):
        """The experiment for wormscope."""
        def message(worm):
            encoding = ", encoding: coordinate_mask" if worm.mask else ""
            return (f"(cycle: {worm.cycle}, source: {worm.source}, destinations: {worm.destinations}, "
                    f"payload_flits: {worm.flits}{encoding})")

        def stall(stall):
            x, y = self.place(stall.node)
            link = f"node{stall.node}.inj" if stall.place == INJECTION else f"rt_{x}_{y}.{PLACES[stall.place % 6]}"
            where = f"node: {stall.node}" if stall.place == SINK else f'link: "{link}"'
            return f"({where}, from: {stall.begin}, until: {stall.end})"

        mesh = self.mesh
        # An output FIFO and the FIFO behind it are one deep FIFO, with a cycle more to it and back from it.
        depths = {"depth": mesh.fifo_depth + mesh.out_fifo_depth, "end_depth": mesh.sink_depth + mesh.out_fifo_depth}
        has_out_fifo = int(mesh.out_fifo_depth > 0)
        return CONFIG.format(columns=mesh.columns, rows=mesh.rows, **depths, crossbar_cycles=has_out_fifo,
                             cycles=1 + has_out_fifo, copies=str(mesh.multicast).lower(),
                             order=ROUTINGS[mesh.routing], stalls=", ".join(map(stall, self.merged())),
                             messages=",\n            ".join(map(message, self.worms)))

    def merged(self):
        """One stall for each place, as mesh.sv has room for one."""
        return {(stall.node, stall.place): stall for stall in self.stalls}.values()

    def worms_file(self):
        """The same worms and stalls for mesh.sv."""
        lines = [f"stall {stall.node} {stall.place} {stall.begin} {stall.end}" for stall in self.merged()]
        for number, worm in enumerate(self.worms):
            lines.append(f"{'multicast' if worm.mask else 'unicast'} {worm.cycle} {worm.source} {number} {worm.flits} "
                         f"{worm.address[0]} {worm.address[1]} {' '.join(map(str, worm.mask or (0, 0)))}")
        return "\n".join(lines) + "\n"


def build(arguments, mesh, folder):
    """Builds a mesh of FlooNoC's routers. The program is in the folder."""
    hardware, cells = arguments.floonoc / "hw", arguments.common_cells / "src"
    # Packages of the releases 1 and 2 of common_cells.
    packages = [cells / name for name in ("cf_math_pkg.sv", "cc_pkg.sv") if (cells / name).exists()]
    packages += [arguments.axi / "src/axi_pkg.sv", hardware / "floo_pkg.sv"]
    includes = [path / "include" for path in (hardware, arguments.common_cells, arguments.axi)]
    parameters = {"X": mesh.columns, "Y": mesh.rows, "FifoDepth": mesh.fifo_depth,
                  "OutFifoDepth": mesh.out_fifo_depth, "SinkDepth": mesh.sink_depth,
                  "Multicast": int(mesh.multicast), "YX": int(mesh.routing == "yx")}
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-PINNOTFOUND",
               "-DASSERTS_OFF", "-DCOMMON_CELLS_ASSERTS_OFF", *(f"-I{path}" for path in includes),
               "-y", hardware, "-y", cells, *packages, HERE / "mesh.sv", "--top-module", "mesh",
               *(f"-G{name}={value}" for name, value in parameters.items()), "--Mdir", folder, "-o", "mesh",
               "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Verilator cannot build {mesh}:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return folder / "mesh"


def theirs(program, worms, columns):
    """The crossings of FlooNoC: cycle, link, worm and flit."""
    done = subprocess.run([program, f"+worms={worms}"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{worms}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    for line in done.stdout.splitlines():
        if re.fullmatch(r"\d+( \d+){4}", line):
            cycle, node, place, worm, flit = map(int, line.split())
            where = f"node{node}.inj" if place == INJECTION else f"rt_{node % columns}_{node // columns}.{PLACES[place]}"
            yield cycle, where, worm, flit


def ours(program, config, folder):
    """The crossings of wormscope, from its waveform, and the cycle in which it ends at a deadlock."""
    done = subprocess.run([program, "run", config, "--wave", folder / "ours.vcd"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{config}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    deadlock = re.search(r"^DEADLOCK after (\d+) cycles", done.stdout, re.MULTILINE)
    return sorted(crossings(folder / "ours.vcd")), int(deadlock[1]) if deadlock else None


def crossings(wave):
    """Cycle, link, worm and flit of each flit on an injection link or an output of a router."""
    scope, names, values, cycle = [], {}, {}, None
    for line in wave.read_text().splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scope.append(words[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            if re.fullmatch(r"out\d|inj", scope[-1]) and words[4] in ("valid", "worm", "flit"):
                names[words[3]] = ".".join(scope[1:]), words[4]
        elif line.startswith("#"):
            yield from crossing(values, cycle)
            cycle = int(line[1:])
        elif line.startswith("b") and words[1] in names:
            values[names[words[1]]] = int(words[0][1:], 2)
        elif line[:1] in ("0", "1") and line[1:] in names:
            values[names[line[1:]]] = int(line[0])
    yield from crossing(values, cycle)


def crossing(values, cycle):
    for (link, name), value in values.items():
        if name == "valid" and value:
            yield cycle, link, values[link, "worm"], values[link, "flit"]


def compared(arguments, mesh, program, dice, folder):
    """Compares one run. Returns its flits that crossed, and whether it deadlocks."""
    draw = Draw(mesh, dice)
    config, worms = folder / "ours.ron", folder / "theirs.txt"
    config.write_text(draw.config())
    worms.write_text(draw.worms_file())
    us, deadlock = ours(arguments.wormscope, config, folder)
    them = sorted(theirs(program, worms, mesh.columns))
    arrived = sum(link.endswith("out4") for _, link, _, _ in them)
    said = None
    if deadlock is not None:
        # wormscope ends there. FlooNoC goes on, so the worms of the deadlock must never arrive.
        them = [crossing for crossing in them if crossing[0] < deadlock]
        if arrived == sum(worm.flits * len(worm.destinations) for worm in draw.worms):
            said = "all worms arrive in FlooNoC, and wormscope reports a deadlock"
    if us != them:
        first = min((Counter(us) - Counter(them)) | (Counter(them) - Counter(us)))
        said = f"{first} only in {'wormscope' if first in us else 'FlooNoC'}"
    if said:
        keep = Path(tempfile.mkdtemp(prefix="wormscope-floonoc-"))
        shutil.copy(config, keep)
        shutil.copy(worms, keep)
        sys.exit(f"DIFFERENCE in {mesh}: {said}; see {keep}")
    return len(us), deadlock is not None


def commit(checkout):
    done = subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "no commit"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in CHECKOUTS:
        parser.add_argument(name, type=lambda path: Path(path).resolve())
    parser.add_argument("--wormscope", type=lambda path: Path(path).resolve(), default=Path("target/debug/wormscope"))
    parser.add_argument("--runs", type=int, default=125, help="of each mesh")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", type=Path, metavar="FILE", help="write a row for each mesh to FILE, .csv")
    arguments = parser.parse_args()
    if not shutil.which("verilator"):
        sys.exit("this needs verilator: apt install verilator")
    rows = []
    for mesh in MESHES:
        dice = random.Random(f"{arguments.seed} {mesh}")
        flits = deadlocks = 0
        with tempfile.TemporaryDirectory(prefix="wormscope-floonoc-") as name:
            program = build(arguments, mesh, Path(name) / "build")
            for _ in range(arguments.runs):
                more, deadlock = compared(arguments, mesh, program, dice, Path(name))
                flits, deadlocks = flits + more, deadlocks + deadlock
        rows.append([*mesh[:5], "yes" if mesh.multicast else "no", mesh.routing, arguments.runs, deadlocks, flits])
        print(f"{mesh.columns}x{mesh.rows}, FIFOs of {mesh.fifo_depth} and {mesh.out_fifo_depth}, sinks of {mesh.sink_depth}, "
              f"{'with' if mesh.multicast else 'without'} multicasts, {mesh.routing}: {arguments.runs} runs, {deadlocks} of them end in a "
              f"deadlock, {flits} crossings: no flit differs", flush=True)
    commits = [commit(getattr(arguments, name)) for name in CHECKOUTS]
    if arguments.o:
        with open(arguments.o, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["columns", "rows", "fifo_depth", "out_fifo_depth", "sink_depth", "multicasts", "routing", "runs", "deadlocks", "crossings",
                             *CHECKOUTS])
            writer.writerows(row + commits for row in rows)
    for name, of in zip(CHECKOUTS, commits):
        print(f"{name}: {of}")


if __name__ == "__main__":
    main()
