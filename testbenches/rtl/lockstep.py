#!/usr/bin/env python3
"""Holds the SystemVerilog of random networks to the model, register by register.

lockstep.py WORMSCOPE draws networks, builds the RTL of each with Verilator or Icarus Verilog, and
runs it with random worms. `wormscope rtl --compare` compares all registers of each cycle. With
--faults it plants the faults of faults.json into the SystemVerilog, one at a time: lock step must
catch each of them. With --lint it only lints the RTL of each network with `verilator -Wall`.
"""

import argparse
import filecmp
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
CYCLES = 300
# Exit code of wormscope for a difference, and for a network that does not fit.
DIFFERS, REFUSED = 4, 2

TOPOLOGIES = [
    ("mesh(radices: [3])", "grid"),
    ("mesh(radices: [2, 2])", "grid"),
    ("mesh(radices: [3, 2])", "grid"),
    ("torus(radices: [3], datelines: true)", "grid"),
    ("torus(radices: [4])", "ring"),
    ("uni_min(kind: baseline, switch_ports: 2, stages: 2)", "min"),
    ("uni_min(kind: omega, switch_ports: 2, stages: 3)", "min"),
    ("bi_min(switch_ports: 2, stages: 2)", "min"),
]


class Draw:
    """A random network and its workload."""

    def __init__(self, dice):
        topology, kind = dice.choice(TOPOLOGIES)
        replication = dice.choice(["asynchronous", "asynchronous", "lockstep", "buffered", "sequential"])
        one_channel = replication == "lockstep"
        channels = 2 if "datelines" in topology else dice.choice([1, 1, 2, 3])
        channels = 1 if one_channel else channels
        deep = replication in ("buffered", "sequential")
        switch = {
            "flit_bits": dice.choice([32, 32, 40, 64]),
            "fifo_depth": dice.choice([6, 8, 11]) if deep else dice.choice([2, 3, 4, 5]),
            "virtual_channels": channels,
            "dilation": dice.choice([1, 1, 1, 2]) if channels == 1 else 1,
            "replication": replication,
            "acquisition": dice.choice(["incremental", "incremental", "atomic"]),
            "arbiter": dice.choice(["round_robin", "fixed_priority", "rr_tree", "matrix", "oldest_first"]),
            "lane_choice": dice.choice(["lowest", "round_robin"]),
            "routing_cycles": dice.choice([0, 1, 1, 2, 3]),
            "allocation_cycles": dice.choice([0, 0, 1]),
            "crossbar_cycles": dice.choice([0, 0, 1]),
        }

        def link():
            return f"(link_cycles: {dice.choice([1, 1, 2, 3])}, credit_cycles: {dice.choice([1, 1, 2])})"

        node = {
            "injection_channels": dice.choice([1, 1, 2]),
            "consumption_channels": dice.choice([1, 1, 2, 3]),
            "consumption_depth": dice.choice([1, 2, 4]),
            "injection_link": link(),
            "consumption_link": link(),
            "startup_cycles": dice.choice([0, 0, 5]),
        }
        if not one_channel and channels == 1:
            node["virtual_channels"] = dice.choice([1, 1, 2])
        ring = "token_ring: (hop_cycles: %d)," % dice.choice([1, 2]) if kind == "min" and dice.random() < 0.5 else ""
        multicasts = {"grid": ["bit_string", "multidestination"], "ring": ["bit_string"],
                      "min": ["bit_string", "bit_string"]}[kind]
        encoding = dice.choice(multicasts)
        routing = ""
        if encoding == "multidestination" and topology.startswith("mesh(radices: [3, 2") or "[2, 2]" in topology:
            routing = "routing: label_order," if encoding == "multidestination" else ""
        payload = 4 if deep else dice.choice([3, 6, 9])
        unicast = f"traffic(load: {dice.choice([0.05, 0.2, 0.4])}, pattern: uniform, payload_flits: {payload})"
        several = (f"traffic(load: {dice.choice([0.05, 0.2])}, encoding: {encoding}, destinations: "
                   f"{dice.choice([2, 2, 3])}, payload_flits: {payload})")
        workload = dice.choice([[unicast, several], [unicast, several], [several], [unicast]])

        def fields(values):
            return ", ".join(f"{name}: {value}" for name, value in values.items())

        self.text = f"""(
    network: (
        topology: {topology}, {routing}
        switch: ({fields(switch)}),
        link: {link()},
        node: ({fields(node)}),
        {ring}
    ),
    workload: [{", ".join(workload)}],
    run: (measure_cycles: {CYCLES}, drain: measured, max_cycles: {CYCLES}),
)
"""


