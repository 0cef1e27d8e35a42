#!/usr/bin/env python3
"""Checks a certificate of `wormscope check --deadlock --certificate FILE` against its network.

The program lists all waits of all worms of the certificate again, from docs/explain/deadlocks.md and docs/reference/timing.md. It leaves
out waits that others imply. It shares no code with wormscope. Routes come from the second model in ../oracle/oracle.py. The exit code is
0 if the proof holds, 1 if it does not, and 2 if the file is no certificate. With several files it is the largest of these.
"""
import itertools, json, pathlib, sys, time
from collections import Counter, defaultdict
from functools import cache

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
import oracle
from oracle import NODE, Record
from reach import Reach
from states import States

class Wrong(Exception):
    pass

class Progress:
    """Says every two seconds on stderr how far the program has come."""
    def __init__(self):
        self.begin = self.last = time.monotonic()

    def __call__(self, text):
        if (now := time.monotonic()) < self.last + 2: return
        self.last = now
        print(f"{now - self.begin:.0f} s: {text}", file=sys.stderr, flush=True)

class Net:
    """Routes and sizes of a network. A channel is (switch, port, class) or (NODE, node).

    A part of a worm is (encoding, channel, destinations, flits): the worm in the FIFO at the end of a channel.
    """
    def __init__(self, net):
        self.net, self.model = net, oracle.Layout(net)
        self.top, self.switch = self.model.top, net["switch"]
        self.depth, self.mode, self.atomic = self.switch["fifo_depth"], self.switch["replication"], self.switch["acquisition"] == "atomic"
        self.injection_depth = net["node"]["injection_depth"] or self.depth
        self.window = self.ahead(min(self.depth, self.injection_depth))
        node_channels = net["node"]["virtual_channels"] or self.switch["virtual_channels"]
        self.injections, self.consumptions = (net["node"][f"{way}_channels"] * node_channels for way in ("injection", "consumption"))
        for name in {"place", "label", "end"} & set(dir(self.top)): setattr(self.top, name, cache(getattr(self.top, name)))
        self.label = getattr(self.top, "label", lambda node: node)
        self.end, self.group, self.onward, self.nodes = map(cache, (self.end, self.group, self.onward, self.nodes))

    def ahead(self, depth):
        """Flits by which a branch may be ahead of the slowest, behind a FIFO of some depth. Branches of a sequential worm follow each other."""
        return {"asynchronous": 1, "lockstep": 0, "buffered": depth, "synchronous": 1}.get(self.mode)

    def depth_of(self, segment):
        return self.injection_depth if segment.parent is None else self.depth

    def window_of(self, segment):
        return self.ahead(self.depth_of(segment))

    def end(self, channel):
        """Switch and input port at the end of a channel, or NODE and the node."""
        return self.top.entry(channel[1]) if channel[0] == NODE else self.top.end(*channel[:2])

    def lanes(self, channel):
        if channel[0] == NODE: return self.injections
        if self.end(channel)[0] == NODE: return self.consumptions
        return self.switch["dilation"] * self.switch["virtual_channels"] // self.top.classes

    def group(self, channel):
        """The channels of which a worm may take any where routing names this one."""
        switch, port, way = channel
        ports = [p for p in self.top.ports if self.top.group(p, 0)[0] == port and self.top.end(switch, p)]
        return [(switch, p, way) for p in ports]

    def out(self, channel, node):
        """The group towards a node for a worm from a channel."""
        switch, port = self.end(channel)
        vc = 0 if channel[0] == NODE else channel[2] * self.switch["virtual_channels"] // self.top.classes
        port, way = self.top.out(Record(switch=switch, port=port, lane=vc), node)
        return switch, port, way

    def onward(self, group):
        """The channels of a group that lead to switches."""
        return [channel for channel in self.group(group) if self.end(channel)[0] != NODE]

    def nodes(self, switch):
        """The nodes to which a switch leads straight."""
        return {end[1] for port in self.top.ports if (end := self.top.end(switch, port)) and end[0] == NODE}

    def ways(self, channel, nodes):
        """Groups of a tree worm, with the destinations of each."""
        ways = defaultdict(list)
        for node in nodes: ways[self.out(channel, node)[1:]].append(node)
        together = self.top.together(dict(ways), nodes)
        switch = self.end(channel)[0]
        return {(switch, *way): left for way, left in sorted(together.items())}

    def whole(self, source, to, encoding, payload):
        """A worm in the FIFO of its source."""
        model = self.model
        if encoding == "multiport": header = model.mask * len(self.top.masks(source, to))
        else: header = {"bit_string": model.string, **model.match}.get(encoding, model.address * len(to))
        return encoding, (NODE, source), tuple(to), header + payload

    def branches(self, part):
        """Flits of a part that leave its FIFO, and the branches there: (group, [(channel, part there or None)])."""
        encoding, channel, left, flits = part
        if encoding == "multidestination":
            ways = {self.out(channel, left[0]): left}
            if left[0] in self.nodes(self.end(channel)[0]):
                flits -= self.model.address
                ways = {self.out(channel, left[0]): left[:1]}
                if left[1:]: ways[self.out(channel, left[1])] = left[1:]
        else:
            if encoding == "multiport": flits -= self.model.mask
            ways = self.ways(channel, left)
        there = lambda end, nodes: (encoding, end, tuple(nodes), flits) if self.end(end)[0] != NODE else None
        return flits, [(group, [(end, there(end, nodes)) for end in self.group(group)]) for group, nodes in sorted(ways.items())]

    def spread(self, source, to, encoding, payload):
        """All FIFOs that a worm may pass: (channel, path, flits, parent, branches), a branch being [group, [(channel, segment)]]."""
        start = self.whole(source, to, encoding, payload)
        segments = [Record(part=start, channel=start[1], path=(start[1],), parent=None, branches=[])]
        for at, segment in enumerate(segments):
            segment.flits, branches = self.branches(segment.part)
            for number, (group, ends) in enumerate(branches):
                segment.branches.append((group, []))
                for channel, part in ends:
                    segment.branches[-1][1].append((channel, part and len(segments)))
                    if part: segments.append(Record(part=part, channel=channel, path=segment.path + (channel,), parent=(at, number), branches=[]))
        return segments

