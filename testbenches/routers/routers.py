"""What the comparisons with foreign routers share: random worms and stalls, meshes in Verilator, and waveforms."""

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

HERE = Path(__file__).parent

ROUTINGS = {"xy": "dimension_order", "yx": "reverse_dimension_order"}

# Places of links in mesh.sv, as the names of waveforms: north, east, south, west, node, injection.
PLACES = ["out2", "out0", "out3", "out1", "out4", "inj"]
INJECTION, SINK = 5, 6

CONFIG = """(
    network: (
        topology: mesh(radices: [{columns}, {rows}]),
        routing: {routing},
        switch: (
            {switch},
        ),
        {links}
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


class Draw:
    """Random worms and stalls for a mesh. A comparison has a class of its own, with the fields of its network."""

    # Whether a unicast may go to its own source, by way of the router.
    to_itself = True
    # The shortest worm, and its flits that carry the header.
    least, header_flits = 1, 0

    def __init__(self, mesh, dice):
        self.mesh, self.dice = mesh, dice
        self.nodes = mesh.columns * mesh.rows
        self.targets = range(self.nodes)
        span = dice.choice([1, 20, 60, 200])
        most = max(self.least, dice.choice([1, 4, 12]))
        draw = self.kind(most)
        cycles = sorted(dice.randrange(span) for _ in range(dice.randint(4, 60)))
        self.worms = [draw(cycle) for cycle in cycles]
        stalls = [stall for stall in map(self.stall, range(dice.choice([0, 0, 2, 6]))) if stall]
        # One stall for each place, as mesh.sv has room for one.
        self.stalls = {(stall.node, stall.place): stall for stall in stalls}.values()

    def kind(self, most):
        """A function that draws a worm of at most so many flits, given its cycle."""
        return lambda cycle: self.unicast(cycle, most)

    def place(self, node):
        return node % self.mesh.columns, node // self.mesh.columns

    def unicast(self, cycle, most):
        source = self.dice.randrange(self.nodes)
        others = [node for node in self.targets if self.to_itself or node != source]
        destination = self.dice.choice(others)
        return Worm(cycle, source, self.place(destination), None, [destination], self.dice.randint(self.least, most))

    def stall(self, _):
        node, place = self.dice.randrange(self.nodes), self.dice.randrange(7)
        begin = self.dice.randrange(100)
        return Stall(node, place, begin, begin + self.dice.randint(1, 40)) if self.can_stall(node, place) else None

    def can_stall(self, node, place):
        x, y = self.place(node)
        return [y < self.mesh.rows - 1, x < self.mesh.columns - 1, y > 0, x > 0, True, True, True][place]

    def config(self, more_stalls=()):
        """The experiment for wormscope."""
        def message(worm):
            encoding = ", encoding: coordinate_mask" if worm.mask else ""
            return (f"(cycle: {worm.cycle}, source: {worm.source}, destinations: {worm.destinations}, "
                    f"payload_flits: {worm.flits - self.header_flits}{encoding})")

        def stall(stall):
            link = link_name(stall.node, stall.place % 6, self.mesh.columns)
            where = f"node: {stall.node}" if stall.place == SINK else f'link: "{link}"'
            return f"({where}, from: {stall.begin}, until: {stall.end})"

        return CONFIG.format(columns=self.mesh.columns, rows=self.mesh.rows, routing=ROUTINGS[self.mesh.routing],
                             switch=",\n            ".join(self.switch()), links=self.links(),
                             stalls=",\n            ".join([*map(stall, self.stalls), *more_stalls]),
                             messages=",\n            ".join(map(message, self.worms)))

    def worms_file(self):
        """The same worms and stalls for mesh.sv."""
        lines = [f"stall {stall.node} {stall.place} {stall.begin} {stall.end}" for stall in self.stalls]
        for number, worm in enumerate(self.worms):
            lines.append(f"{'multicast' if worm.mask else 'unicast'} {worm.cycle} {worm.source} {number} {worm.flits} "
                         f"{worm.address[0]} {worm.address[1]} {' '.join(map(str, worm.mask or (0, 0)))}")
        return "\n".join(lines) + "\n"


def link_name(node, place, columns):
    """The link as waveforms name it."""
    return f"node{node}.inj" if place == INJECTION else f"rt_{node % columns}_{node // columns}.{PLACES[place]}"


def build(mesh, folder, macros, options, router):
    """Builds a mesh of foreign routers. The module `router` maps its flits to theirs."""
    parameters = {"X": mesh.columns, "Y": mesh.rows, "SinkDepth": mesh.sink_depth}
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-PINNOTFOUND",
               *(f"-D{name}={value}" for name, value in macros.items()), *options, HERE / "mesh.sv", router,
               "--top-module", "mesh", *(f"-G{name}={value}" for name, value in parameters.items()),
               "--Mdir", folder, "-o", "mesh", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Verilator cannot build {mesh}:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return folder / "mesh"


def theirs(program, worms, columns):
    """The crossings of the foreign routers: cycle, link, worm and flit. Also all other lines, as words."""
    done = subprocess.run([program, f"+worms={worms}"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{worms}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    crossings, others = [], []
    for line in done.stdout.splitlines():
        if re.fullmatch(r"\d+( \d+){4}", line):
            cycle, node, place, worm, flit = map(int, line.split())
            crossings.append((cycle, link_name(node, place, columns), worm, flit))
        else:
            others.append(line.split())
    return sorted(crossings), others


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


def first_difference(us, them):
    """The first crossing that only one of both has."""
    return min((Counter(us) - Counter(them)) | (Counter(them) - Counter(us)), default=None)


def fail(mesh, said, *files):
    """Keeps the inputs of both programs, and ends."""
    folder = Path(tempfile.mkdtemp(prefix="wormscope-difference-"))
    for file in files:
        shutil.copy(file, folder)
    sys.exit(f"DIFFERENCE in {mesh}: {said}; see {folder}")


def arguments_of(script, checkouts, runs):
    """Reads the command line of a script."""
    parser = argparse.ArgumentParser(description=script, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in checkouts:
        parser.add_argument(name, type=lambda path: Path(path).resolve())
    parser.add_argument("--wormscope", type=lambda path: Path(path).resolve(), default=Path("target/debug/wormscope"))
    parser.add_argument("--runs", type=int, default=runs, help="of each mesh")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", type=Path, metavar="FILE", help="write a row for each mesh to FILE, .csv")
    if not shutil.which("verilator"):
        sys.exit("this needs verilator: apt install verilator")
    return parser.parse_args()


def write(arguments, checkouts, header, rows):
    """Prints the commits of the checkouts, and writes the rows with them."""
    def commit(checkout):
        done = subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True)
        return done.stdout.strip() or "no commit"

    commits = [commit(getattr(arguments, name)) for name in checkouts]
    for name, of in zip(checkouts, commits):
        print(f"{name}: {of}")
    if arguments.o:
        with open(arguments.o, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*header, *checkouts])
            writer.writerows([*row, *commits] for row in rows)
