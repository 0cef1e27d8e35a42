"""Runs the assertions that `wormscope test --sva` writes on dumped signals, with Verilator.

The same properties must fail in the same cycles as in `wormscope test`. The signals come from the
waveform of a run, by fst2vcd. Usage: round_trip.py WORMSCOPE [SEEDS]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Tools, and the package of Debian that has each.
TOOLS = {"verilator": "verilator", "g++": "g++", "make": "make", "fst2vcd": "gtkwave"}

SHELF = pathlib.Path(__file__).resolve().parents[1] / "shared"
QUIET = '(purpose: "The stimulus alone", include: ["_sva_stimulus.ron"], expect: (final_state: any, deadlock: never))\n'

# Cycles after the end of a run.
AT_REST = 100

MAIN = """
#include "Vharness.h"
#include "verilated.h"
int main(int argc, char** argv) {
    VerilatedContext context;
    context.errorLimit(1000000);
    Vharness top{&context};
    for (int half = 0; half < 2 * CYCLES; half++) {
        top.clk = half & 1;
        top.eval();
        context.timeInc(1);
    }
    top.final();
}
"""


def run(command, folder, codes=(0,)):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def dumped(vcd, ports, cycles):
    """Values of the ports in every cycle, as strings of bits."""
    scope, names = [], {}
    lines = iter(vcd.splitlines())
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scope.append(words[2])
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var":
            name = ".".join(scope[1:] + [words[4]])
            names.setdefault(words[3], []).append(re.sub(r"\[.*", "", name))
        elif words[0] == "$enddefinitions":
            break
    now, rows, time = {}, [], 0
    for line in lines:
        if line.startswith("#"):
            while time < min(int(line[1:]), cycles):
                rows.append(dict(now))
                time += 1
        elif line.startswith("b"):
            value, code = line[1:].split()
            for name in names.get(code, []):
                now[name] = value
        elif line and line[0] in "01xz":
            for name in names.get(line[1:].strip(), []):
                now[name] = line[0]
    rows += [dict(now)] * (cycles - len(rows))
    missing = set(ports) - set(now)
    if missing:
        sys.exit(f"no such signals in the waveform: {sorted(missing)}")
    return [{name: row[name].rjust(width, "0") for name, width in ports.items()} for row in rows]


def failed_in_verilator(sv, vcd, cycles, folder):
    module = re.search(r"^module (\w+)", sv, re.M)[1]
    declared = re.findall(r"^    input logic (?:\[(\d+):0\] )?(\\\S+|\w+) ?,?$", sv, re.M)
    ports = {name[1:]: int(high or 0) + 1 for high, name in declared if name.startswith("\\")}
    rows = dumped(vcd, ports, cycles)
    total = sum(ports.values())
    (folder / "signals.txt").write_text("".join("".join(row[name] for name in ports) + "\n" for row in rows))
    at, connections = total, []
    for name, width in ports.items():
        connections.append(f".\\{name} (row[{at - 1}:{at - width}])")
        at -= width
    # The values of a cycle are there before its rising edge, as those of registers.
    (folder / "harness.sv").write_text(f"""
module harness(input logic clk);
    logic [{total - 1}:0] rows [0:{cycles - 1}];
    initial $readmemb("signals.txt", rows);
    logic [31:0] at = 0;
    wire [{total - 1}:0] row = rows[at];
    always_ff @(posedge clk) at <= at + 1;
    {module} checks (.clk(clk), .reset(1'b0), {', '.join(connections)});
endmodule
""")
    (folder / "checks.sv").write_text(sv)
    (folder / "main.cpp").write_text(MAIN.replace("CYCLES", str(cycles)))
    run(["verilator", "--cc", "--exe", "--build", "--assert", "-Wno-fatal", "-Wno-lint", "-CFLAGS", "-O0",
         "--top-module", "harness", "harness.sv", "checks.sv", "main.cpp"], folder)
    out = run(["./obj_dir/Vharness"], folder, codes=range(256))
    first = {}
    for what, end, cycle in re.findall(r"(\w+\[\d+\]) does not hold (in|until the end,) cycle (\d+)", out):
        first.setdefault(what, int(cycle) if end == "in" else "end")
    return first


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: round_trip.py WORMSCOPE [SEEDS]")
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit(f"round_trip.py needs {', '.join(missing)}: apt install {' '.join(TOOLS[tool] for tool in missing)}")
    program = pathlib.Path(sys.argv[1]).resolve()
    if not program.is_file():
        sys.exit(f"{program}: no such program; build it with `cargo build`")
    seeds = [int(seed) for seed in sys.argv[2:]] or [1, 2]
    compared = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("_sva_stimulus.ron", "_sva_assertions.ron"):
                shutil.copy(SHELF / part, folder)
            (folder / "quiet.ron").write_text(QUIET)
            of_seed = ["--seed", str(seed)]
            bench = [program, "test", "_sva_assertions.ron"]
            run([*bench, *of_seed, "--wave", "never", "--json", "verdict.json"], folder, codes=(0, 4))
            run([*bench, "--sva", "checks.sv"], folder)
            run([program, "test", "quiet.ron", *of_seed, "--wave", "always"], folder)
            vcd = run(["fst2vcd", "waves/quiet/quiet.fst"], folder)
            verdict = json.loads((folder / "verdict.json").read_text())["benches"][0]
            # A run at rest goes on for ever in its last state, so answers may be due after its end.
            at_end = re.compile(r"until the end|did not hold in any")
            wanted = {
                failure["what"]: "end" if at_end.search(failure["message"]) else failure["cycle"]
                for failure in verdict["failures"]
            }
            sv = (folder / "checks.sv").read_text()
            seen = failed_in_verilator(sv, vcd, verdict["cycles"] + AT_REST, folder)
            assertions = len(re.findall(r"assert property|final if", sv))
            for what in sorted(wanted.keys() | seen.keys()):
                if wanted.get(what) != seen.get(what):
                    sys.exit(f"seed {seed}: {what}: wormscope {wanted.get(what)}, Verilator {seen.get(what)}")
            print(f"seed {seed}: {assertions} assertions, {len(wanted)} of them fail first in the same cycles")
            compared += len(wanted)
    if compared < 10 * len(seeds):
        sys.exit("too few assertions fail to compare anything")


main()
