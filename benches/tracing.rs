//! Speed of tracing, `cargo bench --bench tracing`: value changes a second into VCD by the tracer,
//! fed with commit logs, against a bare loop that writes the same changes with the same writer, in
//! turn in one run.

use wormscope::config;
use wormscope::trace::speed::{Speed, measure};

const RUNS: usize = 7;
const CYCLES: u64 = 4000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let loaded = config::from_text("bench", "(network: (topology: mesh(radices: [8, 8])))", &[])?;
    let network = &loaded.experiment.network;
    let directory = tempfile::tempdir()?;
    let runs: Vec<Speed> =
        (0..RUNS).map(|_| measure(directory.path(), network, &network.wiring(), CYCLES)).collect::<Result<_, _>>()?;
    println!("8x8 mesh, every switch moves a flit in every cycle, {} changes a run, {RUNS} runs", runs[0].changes);
    row("tracer, M changes/s", &runs, |s| s.rates().0 / 1e6);
    row("bare loop, M changes/s", &runs, |s| s.rates().1 / 1e6);
    row("tracer / bare loop", &runs, |s| s.rates().0 / s.rates().1);
    Ok(())
}

fn row(name: &str, runs: &[Speed], figure: impl Fn(&Speed) -> f64) {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    println!("{name:<24} median {:.2}, min {:.2}, max {:.2}", figures[RUNS / 2], figures[0], figures[RUNS - 1]);
}
