//! Record of a run for its expectations: worms, deliveries, and waits.

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

/// A wait that goes on, of the worm in an input lane.
#[derive(Clone, Copy, Debug)]
struct OpenWait {
    /// Output lane of the switch.
    out: u8,
    worm: u32,
    by: u32,
    from: u64,
}

/// An input lane.
#[derive(Clone, Debug)]
struct InputSeen {
    worm: Option<WormId>,
    state: LaneState,
    branches: PortMask,
    /// Ports through which the whole worm has left.
    done: PortMask,
    /// Output lanes that it owns, a bit each.
    owned: u64,
    /// Waits that go on, by output lane.
    open: Vec<OpenWait>,
}

/// The output lanes of a switch.
#[derive(Clone, Copy, Debug)]
struct OutputsSeen {
    /// Those that exist, a bit each.
    exist: u64,
    /// Those that have an owner.
    owned: u64,
}

/// Keeps the facts that expectations need.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Number of input lanes and of output lanes of a switch.
    per_switch: (usize, usize),
    sequential: bool,
    /// The port that a branch names for each output lane: the first of a group of which routing may
    /// choose any.
    ports: Vec<u8>,
    /// Output lanes by that port, a bit each.
    groups: [u64; 64],
    /// Classes of output lanes, a bit a lane.
    classes: Vec<u64>,
    /// Input lanes, switch-major.
    inputs: Vec<InputSeen>,
    outputs: Vec<OutputsSeen>,
    /// Owners of output lanes, switch-major.
    owners: Vec<Option<u8>>,
    waits: Vec<Wait>,
    /// Worms created, by number.
    pub worms: Vec<WormInfo>,
    /// Flits of each.
    lengths: Vec<u32>,
    /// Deliveries in the order of their reports.
    pub deliveries: Vec<Delivery>,
}

