//! Table of all algorithms: their names, sources and promises.

use std::collections::HashSet;

use thiserror::Error;
use wormscope_hw::{Encoding, NodeId};

use super::broadcast::{allgather, bst, rh, scatter, st};
use super::leaders::{hl, schl, sqhl};
use super::mesh::{dyn_mesh, opt_mesh, spu_mesh, u_mesh};
use super::multistage::{atbm, c_min, dyn_min, multiport, opt_min, sorted_binomial, u_min};
use super::networks::{bi_min, labelled_mesh, mesh, uni_min};
use super::paths::{dual_path, gtdmpm, multi_path, tpp};
use super::plan::{Plan, Request};
use super::refusal::Refusal;
use super::trees::{alpha_opt_tree, binomial, block_binomial, chain, opt_tree, sequential};
use super::{Parameters, Policy, masks};
use wormscope_network::{Routing, Wiring};
use wormscope_quote::excerpt;
use wormscope_quote::spelling::suggestion;

/// A multicast algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Name in configurations.
    pub name: &'static str,
    /// Source of its description.
    pub paper: &'static str,
    /// Networks for which the algorithm is defined, in words.
    pub networks: &'static str,
    /// Refuses a network of another family.
    family: fn(&Request, &'static str) -> Result<(), Refusal>,
    /// Settings of the algorithm, without the costs: fields of `experiment::Settings`.
    pub settings: &'static [&'static str],
    /// Routing function its worms conform to; `None`: any.
    pub routing: Option<Routing>,
    /// Routing function of its worms; `None` for any.
    pub encoding: Encoding,
    /// Encoding of its worms to several nodes. Unicast, if the algorithm has no such worms.
    pub everybody: bool,
    /// Whether no two worms of one multicast ever meet on a channel. A node must send one message
    /// at a time, and `nu` must be 0.
    pub contention_free: bool,
    /// Replacement for parts that the sources do not define.
    pub reconstruction: Option<&'static str>,
    /// Lower bound of the number of worms, for an algorithm that looks for the fewest. It holds for
    /// any plan of the kind.
    least: Option<fn(&Request) -> u32>,
    /// Makes the plan of a request that has passed the common checks.
    plan: fn(&Request) -> Result<Plan, Refusal>,
    /// Makes the decisions of nodes that measure; `None` if the plan is fixed.
    policy: Option<MakePolicy>,
}

type MakePolicy = fn(&Request) -> Result<Box<dyn Policy>, Refusal>;

/// Common fields of most rows.
const ANY: Algorithm = Algorithm {
    name: "",
    paper: "",
    networks: "any network",
    family: |_, _| Ok(()),
    settings: &[],
    routing: None,
    encoding: Encoding::Unicast,
    everybody: false,
    contention_free: false,
    reconstruction: None,
    least: None,
    plan: |request| Ok(sequential::plan(request)),
    policy: None,
};

/// Common fields of unicast algorithms on meshes.
const MESH: Algorithm = Algorithm {
    networks: "meshes",
    family: |request, name| mesh(request, name).map(|_| ()),
    routing: Some(Routing::DimensionOrder),
    contention_free: true,
    ..ANY
};

/// Common fields of the hierarchical leader schemes.
const LEADERS: Algorithm =
    Algorithm { contention_free: false, settings: &["levels"], encoding: Encoding::Multidestination, ..MESH };

/// Common fields of unicast algorithms on bidirectional multistage networks.
const BI_MIN: Algorithm = Algorithm {
    networks: "bidirectional multistage networks",
    family: |request, name| bi_min(request, name).map(|_| ()),
    routing: Some(Routing::Turnaround),
    contention_free: true,
    ..ANY
};

/// Common fields of unicast algorithms on unidirectional multistage networks.
const UNI_MIN: Algorithm = Algorithm {
    networks: "unidirectional multistage networks",
    family: |request, name| uni_min(request, name).map(|_| ()),
    routing: Some(Routing::DestinationTag),
    ..ANY
};

/// Common fields of the phases of multiport worms.
const MULTIPORT: Algorithm = Algorithm {
    paper: "[ATBM] section 1",
    networks: "multistage networks",
    encoding: Encoding::Multiport,
    reconstruction: Some("neither the grouping heuristics nor the order of phases is in our sources"),
    ..ANY
};

/// Common fields of multicasts by address and mask. All worms leave the source.
const MASKS: Algorithm = Algorithm {
    paper: "PULP FlooNoC",
    contention_free: true,
    reconstruction: Some("how a set is split is ours: the fewest masks, by branch and bound"),
    ..ANY
};

