#!/usr/bin/env python3
"""Holds the SystemVerilog of random networks to the model, register by register.

lockstep.py WORMSCOPE draws networks, builds the RTL of each with Verilator or Icarus Verilog, and
runs it with random worms. `wormscope rtl --compare` compares all registers of each cycle. --seed
and the number of a network choose it, so --only N runs network N alone. With --state it keeps the
counts of the networks in a file, and a stopped command goes on where it was. With --faults it plants
the faults of faults.json into the SystemVerilog, one at a time: lock step must catch each of them.
It also says which faults break an assertion of a block, or the arrivals of the testbench. With
--lint it only lints the RTL of each network with `verilator -Wall`. With --cocotb it runs the
testbench in Python on three networks. With --fusesoc it runs a network by FuseSoC.
"""

import argparse
import concurrent.futures
import contextlib
import filecmp
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
CYCLES = 300
# The stimuli of a network have different sizes. A build has room for that of the first seed times this.
ROOM = 4
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
    ("uni_min(kind: baseline, switch_ports: 2, stages: 4)", "min"),
    ("bi_min(switch_ports: 2, stages: 2)", "min"),
]


class Draw:
    """A random network and its workload."""

    def __init__(self, dice, cycles=CYCLES):
        topology, kind = dice.choice(TOPOLOGIES)
        modes = ["asynchronous", "asynchronous", "lockstep", "buffered", "sequential"]
        replication = dice.choice([*modes, "synchronous", "synchronous"] if kind == "min" else modes)
        together = replication == "synchronous"
        one_channel = replication == "lockstep" or together
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
        if together:
            switch |= {"acquisition": "incremental", "arbiter": "oldest_first", "lane_choice": "lowest"}

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
        ring = "token_ring: (hop_cycles: %d)," % dice.choice([1, 2]) if kind == "min" and dice.random() < 0.5 and not together else ""
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
        if encoding == "multiport":
            several = multiports(dice, topology, cycles, payload)
        workload = dice.choice([[unicast, several], [unicast, several], [several], [unicast]])
        if dice.random() < 0.3:
            begin = dice.randrange(20, 200)
            one_lane = node["injection_channels"] == 1 and node.get("virtual_channels", channels) == 1
            spell = f"from: {begin}, until: {begin + 60}"
            stall = f"(node: {dice.randrange(2)}, {spell}), (link: \"node0.inj{'' if one_lane else 0}\", {spell})"
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
    run: (measure_cycles: {cycles}, drain: measured, max_cycles: {cycles}),
)
"""


def multiports(dice, topology, cycles, payload):
    """Random messages of multiport worms. Their destinations have any of some digits in each place."""
    ports, stages = (int(dict(re.findall(r"(\w+): (\d+)", topology))[name]) for name in ("switch_ports", "stages"))
    nodes = ports ** stages
    messages = []
    for _ in range(max(10, cycles // 40)):
        free = dice.choice([0b01, 0b10, 0b11, (1 << stages) - 1])
        fixed, source = dice.randrange(nodes), dice.randrange(nodes)
        digit = [ports ** place for place in range(stages)]
        same = [node for node in range(nodes)
                if all(free >> place & 1 or node // of % ports == fixed // of % ports for place, of in enumerate(digit))]
        if source not in same:
            messages.append(f"(cycle: {dice.randrange(cycles)}, source: {source}, destinations: {same}, "
                            f"encoding: multiport, payload_flits: {payload})")
    return f"messages([{', '.join(messages)}])"


class Rtl:
    """The RTL of a network with the worms of one seed."""

    def __init__(self, wormscope, config, seed, folder, *options):
        self.command = [str(wormscope), "rtl", str(config), "--seed", str(seed), *options]
        self.folder = folder
        made = run([*self.command, "-o", str(folder)])
        self.refused = made.returncode == REFUSED
        if made.returncode not in (0, REFUSED):
            sys.exit(f"{config}: exit code {made.returncode}\n{made.stdout}{made.stderr}")

    def build(self, simulator, target="lockstep", *options):
        done = run(["make", "-C", str(self.folder), f"SIM={simulator}", *QUICK_BUILD, *options,
                    f"build/{simulator}/{target}"])
        if done.returncode:
            raise Broken(done.stdout[-3000:] + done.stderr[-3000:])
        return self.folder / "build" / simulator / target

    def compare(self, program):
        """The output of the comparison, and whether a register or an arrival differs."""
        told, status = self.folder / "lockstep.log", self.folder / "status"
        # The dump has some kilobytes a cycle, so it never becomes a file.
        pipe = '{ "$0" +registers=/dev/fd/3 3>&1 >"$1" 2>&1; echo $? >"$2"; } | "${@:3}"'
        done = run(["bash", "-c", pipe, str(program), str(told), str(status), *self.command, "--compare", "-"],
                   cwd=self.folder)
        if done.returncode == 0 and status.read_text() == "0\n":
            return done.stdout, False
        return done.stdout + done.stderr + told.read_text(), True

    def first_number(self, file):
        """The first number of a file of the testbench: of worms, or of arrivals."""
        return int((self.folder / "tb" / file).read_text().split(maxsplit=1)[0])

    def room(self):
        """How many worms and arrivals the testbench has room for."""
        return [int(size) for size in re.findall(r"Max\w+ = (\d+)", (self.folder / "tb/parameters.svh").read_text())]

    def build_with_room(self, simulator, stimuli):
        """The program of the comparison, for seeds with stimuli like these, and its room."""
        sizes = (stimuli.folder / "tb/parameters.svh").read_text()
        more = re.sub(r"(Max\w+ = )(\d+)", lambda of: f"{of[1]}{ROOM * int(of[2])}", sizes)
        (self.folder / "tb/parameters.svh").write_text(more)
        try:
            return self.build(simulator), self.room()
        except Broken as why:
            raise Wrong(str(why)) from None


# The compiler takes most of the time, and -Og takes half the time of -O1. Verilator's own code is the
# same in all builds.
QUICK_BUILD = ["OPT_FAST=-Og", "OPT_SLOW=-Og", "OPT_GLOBAL=-Og"]
if shutil.which("ccache"):
    QUICK_BUILD.append("OBJCACHE=ccache")


class Programs:
    """The programs that run. Each has a session of its own, so a stop can end it with its children."""

    def __init__(self):
        self.lock, self.running, self.stopped = threading.RLock(), set(), False

    def begin(self, command, options):
        with self.lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True, **options)
            self.running.add(process)
        return process

    def end(self, process):
        with self.lock:
            self.running.remove(process)
            if self.stopped:
                raise Stopped

    def stop(self, *_):
        """Handles a signal: ends all programs, and lets none begin."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        raise KeyboardInterrupt


