//! Tests of random wait-for systems against brute force.
//!
//! A tiny network of FIFOs moves worms flit by flit, one random move at a time, and gives out
//! snapshots. Two judges check them, and neither knows the fixpoint. One pushes single flits
//! through a snapshot until no flit moves. The other explores every order of grants of the network
//! itself.

use std::collections::HashSet;

use proptest::prelude::*;

use super::super::*;
use crate::engine::snapshot::{Branch, Lane, Token};
use wormscope_hw::Replication;

/// A stream of choices that shrinks well: at its end it always chooses 0.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&c| usize::from(c) % n)
    }
}

/// A branch of a worm's route: the group of lanes, and the next step (`None`: a node).
type Way = (Vec<usize>, Option<usize>);

struct Plan {
    depth: usize,
    coupling: Replication,
    atomic: bool,
    /// FIFO at the end of each lane, `None` for nodes.
    leads: Vec<Option<usize>>,
    fifos: usize,
    /// Ring of each FIFO's switch.
    rings: Vec<Option<usize>>,
    /// Number of popped flits above which a worm releases its token.
    bound: u32,
    worms: Vec<WormPlan>,
}

/// Token rings.
const RINGS: usize = 2;

struct WormPlan {
    flits: u32,
    source: usize,
    steps: Vec<Vec<Way>>,
}

impl Plan {
    fn random(tape: &mut Tape) -> Self {
        let coupling =
            [Replication::Asynchronous, Replication::Lockstep, Replication::Buffered, Replication::Sequential]
                [tape.below(4)];
        let links = 2 + tape.below(3);
        let sources = 2 + tape.below(2);
        let mut leads: Vec<Option<usize>> = (0..links).map(|i| Some(sources + i)).collect();
        leads.extend([None, None]);
        let longest = 1 + tape.below(4);
        let depth = if coupling == Replication::Sequential { longest } else { 1 + tape.below(3) };
        let worms = (0..2 + tape.below(3))
            .map(|_| {
                let mut worm =
                    WormPlan { flits: 1 + tape.below(longest) as u32, source: tape.below(sources), steps: Vec::new() };
                worm.route(tape, links, 0);
                worm
            })
            .collect();
        let fifos = sources + links;
        let atomic = tape.below(3) == 2;
        let rings = (0..fifos).map(|_| tape.below(RINGS + 1).checked_sub(1)).collect();
        Self { depth, coupling, atomic, leads, fifos, rings, bound: tape.below(4) as u32, worms }
    }

    /// Ring whose token a worm needs to replicate.
    fn ring(&self, fifo: usize, (w, s): (usize, usize)) -> Option<usize> {
        self.rings[fifo].filter(|_| self.worms[w].steps[s].len() > 1)
    }
}

