//! Keeps the samples of a cycle for the commit log ([`Samples::Banks`]).
//!
//! The planes do not know the index of a flit. So the sampler counts the flits of each worm where
//! they leave their source, and where they leave for a node.

use std::collections::VecDeque;

use wormscope_hw::WormId;

use crate::event::{CommitLog, ConsumeSample, Samples};
use crate::flit_id::FlitId;
use crate::lane_banks::LaneBanks;

/// The worm at a channel of a node, from the node or to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passing {
    worm: Option<WormId>,
    /// Index of its next flit.
    next: u32,
    /// The input that owns the lane to the node.
    pub owner: u8,
}

impl Passing {
    /// The next flit of a worm. `owner` finds its owner.
    #[inline(always)]
    pub fn flit(&mut self, worm: WormId, owner: impl FnOnce() -> u8) -> FlitId {
        if self.worm != Some(worm) {
            *self = Self { worm: Some(worm), next: 0, owner: owner() };
        }
        self.next += 1;
        FlitId { worm, index: self.next - 1 }
    }
}

/// A head that crosses to another router.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossingHead {
    pub router: u32,
    pub input: u8,
    pub out: u8,
    pub worm: WormId,
}

/// Takes the samples of all chunks.
#[derive(Clone, Debug)]
pub(super) struct PlaneSampler {
    /// Whether an observer gets the log of this cycle.
    pub is_on: bool,
    pub log: CommitLog,
    pub heads: Vec<CrossingHead>,
    /// Samples of flits that leave for nodes, by their places among the outputs of the log, with
    /// the slots of their worms.
    pub for_nodes: Vec<(u32, u32)>,
    pub routers: usize,
    /// Lanes of a router that exist.
    pub lanes: usize,
    /// By channel of a node.
    pub injected: Vec<Passing>,
    pub received: Vec<Passing>,
    /// Flits on their last link, with the cycle of their arrival.
    pub arriving: VecDeque<(u64, ConsumeSample)>,
}

impl PlaneSampler {
    /// Nothing is told of so many routers with so many `lanes`, and of so many channels of nodes.
    pub fn new(routers: usize, lanes: u8, channels: usize) -> Self {
        let places = Some(LaneBanks::by_lane(lanes));
        Self {
            is_on: false,
            log: CommitLog { samples: Samples::Banks, places, ..CommitLog::default() },
            heads: Vec::new(),
            for_nodes: Vec::new(),
            routers,
            lanes: lanes.into(),
            injected: vec![Passing::default(); channels],
            received: vec![Passing::default(); channels],
            arriving: VecDeque::new(),
        }
    }

    /// Logs the flits that are at their nodes in cycle `now`.
    pub fn take_arrivals(&mut self, now: u64) {
        let arrived = self.arriving.iter().take_while(|(at, _)| *at <= now).count();
        self.log.consumptions.extend(self.arriving.drain(..arrived).map(|(_, sample)| sample));
    }
}
