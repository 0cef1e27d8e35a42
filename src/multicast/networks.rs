//! The networks that algorithms are defined for.

use std::ops::RangeInclusive;

use super::plan::Request;
use super::refusal::Refusal;
use crate::network::routing::Labels;
use crate::network::{BiMin, Grid, UniMin, Wiring};

/// The mesh of a request.
///
/// # Errors
/// When the network is something else.
pub(super) fn mesh<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a Grid, Refusal> {
    match request.wiring {
        Wiring::Grid(grid) if !grid.wraps() => Ok(grid),
        Wiring::Grid(_) => Err(other_network(
            request,
            algorithm,
            "it needs a mesh; its worms would take the wrap-around links".to_owned(),
        )),
        Wiring::UniMin(_) | Wiring::BiMin(_) => Err(other_network(request, algorithm, "it needs a mesh".to_owned())),
    }
}

/// The mesh of a request and its Hamiltonian labels.
///
/// # Errors
/// When the network is something else or not of so many dimensions.
pub(super) fn labelled_mesh<'a>(
    request: &Request<'a>,
    algorithm: &'static str,
    dimensions: RangeInclusive<usize>,
) -> Result<(&'a Grid, Labels), Refusal> {
    let grid = mesh(request, algorithm)?;
    let labels = Labels::new(grid).filter(|_| dimensions.contains(&grid.radices().len()));
    let labels = labels.ok_or_else(|| {
        let (least, most) = dimensions.into_inner();
        let reason = if least == most {
            format!("it needs a mesh of {least} dimensions")
        } else {
            format!("it needs a mesh of {least} to {most} dimensions")
        };
        other_network(request, algorithm, reason)
    })?;
    Ok((grid, labels))
}

/// The bidirectional multistage network of a request.
///
/// # Errors
/// When the network is something else.
pub(super) fn bi_min<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a BiMin, Refusal> {
    match request.wiring {
        Wiring::BiMin(min) => Ok(min),
        Wiring::Grid(_) | Wiring::UniMin(_) => {
            Err(other_network(request, algorithm, "it needs a bidirectional multistage network".to_owned()))
        }
    }
}

/// The unidirectional multistage network of a request.
///
/// # Errors
/// When the network is something else.
pub(super) fn uni_min<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a UniMin, Refusal> {
    match request.wiring {
        Wiring::UniMin(min) => Ok(min),
        Wiring::Grid(_) | Wiring::BiMin(_) => {
            Err(other_network(request, algorithm, "it needs a unidirectional multistage network".to_owned()))
        }
    }
}

/// The algorithm is not defined for this network.
pub(super) fn other_network(request: &Request, algorithm: &'static str, reason: String) -> Refusal {
    Refusal::Network { algorithm, network: in_words(request.wiring), reason }
}

/// A network in words.
pub(super) fn in_words(wiring: &Wiring) -> String {
    match wiring {
        Wiring::Grid(grid) => {
            let radices: Vec<String> = grid.radices().iter().map(ToString::to_string).collect();
            match (&radices[..], grid.wraps()) {
                ([nodes], false) => format!("a linear array of {nodes} nodes"),
                ([nodes], true) => format!("a ring of {nodes} nodes"),
                (_, false) => format!("a {} mesh", radices.join("x")),
                (_, true) => format!("a {} torus", radices.join("x")),
            }
        }
        Wiring::UniMin(_) => "a unidirectional multistage network".to_owned(),
        Wiring::BiMin(_) => "a bidirectional multistage network".to_owned(),
    }
}
