//! Networks that algorithms are defined for.

use std::ops::RangeInclusive;

use super::plan::Request;
use super::refusal::Refusal;
use wormscope_network::routing::Labels;
use wormscope_network::{BiMin, Grid, UniMin};

/// The mesh of a request.
///
/// # Errors
/// The network is no mesh.
pub(super) fn mesh<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a Grid, Refusal> {
    let reason = match request.wiring.grid() {
        Some(grid) if !grid.wraps() => return Ok(grid),
        Some(_) => "it needs a mesh; its worms would take the wrap-around links",
        None => "it needs a mesh",
    };
    Err(other_network(request, algorithm, reason.to_owned()))
}

/// The mesh of a request and its Hamiltonian labels.
///
/// # Errors
/// The network is no mesh, or has another number of dimensions.
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
/// The network is another one.
pub(super) fn bi_min<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a BiMin, Refusal> {
    let needs = || other_network(request, algorithm, "it needs a bidirectional multistage network".to_owned());
    request.wiring.bi_min().ok_or_else(needs)
}

/// The unidirectional multistage network of a request.
///
/// # Errors
/// The network is another one.
pub(super) fn uni_min<'a>(request: &Request<'a>, algorithm: &'static str) -> Result<&'a UniMin, Refusal> {
    let needs = || other_network(request, algorithm, "it needs a unidirectional multistage network".to_owned());
    request.wiring.uni_min().ok_or_else(needs)
}

/// Refusal of a network for which the algorithm is not defined.
pub(super) fn other_network(request: &Request, algorithm: &'static str, reason: String) -> Refusal {
    Refusal::Network { algorithm, network: request.wiring.in_words(), reason }
}
