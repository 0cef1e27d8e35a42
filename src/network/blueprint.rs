//! A topology as configured: what follows from its parameters before it is built, in closed form.
//! One file of `topology/` implements it for each kind.

use std::sync::Arc;

use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use super::{Family, Misfit, Routing};

/// A topology whose unicasts cannot wait for each other in a circle, in place of one whose can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safer {
    /// What it has that the other has not.
    pub name: &'static str,
    /// Its classes of virtual channels.
    pub classes: u32,
    /// The override that makes it of the other.
    pub set: String,
}

/// A topology's parameters. Counts of networks that are too large saturate: validation refuses
/// them.
pub trait Blueprint {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that does not fit.
    fn check(&self) -> Result<(), Misfit>;

    /// The network as wired.
    ///
    /// # Errors
    /// As [`Blueprint::check`].
    fn build(&self) -> Result<Arc<dyn Family>, Misfit>;

    /// The topology in some words, without its routing.
    fn describe(&self) -> String;

    /// Its kind with an article, and the routing functions that are defined for it, its own first.
    fn routings(&self) -> (String, &'static [Routing]);

    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Number of switches.
    fn switches(&self) -> u32;

    /// Ports of every switch.
    fn ports(&self) -> u32;

    /// Nodes along each dimension of a grid; none elsewhere.
    fn radices(&self) -> &[u32] {
        &[]
    }

    /// Whether links lead round the grid.
    fn wraps(&self) -> bool {
        false
    }

    /// Ports of a switch towards the nodes, and as many away from them, where a multistage network
    /// has such sides.
    fn sides(&self) -> Option<u32> {
        None
    }

    /// Ports of a switch, on each side of a bidirectional one, and stages of a multistage network.
    fn stages(&self) -> Option<(u32, u32)> {
        None
    }

    /// Classes of virtual channels between which routing chooses.
    fn classes(&self) -> u32 {
        1
    }

    /// Checks that so many virtual channels can be divided among the classes.
    ///
    /// # Errors
    /// When they cannot, with the parameter that asks for it.
    fn check_channels(&self, _channels: u32) -> Result<(), Misfit> {
        Ok(())
    }

    /// Why unicasts alone can deadlock, and what prevents it, if so.
    fn hazard(&self) -> Option<&'static str> {
        None
    }

    /// The same links without the hazard, maybe for more classes of virtual channels, if there is
    /// such a topology.
    fn safer(&self) -> Option<Safer> {
        None
    }

    /// Why worms of an encoding do not run here with this routing, if so.
    fn refuses(&self, encoding: Encoding, routing: Routing) -> Option<String>;

    /// Whether the input that a worm came in through tells which nodes lie ahead, without its
    /// header: what a port leads to is ahead of an input wholly or not at all.
    fn inputs_tell(&self, routing: Routing) -> bool;

    /// Whether all heads of a worm with several branches are equally many hops behind the switch
    /// where it branched first, and at switches of one stage: what synchronous worms need.
    fn heads_keep_step(&self, _routing: Routing) -> bool {
        false
    }

    /// Why there are no token rings, if so.
    fn refuses_token_rings(&self, routing: Routing) -> Option<&'static str>;

    /// Lanes of one side of every switch, with `link` lanes of a port towards another switch and
    /// `node` of one towards a node.
    fn lanes(&self, link: u32, node: u32) -> u32;

    /// How [`Blueprint::lanes`] counts, in words.
    fn lanes_in_words(&self, link: &str, node: &str) -> String;

    /// Channels between switches, each direction of a link counted.
    fn links(&self) -> u64;

    /// Links, both directions counted, that a cut through the middle of the network crosses.
    fn bisection(&self) -> u64;

    /// Most links on which worms can come to a node's switch.
    fn arrivals(&self) -> u32 {
        self.ports()
    }

    /// Inputs of a switch of the last stage that can bring it a worm with several branches; `None`
    /// without stages.
    fn copying_inputs(&self, _link: u32, _inject: u32) -> Option<u32> {
        None
    }

    /// Most switches that a worm passes, one port mask each; 0 where there are no such worms.
    fn masks(&self) -> u32 {
        0
    }

    /// The mean of [`Blueprint::masks`] over all other nodes, as a sum and what it is divided by.
    fn mean_masks(&self) -> (f64, f64) {
        (f64::from(self.masks()), 1.0)
    }

    /// Number of (source, destination) pairs by the switches on their way, index 0 unused; `None`
    /// where ways have to be walked.
    fn distances(&self, _routing: Routing) -> Option<Vec<u64>> {
        None
    }
}

/// Adds `n` to a histogram.
pub(super) fn count(histogram: &mut Vec<u64>, at: usize, n: u64) {
    if histogram.len() <= at {
        histogram.resize(at + 1, 0);
    }
    histogram[at] += n;
}

/// Switches of so many stages between which there are as many addresses as a number of so many
/// digits has values, `ports` of them at every switch.
pub(super) fn switches_of_stages(ports: u32, stages: u32) -> u32 {
    ports.saturating_pow(stages.saturating_sub(1)).saturating_mul(stages)
}

/// What the networks without a node at every switch say of path worms.
pub(super) fn refuses_paths(encoding: Encoding) -> Option<String> {
    (encoding.way() == Way::Path).then(|| {
        "multidestination worms visit routers that have nodes, but the switches of a multistage network between its outer stages \
         have none"
            .to_owned()
    })
}
