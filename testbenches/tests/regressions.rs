//! Every fixed bug leaves a testbench in `regressions/`, named by its symptom. Each runs as a
//! testbench and then under the scoreboard. A lone worm is compared with its flight.

use std::path::Path;

use wormscope::config;
use wormscope::engine::NewWorm;
use wormscope::testbench;
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
        let bench = testbench::load(&file).unwrap_or_else(|e| panic!("{e}"));
        bench.check().unwrap_or_else(|e| panic!("{e}"));
        let mut stimulus = Stimulus::new(&bench.loaded().experiment, |path| panic!("no traces: {path}")).unwrap();
        let worms: Vec<NewWorm> = std::iter::from_fn(|| stimulus.pop(u64::MAX).unwrap()).collect();
        let network = &bench.loaded().experiment.network;
        if let [worm] = &worms[..] {
            flies_as_derived(network, worm).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        }
        assert_eq!(watch(network, worms, 1_000_000), Ok(Ending::Done), "{}", file.display());
    }
}

/// The worm waited for ever for the second flit, and the run ended as if all were done.
#[test]
fn a_fifo_that_holds_less_than_an_address_to_strip_is_refused_with_overlapped_timing_too() {
    let text = "(network: (topology: linear(nodes: 300), switch: (flit_bits: 8, fifo_depth: 1, header_timing: overlapped)), \
                workload: [messages([(cycle: 0, source: 0, destinations: [1, 2], encoding: Some(multidestination), \
                payload_flits: 1)])])";
    let refused = config::from_text("x.ron", text, &[]).expect_err("one flit is not two").to_string();
    let why = "multidestination needs 2 header flits (9 address bits / 8 bits) but fifo_depth is 1; at least 2";
    assert!(refused.contains(why), "{refused}");
}