def below(segments, at, branch):
    """Segments after a branch, with the number of FIFOs from the branch up to each."""
    found = [(to, 1) for _, to in segments[at].branches[branch][1] if to is not None]
    for segment, fifos in found:
        found += [(to, fifos + 1) for _, ends in segments[segment].branches for _, to in ends if to is not None]
    return found

def step(net, channel, group):
    """Waits at the front of a FIFO: (place, place it waits for, channel that asks)."""
    yield ("fifo", channel), ("lane", group), channel
    for end in net.onward(group):
        yield ("fifo", channel), ("fifo", end), None
        yield ("lane", group), ("fifo", end), None

def unicasts(net, toward):
    """All waits of unicasts. `toward` has the channels of their sources for each node."""
    steps = set()
    for node, sources in toward.items():
        seen, work = set(sources), list(sources)
        for channel in work:
            group = net.out(channel, node)
            if (channel, group) not in steps:
                steps.add((channel, group))
                yield from step(net, channel, group)
            for end in net.onward(group):
                if end not in seen:
                    seen.add(end)
                    work.append(end)

def waits(net, worm, first, rank):
    """All waits of a worm but those that others imply.

    While branches hold each other up, all lanes from one of them on wait for the other. Of these lanes the first in the order stands for
    all. `first` keeps it for each part of a worm, so that no part is listed twice.
    """
    work = [(worm, None)]
    while work:
        part, listed = work.pop()
        if not listed:
            if part in first: continue
            first[part], listed = None, net.branches(part)
            work.append((part, listed))
            work += [(there, None) for _, ends in listed[1] for _, there in ends if there]
            continue
        flits, branches = listed
        kept = [min([("lane", group)] + [first[there] for _, there in ends if there], key=rank) for group, ends in branches]
        first[part] = min(kept, key=rank)
        for group, _ in branches: yield from step(net, part[1], group)
        window = net.ahead(net.injection_depth if part[1][0] == NODE else net.depth)
        if window is None or flits <= window: continue
        for (place, _), (_, (sibling, ends)) in itertools.permutations(zip(kept, branches), 2):
            if not net.atomic: yield place, ("lane", sibling), None
            for channel, there in ends:
                if there: yield place, ("fifo", channel), None