/// Common fields of path-based algorithms. All worms leave the source.
const PATHS: Algorithm = Algorithm {
    networks: "2-D and 3-D meshes",
    family: |request, name| labelled_mesh(request, name, 2..=3).map(|_| ()),
    routing: Some(Routing::LabelOrder),
    encoding: Encoding::Multidestination,
    contention_free: true,
    ..ANY
};

/// Common fields of broadcasts. Worms of one step do not meet, except in the exchanges of RH and
/// allgather. But a node that is early may meet nodes that are still at the step before. With `nu`
/// greater than 0, `2^nu` worms share links by design.
const BROADCAST: Algorithm = Algorithm {
    networks: "linear arrays and 2-D meshes",
    family: |request, name| mesh(request, name).map(|_| ()),
    settings: &["nu"],
    routing: Some(Routing::DimensionOrder),
    everybody: true,
    ..ANY
};

/// All algorithms.
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
        settings: &["block"],
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
    Algorithm { name: hl::NAME, paper: "[KP] section 2.2.2", plan: hl::plan, ..LEADERS },
    Algorithm { name: sqhl::NAME, paper: "[KP] section 4.1", plan: sqhl::plan, ..LEADERS },
    Algorithm { name: schl::NAME, paper: "[KP] section 4.2", plan: schl::plan, ..LEADERS },
    Algorithm { name: dual_path::NAME, paper: "Lin et al. 1994", plan: dual_path::plan, ..PATHS },
    Algorithm {
        name: multi_path::NAME,
        paper: "Lin et al. 1994",
        networks: "2-D meshes",
        family: |request, name| labelled_mesh(request, name, 2..=2).map(|_| ()),
        plan: multi_path::plan,
        ..PATHS
    },
    Algorithm { name: tpp::NAME, paper: "[TPP]", networks: "3-D meshes", family: in_3_d, plan: tpp::plan, ..PATHS },
    Algorithm {
        name: gtdmpm::NAME,
        paper: "[TPP]",
        networks: "3-D meshes",
        family: in_3_d,
        reconstruction: Some("named but not defined in [TPP]; multi-path on its labels"),
        plan: gtdmpm::plan,
        ..PATHS
    },
    Algorithm { name: u_min::NAME, paper: "[NUPAIROJ] section 5.3", plan: u_min::plan, ..BI_MIN },
    Algorithm { name: opt_min::NAME, paper: "[NUPAIROJ] algorithm 5.3.1", plan: opt_min::plan, ..BI_MIN },
    Algorithm {
        name: dyn_min::NAME,
        paper: "[NUPAIROJ] section 6.3",
        plan: dyn_min::plan,
        policy: Some(dyn_min::policy),
        ..BI_MIN
    },
    Algorithm {
        name: sorted_binomial::NAME,
        paper: "[ATBM] section 1",
        reconstruction: Some("the pessimistic bound of C-min: nodes in order of their addresses"),
        plan: sorted_binomial::plan,
        ..UNI_MIN
    },
    Algorithm {
        name: c_min::NAME,
        paper: "[ATBM] section 1",
        reconstruction: Some("the order of nodes is not in our sources; the best of many is searched for"),
        settings: &["candidates"],
        plan: c_min::plan,
        ..UNI_MIN
    },
    Algorithm { name: multiport::NAMES[0], plan: multiport::plan_g1, ..MULTIPORT },
    Algorithm { name: multiport::NAMES[1], plan: multiport::plan_g2, ..MULTIPORT },
    Algorithm {
        name: multiport::NAMES[2],
        networks: "multistage networks of at most 100,000 products of port sets",
        plan: multiport::plan_g3,
        ..MULTIPORT
    },
    Algorithm {
        name: atbm::NAME,
        paper: "[ATBM] section 4",
        networks: "multistage networks",
        encoding: Encoding::BitString,
        contention_free: true,
        plan: atbm::plan,
        ..ANY
    },
    Algorithm {
        name: masks::NAMES[0],
        networks: "meshes and multistage networks",
        family: masks::family,
        encoding: Encoding::Mask,
        least: Some(masks::least),
        plan: masks::plan,
        ..MASKS
    },
    Algorithm {
        name: masks::NAMES[1],
        networks: "meshes",
        family: |request, name| mesh(request, name).map(|_| ()),
        routing: Some(Routing::DimensionOrder),
        encoding: Encoding::CoordinateMask,
        least: Some(masks::least_by_coordinates),
        plan: masks::plan_by_coordinates,
        ..MASKS
    },
    Algorithm { name: st::NAME, paper: "[SEIDEL] sections 3.1 and 3.2", plan: st::plan, ..BROADCAST },
    Algorithm {
        name: st::SIMPLE,
        paper: "[SEIDEL] section 3.2",
        contention_free: true,
        plan: st::plan_simple,
        ..BROADCAST
    },
    Algorithm { name: bst::NAME, paper: "[SEIDEL] sections 3.3 and 3.4", plan: bst::plan, ..BROADCAST },
    Algorithm { name: bst::SIMPLE, paper: "[SEIDEL] section 3.4.1", plan: bst::plan_simple, ..BROADCAST },
    Algorithm { name: rh::NAME, paper: "[SEIDEL] sections 3.5 and 3.6", plan: rh::plan, ..BROADCAST },
    Algorithm {
        name: scatter::NAME,
        paper: "[SEIDEL] section 3.1.1",
        contention_free: true,
        plan: scatter::plan,
        ..BROADCAST
    },
    Algorithm { name: allgather::NAME, paper: "[SEIDEL] sections 3.5 and 3.6", plan: allgather::plan, ..BROADCAST },
];

