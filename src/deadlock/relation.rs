//! Report of a deadlock: the worms and their waits, as a table and as rows for JSON.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde::Serialize;
use wormscope_hw::{NodeId, SwitchId, WormId};

use super::{Deadlock, Member, TokenRef};
use crate::engine::WormInfo;
use crate::engine::snapshot::LaneRef;
use crate::quote::{self, MOST_LISTED, counted};
use crate::table::aligned;

/// Names in a report, as waveforms show them.
pub trait Names {
    /// Name of a switch (`rt_3_1`).
    fn switch(&self, switch: SwitchId) -> String;
    /// Name of an input lane within its switch (`in2`, `in2.v1`).
    fn input(&self, switch: SwitchId, lane: u8) -> String;
    /// Name of an output lane within its switch (`out0`, `out4.l1`).
    fn output(&self, lane: LaneRef) -> String;
    /// The node whose consumption channel an output lane is.
    fn node(&self, lane: LaneRef) -> Option<NodeId>;

    /// Name of an output lane (`rt_3_1.out0`).
    fn lane(&self, lane: LaneRef) -> String {
        format!("{}.{}", self.switch(lane.switch), self.output(lane))
    }
}

impl Deadlock {
    /// The members: those of the cycle, then those that it needs.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.cycle.iter().chain(&self.also)
    }

    /// The summary line: `DEADLOCK final at 24, detected 29; 2 worms, 4 lanes`.
    #[must_use]
    pub(crate) fn title(&self) -> String {
        let worms: BTreeSet<WormId> = self.members().map(|m| m.worm).collect();
        let lanes: BTreeSet<LaneRef> = self.members().flat_map(|m| m.holds.iter().copied()).collect();
        format!(
            "DEADLOCK final at {}, detected {}; {}, {}",
            self.final_cycle,
            self.detected,
            counted(worms.len(), "worm"),
            counted(lanes.len(), "lane")
        )
    }

    /// The report: the summary line, then a table in the order of the cycle. The last row is the
    /// first one again.
    #[must_use]
    pub fn report(&self, names: &impl Names) -> String {
        let mut text = self.title() + "\n";
        let title = ["#", "worm", "at", "holds", "wants", "owned by", "flits held", "header left"].map(String::from);
        let [cycle, also] = [&self.cycle, &self.also].map(|part| part.iter().take(MOST_LISTED).collect::<Vec<_>>());
        let numbers = (0..cycle.len()).chain(self.cycle.len()..);
        let rows = numbers.zip(cycle.iter().chain(&also)).map(|(i, member)| member.row(i, names));
        let rows: Vec<_> = std::iter::once(title).chain(rows).collect();
        let lines: Vec<String> = aligned(&rows, " | ").collect();
        let (of_cycle, of_also) = lines.split_at(cycle.len() + 1);
        let more = |part: &[Member]| quote::more_rows(part.len(), MOST_LISTED, "row");
        for line in of_cycle {
            let _ = writeln!(text, "{line}");
        }
        text += &more(&self.cycle);
        if !also.is_empty() {
            text.push_str("also needed by the cycle:\n");
        }
        for line in of_also {
            let _ = writeln!(text, "{line}");
        }
        text += &more(&self.also);
        let wanted: BTreeSet<LaneRef> = cycle.iter().chain(&also).flat_map(|m| m.wants.iter().copied()).collect();
        let of_node = |lane: LaneRef| names.node(lane).map(|node| format!("{} of n{node}", names.lane(lane)));
        let channels: Vec<String> = wanted.into_iter().filter_map(of_node).collect();
        if !channels.is_empty() {
            let _ = writeln!(text, "consumption channels that they want: {}", quote::list(channels));
        }
        if !self.behind.is_empty() {
            let worms = counted(self.behind.len(), "worm");
            let _ = writeln!(text, "stuck behind them: {worms} ({})", quote::list(&self.behind));
        }
        text
    }
}

impl TokenRef {
    /// `token of {sw_s0_r0, sw_s0_r1}`; of long rings the first four switches.
    #[must_use]
    pub fn name(&self, names: &impl Names) -> String {
        const MOST: usize = 4;
        format!("token of {{{}}}", quote::list_of(self.switches.iter().map(|&s| names.switch(s)), ", ", MOST))
    }
}

impl Member {
    /// The worms for which the member waits, in the order of its wants.
    pub(crate) fn blockers(&self) -> impl Iterator<Item = WormId> {
        self.owners.iter().map(|(_, worm)| *worm).chain(self.awaits.iter().map(|(_, worm)| *worm))
    }

