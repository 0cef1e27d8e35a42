#!/usr/bin/env python3
"""Saturation beside BookSim 2.0: accepted load at 0.9 offered, seed by seed.

    testbenches/booksim/compare.py BOOKSIM [WORMSCOPE] [--seeds N] [-o saturation.csv]

BOOKSIM is the program built from https://github.com/booksim/booksim2 (make in src; it wants flex, bison and g++).
Both measure cycles 10,000 to 30,000 of packets of 8 flits through the pipeline of docs/reference/timing.md with crossbar and
links as BookSim has them. Each draws its own packets. BookSim's uniform traffic sends a node its own packets, too,
which a traffic entry of ours never does: ours therefore come from a trace that is drawn here.

Writes one row for each network and seed, and prints means and ranges. It fails where the means are farther apart than
BookSim's own range over its seeds and 1.5 %, unless the two route differently (README.md).
"""

import argparse
import collections
import csv
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

OFFERED, FLITS, WARM_UP, CYCLES = 0.9, 8, 10_000, 30_000

Case = collections.namedtuple("Case", "name radix theirs ours depth lanes traffic alike")


def grid(kind, radix, depth, lanes=1, traffic="uniform"):
    """A mesh or torus of `radix` x `radix` nodes."""
    name = f"{kind}_{radix}x{radix}_depth_{depth}" + f"_lanes_{lanes}" * (lanes > 1) + f"_{traffic}" * (traffic != "uniform")
    theirs = f"topology={kind} k={radix} n=2 routing_function={'dor' if kind == 'mesh' else 'dim_order'}"
    ours = f"{kind}(radices: [{radix}, {radix}]{', datelines: true' * (kind == 'torus')})"
    # On a torus of 4x4 tornado packets take one hop in each dimension: no route can differ.
    alike = kind == "mesh" or (radix, traffic) == (4, "tornado")
    return Case(name, radix, theirs, ours, depth, lanes, traffic, alike)


def butterfly(ports, stages):
    """A multistage network of 64 nodes."""
    theirs = f"topology=fly k={ports} n={stages} routing_function=dest_tag"
    ours = f"uni_min(kind: butterfly, switch_ports: {ports}, stages: {stages})"
    return Case(f"fly_64_{ports}x{ports}_depth_4", 8, theirs, ours, 4, 1, "uniform", True)


CASES = [
    grid("mesh", 8, 4), grid("mesh", 8, 8), grid("mesh", 16, 4), butterfly(4, 3), butterfly(2, 6),
    *[grid("mesh", radix, 4, lanes) for radix in (6, 8) for lanes in (2, 4)],
    *[grid("mesh", 8, 4, lanes, traffic) for lanes in (1, 2, 4) for traffic in ("transpose", "tornado")],
    *[grid("torus", radix, 4, lanes, traffic) for radix in (4, 8) for lanes in (2, 4)
      for traffic in ("uniform", "transpose", "tornado")],
]

# A lane that a packet holds to its end; a head is granted one cycle before it crosses; a credit loop of 5 cycles.
# Every lane has an input of the crossbar. BookSim's source sends one packet after the other of each class; ours sends
# a packet on each lane. So there is a class for each lane, which says nothing about the lane that a packet takes.
# Links have one length, around a torus, too. Throughput runs end after their samples, so warm-up and length are fixed.
BOOKSIM = f"""
wait_for_tail_credit = 0; vc_allocator = separable_input_first; sw_allocator = separable_input_first;
routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 0;
output_speedup = 1; internal_speedup = 1.0;
packet_size = {FLITS}; injection_rate_uses_flits = 1;
sim_type = throughput; sample_period = {WARM_UP}; warmup_periods = 1; max_samples = {CYCLES // WARM_UP};
"""

WORMSCOPE = """(
    network: (
        topology: {ours},
        switch: (routing_cycles: 0, allocation_cycles: 1, crossbar_cycles: 1, fifo_depth: {depth}, virtual_channels: {lanes}),
        link: (link_cycles: 2, credit_cycles: 2),
        node: (injection_link: (link_cycles: 2, credit_cycles: 2), consumption_link: (link_cycles: 2, credit_cycles: 2)),
    ),
    workload: [trace("packets.csv")],
    run: (warmup_cycles: {warm_up}, measure_cycles: {measured}, max_cycles: {cycles}),
)
"""


def booksim(program, folder, case, seed):
    config = folder / "booksim.cfg"
    config.write_text(BOOKSIM)
    command = [program, config, *case.theirs.split(), f"vc_buf_size={case.depth}", f"num_vcs={case.lanes}",
               f"input_speedup={case.lanes}", f"classes={case.lanes}", f"injection_rate={OFFERED / case.lanes}",
               f"traffic={case.traffic}", f"seed={seed}", *["use_noc_latency=0"] * ("torus" in case.theirs)]
    # Its exit status is 255 where all went well.
    text = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    accepted = re.findall(r"Accepted flit rate average = (\S+)", text[text.index("Overall Traffic"):])
    return sum(map(float, accepted))


def destination(case, source, draw):
    """Where BookSim's traffic of this name sends a packet."""
    row, column = divmod(source, case.radix)
    if case.traffic == "uniform":
        return draw.randrange(case.radix ** 2)
    if case.traffic == "transpose":
        return column * case.radix + row
    away = (case.radix + 1) // 2 - 1
    return (row + away) % case.radix * case.radix + (column + away) % case.radix


def wormscope(program, folder, case, seed):
    (folder / "config.ron").write_text(
        WORMSCOPE.format(**case._asdict(), warm_up=WARM_UP, measured=CYCLES - WARM_UP, cycles=CYCLES))
    draw = random.Random(seed)
    with open(folder / "packets.csv", "w") as file:
        file.write("cycle,source,destinations,encoding,payload_flits\n")
        for cycle in range(CYCLES):
            for source in range(case.radix ** 2):
                if draw.random() < OFFERED / FLITS:
                    file.write(f"{cycle},{source},{destination(case, source, draw)},unicast,{FLITS - 1}\n")
    command = [program, "run", folder / "config.ron", "--json", folder / "out.json"]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads((folder / "out.json").read_text())["load"]["accepted"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("booksim")
    parser.add_argument("wormscope", nargs="?", default="target/release/wormscope")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("-o", default=pathlib.Path(__file__).with_name("saturation.csv"))
    args = parser.parse_args()
    rows, apart = [], False
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            pairs = []
            for seed in range(1, args.seeds + 1):
                here = pathlib.Path(folder)
                pairs.append((booksim(args.booksim, here, case, seed), wormscope(args.wormscope, here, case, seed)))
                rows.append((case.name, seed, *pairs[-1]))
            them, us = zip(*pairs)
            spread = max(them) - min(them)
            gap = statistics.mean(us) - statistics.mean(them)
            # Seeds of a fixed pattern such as tornado scatter by less than the arbiters differ.
            apart |= case.alike and abs(gap) > max(spread, 0.015 * statistics.mean(them))
            print(f"{case.name:36} BookSim {statistics.mean(them):.4f} ({min(them):.4f} to {max(them):.4f})  "
                  f"wormscope {statistics.mean(us):.4f} ({min(us):.4f} to {max(us):.4f})  gap {gap:+.4f}", flush=True)
    with open(args.o, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["network", "seed", "booksim", "wormscope"])
        writer.writerows(rows)
    sys.exit("farther apart than BookSim's own seeds" if apart else 0)


if __name__ == "__main__":
    main()
