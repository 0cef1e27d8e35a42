//! Traces of the runs of a sweep. They must be unchanged when the sweep is continued.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Sweep, SweepError, record};
use crate::experiment::Loaded;
use crate::input::{ConfigError, title};

/// A trace, which may be large. Only the hash of its contents is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trace {
    /// The file, relative to the folder in which the sweep was called.
    pub(super) name: String,
    /// SHA-256 of its bytes.
    pub(super) sha256: String,
}

impl Sweep {
    /// Every trace that one of its runs may read.
    pub(super) fn traces(&self) -> Result<Vec<Trace>, SweepError> {
        let (mut seen, mut traces) = (BTreeSet::new(), Vec::new());
        for loaded in self.forms()? {
            for name in loaded.traces() {
                let path = loaded.resolve(name);
                if seen.insert(path.clone()) {
                    traces.push(Trace { name: title(&path), sha256: hash(&loaded, name)? });
                }
            }
        }
        Ok(traces)
    }
}

fn hash(loaded: &Loaded, name: &str) -> Result<String, SweepError> {
    let mut digest = Sha256::new();
    std::io::copy(&mut loaded.open(name)?, &mut digest)
        .map_err(|source| ConfigError::Read { file: title(&loaded.resolve(name)), source })?;
    Ok(record::hex(&digest.finalize()))
}