def sets(net, source, among):
    """Sets of destinations whose trees have the branches of the trees to all sets."""
    if isinstance(net.top, oracle.Stages) and net.top.bi:
        turn = {a: max([j for j in range(net.top.n) if net.top.digit(a, j) != net.top.digit(source, j)], default=0) for a in among}
        return [s for stage in range(net.top.n) if (s := [node for node in among if turn[node] <= stage])]
    if isinstance(net.top, oracle.TwoSided):
        return [[a] for a in among] + [[a, b] for i, a in enumerate(among) for b in among[i + 1:]]
    return [among]

def paths(net, kind):
    """All waits of path worms to any nodes."""
    label, seen, alike, work = net.label, set(), {}, []
    for number, (source, _, nodes, count, ordered) in enumerate(kind["sources"]):
        # Worms in the order of labels never turn back to their source, so sources with the same nodes are listed together.
        among = tuple(sorted([source, *nodes]))
        who = (alike.setdefault((among, count[1]), number) if ordered == "labels" else number), among, count[1], ordered
        work += [(who, (NODE, source), (source, first)) for first in nodes]
    while work:
        later = []  # Worms with a node more behind them.
        for who, channel, history in work:
            (number, among, most, ordered), last, rises = who, history[-1], label(history[0]) < label(history[1])
            if (number, channel, last, rises) in seen: continue
            seen.add((number, channel, last, rises))
            group = net.out(channel, last)
            yield from step(net, channel, group)
            if last not in net.nodes(net.end(channel)[0]):
                work += [(who, end, history) for end in net.onward(group)]
                continue
            if len(history) > most: continue
            waits = net.window is not None and net.model.address * most + kind["payload_flits"][1] > net.window
            for node in among:
                # A worm comes here in several ways, so in any order all nodes but two count as not visited.
                if node in ((history[0], last) if ordered == "any" else history): continue
                if ordered == "labels" and (label(node) > label(last)) != rises: continue
                if ordered == "numbers" and node < last: continue
                onward = net.out(channel, node)
                yield from step(net, channel, onward)
                if waits and not net.atomic:
                    yield ("lane", group), ("lane", onward), None
                    yield ("lane", onward), ("lane", group), None
                    # So may all lanes that the worm takes later, which are not listed.
                    yield ("lane", onward), ("copy", group), None
                if waits: yield from ((("lane", group), ("fifo", end), None) for end in net.onward(onward))
                later += [(who, end, (*history, node)) for end in net.onward(onward)]
        work = later

def all_waits(net, worms, rank):
    """All waits of all worms but those that others imply."""
    toward, first = defaultdict(set), {}
    def of(source, to, encoding, payload):
        if encoding != "unicast": return waits(net, net.whole(source, to, encoding, payload), first, rank)
        for node in to: toward[node].add((NODE, source))
        return ()
    for worm in worms["given"]: yield from of(*worm)
    for kind in worms["drawn"]:
        encoding, payload = kind["encoding"], kind["payload_flits"][1]
        any_nodes = [entry for entry in kind["sources"] if entry[1] == "some"]
        for source, how, nodes, _, _ in kind["sources"]:
            if how == "one": of(source, nodes, "unicast", payload)
            elif how == "all": yield from of(source, nodes, encoding, payload)
        if encoding == "multidestination": yield from paths(net, {**kind, "sources": any_nodes})
        else:
            for source, _, nodes, _, _ in any_nodes:
                for some in sets(net, source, nodes): yield from of(source, some, encoding, payload)
    yield from unicasts(net, toward)

def check_order(net, certificate, progress):
    """Each wait must lead to an earlier place, unless the lane has more lanes than inputs that ask for it."""
    place = lambda of: (of[0], (NODE, of[2]) if of[1] == NODE else tuple(of[1:]))
    rank = {place(of): at for at, of in enumerate(certificate.get("order", []))}
    arrows, askers = set(), defaultdict(set)
    for here, there, asks in all_waits(net, certificate["worms"], lambda of: rank.get(of, -1)):
        arrows.add((here, there))
        if asks: askers[there[1]].add(asks)
        progress(f"{len(arrows)} waits listed")
    contested = {group for group, of in askers.items()
                 if sum(map(net.lanes, of)) > sum(map(net.lanes, net.group(group)))}
    checked = 0
    for here, there in arrows:
        if there[0] == "copy":
            if there[1] in contested: raise Wrong(f"worms that went on from {there[1]} may wait for its lane")
            continue
        if there[0] == "lane" and there[1] not in contested: continue
        for of in (here, there):
            if of not in rank: raise Wrong(f"the order lacks {of}")
        if rank[there] >= rank[here]: raise Wrong(f"{here} waits for {there}, which does not come earlier in the order")
        checked += 1
    return f"{checked} waits of {len(rank)} places lead to earlier places"