impl WormPlan {
    /// Appends a step with its subtree. Groups of one step share no lane.
    fn route(&mut self, tape: &mut Tape, links: usize, level: usize) -> usize {
        let step = self.steps.len();
        self.steps.push(Vec::new());
        let mut pools = [(0..links).collect::<Vec<_>>(), vec![links, links + 1]];
        for _ in 0..=tape.below(2) {
            let onward = level < 2 && tape.below(4) != 3 && !pools[0].is_empty();
            let pool = &mut pools[usize::from(!onward)];
            let mut group = Vec::new();
            for _ in 0..=tape.below(2) {
                if !pool.is_empty() {
                    group.push(pool.remove(tape.below(pool.len())));
                }
            }
            if !group.is_empty() {
                let next = onward.then(|| self.route(tape, links, level + 1));
                self.steps[step].push((group, next));
            }
        }
        step
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Progress {
    popped: u32,
    lanes: Vec<Option<usize>>,
    crossed: Vec<u32>,
    since: Vec<u64>,
    /// Whether the worm has already had its token.
    captured: bool,
}

/// The network between two moves. A segment is (worm, step).
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    queues: Vec<Vec<(usize, usize)>>,
    serving: Vec<Option<(usize, usize)>>,
    injected: Vec<u32>,
    progress: Vec<Vec<Progress>>,
    owner: Vec<Option<(usize, usize, usize)>>,
    /// Segment that holds each token, with the cycle of its capture.
    tokens: [Option<((usize, usize), u64)>; RINGS],
}

#[derive(Clone, Debug)]
enum Move {
    Inject(usize),
    Decide(usize),
    Capture(usize),
    /// FIFO, and one (branch, lane); with atomic acquisition, one for each branch.
    Grant(usize, Vec<(usize, usize)>),
    /// FIFO, and one branch; in lockstep, all branches.
    Cross(usize, Vec<usize>),
}

impl State {
    fn new(plan: &Plan) -> Self {
        let fresh = |step: &Vec<Way>| {
            let n = step.len();
            Progress { popped: 0, lanes: vec![None; n], crossed: vec![0; n], since: vec![0; n], captured: false }
        };
        Self {
            queues: vec![Vec::new(); plan.fifos],
            serving: vec![None; plan.fifos],
            injected: vec![0; plan.worms.len()],
            progress: plan.worms.iter().map(|w| w.steps.iter().map(fresh).collect()).collect(),
            owner: vec![None; plan.leads.len()],
            tokens: [None; RINGS],
        }
    }

    /// The ring for whose token the worm in service waits.
    fn awaits(&self, plan: &Plan, fifo: usize) -> Option<usize> {
        let (w, s) = self.serving[fifo]?;
        plan.ring(fifo, (w, s)).filter(|_| !self.progress[w][s].captured)
    }

    fn here(&self, fifo: usize, segment: (usize, usize)) -> u32 {
        self.queues[fifo].iter().take_while(|&&s| s == segment).count() as u32
    }

    fn may_cross(&self, plan: &Plan, fifo: usize, b: usize) -> bool {
        let (w, s) = self.serving[fifo].unwrap();
        let (p, flits) = (&self.progress[w][s], plan.worms[w].flits);
        let room = p.lanes[b].is_some_and(|l| plan.leads[l].is_none_or(|g| self.queues[g].len() < plan.depth));
        let turn = match plan.coupling {
            Replication::Asynchronous | Replication::Lockstep | Replication::Synchronous => p.crossed[b] == p.popped,
            Replication::Buffered => true,
            Replication::Sequential => p.crossed[..b].iter().all(|&c| c == flits),
        };
        room && turn && p.crossed[b] < flits && p.crossed[b] < p.popped + self.here(fifo, (w, s))
    }

    fn moves(&self, plan: &Plan) -> Vec<Move> {
        let mut moves = Vec::new();
        for (w, worm) in plan.worms.iter().enumerate() {
            let before = || (0..w).filter(|&v| plan.worms[v].source == worm.source);
            let turn = before().all(|v| self.injected[v] == plan.worms[v].flits);
            if turn && self.injected[w] < worm.flits && self.queues[worm.source].len() < plan.depth {
                moves.push(Move::Inject(w));
            }
        }
        for fifo in 0..plan.fifos {
            let Some((w, s)) = self.serving[fifo] else {
                if !self.queues[fifo].is_empty() {
                    moves.push(Move::Decide(fifo));
                }
                continue;
            };
            if let Some(ring) = self.awaits(plan, fifo) {
                moves.extend(self.tokens[ring].is_none().then_some(Move::Capture(fifo)));
                continue;
            }
            let (p, ways) = (&self.progress[w][s], &plan.worms[w].steps[s]);
            let free = |b: usize| ways[b].0.iter().filter(|&&l| self.owner[l].is_none()).map(move |&l| (b, l));
            let asking = (0..ways.len()).filter(|&b| p.lanes[b].is_none() && p.crossed[b] == 0);
            if plan.coupling == Replication::Sequential {
                let first = asking.take(1).filter(|&b| p.crossed[..b].iter().all(|&c| c == plan.worms[w].flits));
                moves.extend(first.flat_map(free).map(|grant| Move::Grant(fifo, vec![grant])));
            } else if plan.atomic {
                let mut sets = vec![Vec::new()];
                for b in asking {
                    sets = sets.iter().flat_map(|set| free(b).map(move |g| [&set[..], &[g]].concat())).collect();
                }
                moves.extend(sets.into_iter().filter(|s| !s.is_empty()).map(|set| Move::Grant(fifo, set)));
            } else {
                moves.extend(asking.flat_map(free).map(|grant| Move::Grant(fifo, vec![grant])));
            }
            let mut ready = (0..ways.len()).filter(|&b| self.may_cross(plan, fifo, b));
            if plan.coupling == Replication::Lockstep {
                if ready.clone().count() == ways.len() {
                    moves.push(Move::Cross(fifo, ready.collect()));
                }
            } else if let Some(b) = ready.next() {
                moves.push(Move::Cross(fifo, vec![b]));
                moves.extend(ready.map(|b| Move::Cross(fifo, vec![b])));
            }
        }
        moves
    }

