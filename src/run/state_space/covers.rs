//! Networks whose states the search can visit.

use wormscope_hw::{Acquisition, Arbiter, Replication};

use crate::network::Network;

/// A network that the search does not cover.
///
/// # Errors
/// The reason, and a way out.
pub fn check(network: &Network) -> Result<(), String> {
    let refused = |what: &str, why: &str| Err(format!("prove does not cover {what}; {why}"));
    if network.switch.replication == Replication::Synchronous {
        return refused(
            "synchronous replication",
            "docs/explain/proofs.md has a proof for it; allowed: asynchronous, lockstep, buffered, sequential",
        );
    }
    if network.switch.acquisition == Acquisition::Atomic
        && matches!(network.switch.arbiter, Arbiter::RrTree | Arbiter::Matrix | Arbiter::OldestFirst)
    {
        let name = network.switch.arbiter;
        return refused(
            &format!("atomic acquisition with the arbiter {name}"),
            "allowed: --set arbiter=round_robin or --set arbiter=fixed_priority",
        );
    }
    if network.switch.arbiter == Arbiter::OldestFirst {
        return refused(
            "the arbiter oldest_first",
            "with --set arbiter=round_robin prove tries all choices, and those of oldest_first are among them",
        );
    }
    if network.node.has_software() {
        return refused(
            "the software of nodes",
            "take costs, send_buffer and receive_buffer out; worms come at any time without them",
        );
    }
    if network.node.startup_cycles > 0 {
        return refused("startup_cycles", "set it to 0; worms come at any time without it");
    }
    Ok(())
}
