//! Every fixed bug leaves an experiment in `regressions/`, named by its symptom. Each is run under the scoreboard, and a lone
//! worm compared with its flight.

use std::path::Path;

use wormscope::config;
use wormscope::engine::NewWorm;
use wormscope::workload::Stimulus;
use wormscope_testbenches::lone::flies_as_derived;
use wormscope_testbenches::scoreboard::{Ending, watch};

#[test]
fn no_fixed_bug_comes_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let loaded = config::load(&file, &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut stimulus = Stimulus::load(&loaded).unwrap_or_else(|e| panic!("{e}"));
        let worms: Vec<NewWorm> = std::iter::from_fn(|| stimulus.pop(u64::MAX).unwrap()).collect();
        let network = &loaded.experiment.network;
        if let [worm] = &worms[..] {
            flies_as_derived(network, worm).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        }
        assert_eq!(watch(network, worms, 1_000_000), Ok(Ending::Done), "{}", file.display());
    }
}