    fn apply(&mut self, plan: &Plan, step: &Move, clock: u64) {
        match step {
            Move::Inject(w) => {
                self.injected[*w] += 1;
                self.queues[plan.worms[*w].source].push((*w, 0));
            }
            Move::Decide(fifo) => {
                let (w, s) = self.queues[*fifo][0];
                self.serving[*fifo] = Some((w, s));
                self.progress[w][s].since.fill(clock);
            }
            Move::Capture(fifo) => {
                let (w, s) = self.serving[*fifo].unwrap();
                self.tokens[plan.rings[*fifo].unwrap()] = Some(((w, s), clock));
                self.progress[w][s].captured = true;
                self.progress[w][s].since.fill(clock);
            }
            Move::Grant(fifo, grants) => {
                let (w, s) = self.serving[*fifo].unwrap();
                for &(b, lane) in grants {
                    self.owner[lane] = Some((w, s, b));
                    self.progress[w][s].lanes[b] = Some(lane);
                    self.progress[w][s].since[b] = clock;
                }
            }
            Move::Cross(fifo, branches) => self.cross(plan, *fifo, branches, clock),
        }
    }

    fn cross(&mut self, plan: &Plan, fifo: usize, branches: &[usize], clock: u64) {
        let (w, s) = self.serving[fifo].unwrap();
        let flits = plan.worms[w].flits;
        let p = &mut self.progress[w][s];
        for &b in branches {
            let lane = p.lanes[b].unwrap();
            if let (Some(next), Some(g)) = (plan.worms[w].steps[s][b].1, plan.leads[lane]) {
                self.queues[g].push((w, next));
            }
            p.crossed[b] += 1;
            if p.crossed[b] == flits {
                self.owner[lane] = None;
                p.lanes[b] = None;
                if plan.coupling == Replication::Sequential && b + 1 < p.since.len() {
                    p.since[b + 1] = clock;
                }
            }
        }
        let popped = match plan.coupling {
            Replication::Sequential => *p.crossed.last().unwrap(),
            _ => *p.crossed.iter().min().unwrap(),
        };
        self.queues[fifo].drain(..(popped - p.popped) as usize);
        p.popped = popped;
        if let Some(ring) = plan.ring(fifo, (w, s))
            && self.tokens[ring].is_some_and(|(held, _)| held == (w, s))
            && (popped > plan.bound || popped == flits)
        {
            self.tokens[ring] = None;
        }
        if popped == flits {
            self.serving[fifo] = None;
        }
    }

