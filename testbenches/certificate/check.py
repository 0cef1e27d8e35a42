#!/usr/bin/env python3
"""Checks a certificate of `wormscope check --deadlock --certificate FILE` against its network.

The program lists all waits of all worms of the certificate again, from docs/explain/deadlocks.md and docs/reference/timing.md. It
shares no code with wormscope. Routes come from the second model in ../oracle/oracle.py. The exit code is 0 if the proof holds, 1 if it
does not, and 2 if the file is no certificate. With several files it is the largest of these.
"""
import itertools, json, pathlib, sys
from collections import Counter, defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
import oracle
from oracle import NODE, Record

class Wrong(Exception):
    pass

class Net:
    """Routes and sizes of a network. A channel is (switch, port, class) or (NODE, node)."""
    def __init__(self, net):
        self.net, self.model = net, oracle.Network(net, [])
        self.top, self.switch = self.model.top, net["switch"]
        self.depth, self.mode, self.atomic = self.switch["fifo_depth"], self.switch["replication"], self.switch["acquisition"] == "atomic"
        # Flits by which a branch may be ahead of the slowest. Branches of a sequential worm follow each other.
        self.window = {"asynchronous": 1, "lockstep": 0, "buffered": self.depth, "synchronous": 1}.get(self.mode)
        node_channels = net["node"]["virtual_channels"] or self.switch["virtual_channels"]
        self.injections, self.consumptions = (net["node"][f"{way}_channels"] * node_channels for way in ("injection", "consumption"))

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

    def is_here(self, switch, node):
        """Whether a switch leads straight to a node."""
        return any(self.top.end(switch, port) == (NODE, node) for port in self.top.ports)

    def ways(self, channel, nodes):
        """Groups of a tree worm, with the destinations of each."""
        ways = defaultdict(list)
        for node in nodes: ways[self.out(channel, node)[1:]].append(node)
        together = self.top.together(dict(ways), nodes)
        switch = self.end(channel)[0]
        return {(switch, *way): left for way, left in sorted(together.items())}

    def length(self, source, to, encoding):
        """Header flits, and the flits of one address or mask that a switch strips."""
        model = self.model
        if encoding == "multiport":
            return model.mask * len(self.top.masks(source, to)), model.mask
        if encoding == "bit_string": return model.string, 0
        if encoding in model.match: return model.match[encoding], 0
        return model.address * len(to), model.address

    def spread(self, source, to, encoding, payload):
        """All FIFOs that a worm may pass: (channel, path, flits, parent, branches), a branch being [group, [(channel, segment)]]."""
        header, part = self.length(source, to, encoding)
        segments = [Record(channel=(NODE, source), path=((NODE, source),), flits=header + payload, parent=None, branches=[])]
        work = [(0, list(to))]
        while work:
            at, left = work.pop()
            segment = segments[at]
            switch = self.end(segment.channel)[0]
            if encoding == "multidestination":
                ways = {self.out(segment.channel, left[0]): left}
                if self.is_here(switch, left[0]):
                    segment.flits -= part
                    ways = {self.out(segment.channel, left[0]): left[:1]}
                    if left[1:]: ways[self.out(segment.channel, left[1])] = left[1:]
            else:
                if encoding == "multiport": segment.flits -= part
                ways = self.ways(segment.channel, left)
            for group, nodes in sorted(ways.items()):
                ends = []
                for channel in self.group(group):
                    to_switch = self.end(channel)[0] != NODE
                    ends.append((channel, len(segments) if to_switch else None))
                    if to_switch:
                        work.append((len(segments), nodes))
                        segments.append(Record(channel=channel, path=segment.path + (channel,), flits=segment.flits, branches=[],
                                               parent=(at, len(segment.branches))))
                segment.branches.append((group, ends))
        return segments

def below(segments, at, branch):
    """Segments after a branch, with the number of FIFOs from the branch up to each."""
    found = [(to, 1) for _, to in segments[at].branches[branch][1] if to is not None]
    for segment, fifos in found:
        found += [(to, fifos + 1) for _, ends in segments[segment].branches for _, to in ends if to is not None]
    return found

def waits(net, segments):
    """All waits of a worm: (place, place it waits for, channel that asks)."""
    for at, segment in enumerate(segments):
        for number, (group, ends) in enumerate(segment.branches):
            yield ("fifo", segment.channel), ("lane", group), segment.channel
            for channel, to in ends:
                if to is not None:
                    yield ("fifo", segment.channel), ("fifo", channel), None
                    yield ("lane", group), ("fifo", channel), None
            if net.window is None or segment.flits <= net.window: continue
            kept = [group] + [deeper for to, _ in below(segments, at, number) for deeper, _ in segments[to].branches]
            for other, (sibling, ends) in enumerate(segment.branches):
                if other == number: continue
                for place in kept:
                    if not net.atomic: yield ("lane", place), ("lane", sibling), None
                    for channel, to in ends:
                        if to is not None: yield ("lane", place), ("fifo", channel), None

