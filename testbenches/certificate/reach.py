"""Visits all states of a network in the second model: each worm comes in any cycle (docs/explain/deadlocks.md)."""
import itertools, pickle
from collections import defaultdict, deque
from hashlib import blake2b

import oracle

def forget(copy):
    """No register decides by the number of a worm, or by the time of its injection."""
    copy.worm.number, copy.worm.injected = 0, 0

class Reach:
    """The states that are reached. A state is the registers of the second model, with times relative to its cycle, and the worms to come."""
    def __init__(self, net, worms, progress):
        self.model, self.progress = oracle.Network(net, []), progress
        self.worms = [[0, *worm[:4]] for worm in worms]
        self.again = [worm[4] for worm in worms]
        self.known, self.alone, self.empty, self.work = {}, [], set(), deque()

    def freeze(self):
        """The registers as bytes. Times that can no longer matter are alike."""
        of, now = self.model, self.model.cycle
        past = lambda time, most: None if time is None else max(time - now, -most)
        for lane in itertools.chain(*of.groups.values(), *(source.lanes for source in of.sources)):
            lane.free_from = past(lane.free_from, 0)
            if lane.owner: forget(lane.owner.copy)
        for fifo in itertools.chain(*of.inputs.values()):
            fifo.start, fifo.stripped = past(fifo.start, of.cfg["routing_cycles"]), past(fifo.stripped, 1)
            for copy in [flit[0] for flit in fifo.flits] + [fifo.copy] * (fifo.copy is not None): forget(copy)
            for branch in fifo.branches: branch.since = past(branch.since, of.cfg["allocation_cycles"])
        for ring in {id(ring): ring for ring in of.rings.values()}.values():
            ring.cycle, ring.since = past(ring.cycle, 0), 0
        wires = {time - now: coming for time, coming in sorted(of.wires.items())}
        for coming in wires.values():
            for _, flit in coming:
                if flit: forget(flit[0])
        for source in of.sources: source.ready = 0
        return pickle.dumps((of.sources, of.groups, of.inputs, of.active, of.rings, dict(of.arbiters), of.visits, of.turns, wires))

    def thaw(self, frozen):
        of = self.model
        of.sources, of.groups, of.inputs, of.active, of.rings, arbiters, of.visits, of.turns, wires = pickle.loads(frozen)
        of.arbiters = defaultdict(lambda: oracle.Arbiter(of.cfg["arbiter"]), arbiters)
        of.wires = defaultdict(list, wires)
        of.cycle, of.deliveries, of.told = 0, {}, {}

    def number(self, frozen, to_come):
        """The number of a state. A new one waits for its turn."""
        key = blake2b(frozen + bytes(to_come), digest_size=16).digest()
        if key not in self.known:
            self.known[key] = len(self.known)
            self.work.append((frozen, to_come))
        return self.known[key]

    def choices(self, to_come):
        """The worms that may begin in this cycle: of each node, as many as it has free channels."""
        of_node = defaultdict(list)
        for worm in to_come: of_node[self.worms[worm][1]].append(worm)
        ways = []
        for node, worms in of_node.items():
            free = len(self.model.free(self.model.sources[node].lanes))
            row = lambda n: itertools.product(worms, repeat=n) if self.again[worms[0]] else itertools.permutations(worms, n)
            ways.append([begun for n in range(free + 1) for begun in row(n)])
        return (sum(begun, ()) for begun in itertools.product(*ways))

    def visit(self):
        """The number of states, and one from which the network does not become empty without new worms, if there is one."""
        self.number(self.freeze(), tuple(range(len(self.worms))))
        while self.work:
            frozen, to_come = self.work.popleft()
            self.thaw(frozen)
            is_empty = not (self.model.active or self.model.wires or any(lane.owner for source in self.model.sources for lane in source.lanes))
            if is_empty: self.empty.add(len(self.alone))
            for begun in list(self.choices(to_come)):
                self.thaw(frozen)
                for worm in begun: self.model.create(0, self.worms[worm])
                self.model.step()
                left = tuple(worm for worm in to_come if self.again[worm] or worm not in begun)
                after = self.number(self.freeze(), left)
                if not begun: self.alone.append(after)
            self.progress(f"{len(self.alone)} of {len(self.known)} states visited")
        return len(self.known), self.stuck()

    def stuck(self):
        """A state that comes again and again without new worms."""
        ends = set(self.empty)
        for state in range(len(self.alone)):
            way = set()
            while state not in ends:
                if state in way: return state
                way.add(state)
                state = self.alone[state]
            ends |= way
        return None
