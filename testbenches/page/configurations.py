"""Configurations drawn at random over every field, and small enough for a page that a test looks through.

A topology and entries of a workload are drawn here. Every other field is one that `wormscope config --paths` lists, with a value of those that it
says are allowed: fields of tomorrow are drawn without a word about them here. What a field's neighbours forbid is drawn again."""

import re
import subprocess

ENCODINGS = ["unicast", "bit_string", "multidestination", "multiport", "mask", "coordinate_mask"]
ALGORITHMS = ["sequential", "chain", "binomial", "opt_tree", "u_mesh", "dual_path", "u_min", "atbm", "masks", "bst"]
# Values of fields for which the range that is allowed is too wide, or of which it says nothing.
FEW = {
    "flit_bits": [8, 16, 32, 64, 100, 200], "fifo_depth": range(1, 13), "injection_depth": range(1, 13), "consumption_depth": range(1, 13), "startup_cycles": range(30),
    "routing_cycles": range(5), "crossbar_cycles": range(4), "link_cycles": range(1, 9), "credit_cycles": range(1, 9),
    "virtual_channels": range(1, 5), "dilation": range(1, 3), "injection_channels": range(1, 4), "consumption_channels": range(1, 4), "ports": range(1, 4),
    "send_buffer": range(16, 300), "receive_buffer": range(16, 300), "clock_ns": [0.333, 1.25, 2.5, 40.0, "from_depth"], "reach_limit_mib": [64], "seed": range(1 << 32),
    "warmup_cycles": range(20), "measure_cycles": range(10, 90), "max_cycles": range(10, 260), "deadlock_check_cycles": range(1, 40),
}
GROUPS = {
    "token_ring": lambda draw: f"(hop_cycles: {draw.randint(1, 4)})",
    "costs": lambda draw: f"(hold: (fixed: {draw.randint(0, 9)}.0), send: (fixed: {draw.randint(0, 9)}.0, per_byte: 0.25), network: {draw.randint(0, 5)}.0, "
                          f"receive: (fixed: {draw.randint(0, 9)}.0))",
}


def netlist(draw):
    """A tree of switches, some links more, and nodes anywhere: its text, switches, nodes and ports of the largest switch."""
    switches = draw.randint(1, 6)
    used, lines = [0] * switches, ["switch " + " ".join(f"s{k}" for k in range(switches))]

    def port(switch):
        used[switch] += 1
        return f"s{switch}.{used[switch] - 1}"

    links = [(k, draw.randrange(k)) for k in range(1, switches)]
    links += [draw.sample(range(switches), 2) for _ in range(draw.randint(0, 3)) if switches > 1]
    lines += [f"link {port(a)} {port(b)}" for a, b in links]
    at = list(range(switches)) if draw.random() < 0.5 else [draw.randrange(switches) for _ in range(draw.randint(1, 7))]
    lines += [f"node {port(k)}" for k in at]
    shortest = draw.random() < 0.4
    rest = "routing: shortest, cyclic: true" if shortest else "routing: up_down"
    return f"netlist(text: \"{chr(10).join(lines)}\", {rest})", [f"s{k}" for k in range(switches)], len(at), max(used)


