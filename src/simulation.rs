//! An experiment made ready to run: its network built, its stimulus opened.

use std::ops::Range;

use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::config::{ConfigError, Encoding, Experiment, Loaded, Workload};
use crate::engine::{Engine, Limits, Observer, Outcome, WormInfo};
use crate::model::tree::{Send, Tree};
use crate::model::unblocked::{Flight, Timing};
use crate::routing::Routes;
use crate::topology::{End, Wiring};
use crate::workload::Stimulus;

/// The fixed half: the network and its routing function, to be asked while the engine runs.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its wiring.
    pub wiring: Wiring,
    /// Its routing function.
    pub routes: Routes,
    timing: Timing,
}

/// The moving half: engine, stimulus and the limits of the run.
pub struct Simulation {
    /// The network's state.
    pub engine: Engine,
    stimulus: Stimulus,
    limits: Limits,
}

impl Site {
    /// The network of an experiment.
    #[must_use]
    pub fn new(experiment: &Experiment) -> Self {
        let wiring = experiment.network.wiring();
        let routes = Routes::new(experiment.network.routing(), &wiring);
        Self { wiring, routes, timing: Timing::from(&experiment.network) }
    }

    /// Port of a switch towards a node; `None` where the node is attached.
    #[must_use]
    pub fn next(&self, switch: SwitchId, node: NodeId) -> Option<PortId> {
        let port = PortId(self.routes.port(switch, node));
        (self.wiring.consumption(node) != (switch, port)).then_some(port)
    }

    /// Switches on the way from one node to another, the last one that of the destination.
    pub fn route(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = SwitchId> {
        let follow = move |&at: &SwitchId| match self.wiring.output(at, self.next(at, to)?)? {
            End::Switch(far, _) => Some(far),
            End::Node(_) => None,
        };
        std::iter::successors(Some(self.wiring.injection(from).0), follow)
    }

    /// Switches that a worm visits on its way to one of its destinations.
    #[must_use]
    pub fn hops(&self, worm: &WormInfo, destination: NodeId) -> u32 {
        if let (Wiring::BiMin(min), Encoding::BitString | Encoding::Multiport) = (&self.wiring, worm.encoding) {
            // All destinations are turned to in the same stage.
            return 2 * min.turn(worm.source, &worm.destinations) + 1;
        }
        let legs: &[NodeId] = match worm.encoding {
            Encoding::Multidestination => &worm.destinations,
            Encoding::Unicast | Encoding::BitString | Encoding::Multiport => &[destination],
        };
        let (mut at, mut hops) = (worm.source, 1);
        for &node in legs {
            hops += self.route(at, node).count() as u32 - 1;
            at = node;
            if node == destination {
                break;
            }
        }
        hops
    }

    /// Cycles from a worm's creation to its last tail when it is alone in the network and its node has no start-up; `None` for a
    /// path that crosses itself, and for a worm of so many flits at so many switches that it would take long to find out.
    #[must_use]
    pub fn unblocked(&self, worm: &WormInfo) -> Option<u64> {
        const MOST_STEPS: u64 = 1 << 24;
        let send = Send {
            source: worm.source,
            destinations: &worm.destinations,
            encoding: worm.encoding,
            header_flits: worm.header_flits,
            payload_flits: worm.payload_flits,
        };
        let tree = Tree::new(&self.wiring, &send, |switch, node| self.next(switch, node)).ok()?;
        let steps: u64 = tree.hops.iter().map(|hop| u64::from(hop.flits) * hop.branches.len() as u64).sum();
        let flight = (steps <= MOST_STEPS).then(|| Flight::new(&self.timing, &tree))?;
        flight.ok().map(|flight| flight.done())
    }
}

impl Simulation {
    /// The simulation of a validated experiment.
    ///
    /// # Errors
    /// When a trace cannot be opened.
    pub fn new(loaded: &Loaded, site: &Site) -> Result<Self, ConfigError> {
        let Experiment { network, workload, run } = &loaded.experiment;
        let random = workload.iter().any(|w| matches!(w, Workload::Traffic(_)));
        Ok(Self {
            engine: Engine::new(network, site.wiring.clone(), site.routes.clone(), false),
            stimulus: Stimulus::load(loaded)?,
            limits: Limits {
                measure_from: run.warmup_cycles,
                // Only random traffic needs a window; given messages are all measured from the warm-up on.
                measure_until: if random { run.warmup_cycles.saturating_add(run.measure_cycles) } else { u64::MAX },
                drain: run.drain,
                max_cycles: run.max_cycles,
                deadlock_check_cycles: run.deadlock_check_cycles,
            },
        })
    }

