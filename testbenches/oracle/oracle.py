#!/usr/bin/env python3
"""A second model of wormscope's networks, written from docs/TIMING.md and docs/NETWORKS.md alone.

Reads experiments as JSON lines, {"network": as in a configuration, "worms": [[cycle, source, destinations, encoding, payload flits]]},
worms in order of their cycles; runs each flit by flit until nothing moves any more, and writes as JSON lines
{"deliveries": [[worm, node, first flit sent, arrival of head, of tail, flits]], "deadlock": null or {"final": cycle, "worms": the deadlocked ones}}.
"""
import json
import sys
from collections import defaultdict, deque

UP, NODE = -1, "node"


class Copy:
    """A worm on one link: what its header still says, and its first flit there."""

    def __init__(self, worm, header, first):
        self.worm, self.header, self.first = worm, header, first


class Worm:
    def __init__(self, number, cycle, source, destinations, encoding, payload):
        self.number, self.cycle, self.source, self.destinations = number, cycle, source, destinations
        self.encoding, self.payload, self.length = encoding, payload, 0


class Fifo:
    """An input lane: its FIFO, its header decoder and its replication unit."""

    def __init__(self, switch, port, lane, sender, credit_cycles):
        self.switch, self.port, self.lane, self.sender, self.credit_cycles = switch, port, lane, sender, credit_cycles
        self.index, self.flits = 0, deque()
        self.idle()

    def idle(self):
        # Copy in service, index of the flit in front, cycles of start, strip and request, branches, token asked for or held.
        self.copy, self.base, self.start, self.stripped, self.ready = None, 0, None, None, None
        self.branches, self.asks, self.asked, self.holds, self.popped = [], None, None, None, 0

    def here(self, index):
        """Whether a flit of the worm in service is in the FIFO."""
        at = index - self.base
        return at < len(self.flits) and self.flits[at][0] is self.copy

    def pop(self, cycle, wires):
        self.flits.popleft()
        self.base += 1
        wires[cycle + self.credit_cycles].append((self.sender, None))


class Lane:
    """An output lane, or an injection channel."""

    def __init__(self, number, link, vc, credits):
        self.number, self.link, self.vc, self.credits = number, link, vc, credits
        self.owner, self.free_from, self.pointer, self.sink, self.delay = None, 0, 0, None, 0

    def free(self, cycle):
        return self.owner is None and self.free_from <= cycle


class Link:
    def __init__(self):
        self.pointer = 0


class Branch:
    """A branch of the worm in service at `fifo`: the group it asks for, since when, its lane and since when, its next flit."""

    def __init__(self, fifo, key, header):
        self.fifo, self.key, self.since, self.lane, self.copy = fifo, key, None, None, None
        self.header, self.next = header, None


class Ring:
    def __init__(self, stations, hop):
        self.stations, self.hop, self.at, self.here, self.holder = stations, hop, 0, 0, None

    def release(self, cycle):
        self.holder, self.at = None, (self.at + 1) % len(self.stations)
        self.here = cycle + (self.hop if len(self.stations) > 1 else 1)


class Grid:
    """Linear arrays, meshes, tori."""

    def __init__(self, net, kind, shape):
        self.radices = [shape["nodes"]] if kind == "linear" else shape["radices"]
        self.torus, self.local = kind == "torus", 2 * len(self.radices)
        self.datelines = self.torus and shape["datelines"]
        self.half = net["switch"]["virtual_channels"] // 2 if self.datelines else 1
        self.labels = net["routing"] == "label_order"
        self.nodes = self.switches = 1
        for k in self.radices:
            self.nodes = self.switches = self.nodes * k
        self.ports = range(self.local + 1)

    def place(self, node):
        at = []
        for k in self.radices:
            at.append(node % k)
            node //= k
        return at

    def entry(self, node):
        return node, self.local

    def end(self, switch, port):
        """Where an output port leads: a switch and its input port, a node, or nowhere."""
        if port == self.local:
            return NODE, switch
        d, at, stride = port // 2, self.place(switch), 1
        for k in self.radices[:d]:
            stride *= k
        k, step = self.radices[d], 1 - port % 2 * 2
        to = at[d] + step
        if not 0 <= to < k and not self.torus:
            return None
        return switch + (to % k - at[d]) * stride, port ^ 1

    def label(self, node):
        at = self.place(node)
        row = at[1]
        if len(at) == 3:
            row = at[1] * self.radices[2] + (at[2] if at[1] % 2 == 0 else self.radices[2] - 1 - at[2])
        return row * self.radices[0] + (at[0] if row % 2 == 0 else self.radices[0] - 1 - at[0])

    def out(self, fifo, node):
        """The lane group that leads to a node, as (port, class)."""
        switch = fifo.switch
        if node == switch:
            return self.local, 0
        if self.labels:
            to, own = self.label(node), self.label(switch)
            ends = [(self.label(end[0]), p) for p in range(self.local) if (end := self.end(switch, p))]
            up = to > own
            return (max if up else min)((e for e in ends if (own < e[0] <= to if up else to <= e[0] < own)))[1], 0
        at, goal = self.place(switch), self.place(node)
        d = next(d for d, k in enumerate(self.radices) if at[d] != goal[d])
        k, way = self.radices[d], goal[d] - at[d]
        plus = 2 * (way % k) <= k if self.torus else way > 0
        port = 2 * d + (not plus)
        if not self.datelines:
            return port, 0
        wraps = at[d] == (k - 1 if plus else 0)
        stays = fifo.port != self.local and fifo.port // 2 == d
        return port, int(wraps or (stays and fifo.lane % (2 * self.half) >= self.half))


