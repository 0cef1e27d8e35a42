//! Wiring: the switches that exist, the ends of their ports, and the places of the nodes.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, PortMask, SwitchId};

use super::{BiMin, End, Family, Grid, Routing, UniMin};

/// A network as wired, of any [`Family`]. Algorithms that are defined for one family ask for it by
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

    /// The same wiring with the branches that trees of a routing function have. Trees of multiple
    /// turnaround leave some destinations on the way up. So the header on the way up has no bits of
    /// nodes that the ports down reach.
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

    /// The linear array, mesh or torus; `None` for other topologies.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        self.of()
    }

    /// The unidirectional multistage network; `None` for other topologies.
    #[must_use]
    pub fn uni_min(&self) -> Option<&UniMin> {
        self.of()
    }

    /// The bidirectional multistage network; `None` for other topologies.
    #[must_use]
    pub fn bi_min(&self) -> Option<&BiMin> {
        self.of()
    }

    /// Number of ports of every switch, connected or not.
    #[must_use]
    pub fn ports(&self) -> u8 {
        self.sections().map(|s| s.ports).iter().sum()
    }

    /// The groups of ports of which routing may choose any.
    #[must_use]
    pub fn climbs(&self) -> &[Climb] {
        &self.climbs
    }

    /// The group that a port belongs to, if routing may choose any port of it.
    #[must_use]
    pub fn climb(&self, port: PortId) -> Option<Climb> {
        self.climbs.iter().copied().find(|climb| climb.ports.has(port.0))
    }

    /// The port that names the lanes of a port: the first port of its group.
    #[must_use]
    pub fn group(&self, port: PortId) -> PortId {
        self.climb(port).map_or(port, |climb| PortId(climb.first()))
    }

    /// The ports by which worms with several destinations leave a switch, each with its nodes in
    /// the given order. `toward` gives the port of a unicast. While one destination climbs, all
    /// destinations that can be reached from above climb with it.
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

    /// End of an output, as `rt_<x>_<y>` or `n<i>`.
    #[must_use]
    pub fn far_end(&self, switch: SwitchId, port: PortId) -> String {
        match self.output(switch, port) {
            Some(End::Switch(far, _)) => self.switch_name(far),
            Some(End::Node(node)) => format!("n{node}"),
            None => "nowhere".to_owned(),
        }
    }

    /// The switch with the name that [`Family::switch_name`] gives.
    #[must_use]
    pub fn switch_named(&self, name: &str) -> Option<SwitchId> {
        // Texts such as `rt_01_2` give the same numbers, so the name is compared.
        let switch = SwitchId(self.switch_number(name)?);
        (switch.0 < self.switches() && self.switch_name(switch) == name).then_some(switch)
    }
}