    /// Runs to the end; `progress` is told the cycle now and then.
    ///
    /// # Errors
    /// When a trace turns out to be wrong on the way.
    pub fn run<O: Observer>(&mut self, observer: &mut O, progress: impl FnMut(u64)) -> Result<Outcome, ConfigError> {
        self.engine.run(&mut self.stimulus, &self.limits, observer, progress)
    }

    /// Whether nothing will ever happen again: no message is left and nothing is under way.
    #[must_use]
    pub fn is_silent(&mut self) -> bool {
        self.stimulus.next_cycle().is_none() && self.engine.next_event().is_none()
    }

    /// Cycles whose messages are measured.
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.limits.measure_from..self.limits.measure_until
    }

    /// First cycle behind the measured window, where there is one.
    #[must_use]
    pub fn window_end(&self) -> Option<u64> {
        (self.limits.measure_until != u64::MAX).then_some(self.limits.measure_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;
    use crate::model::tree::Toward;
    use wormscope_hw::WormId;

    /// Switches from the root of a worm's tree to each of its destinations.
    fn depths(tree: &Tree) -> Vec<(NodeId, u32)> {
        let (mut depth, mut found) = (vec![1; tree.hops.len()], Vec::new());
        for (at, hop) in tree.hops.iter().enumerate() {
            for (_, toward) in &hop.branches {
                match *toward {
                    Toward::Hop(next) => depth[next] = depth[at] + 1,
                    Toward::Node(node) => found.push((node, depth[at])),
                }
            }
        }
        found
    }

    #[test]
    fn hops_are_the_switches_on_the_way_through_the_tree() {
        let networks = [
            ("mesh(radices: [3, 3])", 9),
            ("uni_min(kind: butterfly, switch_ports: 2, stages: 3)", 8),
            ("bi_min(switch_ports: 2, stages: 3)", 8),
            ("bi_min(switch_ports: 3, stages: 2)", 9),
        ];
        for (topology, nodes) in networks {
            let text = format!("(network: (topology: {topology}))");
            let site = Site::new(&from_text("x", &text, &[]).unwrap().experiment);
            for (source, set) in (0..nodes).flat_map(|s| (1..1_u32 << nodes).map(move |set| (s, set))) {
                let destinations: Vec<NodeId> = (0..nodes).filter(|d| set >> d & 1 != 0).map(NodeId).collect();
                let send = Send {
                    source: NodeId(source),
                    destinations: &destinations,
                    encoding: Encoding::BitString,
                    header_flits: 1,
                    payload_flits: 1,
                };
                let tree = Tree::new(&site.wiring, &send, |switch, node| site.next(switch, node)).unwrap();
                let worm = WormInfo {
                    id: WormId(0),
                    source: send.source,
                    destinations: destinations.iter().copied().collect(),
                    encoding: send.encoding,
                    header_flits: 1,
                    payload_flits: 1,
                    created: 0,
                    measured: true,
                };
                let found = depths(&tree);
                assert_eq!(found.len(), destinations.len());
                for (node, depth) in found {
                    assert_eq!(site.hops(&worm, node), depth, "{topology}: n{source} to {destinations:?}");
                }
            }
        }
    }
}
