//! Launches: multicasts of the workload that are ready to begin, with nodes drawn and plans made.

use wormscope_hw::{NodeId, NodeSet};

use super::groups::{Among, Groups};
use super::operation::Design;
use super::planner::Planner;
use super::random::Key;
use crate::experiment::{Length, Loaded, MemberOrder, Message, Multicast, Multicasts, Overlap, Workload};
use crate::input::ConfigError;
use crate::multicast::{self, Algorithm};
use crate::site::Site;

/// A multicast that begins once or several times.
pub(super) struct Launch {
    pub design: Design,
    /// Cycle in which the multicast first begins.
    pub cycle: u64,
    /// Number of times that the multicast has still to begin.
    pub times: u32,
    /// Number of the first multicasts that the run does not measure.
    pub skip: u32,
    /// Number of times that the multicast has begun.
    pub begun: u32,
    /// Number of times that the multicast is complete.
    pub completed: u32,
    /// Cycles from one begin to the next. If `None`, the next begins when the one before is
    /// complete.
    pub every: Option<u64>,
}

/// All multicasts of an experiment, in the order of its workload.
pub(super) fn launches(loaded: &Loaded, site: &Site) -> Result<Vec<Launch>, ConfigError> {
    let experiment = &loaded.experiment;
    let (planner, mut launches) = (Planner::new(loaded, site), Vec::new());
    let groups = Groups::new(experiment);
    for (entry, workload) in experiment.workload.iter().enumerate() {
        match workload {
            Workload::Multicast(m) => {
                let to: Vec<NodeId> = m.receivers(experiment.network.nodes()).into_iter().map(NodeId).collect();
                launches.push(launch(&planner, entry, m, NodeId(m.source), &to)?);
            }
            Workload::Multicasts(m) => {
                let (nodes, among) = (experiment.network.nodes(), groups.among(m.group.as_ref()));
                for (source, destinations) in drawn(m, entry, nodes, &among, experiment.run.seed) {
                    launches.push(launch(&planner, entry, &m.one_of(), source, &destinations)?);
                }
            }
            Workload::Messages(_)
            | Workload::Trace(_)
            | Workload::Traffic(_)
            | Workload::Spmd(_)
            | Workload::Stalls(_) => {}
        }
    }
    Ok(launches)
}

/// A multicast from `source` to these nodes.
fn launch(
    planner: &Planner,
    entry: usize,
    m: &Multicast,
    source: NodeId,
    to: &[NodeId],
) -> Result<Launch, ConfigError> {
    let length = Length::new(planner.network(), m.payload_flits, m.bytes);
    let length = length.map_err(|why| planner.refusal(entry, &why))?;
    let design = planner.design(entry, &m.algorithm, &m.settings, length, source, to)?;
    Ok(Launch { design, cycle: m.cycle, times: m.times, skip: m.skip, begun: 0, completed: 0, every: m.every })
}

/// A multicast in software, with the worms of its plan.
pub struct Planned {
    /// Entry of the workload that asks for the multicast.
    pub entry: usize,
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Whether the multicast begins again, perhaps before it is complete.
    pub overlaps: bool,
    /// Whether nodes decide on their sends during the run.
    pub decides: bool,
    /// Worms of the multicast, as messages of the cycle in which it first begins.
    pub worms: Vec<Message>,
}

/// The multicasts that an experiment names.
///
/// # Errors
/// An algorithm makes no plan.
pub fn multicasts(loaded: &Loaded, site: &Site) -> Result<Vec<Planned>, ConfigError> {
    let of = |Launch { design, cycle, times, every, .. }: Launch| Planned {
        entry: design.entry,
        algorithm: design.algorithm,
        overlaps: times > 1 && every.is_some(),
        decides: design.policy.is_some(),
        worms: design.plan.sends.iter().map(|send| message(&design, cycle, send)).collect(),
    };
    Ok(launches(loaded, site)?.into_iter().map(of).collect())
}

fn message(design: &Design, cycle: u64, send: &multicast::Send) -> Message {
    Message {
        cycle,
        source: send.from.0,
        destinations: send.to.iter().map(|node| node.0).collect(),
        encoding: Some(send.encoding),
        class: None,
        payload_flits: design.length.flits_of(send.carried(), design.plan.pieces),
    }
}

