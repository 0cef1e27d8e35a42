//! Nodes of groups. They are drawn once from the seed of the run, and are the same for every entry
//! of the workload.

use std::rc::Rc;

use wormscope_hw::{NodeId, NodeSet};

use super::random::{Key, Stream};
use crate::experiment::{Experiment, Group, GroupNodes};

/// Number of the stream of groups. No entry of the workload has this number.
const STREAM: u64 = u64::MAX;

/// The groups of an experiment with their nodes.
pub(super) struct Groups<'a> {
    nodes: u32,
    groups: Vec<(&'a Group, Rc<[NodeId]>)>,
}

impl<'a> Groups<'a> {
    /// The groups of a validated experiment.
    pub fn new(experiment: &'a Experiment) -> Self {
        let nodes = experiment.network.nodes();
        let mut random = Key::new(experiment.run.seed).child(STREAM).stream();
        let mut free = NodeSet::repeat(true, nodes as usize);
        for group in &experiment.groups {
            for &node in group.nodes.named() {
                free.set(node as usize, false);
            }
        }
        let ids = |set: &NodeSet| set.iter_ones().map(|node| NodeId(node as u32)).collect::<Vec<_>>();
        let drawn: Vec<_> = (experiment.groups.iter())
            .map(|group| match &group.nodes {
                GroupNodes::Random(count) => {
                    let mut some = ids(&free);
                    random.shuffle(&mut some);
                    some.truncate(*count as usize);
                    for node in &some {
                        free.set(node.index(), false);
                    }
                    some
                }
                nodes @ (GroupNodes::Rest | GroupNodes::RestWith(_) | GroupNodes::Listed(_)) => {
                    nodes.named().iter().copied().map(NodeId).collect()
                }
            })
            .collect();
        let all = |(group, mut members): (&'a Group, Vec<NodeId>)| {
            if group.nodes.takes_rest() {
                members.extend(ids(&free));
            }
            members.sort_unstable();
            (group, members.into())
        };
        Self { nodes, groups: experiment.groups.iter().zip(drawn).map(all).collect() }
    }

    /// The nodes of each group, in order, then the nodes in no group.
    pub fn split(&self) -> Vec<Vec<NodeId>> {
        let mut split: Vec<Vec<NodeId>> = self.groups.iter().map(|(_, nodes)| nodes.to_vec()).collect();
        let is_in_none = |node: &NodeId| !split.iter().any(|nodes| nodes.binary_search(node).is_ok());
        let none = (0..self.nodes).map(NodeId).filter(is_in_none).collect();
        split.push(none);
        split
    }

    /// The nodes of an entry: the nodes of its group, or all nodes.
    pub fn among(&self, name: Option<&String>) -> Among {
        let members = name.and_then(|name| self.groups.iter().find(|(group, _)| group.name == *name));
        Among { nodes: self.nodes, members: members.map(|(_, members)| Rc::clone(members)) }
    }
}

/// The nodes from which an entry of the workload draws: all nodes of the network, or the nodes of a
/// group.
#[derive(Clone)]
pub(super) struct Among {
    nodes: u32,
    /// Nodes of the group in ascending order; `None` for all nodes.
    members: Option<Rc<[NodeId]>>,
}

impl Among {
    /// All nodes of a network of `nodes` nodes.
    pub fn all(nodes: u32) -> Self {
        Self { nodes, members: None }
    }

    /// Number of the nodes.
    #[inline]
    pub fn count(&self) -> u32 {
        self.members.as_ref().map_or(self.nodes, |members| members.len() as u32)
    }

    /// The node at a place in the group.
    #[inline]
    pub fn node(&self, place: u32) -> NodeId {
        self.members.as_ref().map_or(NodeId(place), |members| members[place as usize])
    }

    /// The place of a node in the group.
    #[inline]
    pub fn place(&self, node: u32) -> u32 {
        self.members.as_ref().map_or(node, |members| members.partition_point(|member| member.0 < node) as u32)
    }

    /// Whether a node is in the group.
    pub fn has(&self, node: NodeId) -> bool {
        self.members.as_ref().is_none_or(|members| members.binary_search(&node).is_ok())
    }

