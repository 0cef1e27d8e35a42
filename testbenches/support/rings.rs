//! Follows every token of a run, from registers and commit log. A ring has one token, one worm
//! copies in a group, and every request is served.

use std::collections::{BTreeMap, BTreeSet};

use wormscope::engine::registers::{Registers, RingRegisters};
use wormscope::engine::{CommitLog, InSample, LaneState, NewWorm, Observer, TokenSample};
use wormscope::hw::token_ring::Reg as Place;
use wormscope::hw::{InputMask, NodeId, PortId, PortMask, SwitchId, WormId};
use wormscope::network::{End, Network, Wiring, header_flits_to};

use crate::drive::{self, Script};

/// A request for a token and how it was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// The ring.
    pub ring: usize,
    /// Its number of stations.
    pub stations: u32,
    /// Cycle of the request.
    pub requested: u64,
    /// Cycle of the capture.
    pub captured: u64,
    /// Cycle of the release.
    pub released: u64,
}

#[derive(Default)]
struct Log(CommitLog);

impl Observer for Log {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.0 = log.clone();
    }
}

/// A worm that copies at a switch: destinations behind it whose head has not arrived, branches
/// whose tail has not crossed.
struct Copying {
    missing: BTreeSet<NodeId>,
    branches: PortMask,
}

/// State of the rings, as far as it is known.
struct Watch<'a> {
    network: &'a Network,
    wiring: Wiring,
    worms: &'a [NewWorm],
    /// Ring of each switch.
    ring_of: BTreeMap<SwitchId, usize>,
    copying: BTreeMap<(SwitchId, WormId), Copying>,
    /// Requests without answer: cycle, by ring, station and input.
    open: BTreeMap<(usize, u32, u8), u64>,
    /// Cycles of request and capture, for the holder of each ring.
    held: BTreeMap<usize, (u64, u64)>,
    /// Rings whose token is captured in this cycle, with station and input.
    captured: BTreeMap<usize, (u32, u8)>,
    /// Last sample of each station in the waveform.
    drawn: BTreeMap<SwitchId, TokenSample>,
    /// Last sample of each input lane in the log.
    inputs: BTreeMap<(SwitchId, u8), InSample>,
    /// Cycles in which worms waited for tokens, and those of each branch in sum.
    waited: (u64, u64),
    served: Vec<Service>,
}

/// Runs the worms to the end and checks every ring in every cycle; returns all services.
///
/// # Errors
/// The first thing that is wrong, with its cycle.
pub fn watch(network: &Network, worms: Vec<NewWorm>) -> Result<Vec<Service>, String> {
    const MOST_CYCLES: u64 = 100_000;
    let (mut engine, mut script) = (drive::engine(network), Script::new(worms));
    let worms = script.worms().to_vec();
    let mut before = engine.registers();
    let rings = before.rings.iter().enumerate();
    let mut watch = Watch {
        network,
        wiring: drive::wiring(network),
        worms: &worms,
        ring_of: rings.flat_map(|(r, ring)| ring.stations.iter().map(move |(s, _)| (*s, r))).collect(),
        copying: BTreeMap::new(),
        open: BTreeMap::new(),
        held: BTreeMap::new(),
        captured: BTreeMap::new(),
        drawn: BTreeMap::new(),
        inputs: BTreeMap::new(),
        waited: (0, 0),
        served: Vec::new(),
    };
    let mut log = Log::default();
    while engine.next_event().is_some() || script.next_cycle().is_some() {
        let now = engine.now();
        drive::step(&mut engine, &mut script, &mut log);
        let after = engine.registers();
        let commits = if log.0.cycle == now { std::mem::take(&mut log.0) } else { CommitLog::default() };
        watch.drawn.extend(commits.tokens.iter().map(|s| (s.switch, *s)));
        watch.inputs.extend(commits.inputs.iter().map(|s| ((s.switch, s.lane), *s)));
        watch
            .tokens(&before, &after)
            .and_then(|()| watch.drawing(&before, &after))
            .and_then(|()| watch.waits(&after))
            .and_then(|()| watch.copies(&commits))
            .map_err(|why| format!("cycle {now}: {why}"))?;
        before = after;
        if now > MOST_CYCLES {
            return Err("it does not end".into());
        }
    }
    watch.bounds()?;
    let counted = (engine.account().token_wait, engine.account().token);
    if counted != watch.waited {
        return Err(format!("waits for tokens (worms, branches): {counted:?} accounted, {:?} seen", watch.waited));
    }
    if engine.is_clean() { Ok(watch.served) } else { Err("something is left behind".into()) }
}

