//! Record of a run for its expectations: worms, deliveries, and waits.

use std::collections::BTreeMap;

use wormscope_hw::{PortId, PortMask, Replication, SwitchId, WormId, bits};

use crate::engine::snapshot::LaneRef;
use crate::engine::{CommitLog, Delivery, InSample, LaneState, Observer, OutSample, WormInfo};
use crate::network::{Lanes, Network, Wiring};

/// A wait of a worm for a lane that another worm owns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wait {
    /// The worm that waited.
    pub worm: u32,
    /// The owner.
    pub by: u32,
    /// The lane.
    pub lane: LaneRef,
    /// First cycle.
    pub from: u64,
    /// The cycle after the last.
    pub until: u64,
}

/// An input lane.
#[derive(Clone, Copy, Debug)]
struct InputSeen {
    worm: Option<WormId>,
    state: LaneState,
    branches: PortMask,
    /// Ports through which the whole worm has left.
    done: PortMask,
}

/// Keeps the facts that expectations need.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    lanes: Lanes,
    sequential: bool,
    /// The port that stands for each port: the first of a group of which routing may choose any.
    groups: Vec<PortId>,
    /// Number of channels of a class of a physical link, and number of channels of the link.
    channels: (u8, u8),
    /// Output lanes that exist, a bit each, by switch.
    exist: Vec<u64>,
    inputs: Vec<InputSeen>,
    owners: Vec<Option<u8>>,
    /// Waits that go on, by waiting input lane and wanted output lane of a switch.
    open: BTreeMap<(SwitchId, u8, u8), Wait>,
    waits: Vec<Wait>,
    /// Worms created, by number.
    pub worms: Vec<WormInfo>,
    /// Deliveries in the order of their reports.
    pub deliveries: Vec<Delivery>,
}

impl Record {
    /// An empty record of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let idle = InputSeen { worm: None, state: LaneState::Idle, branches: PortMask::NONE, done: PortMask::NONE };
        let channels = network.switch.virtual_channels as u8;
        let there = |switch: u32| {
            let lanes_of = (0..lanes.outputs.count()).filter(|&lane| lanes.has_output(wiring, SwitchId(switch), lane));
            lanes_of.fold(0, |all, lane| all | 1 << lane)
        };
        Self {
            lanes,
            sequential: network.switch.replication == Replication::Sequential,
            groups: (0..wiring.ports()).map(|port| wiring.group(PortId(port))).collect(),
            channels: (channels / network.classes() as u8, channels),
            exist: (0..wiring.switches()).map(there).collect(),
            inputs: vec![idle; wiring.switches() as usize * usize::from(lanes.inputs.count())],
            owners: vec![None; wiring.switches() as usize * usize::from(lanes.outputs.count())],
            open: BTreeMap::new(),
            waits: Vec::new(),
            worms: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// All waits of a run that ended before cycle `end`.
    #[must_use]
    pub fn waits(&self, end: u64) -> Vec<Wait> {
        let open = self.open.values().map(|wait| Wait { until: end, ..wait.clone() });
        let mut waits: Vec<Wait> = self.waits.iter().cloned().chain(open).collect();
        waits.sort_unstable_by_key(|wait| (wait.from, wait.worm, wait.by, wait.lane));
        waits
    }

    /// The port that a branch names for a lane.
    fn port(&self, lane: u8) -> u8 {
        self.groups[usize::from(self.lanes.outputs.port(lane))].0
    }

    fn class(&self, lane: u8) -> u8 {
        let of_class = self.channels.0;
        // The channels of a node are all alike.
        let is_node = self.lanes.outputs.port(lane) + 1 == self.lanes.ports;
        if of_class == self.channels.1 || is_node {
            0
        } else {
            self.lanes.outputs.within(lane) % self.channels.1 / of_class
        }
    }

    /// Takes the samples of one switch.
    fn switch(&mut self, cycle: u64, switch: SwitchId, inputs: &[InSample], outputs: &[OutSample]) {
        let first_in = switch.index() * usize::from(self.lanes.inputs.count());
        let first_out = switch.index() * usize::from(self.lanes.outputs.count());
        for s in inputs {
            let input = &mut self.inputs[first_in + usize::from(s.lane)];
            let done = if s.branches.is_empty() || s.worm != input.worm { PortMask::NONE } else { input.done };
            *input = InputSeen { worm: s.worm, state: s.state, branches: s.branches, done };
        }
        for s in outputs {
            let before = std::mem::replace(&mut self.owners[first_out + usize::from(s.lane)], s.owner);
            if before != s.owner {
                self.granted(switch, s);
            }
        }
        for s in inputs {
            self.waiting(cycle, switch, s.lane);
        }
        // A tail that crosses in this cycle has left in the next.
        for s in outputs {
            let (Some(flit), Some(owner)) = (s.flit, s.owner) else { continue };
            let length = self.worms.get(flit.worm.index()).map_or(0, |w| w.header_flits + w.payload_flits);
            if flit.index + 1 == length {
                let port = self.port(s.lane);
                self.inputs[first_in + usize::from(owner)].done |= PortMask::only(port);
            }
        }
    }

    /// Handles the new owner of a lane. Its wait at this port was for the class of this lane.
    fn granted(&mut self, switch: SwitchId, s: &OutSample) {
        let Some(owner) = s.owner else { return };
        let port = self.port(s.lane);
        let other = |lane: u8| self.port(lane) == port && self.class(lane) != self.class(s.lane);
        let wrong: Vec<_> =
            self.open.range((switch, owner, 0)..=(switch, owner, u8::MAX)).map(|(key, _)| *key).collect();
        let wrong: Vec<_> = wrong.into_iter().filter(|key| other(key.2)).collect();
        for key in wrong {
            self.open.remove(&key);
        }
    }

    /// Lanes that a branch towards `port` may take.
    fn group(&self, switch: SwitchId, port: u8) -> impl Iterator<Item = u8> + '_ {
        bits(self.exist[switch.index()]).map(|out| out as u8).filter(move |&out| self.port(out) == port)
    }