    /// A random node of the group other than `source`. All nodes are equally likely. The group must
    /// have another node.
    #[inline]
    pub fn other(&self, source: u32, random: &mut Stream) -> u32 {
        self.node(skip(random.below(self.count() - 1), self.place(source))).0
    }

    /// A random set of `count` different nodes of the group, in ascending order. All sets are
    /// equally likely. `marks` is the argument of [`draw_any`].
    pub fn draw_any(&self, marks: &mut NodeSet, count: u32, random: &mut Stream) -> Box<[NodeId]> {
        let mut drawn = draw_any(marks, self.count(), count, random);
        drawn.iter_mut().for_each(|node| *node = self.node(node.0));
        drawn
    }

    /// The same as [`Self::draw_any`], without the source.
    pub fn draw(&self, marks: &mut NodeSet, count: u32, source: NodeId, random: &mut Stream) -> Box<[NodeId]> {
        let mut drawn = draw_any(marks, self.count() - 1, count, random);
        let source = self.place(source.0);
        drawn.iter_mut().for_each(|node| *node = self.node(skip(node.0, source)));
        drawn
    }
}

/// Converts number `i`, which counts nodes without `left_out`, to a node.
#[inline]
pub(super) const fn skip(i: u32, left_out: u32) -> u32 {
    if i >= left_out { i + 1 } else { i }
}

/// A random set of `count` distinct numbers below `nodes`, all sets equally likely, in ascending
/// order (Floyd's sampling; Bentley, CACM 30(9) 1987). `marks` is empty before and after.
fn draw_any(marks: &mut NodeSet, nodes: u32, count: u32, random: &mut Stream) -> Box<[NodeId]> {
    let pick = |last: u32| {
        let i = random.below(last + 1);
        if !marks.replace(i as usize, true) {
            return NodeId(i);
        }
        marks.set(last as usize, true);
        NodeId(last)
    };
    let mut drawn: Box<[NodeId]> = (nodes - count..nodes).map(pick).collect();
    for node in &drawn {
        marks.set(node.index(), false);
    }
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    const GROUPS: &str = "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"a\", nodes: random(20)), \
                          (name: \"c\", nodes: rest), (name: \"b\", nodes: listed([63, 5])), (name: \"d\", nodes: random(7))])";

    fn members(groups: &Groups, name: &str) -> Vec<u32> {
        let among = groups.among(Some(&name.to_owned()));
        (0..among.count()).map(|place| among.node(place).0).collect()
    }

    #[test]
    fn groups_split_the_nodes_and_follow_the_seed() {
        let of = |seed: u64| config::from_text("x", GROUPS, &[format!("run.seed={seed}")]).unwrap().experiment;
        let experiment = of(1);
        let groups = Groups::new(&experiment);
        let each = ["a", "b", "c", "d"].map(|name| members(&groups, name));
        assert_eq!(each.each_ref().map(Vec::len), [20, 2, 35, 7]);
        assert_eq!(each[1], [5, 63]);
        assert!(each.iter().all(|members| members.is_sorted()));
        let mut all = each.concat();
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
        assert_eq!(members(&Groups::new(&experiment), "a"), each[0]);
        assert_ne!(members(&Groups::new(&of(2)), "a"), each[0]);
    }

    #[test]
    fn a_group_draws_its_own_nodes_alone() {
        let experiment = config::from_text("x", GROUPS, &[]).unwrap().experiment;
        let among = Groups::new(&experiment).among(Some(&"d".to_owned()));
        let (mut random, mut marks) = (Key::new(7).stream(), NodeSet::repeat(false, 64));
        let own: Vec<NodeId> = (0..7).map(|place| among.node(place)).collect();
        let source = own[3];
        for _ in 0..100 {
            let drawn = among.draw(&mut marks, 5, source, &mut random);
            assert!(drawn.iter().all(|node| own.contains(node) && *node != source) && drawn.is_sorted());
            let other = NodeId(among.other(source.0, &mut random));
            assert!(own.contains(&other) && other != source);
        }
        assert_eq!(&*among.draw_any(&mut marks, 7, &mut random), &own[..]);
        assert_eq!(among.place(source.0), 3);
    }
}
