//! Checks of a plan on a given network.

use super::Length;
use super::rules::{WormFault, WormRules};
use crate::multicast::{Algorithm, Plan};
use crate::network::{Network, Wiring, refusal};

/// Checks that an algorithm is for this network and wiring, and that its worms can use the routing.
///
/// # Errors
/// The networks that it is defined for, or the routing that it needs.
pub fn check_network(algorithm: &Algorithm, network: &Network, wiring: &Wiring) -> Result<(), String> {
    algorithm.check_network(wiring).map_err(|refusal| refusal.to_string())?;
    match algorithm.routing {
        Some(needed) if needed != network.routing() => {
            Err(format!("{} needs routing: {}, not {}", algorithm.name, needed.name(), network.routing().name()))
        }
        _ => refusal(network, algorithm.encoding).map_or(Ok(()), Err),
    }
}

/// Checks that a network carries the worms of a plan.
///
/// # Errors
/// The first rule that a worm breaks.
pub fn check_worms(rules: &WormRules, plan: &Plan, length: Length) -> Result<(), WormFault> {
    // Most worms are of one kind, so the last result is kept.
    let mut checked = None;
    for send in &plan.sends {
        let worm = (send.encoding, send.to.len() as u32, length.flits_of(send.carried(), plan.pieces));
        if checked.replace(worm) != Some(worm) {
            rules.check_shape(worm.0, worm.1, worm.2)?;
        }
    }
    Ok(())
}