impl Watch<'_> {
    /// Each ring's token moves in this cycle as a token that is shifted from station to station can
    /// move.
    fn tokens(&mut self, before: &Registers, after: &Registers) -> Result<(), String> {
        self.captured.clear();
        for (r, (was, is)) in before.rings.iter().zip(&after.rings).enumerate() {
            self.token(r, before.cycle, was, is).map_err(|why| format!("ring {r}: {why}: {was:?}, then {is:?}"))?;
        }
        Ok(())
    }

    fn token(&mut self, r: usize, now: u64, was: &RingRegisters, is: &RingRegisters) -> Result<(), String> {
        let n = is.stations.len() as u32;
        let holders: Vec<u32> =
            (0..).zip(&is.stations).filter(|(_, (_, q))| q.holder.is_some()).map(|(k, _)| k).collect();
        let expected = if let Place::Held(k) = is.token { vec![k] } else { Vec::new() };
        if holders != expected {
            return Err(format!("held at {holders:?}"));
        }
        // New requests, with those that were served at once.
        for (k, ((_, q), (_, d))) in (0..).zip(was.stations.iter().zip(&is.stations)) {
            // Between two registers only the waveform shows a worm that captures and releases the
            // token in one cycle.
            let shown = self.drawn.get(&is.stations[k as usize].0).and_then(|s| s.holder);
            let mut captured = InputMask::NONE;
            if let Some(input) = shown.filter(|_| was.token != Place::Held(k)) {
                captured = InputMask::only(input);
                self.captured.insert(r, (k, input));
            }
            if is.token == Place::Held(k) && d.holder != shown {
                return Err(format!("station {k} shows holder {shown:?}"));
            }
            if !q.request.without(captured).without(d.request).is_empty() {
                return Err(format!("station {k} forgets a request"));
            }
            for i in (d.request | captured).without(q.request).iter() {
                self.open.insert((r, k, i), now);
            }
        }
        let hop = u64::from(self.network.token_ring.map_or(1, |ring| ring.hop_cycles));
        let shifted = |k: u32| match (n, hop) {
            (1, _) => Place::At(0),
            (_, 1) => Place::At((k + 1) % n),
            _ => Place::Before((k + 1) % n, hop - 1),
        };
        // A worm of one flit has left in the cycle of the capture.
        let at_once = self.captured.contains_key(&r) && !matches!(is.token, Place::Held(_));
        let wanted = |k: u32| self.open.keys().any(|&(ring, station, _)| (ring, station) == (r, k));
        let next = match was.token {
            Place::At(k) if wanted(k) && !at_once => Place::Held(k),
            Place::Before(k, 1) => Place::At(k),
            Place::Before(k, cycles) => Place::Before(k, cycles - 1),
            Place::Held(k) if is.token == Place::Held(k) => Place::Held(k),
            Place::At(k) | Place::Held(k) => shifted(k),
        };
        if next != is.token {
            return Err(format!("the token should be {next:?}"));
        }
        if let Some(&(k, input)) = self.captured.get(&r) {
            let requested = self.open.remove(&(r, k, input)).ok_or("captured without a request")?;
            if was.token != Place::At(k) || self.held.insert(r, (requested, now)).is_some() {
                return Err("captured where it is not free".into());
            }
        }
        if !matches!(is.token, Place::Held(_))
            && let Some((requested, captured)) = self.held.remove(&r)
        {
            self.served.push(Service { ring: r, stations: n, requested, captured, released: now });
        }
        Ok(())
    }

    /// A ring is drawn while a worm wants or holds its token, with the token where it is in this
    /// cycle.
    fn drawing(&self, before: &Registers, after: &Registers) -> Result<(), String> {
        for (r, (was, is)) in before.rings.iter().zip(&after.rings).enumerate() {
            let captured = self.captured.get(&r);
            let held = captured.is_some() || matches!(was.token, Place::Held(_));
            let drawn = held || is.stations.iter().any(|(_, q)| !q.request.is_empty());
            for (k, ((switch, q), (_, d))) in (0..).zip(was.stations.iter().zip(&is.stations)) {
                let silent = TokenSample { switch: *switch, here: false, holder: None, request: InputMask::NONE };
                let expected = TokenSample {
                    switch: *switch,
                    here: drawn && (was.token == Place::At(k) || was.token == Place::Held(k)),
                    holder: captured.filter(|(at, _)| *at == k).map_or(q.holder, |(_, input)| Some(*input)),
                    request: d.request,
                };
                let shown = self.drawn.get(switch).unwrap_or(&silent);
                if *shown != expected {
                    return Err(format!("{shown:?} is shown, {expected:?} is true"));
                }
            }
        }
        Ok(())
    }

    /// A worm that waits for a token is in the state TOKEN, and no other worm is. Each branch waits
    /// for itself.
    fn waits(&mut self, after: &Registers) -> Result<(), String> {
        let stations = after.rings.iter().flat_map(|ring| &ring.stations);
        let waiting: BTreeSet<_> = stations.flat_map(|(switch, q)| q.request.iter().map(|i| (*switch, i))).collect();
        for (lane, input) in &self.inputs {
            // A cycle in which a mask is stripped and the decision is made counts for the header.
            match (waiting.contains(lane), input.state) {
                (true, LaneState::Token) => {
                    self.waited.0 += 1;
                    self.waited.1 += u64::from(input.branches.count());
                }
                (true, LaneState::Header) => {}
                (waits, state) if waits || state == LaneState::Token => {
                    return Err(format!("{lane:?} is in state {state:?} and waits for a token: {waits}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// At most one worm in a group copies without having arrived everywhere or left.
    fn copies(&mut self, log: &CommitLog) -> Result<(), String> {
        for s in log.outputs.iter().filter(|s| self.ring_of.contains_key(&s.switch)) {
            let Some(flit) = s.flit else { continue };
            let front = log.inputs.iter().find(|q| q.switch == s.switch && Some(q.lane) == s.owner);
            let branches = front.map_or(PortMask::NONE, |q| q.branches);
            if branches.count() < 2 {
                continue;
            }
            let behind = self.behind(s.switch);
            let worm = &self.worms[flit.worm.index()];
            let missing = || worm.destinations.iter().copied().filter(|d| behind.contains(d)).collect();
            let copying = self.copying.entry((s.switch, flit.worm));
            let copying = copying.or_insert_with(|| Copying { missing: missing(), branches });
            let header = header_flits_to(self.network, &self.wiring, worm.encoding, worm.source, &worm.destinations);
            if flit.index + 1 == header + worm.payload_flits {
                let port = self.network.lanes(&self.wiring).outputs.port(s.lane);
                copying.branches = copying.branches.without(PortMask::only(port));
            }
        }
        let mut groups = BTreeMap::new();
        for ((switch, worm), copying) in &self.copying {
            let ring = self.ring_of[switch];
            if !copying.missing.is_empty()
                && let Some(other) = groups.insert(ring, worm)
            {
                return Err(format!("worms {other} and {worm} copy in the group of ring {ring}"));
            }
        }
        for ((_, worm), copying) in &mut self.copying {
            for s in log.consumptions.iter().filter(|s| s.flit.worm == *worm) {
                copying.missing.remove(&s.node);
            }
        }
        self.copying.retain(|_, copying| !copying.branches.is_empty());
        Ok(())
    }

    /// Nodes that a switch reaches away from the sources.
    fn behind(&self, switch: SwitchId) -> BTreeSet<NodeId> {
        let ports = self.wiring.climbs().first().map_or(self.wiring.ports(), |climb| climb.first());
        let ends = (0..ports).filter_map(|port| self.wiring.output(switch, PortId(port)));
        ends.flat_map(|end| match end {
            End::Node(node) => BTreeSet::from([node]),
            End::Switch(far, _) => self.behind(far),
        })
        .collect()
    }

    /// Every request is served within I * N - 1 services and I * N hops. I is the number of inputs
    /// of a switch, and N that of stations of the ring.
    fn bounds(&self) -> Result<(), String> {
        let hop = u64::from(self.network.token_ring.map_or(1, |ring| ring.hop_cycles));
        if !self.open.is_empty() || !self.held.is_empty() {
            return Err(format!("never served {:?}, never released {:?}", self.open, self.held));
        }
        for s in &self.served {
            let most = u64::from(self.network.input_lanes() * s.stations);
            let others = self.served.iter().filter(|o| {
                o.ring == s.ring && o.captured < s.captured && o.released >= s.requested && o.captured != s.captured
            });
            let (count, cycles) = others
                .fold((0, 0), |(count, cycles), o| (count + 1, cycles + o.released - o.captured.max(s.requested)));
            if count > most - 1 || s.captured - s.requested > cycles + most * hop {
                return Err(format!("{s:?} is served behind {count} others, {cycles} cycles long"));
            }
        }
        Ok(())
    }
}