class Rtl:
    """The RTL of a network with the worms of one seed."""

    def __init__(self, wormscope, config, seed, folder):
        self.command = [str(wormscope), "rtl", str(config), "--seed", str(seed)]
        self.folder = folder
        made = subprocess.run([*self.command, "-o", str(folder)], capture_output=True, text=True)
        self.refused = made.returncode == REFUSED
        if made.returncode not in (0, REFUSED):
            sys.exit(f"{config}: exit code {made.returncode}\n{made.stdout}{made.stderr}")

    def build(self, simulator):
        done = subprocess.run(["make", "-C", str(self.folder), f"SIM={simulator}", f"build/{simulator}/lockstep"],
                              capture_output=True, text=True)
        if done.returncode:
            raise Broken(done.stdout[-3000:] + done.stderr[-3000:])
        return self.folder / "build" / simulator / "lockstep"

    def compare(self, program):
        """The output of the comparison, and whether a register or an arrival differs."""
        dump = self.folder / "registers.txt"
        ran = subprocess.run([str(program), f"+registers={dump}"], cwd=self.folder, capture_output=True, text=True)
        done = subprocess.run([*self.command, "--compare", str(dump)], capture_output=True, text=True)
        dump.unlink(missing_ok=True)
        if done.returncode == 0 and ran.returncode == 0:
            return done.stdout, False
        return done.stdout + done.stderr + ran.stdout, True


class Broken(Exception):
    """RTL that cannot be built."""


def network(arguments, dice, folder):
    """A random network that fits, with its RTL."""
    for attempt in range(1000):
        config = folder / f"network{attempt}.ron"
        config.write_text(Draw(dice).text)
        rtl = Rtl(arguments.wormscope, config, 0, folder / f"rtl{attempt}")
        if not rtl.refused:
            return config, rtl
        config.unlink()
    sys.exit("no network of a thousand fits")


def random_networks(arguments):
    dice = random.Random(arguments.seed)
    runs, cycles, begun = 0, 0, time.monotonic()
    for number in range(arguments.networks):
        with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
            folder = Path(name)
            config, first = network(arguments, dice, folder)
            if arguments.lint:
                lint(config, first)
                continue
            try:
                program = first.build(arguments.simulator)
            except Broken as why:
                sys.exit(f"{config.read_text()}\n{why}")
            for seed in range(arguments.seeds):
                rtl = first if seed == 0 else Rtl(arguments.wormscope, config, seed, folder / f"seed{seed}")
                if rtl.refused:
                    continue
                # Worms of other encodings need other decoders.
                if not filecmp.cmp(first.folder / "rtl/network.sv", rtl.folder / "rtl/network.sv", shallow=False):
                    continue
                said, differs = rtl.compare(program)
                if differs:
                    sys.exit(f"{config.read_text()}\nseed {seed}, network {number} of --seed {arguments.seed}:\n{said}")
                runs, cycles = runs + 1, cycles + int(said.split(" cycles")[0].split()[-1])
                if rtl is not first:
                    shutil.rmtree(rtl.folder)
            print(f"network {number}: {runs} runs so far, {time.monotonic() - begun:.0f} s", flush=True)
    if arguments.lint:
        print(f"{arguments.networks} networks without a warning")
    else:
        print(f"{arguments.networks} networks, {runs} runs, {cycles} cycles: no register differs")


def lint(config, rtl):
    done = subprocess.run(["make", "-C", str(rtl.folder), "lint"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{config.read_text()}\n{done.stdout}{done.stderr}")


def faults(arguments):
    """Plants each fault into the RTL of a network of its own, or of the first one."""
    every = json.loads((HERE / "faults.json").read_text())
    missed = []
    for fault in every:
        with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
            folder = Path(name)
            config = HERE / fault["network"]
            rtl = Rtl(arguments.wormscope, config, 1, folder / "rtl")
            block = rtl.folder / "rtl" / fault["file"]
            text = block.read_text()
            if text.count(fault["old"]) != 1:
                sys.exit(f"{fault['name']}: \"{fault['old']}\" is {text.count(fault['old'])} times in {fault['file']}")
            block.write_text(text.replace(fault["old"], fault["new"]))
            try:
                said, differs = rtl.compare(rtl.build(arguments.simulator))
            except Broken as why:
                sys.exit(f"{fault['name']}: {why}")
            first = next((line for line in said.splitlines() if "DIFFERENCE" in line), said.strip()[:200])
            print(f"{fault['name']}: {first if differs else 'NOT CAUGHT'}", flush=True)
            if not differs:
                missed.append(fault["name"])
    if missed:
        sys.exit(f"lock step misses {len(missed)} of {len(every)} faults: {', '.join(missed)}")
    print(f"lock step catches all {len(every)} faults")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wormscope", type=lambda path: Path(path).resolve())
    parser.add_argument("--networks", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the random networks")
    parser.add_argument("--simulator", choices=["verilator", "icarus"], default="verilator")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--lint", action="store_true")
    arguments = parser.parse_args()
    tool = {"verilator": "verilator", "icarus": "iverilog"}[arguments.simulator]
    if not shutil.which(tool):
        sys.exit(f"this needs {tool}: apt install {tool}")
    if arguments.faults:
        faults(arguments)
    else:
        random_networks(arguments)


if __name__ == "__main__":
    main()