def all_worms(net, worms):
    """All worms one by one, and whether each may come again."""
    for source, to, encoding, payload in worms["given"]: yield source, tuple(to), encoding, payload, False
    for kind in worms["drawn"]:
        encoding, (least, most) = kind["encoding"], kind["payload_flits"]
        for source, how, nodes, count, ordered in kind["sources"]:
            if how == "one": all_sets = [(node,) for node in nodes]
            elif how == "all": all_sets = [tuple(nodes)]
            else:
                is_path = encoding == "multidestination"
                chosen = itertools.permutations if is_path and ordered == "any" else itertools.combinations
                all_sets = [s for n in range(1 if is_path else count[0], count[1] + 1) for s in chosen(sorted(nodes), n)]
                if is_path and ordered == "labels":
                    rises = [tuple(sorted(s, key=net.label)) for s in all_sets if all(net.label(n) > net.label(source) for n in s)]
                    falls = [tuple(sorted(s, key=net.label))[::-1] for s in all_sets if all(net.label(n) < net.label(source) for n in s)]
                    all_sets = rises + falls
            for to in all_sets:
                for payload in range(least, most + 1): yield source, to, encoding, payload, True

class Count:
    """The waits that may be: (worm, segment, branch, "lane" or "room"). `again` tells which worms may come any number of times."""
    def __init__(self, net, spreads, again):
        self.net, self.spreads, self.again = net, spreads, again
        self.waits, self.holders, self.fronts, self.keeps, self.number = set(), defaultdict(list), defaultdict(list), {}, {}
        for worm, segments in enumerate(spreads):
            for at, segment in enumerate(segments): self.add(worm, at, segment)

    def add(self, worm, at, segment):
        depth, segments = self.net.depth, self.spreads[worm]
        window, own = self.net.window_of(segment), self.net.depth_of(segment)
        all_of = lambda to: {(worm, to, b, of) for b in range(len(segments[to].branches)) for of in ("lane", "room")}
        for branch, (group, ends) in enumerate(segment.branches):
            key = worm, at, branch
            self.number[worm, segment.path, group] = key
            self.holders[group].append(key)
            self.waits.add((*key, "lane"))
            if any(to is not None for _, to in ends): self.waits.add((*key, "room"))
            held = {(*key, "room")}
            for to, fifos in below(segments, at, branch):
                if segments[to].flits > fifos * depth: held |= all_of(to)
            split, on = at, branch
            while (window := self.net.window_of(segments[split])) is not None:
                for sibling in range(len(segments[split].branches)):
                    if sibling == on: continue
                    if segments[split].flits > window:
                        held |= {(worm, split, sibling, of) for of in ("room",) + ("lane",) * (not self.net.atomic)}
                    for to, fifos in below(segments, split, sibling):
                        if segments[to].flits > fifos * depth + window: held |= all_of(to)
                if segments[split].parent is None: break
                split, on = segments[split].parent
            self.keeps[key] = held
        held = set()
        for to, fifos in [(at, 0)] + [of for branch in range(len(segment.branches)) for of in below(segments, at, branch)]:
            flits = segments[to].flits
            if flits > fifos * depth:
                held |= {wait for wait in all_of(to) if window is None or flits <= own + (fifos + (wait[3] == "room")) * depth}
        self.fronts[segment.channel].append((worm, at, held))

    def may_wait(self, worm, at, branch, of):
        """Whether other worms may keep the worm waiting with the waits that are left."""
        group, ends = self.spreads[worm][at].branches[branch]
        if of == "room":
            for channel, to in ends:
                others = ((w, s, held) for w, s, held in self.fronts[channel] if to is not None and (self.again[w] or (w, s) != (worm, to)))
                if not all(held.isdisjoint(self.waits) for _, _, held in others): return True
            return False
        by_input = defaultdict(int)
        for key in self.holders[group]:
            if (key != (worm, at, branch) or self.again[key[0]]) and not self.keeps[key].isdisjoint(self.waits):
                by_input[self.spreads[key[0]][key[1]].channel] += 1 << 20 if self.again[key[0]] else 1
        own = self.spreads[worm][at].channel
        kept = sum(min(count, self.net.lanes(channel) - (channel == own)) for channel, count in by_input.items())
        return kept >= sum(map(self.net.lanes, self.net.group(group)))

    def remove(self):
        """Removes waits until each that is left may be."""
        while gone := {wait for wait in self.waits if not self.may_wait(*wait)}: self.waits -= gone

    def left(self):
        if self.waits: raise Wrong(f"{len(self.waits)} waits are left, one of worm {min(self.waits)[0]}")

