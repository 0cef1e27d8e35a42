//! The table of names: every algorithm, where it is from and what it promises.

use std::collections::HashSet;

use thiserror::Error;
use wormscope_hw::NodeId;

use super::plan::{Plan, Refusal, Request};
use super::{
    Policy, alpha_opt_tree, binomial, block_binomial, chain, dyn_mesh, opt_mesh, opt_tree, sequential, spu_mesh, u_mesh,
};
use crate::config::{Routing, excerpt, suggestion};
use crate::topology::{Grid, Wiring};

/// A multicast algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Name by which it is asked for.
    pub name: &'static str,
    /// Where it is described.
    pub paper: &'static str,
    /// Networks it is defined for, in words.
    pub networks: &'static str,
    /// Routing function its worms conform to; `None`: any.
    pub routing: Option<Routing>,
    /// Whether no two worms of one multicast ever meet on a channel, as long as a node sends one message at a time.
    pub contention_free: bool,
    /// For what the sources do not define: what was put in its place.
    pub reconstruction: Option<&'static str>,
    /// Makes the plan of a request that has passed the checks common to all.
    plan: fn(&Request) -> Result<Plan, Refusal>,
    /// What the nodes decide with what they measure; `None` where the plan is all there is.
    policy: Option<MakePolicy>,
}

type MakePolicy = fn(&Request) -> Result<Box<dyn Policy>, Refusal>;

/// What most rows have in common.
const ANY: Algorithm = Algorithm {
    name: "",
    paper: "",
    networks: "any network",
    routing: None,
    contention_free: false,
    reconstruction: None,
    plan: |request| Ok(sequential::plan(request)),
    policy: None,
};

/// What unicast algorithms on meshes have in common.
const MESH: Algorithm = Algorithm {
    networks: "meshes of any dimensions",
    routing: Some(Routing::DimensionOrder),
    contention_free: true,
    ..ANY
};

/// Every algorithm there is.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: sequential::NAME,
        paper: "[NUPAIROJ] section 4.1",
        contention_free: true,
        plan: |request| Ok(sequential::plan(request)),
        ..ANY
    },
    Algorithm {
        name: chain::NAME,
        paper: "[NUPAIROJ] section 4.1",
        contention_free: true,
        plan: |request| Ok(chain::plan(request)),
        ..ANY
    },
    Algorithm {
        name: binomial::NAME,
        paper: "[NUPAIROJ] section 4.1",
        plan: |request| Ok(binomial::plan(request)),
        ..ANY
    },
    Algorithm {
        name: block_binomial::NAME,
        paper: "[NUPAIROJ] section 3.4.1",
        plan: |request| Ok(block_binomial::plan(request)),
        ..ANY
    },
    Algorithm {
        name: opt_tree::NAME,
        paper: "[NUPAIROJ] algorithm 4.3.1",
        plan: |request| Ok(opt_tree::plan(request)),
        ..ANY
    },
    Algorithm { name: alpha_opt_tree::NAME, paper: "[NUPAIROJ] section 4.5", plan: alpha_opt_tree::plan, ..ANY },
    Algorithm { name: u_mesh::NAME, paper: "[KP] section 2.2.1", plan: u_mesh::plan, ..MESH },
    Algorithm { name: spu_mesh::NAME, paper: "[KP] section 3.1", plan: spu_mesh::plan, ..MESH },
    Algorithm { name: opt_mesh::NAME, paper: "[NUPAIROJ] algorithm 5.2.1", plan: opt_mesh::plan, ..MESH },
    Algorithm {
        name: dyn_mesh::NAME,
        paper: "[NUPAIROJ] section 6.3",
        plan: dyn_mesh::plan,
        policy: Some(dyn_mesh::policy),
        ..MESH
    },
];

/// There is no algorithm of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown algorithm \"{}\"{suggestion}", excerpt(name))]
pub struct Unknown {
    /// The name asked for.
    pub name: String,
    /// The name most like it, if any is, and all there are.
    pub suggestion: String,
}

/// The algorithm of this name.
///
/// # Errors
/// With the name most like it when there is none.
pub fn find(name: &str) -> Result<&'static Algorithm, Unknown> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
        Unknown { name: name.to_owned(), suggestion: suggestion(name, &names) }
    })
}

impl Algorithm {
    /// Plans a multicast.
    ///
    /// # Errors
    /// When the source or a destination is outside, destinations are repeated, none, or the source is among them; when a parameter
    /// is out of range; when the algorithm is not defined for the network.
    pub fn plan(&self, request: &Request) -> Result<Plan, Refusal> {
        self.check(request)?;
        (self.plan)(request)
    }

    /// What the nodes decide while the multicast runs, `None` when the plan is fixed beforehand.
    ///
    /// # Errors
    /// As [`Algorithm::plan`].
    pub fn policy(&self, request: &Request) -> Result<Option<Box<dyn Policy>>, Refusal> {
        self.check(request)?;
        self.policy.map(|policy| policy(request)).transpose()
    }

    /// Whether the nodes decide while the multicast runs.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.policy.is_some()
    }

    /// What no algorithm can do anything with.
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let (algorithm, nodes) = (self.name, request.wiring.nodes());
        request.parameters.check(algorithm)?;
        if request.source.0 >= nodes {
            return Err(Refusal::Source { algorithm, source_node: request.source, nodes });
        }
        let refuse = |reason: String| Err(Refusal::Destinations { algorithm, reason });
        if request.destinations.is_empty() {
            return refuse("no destinations".to_owned());
        }
        let mut seen: HashSet<NodeId> = HashSet::with_capacity(request.destinations.len());
        for &node in request.destinations {
            if node.0 >= nodes {
                return refuse(format!("destination {node} is outside the network of {nodes} nodes"));
            }
            if node == request.source {
                return refuse(format!("the source, {node}, is among the destinations"));
            }
            if !seen.insert(node) {
                return refuse(format!("destination {node} is given twice"));
            }
        }
        Ok(())
    }
}

/// The mesh of a request, of at most `dimensions` dimensions.
///
/// # Errors
/// When the network is something else.
pub(super) fn mesh<'a>(request: &Request<'a>, algorithm: &'static str, dimensions: usize) -> Result<&'a Grid, Refusal> {
    let refuse = |reason: String| {
        let network = in_words(request.wiring);
        Err(Refusal::Network { algorithm, network, reason })
    };
    match request.wiring {
        Wiring::Grid(grid) if grid.wraps() => {
            refuse("its worms would take the wrap-around links; it needs a mesh".to_owned())
        }
        Wiring::Grid(grid) if grid.radices().len() > dimensions => {
            refuse(format!("it needs a mesh of at most {dimensions} dimensions"))
        }
        Wiring::Grid(grid) => Ok(grid),
        Wiring::UniMin(_) | Wiring::BiMin(_) => refuse("it needs a mesh".to_owned()),
    }
}

/// A network in words.
fn in_words(wiring: &Wiring) -> String {
    match wiring {
        Wiring::Grid(grid) => {
            let radices: Vec<String> = grid.radices().iter().map(ToString::to_string).collect();
            let kind = if grid.wraps() { "torus" } else { "mesh" };
            format!("a {} {kind}", radices.join("x"))
        }
        Wiring::UniMin(_) => "a unidirectional multistage network".to_owned(),
        Wiring::BiMin(_) => "a bidirectional multistage network".to_owned(),
    }
}
