//! Follow of one worm through the network. A first run learns its hops, and a second run has a
//! signal for each.
//!
//! A dump declares its signals before the run, so the tree must be known by then. A run is a pure
//! function of configuration and seed. The first run has a [`HopRecorder`], and the second the
//! tracer with its result.

use std::collections::HashMap;

use wormscope_hw::{PortId, PortMask, SwitchId, WormId};

use super::signal;
use crate::engine::{CommitLog, LaneState, LinkWaits, Observer, WormInfo};
use crate::network::{End, Lanes, Network, Wiring};

/// A worm at one switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The switch.
    pub switch: SwitchId,
    /// Input lane of its arrival.
    pub lane: u8,
    /// First cycle in which the worm is seen at the hop.
    pub first: u64,
    /// Output ports of its branches, asked for or taken. Of a group with free choice
    /// ([`Wiring::climbs`]), the port that the worm took, if it took one.
    pub ports: PortMask,
    /// Number of switches between the source and this one.
    pub depth: u32,
    /// The previous switch, if there is one.
    pub from: Option<SwitchId>,
    /// Whether the worm waited for a token at the switch.
    pub token: bool,
}

/// A worm and its hops. Parents come before children, and children in the order of their ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// The worm.
    pub worm: WormInfo,
    /// Hops of the worm.
    pub hops: Vec<Hop>,
    /// Account of its cycles, in lines: a title, then its waits. Empty if the account is not known.
    pub account: Vec<String>,
}

/// Records the lanes that a worm passes through.
pub struct HopRecorder<'a> {
    id: WormId,
    lanes: Lanes,
    wiring: &'a Wiring,
    worm: Option<WormInfo>,
    seen: Vec<Hop>,
    /// Ports of each hop that flits crossed.
    crossed: Vec<PortMask>,
    /// Index in `seen` of each input lane.
    index: HashMap<(SwitchId, u8), usize>,
    /// First and last cycle in which the worm is at a switch.
    cycles: Option<(u64, u64)>,
}

impl<'a> HopRecorder<'a> {
    /// Watches for the worm `id`.
    #[must_use]
    pub fn new(id: WormId, network: &Network, wiring: &'a Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let (seen, crossed, index) = (Vec::new(), Vec::new(), HashMap::new());
        Self { id, lanes, wiring, worm: None, seen, crossed, index, cycles: None }
    }

    /// First and last cycle in which the worm is at a switch; `None` while it was at none.
    #[must_use]
    pub fn cycles(&self) -> Option<(u64, u64)> {
        self.cycles
    }