def check_counted(net, certificate, progress):
    """Each removed wait must be impossible with the waits that are left, and all waits must be removed."""
    there = Counter((source, tuple(to), encoding, payload, again) for source, to, encoding, payload, again in certificate.get("counted", []))
    for worm, times in Counter(all_worms(net, certificate["worms"])).items():
        if there[worm] < (1 if worm[4] else times): raise Wrong(f"the worm {worm[:4]} is not counted")
    worms, removed = certificate.get("counted", []), certificate.get("removed", [])
    count = Count(net, [net.spread(*worm[:4]) for worm in worms], [worm[4] for worm in worms])
    for at, (worm, path, group, of) in enumerate(removed):
        progress(f"{at} of {len(removed)} removed waits followed")
        path = tuple((NODE, step[1]) if step[0] == NODE else tuple(step) for step in path)
        key = count.number.get((worm, path, tuple(group)))
        if key is None: raise Wrong(f"worm {worm} has no branch to {group} after {path}")
        if (*key, of) in count.waits:
            if count.may_wait(*key, of): raise Wrong(f"worm {worm} may wait for the {of} of {group}")
            count.waits.discard((*key, of))
    count.remove()  # A wait for room that no worm can have needs no line.
    count.left()
    return f"{len(removed)} waits of {len(worms)} worms are removed one after the other"

def routes(segments):
    """The spread of a tree for each choice among equivalent channels."""
    def choices(at):  # The ends that are taken, by segment and branch.
        ways = []
        for number, (_, ends) in enumerate(segments[at].branches):
            deeper = lambda to: choices(to) if to is not None else [{}]
            ways.append([{(at, number): end, **on} for end, (_, to) in enumerate(ends) for on in deeper(to)])
        return [dict(step for way in some for step in way.items()) for some in itertools.product(*ways)]
    for taken in choices(0):
        kept = sorted({at for at, _ in taken} | {0})
        new = {at: number for number, at in enumerate(kept)} | {None: None}
        only = lambda at: [(group, [(ends[taken[at, n]][0], new[ends[taken[at, n]][1]])]) for n, (group, ends) in enumerate(segments[at].branches)]
        up = lambda parent: parent and (new[parent[0]], parent[1])
        yield [Record(channel=(of := segments[at]).channel, path=of.path, flits=of.flits, parent=up(of.parent), branches=only(at)) for at in kept]

def check_by_route(net, certificate, progress):
    """For each route of each given tree, all waits must be removed. A tree has only one of its routes."""
    worms, spreads, tried = list(all_worms(net, certificate["worms"])), [], 0
    for source, to, encoding, payload, again in worms:
        spread = net.spread(source, to, encoding, payload)
        one = again or encoding in ("unicast", "multidestination") or len(to) < 2
        spreads.append([spread] if one else list(routes(spread)))
    for some in itertools.product(*spreads):
        count = Count(net, some, [worm[4] for worm in worms])
        count.remove()
        count.left()
        tried += 1
        progress(f"{tried} choices of routes counted")
    return f"all waits of {len(worms)} worms are removed for each of {tried} choices of routes"

def check_states(net, certificate, progress):
    """No state of several worms may have a wait."""
    worms = list(all_worms(net, certificate["worms"]))
    count = Count(net, [net.spread(*worm[:4]) for worm in worms], [worm[4] for worm in worms])
    count.remove()
    states = States(count, worms, not certificate["is_stalled"], progress)
    states.remove()
    count.left()
    return f"{states.steps} steps find no state of {len(worms)} worms in which one waits for ever"