class Stopped(Exception):
    """The user stops the comparison."""


PROGRAMS = Programs()


def run(command, **options):
    """Runs a program to its end, as subprocess.run does."""
    process = PROGRAMS.begin(command, options)
    try:
        stdout, stderr = process.communicate()
    finally:
        PROGRAMS.end(process)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


class Broken(Exception):
    """RTL that cannot be built."""


def network(arguments, dice, folder):
    """A random network that fits, with its RTL. The lint takes seconds, so it has no bound."""
    for attempt in range(1000):
        config = folder / f"network{attempt}.ron"
        config.write_text(Draw(dice, arguments.cycles or CYCLES).text)
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


class State:
    """The networks that are compared, and their totals. A file keeps them, one network a line."""

    COUNTS = ("runs", "cycles", "router_cycles", "arrivals", "skipped")

    def __init__(self, arguments):
        options = {name: getattr(arguments, name) for name in ("seed", "cycles", "seeds", "router_cycles", "largest")}
        self.path, self.networks, self.lines = arguments.state, set(), [json.dumps(options)]
        self.totals = dict.fromkeys(self.COUNTS, 0)
        if self.path and self.path.exists():
            first, *lines = self.path.read_text().splitlines()
            if json.loads(first) != options:
                sys.exit(f"{self.path} is of a soak with other options: {first}; take these, or another file")
            for line in lines:
                self.add(json.loads(line))

    def add(self, network):
        self.networks.add(network["network"])
        self.lines.append(json.dumps(network))
        for count in self.COUNTS:
            self.totals[count] += network[count]

    def write(self):
        """Writes the file anew beside the old one, so a stop leaves one of them whole."""
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.with_name(self.path.name + ".new")
            new.write_text("\n".join([*self.lines, ""]))
            new.replace(self.path)

    def __str__(self):
        runs, cycles, router_cycles, arrivals, skipped = (self.totals[count] for count in self.COUNTS)
        return (f"{len(self.networks)} networks, {runs} runs, {cycles} cycles, {router_cycles} router cycles, "
                f"{arrivals} arrivals, {skipped} seeds need other RTL")


def random_networks(arguments):
    """Compares or lints random networks, some at a time."""
    state, begun = State(arguments), time.monotonic()
    numbers = range(arguments.networks) if arguments.only is None else [arguments.only]
    waiting = [number for number in numbers if number not in state.networks]
    if arguments.state:
        print(f"{arguments.state}: {state}", flush=True)
    wrong = []
    try:
        with (tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name,
              concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool):
            results = [pool.submit(one, arguments, number, Path(name) / str(number), begun) for number in waiting]
            for result in concurrent.futures.as_completed(results):
                try:
                    network = result.result()
                except Wrong as why:
                    wrong.append(why.number)
                    print(why, flush=True)
                    continue
                if network:
                    state.add(network)
                    state.write()
                    print(f"network {network['network']}: {state} so far, {time.monotonic() - begun:.0f} s", flush=True)
    except KeyboardInterrupt:
        sys.exit(f"stopped: {state} so far")
    if wrong:
        sys.exit(f"--seed {arguments.seed}: networks {wrong} differ, or cannot be built; without them: {state}")
    if arguments.lint:
        print(f"{len(waiting)} networks without a warning")
    else:
        print(f"networks of --seed {arguments.seed}: {state}: no register differs")