def topology(draw):
    """A topology: its text, names of some switches, its nodes and the names of its ports."""
    numbered = lambda ports: [f"in{port}" for port in range(ports)]
    kind = draw.choice(["linear", "mesh", "mesh", "torus", "torus", "uni_min", "bi_min", "two_sided", "netlist", "netlist", "custom"])
    if kind in ("linear", "mesh", "torus"):
        radices = [draw.randint(1, 7)] if kind == "linear" or draw.random() < 0.2 else draw.choice([[draw.randint(1, 4), draw.randint(1, 4)], [2, 2, draw.randint(1, 3)]])
        nodes = 1
        for radix in radices:
            nodes *= radix
        text = f"linear(nodes: {radices[0]})" if kind == "linear" else f"mesh(radices: {radices})" if kind == "mesh" else \
            f"torus(radices: {radices}, datelines: {draw.choice(['true', 'false'])})"
        ports = ["east", "west", "north", "south", "up", "down"][:2 * len(radices)] + ["node"]
        return text, ["rt_" + "_".join(str(draw.randrange(radix)) for radix in radices) for _ in range(3)], nodes, ports
    if kind == "netlist":
        text, switches, nodes, ports = netlist(draw)
        return text, switches, nodes, numbered(ports)
    if kind == "custom":
        text = "uni_min(kind: custom(permutations: [[0, 2, 1, 3], [0, 2, 1, 3], [0, 2, 1, 3]]), switch_ports: 2, stages: 2)"
        return text, ["sw_s0_r0", "sw_s1_r1"], 4, numbered(2)
    ports, stages = draw.choice([(2, 1), (2, 2), (2, 3), (3, 2), (4, 2)])
    rows = [f"sw_s{draw.randrange(stages)}_r0" for _ in range(3)]
    if kind == "uni_min":
        return f"uni_min(kind: {draw.choice(['baseline', 'butterfly', 'omega'])}, switch_ports: {ports}, stages: {stages})", rows, ports ** stages, numbered(ports)
    nodes = ports ** stages * (1 if kind == "bi_min" else 2)
    return f"{kind}(switch_ports: {ports}, stages: {stages})", rows, nodes, numbered(2 * ports)


def destinations(draw, nodes, source, encoding):
    """Nodes that a worm in an encoding may go to; some of what the encoding forbids is among them."""
    if encoding == "unicast" or nodes < 3:
        return [draw.randrange(nodes)]
    if encoding in ("mask", "coordinate_mask", "multiport"):
        mask = draw.randrange(1, nodes)
        base = draw.randrange(nodes) & ~mask
        return [node for node in range(nodes) if node & ~mask == base and node != source]
    others = [node for node in range(nodes) if node != source]
    found = draw.sample(others, draw.randint(1, min(6, len(others))))
    return found if encoding == "multidestination" and draw.random() < 0.5 else sorted(found)


def message(draw, nodes):
    source, encoding = draw.randrange(nodes), draw.choice(ENCODINGS)
    to = destinations(draw, nodes, source, encoding)
    return draw.randint(0, 40), source, to, encoding, draw.choice([draw.randint(1, 4), draw.randint(5, 30)])


def entry(draw, network, folder):
    """An entry of a workload."""
    _, switches, nodes, _ = network
    kind = draw.choice(["messages", "messages", "messages", "trace", "traffic", "traffic", "spmd", "multicast", "multicasts", "stalls", "stalls"])
    pattern = draw.choice(["uniform", "transpose", "bit_reversal", "shuffle", "tornado", "nearest_neighbour", f"hot_spot(nodes: [{draw.randrange(nodes)}], share: 0.3)"])
    if kind == "messages":
        cycle, source, to, encoding, flits = message(draw, nodes)
        called = ", class: \"a\"" if draw.random() < 0.2 else ""
        return f"messages([(cycle: {cycle}, source: {source}, destinations: {to}, encoding: {encoding}{called}, payload_flits: {flits})])"
    if kind == "trace":
        name = f"trace{draw.randrange(1 << 32)}.csv"
        rows = sorted(message(draw, nodes) for _ in range(draw.randint(1, 5)))
        rows = [f"{cycle},{source},{' '.join(map(str, to))},{encoding},{flits}\n" for cycle, source, to, encoding, flits in rows]
        (folder / name).write_text("cycle,source,destinations,encoding,payload_flits\n" + "".join(rows))
        return f"trace(\"{name}\")"
    if kind == "traffic":
        encoding, rate = draw.choice(ENCODINGS), draw.choice([f"load: {draw.choice([0.05, 0.2, 0.5])}", f"interval: {draw.randint(9, 60)}"])
        to = f"destinations: {draw.randint(1, 4)}" if encoding != "unicast" else f"pattern: {pattern}"
        length = draw.choice([f"payload_flits: {draw.randint(1, 12)}", "lengths: uniform(least: 1, most: 13)"])
        return f"traffic({rate}, process: {draw.choice(['bernoulli', 'exponential'])}, {to}, encoding: {encoding}, {length})"
    if kind == "spmd":
        return f"spmd(compute: {draw.randint(5, 50)}.0, bytes: uniform(least: 1, most: 60), pattern: {pattern})"
    size = draw.choice([f"payload_flits: {draw.randint(1, 9)}", f"bytes: {draw.randint(1, 60)}"])
    if kind == "multicast":
        source = draw.randrange(nodes)
        to = destinations(draw, nodes, source, "bit_string")
        return f"multicast(cycle: {draw.randint(0, 20)}, source: {source}, destinations: {to}, algorithm: \"{draw.choice(ALGORITHMS)}\", {size})"
    if kind == "multicasts":
        return f"multicasts(count: {draw.randint(1, 2)}, destinations: {draw.randint(1, 4)}, algorithm: \"{draw.choice(ALGORITHMS)}\", {size})"
    node, switch, start = draw.randrange(nodes), draw.choice(switches), draw.randint(0, 60)
    what = draw.choice([f"node: {node}", f"link: \"node{node}.inj{draw.choice(['', '0', '1'])}\"", f"station: \"{switch}\"",
                        f"link: \"{switch}.out{draw.randrange(4)}{draw.choice(['', '.l0', '.l1'])}\""])
    return f"stalls([({what}, from: {start}, until: {start + draw.randint(1, 60)})])"


