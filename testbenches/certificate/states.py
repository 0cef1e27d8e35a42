"""Searches for states in which several worms wait for each other at the same time (docs/explain/deadlocks.md)."""
from collections import defaultdict

MOST_WORMS = (2, 3, 4, 6, 10, 64)

class State:
    """Worms with their parts, and waits that are not explained yet.

    A part is (kind, segment, branch, next): the worm "has" a lane of a branch, waits for a "lane" of it, waits for "room" in the FIFO of
    the next segment, or is at the "front" of the FIFO of a segment.
    """
    def __init__(self, of=None):
        self.placed = [(worm, list(parts)) for worm, parts in of.placed] if of else []
        self.open = list(of.open) if of else []
        copied = lambda lists: defaultdict(list, {key: list(all) for key, all in lists.items()})
        self.fronts, self.lanes = (copied(of.fronts), copied(of.lanes)) if of else (defaultdict(list), defaultdict(list))

    def size(self):
        return sum(map(len, self.fronts.values())) + sum(map(len, self.lanes.values()))

class States:
    """States of the waits that a count has left."""
    def __init__(self, count, worms, is_steady, progress):
        self.count, self.net, self.spreads, self.again = count, count.net, count.spreads, count.again
        self.is_steady, self.progress, self.steps = is_steady, progress, 0
        self.slack, self.equal, last, longest = [0] * len(worms), [None] * len(worms), {}, {}
        for number, (source, to, encoding, payload, again) in enumerate(worms):
            # Equal worms come in the order of their numbers. Of random worms that differ in length, the longest stands for all.
            if not again:
                self.equal[number] = last.get(worms[number])
                last[worms[number]] = number
                continue
            long = longest.setdefault((source, to, encoding), number)
            if long == number: continue
            short, long = (long, number) if payload > worms[long][3] else (number, long)
            longest[source, to, encoding] = long
            fewest = min(worms[of][3] - self.slack[of] for of in (short, long))
            self.slack[long] = worms[long][3] - fewest
            count.waits = {wait for wait in count.waits if wait[0] != short}

    def lanes_of(self, group):
        return sum(map(self.net.lanes, self.net.group(group)))

    def group(self, worm, part):
        return self.spreads[worm][part[1]].branches[part[2]][0]

    def ends(self, worm, segment, branch):
        return [(channel, to) for channel, to in self.spreads[worm][segment].branches[branch][1] if to is not None]

    def above(self, worm, segment):
        """The segment and those before it."""
        way = [segment]
        while parent := self.spreads[worm][way[-1]].parent: way.append(parent[0])
        return way

    def forms(self, wait):
        """The forms of a wait: one for each FIFO in which the worm may want room."""
        worm, segment, branch, of = wait
        if of == "lane": return [("lane", segment, branch, None)]
        return [("room", segment, branch, to) for _, to in self.ends(worm, segment, branch)]

    def reasons(self, held):
        return [form for wait in sorted(held & self.count.waits) for form in self.forms(wait)]

    def may_precede(self, worm, wait, other):
        """Whether a worm that waits at a part is not beyond it."""
        (kind, segment, branch, _), (what, there, through, _) = wait, other
        if kind not in ("lane", "room"): return True
        if (there, through) == (segment, branch): return (kind == "lane") == (what == "lane")
        has, further = what in ("has", "room"), there != segment and through is not None
        while there != segment:
            parent = self.spreads[worm][there].parent
            if parent is None: return True
            (there, through), further = parent, True
        another = through is not None and through != branch and (has or further)
        return through != branch and not (self.net.atomic and kind == "lane" and another)

    def share_a_route(self, worm, one, other):
        first, second = (self.above(worm, part[3] if part[0] == "room" else part[1]) for part in (one, other))
        parent = lambda at: self.spreads[worm][at].parent
        return all(parent(a) is None or a == b or parent(a) != parent(b) for a in first for b in second)

    def agree(self, worm, one, other):
        return self.may_precede(worm, one, other) and self.may_precede(worm, other, one) and self.share_a_route(worm, one, other)

    def kept_behind(self, worm, wait):
        """Lanes that a worm keeps while it waits: flits that do not fit into the FIFOs from a lane on have not crossed it."""
        kind, segment, branch, _ = wait
        if kind not in ("lane", "room"): return
        segments, fifos = self.spreads[worm], int(kind == "room")
        flits = max(segments[segment].flits - self.slack[worm], 0)
        while flits > fifos * self.net.depth:
            for other in range(len(segments[segment].branches)) if fifos else ():
                window = self.net.window_of(segments[segment])
                ahead = self.net.atomic and window is not None and flits > fifos * self.net.depth + window
                if other == branch or ahead: yield "has", segment, other, None
            if segments[segment].parent is None: return
            (segment, branch), fifos = segments[segment].parent, fifos + 1

    def sent(self, worm, segment, state):
        """Flits that a worm has at least in a FIFO without room: all that others leave free."""
        room = self.net.depth
        for other, at, _ in self.count.fronts[self.spreads[worm][segment].channel]:
            if self.again[other]:
                if (other, at) != (worm, segment) or self.again[worm]: return 0
            elif (other, at) != (worm, segment):
                placed = [parts for number, parts in (state.placed if state else ()) if number == other]
                if all(self.agree(other, part, ("front", at, None, None)) for parts in placed for part in parts):
                    # The FIFO also gets a header that its switch removes.
                    parent = self.spreads[other][at].parent
                    room -= self.spreads[other][parent[0] if parent else at].flits
        return max(room, 0)

    def has_flits(self, worm, part, reason, state):
        """Whether a worm that waits for room has flits left for a part of it. The FIFOs between them are full."""
        kind, on, through, to = reason
        if kind != "room": return True
        segments, (_, there, branch, _) = self.spreads[worm], part
        flits, fifos, way = segments[on].flits, 0, self.above(worm, there)
        while on not in way:
            if segments[on].parent is None: return True
            (on, through), fifos = segments[on].parent, fifos + 1
        is_after = on == there and branch in (None, through)
        return flits > fifos * self.net.depth + self.sent(worm, to, state) + (0 if is_after else self.net.window_of(self.spreads[worm][on]) or 0)

    def can_begin(self, state):
        """Whether a run can come to a state: not if worms at one switch wait in a circle that no other input asks into."""
        switch = self.net.switch
        if not self.is_steady or switch["routing_cycles"] == 0 or switch["arbiter"] not in ("fixed_priority", "oldest_first"): return True
        def next(at):
            worm, parts = state.placed[at]
            for part in (part for part in parts if part[0] == "lane"):
                holders = state.lanes.get(group := self.group(worm, part), ())
                if len(holders) == 1:
                    (of, segment, _), = holders
                    if any(part[0] == "lane" and part[1] == segment for part in state.placed[of][1]): return of, group
        for start in range(len(state.placed)):
            circle, at = [], start
            while len(circle) < len(state.placed) and (step := next(at)):
                circle.append(step)
                at = step[0]
                if at == start:
                    if self.is_alone(state, circle): return False
                    break
        return True

    def is_alone(self, state, circle):
        """Whether each input that asks for the lanes of a circle has one of its worms, which all keep their lanes while they wait."""
        if self.net.window is None: return False
        inputs = set()
        for of, group in circle:
            worm, parts = state.placed[of]
            for part in parts:
                if part[0] != "has" or self.group(worm, part) != group: continue
                segment = self.spreads[worm][part[1]]
                if segment.flits <= self.net.window_of(segment) or self.net.lanes(segment.channel) != 1 or self.lanes_of(group) != 1: return False
                inputs.add(segment.channel)
        askers = {self.spreads[worm][at].channel for _, group in circle for worm, at, _ in self.count.holders[group]}
        return len(inputs) == len(circle) and askers <= inputs

    def place(self, state, at, worm, parts):
        """Adds parts to a worm of a state, or to a new worm, with the lanes that it keeps. Returns whether the state obeys the rules."""
        if at is None:
            if len(state.placed) >= self.most:
                self.is_cut = True
                return False
            at = len(state.placed)
            state.placed.append((worm, []))
        parts, own = list(parts), state.placed[at][1]
        while parts:
            part = parts.pop()
            if part in own: continue
            parts += self.kept_behind(worm, part)
            if not all(self.agree(worm, part, other) for other in own): return False
            own.append(part)
            kind, segment, branch, _ = part
            if kind in ("lane", "room"): state.open.append((at, part))
            if kind in ("has", "room"):
                lanes = state.lanes[group := self.group(worm, part)]
                if (at, segment, branch) not in lanes: lanes.append((at, segment, branch))
                if len(lanes) > self.lanes_of(group): return False
            # A worm that has a lane or wants one is at the front.
            fronts = state.fronts[channel := self.spreads[worm][segment].channel]
            if (at, segment) not in fronts: fronts.append((at, segment))
            if len(fronts) > self.net.lanes(channel): return False
        return True

    def with_worm(self, state, worm, part, reasons):
        """Whether a state exists with a worm that is somewhere for one of these reasons."""
        there = [at for at, (number, _) in enumerate(state.placed) if number == worm]
        is_next = not there and (self.equal[worm] is None or any(number == self.equal[worm] for number, _ in state.placed))
        for at in there + [None] * (is_next or self.again[worm]):
            for reason in reasons:
                self.steps += 1
                self.progress(f"{self.steps} states searched, {len(self.count.waits)} waits left")
                if not self.has_flits(worm, part, reason, state): continue
                more = State(state)
                if self.place(more, at, worm, (part, reason)) and more.size() > state.size() and self.explain(more): return True
        return False

    def possible(self, state, group):
        """Number of lanes of a group that more worms may have, by the inputs that are free."""
        free = {}
        for worm, at, branch in self.count.holders[group]:
            if self.count.keeps[worm, at, branch].isdisjoint(self.count.waits): continue
            channel = self.spreads[worm][at].channel
            fronts = state.fronts.get(channel, ())
            has = {of for of, _, _ in state.lanes.get(group, ())}
            free[channel] = sum(of not in has for of, _ in fronts) + self.net.lanes(channel) - len(fronts)
        return sum(free.values())

    def explain(self, state):
        """Whether all open waits of a state have their causes in some larger state."""
        if not state.open:
            filled = (self.has_flits(worm, part, part, state) for worm, parts in state.placed for part in parts)
            return self.can_begin(state) and all(filled)
        at, wait = state.open[-1]
        kind, segment, branch, to = wait
        worm = state.placed[at][0]
        if kind == "lane":
            group = self.group(worm, wait)
            lanes, most = state.lanes.get(group, ()), self.lanes_of(group)
            if len(lanes) >= most:
                state.open.pop()
                return self.explain(state)
            if len(lanes) + self.possible(state, group) < most: return False
            known = {(state.placed[of][0], *key) for of, *key in lanes if not self.again[state.placed[of][0]]}
            holders = [key for key in self.count.holders[group] if key not in known]
            return any(self.with_worm(state, key[0], ("has", *key[1:], None), self.reasons(self.count.keeps[key])) for key in holders)
        end = self.spreads[worm][to].channel
        if any(front != (at, to) for front in state.fronts.get(end, ())):
            state.open.pop()
            return self.explain(state)
        fronts = self.count.fronts[end]
        return any(self.with_worm(state, of, ("front", there, None, None), self.reasons(held)) for of, there, held in fronts)

    def has_state(self, wait):
        """Whether a state may have this wait."""
        for self.most in MOST_WORMS:
            self.is_cut = False
            for form in self.forms(wait):
                state = State()
                if self.place(state, None, wait[0], [form]) and self.explain(state): return True
            if not self.is_cut: return False
        return True

    def remove(self):
        """Removes waits that no state has, until each that is left has one."""
        full = lambda wait: wait[3] == "room" and all(
            self.spreads[wait[0]][wait[1]].flits <= self.sent(wait[0], to, None) for _, to in self.ends(*wait[:3]))
        self.count.waits -= {wait for wait in self.count.waits if full(wait)}
        self.count.remove()
        before = None
        while before != (before := len(self.count.waits)):
            for wait in sorted(self.count.waits):
                if wait in self.count.waits and not self.has_state(wait):
                    self.count.waits.remove(wait)
                    self.count.remove()