/// There is no algorithm of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown algorithm \"{}\"{suggestion}", excerpt(name))]
pub struct Unknown {
    /// The name that was given.
    pub name: String,
    /// The most similar name, if any, and all names.
    pub suggestion: String,
}

/// Finds the algorithm with this name.
///
/// # Errors
/// There is no such algorithm. The error has the most similar name.
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
    /// The source or a destination is outside the network. Destinations are repeated, missing, or
    /// contain the source. A parameter is out of range. The algorithm is not defined for the
    /// network.
    pub fn plan(&self, request: &Request) -> Result<Plan, Refusal> {
        self.check(request)?;
        (self.plan)(request)
    }

    /// Lower bound of the number of worms of all plans for this request, for an algorithm that
    /// looks for the fewest worms.
    #[must_use]
    pub fn least(&self, request: &Request) -> Option<u32> {
        self.least.map(|least| least(request))
    }

    /// Decisions of the nodes while the multicast runs. `None` when the plan is fixed beforehand.
    ///
    /// # Errors
    /// Fails as [`Algorithm::plan`] does.
    pub fn policy(&self, request: &Request) -> Result<Option<Box<dyn Policy>>, Refusal> {
        self.check(request)?;
        self.policy.map(|policy| policy(request)).transpose()
    }

    /// Checks that the algorithm supports this family of networks. The routing does not count.
    ///
    /// # Errors
    /// The networks that it is defined for, if this is another one.
    pub fn check_network(&self, wiring: &Wiring) -> Result<(), Refusal> {
        let parameters = Parameters::default();
        (self.family)(&Request { wiring, source: NodeId(0), destinations: &[], parameters: &parameters }, self.name)
    }

    /// Refuses a request that no algorithm can serve.
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        request.parameters.check(self.name)?;
        self.check_nodes(request.wiring, request.source, request.destinations)
    }

    /// Checks that nodes can be the source and the destinations of a multicast.
    ///
    /// # Errors
    /// A node is outside the network or given twice, or there is no destination.
    pub fn check_nodes(&self, wiring: &Wiring, source: NodeId, destinations: &[NodeId]) -> Result<(), Refusal> {
        let (algorithm, nodes) = (self.name, wiring.nodes());
        if source.0 >= nodes {
            return Err(Refusal::Source { algorithm, source_node: source, nodes });
        }
        let refuse = |reason: String| Err(Refusal::Destinations { algorithm, reason });
        if destinations.is_empty() {
            return refuse("no destinations".to_owned());
        }
        let mut seen: HashSet<NodeId> = HashSet::with_capacity(destinations.len());
        for &node in destinations {
            if node.0 >= nodes {
                return refuse(format!("destination {node} is outside the network of {nodes} nodes"));
            }
            if node == source {
                return refuse(format!("the source, {node}, is among the destinations"));
            }
            if !seen.insert(node) {
                return refuse(format!("destination {node} is given twice"));
            }
        }
        Ok(())
    }
}

/// Accepts only meshes of three dimensions.
fn in_3_d(request: &Request, algorithm: &'static str) -> Result<(), Refusal> {
    labelled_mesh(request, algorithm, 3..=3).map(|_| ())
}