def value(draw, field, allowed, ports):
    """One of the values that a field may have, as it is written."""
    if field in GROUPS:
        return GROUPS[field](draw)
    if field == "port_order":
        return "[" + ", ".join(f'"{name}"' for name in draw.sample(ports, len(ports))) + "]"
    if field in FEW:
        return str(draw.choice(FEW[field]))
    if number := re.match(r"(?:an integer from )?(\d+) to (\d+)", allowed):
        least, most = map(int, number.groups())
        return str(draw.randint(least, min(most, least + 5)))
    if re.fullmatch(r"\w+(, \w+)+|true or false", allowed):
        return draw.choice(re.split(", | or ", allowed))
    raise SystemExit(f"no value of the field {field} is known: {allowed}; add one to FEW or GROUPS of configurations.py")


class Configuration:
    """A configuration `name` in a folder, with `sets`, the arguments that override fields of it, and `drawn`, the fields."""

    def __init__(self, wormscope, draw, folder, name):
        self.wormscope, self.folder, self.name = wormscope, folder, name
        self.sets, self.drawn, self.entries = [], [], []
        while True:
            self.network = topology(draw)
            self.write([])
            if self.is_accepted([]):
                break
        fields = self.fields()
        for path, allowed in draw.sample(fields, len(fields)):
            if draw.random() > 0.4:
                continue
            given = ["--set", f"{path}={value(draw, path.split('.')[-1], allowed, self.network[3])}"]
            if self.is_accepted(given):
                self.sets += given
                self.drawn.append(path)
        for _ in range(draw.randint(4, 24)):
            more = entry(draw, self.network, folder)
            self.write([*self.entries, more])
            # Whether an algorithm has a plan is known when it is run.
            if self.is_accepted([], "run"):
                self.entries.append(more)
        self.write(self.entries)

    def write(self, entries):
        nodes = self.network[2]
        start = f"messages([(cycle: 0, source: 0, destinations: [{nodes - 1}], payload_flits: 9), (cycle: 1, source: {nodes // 2}, destinations: [0], payload_flits: 5)])"
        text = f"(network: (topology: {self.network[0]}), workload: [{', '.join([start, *entries])}], run: (max_cycles: 200, deadlock_check_cycles: 16))\n"
        (self.folder / self.name).write_text(text)

    def is_accepted(self, more, command="check"):
        done = subprocess.run([self.wormscope, command, self.name, *self.sets, *more], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode != 2

    def fields(self):
        """Paths of the network and of the run without the topology, and what each may be."""
        listed = subprocess.run([self.wormscope, "config", "--paths", self.name], cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = [re.split(r"  +", line, maxsplit=2) for line in listed.splitlines()]
        return [(path, allowed) for path, _, allowed in rows if re.match(r"(network|run)\.", path) and not path.startswith("network.topology")]