    /// The worm and its tree; `None` when no such worm was created.
    #[must_use]
    pub fn finish(self) -> Option<Follow> {
        let parents: Vec<Option<usize>> = self.seen.iter().map(|hop| self.parent(hop)).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.seen.len()];
        for (child, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                children[parent].push(child);
            }
        }
        // Depth first. A worm that passes one lane twice closes a circle, so visited hops are
        // marked.
        let mut hops = Vec::with_capacity(self.seen.len());
        let mut placed = vec![false; self.seen.len()];
        let roots = (0..self.seen.len()).filter(|&h| parents[h].is_none());
        let mut stack: Vec<(usize, u32)> = roots.map(|h| (h, 0)).collect();
        stack.reverse();
        while let Some((at, depth)) = stack.pop() {
            if std::mem::replace(&mut placed[at], true) {
                continue;
            }
            let from = parents[at].map(|p| self.seen[p].switch);
            hops.push(Hop {
                depth,
                from,
                ports: self.chosen(self.seen[at].ports, self.crossed[at]),
                ..self.seen[at].clone()
            });
            children[at].sort_by_key(|&c| std::cmp::Reverse(self.upstream(&self.seen[c]).map(|(_, port)| port)));
            stack.extend(children[at].iter().map(|&c| (c, depth + 1)));
        }
        Some(Follow { worm: self.worm?, hops, account: Vec::new() })
    }

    /// The ports of a hop. Once the worm has chosen a port of a group, the port that stood for the
    /// group is left out.
    fn chosen(&self, ports: PortMask, crossed: PortMask) -> PortMask {
        let made = self.wiring.climbs().iter().filter(|climb| !(climb.ports & crossed).is_empty());
        made.fold(ports, |ports, climb| ports.without(climb.ports) | crossed)
    }

    /// Switch and output port at the other end of a hop's input.
    fn upstream(&self, hop: &Hop) -> Option<(SwitchId, PortId)> {
        match self.wiring.input(hop.switch, PortId(self.lanes.inputs.port(hop.lane)))? {
            End::Switch(switch, port) => Some((switch, port)),
            End::Node(_) => None,
        }
    }

    fn parent(&self, hop: &Hop) -> Option<usize> {
        let (switch, port) = self.upstream(hop)?;
        let before = self.seen.iter().enumerate().filter(|(_, h)| h.switch == switch && h.first < hop.first);
        before.filter(|(_, h)| h.ports.has(port.0)).max_by_key(|(_, h)| h.first).map(|(at, _)| at)
    }

    /// Records the ports for which a worm at an input lane asks, or which it crosses.
    fn note(&mut self, switch: SwitchId, lane: u8, cycle: u64, asked: PortMask, crossed: PortMask) {
        self.cycles = Some((self.cycles.map_or(cycle, |(first, _)| first), cycle));
        let at = *self.index.entry((switch, lane)).or_insert_with(|| {
            self.seen.push(Hop {
                switch,
                lane,
                first: cycle,
                ports: PortMask::NONE,
                depth: 0,
                from: None,
                token: false,
            });
            self.crossed.push(PortMask::NONE);
            self.seen.len() - 1
        });
        self.seen[at].ports |= asked | crossed;
        self.crossed[at] |= crossed;
    }
}

impl Observer for HopRecorder<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let id = self.id;
        for s in log.inputs.iter().filter(|s| s.worm == Some(id)) {
            self.note(s.switch, s.lane, log.cycle, s.branches, PortMask::NONE);
            if s.state == LaneState::Token
                && let Some(&at) = self.index.get(&(s.switch, s.lane))
            {
                self.seen[at].token = true;
            }
        }
        for s in log.outputs.iter().filter(|s| s.flit.is_some_and(|flit| flit.worm == id)) {
            let Some(owner) = s.owner else { continue };
            self.note(s.switch, owner, log.cycle, PortMask::NONE, PortMask::only(self.lanes.outputs.port(s.lane)));
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        if worm.id == self.id {
            self.worm = Some(worm.clone());
        }
    }
}

/// Activity of a branch of a followed worm in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doing {
    /// Nothing: the worm is not here, not decided, or has passed.
    Nothing,
    /// This flit crosses.
    Crosses(u32),
    /// The branch waits for a lane that this worm owns.
    Waits(WormId),
    /// The branch waits for the arbiter, or was granted its lane in this cycle.
    Arbiter,
    /// The branch owns its lane, but the FIFO at the end of the lane has no space, or the link is
    /// stalled.
    NoCredit,
    /// The branch waits for another branch of the worm, or for the other heads of the worm.
    Sibling,
    /// The branch owns its lane, but has no flit.
    Bubble,
    /// The worm waits for the token of the group.
    Token,
    /// The branch owns its lane, but another lane of the link sends a flit of this worm.
    Turn(WormId),
}

impl Doing {
    /// The value in a dump.
    #[must_use]
    pub fn encode(self) -> u64 {
        let (kind, number) = match self {
            Self::Nothing => (0, 0),
            Self::Crosses(flit) => (1, flit),
            Self::Waits(worm) => (2, worm.0),
            Self::Arbiter => (2, signal::worm(None) as u32),
            Self::NoCredit => (3, 0),
            Self::Sibling => (4, 0),
            Self::Bubble => (5, 0),
            Self::Token => (6, 0),
            Self::Turn(worm) => (7, worm.0),
        };
        kind << 32 | u64::from(number)
    }

