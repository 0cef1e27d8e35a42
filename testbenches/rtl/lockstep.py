#!/usr/bin/env python3
"""Holds the SystemVerilog of random networks to the model, register by register.

lockstep.py WORMSCOPE draws networks, builds the RTL of each with Verilator or Icarus Verilog, and
runs it with random worms. `wormscope rtl --compare` compares all registers of each cycle. With
--faults it plants the faults of faults.json into the SystemVerilog, one at a time: lock step must
catch each of them. It also says which faults break an assertion of a block, or the arrivals of the
testbench. With --lint it only lints the RTL of each network with `verilator -Wall`. With --cocotb it
runs the testbench in Python on three networks. With --fusesoc it runs a network by FuseSoC.
"""

import argparse
import concurrent.futures
import filecmp
import json
import random
import re
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
            "injection_depth": dice.choice([6, 9, 12]) if deep else dice.choice([2, 3, 6]),
            "consumption_depth": dice.choice([1, 2, 4]),
            "injection_link": link(),
            "consumption_link": link(),
            "startup_cycles": dice.choice([0, 0, 5]),
        }
        if not one_channel and channels == 1:
            node["virtual_channels"] = dice.choice([1, 1, 2])
        ring = "token_ring: (hop_cycles: %d)," % dice.choice([1, 2]) if kind == "min" and dice.random() < 0.5 else ""
        multicasts = {"grid": ["bit_string", "multidestination"], "ring": ["bit_string"],
                      "min": ["bit_string", "bit_string", "multiport"]}[kind]
        beside = dice.random() < 0.25
        if beside:
            # Switches do not strip this header, so no encodings of parts.
            switch["header_timing"] = "beside"
            switch["copy_to_source"] = dice.choice(["true", "false"])
            multicasts = ["bit_string", "coordinate_mask"] if kind == "grid" else ["bit_string"]
        encoding = dice.choice(multicasts)
        routing = ""
        if encoding == "multidestination" and topology.startswith("mesh(radices: [3, 2") or "[2, 2]" in topology:
            routing = "routing: label_order," if encoding == "multidestination" else ""
        short = [1, 1, 3] if beside else []
        payload = dice.choice([4, *short]) if deep else dice.choice([3, 6, 9, *short])
        unicast = f"traffic(load: {dice.choice([0.05, 0.2, 0.4])}, pattern: uniform, payload_flits: {payload})"
        to = "pattern: row" if encoding == "coordinate_mask" else f"destinations: {dice.choice([2, 2, 3])}"
        several = f"traffic(load: {dice.choice([0.05, 0.2])}, encoding: {encoding}, {to}, payload_flits: {payload})"
        workload = dice.choice([[unicast, several], [unicast, several], [several], [unicast]])
        if dice.random() < 0.3:
            begin = dice.randrange(20, 200)
            stall = f"(node: {dice.randrange(2)}, from: {begin}, until: {begin + 60}), (link: \"node0.inj\", from: {begin}, until: 90)"
            workload = [f"stalls([{stall}])", *workload]
        if dice.random() < 0.25:
            node["startup_cycles"] = 0
            node["costs"] = "(hold: (fixed: 9.0), send: (fixed: 4.0), receive: (fixed: %d.0))" % dice.choice([3, 30])
            if dice.random() < 0.5:
                node["receive_buffer"] = dice.choice([128, 256])

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

    def build(self, simulator, target="lockstep", *options):
        done = subprocess.run(["make", "-C", str(self.folder), f"SIM={simulator}", *QUICK_BUILD, *options,
                               f"build/{simulator}/{target}"], capture_output=True, text=True)
        if done.returncode:
            raise Broken(done.stdout[-3000:] + done.stderr[-3000:])
        return self.folder / "build" / simulator / target

    def compare(self, program):
        """The output of the comparison, and whether a register or an arrival differs."""
        dump = self.folder / "registers.txt"
        ran = subprocess.run([str(program), f"+registers={dump}"], cwd=self.folder, capture_output=True, text=True)
        done = subprocess.run([*self.command, "--compare", str(dump)], capture_output=True, text=True)
        dump.unlink(missing_ok=True)
        if done.returncode == 0 and ran.returncode == 0:
            return done.stdout, False
        return done.stdout + done.stderr + ran.stdout, True


# Runs are short, so the compiler takes most of the time: without optimisation it takes a third.
QUICK_BUILD = ["OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0"]


class Broken(Exception):
    """RTL that cannot be built."""


def network(arguments, dice, folder):
    """A random network that fits, with its RTL. The lint takes seconds, so it has no bound."""
    for attempt in range(1000):
        config = folder / f"network{attempt}.ron"
        config.write_text(Draw(dice).text)
        rtl = Rtl(arguments.wormscope, config, 0, folder / f"rtl{attempt}")
        if not rtl.refused and (arguments.lint or points(rtl) <= arguments.largest):
            return config, rtl
        config.unlink()
        shutil.rmtree(rtl.folder, ignore_errors=True)
    sys.exit("no network of a thousand fits")


