//! A topology as configured, with the facts that follow from its parameters in closed form before
//! it is built. One file of `topology/` implements it for each kind.

use std::sync::Arc;

use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use super::{Family, Misfit, Routing};

/// A topology whose unicasts cannot wait for each other in a circle. It replaces one whose unicasts
/// can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safer {
    /// Name of the addition that prevents the circle.
    pub name: &'static str,
    /// Number of its classes of virtual channels.
    pub classes: u32,
    /// The override that turns the other topology into this topology.
    pub set: String,
}

/// Parameters of a topology. Counts of networks that are too large saturate, and validation refuses
/// such networks.
pub trait Blueprint {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that does not fit.
    fn check(&self) -> Result<(), Misfit>;

    /// Builds the network with its wiring.
    ///
    /// # Errors
    /// Fails as [`Blueprint::check`] does.
    fn build(&self) -> Result<Arc<dyn Family>, Misfit>;

    /// A description of the topology, without its routing.
    fn describe(&self) -> String;

    /// Kind of the topology with an article, and the routing functions that are defined for it. The
    /// default function comes first.
    fn routings(&self) -> (String, &'static [Routing]);

    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Number of switches.
    fn switches(&self) -> u32;

    /// Number of ports of every switch.
    fn ports(&self) -> u32;

    /// Number of nodes along each dimension of a grid; empty elsewhere.
    fn radices(&self) -> &[u32] {
        &[]
    }

    /// Whether links lead around the edges of the grid.
    fn wraps(&self) -> bool {
        false
    }

    /// Number of ports of a switch towards the nodes, which is also the number of ports away from
    /// them. `None` for networks without such sides.
    fn sides(&self) -> Option<u32> {
        None
    }

    /// Number of ports of a switch (on each side of a bidirectional one) and number of stages, for
    /// a multistage network.
    fn stages(&self) -> Option<(u32, u32)> {
        None
    }

    /// Number of classes of virtual channels between which routing chooses.
    fn classes(&self) -> u32 {
        1
    }

    /// Checks that this number of virtual channels can be divided among the classes.
    ///
    /// # Errors
    /// A number that cannot be divided, with the parameter that asks for classes.
    fn check_channels(&self, _channels: u32) -> Result<(), Misfit> {
        Ok(())
    }

    /// Reason why unicasts alone can deadlock, with the cure; `None` if they cannot.
    fn hazard(&self) -> Option<&'static str> {
        None
    }

    /// The same links without the hazard, perhaps with more classes of virtual channels. `None` if
    /// there is no such topology.
    fn safer(&self) -> Option<Safer> {
        None
    }

    /// Reason why the network does not carry worms of an encoding with this routing; `None` if it
    /// carries them.
    fn refuses(&self, encoding: Encoding, routing: Routing) -> Option<String>;

    /// Whether the input of a worm decides the nodes that it can still reach, without its header.
    /// For this, an input must reach all nodes of a port or none of them.
    fn inputs_tell(&self, routing: Routing) -> bool;

    /// Whether no worm comes back to the switch of its source. Then the header of a multicast may
    /// name the source, and the source gets no copy.
    fn leaves_source(&self, _routing: Routing) -> bool {
        false
    }

    /// Whether all heads of a worm have the same number of hops from its first branching switch,
    /// and are at switches of one stage. Synchronous worms need this.
    fn heads_keep_step(&self, _routing: Routing) -> bool {
        false
    }

    /// Reason why the network has no token rings, if it has none.
    fn refuses_token_rings(&self, routing: Routing) -> Option<&'static str>;

    /// Number of lanes on one side of every switch. A port has `link` lanes towards another switch
    /// and `node` lanes towards a node.
    fn lanes(&self, link: u32, node: u32) -> u32;

    /// The rule of [`Blueprint::lanes`] in words.
    fn lanes_in_words(&self, link: &str, node: &str) -> String;

    /// Number of channels between switches. Each direction of a link counts.
    fn links(&self) -> u64;

    /// Number of links that a cut through the middle of the network crosses. Both directions count.
    fn bisection(&self) -> u64;

    /// Largest number of links on which worms can come to the switch of a node.
    fn arrivals(&self) -> u32 {
        self.ports()
    }

    /// Number of inputs of a switch of the last stage that can bring it a worm with several
    /// branches. `None` without stages.
    fn copying_inputs(&self, _link: u32, _inject: u32) -> Option<u32> {
        None
    }

    /// Largest number of switches that a worm passes, one port mask each. 0 without such worms.
    fn masks(&self) -> u32 {
        0
    }

    /// The mean of [`Blueprint::masks`] over all other nodes, as (sum, divisor).
    fn mean_masks(&self) -> (f64, f64) {
        (f64::from(self.masks()), 1.0)
    }

    /// Number of (source, destination) pairs by the number of switches on their route; index 0 is
    /// unused. `None` if the answer needs a walk along the routes.
    fn distances(&self, _routing: Routing) -> Option<Vec<u64>> {
        None
    }
}

/// Adds `n` to bin `at` of a histogram.
pub(super) fn count(histogram: &mut Vec<u64>, at: usize, n: u64) {
    if histogram.len() <= at {
        histogram.resize(at + 1, 0);
    }
    histogram[at] += n;
}

/// Number of switches in `stages` stages. Between two stages there are `ports`^`stages` addresses,
/// and each switch has `ports` of them.
pub(super) fn switches_of_stages(ports: u32, stages: u32) -> u32 {
    ports.saturating_pow(stages.saturating_sub(1)).saturating_mul(stages)
}

/// Refusal of path worms by networks in which some switches have no node.
pub(super) fn refuses_paths(encoding: Encoding) -> Option<String> {
    (encoding.way() == Way::Path).then(|| {
        "multidestination worms visit routers that have nodes, but the switches of a multistage network between its outer stages \
         have none"
            .to_owned()
    })
}
