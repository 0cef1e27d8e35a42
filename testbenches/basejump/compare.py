#!/usr/bin/env python3
"""Compares the wormhole routers of BaseJump STL with those of wormscope, flit by flit.

    testbenches/basejump/compare.py BASEJUMP [--wormscope PROGRAM] [--runs N] [--seed S]

BASEJUMP is a checkout of https://github.com/bespoke-silicon-group/basejump_stl. The script builds
meshes of its bsg_wormhole_router with Verilator. It draws worms and stalls, and runs both programs
with them. The two differ in when an output chooses a worm (README.md). So each flit must cross each
link in the same cycle up to the first choice of another worm, and must not do so there. With
hold_on_valid_p, wormscope then gets the choices of BaseJump, and every flit must cross in the same
cycle. If any of this does not hold, the script prints it, keeps the two inputs and fails.
"""

import random
import sys
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "routers"))
import routers  # noqa: E402

Mesh = namedtuple("Mesh", "columns rows sink_depth hold_on_valid header routing")

# With `store` a flit carries the header, as in BaseJump. With `beside` a worm may have this flit only.
MESHES = [
    Mesh(4, 4, 2, False, "beside", "xy"),
    Mesh(4, 4, 2, False, "store", "yx"),
    Mesh(3, 3, 1, False, "store", "xy"),
    Mesh(5, 2, 3, False, "beside", "yx"),
    Mesh(4, 4, 2, True, "beside", "xy"),
    Mesh(4, 4, 2, True, "store", "yx"),
    Mesh(3, 3, 1, True, "store", "xy"),
    Mesh(5, 2, 3, True, "beside", "yx"),
]

CHECKOUTS = ["basejump"]

# Of a line "takes": an output and two inputs, that of the worm that it takes, and that of the worm
# that wormscope's round robin takes.
Choice = namedtuple("Choice", "cycle node output taken expected")


class Draw(routers.Draw):
    """Random unicasts and stalls for a mesh."""

    def __init__(self, mesh, dice):
        self.header_flits = int(mesh.header == "store")
        self.least = 1 + self.header_flits
        super().__init__(mesh, dice)

    def kind(self, most):
        # In half of the runs the destinations are two nodes, so that more worms wait for an output.
        if self.dice.random() < 0.5:
            self.targets = self.dice.sample(range(self.nodes), 2)
        return super().kind(most)

    def switch(self):
        # BaseJump's rows begin in the north, and its pointer begins behind the node.
        return ["flit_bits: 64", "fifo_depth: 2", f"header_timing: {self.mesh.header}", "routing_cycles: 0",
                "arbiter: round_robin", 'port_order: ["west", "east", "south", "north", "node"]']

    def links(self):
        return f"node: (consumption_depth: {self.mesh.sink_depth}),"


def build(arguments, mesh, folder):
    """Builds a mesh of BaseJump's routers."""
    folders = [arguments.basejump / name for name in ("bsg_noc", "bsg_misc", "bsg_dataflow", "bsg_mem")]
    packages = [folders[0] / name for name in ("bsg_noc_pkg.sv", "bsg_wormhole_router_pkg.sv")]
    options = [*(f"-I{path}" for path in folders), *packages]
    macros = {"YX": int(mesh.routing == "yx"), "HOLD_ON_VALID": int(mesh.hold_on_valid)}
    return routers.build(mesh, folder, macros, options, HERE / "router.sv")


def arbiters(choices, columns):
    """Stalls that make wormscope's arbiters choose as BaseJump did."""
    begin = Counter()
    for choice in choices:
        lane = routers.link_name(choice.node, choice.output, columns)
        first = routers.PLACES[choice.taken].replace("out", "in")
        yield f'(arbiter: "{lane}", first: "{first}", from: {begin[lane]}, until: {choice.cycle + 1})'
        begin[lane] = choice.cycle + 1


def compared(arguments, mesh, program, dice, folder):
    """Compares one run. Returns its flits that crossed, those in the same cycle, and whether that is all."""
    draw = Draw(mesh, dice)
    config, worms = folder / "ours.ron", folder / "theirs.txt"
    config.write_text(draw.config())
    worms.write_text(draw.worms_file())
    us, deadlock = routers.ours(arguments.wormscope, config, folder)
    them, others = routers.theirs(program, worms, mesh.columns)
    if deadlock is not None or len(them) != len(us):
        routers.fail(mesh, "a worm does not arrive", config, worms)
    choices = [Choice(*map(int, words[1:])) for words in others if words[:1] == ["takes"]]
    others = [choice.cycle for choice in choices if choice.taken != choice.expected]
    first = routers.first_difference(us, them)
    if (first and first[0]) != min(others, default=None):
        routers.fail(mesh, f"{first} differs, and BaseJump first chooses another worm in {others[:1]}", config, worms)
    if first and mesh.hold_on_valid:
        config.write_text(draw.config(arbiters(choices, mesh.columns)))
        chosen, _ = routers.ours(arguments.wormscope, config, folder)
        first_left = routers.first_difference(chosen, them)
        if first_left:
            routers.fail(mesh, f"{first_left} differs with the choices of BaseJump", config, worms)
    return len(them), len(them) if not first else sum((Counter(us) & Counter(them)).values()), not first


def main():
    arguments = routers.arguments_of(__doc__, CHECKOUTS, 125)
    rows = []
    for mesh in MESHES:
        dice = random.Random(f"{arguments.seed} {mesh}")
        with tempfile.TemporaryDirectory(prefix="wormscope-basejump-") as name:
            program = build(arguments, mesh, Path(name) / "build")
            runs = [compared(arguments, mesh, program, dice, Path(name)) for _ in range(arguments.runs)]
        crossings, same, equal = map(sum, zip(*runs))
        hold = "yes" if mesh.hold_on_valid else "no"
        rows.append([*mesh[:3], hold, *mesh[4:], arguments.runs, equal, crossings, same])
        print(f"{mesh.columns}x{mesh.rows}, sinks of {mesh.sink_depth}, hold_on_valid_p: {hold}, header {mesh.header}, "
              f"{mesh.routing}: {arguments.runs} runs, {equal} of them equal; {crossings} crossings, {same} of them in "
              f"the same cycle; each difference begins with the choice of another worm", flush=True)
    header = "columns rows sink_depth hold_on_valid header routing runs equal_runs crossings equal_crossings"
    routers.write(arguments, CHECKOUTS, header.split(), rows)


if __name__ == "__main__":
    main()