    fn snapshot(&self, plan: &Plan, clock: u64) -> Snapshot {
        let name = |lane: usize| LaneRef { switch: SwitchId(lane as u32), lane: 0 };
        let fifos: Vec<usize> = (0..plan.fifos).filter(|&f| self.serving[f].is_some()).collect();
        let index = |fifo: usize| fifos.iter().position(|&f| f == fifo);
        let segment = |&fifo: &usize| {
            let (w, s) = self.serving[fifo].unwrap();
            let (worm, p) = (&plan.worms[w], &self.progress[w][s]);
            let hold = |b: usize| {
                let group = || worm.steps[s][b].0.iter().map(|&l| name(l)).collect();
                let asks = self.awaits(plan, fifo).is_none()
                    && (plan.coupling != Replication::Sequential || p.crossed[..b].iter().all(|&c| c == worm.flits));
                match p.lanes[b] {
                    _ if p.crossed[b] == worm.flits => Hold::Done,
                    Some(lane) => Hold::Owns(name(lane)),
                    None if asks => Hold::Wants(group()),
                    None => Hold::Later(group()),
                }
            };
            let branches = (0..p.lanes.len())
                .map(|b| Branch {
                    hold: hold(b),
                    taken: p.crossed[b].saturating_sub(p.popped),
                    blocked_since: p.since[b],
                })
                .collect();
            let parents = worm.steps.iter().enumerate().flat_map(|(t, ways)| {
                ways.iter().enumerate().filter(|(_, way)| way.1 == Some(s)).map(move |(b, _)| (t, b))
            });
            Segment {
                switch: SwitchId(fifo as u32),
                lane: 0,
                worm: WormId(w as u32),
                upstream: parents.filter_map(|(t, b)| self.progress[w][t].lanes[b]).map(name).next(),
                depth: plan.depth as u32,
                here: self.here(fifo, (w, s)),
                remaining: worm.flits - p.popped,
                header_left: 0,
                awaits: self.awaits(plan, fifo),
                branches,
            }
        };
        let lane = |(l, &leads): (usize, &Option<usize>)| Lane {
            lane: name(l),
            owner: self.owner[l].and_then(|(w, s, _)| fifos.iter().position(|&f| self.serving[f] == Some((w, s)))),
            free: leads.map(|g| (plan.depth - self.queues[g].len()) as u32),
            front: leads.and_then(index),
        };
        let token = |holder: &Option<((usize, usize), u64)>| Token {
            switches: Vec::new(),
            holder: holder.and_then(|(held, _)| fifos.iter().position(|&f| self.serving[f] == Some(held))),
            held_since: holder.map_or(clock, |(_, since)| since),
            release_after: holder.map_or(0, |((w, s), _)| {
                let popped = self.progress[w][s].popped;
                (plan.bound + 1).min(plan.worms[w].flits) - popped
            }),
        };
        Snapshot {
            cycle: clock,
            tokens: self.tokens.iter().map(token).collect(),
            coupling: plan.coupling,
            atomic: plan.atomic,
            segments: fifos.iter().map(segment).collect(),
            lanes: plan.leads.iter().enumerate().map(lane).collect(),
        }
    }
}

/// Pushes flits one by one until none moves. A free lane is granted, and a free token is given to
/// all segments that want it. Returns the number of flits that each segment pops.
fn push_flits(s: &Snapshot) -> Vec<u32> {
    let n = s.segments.len();
    let lane = |l: &LaneRef| s.lanes.iter().position(|x| x.lane == *l).unwrap();
    let mut free: Vec<Option<u32>> = s.lanes.iter().map(|l| l.free).collect();
    let mut open: Vec<bool> = s.lanes.iter().map(|l| l.owner.is_none()).collect();
    let mut popped = vec![0; n];
    let mut arrived: Vec<u32> =
        s.segments.iter().map(|x| if x.upstream.is_some() { x.here } else { x.remaining }).collect();
    let mut crossed: Vec<Vec<u32>> = s
        .segments
        .iter()
        .map(|x| x.branches.iter().map(|b| if b.hold == Hold::Done { x.remaining } else { b.taken }).collect())
        .collect();
    loop {
        let mut moved = false;
        for (i, x) in s.segments.iter().enumerate() {
            let granted = |b: &Branch| match &b.hold {
                Hold::Wants(group) => group.iter().any(|l| open[lane(l)]),
                _ => true,
            };
            let all = x.branches.iter().all(granted);
            let token = x.awaits.map(|t| &s.tokens[t]);
            if token.is_some_and(|t| t.holder.is_some_and(|holder| popped[holder] < t.release_after)) {
                continue;
            }
            let ready = |b: usize| {
                let c = crossed[i][b];
                let output = match &x.branches[b].hold {
                    Hold::Owns(l) => {
                        let l = lane(l);
                        s.lanes[l].front.is_none_or(|f| popped[f] == s.segments[f].remaining) || free[l] != Some(0)
                    }
                    _ => granted(&x.branches[b]) && (all || !s.atomic),
                };
                let turn = match s.coupling {
                    Replication::Asynchronous | Replication::Lockstep | Replication::Synchronous => c == popped[i],
                    Replication::Buffered => c < popped[i] + x.depth,
                    Replication::Sequential => crossed[i][..b].iter().all(|&k| k == x.remaining),
                };
                output && turn && c < x.remaining && c < arrived[i]
            };
            let done = |b: &usize| crossed[i][*b] == x.remaining;
            let mut go: Vec<usize> = (0..x.branches.len()).filter(|&b| ready(b)).collect();
            if s.coupling == Replication::Lockstep
                && go.len() + (0..x.branches.len()).filter(done).count() < x.branches.len()
            {
                go.clear();
            }
            for b in go {
                moved = true;
                crossed[i][b] += 1;
                if let Hold::Owns(l) = x.branches[b].hold {
                    free[lane(&l)] = free[lane(&l)].map(|free| free.saturating_sub(1));
                    open[lane(&l)] |= crossed[i][b] == x.remaining;
                    if let Some(fed) = s.segments.iter().position(|y| y.upstream == Some(l)) {
                        arrived[fed] += 1;
                    }
                }
            }
            let least = if s.coupling == Replication::Sequential {
                crossed[i]
                    .split_last()
                    .filter(|(_, a)| a.iter().all(|&c| c == x.remaining))
                    .map_or(0, |(last, _)| *last)
            } else {
                crossed[i].iter().copied().min().unwrap_or(x.remaining)
            };
            for l in (0..s.lanes.len()).filter(|&l| s.lanes[l].front == Some(i)) {
                free[l] = free[l].map(|free| free + least - popped[i]);
            }
            popped[i] = least;
        }
        if !moved {
            return popped;
        }
    }
}

/// Every state in which a choice of grants or captures ends or branches. Moves without a choice
/// (flits, decisions) happen at once, since they never take anything from another worm. Stops after
/// a thousand states.
fn all_futures(plan: &Plan, start: &State) -> HashSet<State> {
    let settle = |mut state: State| {
        loop {
            let free = state.moves(plan).into_iter().find(|m| !matches!(m, Move::Grant(..) | Move::Capture(_)));
            match free {
                Some(step) => state.apply(plan, &step, 0),
                None => return state,
            }
        }
    };
    let mut seen = HashSet::new();
    let mut work = vec![settle(start.clone())];
    while let Some(state) = work.pop() {
        if seen.len() == 1000 || !seen.insert(state.clone()) {
            continue;
        }
        for step in state.moves(plan) {
            let mut next = state.clone();
            next.apply(plan, &step, 0);
            work.push(settle(next));
        }
    }
    seen
}

fn stuck(s: &Snapshot) -> Vec<bool> {
    let net = Net::new(s);
    let reach = net.reach(u64::MAX);
    (0..s.segments.len()).map(|i| net.stuck(i, &reach) || net.starved(i, &reach)).collect()
}

proptest! {
    #![proptest_config(crate::properties::cases(1000))]

    #[test]
    fn the_fixpoint_counts_the_flits_that_pushing_them_one_by_one_gets_through(
        choices in proptest::collection::vec(any::<u8>(), 40..160)
    ) {
        let mut tape = Tape(choices.iter());
        let plan = Plan::random(&mut tape);
        let mut state = State::new(&plan);
        for clock in 1..80 {
            let moves = state.moves(&plan);
            if moves.is_empty() {
                break;
            }
            state.apply(&plan, &moves[tape.below(moves.len())], clock);
            let s = state.snapshot(&plan, clock);
            let net = Net::new(&s);
            let reach = net.reach(u64::MAX);
            let counted: Vec<u32> = (0..s.segments.len()).map(|i| reach.pops[i].min(net.supply(i, &reach))).collect();
            prop_assert_eq!(counted, push_flits(&s), "{:#?}", s);
        }
    }

    #[test]
    fn a_deadlock_is_final_in_the_cycle_of_its_last_request_whenever_it_is_looked_for(
        choices in proptest::collection::vec(any::<u8>(), 40..200)
    ) {
        let mut tape = Tape(choices.iter());
        let plan = Plan::random(&mut tape);
        let mut state = State::new(&plan);
        let mut first: Option<Deadlock> = None;
        for clock in 1.. {
            let moves = state.moves(&plan);
            if moves.is_empty() {
                break;
            }
            state.apply(&plan, &moves[tape.below(moves.len())], clock);
            let found = search(&state.snapshot(&plan, clock));
            match (&first, found) {
                (None, Some(found)) => {
                    prop_assert_eq!(found.final_cycle, clock);
                    first = Some(found);
                }
                (Some(before), Some(now)) => {
                    let story = |d: &Deadlock| -> Vec<_> {
                        d.cycle.iter().map(|m| (m.worm, m.switch, m.wants.clone(), m.awaits.is_some())).collect()
                    };
                    prop_assert_eq!((now.final_cycle, story(&now)), (before.final_cycle, story(before)));
                    prop_assert!(!now.cycle.is_empty() && now.cycle.iter().all(|m| m.blockers().next().is_some()));
                    let next = now.cycle.iter().cycle().skip(1);
                    for (member, next) in now.cycle.iter().zip(next) {
                        prop_assert!(member.blockers().any(|w| w == next.worm), "{now:#?}");
                    }
                }
                (Some(_), None) => prop_assert!(false, "a deadlock went away"),
                (None, None) => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::properties::cases(300))]

    #[test]
    fn no_order_of_grants_frees_what_is_stuck_and_what_stands_still_is_stuck(
        choices in proptest::collection::vec(any::<u8>(), 40..160)
    ) {
        let mut tape = Tape(choices.iter());
        let plan = Plan::random(&mut tape);
        let mut state = State::new(&plan);
        for clock in 0..tape.below(60) as u64 {
            let moves = state.moves(&plan);
            if !moves.is_empty() {
                state.apply(&plan, &moves[tape.below(moves.len())], clock);
            }
        }
        let s = state.snapshot(&plan, 60);
        let verdict = stuck(&s);
        let condemned: Vec<_> = state.serving.iter().flatten().zip(&verdict).filter(|(_, v)| **v).map(|(s, _)| *s).collect();
        prop_assert_eq!(search(&s).is_some(), !condemned.is_empty());
        for end in all_futures(&plan, &state) {
            for &(w, step) in &condemned {
                prop_assert!(end.progress[w][step].popped < plan.worms[w].flits, "worm {w} got away: {s:#?}");
            }
            if end.moves(&plan).is_empty() {
                let still = end.snapshot(&plan, 60);
                prop_assert!(stuck(&still).iter().all(|v| *v), "missed: {still:#?}");
                prop_assert_eq!(search(&still).is_none(), still.segments.is_empty());
            }
        }
    }
}
