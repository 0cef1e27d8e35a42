//! A small mesh of wormhole routers for the tests of this module: one lane a port, XY trees, asynchronous replication.
//!
//! Simple rather than faithful; what matters is that its commit logs look like those of an engine.

use std::collections::{BTreeMap, VecDeque};

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use crate::config::{Encoding, Network};
use crate::engine::{
    CommitLog, ConsumeSample, Delivery, InSample, InjectSample, LaneState, NONE, Observer, OutSample, WormInfo,
    payload_word,
};
use crate::topology::{End, Grid, Wiring};

const NODE: u8 = 4;

/// Parses a network given in RON.
pub fn network(ron: &str) -> Network {
    ron::from_str(ron).expect("a network")
}

/// A mesh of the given radices with FIFOs of four flits.
pub fn mesh(x: u32, y: u32) -> (Network, Wiring) {
    let network = network(&format!("(topology: mesh(radices: [{x}, {y}]))"));
    (network, Wiring::Grid(Grid::new(vec![x, y], false)))
}

/// A worm, created in cycle `created`.
pub fn worm(id: u32, created: u64, source: u32, destinations: &[u32], flits: u32) -> WormInfo {
    let encoding = if destinations.len() > 1 { Encoding::BitString } else { Encoding::Unicast };
    WormInfo {
        id: WormId(id),
        source: NodeId(source),
        destinations: destinations.iter().map(|&d| NodeId(d)).collect(),
        encoding,
        header_flits: 1,
        payload_flits: flits - 1,
        created,
        measured: true,
    }
}

#[derive(Clone, Default)]
struct Input {
    fifo: VecDeque<(u32, u32)>,
    /// Worm in service, its branches (0 while they are being decided), those that took the flit in front, those done.
    service: Option<(u32, u64, u64)>,
}

