//! Rules of the protocol, and breaches of them.

wormscope_hw::words!(
    /// A rule of the protocol.
    Rule {
        /// Four parts make up the depth of a FIFO: credits of the sender, credits that come back,
        /// flits under way, and flits in the FIFO. No flit is sent without credit.
        Credits = "credits",
        /// A FIFO has the flits that were sent into it and have not left, never more than its
        /// depth.
        FifoBounds = "fifo_bounds",
        /// A lane carries one worm from its first flit to its tail, without a gap, from the input
        /// that owns the lane. A link carries one flit a cycle.
        LaneOwnership = "lane_ownership",
        /// The header residue at a destination is as the encoding says.
        HeaderResidue = "header_residue",
        /// Payload arrives unchanged.
        Payload = "payload",
        /// Every flit arrives once at every destination, and at no other node.
        ExactlyOnce = "exactly_once",
        /// The flits of a worm arrive in order.
        InOrder = "in_order",
        /// The log shows at most one token of a ring. A worm that is copied in a switch of a ring
        /// has had the token.
        OneToken = "one_token",
        /// A worm crosses exactly the outputs that the routing function says, each with the flits
        /// that are left of it there. A multicast in software has exactly the worms of its plan.
        Tree = "tree",
    }
);

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The cycle.
    pub cycle: u64,
    /// Place and observation.
    pub message: String,
}

/// Broken rules, with the first few breaches of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaches {
    pub off: Vec<Rule>,
    pub found: Vec<Breach>,
}

impl Breaches {
    /// Good runs never come here, so messages stay out of the loops over samples.
    #[cold]
    #[inline(never)]
    pub(super) fn add(&mut self, rule: Rule, cycle: u64, message: impl FnOnce() -> String) {
        const MOST: usize = 3;
        if !self.off.contains(&rule) && self.found.iter().filter(|b| b.rule == rule).count() < MOST {
            self.found.push(Breach { rule, cycle, message: message() });
        }
    }
}
