//! Wiring: which switches exist, where their ports lead, where the nodes sit.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, PortMask, SwitchId};

use super::{BiMin, End, Family, Grid, Routing, UniMin};

/// A network as wired: any [`Family`]. Algorithms that are defined for one of them ask for it by
/// name.
#[derive(Clone, Debug)]
pub struct Wiring {
    family: Arc<dyn Family>,
    climbs: Arc<[Climb]>,
}

impl Deref for Wiring {
    type Target = dyn Family;

    fn deref(&self) -> &dyn Family {
        &*self.family
    }
}

impl From<Arc<dyn Family>> for Wiring {
    fn from(family: Arc<dyn Family>) -> Self {
        let climbs = family.climbs().into();
        Self { family, climbs }
    }
}

impl Wiring {
    /// A network of this family.
    #[must_use]
    pub fn new(family: impl Family) -> Self {
        let family: Arc<dyn Family> = Arc::new(family);
        family.into()
    }

    /// The same as trees of a routing function branch in it: those of multiple turnaround leave
    /// some destinations on the way up, so that what is reached below does not climb with the rest.
    #[must_use]
    pub(super) fn for_trees(mut self, routing: Routing) -> Self {
        if routing == Routing::MultipleTurnaround {
            self.climbs = self.climbs.iter().map(|&climb| Climb { below: PortMask::NONE, ..climb }).collect();
        }
        self
    }

    fn of<F: Family>(&self) -> Option<&F> {
        let any: &dyn Any = &*self.family;
        any.downcast_ref()
    }

    /// The linear array, mesh or torus, if it is one.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        self.of()
    }

    /// The unidirectional multistage network, if it is one.
    #[must_use]
    pub fn uni_min(&self) -> Option<&UniMin> {
        self.of()
    }

    /// The bidirectional multistage network, if it is one.
    #[must_use]
    pub fn bi_min(&self) -> Option<&BiMin> {
        self.of()
    }

    /// Ports of every switch, connected or not.
    #[must_use]
    pub fn ports(&self) -> u8 {
        self.sections().map(|s| s.ports).iter().sum()
    }

    /// The groups of ports that routing chooses from freely.
    #[must_use]
    pub fn climbs(&self) -> &[Climb] {
        &self.climbs
    }

    /// The group that a port belongs to, if routing chooses from it freely.
    #[must_use]
    pub fn climb(&self, port: PortId) -> Option<Climb> {
        self.climbs.iter().copied().find(|climb| climb.ports.has(port.0))
    }

    /// The port that names the lanes of a port: the first of its group.
    #[must_use]
    pub fn group(&self, port: PortId) -> PortId {
        self.climb(port).map_or(port, |climb| PortId(climb.first()))
    }

    /// The ports by which worms with several destinations leave a switch, each with the nodes
    /// behind it in the order given: those of unicasts, which `toward` says; but as long as one of
    /// them climbs, all that could be reached from above do.
    #[must_use]
    pub fn ways(&self, nodes: &[NodeId], toward: impl Fn(NodeId) -> PortId) -> Vec<(PortId, Vec<NodeId>)> {
        let ports: Vec<PortId> = nodes.iter().map(|&node| toward(node)).collect();
        let mut ways: Vec<(PortId, Vec<NodeId>)> = Vec::new();
        for (&node, &port) in nodes.iter().zip(&ports) {
            let above = self.climbs.iter().find(|climb| climb.below.has(port.0));
            let above = above.map(|climb| PortId(climb.first())).filter(|first| ports.contains(first));
            let port = above.unwrap_or(port);
            match ways.iter_mut().find(|(p, _)| *p == port) {
                Some((_, nodes)) => nodes.push(node),
                None => ways.push((port, vec![node])),
            }
        }
        ways.sort_unstable_by_key(|(port, _)| *port);
        ways
    }

    /// Where an output leads, `rt_<x>_<y>` or `n<i>`.
    #[must_use]
    pub fn far_end(&self, switch: SwitchId, port: PortId) -> String {
        match self.output(switch, port) {
            Some(End::Switch(far, _)) => self.switch_name(far),
            Some(End::Node(node)) => format!("n{node}"),
            None => "nowhere".to_owned(),
        }
    }

    /// The switch that [`Family::switch_name`] calls so.
    #[must_use]
    pub fn switch_named(&self, name: &str) -> Option<SwitchId> {
        // Other texts are read as the same numbers: `rt_01_2`.
        let switch = SwitchId(self.switch_number(name)?);
        (switch.0 < self.switches() && self.switch_name(switch) == name).then_some(switch)
    }
}