    /// Name of the input lane at which the member waits.
    pub(crate) fn place(&self, names: &impl Names) -> String {
        format!("{}.{}", names.switch(self.switch), names.input(self.switch, self.lane))
    }

    /// Names of the lanes and the token that the member holds.
    #[must_use]
    pub fn held(&self, names: &impl Names) -> Vec<String> {
        self.holds.iter().map(|l| names.lane(*l)).chain(self.token.iter().map(|t| t.name(names))).collect()
    }

    /// Names of the lanes and the token for which the member waits, in the order of
    /// [`Member::blockers`].
    #[must_use]
    pub fn wanted(&self, names: &impl Names) -> Vec<String> {
        let name = |l: &LaneRef| names.lane(*l);
        let want = |l: &LaneRef| if self.space.contains(l) { format!("space behind {}", name(l)) } else { name(l) };
        self.wants.iter().map(want).chain(self.awaits.iter().map(|(t, _)| t.name(names))).collect()
    }

    /// Lanes and token for which the member waits, with the worms in the way.
    pub(crate) fn wants(&self, names: &impl Names) -> Vec<Want> {
        let wants = self.wanted(names).into_iter().zip(self.blockers());
        wants.map(|(what, worm)| Want { what, owned_by: worm.0 }).collect()
    }

    fn row(&self, index: usize, names: &impl Names) -> [String; 8] {
        [
            (index + 1).to_string(),
            self.worm.to_string(),
            self.place(names),
            quote::list(self.held(names)),
            quote::list(self.wanted(names)),
            quote::list(self.blockers()),
            self.flits_held.to_string(),
            self.header_left.to_string(),
        ]
    }
}

/// The wait-for relation of a deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relation {
    /// First cycle from which nothing resolves the deadlock.
    pub final_cycle: u64,
    /// Cycle in which the search found the deadlock.
    pub detected: u64,
    /// Members of the dependency cycle, in order. The last waits for the first.
    pub cycle: Vec<Row>,
    /// Further members that the dependency cycle needs.
    pub also: Vec<Row>,
    /// Worms that are stuck because they wait for these members.
    pub behind: Vec<u32>,
    /// The table of [`Deadlock::report`].
    #[serde(skip)]
    pub table: String,
}

impl Relation {
    /// The relation of a deadlock. `info` gives the facts about its worms.
    #[must_use]
    pub fn new<'a>(deadlock: &Deadlock, names: &impl Names, info: impl Fn(WormId) -> Option<&'a WormInfo>) -> Self {
        let Deadlock { final_cycle, detected, cycle, also, behind, snapshot: _ } = deadlock;
        let rows =
            |members: &[Member]| members.iter().map(|member| Row::new(member, names, info(member.worm))).collect();
        Self {
            final_cycle: *final_cycle,
            detected: *detected,
            cycle: rows(cycle),
            also: rows(also),
            behind: behind.iter().map(|worm| worm.0).collect(),
            table: deadlock.report(names),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table)
    }
}

/// A waiting worm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The worm.
    pub worm: u32,
    /// Node that sent the worm.
    pub source: u32,
    /// Nodes that receive the worm.
    pub destinations: Vec<u32>,
    /// Encoding of the worm.
    pub encoding: &'static str,
    /// Length of the worm at its source.
    pub flits: u32,
    /// Input lane at which the worm waits.
    pub at: String,
    /// Lanes and tokens of the deadlock that the worm holds.
    pub holds: Vec<String>,
    /// Lanes and tokens for which the worm waits, with the worms that have them.
    pub wants: Vec<Want>,
    /// Number of its flits in this FIFO.
    pub flits_held: u32,
    /// Header flits among the held flits.
    pub header_left: u32,
    /// Cycle since which the worm waits.
    pub blocked_since: u64,
}

/// Lane or token that a worm waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Want {
    /// A lane, space behind a lane, or a token.
    pub what: String,
    /// The worm that is in the way.
    pub owned_by: u32,
}

impl Row {
    fn new(member: &Member, names: &impl Names, info: Option<&WormInfo>) -> Self {
        Self {
            worm: member.worm.0,
            source: info.map_or(0, |w| w.source.0),
            destinations: info.map(|w| w.destinations.iter().map(|d| d.0).collect()).unwrap_or_default(),
            encoding: info.map_or("", |w| w.encoding.name()),
            flits: info.map_or(0, |w| w.header_flits + w.payload_flits),
            at: member.place(names),
            holds: member.held(names),
            wants: member.wants(names),
            flits_held: member.flits_held,
            header_left: member.header_left,
            blocked_since: member.blocked_since,
        }
    }
}
