//! Verdicts that are kept: experiments with equal networks and equal worms have one verdict,
//! whatever their loads, seeds and windows are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest as _, Sha256};

use super::{Effort, Judgement, judge, too_large};
use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::site::Site;
use crate::workload::Allowed;

/// Verdict of a network with worms. The first thread that asks computes it, and the others wait.
type Kept = Arc<OnceLock<Judgement>>;

/// Verdicts by the hash of network and worms.
#[derive(Debug, Default)]
pub struct Verdicts(Mutex<HashMap<[u8; 32], Kept>>);

impl Verdicts {
    /// The verdict on an experiment. It is the same in any order of the questions.
    ///
    /// # Errors
    /// A trace is wrong, or an algorithm makes no plan.
    pub fn answer(&self, loaded: &Loaded, site: &Site) -> Result<Judgement, ConfigError> {
        if too_large(loaded, Effort::OF_A_ROW) {
            return Ok(Judgement::Unknown);
        }
        let kept = {
            let hash = hash(loaded, site)?;
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(hash).or_default().clone()
        };
        if let Some(&answer) = kept.get() {
            return Ok(answer);
        }
        let answer = judge(loaded, site, Effort::OF_A_ROW, &|| false)?.answer();
        Ok(*kept.get_or_init(|| answer))
    }

    /// Number of verdicts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there are none yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Hash of all that a verdict depends on.
fn hash(loaded: &Loaded, site: &Site) -> Result<[u8; 32], ConfigError> {
    let allowed = Allowed::of(loaded, site)?;
    let is_plain = |entry: &Workload| matches!(entry, Workload::Messages(_) | Workload::Trace(_));
    let is_plain = loaded.experiment.workload.iter().all(is_plain);
    let text = format!("{:?} {:?} {:?} {is_plain}", loaded.experiment.network, allowed.given, allowed.drawn);
    Ok(Sha256::digest(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    fn answer(verdicts: &Verdicts, depth: u32, load: f64, seed: u64) -> Judgement {
        let text = format!(
            "(network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: {depth}, replication: buffered)),
              workload: [traffic(load: {load}, encoding: bit_string, destinations: 3, payload_flits: 4)],
              run: (seed: {seed}, measure_cycles: 50))"
        );
        let loaded = from_text("x.ron", &text, &[]).unwrap();
        verdicts.answer(&loaded, &Site::of(&loaded).unwrap()).unwrap()
    }

    #[test]
    fn loads_and_seeds_share_a_verdict_and_depths_do_not() {
        let verdicts = Verdicts::default();
        for (load, seed) in [(0.1, 1), (0.3, 1), (0.3, 2)] {
            assert_eq!(answer(&verdicts, 5, load, seed), Judgement::Free);
        }
        assert_eq!(verdicts.len(), 1);
        assert_eq!(answer(&verdicts, 2, 0.1, 1), Judgement::Possible);
        assert_eq!(verdicts.len(), 2);
    }
}
