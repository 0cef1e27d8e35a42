#!/usr/bin/env python3
"""A second model of wormscope's networks, written from docs/reference/timing.md and docs/reference/networks.md, not from the Rust code.
Reads experiments as JSON lines, {"network": all fields of a configuration's, "worms": [[cycle, source, destinations, encoding, payload
flits], ...]} by cycle, runs each flit by flit until nothing can move any more, and writes {"deliveries": [[worm, node, cycle of its first
flit at the source, of the head, of the tail at the node, flits], ...], "deadlock": null or {"final": cycle, "core": worms deadlocked then,
"worms": all that are stuck at last}}.
"""
import json, sys
from collections import defaultdict, deque
from math import prod

NODE, INFINITE = "node", float("inf")

class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)

class Arbiter:
    """Chooses among inputs that ask; `chose` is its clock edge."""
    def __init__(self, kind):
        self.kind, self.at, self.served = kind, 0, []

    def choose(self, fifos, inputs):
        if self.kind == "rr_tree":
            asking = {fifo.rank: fifo for fifo in fifos}
            return asking[self.half(sorted(asking), 0, 1 << (inputs - 1).bit_length())]
        if self.kind == "oldest_first": return min(fifos, key=lambda fifo: fifo.copy.worm.number)
        if self.kind == "matrix":  # Never served in order of their numbers, then those served by how long ago.
            return min(fifos, key=lambda fifo: (1 + self.served.index(fifo.rank) if fifo.rank in self.served else 0, fifo.rank))
        turn = self.at if self.kind == "round_robin" else 0
        return min(fifos, key=lambda fifo: (fifo.rank - turn) % inputs)

    def half(self, asking, first, width):
        """The winner of a subtree over inputs [first, first + width)."""
        if width == 1: return first
        middle = first + width // 2
        lower, upper = [i for i in asking if i < middle], [i for i in asking if i >= middle]
        if upper and (not lower or self.at & width // 2): return self.half(upper, middle, width // 2)
        return self.half(lower, first, width // 2)

    def chose(self, fifos, winner):
        self.served = [i for i in self.served if i != winner.rank] + [winner.rank]
        if self.kind == "rr_tree":
            asking = sorted(fifo.rank for fifo in fifos)
            self.at = next((i for i in asking if i > self.at), asking[0])
        else: self.at = winner.rank + 1

class Grid:
    """Linear arrays, meshes, tori. A lane group is (port, class)."""
    def __init__(self, net, kind, shape):
        self.radices = [shape["nodes"]] if kind == "linear" else shape["radices"]
        self.torus, self.local = kind == "torus", 2 * len(self.radices)
        self.classes = 2 if self.torus and shape["datelines"] else 1
        self.channels, self.labels = net["switch"]["virtual_channels"], net["routing"] == "label_order"
        self.reverse = net["routing"] == "reverse_dimension_order"
        self.strides = [prod(self.radices[:d]) for d in range(len(self.radices))]
        self.nodes = self.switches = prod(self.radices)
        self.ports, self.entry = range(self.local + 1), lambda node: (node, self.local)

    def place(self, node):
        return [node // stride % k for stride, k in zip(self.strides, self.radices)]

    def group(self, port, vc):
        return port, vc * self.classes // self.channels

    def width(self, port, link, channels):
        """Lanes of a port towards a switch or a node, as many as it has at any switch."""
        return channels if port == self.local else link

    def together(self, ways, header):
        return ways

    def end(self, switch, port):
        """Where an output port leads: to a switch and its input port, to a node, or nowhere."""
        if port == self.local: return NODE, switch
        d, at = port // 2, self.place(switch)
        k, to = self.radices[d], at[d] + 1 - port % 2 * 2
        return (switch + (to % k - at[d]) * self.strides[d], port ^ 1) if 0 <= to < k or self.torus else None

    def label(self, node):
        (x, y, z), (kx, _, kz) = (self.place(node) + [0])[:3], (self.radices + [1])[:3]
        row = y * kz + abs(z - y % 2 * (kz - 1))
        return row * kx + abs(x - row % 2 * (kx - 1))

    def out(self, fifo, node):
        """The lane group that leads to a node."""
        if node == (switch := fifo.switch): return self.local, 0
        if self.labels:
            to, own = self.label(node), self.label(switch)
            ends = [(self.label(end[0]), p) for p in range(self.local) if (end := self.end(switch, p))]
            return (max(e for e in ends if e[0] <= to) if to > own else min(e for e in ends if e[0] >= to))[1], 0
        at, goal = self.place(switch), self.place(node)
        d = (max if self.reverse else min)(d for d in range(len(at)) if at[d] != goal[d])
        k, way = self.radices[d], goal[d] - at[d]
        plus = 2 * (way % k) <= k if self.torus else way > 0
        wraps = at[d] == (k - 1 if plus else 0)
        in_class_1 = fifo.port != self.local and fifo.port // 2 == d and fifo.lane % self.channels >= self.channels // 2
        return 2 * d + (not plus), int(self.classes == 2 and (wraps or in_class_1))

    def ahead(self, switch, port, node):
        return self.out(Record(switch=switch, port=self.local, lane=0), node)[0] == port

class Stages:
    """Multistage networks. Switch = stage * rows + row. `down`: nodes reached through each port that leads to nodes."""
    def __init__(self, kind, shape, routing):
        self.turns_often = routing == "multiple_turnaround"
        self.b, self.n, self.bi, self.kind = shape["switch_ports"], shape["stages"], kind == "bi_min", shape.get("kind")
        self.nodes, self.rows, self.classes = self.b**self.n, self.b ** (self.n - 1), 1
        self.entry, self.digit = lambda node: divmod(self.wired(0, node), self.b), lambda x, j: x // self.b**j % self.b
        self.switches, self.ports = self.n * self.rows, range(2 * self.b if self.bi else self.b)
        self.down = {}
        for switch in sorted(range(self.switches), key=self.to_come):
            for port in range(self.b):
                to, at = self.end(switch, port)
                self.down[switch, port] = {at} if to == NODE else set().union(*(self.down[to, p] for p in range(self.b)))

    def group(self, port, vc):
        return min(port, self.b), 0

    def width(self, port, link, channels):
        return max(link, channels) if port < self.b else link

    def together(self, ways, header):
        """As long as one destination is up, all are, unless a worm may turn more than once."""
        return {(self.b, 0): header} if (self.b, 0) in ways and not self.turns_often else ways

    def to_come(self, switch):
        """Switches still to come behind this one on the way down to the nodes."""
        return switch // self.rows if self.bi else self.n - 1 - switch // self.rows

    def wired(self, c, x):
        """Where connection c leads position x; in a BI-MIN the position of address x in front of stage c, and the reverse."""
        b, n = self.b, self.n
        if self.bi or self.kind == "butterfly":
            return x + (x % b - self.digit(x, c)) * (b**c - 1) if c < n else x
        if self.kind == "baseline":
            low = b ** (n - c + 1)
            return x if c in (0, n) else x - x % low + x % low // b + x % b * (low // b)
        if self.kind == "omega": return x if c == n else x * b % self.nodes + x * b // self.nodes
        return self.kind["custom"]["permutations"][c][x]

    def end(self, switch, port):
        b, (stage, row) = self.b, divmod(switch, self.rows)
        if not self.bi:
            x = self.wired(stage + 1, row * b + port)
            return (NODE, x) if stage + 1 == self.n else ((stage + 1) * self.rows + x // b, x % b)
        x = self.wired(stage, row * b + port % b)
        if port < b:
            below = (stage - 1) * self.rows + self.wired(stage - 1, x) // b
            return (below, b + self.digit(x, stage - 1)) if stage else (NODE, x)
        x = self.wired(stage + 1, x + (port - b - self.digit(x, stage)) * b**stage)
        return ((stage + 1) * self.rows + x // b, x % b) if stage + 1 < self.n else None

    def out(self, fifo, node):
        return next(((p, 0) for p in range(self.b) if node in self.down[fifo.switch, p]), (self.b, 0))

    def ahead(self, switch, port, node):
        below = self.turns_often and any(node in self.down[switch, p] for p in range(self.b))
        return not below if port >= self.b else node in self.down[switch, port]

    def masks(self, source, destinations):
        """The ports of a multiport worm at the switches on its way; none means up."""
        masks, at, nodes = [], {self.entry(source)[0]}, set(destinations)
        while NODE not in at:
            ways = {(s, p) for s in at for p in range(self.b) if self.down[s, p] & nodes}
            if not nodes <= set().union(*(self.down[way] for way in ways)): ways = {(s, self.b) for s in at}
            masks.append({p for _, p in ways if p < self.b})
            at = {self.end(*way)[0] for way in ways}
        return masks

    def groups(self, first):
        """Switches that share a token: of a stage, those that lead to a common switch with `first` switches to come."""
        meets = {}
        for stage in range(first, self.n):
            groups = []  # Switches met, and the stations.
            for s in (s for s in range(self.switches) if self.to_come(s) == stage):
                meets[s] = {s} if stage == first else set().union(*(meets[self.end(s, p)[0]] for p in range(self.b)))
                joined, apart = ([g for g in groups if bool(g[0] & meets[s]) == meet] for meet in (True, False))
                groups = [*apart, (meets[s].union(*(g[0] for g in joined)), sorted([s, *(t for g in joined for t in g[1])]))]
            yield from (stations for _, stations in groups)

class TwoSided:
    """Sections of b ports: left down, left climb, right down, right climb. `down`: nodes reached through each port that leads down."""
    def __init__(self, shape):
        self.b, self.n = shape["switch_ports"], shape["stages"]
        self.side, self.rows, self.classes = self.b**self.n, self.b ** (self.n - 1), 1
        self.nodes, self.switches, self.ports, self.down = 2 * self.side, self.n * self.rows, range(4 * self.b), {}
        for right in (0, 1):
            first = 2 * right * self.b
            section = range(first, first + self.b)
            for switch in sorted(range(self.switches), reverse=bool(right)):
                for port in section:
                    to, at = self.end(switch, port)
                    self.down[switch, port] = {at} if to == NODE else set().union(*(self.down[to, p] for p in section))

    def digit(self, x, j):
        return x // self.b**j % self.b

    def swapped(self, x, j):
        return x + (x % self.b - self.digit(x, j)) * (self.b**j - 1)

    def entry(self, node):
        right, x = divmod(node, self.side)
        stage = right * (self.n - 1)
        return stage * self.rows + self.swapped(x, stage) // self.b, 2 * right * self.b + self.digit(x, stage)

    def end(self, switch, port):
        (section, d), (stage, row) = divmod(port, self.b), divmod(switch, self.rows)
        (right, climb), x = divmod(section, 2), self.swapped(row * self.b + d, stage)
        to = stage + (1 if right else -1)
        if not 0 <= to < self.n: return None if climb else (NODE, x + right * self.side)
        return to * self.rows + self.swapped(x, to) // self.b, (2 - 2 * right + climb) * self.b + self.digit(x, to)

    def group(self, port, vc):
        return port - port % self.b * (port // self.b % 2), 0

    def width(self, port, link, channels):
        return max(link, channels)

    def out(self, fifo, node):
        right = node // self.side
        down = range(2 * right * self.b, (2 * right + 1) * self.b)
        return next(((p, 0) for p in down if node in self.down[fifo.switch, p]), (self.b if right else 3 * self.b, 0))

    def together(self, ways, header):
        """As long as one destination of a side is up, all of that side are."""
        for right, up in enumerate([(3 * self.b, 0), (self.b, 0)]):
            if up not in ways: continue
            ways = {group: nodes for group, nodes in ways.items() if nodes[0] // self.side != right}
            ways[up] = [node for node in header if node // self.side == right]
        return ways

class Netlist:
    """Any graph, from its text. `table`: the port of a switch towards a node."""
    def __init__(self, shape):
        statements = [words for line in shape["text"].splitlines() if (words := line.split("#")[0].split())]
        names = [name for words in statements if words[0] == "switch" for name in words[1:]]
        place = lambda text: (names.index(text.split(".")[0]), int(text.split(".")[1]))
        self.at, self.ends, ports, root, self.table = [], {}, 0, 0, {}
        for kind, *words in statements:
            if kind == "ports": ports = int(words[0])
            if kind == "root": root = names.index(words[0])
            if kind == "route": self.table[names.index(words[0]), int(words[1])] = int(words[2])
            if kind == "node":
                self.ends[place(words[0])] = NODE, len(self.at)
                self.at.append(place(words[0]))
            if kind == "link":
                a, b = map(place, words)
                self.ends[a], self.ends[b] = b, a
        self.nodes, self.switches, self.classes = len(self.at), len(names), 1
        self.ports = range(max(ports, *(port + 1 for _, port in self.ends), 1))
        self.local, self.entry = self.ports[-1], lambda node: self.at[node]
        level = self.far(root, lambda s, t: True)
        up = lambda s, t: (level[t], t) < (level[s], s)
        for node, (at, own) in enumerate(self.at):
            down = self.far(at, {"up_down": lambda s, t: not up(s, t)}.get(shape["routing"], lambda s, t: True))
            for s in range(self.switches):
                links = [(p, t) for p in self.ports if (t := self.end(s, p)) and t[0] != NODE]
                nearer = [p for p, t in links if down[t[0]] + 1 == down[s] < INFINITE and (shape["routing"] != "up_down" or not up(s, t[0]))]
                parents = [p for p, t in links if level[t[0]] + 1 == level[s]]
                self.table.setdefault((s, node), own if s == at else (nearer or parents)[0])
        if shape["spread"]: self.share()

    def share(self):
        """Destinations sent to one neighbour take the links to it in turn, in the order of their numbers."""
        for s in range(self.switches):
            sent = defaultdict(list)
            for node in range(self.nodes): sent[self.end(s, self.table[s, node])[0]].append(node)
            for t, nodes in sent.items():
                links = [p for p in self.ports if t != NODE and (self.end(s, p) or [None])[0] == t]
                if links: self.table.update({(s, node): links[turn % len(links)] for turn, node in enumerate(nodes)})

    def far(self, goal, leads):
        """Links from every switch to one, along those that `leads` admits."""
        far = [INFINITE] * self.switches
        far[goal], nearer = 0, True
        while nearer:
            nearer = False
            for (s, _), (t, _) in self.ends.items():
                if t != NODE and far[t] + 1 < far[s] and leads(s, t): far[s], nearer = far[t] + 1, True
        return far

    def end(self, switch, port):
        return self.ends.get((switch, port))

    def group(self, port, vc):
        return port, 0

    def width(self, port, link, channels):
        direct = all((port == self.local) == (to == NODE) for (_, port), (to, _) in self.ends.items())
        return max(link, channels) if not direct else channels if port == self.local else link

    def together(self, ways, header):
        return ways

    def out(self, fifo, node):
        return self.table[fifo.switch, node], 0

class Layout:
    """The topology, and the flits of the headers."""
    def __init__(self, net):
        self.net, self.cfg, self.node = net, net["switch"], net["node"]
        (kind, shape), = net["topology"].items()
        stages, others = kind in ("uni_min", "bi_min"), {"two_sided": TwoSided, "netlist": Netlist}
        self.top = top = others[kind](shape) if kind in others else Stages(kind, shape, net["routing"]) if stages else Grid(net, kind, shape)
        flits = lambda bits: 0 if self.cfg["header_timing"] == "beside" else -(-bits // self.cfg["flit_bits"])
        self.address, self.string = flits(max(1, (top.nodes - 1).bit_length())), flits(top.nodes)
        self.mask, self.depth = flits(top.b) if stages else 0, self.cfg["fifo_depth"]
        fields = {"mask": [top.nodes], "coordinate_mask": getattr(top, "radices", [])}  # Values of each field of an address.
        self.fields = {name: [(k, (k - 1).bit_length()) for k in values] for name, values in fields.items()}
        self.match = {name: 2 * flits(max(1, sum(bits for _, bits in values))) for name, values in self.fields.items()}

class Network(Layout):
    """All registers, and their clock."""
    def __init__(self, net, worms):
        super().__init__(net)
        top = self.top
        switches = range(top.switches if hasattr(top, "ahead") else 0)
        self.before = {end: (s, p) for s in switches for p in top.ports if (end := top.end(s, p)) and end[0] != NODE}
        self.end_depth = self.node["consumption_depth"] or self.depth
        self.channels, self.mode = self.cfg["virtual_channels"], self.cfg["replication"]
        self.from_front, self.told = self.mode in ("asynchronous", "synchronous"), {}  # What worms do in this cycle: lanes got, heads ready.
        self.cycle, self.moved, self.deliveries, self.unsent = 0, True, {}, lambda b: b.copy.worm.length - b.next
        self.wires = defaultdict(list)  # Cycle: flits (FIFO, (copy, index)) and credits (lane, None) that come.
        self.worms, self.active = deque(enumerate(worms)), {}  # Inputs with flits or a worm in service.
        self.groups, self.inputs = defaultdict(list), defaultdict(list)
        self.arbiters = defaultdict(lambda: Arbiter(self.cfg["arbiter"]))  # Of atomic acquisition.
        self.visits, self.turns = defaultdict(int), {}  # Pointers of stations, of groups whose lanes take turns.
        crossbar, end_link = self.cfg["crossbar_cycles"], self.node["consumption_link"]
        self.node_channels = self.node["virtual_channels"] or self.channels
        injections, consumptions = (self.node[f"{way}_channels"] * self.node_channels for way in ("injection", "consumption"))
        for switch, port in ((s, p) for s in range(top.switches) for p in top.ports if top.end(s, p)):
            to, at = top.end(switch, port)
            channels = self.node_channels if to == NODE else self.channels
            for i in range(consumptions if to == NODE else self.cfg["dilation"] * channels):
                vc = i % channels
                link = link if vc else Record(pointer=0, channels=channels)
                lane = self.lane((port, i), link, vc, crossbar, end_link if to == NODE else net["link"], to, at)
                self.groups[switch, top.group(port, 0 if to == NODE else vc)].append(lane)
        inject = lambda i, link, node: self.lane((0, i), link, i % self.node_channels, 0, self.node["injection_link"], *top.entry(node), self.node["injection_depth"])
        links = lambda: [Record(pointer=0, channels=self.node_channels) for _ in range(self.node["injection_channels"])]
        lanes = ([inject(i, own[i // self.node_channels], node) for i in range(injections)] for node in range(top.nodes) for own in [links()])
        self.sources = [Record(queue=deque(), ready=0, lanes=lanes) for lanes in lanes]
        # Numbers of input lanes: port by port, those that a switch lacks counted.
        link, channels = self.cfg["dilation"] * self.channels, injections
        widths = [top.width(port, link, channels) for port in top.ports]
        self.numbers = sum(widths)
        directions = ["east", "west", "north", "south", "up", "down"][:top.local] + ["node"] if isinstance(top, Grid) and top.local <= 6 else [f"in{p}" for p in top.ports]
        order = [directions.index(name) for name in self.cfg["port_order"] or []]
        for inputs in self.inputs.values():
            inputs.sort(key=lambda fifo: (fifo.port, fifo.lane))
            for fifo in inputs: fifo.index = sum(widths[:fifo.port]) + fifo.lane
            for fifo in inputs: fifo.rank = fifo.index if not order else sum(widths[p] for p in order[:order.index(fifo.port)]) + fifo.lane
        self.rings = {}
        if net["token_ring"]:
            above, below = self.cfg["dilation"] * self.channels if top.n > 1 else 0, injections
            bringing_trees = above + below * (top.b > 2) if top.bi else above or below
            for group in top.groups(int(consumptions >= top.b * bringing_trees)):
                most = {"group": len(group), "half": (len(group) + 1) // 2, "switch": 1}[net["token_ring"]["span"]]
                for stations in (group[at:at + most] for at in range(0, len(group), most)):
                    self.rings.update(dict.fromkeys(stations, Record(stations=stations, at=0, cycle=0, holder=None)))

    def lane(self, number, link, vc, crossbar, delays, to, at, depth=None):
        """An output lane, or an injection lane, with the FIFO behind it."""
        lane = Record(number=number, link=link, vc=vc, owner=None, free_from=0, arbiter=Arbiter(self.cfg["arbiter"]), delay=crossbar + delays["link_cycles"])
        lane.sink, lane.credits = at, depth or (self.end_depth if to == NODE else self.depth)
        if to == NODE: return lane
        lane.sink = Record(switch=to, port=at, lane=number[1], sender=lane, credits=delays["credit_cycles"], flits=deque(), depth=lane.credits)
        self.inputs[to].append(lane.sink)
        self.idle(lane.sink)
        return lane

    def idle(self, fifo):  # No worm is in service: no index of the flit in front, cycles, branches, tokens.
        fifo.copy, fifo.base, fifo.start, fifo.stripped, fifo.branches = None, 0, None, None, []
        fifo.asks, fifo.holds, fifo.popped = None, None, 0
        fifo.lock, fifo.ready = {}, None  # Lanes by branch; the last cycle in which the head was ready.

    def create(self, number, worm):
        cycle, node, header, encoding, payload = worm
        if encoding == "multiport": header = self.top.masks(node, header)
        flits = {"bit_string": self.string, "multiport": self.mask * len(header), **self.match}.get(encoding, self.address * len(header))
        if encoding in self.match: header = self.matching(encoding, header)
        worm, source = Record(number=number, source=node, encoding=encoding, length=flits + payload, injected=INFINITE), self.sources[node]
        worm.came, worm.depth, worm.heads, worm.goes = None, 0, 0, None
        source.ready = max(cycle, source.ready) + self.node["startup_cycles"]
        source.queue.append((source.ready, Record(worm=worm, header=header, first=0)))

    def matching(self, encoding, nodes):
        """All nodes whose addresses are alike wherever those of some nodes are."""
        def address(node):
            code = ""
            for k, bits in self.fields[encoding]: code, node = f"{node % k:0{bits}b}"[-bits:] * (bits > 0) + code, node // k
            return code
        codes = [address(node) for node in nodes]
        fixed = [i for i, bits in enumerate(zip(*codes)) if len(set(bits)) == 1]
        return [n for n in range(self.top.nodes) if all(address(n)[i] == codes[0][i] for i in fixed)]

    def inject(self, source):
        now, queue = self.cycle, source.queue
        while queue and queue[0][0] <= now and (idle := self.free(source.lanes)):
            idle[0].owner = Record(copy=queue.popleft()[1], next=0)
        for lane in self.turn(lane for lane in source.lanes if lane.owner and lane.credits): self.send(lane)

    def turn(self, lanes):
        """Of the lanes that can send, one a link: its channels take turns."""
        offers, chosen = defaultdict(list), []
        for lane in lanes: offers[lane.link].append(lane)
        for link, lanes in offers.items():
            chosen.append(min(lanes, key=lambda lane: (lane.vc - link.pointer) % link.channels))
            link.pointer = chosen[-1].vc + 1
        return chosen

    def free(self, lanes):  # Free lanes in the order of their grants.
        free = [lane for lane in lanes if lane.owner is None and lane.free_from <= self.cycle]
        return sorted(free, key=lambda lane: (lane.credits == 0, lane.number))

    def next_lane(self, switch, group):
        """The free lane of a group that is granted, if any: the next one behind that granted last where they take turns."""
        free, last = self.free(self.groups[switch, group]), self.turns.get((switch, group), (-1, -1))
        lane = min(free, key=lambda lane: (lane.credits == 0, lane.number <= last), default=None)
        if lane and self.cfg["lane_choice"] == "round_robin": self.turns[switch, group] = lane.number
        return lane

    def send(self, lane):
        """The owner's next flit crosses."""
        copy, index, there = lane.owner.copy, lane.owner.next, self.cycle + lane.delay
        lane.credits -= 1
        lane.owner.next += 1
        copy.worm.injected = min(copy.worm.injected, self.cycle)
        if isinstance(lane.sink, Record):
            self.wires[there].append((lane.sink, (copy, index)))
        else:
            self.wires[there + self.node["consumption_link"]["credit_cycles"]].append((lane, None))
            key = copy.worm.number, lane.sink
            head = self.deliveries.get(key, (copy.worm.injected, there))[:2]
            self.deliveries[key] = *head, there, index + 1 - copy.first, index + 1 == copy.worm.length
        if index + 1 == copy.worm.length: lane.owner, lane.free_from = None, self.cycle + 1
        self.moved = True

    def here(self, fifo, index):  # Whether a flit of the worm in service is in the FIFO.
        at = index - fifo.base
        return at < len(fifo.flits) and fifo.flits[at][0] is fifo.copy

    def pop(self, fifo):
        fifo.flits.popleft()
        fifo.base += 1
        self.wires[self.cycle + fifo.credits].append((fifo.sender, None))

    def decode(self, fifo):
        """The worm in front, until its branch set is known."""
        if fifo.copy is None: fifo.copy, fifo.base = fifo.flits[0]
        copy, encoding = fifo.copy, fifo.copy.worm.encoding
        if self.cfg["header_timing"] != "store" and fifo.start is None: fifo.start = self.cycle
        strips, needs = 0, {"bit_string": self.string, **self.match}.get(encoding, self.address)
        if encoding == "multiport":
            strips, needs = self.mask, 0
        elif encoding == "multidestination" and self.top.entry(copy.header[0])[0] == fifo.switch:
            strips, needs = self.address, self.address if len(copy.header) > 1 else 1
        if strips and fifo.stripped is None:
            if not self.here(fifo, fifo.base + strips - 1): return
            fifo.stripped = self.cycle
            for _ in range(strips): self.pop(fifo)
        if fifo.start is None and (needs == 0 or self.here(fifo, fifo.base + needs - 1)): fifo.start = self.cycle
        if fifo.start is not None and fifo.start + self.cfg["routing_cycles"] <= self.cycle: self.decide(fifo)

    def decide(self, fifo):
        copy, top, ways = fifo.copy, self.top, {}  # Lane group: header on the next link.
        header, encoding = copy.header, copy.worm.encoding
        if encoding == "bit_string":
            for node in header: ways.setdefault(top.out(fifo, node), []).append(node)
            ways = top.together(ways, header)
        elif encoding in self.match:  # The header stays; those that match behind the input are others'.
            before = self.before.get((fifo.switch, fifo.port))
            ways = {top.out(fifo, node): header for node in header if (top.ahead(*before, node) if before else self.cfg["copy_to_source"] or node != copy.worm.source)}
            ways = top.together(ways, header)
        elif encoding == "multiport":
            ways = {(port, 0): header[1:] for port in header[0] or [top.b]}
        else:
            if encoding == "multidestination" and top.entry(header[0])[0] == fifo.switch:
                ways[top.local, 0], header = [], header[1:]
            if header: ways[top.out(fifo, header[0])] = header
        for group in sorted(ways):
            child = Record(worm=copy.worm, header=ways[group], first=fifo.base)
            fifo.branches.append(Record(fifo=fifo, group=group, copy=child, next=fifo.base, lane=None, since=self.cycle))
        self.moved = True
        fifo.asks = self.rings.get(fifo.switch) if len(ways) > 1 else None
        if not fifo.asks: self.ask(fifo, self.cycle)

    def ask(self, fifo, cycle):
        """The branches ask for lanes from now on, in sequential replication the next one."""
        left = [b for b in fifo.branches if self.unsent(b)]
        for branch in left: branch.since = cycle if branch is left[0] or self.mode != "sequential" else None

    def circulate(self, ring):
        if ring.holder or ring.cycle > self.cycle: return
        switch, inputs = ring.stations[ring.at], self.inputs[ring.stations[ring.at]]
        if asking := [f for f in inputs if f.asks is ring]:
            fifo = min(asking, key=lambda f: (f.index - self.visits[switch]) % self.numbers)
            self.visits[switch] = fifo.index + 1
            ring.holder, ring.since, fifo.holds, fifo.asks, fifo.popped, self.moved = fifo, self.cycle, ring, None, 0, True
            self.ask(fifo, self.cycle)
        elif len(ring.stations) > 1: self.pass_on(ring)

    def pass_on(self, ring):
        ring.holder, ring.at = None, (ring.at + 1) % len(ring.stations)
        ring.cycle = self.cycle + (self.net["token_ring"]["hop_cycles"] if len(ring.stations) > 1 else 1)

    def allocate(self, switch, asking):
        """Lanes for the branches that ask."""
        if self.mode == "synchronous": return self.reserve(switch, {b.fifo for b in asking})
        if self.cfg["acquisition"] == "atomic":
            first = None
            everybody, left = {b.fifo for b in asking}, {b.fifo for b in asking}
            while left:
                left.remove(fifo := self.arbiters[switch].choose(left, self.numbers))
                wants = [b for b in asking if b.fifo is fifo]
                if all(self.free(self.groups[switch, b.group]) for b in wants):
                    first = first or fifo
                    for branch in wants: self.grant(branch, self.next_lane(switch, branch.group))
            if first: self.arbiters[switch].chose(everybody, first)
            return
        for group in {b.group for b in asking}:
            while (branches := [b for b in asking if b.group == group and b.lane is None]) and (lane := self.next_lane(switch, group)):
                fifos = {b.fifo for b in branches}
                winner = lane.arbiter.choose(fifos, self.numbers)
                lane.arbiter.chose(fifos, winner)
                self.grant(next(b for b in branches if b.fifo is winner), lane)

    def reserve(self, switch, fifos):
        """The same where worms are synchronous: claims, in the order in which the worms came."""
        worm = lambda fifo: fifo.copy.worm
        came = lambda fifo: worm(fifo).injected if worm(fifo).came is None else worm(fifo).came
        for fifo in [f for f in fifos if worm(f).goes == self.cycle]:
            fifos.remove(fifo)
            self.advance(fifo, fifo.lock)
        for fifo in fifos:
            if fifo.lock and self.cycle > fifo.ready + 2 * worm(fifo).depth: fifo.lock, self.moved = {}, True
        fifos = sorted(fifos, key=lambda f: (came(f), worm(f).number))
        claims, locked = {f: {} for f in fifos}, [lane for f in fifos for lane in f.lock.values()]
        for group in {b.group for f in fifos for b in f.branches}:
            free = self.free(self.groups[switch, group])
            unlocked, others = [l for l in free if l not in locked], sorted((l for l in free if l in locked), key=lambda l: l.number)
            for fifo, branch in ((f, b) for f in fifos for b in f.branches if b.group == group):
                lane = fifo.lock.get(branch) or next(iter(unlocked), None)
                if lane in unlocked: unlocked.remove(lane)
                elif lane is None and others: others.pop(0)  # Taken over: nobody has it now.
                elif lane in others: others.remove(lane)
                else: lane = None
                if lane: claims[fifo][branch] = lane
        for fifo, lanes in claims.items():
            whole = len(lanes) == len(fifo.branches) and all(lane.credits for lane in lanes.values())
            if worm(fifo).depth == 0 and lanes and (whole or len(fifo.branches) == 1): self.advance(fifo, lanes)
            if worm(fifo).depth and whole:
                self.moved |= not fifo.lock
                fifo.lock, fifo.ready = lanes, self.cycle
                self.tell(fifo).ready += 1

    def tell(self, fifo):
        return self.told.setdefault(fifo.copy.worm, Record(ready=0, lanes=[]))

    def advance(self, fifo, lanes):
        for branch, lane in lanes.items(): self.grant(branch, lane)
        self.tell(fifo).lanes += lanes.values()
        fifo.lock = {}

    def feed_back(self):
        """What heads tell of themselves comes to the root, and its word back, a hop a cycle."""
        for worm, told in self.told.items():
            if told.lanes:
                worm.depth += worm.depth > 0 or len(told.lanes) > 1
                worm.heads, worm.came, worm.goes = sum(isinstance(lane.sink, Record) for lane in told.lanes), self.cycle, None
            elif worm.goes is None and told.ready == worm.heads: worm.goes = self.cycle + 2 * worm.depth
        self.told = {}

    def grant(self, branch, lane):
        branch.lane, branch.since, lane.owner, self.moved = lane, self.cycle, branch, True

    def offers(self, fifo):
        """Branches that could send their next flit in this cycle."""
        ready = self.cycle - self.cfg["allocation_cycles"]
        able = [b for b in fifo.branches if b.lane and b.lane.credits and b.since <= ready and self.here(fifo, b.next)]
        if fifo.stripped == self.cycle or (self.mode == "lockstep" and len(able) < len(fifo.branches)):
            return []
        return [b for b in able if b.next == fifo.base or not self.from_front]

    def cross(self):
        offers = {b.lane: b for fifo in self.active if fifo.branches for b in self.offers(fifo)}
        for branch in [offers[lane] for lane in self.turn(offers)]:
            self.send(branch.lane)
            if branch.next == branch.copy.worm.length:
                branch.lane = None
                if self.mode == "sequential": self.ask(branch.fifo, self.cycle + 1)
        for fifo in list(self.active):
            if fifo.branches and fifo.base < min(b.next for b in fifo.branches):
                self.pop(fifo)
                fifo.popped += 1
                gone = fifo.base == fifo.copy.worm.length
                if fifo.holds and (gone or fifo.popped > self.bound(fifo)):
                    self.pass_on(fifo.holds)
                    fifo.holds = None
                if gone: self.idle(fifo)
            if fifo.copy is None and not fifo.flits: del self.active[fifo]

    def bound(self, fifo):  # Flits that the way from here to the nodes can hold.
        masks = self.mask if fifo.copy.worm.encoding == "multiport" else 0
        return self.top.to_come(fifo.switch) * (self.depth + masks) + self.end_depth

    def step(self):
        now, self.moved = self.cycle, False
        for to, flit in self.wires.pop(now, ()):
            if flit is None: to.credits += 1
            else:
                to.flits.append(flit)
                self.active[to] = True
        while self.worms and self.worms[0][1][0] <= now: self.create(*self.worms.popleft())
        for source in self.sources: self.inject(source)
        for fifo in self.active:
            if not fifo.branches: self.decode(fifo)
        for ring in self.rings.values(): self.circulate(ring)
        asking = defaultdict(list)
        for branch in (b for fifo in self.active if not fifo.asks for b in fifo.branches):
            if branch.lane is None and branch.since is not None and branch.since <= now and self.unsent(branch):
                asking[branch.fifo.switch].append(branch)
        for switch, branches in asking.items(): self.allocate(switch, branches)
        self.cross()
        self.feed_back()
        self.cycle += 1

    def run(self):
        tokens = len(self.rings) * self.net["token_ring"]["hop_cycles"] if self.rings else 0
        still, longest = 0, self.cfg["routing_cycles"] + self.node["startup_cycles"] + tokens + 2 * getattr(self.top, "n", 0)  # Cycles in which nothing moves.
        while still <= longest:
            self.step()
            still = 0 if self.moved or self.wires or self.worms else still + 1
        self.still = self.cycle - still  # First cycle in which nothing moves any more.
        done = sorted([*of, *cycles] for of, (*cycles, tail) in self.deliveries.items() if tail)
        numbers = lambda branches: sorted({b.copy.worm.number for b in branches})
        held = {ring.since for ring in self.rings.values() if ring.holder}
        for cycle in sorted({b.since for fifo in self.active for b in fifo.branches} - {None} | held):
            if core := self.reach(cycle)[0]:
                stuck = numbers(self.reach(self.cycle)[1])
                return {"deliveries": done, "deadlock": {"final": cycle, "core": numbers(core), "worms": stuck}}
        return {"deliveries": done, "deadlock": None}

    def reach(self, until):
        """Branches that never pass wholly if relations younger than `until` dissolve: for their own output's sake, and all."""
        reach = {b: b.next - fifo.base for fifo in self.active for b in fifo.branches}  # Flits from the front that it can take.
        rest = lambda fifo: fifo.copy.worm.length - fifo.base
        pops = lambda fifo: min(reach[b] for b in fifo.branches)
        young = lambda b: b.since is None or b.since > until
        def own(b):  # As far as its own output goes.
            fifo, everything = b.fifo, rest(b.fifo)
            if young(b) or not self.unsent(b): return everything
            if fifo.asks:
                ring, holder = fifo.asks, fifo.asks.holder
                left = min(rest(holder), self.bound(holder) + 1 - holder.popped)  # Flits before it releases the token.
                return everything if ring.since > until or pops(holder) >= left else 0
            if b.lane is None:
                owners = [lane.owner for lane in self.groups[fifo.switch, b.group]]
                return everything if any(o is None or young(o) or reach[o] == rest(o.fifo) for o in owners) else 0
            behind = b.lane.sink
            if not isinstance(behind, Record) or not behind.branches or pops(behind) == rest(behind): return everything
            return min(everything, b.next - fifo.base + b.lane.credits + pops(behind))
        def limit(b):
            fifo, feeder = b.fifo, b.fifo.sender.owner
            supply = rest(fifo)
            if feeder in reach and feeder.copy is fifo.copy:
                supply = sum(copy is fifo.copy for copy, _ in fifo.flits) + reach[feeder] - feeder.next + feeder.fifo.base
            if self.mode == "lockstep": return min(supply, *(own(s) for s in fifo.branches))
            if self.mode == "sequential":
                done = all(reach[s] == rest(fifo) for s in fifo.branches[: fifo.branches.index(b)])
                return min(supply, own(b)) if done else 0
            return min(supply, own(b), pops(fifo) + (1 if self.from_front else fifo.depth))
        while raised := [(b, to) for b in reach if (to := limit(b)) > reach[b]]:
            reach.update(raised)
        return [b for b in reach if own(b) < rest(b.fifo)], [b for b in reach if reach[b] < rest(b.fifo)]

if __name__ == "__main__":
    for case in map(json.loads, sys.stdin): print(json.dumps(Network(case["network"], case["worms"]).run()))