/// Source and destinations of each of some random multicasts. The destinations are in random order
/// unless the entry asks for one. An algorithm that keeps the order then shows its results without
/// an order.
fn drawn(m: &Multicasts, entry: usize, nodes: u32, among: &Among, seed: u64) -> Vec<(NodeId, Box<[NodeId]>)> {
    // Traffic draws from the children of its nodes. The streams have the number of a node that does
    // not exist.
    let key = Key::new(seed).child(entry as u64).child(nodes.into());
    let mut random = key.stream();
    let mut marks = NodeSet::repeat(false, nodes as usize);
    let destinations = m.destinations_among(among.count());
    let mut drawn: Vec<(NodeId, Box<[NodeId]>)> = match m.overlap {
        Overlap::Complete => {
            let members = among.draw_any(&mut marks, destinations + 1, &mut random);
            let inside = Among::all(destinations + 1).draw_any(&mut marks, m.count.min(destinations + 1), &mut random);
            let mut sources: Vec<NodeId> = inside.iter().map(|at| members[at.index()]).collect();
            // If there are more multicasts than members, the further multicasts need other sources.
            // Each of these leaves out one member.
            let more = m.count.saturating_sub(destinations + 1);
            if more > 0 {
                let is_other = |node: &NodeId| !members.contains(node);
                let mut others: Vec<NodeId> =
                    (0..among.count()).map(|place| among.node(place)).filter(is_other).collect();
                random.shuffle(&mut others);
                sources.extend(others.into_iter().take(more as usize));
            }
            let mut of = |source: NodeId| {
                let mut to: Vec<NodeId> = members.iter().copied().filter(|&node| node != source).collect();
                if to.len() > destinations as usize {
                    to.swap_remove(random.below(destinations + 1) as usize);
                }
                (source, to.into_boxed_slice())
            };
            sources.into_iter().map(&mut of).collect()
        }
        Overlap::Random => {
            let sources = among.draw_any(&mut marks, m.count, &mut random);
            let mut of = |source: NodeId| (source, among.draw(&mut marks, destinations, source, &mut random));
            sources.iter().map(|&source| of(source)).collect()
        }
    };
    // The order is drawn after all sets, so the sets do not depend on it.
    for (_, destinations) in &mut drawn {
        match m.order {
            MemberOrder::Random => random.shuffle(destinations),
            MemberOrder::Ascending => destinations.sort_unstable(),
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn a_group_has_a_source_and_all_its_others_for_destinations() {
        for overlap in ["random", "complete"] {
            let text = format!(
                "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"g\", nodes: random(12))], workload: \
                 [multicasts(group: \"g\", count: 3, overlap: {overlap}, algorithm: \"binomial\", payload_flits: 8)])"
            );
            let experiment = config::from_text("x.ron", &text, &[]).unwrap().experiment;
            let Workload::Multicasts(m) = &experiment.workload[0] else { panic!("multicasts") };
            let among = Groups::new(&experiment).among(m.group.as_ref());
            let group: std::collections::BTreeSet<NodeId> = (0..12).map(|place| among.node(place)).collect();
            let all = drawn(m, 0, 64, &among, experiment.run.seed);
            assert_eq!(all.iter().map(|(source, _)| source).collect::<std::collections::BTreeSet<_>>().len(), 3);
            for (source, to) in &all {
                assert_eq!(to.iter().chain([source]).copied().collect::<std::collections::BTreeSet<_>>(), group);
                assert_eq!(to.len(), 11);
            }
        }
    }

    #[test]
    fn destinations_are_drawn_in_an_order_of_their_own_unless_one_is_asked_for() {
        for overlap in ["random", "complete"] {
            let in_order = |order: &str| {
                let text = format!(
                    "(network: (topology: mesh(radices: [8, 8])), workload: [multicasts(count: 6, destinations: 9, \
                     order: {order}, overlap: {overlap}, algorithm: \"binomial\", payload_flits: 8)])"
                );
                let experiment = config::from_text("x.ron", &text, &[]).unwrap().experiment;
                let Workload::Multicasts(m) = &experiment.workload[0] else { panic!("multicasts") };
                drawn(m, 0, 64, &Among::all(64), 7)
            };
            let (all, ascending) = (in_order("random"), in_order("ascending"));
            assert_eq!((all.len(), ascending.len()), (6, 6));
            for ((source, to), (same, sorted)) in all.iter().zip(&ascending) {
                let set: std::collections::BTreeSet<_> = to.iter().collect();
                assert!(set.len() == 9 && !set.contains(source) && !to.is_sorted(), "{source}: {to:?}");
                assert!(same == source && sorted.iter().eq(set), "the same nodes");
            }
        }
    }
}