impl Record {
    /// An empty record of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let (ins, outs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let idle = InputSeen {
            worm: None,
            state: LaneState::Idle,
            branches: PortMask::NONE,
            done: PortMask::NONE,
            owned: 0,
            open: Vec::new(),
        };
        let there = |switch: u32| {
            let lanes_of = (0..lanes.outputs.count()).filter(|&lane| lanes.has_output(wiring, SwitchId(switch), lane));
            lanes_of.fold(0, |all, lane| all | 1 << lane)
        };
        let ports: Vec<u8> =
            (0..lanes.outputs.count()).map(|lane| wiring.group(PortId(lanes.outputs.port(lane))).0).collect();
        let (mut groups, mut classes) = ([0; 64], Vec::new());
        for (lane, &port) in ports.iter().enumerate() {
            groups[usize::from(port)] |= 1 << lane;
            let class = class(network, lanes, lane as u8);
            classes.resize(classes.len().max(class + 1), 0);
            classes[class] |= 1 << lane;
        }
        Self {
            per_switch: (ins, outs),
            sequential: network.switch.replication == Replication::Sequential,
            ports,
            groups,
            classes,
            inputs: vec![idle; wiring.switches() as usize * ins],
            outputs: (0..wiring.switches()).map(|switch| OutputsSeen { exist: there(switch), owned: 0 }).collect(),
            owners: vec![None; wiring.switches() as usize * outs],
            waits: Vec::new(),
            worms: Vec::new(),
            lengths: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// All waits of a run that ended before cycle `end`.
    #[must_use]
    pub fn waits(&self, end: u64) -> Vec<Wait> {
        let open = self.inputs.iter().enumerate().flat_map(|(input, of)| {
            let switch = SwitchId((input / self.per_switch.0) as u32);
            of.open.iter().map(move |open| open.until(switch, end))
        });
        let mut waits: Vec<Wait> = self.waits.iter().cloned().chain(open).collect();
        waits.sort_unstable_by_key(|wait| (wait.from, wait.worm, wait.by, wait.lane));
        waits
    }

    /// Takes the owner of an output lane. A wait at the lane's port was for the class of this lane.
    fn owned(&mut self, s: &OutSample) {
        let (ins, outs) = self.per_switch;
        let (at, bit) = (s.switch.index(), 1 << s.lane);
        let before = std::mem::replace(&mut self.owners[at * outs + usize::from(s.lane)], s.owner);
        if before == s.owner {
            return;
        }
        let input = |owner: Option<u8>| owner.map(usize::from).filter(|&owner| owner < ins).map(|o| at * ins + o);
        if let Some(before) = input(before) {
            self.inputs[before].owned &= !bit;
        }
        let outputs = &mut self.outputs[at].owned;
        *outputs = if s.owner.is_some() { *outputs | bit } else { *outputs & !bit };
        let Some(owner) = input(s.owner) else { return };
        let owner = &mut self.inputs[owner];
        owner.owned |= bit;
        if !owner.open.is_empty() {
            let same_class = self.classes.iter().filter(|&&lanes| lanes & bit != 0).fold(0, |all, lanes| all | lanes);
            let wrong = self.groups[usize::from(self.ports[usize::from(s.lane)])] & !same_class;
            owner.open.retain(|open| wrong >> open.out & 1 == 0);
        }
    }

    /// Lanes that the worm in an input lane waits for, a bit each.
    fn wanted(&self, input: &InputSeen, outputs: OutputsSeen) -> u64 {
        if input.state == LaneState::Token {
            return 0;
        }
        let group = |port: u8| self.groups[usize::from(port)] & outputs.exist;
        let owns = |port: u8| group(port) & input.owned != 0;
        let undone = input.branches.without(input.done).iter().filter(|&port| !owns(port));
        let is_busy = || input.branches.iter().any(owns);
        // Branches of sequential worms ask one after the other.
        let most = if self.sequential { usize::from(!is_busy()) } else { usize::MAX };
        // The branch waits if all lanes of a class are owned.
        let full = |lanes: u64| if lanes & !outputs.owned == 0 { lanes } else { 0 };
        let taken = |port: u8| self.classes.iter().fold(0, |all, class| all | full(group(port) & class));
        undone.take(most).fold(0, |all, port| all | taken(port))
    }

    /// Updates the waits of an input lane.
    fn waiting(&mut self, cycle: u64, s: &InSample) {
        let (ins, outs) = self.per_switch;
        let (first_in, first_out) = (s.switch.index() * ins, s.switch.index() * outs);
        let at = first_in + usize::from(s.lane);
        let input = &self.inputs[at];
        let wanted = self.wanted(input, self.outputs[s.switch.index()]);
        if wanted == 0 && input.open.is_empty() {
            return;
        }
        let worm = input.worm;
        let by = |out: u8| {
            let owner = self.owners[first_out + usize::from(out)]?;
            Some(self.inputs.get(first_in + usize::from(owner))?.worm?.0)
        };
        let now: Vec<(u8, u32)> = bits(wanted).filter_map(|out| Some((out as u8, by(out as u8)?))).collect();
        let open = &mut self.inputs[at].open;
        for over in open.extract_if(.., |of| !(Some(WormId(of.worm)) == worm && now.contains(&(of.out, of.by)))) {
            self.waits.push(over.until(s.switch, cycle));
        }
        let Some(WormId(worm)) = worm else { return };
        for (out, by) in now {
            if let Err(place) = open.binary_search_by_key(&out, |of| of.out) {
                open.insert(place, OpenWait { out, worm, by, from: cycle });
            }
        }
    }
}

impl OpenWait {
    /// The wait at a switch, if it ends before cycle `until`.
    fn until(self, switch: SwitchId, until: u64) -> Wait {
        let Self { out, worm, by, from } = self;
        Wait { worm, by, lane: LaneRef { switch, lane: out }, from, until }
    }
}

/// Class of an output lane.
fn class(network: &Network, lanes: Lanes, lane: u8) -> usize {
    let channels = network.switch.virtual_channels as u8;
    let of_class = channels / network.classes() as u8;
    // The channels of a node are all alike.
    let is_node = lanes.outputs.port(lane) + 1 == lanes.ports;
    let class = if of_class == channels || is_node { 0 } else { lanes.outputs.within(lane) % channels / of_class };
    class.into()
}

impl Observer for Record {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let (ins, _) = self.per_switch;
        for s in &log.inputs {
            let input = &mut self.inputs[s.switch.index() * ins + usize::from(s.lane)];
            if s.branches.is_empty() || s.worm != input.worm {
                input.done = PortMask::NONE;
            }
            (input.worm, input.state, input.branches) = (s.worm, s.state, s.branches);
        }
        for s in &log.outputs {
            self.owned(s);
        }
        for s in &log.inputs {
            self.waiting(log.cycle, s);
        }
        // A tail that crosses in this cycle has left in the next.
        for s in &log.outputs {
            let (Some(flit), Some(owner)) = (s.flit, s.owner) else { continue };
            if self.lengths.get(flit.worm.index()) == Some(&(flit.index + 1)) {
                let port = self.ports[usize::from(s.lane)];
                self.inputs[s.switch.index() * ins + usize::from(owner)].done |= PortMask::only(port);
            }
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
        self.lengths.push(worm.header_flits + worm.payload_flits);
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.deliveries.push(*delivery);
    }
}
