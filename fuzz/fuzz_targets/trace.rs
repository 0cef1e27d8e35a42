//! Any bytes are a trace or are refused in one paragraph.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use wormscope::network::Network;
use wormscope::config::from_text;
use wormscope::workload::trace_csv::TraceCsv;

static NETWORK: LazyLock<Network> = LazyLock::new(|| {
    let text = "(network: (topology: mesh(radices: [4, 4])))";
    from_text("mesh.ron", text, &[]).expect("a valid experiment").experiment.network
});

fuzz_target!(|bytes: &[u8]| {
    let messages = TraceCsv::new("fuzz.csv", bytes, &NETWORK).map(|trace| trace.collect::<Result<Vec<_>, _>>());
    if let Err(error) = messages.and_then(|collected| collected) {
        assert!(!error.to_string().contains('\n'));
    }
});
