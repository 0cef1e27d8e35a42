//! Verdict as JSON.

use serde::Serialize;

use super::Safety;
use crate::experiment::{Loaded, Message};

/// Shape of [`Judged`].
const SCHEMA_VERSION: u32 = 1;

/// Output of `wormscope check --deadlock --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// 1.
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// The network in some words.
    pub network: String,
    /// `free`, `possible` or `unknown`.
    pub deadlock: &'static str,
    /// Name of the argument that proves `free`.
    pub argument: Option<&'static str>,
    /// The argument in words, or the reason why there is none.
    pub reason: String,
    /// A cycle of waits, if there is one: each place waits for the next, and the last for the
    /// first.
    pub cycle: Vec<String>,
    /// Messages that deadlock, in the order of their cycles.
    pub messages: Vec<Message>,
}

impl Judged {
    /// The verdict on an experiment.
    #[must_use]
    pub fn new(loaded: &Loaded, verdict: &Safety) -> Self {
        let (argument, reason, cycle, messages) = match verdict {
            Safety::Free(proof) => (Some(proof.name()), proof.in_words(), Vec::new(), Vec::new()),
            Safety::Possible(witness, cycle) => {
                (None, "a run of these messages deadlocks".to_owned(), cycle.clone(), witness.messages.clone())
            }
            Safety::Unknown(why, cycle) => (None, why.clone(), cycle.clone(), Vec::new()),
        };
        let cycle = cycle.into_iter().map(|place| place.name).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: loaded.title(),
            config_hash: loaded.hash.clone(),
            network: loaded.experiment.network.describe(),
            deadlock: verdict.column(),
            argument,
            reason,
            cycle,
            messages,
        }
    }
}
