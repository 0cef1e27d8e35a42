//! What a run leaves behind for its expectations: worms, deliveries, and who waited for whom.

use std::collections::BTreeMap;

use wormscope_hw::{PortId, SwitchId, bits};

use crate::config::{Network, Replication};
use crate::engine::{CommitLog, Delivery, InSample, LaneState, NONE, Observer, OutSample, WormInfo};
use crate::topology::Wiring;
use crate::trace::layout::{Lanes, NO_OWNER};
use crate::verify::snapshot::LaneRef;

/// A worm waited for a lane that another one owned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// The worm that waited.
    pub worm: u32,
    /// The owner.
    pub by: u32,
    /// The lane.
    pub lane: LaneRef,
    /// First cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
}

/// An input lane.
#[derive(Clone, Copy, Debug)]
struct Input {
    worm: u32,
    state: LaneState,
    branches: u64,
    /// Ports by which the whole worm has left.
    done: u64,
}

/// Keeps what expectations ask for.
#[derive(Clone, Debug)]
pub struct Record {
    lanes: Lanes,
    sequential: bool,
    /// Channels of a class of a physical link, and channels of the link.
    channels: (u8, u8),
    inputs: Vec<Input>,
    owners: Vec<u8>,
    /// Since when, by waiting input lane and wanted output lane of a switch.
    open: BTreeMap<(SwitchId, u8, u8), Wait>,
    waits: Vec<Wait>,
    /// Worms created, by number.
    pub worms: Vec<WormInfo>,
    /// Deliveries in the order in which they came.
    pub deliveries: Vec<Delivery>,
}

impl Record {
    /// An empty record of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = Lanes::new(network, wiring);
        let idle = Input { worm: NONE, state: LaneState::Idle, branches: 0, done: 0 };
        let channels = network.switch.virtual_channels as u8;
        Self {
            lanes,
            sequential: network.switch.replication == Replication::Sequential,
            channels: (channels / network.classes() as u8, channels),
            inputs: vec![idle; wiring.switches() as usize * lanes.inputs() as usize],
            owners: vec![NO_OWNER as u8; wiring.switches() as usize * lanes.outputs() as usize],
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

    fn class(&self, lane: u8) -> u8 {
        let (port, within) = self.lanes.port(lane);
        // The channels of a node are all alike.
        if port == self.lanes.node_port() { 0 } else { within % self.channels.1 / self.channels.0 }
    }

    /// What the commit log says of one switch.
    fn switch(&mut self, cycle: u64, switch: SwitchId, inputs: &[InSample], outputs: &[OutSample]) {
        let first_in = switch.index() * self.lanes.inputs() as usize;
        let first_out = switch.index() * self.lanes.outputs() as usize;
        for s in inputs {
            let input = &mut self.inputs[first_in + usize::from(s.lane)];
            let done = if s.branches == 0 || s.worm != input.worm { 0 } else { input.done };
            *input = Input { worm: s.worm, state: s.state, branches: s.branches, done };
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
        // A tail that crosses in this cycle is gone in the next.
        for s in outputs.iter().filter(|s| s.valid && u64::from(s.owner) != NO_OWNER) {
            let length = self.worms.get(s.worm as usize).map_or(0, |w| w.header_flits + w.payload_flits);
            if s.flit + 1 == length {
                let (port, _) = self.lanes.port(s.lane);
                self.inputs[first_in + usize::from(s.owner)].done |= 1 << port.0;
            }
        }
    }

    /// A lane has a new owner: what it waited for at this port was of the class of this lane.
    fn granted(&mut self, switch: SwitchId, s: &OutSample) {
        let (port, _) = self.lanes.port(s.lane);
        let other = |lane: u8| self.lanes.port(lane).0 == port && self.class(lane) != self.class(s.lane);
        let wrong: Vec<_> =
            self.open.range((switch, s.owner, 0)..=(switch, s.owner, u8::MAX)).map(|(key, _)| *key).collect();
        let wrong: Vec<_> = wrong.into_iter().filter(|key| other(key.2)).collect();
        for key in wrong {
            self.open.remove(&key);
        }
    }

    /// Brings the waits of an input lane up to date.
    fn waiting(&mut self, cycle: u64, switch: SwitchId, lane: u8) {
        let input = self.inputs[switch.index() * self.lanes.inputs() as usize + usize::from(lane)];
        let owner = |out: u8| self.owners[switch.index() * self.lanes.outputs() as usize + usize::from(out)];
        let of_port = |port: u8| {
            let first = self.lanes.first(PortId(port));
            first..first + self.lanes.outputs_of(PortId(port))
        };
        let owns = |port: u8| of_port(port).any(|out| owner(out) == lane);
        let mut wanted: Vec<u8> = Vec::new();
        if input.state != LaneState::Token {
            wanted = bits(input.branches & !input.done).map(|p| p as u8).filter(|&p| !owns(p)).collect();
        }
        if self.sequential {
            let is_busy = bits(input.branches).any(|p| owns(p as u8));
            wanted.truncate(usize::from(!is_busy));
        }
        let mut now: Vec<(u8, u32)> = Vec::new();
        for port in wanted {
            let owned: Vec<u8> = of_port(port).filter(|&out| u64::from(owner(out)) != NO_OWNER).collect();
            let all_of =
                |class: u8| of_port(port).filter(|&out| self.class(out) == class).all(|out| owned.contains(&out));
            for out in owned.iter().copied().filter(|&out| all_of(self.class(out))) {
                let by = self.inputs[switch.index() * self.lanes.inputs() as usize + usize::from(owner(out))].worm;
                now.push((out, by));
            }
        }
        let keys = (switch, lane, 0)..=(switch, lane, u8::MAX);
        let over: Vec<_> = self
            .open
            .range(keys)
            .filter(|(key, wait)| !(wait.worm == input.worm && now.contains(&(key.2, wait.by))))
            .map(|(key, _)| *key)
            .collect();
        for key in over {
            if let Some(wait) = self.open.remove(&key) {
                self.waits.push(Wait { until: cycle, ..wait });
            }
        }
        for (out, by) in now {
            let lane_ref = LaneRef { switch, lane: out };
            let wait = Wait { worm: input.worm, by, lane: lane_ref, from: cycle, until: cycle };
            self.open.entry((switch, lane, out)).or_insert(wait);
        }
    }
}

impl Observer for Record {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        // The lanes of a switch stand together, in both lists in the same order of switches.
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
