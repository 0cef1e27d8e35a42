//! Reasons why an algorithm makes no plan.

use thiserror::Error;
use wormscope_hw::NodeId;

/// Reason why an algorithm makes no plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The algorithm is not defined for this network.
    #[error("{algorithm} is not defined for {network}: {reason}")]
    Network {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// The network in words.
        network: String,
        /// Networks for which the algorithm is defined.
        reason: String,
    },
    /// A parameter is out of range.
    #[error("{algorithm}: {parameter} is {value}; allowed: {allowed}")]
    Parameter {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Value of the parameter.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// The source is not a node.
    #[error("{algorithm}: source {source_node} is outside the network of {nodes} nodes")]
    Source {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// The source.
        source_node: NodeId,
        /// Number of nodes of the network.
        nodes: u32,
    },
    /// The algorithm does not support these destinations.
    #[error("{algorithm}: {reason}")]
    Destinations {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Fault of the destinations.
        reason: String,
    },
}

impl Refusal {
    /// A parameter is out of range.
    #[must_use]
    pub fn parameter(algorithm: &'static str, parameter: &'static str, value: &impl ToString, allowed: &str) -> Self {
        Self::Parameter { algorithm, parameter, value: value.to_string(), allowed: allowed.to_owned() }
    }
}