    /// Reads a value back; `None` for a value that [`Doing::encode`] does not make.
    #[must_use]
    pub fn decode(value: u64) -> Option<Self> {
        let number = value as u32;
        Some(match value >> 32 {
            0 => Self::Nothing,
            1 => Self::Crosses(number),
            2 => signal::worm_of(number.into()).map_or(Self::Arbiter, Self::Waits),
            3 => Self::NoCredit,
            4 => Self::Sibling,
            5 => Self::Bubble,
            6 => Self::Token,
            7 => Self::Turn(WormId(number)),
            _ => return None,
        })
    }
}

/// The activity that delays the branches of a hop most: a wait for a lane, space, a token or a
/// turn. Without a wait, the last flit that crosses.
pub(super) fn slowest(branches: impl Iterator<Item = Doing>) -> Doing {
    let rank = |doing: &Doing| match *doing {
        Doing::Nothing => (0, 0),
        Doing::Bubble => (1, 0),
        Doing::Sibling => (2, 0),
        Doing::Crosses(flit) => (3, u32::MAX - flit),
        Doing::Turn(_) => (4, 0),
        Doing::Token => (5, 0),
        Doing::NoCredit => (6, 0),
        Doing::Waits(_) | Doing::Arbiter => (7, 0),
    };
    branches.max_by_key(rank).unwrap_or(Doing::Nothing)
}

/// Output ports of a hop's branches, ascending.
pub(crate) fn branch_ports(hop: &Hop) -> impl Iterator<Item = PortId> + use<> {
    hop.ports.iter().map(PortId)
}

/// Values of an input lane that matter for a branch.
#[derive(Clone, Copy)]
pub(super) struct InView {
    pub worm: Option<WormId>,
    pub state: u64,
    pub fifo_count: u64,
    pub branches: u64,
    pub taken: u64,
    pub waits: LinkWaits,
}

/// Registers of an output lane that matter for a branch.
pub(super) struct OutView {
    pub owner: Option<u8>,
    pub valid: bool,
    pub flit: u64,
    /// Worm in service at the owner.
    pub owner_worm: Option<WormId>,
}

/// A branch of a worm at a switch.
#[derive(Clone, Copy)]
pub(super) struct BranchAt {
    /// Output port.
    pub port: PortId,
    /// The port that stands for its group in the list of branches.
    pub group: PortId,
    /// It had no lane in the cycle before, so it may not use one yet.
    pub is_new: bool,
}

/// Activity of a branch of `worm`, in service at input lane `lane`. `outputs` are the lanes of its
/// port.
pub(super) fn doing(worm: WormId, lane: u8, branch: BranchAt, input: &InView, outputs: &[OutView]) -> Doing {
    if input.worm != Some(worm) || input.branches >> branch.group.0 & 1 == 0 {
        return Doing::Nothing;
    }
    if input.state == LaneState::Token as u64 {
        return Doing::Token;
    }
    let taken = input.taken >> branch.group.0 & 1 != 0;
    let has_flit = input.fifo_count > 0;
    let strips = input.state == LaneState::Header as u64;
    let Some(own) = outputs.iter().find(|out| out.owner == Some(lane)) else {
        let asks = strips || !has_flit || input.waits.lane_wait.has(branch.group.0);
        return match outputs.iter().find_map(|out| out.owner_worm) {
            _ if taken => Doing::Nothing,
            _ if !asks => Doing::Sibling,
            Some(holder) => Doing::Waits(holder),
            None => Doing::Arbiter,
        };
    };
    let sends = || outputs.iter().find(|out| out.valid)?.owner_worm;
    match own {
        _ if own.valid => Doing::Crosses(own.flit as u32),
        _ if input.waits.no_credit.has(branch.port.0) => Doing::NoCredit,
        _ if input.waits.lane_wait.has(branch.port.0) => sends().map_or(Doing::Arbiter, Doing::Turn),
        _ if taken => Doing::Sibling,
        _ if !has_flit || strips => Doing::Bubble,
        _ if branch.is_new => Doing::Arbiter,
        _ => Doing::Sibling,
    }
}