/// Runs the worms until the network is empty, at most `limit` cycles; returns the number of cycles.
pub fn run(wiring: &Wiring, depth: u16, worms: &[WormInfo], limit: u64, observer: &mut impl Observer) -> u64 {
    let switches = wiring.switches() as usize;
    let mut inputs = vec![[const { None::<Input> }; 5].map(|_| Input::default()); switches];
    let mut owners = vec![[None::<u8>; 5]; switches];
    let mut credits = vec![[depth; 5]; switches];
    let mut node_credits = vec![depth; switches];
    let mut queues: Vec<VecDeque<(u32, u32)>> = vec![VecDeque::new(); switches];
    let mut landing: Vec<(usize, u8, u32, u32)> = Vec::new();
    let mut returning: Vec<(usize, u8)> = Vec::new();
    let mut arriving: Vec<(u32, u32, u32)> = Vec::new();
    let mut old = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut waiting: usize = worms.iter().map(|w| w.destinations.len()).sum();
    let mut injected = vec![0; worms.len()];
    for cycle in 0..limit {
        if waiting == 0 {
            return cycle;
        }
        for w in worms.iter().filter(|w| w.created == cycle) {
            observer.created(w);
            queues[w.source.index()].extend((0..w.header_flits + w.payload_flits).map(|f| (w.id.0, f)));
        }
        for (switch, lane, worm, flit) in landing.drain(..) {
            inputs[switch][usize::from(lane)].fifo.push_back((worm, flit));
        }
        for (switch, lane) in returning.drain(..) {
            match wiring.link(SwitchId(switch as u32), PortId(lane)) {
                Some(End::Switch(far, port)) => credits[far.index()][port.index()] += 1,
                _ => node_credits[switch] += 1,
            }
        }
        let mut log = CommitLog { cycle, ..CommitLog::default() };
        for (node, worm, flit) in arriving.drain(..) {
            log.consumptions.push(ConsumeSample { node: NodeId(node), channel: 0, worm, flit });
            let info = &worms[worm as usize];
            if flit + 1 == info.header_flits + info.payload_flits {
                waiting -= 1;
                let (destination, injected) = (NodeId(node), injected[worm as usize]);
                let flits = flit + 1;
                let head = cycle - u64::from(flit);
                observer.delivered(info, &Delivery { worm: info.id, destination, injected, head, tail: cycle, flits });
            }
        }
        for s in 0..switches {
            let id = SwitchId(s as u32);
            let mut crossing = [None; 5];
            let had = credits[s];
            let mut release = Vec::new();
            for lane in 0..5_u8 {
                let input = &mut inputs[s][usize::from(lane)];
                let count = input.fifo.len() as u16;
                let front = input.fifo.front().copied();
                let mut state = LaneState::Idle;
                let before = input.service;
                match (&mut input.service, front) {
                    (none @ None, Some((worm, _))) => {
                        *none = Some((worm, branches(wiring, &worms[worm as usize], id), 0));
                        state = LaneState::Route;
                    }
                    (Some((_, ports, taken)), front) => {
                        let wanted = |p: &u8| *ports >> p & 1 != 0;
                        let mut waits = false;
                        for p in (0..5).filter(wanted) {
                            let owner = &mut owners[s][usize::from(p)];
                            if owner.is_none() {
                                *owner = Some(lane);
                            }
                            waits |= *owner != Some(lane);
                        }
                        let mut moved = front.is_none();
                        for p in (0..5).filter(wanted) {
                            let free = p == NODE || credits[s][usize::from(p)] > 0;
                            let ready = owners[s][usize::from(p)] == Some(lane) && *taken >> p & 1 == 0 && free;
                            let Some((worm, flit)) = front.filter(|_| ready) else { continue };
                            crossing[usize::from(p)] = Some((worm, flit));
                            *taken |= 1 << p;
                            moved = true;
                            match wiring.link(id, PortId(p)) {
                                Some(End::Switch(far, port)) => {
                                    credits[s][usize::from(p)] -= 1;
                                    landing.push((far.index(), port.0, worm, flit));
                                }
                                _ => arriving.push((s as u32, worm, flit)),
                            }
                        }
                        state = match (moved, waits) {
                            (true, _) => LaneState::Move,
                            (_, true) => LaneState::Lanes,
                            _ => LaneState::Blocked,
                        };
                        if let Some((worm, flit)) = front.filter(|_| taken == ports) {
                            input.fifo.pop_front();
                            returning.push((s, lane));
                            *taken = 0;
                            let info = &worms[worm as usize];
                            if flit + 1 == info.header_flits + info.payload_flits {
                                release.push(lane);
                            }
                        }
                    }
                    (None, None) => {}
                }
                let (worm, branches, taken) = before.or(input.service).unwrap_or((NONE, 0, 0));
                let sample = InSample {
                    switch: id,
                    lane,
                    state,
                    enc: if worm == NONE { 0 } else { worms[worm as usize].encoding as u8 },
                    fifo_count: count,
                    worm,
                    flit: front.map_or(NONE, |(_, flit)| flit),
                    branches: if before.is_some() { branches } else { 0 },
                    taken,
                };
                if old.0.insert((s, lane), sample) != Some(sample) {
                    log.inputs.push(sample);
                }
            }
            for p in 0..5_u8 {
                let crosses = crossing[usize::from(p)];
                let mut sample = OutSample {
                    switch: id,
                    lane: p,
                    valid: crosses.is_some(),
                    owner: owners[s][usize::from(p)].unwrap_or(255),
                    credits: had[usize::from(p)],
                    worm: crosses.map_or(NONE, |(worm, _)| worm),
                    flit: crosses.map_or(NONE, |(_, flit)| flit),
                    data: 0,
                };
                if old.1.insert((s, p), sample) != Some(sample) {
                    sample.data = log.words.len() as u32;
                    log.words.extend(crosses.map(|(worm, flit)| payload_word(WormId(worm), flit, 0)));
                    log.outputs.push(sample);
                }
            }
            for lane in release {
                inputs[s][usize::from(lane)].service = None;
                owners[s].iter_mut().filter(|o| **o == Some(lane)).for_each(|o| *o = None);
            }
            let leaves = if node_credits[s] > 0 { queues[s].pop_front() } else { None };
            let sample = InjectSample {
                node: NodeId(s as u32),
                channel: 0,
                valid: leaves.is_some(),
                credits: node_credits[s],
                worm: leaves.map_or(NONE, |(worm, _)| worm),
                flit: leaves.map_or(NONE, |(_, flit)| flit),
                queue: queues[s].len() as u32,
            };
            if let Some((worm, flit)) = leaves {
                node_credits[s] -= 1;
                landing.push((s, NODE, worm, flit));
                if flit == 0 {
                    injected[worm as usize] = cycle;
                }
            }
            if old.2.insert(s, sample) != Some(sample) {
                log.injections.push(sample);
            }
        }
        if !log.inputs.is_empty()
            || !log.outputs.is_empty()
            || !log.injections.is_empty()
            || !log.consumptions.is_empty()
        {
            observer.commit(&log);
        }
    }
    limit
}

/// Ports that lead from a switch on the worm's XY tree to its destinations.
fn branches(wiring: &Wiring, worm: &WormInfo, at: SwitchId) -> u64 {
    let Wiring::Grid(grid) = wiring;
    let next = |from: u32, to: u32| {
        let differs = |d: usize| grid.coordinate(from, d) != grid.coordinate(to, d);
        (0..2)
            .find(|&d| differs(d))
            .map_or(PortId(NODE), |d| PortId(2 * d as u8 + u8::from(grid.coordinate(to, d) < grid.coordinate(from, d))))
    };
    let mut ports = 0;
    for destination in &worm.destinations {
        let mut here = worm.source.0;
        loop {
            let port = next(here, destination.0);
            if here == at.0 {
                ports |= 1 << port.0;
            }
            if port.0 == NODE {
                break;
            }
            here = grid.neighbour(here, port).expect("a way");
        }
    }
    ports
}
