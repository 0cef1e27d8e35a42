#!/usr/bin/env python3
"""Saturation beside BookSim 2.0: accepted load at 0.9 offered, seed by seed.

    testbenches/booksim/compare.py BOOKSIM [WORMSCOPE] [--seeds N] [-o saturation.csv]

BOOKSIM is the program built from https://github.com/booksim/booksim2 (make in src; it wants flex, bison and g++).
Both measure cycles 10,000 to 30,000 of uniform traffic in packets of 8 flits through the pipeline of docs/TIMING.md
with crossbar and links as BookSim has them. Each draws its own packets. BookSim's uniform traffic sends a node its
own packets, too, which a traffic entry of ours never does: ours therefore come from a trace that is drawn here.

Writes a row a network and seed, prints means and ranges, and fails where the means are farther apart than BookSim's
own range over its seeds.
"""

import argparse
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

# Name, BookSim's topology, ours, FIFO depth.
NETWORKS = [
    ("mesh_8x8_depth_4", "topology=mesh k=8 n=2 routing_function=dor", "mesh(radices: [8, 8])", 4),
    ("mesh_8x8_depth_8", "topology=mesh k=8 n=2 routing_function=dor", "mesh(radices: [8, 8])", 8),
    ("mesh_16x16_depth_4", "topology=mesh k=16 n=2 routing_function=dor", "mesh(radices: [16, 16])", 4),
    ("fly_64_4x4_depth_4", "topology=fly k=4 n=3 routing_function=dest_tag",
     "uni_min(kind: butterfly, switch_ports: 4, stages: 3)", 4),
    ("fly_64_2x2_depth_4", "topology=fly k=2 n=6 routing_function=dest_tag",
     "uni_min(kind: butterfly, switch_ports: 2, stages: 6)", 4),
]

# One lane, held by a packet to its end; a head is granted one cycle before it crosses; a credit loop of 5 cycles.
# Throughput runs end after their samples, so warm-up and length are fixed.
BOOKSIM = f"""
num_vcs = 1; wait_for_tail_credit = 0; vc_allocator = separable_input_first; sw_allocator = separable_input_first;
routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 0;
input_speedup = 1; output_speedup = 1; internal_speedup = 1.0;
traffic = uniform; packet_size = {FLITS}; injection_rate_uses_flits = 1; injection_rate = {OFFERED};
sim_type = throughput; sample_period = {WARM_UP}; warmup_periods = 1; max_samples = {CYCLES // WARM_UP};
"""

WORMSCOPE = """(
    network: (
        topology: {topology},
        switch: (routing_cycles: 0, allocation_cycles: 1, crossbar_cycles: 1, fifo_depth: {depth}),
        link: (link_cycles: 2, credit_cycles: 2),
        node: (injection_link: (link_cycles: 2, credit_cycles: 2), consumption_link: (link_cycles: 2, credit_cycles: 2)),
    ),
    workload: [trace("packets.csv")],
    run: (warmup_cycles: {warm_up}, measure_cycles: {measured}, max_cycles: {cycles}),
)
"""


def booksim(program, folder, topology, depth, seed):
    config = folder / "booksim.cfg"
    config.write_text(BOOKSIM)
    command = [program, config, *topology.split(), f"vc_buf_size={depth}", f"seed={seed}"]
    # Its exit status is 255 where all went well.
    text = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    return float(re.search(r"Overall Traffic.*?Accepted flit rate average = (\S+)", text, re.S).group(1))


def wormscope(program, folder, topology, depth, seed):
    (folder / "config.ron").write_text(
        WORMSCOPE.format(topology=topology, depth=depth, warm_up=WARM_UP, measured=CYCLES - WARM_UP, cycles=CYCLES))
    nodes = 256 if "16, 16" in topology else 64
    draw = random.Random(seed)
    with open(folder / "packets.csv", "w") as file:
        file.write("cycle,source,destinations,encoding,payload_flits\n")
        for cycle in range(CYCLES):
            for source in range(nodes):
                if draw.random() < OFFERED / FLITS:
                    file.write(f"{cycle},{source},{draw.randrange(nodes)},unicast,{FLITS - 1}\n")
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
        for name, theirs, ours, depth in NETWORKS:
            pairs = []
            for seed in range(1, args.seeds + 1):
                here = pathlib.Path(folder)
                pairs.append((booksim(args.booksim, here, theirs, depth, seed),
                              wormscope(args.wormscope, here, ours, depth, seed)))
                rows.append((name, seed, *pairs[-1]))
            them, us = zip(*pairs)
            spread = max(them) - min(them)
            gap = statistics.mean(us) - statistics.mean(them)
            apart |= abs(gap) > spread
            print(f"{name:20} BookSim {statistics.mean(them):.4f} ({min(them):.4f} to {max(them):.4f})  "
                  f"wormscope {statistics.mean(us):.4f} ({min(us):.4f} to {max(us):.4f})  gap {gap:+.4f}", flush=True)
    with open(args.o, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["network", "seed", "booksim", "wormscope"])
        writer.writerows(rows)
    sys.exit("farther apart than BookSim's own seeds" if apart else 0)


if __name__ == "__main__":
    main()