def sets(net, source, among):
    """Sets of destinations whose trees have the branches of the trees to all sets."""
    if isinstance(net.top, oracle.Stages) and net.top.bi:
        turn = lambda node: max([j for j in range(net.top.n) if net.top.digit(node, j) != net.top.digit(source, j)], default=0)
        return [s for stage in range(net.top.n) if (s := [node for node in among if turn(node) <= stage])]
    if isinstance(net.top, oracle.TwoSided):
        return [[a] for a in among] + [[a, b] for i, a in enumerate(among) for b in among[i + 1:]]
    return [among]

def paths(net, source, among, most, ordered, flits):
    """All waits of path worms to any nodes."""
    label = net.top.label if hasattr(net.top, "label") else (lambda node: node)
    seen, work = set(), [((NODE, source), (source, first)) for first in among]
    for channel, history in work:
        rises = label(source) < label(history[1])
        if (channel, history[-1], rises) in seen: continue
        seen.add((channel, history[-1], rises))
        switch, group = net.end(channel)[0], net.out(channel, history[-1])
        ends = [end for end in net.group(group) if net.end(end)[0] != NODE]
        yield ("fifo", channel), ("lane", group), channel
        for end in ends:
            yield ("fifo", channel), ("fifo", end), None
            yield ("lane", group), ("fifo", end), None
        if not net.is_here(switch, history[-1]):
            work += [(end, history) for end in ends]
            continue
        if len(history) > most: continue
        for node in among:
            if node in history: continue
            if ordered == "labels" and len(history) > 1 and (label(node) > label(history[-1])) != rises: continue
            if ordered == "numbers" and node < history[-1]: continue
            onward = net.out(channel, node)
            ends = [end for end in net.group(onward) if net.end(end)[0] != NODE]
            yield ("fifo", channel), ("lane", onward), channel
            for end in ends:
                yield ("fifo", channel), ("fifo", end), None
                yield ("lane", onward), ("fifo", end), None
            if net.window is not None and flits > net.window:
                if not net.atomic:
                    yield ("lane", group), ("lane", onward), None
                    yield ("lane", onward), ("lane", group), None
                for end in ends: yield ("lane", group), ("fifo", end), None
            work += [(end, (*history, node)) for end in ends]

def all_waits(net, worms):
    for source, to, encoding, payload in worms["given"]:
        yield from waits(net, net.spread(source, to, encoding, payload))
    for kind in worms["drawn"]:
        encoding, payload = kind["encoding"], kind["payload_flits"][1]
        for source, how, nodes, count, ordered in kind["sources"]:
            if how == "one":
                for node in nodes: yield from waits(net, net.spread(source, [node], "unicast", payload))
            elif how == "all": yield from waits(net, net.spread(source, nodes, encoding, payload))
            elif encoding == "multidestination":
                yield from paths(net, source, nodes, count[1], ordered, net.model.address * count[1] + payload)
            else:
                for some in sets(net, source, nodes): yield from waits(net, net.spread(source, some, encoding, payload))

def check_order(net, certificate):
    """Each wait must lead to an earlier place, unless the lane has more lanes than inputs that ask for it."""
    place = lambda of: (of[0], (NODE, of[2]) if of[1] == NODE else tuple(of[1:]))
    rank = {place(of): at for at, of in enumerate(certificate["order"])}
    arrows, askers = set(), defaultdict(set)
    for here, there, asks in all_waits(net, certificate["worms"]):
        arrows.add((here, there))
        if asks: askers[there[1]].add(asks)
    contested = {group for group, of in askers.items()
                 if sum(map(net.lanes, of)) > sum(map(net.lanes, net.group(group)))}
    checked = 0
    for here, there in arrows:
        if there[0] == "lane" and there[1] not in contested: continue
        for of in (here, there):
            if of not in rank: raise Wrong(f"the order lacks {of}")
        if rank[there] >= rank[here]: raise Wrong(f"{here} waits for {there}, which does not come earlier in the order")
        checked += 1
    return f"{checked} waits of {len(rank)} places lead to earlier places"

