//! Rules of the protocol, and those that were broken.

wormscope_hw::words!(
    /// A rule of the protocol.
    Rule {
        /// A sender's credits, the flits under way and in the FIFO behind the lane, and the credits
        /// on their way back are together as many as the FIFO is deep; nothing is sent without
        /// credit.
        Credits = "credits",
        /// A FIFO holds what was sent into it and has not left, never more than its depth.
        FifoBounds = "fifo_bounds",
        /// A lane carries one worm from its first flit to its tail, without a gap, out of the input
        /// that owns it; a link carries one flit a cycle.
        LaneOwnership = "lane_ownership",
        /// What is left of the header at a destination is what the encoding says.
        HeaderResidue = "header_residue",
        /// Payload arrives unchanged.
        Payload = "payload",
        /// Every flit arrives once at every destination, and nowhere else.
        ExactlyOnce = "exactly_once",
        /// The flits of a worm arrive in order.
        InOrder = "in_order",
        /// Of the token of a ring there is one at most to be seen, and a worm that is copied in a
        /// switch of a ring has had it.
        OneToken = "one_token",
        /// A worm crosses exactly the outputs that the routing function says, each with the flits
        /// that are left of it there; the worms of a multicast in software are those of its plan.
        Tree = "tree",
    }
);

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