def one(arguments, number, folder, begun):
    """Compares or lints a network. --seed and its number alone choose it."""
    if over(arguments, begun):
        return None
    folder.mkdir()
    try:
        config, first = network(arguments, random.Random(f"{arguments.seed}/{number}"), folder)
        if arguments.lint:
            return lint(config, first)
        return {"network": number, **compared(arguments, config, first)}
    except Wrong as why:
        why = Wrong(f"network {number} of --seed {arguments.seed}: {why}")
        why.number = number
        raise why from None
    finally:
        shutil.rmtree(folder)


def over(arguments, begun):
    """Whether the time for new networks is over."""
    return arguments.minutes is not None and time.monotonic() - begun > 60 * arguments.minutes


def compared(arguments, config, first):
    """Builds a network, and compares its runs: their number, cycles, cycles of all routers, arrivals."""
    program, room = first.build_with_room(arguments.simulator, first)
    counts = dict.fromkeys(State.COUNTS, 0)
    for seed in range(arguments.seeds):
        rtl = first if seed == 0 else Rtl(arguments.wormscope, config, seed, first.folder.parent / f"seed{seed}")
        if rtl.refused:
            continue
        # Worms of other encodings need other decoders, and other trees may need more slots.
        if filecmp.cmp(first.folder / "rtl/network.sv", rtl.folder / "rtl/network.sv", shallow=False):
            # A run that deadlocks early has few worms, so the next one can need far more room.
            if any(needs > has for needs, has in zip(rtl.room(), room)):
                program, room = first.build_with_room(arguments.simulator, rtl)
            said, differs = rtl.compare(program)
            if differs:
                raise Wrong(f"seed {seed}\n{config.read_text()}\n{said}")
            words = said.split()
            cycles, switches = (int(words[words.index(word) - 1]) for word in ("cycles", "switches"))
            more = (1, cycles, cycles * switches, rtl.first_number("expected.txt"), 0)
            counts = {count: counts[count] + of for count, of in zip(State.COUNTS, more)}
        else:
            counts["skipped"] += 1
        if rtl is not first:
            shutil.rmtree(rtl.folder)
        if arguments.router_cycles and counts["router_cycles"] >= arguments.router_cycles:
            break
    return counts


class Wrong(Exception):
    """RTL that differs from the model, or that a tool refuses."""


def lint(config, rtl):
    done = run(["make", "-C", str(rtl.folder), "lint"])
    if done.returncode:
        raise Wrong(f"{config.read_text()}\n{done.stdout}{done.stderr}")


def plant(arguments, fault):
    """Plants a fault into the RTL of its network. Returns what lock step says, if it catches the
    fault, and what the testbench of the design says, if it does."""
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        rtl = Rtl(arguments.wormscope, HERE / fault["network"], 1, Path(name) / "rtl")
        block = rtl.folder / "rtl" / fault["file"]
        block.write_text(block.read_text().replace(fault["old"], fault["new"]))
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


def check_texts(arguments, every):
    """Each fault, planted or not, must name a text that is once in its file."""
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        designs = {of: Rtl(arguments.wormscope, HERE / of, 1, Path(name) / of) for of in {fault["network"] for fault in every}}
        for fault in every:
            count = (designs[fault["network"]].folder / "rtl" / fault["file"]).read_text().count(fault["old"])
            if count != 1:
                sys.exit(f"{fault['name']}: \"{fault['old']}\" is {count} times in {fault['file']}")


def faults(arguments):
    """Plants each fault, and counts who catches it."""
    every = json.loads((HERE / "faults.json").read_text())
    check_texts(arguments, every)
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
    fields = ("measure_cycles", "max_cycles") if arguments.cycles else ()
    ends = [option for field in fields for option in ("--set", f"run.{field}={arguments.cycles}")]
    with tempfile.TemporaryDirectory(prefix="wormscope-rtl-") as name:
        def one(config):
            rtl = Rtl(arguments.wormscope, config, 1, Path(name) / config.stem, *ends)
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
    parser.add_argument("--only", type=int, metavar="NUMBER", help="compare only the network with this number")
    parser.add_argument("--cycles", type=int, help=f"most cycles of a run, {CYCLES} if the network is random")
    parser.add_argument("--router-cycles", type=int, help="begin no run of a network that has so many router cycles")
    parser.add_argument("--state", type=Path, help="file of the networks that are compared; goes on from there")
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
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, PROGRAMS.stop)
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
