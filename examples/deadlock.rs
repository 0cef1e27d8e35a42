//! Finds a deadlock, prints its explanation, and runs what frees it:
//! `cargo run --release --example deadlock`.

use wormscope::ConfigError;

fn main() -> Result<(), ConfigError> {
    let experiment = wormscope::load("configs/atbm_fig6a_deadlock.ron")?;
    let Some(deadlock) = experiment.explain()?.deadlock else {
        println!("no deadlock");
        return Ok(());
    };
    // Prints the waits of the worms, the cures, and the last choice of an arbiter that could have
    // avoided the deadlock.
    println!("{deadlock}");

    if let Some(cure) = deadlock.cures.first() {
        let mut cured = experiment;
        for set in &cure.sets {
            let (path, value) = set.split_once('=').expect("path=value");
            cured = cured.set(path, value)?;
        }
        let report = cured.run()?;
        println!("with {}: {} after {} cycles", cure.change, report.outcome.name(), report.totals.cycles);
    }
    Ok(())
}