def points(rtl):
    """Flits among which the crossbars of a network choose. The time of a build grows with them."""
    text = (rtl.folder / "rtl/network.sv").read_text()

    def values(name):
        return [int(value) for value in re.findall(rf"{name} *(?:\(|= )(\d+)", text)]

    mode, depth = values("Replication")[0], max(values("FifoDepth")[0], values("InjectionDepth")[0])
    cells = depth if mode in OWN_POINTERS else 1
    return cells * sum(ins * outs for ins, outs in zip(values(r"\.Inputs"), values(r"\.Lanes")))


# Modes of replication in which a branch reads any cell of a FIFO: buffered and sequential.
OWN_POINTERS = (2, 3)


def random_networks(arguments):
    """Draws networks one after the other, so --seed alone chooses them, and runs some at a time."""
    dice = random.Random(arguments.seed)
    runs, cycles, router_cycles, begun = 0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            waiting = []
            for number in range(arguments.networks + arguments.jobs):
                if number < arguments.networks and not over(arguments, begun):
                    folder = Path(name) / str(number)
                    folder.mkdir()
                    config, first = network(arguments, dice, folder)
                    waiting.append((number, pool.submit(lint if arguments.lint else compared, arguments, config, first)))
                if number < arguments.jobs - 1 or not waiting:
                    continue
                done, result = waiting.pop(0)
                try:
                    more = result.result()
                except Wrong as why:
                    sys.exit(f"network {done} of --seed {arguments.seed}: {why}")
                shutil.rmtree(Path(name) / str(done))
                if more:
                    runs, cycles, router_cycles = runs + more[0], cycles + more[1], router_cycles + more[2]
                    print(f"network {done}: {runs} runs, {router_cycles} router cycles so far, "
                          f"{time.monotonic() - begun:.0f} s", flush=True)
    if arguments.lint:
        print(f"{arguments.networks} networks without a warning")
    else:
        print(f"networks of --seed {arguments.seed}: {runs} runs, {cycles} cycles, {router_cycles} router cycles: "
              "no register differs")


def over(arguments, begun):
    """Whether the time for new networks is over."""
    return arguments.minutes is not None and time.monotonic() - begun > 60 * arguments.minutes


def compared(arguments, config, first):
    """Builds a network, and compares its runs: their number, cycles and cycles of all routers."""
    try:
        program = first.build(arguments.simulator)
    except Broken as why:
        raise Wrong(f"{config.read_text()}\n{why}") from None
    runs, cycles, router_cycles = 0, 0, 0
    for seed in range(arguments.seeds):
        rtl = first if seed == 0 else Rtl(arguments.wormscope, config, seed, first.folder.parent / f"seed{seed}")
        if rtl.refused:
            continue
        # Worms of other encodings need other decoders.
        if filecmp.cmp(first.folder / "rtl/network.sv", rtl.folder / "rtl/network.sv", shallow=False):
            said, differs = rtl.compare(program)
            if differs:
                raise Wrong(f"seed {seed}\n{config.read_text()}\n{said}")
            words = said.split()
            runs, cycles = runs + 1, cycles + int(words[words.index("cycles") - 1])
            router_cycles += int(words[words.index("cycles") - 1]) * int(words[words.index("switches") - 1])
        if rtl is not first:
            shutil.rmtree(rtl.folder)
    return runs, cycles, router_cycles


class Wrong(Exception):
    """RTL that differs from the model, or that a tool refuses."""


def lint(_, config, rtl):
    done = subprocess.run(["make", "-C", str(rtl.folder), "lint"], capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"{config.read_text()}\n{done.stdout}{done.stderr}")


def plant(arguments, fault):
    """Plants a fault into the RTL of its network. Returns what lock step says, if it catches the
    fault, and what the testbench of the design says, if it does."""
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        rtl = Rtl(arguments.wormscope, HERE / fault["network"], 1, Path(name) / "rtl")
        block = rtl.folder / "rtl" / fault["file"]
        text = block.read_text()
        if text.count(fault["old"]) != 1:
            raise Wrong(f"{fault['name']}: \"{fault['old']}\" is {text.count(fault['old'])} times in {fault['file']}")
        block.write_text(text.replace(fault["old"], fault["new"]))
        try:
            # An assertion ends a run, so lock step has a program without assertions.
            without = [f"{tool}_FLAGS={flags}" for tool, flags in WITHOUT_ASSERTIONS.items()]
            said, _ = rtl.compare(rtl.build(arguments.simulator, "lockstep", *without))
            bench = rtl.build(arguments.simulator, "sim")
        except Broken as why:
            raise Wrong(f"{fault['name']}: {why}") from None
        caught = next((line for line in said.splitlines() if line.startswith("DIFFERENCE")), None)
        ran = subprocess.run([str(bench)], cwd=rtl.folder, capture_output=True, text=True)
        told = ran.stdout + ran.stderr
        broken = next((line for line in told.splitlines() if "rule broken" in line or "FAIL" in line), None)
        return caught, broken