def all_worms(net, worms):
    """All worms one by one, and whether each may come again."""
    label = net.top.label if hasattr(net.top, "label") else (lambda node: node)
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
                    rises = [tuple(sorted(s, key=label)) for s in all_sets if all(label(n) > label(source) for n in s)]
                    falls = [tuple(sorted(s, key=label))[::-1] for s in all_sets if all(label(n) < label(source) for n in s)]
                    all_sets = rises + falls
            for to in all_sets:
                for payload in range(least, most + 1): yield source, to, encoding, payload, True

def check_counted(net, certificate):
    """Each removed wait must be impossible with the waits that are left, and all waits must be removed."""
    there = Counter((source, tuple(to), encoding, payload, again) for source, to, encoding, payload, again in certificate["counted"])
    for worm, times in Counter(all_worms(net, certificate["worms"])).items():
        if there[worm] < (1 if worm[4] else times): raise Wrong(f"the worm {worm[:4]} is not counted")
    worms, depth, window = certificate["counted"], net.depth, net.window
    again, spreads = [worm[4] for worm in worms], [net.spread(*worm[:4]) for worm in worms]
    waits, holders, fronts, keeps, number = set(), defaultdict(list), defaultdict(list), {}, {}
    for worm, segments in enumerate(spreads):
        deep = lambda at: [(at, 0)] + [of for branch in range(len(segments[at].branches)) for of in below(segments, at, branch)]
        for at, segment in enumerate(segments):
            for branch, (group, ends) in enumerate(segment.branches):
                key = worm, at, branch
                number[worm, segment.path, group] = key
                holders[group].append(key)
                waits.add((*key, "lane"))
                if any(to is not None for _, to in ends): waits.add((*key, "room"))
                held = {(*key, "room")}
                for to, fifos in below(segments, at, branch):
                    if segments[to].flits > fifos * depth:
                        held |= {(worm, to, b, of) for b in range(len(segments[to].branches)) for of in ("lane", "room")}
                split, on = at, branch
                while window is not None:
                    for sibling in range(len(segments[split].branches)):
                        if sibling == on: continue
                        if segments[split].flits > window:
                            held |= {(worm, split, sibling, of) for of in ("room",) + ("lane",) * (not net.atomic)}
                        for to, fifos in below(segments, split, sibling):
                            if segments[to].flits > fifos * depth + window:
                                held |= {(worm, to, b, of) for b in range(len(segments[to].branches)) for of in ("lane", "room")}
                    if segments[split].parent is None: break
                    split, on = segments[split].parent
                keeps[key] = held
            held = set()
            for to, fifos in deep(at):
                flits = segments[to].flits
                for b in range(len(segments[to].branches)):
                    if flits > fifos * depth:
                        if window is None or flits <= (fifos + 1) * depth: held.add((worm, to, b, "lane"))
                        if window is None or flits <= (fifos + 2) * depth: held.add((worm, to, b, "room"))
            fronts[segment.channel].append((worm, at, held))
    def may_wait(worm, at, branch, of):
        group, ends = spreads[worm][at].branches[branch]
        if of == "room":
            for channel, to in ends:
                others = ((w, s, held) for w, s, held in fronts[channel] if to is not None and (again[w] or (w, s) != (worm, to)))
                if any(held & waits for _, _, held in others): return True
            return False
        by_input = defaultdict(int)
        for key in holders[group]:
            if (key != (worm, at, branch) or again[key[0]]) and keeps[key] & waits:
                by_input[spreads[key[0]][key[1]].channel] += 1 << 20 if again[key[0]] else 1
        own = spreads[worm][at].channel
        kept = sum(min(count, net.lanes(channel) - (channel == own)) for channel, count in by_input.items())
        return kept >= sum(map(net.lanes, net.group(group)))
    for worm, path, group, of in certificate["removed"]:
        path = tuple((NODE, step[1]) if step[0] == NODE else tuple(step) for step in path)
        key = number.get((worm, path, tuple(group)))
        if key is None: raise Wrong(f"worm {worm} has no branch to {group} after {path}")
        if (*key, of) in waits:
            if may_wait(*key, of): raise Wrong(f"worm {worm} may wait for the {of} of {group}")
            waits.discard((*key, of))
    # A wait for room that no worm can have needs no line.
    left = [wait for wait in waits if may_wait(*wait)]
    if left: raise Wrong(f"{len(left)} waits are left, one of worm {left[0][0]}")
    return f"{len(certificate['removed'])} waits of {len(worms)} worms are removed one after the other"

def check_rule(net, certificate):
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
        check = {"order_of_channels": check_order, "counted_worms": check_counted}.get(certificate["argument"], check_rule)
        told = check(net, certificate)
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
