//! Sweeps two fields, a run each: `cargo run --release --example sweep`. For sweeps of thousands of
//! runs on all cores, that survive interruptions, there is `wormscope sweep`.

use wormscope::ConfigError;
use wormscope::experiment::{Experiment, Pattern, Run, Traffic, Workload};
use wormscope::network::{Network, Topology};

fn main() -> Result<(), ConfigError> {
    // An experiment made in code. Its fields are those of a file.
    let traffic = Traffic { load: Some(0.1), pattern: Pattern::Uniform, payload_flits: Some(15), ..Traffic::default() };
    let base = Experiment {
        network: Network::new(Topology::Mesh { radices: vec![4, 4] }),
        groups: Vec::new(),
        classes: Vec::new(),
        workload: vec![Workload::Traffic(traffic)],
        run: Run { warmup_cycles: 500, measure_cycles: Some(2000), ..Run::default() },
    };
    let base = base.validated()?;

    println!("flits a node and cycle, mean latency in cycles");
    println!("{:>10}{:>10}{:>10}", "offered", "depth 2", "depth 8");
    for load in [0.05, 0.15, 0.25] {
        let experiment = base.set("workload[0].traffic.load", load)?;
        print!("{load:>10}");
        for depth in [2, 8] {
            let report = experiment.set("network.switch.fifo_depth", depth)?.run()?;
            match report.packet_latency {
                Some(latency) => print!("{:>10.1}", latency.mean),
                None => print!("{:>10}", "none"),
            }
        }
        println!();
    }
    Ok(())
}