def check_schedules(net, certificate, progress):
    """Runs the given worms in the second model, in each order and at each distance in time up to an empty network."""
    given, software = certificate["worms"]["given"], any(net.net["node"].get(of) for of in ("costs", "send_buffer", "receive_buffer"))
    if certificate["worms"]["drawn"]: raise Wrong("random worms have more than a set of schedules")
    if certificate["is_stalled"] or net.net["token_ring"] or software: raise Wrong("stalls, tokens and software depend on the cycle")
    groups, runs = [], 0  # Ports that worms share, and these worms.
    for source, to, encoding, payload in given:
        ports = set()
        for segment in net.spread(source, to, encoding, payload):
            ports |= {of[:2] for of in [segment.channel] + [channel for _, ends in segment.branches for channel, _ in ends]}
            if net.atomic: ports.add(net.end(segment.channel)[0])
        meets, worms = [of for of in groups if of[0] & ports], [(source, list(to), encoding, payload)]
        groups = [of for of in groups if of not in meets]
        groups.append((ports.union(*(of for of, _ in meets)), [worm for _, of in meets for worm in of] + worms))
    def place(placed, left):
        nonlocal runs
        last = empty = 0
        if placed:
            model = oracle.Network(net.net, placed)
            if model.run()["deadlock"]: raise Wrong(f"a run ends in a deadlock: {placed}")
            last, empty, runs = placed[-1][0], model.still, runs + 1
            progress(f"{runs} schedules run")
        for at, worm in enumerate(left):
            if worm in left[:at]: continue
            for cycle in range(last, empty + 1): place(placed + [[cycle, *worm]], left[:at] + left[at + 1:])
    for _, worms in groups:
        if len(worms) > 1: place([], worms)
    return f"{runs} runs of all schedules of {len(given)} worms end without a deadlock"

def check_reach(net, certificate, progress):
    """Visits all states of the second model, with each worm in any cycle."""
    if certificate["is_stalled"]: raise Wrong("stalls depend on the cycle")
    if net.mode == "synchronous" or net.switch["arbiter"] == "oldest_first": raise Wrong("the age of worms is no part of a state")
    if net.net["node"]["startup_cycles"] or any(net.net["node"].get(of) for of in ("costs", "send_buffer", "receive_buffer")):
        raise Wrong("nodes with software do not send in any cycle")
    worms = list(all_worms(net, certificate["worms"]))
    if any(worm[4] for worm in worms): worms = [(*worm[:4], True) for worm in worms]
    states, stuck = Reach(net.net, worms, progress).visit()
    if stuck is not None: raise Wrong("worms wait for each other for ever in one of the states")
    return f"{states} states of {len(worms)} worms lead to an empty network"

def check_rule(net, certificate, _):
    """The demands of a rule of the hardware."""
    name = certificate["argument"]
    if name == "synchronous_worms":
        if net.mode != "synchronous": raise Wrong(f"replication is {net.mode}, not synchronous")
    elif name == "token_rings":
        if not net.net["token_ring"]: raise Wrong("the network has no token ring")
        if net.net["token_ring"].get("release_flits") is not None: raise Wrong("the release is not the published one")
        if net.net["token_ring"].get("span", "group") != "group": raise Wrong("a token is shared by less than a group")
        if not isinstance(net.top, oracle.Stages) or net.top.turns_often: raise Wrong("the network has no stages in which worms are copied once")
    elif name == "no_worms":
        if certificate["worms"]["given"] or any(s[2] for kind in certificate["worms"]["drawn"] for s in kind["sources"]):
            raise Wrong("nodes send worms")
    else: raise Wrong(f"no argument is called {name}")
    return f"the demands of the rule {name} hold"

def judge(path):
    """Checks a file, prints the result, and returns the exit code."""
    try:
        with open(path) as file: certificate = json.load(file)
        if certificate["format"] != "wormscope deadlock certificate": raise KeyError("format")
        net = Net(certificate["network"])
        checks = {"order_of_channels": check_order, "counted_worms": check_counted, "counted_by_route": check_by_route,
                  "no_state_waits": check_states, "all_schedules": check_schedules, "all_states": check_reach}
        check = checks.get(certificate["argument"], check_rule)
        told = check(net, certificate, Progress())
    except Wrong as wrong:
        print(f"{path}: refused: {wrong}")
        return 1
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OSError) as error:
        print(f"{path}: no certificate: {error!r}")
        return 2
    print(f"{path}: proven free: {told}")
    return 0

if __name__ == "__main__":
    if len(sys.argv) < 2: sys.exit("usage: check.py FILE...")
    sys.exit(max(map(judge, sys.argv[1:])))
