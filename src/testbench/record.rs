//! Record of a run for its expectations: worms, deliveries, and waits.

use wormscope_hw::{PortId, PortMask, Replication, SwitchId, WormId, bits};

use crate::engine::snapshot::LaneRef;
use crate::engine::{CommitLog, Delivery, InSample, LaneState, Observer, OutSample, Samples, WormInfo};
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
    /// Output lanes that it owns, a bit each, and their ports.
    owned: u64,
    owned_ports: PortMask,
    /// Waits that go on, by output lane.
    open: Vec<OpenWait>,
}

impl InputSeen {
    /// Whether a branch may wait for a lane, or a wait goes on.
    fn may_wait(&self) -> bool {
        !self.undone().is_empty() || !self.open.is_empty()
    }

    /// Branches whose worm has not left, and that own no lane.
    fn undone(&self) -> PortMask {
        self.branches.without(self.done).without(self.owned_ports)
    }
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
    /// Whether it keeps waits.
    keeps_waits: bool,
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
    /// Samples of the cycle whose input lanes may wait, and input lanes whose worm leaves through a
    /// port with its tail.
    waiting: Vec<u32>,
    tails: Vec<(usize, u8)>,
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
            owned_ports: PortMask::NONE,
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
            keeps_waits: true,
            sequential: network.switch.replication == Replication::Sequential,
            ports,
            groups,
            classes,
            inputs: vec![idle; wiring.switches() as usize * ins],
            outputs: (0..wiring.switches()).map(|switch| OutputsSeen { exist: there(switch), owned: 0 }).collect(),
            owners: vec![None; wiring.switches() as usize * outs],
            waits: Vec::new(),
            waiting: Vec::new(),
            tails: Vec::new(),
            worms: Vec::new(),
            lengths: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// The same record, which keeps waits only if an expectation `needs_waits`.
    #[must_use]
    pub fn with_waits(self, needs_waits: bool) -> Self {
        Self { keeps_waits: needs_waits, ..self }
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
    /// Returns whether the owner before may now wait for a lane, unlike before.
    #[inline]
    fn owned(&mut self, s: &OutSample) -> bool {
        let before = self.owners[s.switch.index() * self.per_switch.1 + usize::from(s.lane)];
        before != s.owner && self.changes_hands(s)
    }

    /// The same, for an output lane with another owner.
    fn changes_hands(&mut self, s: &OutSample) -> bool {
        let (ins, outs) = self.per_switch;
        let (at, bit) = (s.switch.index(), 1 << s.lane);
        let before = std::mem::replace(&mut self.owners[at * outs + usize::from(s.lane)], s.owner);
        let input = |owner: Option<u8>| owner.map(usize::from).filter(|&owner| owner < ins).map(|o| at * ins + o);
        let ports_of = |lanes: u64| bits(lanes).map(|lane| self.ports[lane]).collect();
        let mut may_wait = false;
        if let Some(before) = input(before) {
            let before = &mut self.inputs[before];
            let waited = before.may_wait();
            before.owned &= !bit;
            before.owned_ports = ports_of(before.owned);
            may_wait = !waited && before.may_wait();
        }
        let outputs = &mut self.outputs[at].owned;
        *outputs = if s.owner.is_some() { *outputs | bit } else { *outputs & !bit };
        let Some(owner) = input(s.owner) else { return may_wait };
        let owner = &mut self.inputs[owner];
        owner.owned |= bit;
        owner.owned_ports = ports_of(owner.owned);
        if !owner.open.is_empty() {
            let same_class = self.classes.iter().filter(|&&lanes| lanes & bit != 0).fold(0, |all, lanes| all | lanes);
            let wrong = self.groups[usize::from(self.ports[usize::from(s.lane)])] & !same_class;
            owner.open.retain(|open| wrong >> open.out & 1 == 0);
        }
        may_wait
    }

    /// Lanes that the worm in an input lane waits for, a bit each.
    fn wanted(&self, input: &InputSeen, outputs: OutputsSeen) -> u64 {
        if input.state == LaneState::Token {
            return 0;
        }
        let group = |port: u8| self.groups[usize::from(port)] & outputs.exist;
        let is_busy = || !(input.branches & input.owned_ports).is_empty();
        // Branches of sequential worms ask one after the other.
        let most = if self.sequential { usize::from(!is_busy()) } else { usize::MAX };
        // The branch waits if all lanes of a class are owned.
        let full = |lanes: u64| if lanes & !outputs.owned == 0 { lanes } else { 0 };
        let taken = |port: u8| self.classes.iter().fold(0, |all, class| all | full(group(port) & class));
        input.undone().iter().take(most).fold(0, |all, port| all | taken(port))
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

    fn wants_commits(&self) -> bool {
        self.keeps_waits
    }

    fn samples(&self) -> Samples {
        if self.keeps_waits { Samples::Lanes } else { Samples::Nothing }
    }

    fn commit(&mut self, log: &CommitLog) {
        if !self.keeps_waits {
            return;
        }
        let (ins, _) = self.per_switch;
        let mut waiting = std::mem::take(&mut self.waiting);
        for (n, s) in (0..).zip(&log.inputs) {
            let input = &mut self.inputs[s.switch.index() * ins + usize::from(s.lane)];
            if s.branches.is_empty() || s.worm != input.worm {
                input.done = PortMask::NONE;
            }
            (input.worm, input.state, input.branches) = (s.worm, s.state, s.branches);
            if input.may_wait() {
                waiting.push(n);
            }
        }
        let mut tails = std::mem::take(&mut self.tails);
        let mut more_may_wait = false;
        for s in &log.outputs {
            more_may_wait |= self.owned(s);
            let (Some(flit), Some(owner)) = (s.flit, s.owner) else { continue };
            if self.lengths.get(flit.worm.index()) == Some(&(flit.index + 1)) {
                tails.push((s.switch.index() * ins + usize::from(owner), self.ports[usize::from(s.lane)]));
            }
        }
        // An owner that gives a lane away may wait now. This is rare, so all lanes are looked at.
        if more_may_wait {
            waiting.clear();
            waiting.extend(0..log.inputs.len() as u32);
        }
        for n in waiting.drain(..) {
            self.waiting(log.cycle, &log.inputs[n as usize]);
        }
        // A tail that crosses in this cycle has left in the next.
        for (input, port) in tails.drain(..) {
            self.inputs[input].done |= PortMask::only(port);
        }
        (self.waiting, self.tails) = (waiting, tails);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.worms.push(worm.clone());
        self.lengths.push(worm.header_flits + worm.payload_flits);
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.deliveries.push(*delivery);
    }
}