class Stages:
    """Multistage networks; a switch is (stage, row) packed as stage * rows + row."""

    def __init__(self, kind, shape):
        self.b, self.n, self.bi = shape["switch_ports"], shape["stages"], kind == "bi_min"
        self.nodes, self.rows = self.b**self.n, self.b ** (self.n - 1)
        self.switches, self.kind = self.n * self.rows, shape.get("kind")
        self.ports = range(2 * self.b if self.bi else self.b)
        self.down = {}
        for switch in sorted(range(self.switches), reverse=not self.bi):
            for port in range(self.b):
                end = self.end(switch, port)
                below = {end[1]} if end[0] == NODE else set().union(*(self.down[end[0], p] for p in range(self.b)))
                self.down[switch, port] = below

    def last(self, switch):
        """Switches still to come on the way to the nodes."""
        return switch // self.rows if self.bi else self.n - 1 - switch // self.rows

    def swap(self, x, j):
        low, high = x % self.b, x // self.b**j % self.b
        return x + (high - low) + (low - high) * self.b**j if j else x

    def wired(self, c, x):
        """The position in front of stage c that position x is wired to; behind the last stage the node."""
        b, n = self.b, self.n
        if self.bi or self.kind == "butterfly":
            return self.swap(x, c) if c < n else x
        if self.kind == "baseline":
            low = b ** (n - c + 1)
            return x if c in (0, n) else x - x % low + x % low // b + x % b * (low // b)
        if self.kind == "omega":
            return x if c == n else x * b % self.nodes + x * b // self.nodes
        return self.kind["custom"]["permutations"][c][x]

    def entry(self, node):
        position = node if self.bi else self.wired(0, node)
        return position // self.b, position % self.b

    def end(self, switch, port):
        b, (stage, row) = self.b, divmod(switch, self.rows)
        if not self.bi:
            x = self.wired(stage + 1, row * b + port)
            return (NODE, x) if stage + 1 == self.n else ((stage + 1) * self.rows + x // b, x % b)
        x = self.wired(stage, row * b + port % b)  # An address that comes to this switch.
        if port < b:
            if stage == 0:
                return NODE, x
            below = self.wired(stage - 1, x) // b
            return (stage - 1) * self.rows + below, b + x // b ** (stage - 1) % b
        if stage + 1 == self.n:
            return None
        x += (port - b - x // b**stage % b) * b**stage
        y = self.wired(stage + 1, x)
        return (stage + 1) * self.rows + y // b, y % b

    def out(self, fifo, node):
        return next(((p, 0) for p in range(self.b) if node in self.down[fifo.switch, p]), (self.b, 0))

    def masks(self, worm):
        """The ports of a multiport worm at the switches on its way; none of them means up."""
        if self.bi:
            digit = lambda x, j: x // self.b**j % self.b
            turn = max(j for j in range(self.n) for d in worm.destinations if digit(d, j) != digit(worm.source, j))
            return [set()] * turn + [{digit(d, j) for d in worm.destinations} for j in range(turn, -1, -1)]
        masks, at = [], {self.entry(worm.source)[0]}
        for _ in range(self.n):
            ways = [(s, p) for s in at for p in range(self.b) if self.down[s, p] & set(worm.destinations)]
            masks.append({p for _, p in ways})
            at = {self.end(*way)[0] for way in ways}
        return masks

    def groups(self, blocks):
        """Switches that share a token: of a stage, those that lead to a common switch of the last stage, `blocks` or the one before."""
        last = 0 if blocks else 1
        meets = {s: {s} for s in range(self.switches) if self.last(s) == last}
        for stage in range(last + 1, self.n):
            for s in (s for s in range(self.switches) if self.last(s) == stage):
                meets[s] = set().union(*(meets[self.end(s, p)[0]] for p in range(self.b)))
        for stage in range(last, self.n):
            rings = []  # Of [the last switches met, the stations].
            for s in (s for s in range(self.switches) if self.last(s) == stage):
                joined = [r for r in rings if r[0] & meets[s]]
                rings = [r for r in rings if r not in joined]
                rings.append([meets[s].union(*(r[0] for r in joined)), sorted(sum((r[1] for r in joined), [s]))])
            yield from (stations for _, stations in rings)


class Network:
    """All registers, and one clock."""

    def __init__(self, net, worms):
        self.net, self.cfg, self.node = net, net["switch"], net["node"]
        (kind, shape), = net["topology"].items()
        self.top = top = Grid(net, kind, shape) if kind in ("linear", "mesh", "torus") else Stages(kind, shape)
        self.grid, bits = isinstance(top, Grid), self.cfg["flit_bits"]
        flits = lambda n: -(-n // bits)
        self.address, self.string = flits(max(1, (top.nodes - 1).bit_length())), flits(top.nodes)
        self.mask = 0 if self.grid else flits(top.b)
        self.depth = self.cfg["fifo_depth"]
        self.end_depth = self.node["consumption_depth"] or self.depth
        self.cycle, self.moved, self.deliveries, self.wires = 0, True, {}, defaultdict(list)
        self.worms = [Worm(i, *w) for i, w in enumerate(worms)]
        self.build()

    def build(self):
        top, cfg, node, classes = self.top, self.cfg, self.node, 2 if getattr(self.top, "datelines", False) else 1
        channels = cfg["virtual_channels"]
        self.groups, self.inputs, self.active = defaultdict(list), defaultdict(list), {}
        self.pointers, self.visits, numbers, pending = defaultdict(int), defaultdict(int), defaultdict(int), []
        for switch in range(top.switches):
            for port in top.ports:
                end = top.end(switch, port)
                if end is None:
                    continue
                leads_to_node = end[0] == NODE
                count = node["consumption_channels"] if leads_to_node else cfg["dilation"] * channels
                for i in range(count):
                    if leads_to_node or i % channels == 0:
                        link = Link()
                    vc = 0 if leads_to_node else i % channels
                    lane = Lane(numbers[switch], link, vc, self.end_depth if leads_to_node else self.depth)
                    numbers[switch] += 1
                    key = port, vc * classes // channels
                    if not self.grid and port >= top.b:
                        key = top.b, 0
                    self.groups[switch, key].append(lane)
                    if leads_to_node:
                        lane.sink, lane.delay = end[1], cfg["crossbar_cycles"] + node["consumption_link"]["link_cycles"]
                    else:
                        credit = self.net["link"]["credit_cycles"]
                        lane.sink = Fifo(end[0], end[1], i, lane, credit)
                        lane.delay = cfg["crossbar_cycles"] + self.net["link"]["link_cycles"]
                        self.inputs[end[0]].append(lane.sink)
        self.channels, self.queues, self.busy_until = [], [], [0] * top.nodes
        for n in range(top.nodes):
            self.channels.append([Lane(i, None, 0, self.depth) for i in range(node["injection_channels"])])
            self.queues.append(deque())
            for i, channel in enumerate(self.channels[n]):
                switch, port = top.entry(n)
                channel.sink = Fifo(switch, port, i, channel, node["injection_link"]["credit_cycles"])
                channel.delay = node["injection_link"]["link_cycles"]
                self.inputs[switch].append(channel.sink)
        for inputs in self.inputs.values():
            inputs.sort(key=lambda fifo: (fifo.port, fifo.lane))
            for i, fifo in enumerate(inputs):
                fifo.index = i
        self.rings = {}
        if self.net["token_ring"] is not None:
            above, below = cfg["dilation"] * channels if top.n > 1 else 0, node["injection_channels"]
            trees = above + below * (top.b > 2) if top.bi else above or below
            for stations in top.groups(node["consumption_channels"] < top.b * trees):
                ring = Ring(stations, self.net["token_ring"]["hop_cycles"])
                self.rings.update((s, ring) for s in stations)

    def create(self, worm):
        header = set(worm.destinations) if worm.encoding == "bit_string" else tuple(worm.destinations)
        length = {"unicast": self.address, "bit_string": self.string}.get(worm.encoding)
        if worm.encoding == "multidestination":
            length = self.address * len(header)
        if worm.encoding == "multiport":
            header = tuple(self.top.masks(worm))
            length = self.mask * len(header)
        worm.length = length + worm.payload
        ready = max(worm.cycle, self.busy_until[worm.source]) + self.node["startup_cycles"]
        self.busy_until[worm.source] = ready
        self.queues[worm.source].append((ready, Copy(worm, header, 0)))

    # A cycle.

    def inject(self, n):
        channels, queue, now = self.channels[n], self.queues[n], self.cycle
        while queue and queue[0][0] <= now:
            idle = [c for c in channels if c.free(now)]
            if not idle:
                break
            channel = min(idle, key=lambda c: (c.credits == 0, c.number))
            channel.owner = [queue.popleft()[1], 0]
        for channel in channels:
            if channel.owner and channel.credits:
                copy, index = channel.owner
                if index == 0:
                    copy.worm.injected = self.cycle
                self.send(channel, copy, index)
                channel.owner[1] += 1
                if channel.owner[1] == copy.worm.length:
                    channel.owner, channel.free_from = None, now + 1

    def send(self, lane, copy, index):
        self.moved = True
        lane.credits -= 1
        there = self.cycle + lane.delay
        if isinstance(lane.sink, Fifo):
            self.wires[there].append((lane.sink, (copy, index)))
            return
        self.wires[there + self.node["consumption_link"]["credit_cycles"]].append((lane, None))
        if index == copy.first:
            self.deliveries[copy.worm.number, lane.sink] = [copy.worm.injected, there, None, copy.worm.length - index]
        if index == copy.worm.length - 1:
            self.deliveries[copy.worm.number, lane.sink][2] = there

    def decode(self, fifo):
        """Until the branch set is known."""
        now, overlapped = self.cycle, self.cfg["header_timing"] == "overlapped"
        if fifo.copy is None:
            if not fifo.flits:
                return
            fifo.copy, fifo.base = fifo.flits[0]
        copy, worm = fifo.copy, fifo.copy.worm
        if overlapped and fifo.start is None:
            fifo.start = now
        strips, needs = 0, self.string if worm.encoding == "bit_string" else self.address
        if worm.encoding == "multiport":
            strips, needs = self.mask, 0
        elif worm.encoding == "multidestination" and copy.header[0] == fifo.switch:
            strips, needs = self.address, self.address if len(copy.header) > 1 else 1
        if strips and fifo.stripped is None and fifo.here(fifo.base + strips - 1):
            fifo.stripped = now
            for _ in range(strips):
                fifo.pop(now, self.wires)
        if strips and fifo.stripped is None:
            return
        if fifo.start is None and (needs == 0 or fifo.here(fifo.base + needs - 1)):
            fifo.start = now
        if fifo.start is not None and fifo.start + self.cfg["routing_cycles"] <= now:
            self.decided(fifo)

    def decided(self, fifo):
        copy, top, ways = fifo.copy, self.top, {}
        header, encoding = copy.header, copy.worm.encoding
        if encoding == "unicast":
            ways[top.out(fifo, header[0])] = header
        elif encoding == "multidestination":
            if header[0] == fifo.switch:
                ways[top.local, 0], header = (), header[1:]
            if header:
                ways[top.out(fifo, header[0])] = header
        elif encoding == "multiport":
            ways = {(p, 0): header[1:] for p in header[0]} or {(top.b, 0): header[1:]}
        else:
            for node in header:
                ways.setdefault(top.out(fifo, node), set()).add(node)
            if not self.grid and (top.b, 0) in ways:
                ways = {(top.b, 0): header}
        self.moved = True
        for key in sorted(ways):
            branch = Branch(fifo, key, ways[key])
            branch.copy, branch.next = Copy(copy.worm, ways[key], fifo.base), fifo.base
            fifo.branches.append(branch)
        if len(ways) > 1 and fifo.switch in self.rings:
            fifo.asks, fifo.asked = self.rings[fifo.switch], self.cycle
        else:
            self.ask(fifo, self.cycle)

    def ask(self, fifo, cycle):
        """The branches, or the next one, ask for lanes from now on."""
        for branch in fifo.branches:
            if branch.since is None:
                branch.since = cycle
                if self.cfg["replication"] == "sequential":
                    break

    def circulate(self, ring):
        now = self.cycle
        if ring.holder or ring.here > now:
            return
        switch = ring.stations[ring.at]
        inputs = self.inputs[switch]
        asking = [f for f in inputs if f.asks is ring]
        if asking:
            pointer = self.visits[switch]
            fifo = min(asking, key=lambda f: (f.index - pointer) % len(inputs))
            self.visits[switch] = fifo.index + 1
            ring.holder, fifo.holds, fifo.asks, fifo.popped, self.moved = fifo, ring, None, 0, True
            self.ask(fifo, now)
        elif len(ring.stations) > 1:
            ring.release(now)

    def grant(self, branch, lane):
        branch.lane, branch.since, lane.owner, self.moved = lane, self.cycle, branch, True

    def allocate(self, switch, asking):
        """Lanes for the branches that ask: (fifo, branch)."""
        now, inputs = self.cycle, len(self.inputs[switch])
        fixed = self.cfg["arbiter"] == "fixed_priority"
        free = lambda key: sorted((l for l in self.groups[switch, key] if l.free(now)), key=lambda l: (l.credits == 0, l.number))
        if self.cfg["acquisition"] == "atomic":
            pointer = 0 if fixed else self.pointers[switch]
            first = True
            for fifo in sorted({b.fifo for b in asking}, key=lambda f: (f.index - pointer) % inputs):
                wants = [b for b in asking if b.fifo is fifo]
                offers = [free(b.key) for b in wants]
                if all(offers):
                    for branch, offer in zip(wants, offers):
                        self.grant(branch, offer[0])
                    if first:
                        self.pointers[switch], first = (fifo.index + 1) % inputs, False
            return
        by_key = defaultdict(list)
        for branch in asking:
            by_key[branch.key].append(branch)
        for key, branches in by_key.items():
            for lane in free(key):
                pointer = 0 if fixed else lane.pointer
                winner = min(branches, key=lambda b: (b.fifo.index - pointer) % inputs)
                lane.pointer = (winner.fifo.index + 1) % inputs
                self.grant(winner, lane)
                branches.remove(winner)
                if not branches:
                    break

    def able(self, branch):
        lane = branch.lane
        return lane and lane.credits > 0 and branch.since + self.cfg["allocation_cycles"] <= self.cycle

    def offers(self, fifo):
        """Branches that could send their next flit in this cycle."""
        if fifo.stripped == self.cycle:
            return []
        mode, branches = self.cfg["replication"], [b for b in fifo.branches if b.next < fifo.copy.worm.length]
        able = [b for b in branches if self.able(b) and fifo.here(b.next)]
        if mode == "asynchronous":
            return [b for b in able if b.next == fifo.base]
        return able if mode != "lockstep" or len(able) == len(fifo.branches) else []

    def cross(self):
        offers = defaultdict(list)
        for fifo in self.active:
            if fifo.branches:
                for branch in self.offers(fifo):
                    offers[branch.lane.link].append(branch)
        now, channels = self.cycle, self.cfg["virtual_channels"]
        for link, branches in offers.items():
            branch = min(branches, key=lambda b: (b.lane.vc - link.pointer) % channels)
            link.pointer = (branch.lane.vc + 1) % channels
            self.send(branch.lane, branch.copy, branch.next)
            branch.next += 1
            if branch.next == branch.copy.worm.length:
                branch.lane.owner, branch.lane.free_from, branch.lane = None, now + 1, None
                self.ask(branch.fifo, now + 1)
        for fifo in list(self.active):
            if fifo.branches and fifo.base < min(b.next for b in fifo.branches):
                self.popped(fifo)
            if fifo.copy is None and not fifo.flits:
                del self.active[fifo]

    def bound(self, fifo):
        masks = self.mask if fifo.copy.worm.encoding == "multiport" else 0
        return self.top.last(fifo.switch) * (self.depth + masks) + self.end_depth

    def popped(self, fifo):
        fifo.pop(self.cycle, self.wires)
        fifo.popped += 1
        gone = fifo.base == fifo.copy.worm.length
        if fifo.holds and (gone or fifo.popped > self.bound(fifo)):
            fifo.holds.release(self.cycle)
            fifo.holds = None
        if gone:
            fifo.idle()

    def step(self):
        now, self.moved = self.cycle, False
        for to, flit in self.wires.pop(now, ()):
            if flit is None:
                to.credits += 1
            else:
                to.flits.append(flit)
                self.active[to] = True
        while self.worms_left and self.worms_left[0].cycle <= now:
            self.create(self.worms_left.popleft())
        for n, queue in enumerate(self.queues):
            if queue or any(c.owner for c in self.channels[n]):
                self.inject(n)
        waits = False
        for fifo in self.active:
            if not fifo.branches:
                self.decode(fifo)
                waits |= fifo.start is not None and fifo.start + self.cfg["routing_cycles"] > now
        for ring in set(self.rings.values()):
            self.circulate(ring)
        asking = defaultdict(list)
        for fifo in self.active:
            waits |= fifo.asks is not None and fifo.asks.holder is None
            for b in fifo.branches:
                if b.since is not None and b.since <= now and b.lane is None and b.next < b.copy.worm.length:
                    asking[fifo.switch].append(b)
        for switch, branches in asking.items():
            self.allocate(switch, branches)
        self.cross()
        self.cycle += 1
        return self.moved or self.wires or self.worms_left or waits or any(q and q[0][0] >= now for q in self.queues)

    def run(self):
        self.worms_left = deque(self.worms)
        while self.step():
            pass
        done = [[*of, *cycles] for of, cycles in self.deliveries.items() if cycles[2] is not None]
        return {"deliveries": sorted(done), "deadlock": self.deadlock()}

    # What is stuck when nothing moves any more.

    def reaches(self, until):
        """How many flits each branch can ever send from the front of its FIFO, relations younger than `until` assumed to dissolve."""
        reach = {b: b.next - f.base for f in self.active for b in f.branches}
        rest = lambda f: f.copy.worm.length - f.base
        pops = lambda f: min(reach[b] for b in f.branches)
        age = lambda b: b.fifo.asked if b.fifo.asks else b.since
        young = lambda b: age(b) is None or age(b) > until
        passes = lambda b: young(b) or reach[b] == rest(b.fifo)

        def own(b):
            """As far as its own output goes."""
            fifo, all_of_it, lane = b.fifo, rest(b.fifo), b.lane
            if young(b) or b.next == b.copy.worm.length:
                return all_of_it
            if lane is None:
                if fifo.asks:
                    holder = fifo.asks.holder
                    return all_of_it if pops(holder) >= min(rest(holder), self.bound(holder) + 1 - holder.popped) else 0
                return all_of_it if any(l.owner is None or passes(l.owner) for l in self.groups[fifo.switch, b.key]) else 0
            behind = lane.sink
            if not isinstance(behind, Fifo) or not behind.branches or pops(behind) == rest(behind):
                return all_of_it
            return min(all_of_it, b.next - fifo.base + lane.credits + pops(behind))

        def limit(b):
            fifo, mode, feeder = b.fifo, self.cfg["replication"], b.fifo.sender.owner
            supply = rest(fifo)
            if isinstance(feeder, Branch) and feeder.copy is fifo.copy:
                supply = sum(copy is fifo.copy for copy, _ in fifo.flits) + reach[feeder] - (feeder.next - feeder.fifo.base)
            if mode == "lockstep":
                return min(supply, *(own(s) for s in fifo.branches), rest(fifo))
            if mode == "sequential":
                before = fifo.branches[:fifo.branches.index(b)]
                return min(supply, own(b)) if all(reach[s] == rest(fifo) for s in before) else reach[b]
            return min(supply, own(b), pops(fifo) + (1 if mode == "asynchronous" else self.depth))

        raised = True
        while raised:
            raised = False
            for b in reach:
                if (to := limit(b)) > reach[b]:
                    reach[b], raised = to, True
        return {f for f in self.active if f.branches and any(own(b) < rest(f) for b in f.branches)}, reach

    def deadlock(self):
        ages = sorted({t for f in self.active for b in f.branches for t in [f.asked if f.asks else b.since] if t is not None})
        for cycle in ages:
            core, _ = self.reaches(cycle)
            if core:
                _, reach = self.reaches(ages[-1])
                stuck = {b.copy.worm.number for b, to in reach.items() if to < b.copy.worm.length - b.fifo.base}
                return {"final": cycle, "core": sorted({f.copy.worm.number for f in core}), "worms": sorted(stuck)}
        return None


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(Network(case["network"], case["worms"]).run()))
