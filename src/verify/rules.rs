//! Rules of the protocol, and those that were broken.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A rule of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A sender's credits, the flits under way and in the FIFO behind the lane, and the credits on
    /// their way back are together as many as the FIFO is deep; nothing is sent without credit.
    Credits,
    /// A FIFO holds what was sent into it and has not left, never more than its depth.
    FifoBounds,
    /// A lane carries one worm from its first flit to its tail, without a gap, out of the input
    /// that owns it; a link carries one flit a cycle.
    LaneOwnership,
    /// What is left of the header at a destination is what the encoding says.
    HeaderResidue,
    /// Payload arrives unchanged.
    Payload,
    /// Every flit arrives once at every destination, and nowhere else.
    ExactlyOnce,
    /// The flits of a worm arrive in order.
    InOrder,
    /// Of the token of a ring there is one at most to be seen, and a worm that is copied in a
    /// switch of a ring has had it.
    OneToken,
    /// A worm crosses exactly the outputs that the routing function says, each with the flits that
    /// are left of it there; the worms of a multicast in software are those of its plan.
    Tree,
}

impl Rule {
    /// All rules with their names, as testbenches spell them.
    pub const NAMES: [(Self, &'static str); 9] = [
        (Self::Credits, "credits"),
        (Self::FifoBounds, "fifo_bounds"),
        (Self::LaneOwnership, "lane_ownership"),
        (Self::HeaderResidue, "header_residue"),
        (Self::Payload, "payload"),
        (Self::ExactlyOnce, "exactly_once"),
        (Self::InOrder, "in_order"),
        (Self::OneToken, "one_token"),
        (Self::Tree, "tree"),
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(rule, _)| rule == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The cycle.
    pub cycle: u64,
    /// Where, and what was seen.
    pub message: String,
}

/// Broken rules; of each rule the first few.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaches {
    pub off: Vec<Rule>,
    pub found: Vec<Breach>,
}

impl Breaches {
    pub(super) fn add(&mut self, rule: Rule, cycle: u64, message: impl FnOnce() -> String) {
        const MOST: usize = 3;
        if !self.off.contains(&rule) && self.found.iter().filter(|b| b.rule == rule).count() < MOST {
            self.found.push(Breach { rule, cycle, message: message() });
        }
    }
}