WITHOUT_ASSERTIONS = {
    "ICARUS": "-g2012 -s tb -Itb",
    "VERILATOR": "--binary --timing --x-assign fast -Wno-fatal -Wno-WIDTH -Wno-TIMESCALEMOD --top-module tb -Itb",
}


def faults(arguments):
    """Plants each fault, and counts who catches it."""
    every = json.loads((HERE / "faults.json").read_text())
    every = every[::arguments.every]
    missed, by_rule, by_arrival, by_none = [], 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for fault, result in [(fault, pool.submit(plant, arguments, fault)) for fault in every]:
            try:
                caught, broken = result.result()
            except Wrong as why:
                sys.exit(str(why))
            print(f"{fault['name']}: {caught or 'NOT CAUGHT'}", flush=True)
            if not caught:
                missed.append(fault["name"])
            if broken is None:
                by_none.append(fault["name"])
            elif "rule broken" in broken:
                by_rule += 1
            else:
                by_arrival += 1
    print(f"the testbench catches {by_rule + by_arrival} of {len(every)} faults: {by_rule} by an assertion of a block, "
          f"{by_arrival} by the arrivals; it misses {', '.join(by_none) or 'none'}")
    if missed:
        sys.exit(f"lock step misses {len(missed)} of {len(every)} faults: {', '.join(missed)}")
    print(f"lock step catches all {len(every)} faults")


def shelf(arguments):
    """Compares the networks of the faults, without a fault."""
    configs = sorted(HERE.glob("_*.ron"))
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        def one(config):
            rtl = Rtl(arguments.wormscope, config, 1, Path(name) / config.stem)
            return rtl.compare(rtl.build(arguments.simulator))

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for config, result in [(config, pool.submit(one, config)) for config in configs]:
                try:
                    said, differs = result.result()
                except Broken as why:
                    sys.exit(f"{config}: {why}")
                if differs:
                    sys.exit(f"{config}: {said}")
                print(f"{config.name}: {said.strip()}", flush=True)


def cocotb(arguments):
    """Runs the testbench in Python on three networks."""
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        for network in ("_mesh.ron", "_tokens.ron", "_beside.ron"):
            rtl = Rtl(arguments.wormscope, HERE / network, 1, Path(name) / network)
            done = subprocess.run(["make", "-C", str(rtl.folder), "cocotb"], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{network}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    print("cocotb: the arrivals of three networks are those of the model")


def fusesoc(arguments):
    """Lints and simulates a network by its description for FuseSoC."""
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        rtl = Rtl(arguments.wormscope, HERE / "_line.ron", 1, Path(name) / "rtl")
        # The first line has the number of arrivals.
        arrivals = int((rtl.folder / "tb/expected.txt").read_text().split("\n", 1)[0])
        assert arrivals > 0
        for target, says in (("lint", ""), ("sim", f"PASS: all {arrivals} arrivals")):
            done = subprocess.run(["fusesoc", "--cores-root", ".", "run", f"--target={target}", "::wormscope_network:0"],
                                  cwd=rtl.folder, capture_output=True, text=True)
            if done.returncode or says not in done.stdout + done.stderr:
                sys.exit(f"fusesoc {target}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    print("FuseSoC: lints and simulates a network by its description")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wormscope", type=lambda path: Path(path).resolve())
    parser.add_argument("--networks", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the random networks")
    parser.add_argument("--simulator", choices=["verilator", "icarus"], default="verilator")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="plant only every N-th fault")
    parser.add_argument("--lint", action="store_true")
    parser.add_argument("--cocotb", action="store_true")
    parser.add_argument("--fusesoc", action="store_true")
    parser.add_argument("--shelf", action="store_true", help="compare only the networks of the faults")
    parser.add_argument("--largest", type=int, default=1000, metavar="POINTS",
                        help="draw only networks whose crossbars have up to this many points")
    parser.add_argument("--minutes", type=float, help="begin no network after this time")
    parser.add_argument("--jobs", type=int, default=2, help="networks or faults at a time")
    arguments = parser.parse_args()
    tool = {"verilator": "verilator", "icarus": "iverilog"}[arguments.simulator]
    if not shutil.which(tool):
        sys.exit(f"this needs {tool}: apt install {tool}")
    if arguments.faults:
        faults(arguments)
    elif arguments.cocotb:
        cocotb(arguments)
    elif arguments.fusesoc:
        fusesoc(arguments)
    elif arguments.shelf:
        shelf(arguments)
    else:
        random_networks(arguments)


if __name__ == "__main__":
    main()
