//! Runs an experiment with a field changed, and reads its numbers:
//! `cargo run --release --example run`.

use wormscope::ConfigError;
use wormscope::engine::Delivery;

fn main() -> Result<(), ConfigError> {
    let experiment = wormscope::load("configs/mesh_4x4_bit_string.ron")?.set("network.switch.fifo_depth", 8)?;
    // The observer is told of every delivery. A list keeps them.
    let mut arrivals: Vec<Delivery> = Vec::new();
    let report = experiment.observed(&mut arrivals)?;

    println!("{}: {} after {} cycles", report.network, report.outcome.name(), report.totals.cycles);
    for tree in &report.multicasts {
        let cycles = |cycle: Option<u64>| cycle.map_or("never".to_owned(), |cycle| cycle.to_string());
        println!("worm {} to {:?}: last tail after {}", tree.id, tree.destinations, cycles(tree.last));
        println!("alone in the network it would take {}", cycles(tree.unblocked));
    }
    for of in &arrivals {
        println!("worm {} at node {}: head in cycle {}, tail in cycle {}", of.worm, of.destination, of.head, of.tail);
    }
    // To read the whole report: println!("{report}"). To get it as JSON: report.json().
    Ok(())
}
