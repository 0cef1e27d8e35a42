#!/usr/bin/env python3
"""Compares the routers of PULP's FlooNoC with those of wormscope, flit by flit.

    testbenches/floonoc/compare.py FLOONOC COMMON_CELLS AXI [--wormscope PROGRAM] [--runs N] [--seed S]

FLOONOC, COMMON_CELLS and AXI are checkouts of these repositories of https://github.com/pulp-platform.
The script builds meshes of FlooNoC's router with Verilator. It draws worms and stalls, and runs both
programs with them. Each flit must cross each link in the same cycle, up to the end of the run or to a
deadlock. At the first difference the script prints it, keeps the two inputs and fails.
"""

import random
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "routers"))
import routers  # noqa: E402

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

CHECKOUTS = ["floonoc", "common_cells", "axi"]


def matching(mesh, address, mask):
    """The nodes that match, or none if a coordinate lies outside of the mesh."""
    columns = [x for x in range(16) if (x ^ address[0]) & ~mask[0] == 0]
    rows = [y for y in range(16) if (y ^ address[1]) & ~mask[1] == 0]
    if max(columns) >= mesh.columns or max(rows) >= mesh.rows:
        return []
    return [x + mesh.columns * y for y in rows for x in columns]


class Draw(routers.Draw):
    """Random worms, some of them multicasts, and stalls for a mesh."""

    def kind(self, most):
        self.to_itself = self.mesh.multicast
        share = self.dice.choice([0.05, 0.3, 1.0]) if self.mesh.multicast else 0.0
        return lambda cycle: (self.multicast if self.dice.random() < share else self.unicast)(cycle, most)

    def multicast(self, cycle, most):
        while True:
            source = self.dice.randrange(self.nodes)
            mask = self.dice.randrange(4), self.dice.randrange(4)
            node = self.place(self.dice.randrange(self.nodes))
            address = node[0] & ~mask[0], node[1] & ~mask[1]
            destinations = matching(self.mesh, address, mask)
            if destinations:
                return routers.Worm(cycle, source, address, mask, destinations, self.dice.randint(1, most))

    def can_stall(self, node, place):
        # wormscope stalls a link behind the arbiter, where output FIFOs come first.
        behind_a_fifo = self.mesh.out_fifo_depth and place < routers.INJECTION
        return not behind_a_fifo and super().can_stall(node, place)

    # An output FIFO and the FIFO behind it are one deep FIFO, with a cycle more to it and back from it.
    def switch(self):
        mesh = self.mesh
        return ["flit_bits: 64", f"fifo_depth: {mesh.fifo_depth + mesh.out_fifo_depth}",
                f"crossbar_cycles: {int(mesh.out_fifo_depth > 0)}", "header_timing: beside",
                f"copy_to_source: {str(mesh.multicast).lower()}", "routing_cycles: 0", "arbiter: rr_tree",
                'port_order: ["north", "east", "south", "west", "node"]']

    def links(self):
        cycles = 1 + int(self.mesh.out_fifo_depth > 0)
        return f"""link: (credit_cycles: {cycles}),
        node: (
            injection_link: (link_cycles: {cycles}, credit_cycles: {cycles}),
            consumption_depth: {self.mesh.sink_depth + self.mesh.out_fifo_depth},
            consumption_link: (credit_cycles: {cycles}),
        ),"""


def build(arguments, mesh, folder):
    """Builds a mesh of FlooNoC's routers."""
    hardware, cells = arguments.floonoc / "hw", arguments.common_cells / "src"
    # Packages of the releases 1 and 2 of common_cells.
    packages = [cells / name for name in ("cf_math_pkg.sv", "cc_pkg.sv") if (cells / name).exists()]
    packages += [arguments.axi / "src/axi_pkg.sv", hardware / "floo_pkg.sv"]
    includes = [path / "include" for path in (hardware, arguments.common_cells, arguments.axi)]
    macros = {"ASSERTS_OFF": 1, "COMMON_CELLS_ASSERTS_OFF": 1, "FIFO_DEPTH": mesh.fifo_depth,
              "OUT_FIFO_DEPTH": mesh.out_fifo_depth, "MULTICAST": int(mesh.multicast),
              "YX": int(mesh.routing == "yx")}
    options = [*(f"-I{path}" for path in includes), "-y", hardware, "-y", cells, *packages]
    return routers.build(mesh, folder, macros, options, HERE / "router.sv")


def compared(arguments, mesh, program, dice, folder):
    """Compares one run. Returns its flits that crossed, and whether it deadlocks."""
    draw = Draw(mesh, dice)
    config, worms = folder / "ours.ron", folder / "theirs.txt"
    config.write_text(draw.config())
    worms.write_text(draw.worms_file())
    us, deadlock = routers.ours(arguments.wormscope, config, folder)
    them, _ = routers.theirs(program, worms, mesh.columns)
    if deadlock is not None:
        # wormscope ends there. FlooNoC goes on, so the worms of the deadlock must never arrive.
        arrived = sum(link.endswith("out4") for _, link, _, _ in them)
        them = [crossing for crossing in them if crossing[0] < deadlock]
        if arrived == sum(worm.flits * len(worm.destinations) for worm in draw.worms):
            routers.fail(mesh, "all worms arrive in FlooNoC, and wormscope reports a deadlock", config, worms)
    first = routers.first_difference(us, them)
    if first:
        routers.fail(mesh, f"{first} only in {'wormscope' if first in us else 'FlooNoC'}", config, worms)
    return len(us), deadlock is not None


def main():
    arguments = routers.arguments_of(__doc__, CHECKOUTS, 125)
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
    header = "columns rows fifo_depth out_fifo_depth sink_depth multicasts routing runs deadlocks crossings"
    routers.write(arguments, CHECKOUTS, header.split(), rows)


if __name__ == "__main__":
    main()