    /// The lanes that the worm in an input lane waits for, with their owners.
    fn wanted(&self, switch: SwitchId, lane: u8) -> Vec<(u8, u32)> {
        let first_in = switch.index() * usize::from(self.lanes.inputs.count());
        let first_out = switch.index() * usize::from(self.lanes.outputs.count());
        let input = self.inputs[first_in + usize::from(lane)];
        let owner = |out: u8| self.owners[first_out + usize::from(out)];
        let owns = |port: u8| self.group(switch, port).any(|out| owner(out) == Some(lane));
        if input.state == LaneState::Token {
            return Vec::new();
        }
        let undone = input.branches.without(input.done);
        let mut ports: Vec<u8> = undone.iter().filter(|&port| !owns(port)).collect();
        if self.sequential {
            let is_busy = input.branches.iter().any(owns);
            ports.truncate(usize::from(!is_busy));
        }
        let mut wanted = Vec::new();
        for port in ports {
            let is_owned = |out: u8| owner(out).is_some();
            // The branch waits if all lanes of a class are owned.
            let full = |class: u8| self.group(switch, port).filter(|&out| self.class(out) == class).all(is_owned);
            let taken = self.group(switch, port).filter(|&out| full(self.class(out)));
            let by = |owner: u8| self.inputs[first_in + usize::from(owner)].worm;
            wanted.extend(taken.filter_map(|out| Some((out, by(owner(out)?)?.0))));
        }
        wanted
    }

    /// Updates the waits of an input lane.
    fn waiting(&mut self, cycle: u64, switch: SwitchId, lane: u8) {
        let worm = self.inputs[switch.index() * usize::from(self.lanes.inputs.count()) + usize::from(lane)].worm;
        let now = self.wanted(switch, lane);
        let keys = (switch, lane, 0)..=(switch, lane, u8::MAX);
        let over: Vec<_> = self
            .open
            .range(keys)
            .filter(|(key, wait)| !(Some(WormId(wait.worm)) == worm && now.contains(&(key.2, wait.by))))
            .map(|(key, _)| *key)
            .collect();
        for key in over {
            if let Some(wait) = self.open.remove(&key) {
                self.waits.push(Wait { until: cycle, ..wait });
            }
        }
        let Some(WormId(worm)) = worm else { return };
        for (out, by) in now {
            let lane_ref = LaneRef { switch, lane: out };
            let wait = Wait { worm, by, lane: lane_ref, from: cycle, until: cycle };
            self.open.entry((switch, lane, out)).or_insert(wait);
        }
    }
}

impl Observer for Record {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        // The lanes of a switch are together, in the same order of switches in both lists.
        let mut outputs = log.outputs.chunk_by(|a, b| a.switch == b.switch);
        for inputs in log.inputs.chunk_by(|a, b| a.switch == b.switch) {
            let outputs = outputs.next().unwrap_or_default();
            self.switch(log.cycle, inputs[0].switch, inputs, outputs);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.deliveries.push(*delivery);
    }
}
