//! Files that `wormscope test` makes of one testbench: its stimulus, its smallest failure, its
//! assertions.

use std::path::Path;

use wormscope::memory::refuse_beyond_memory;
use wormscope::output;
use wormscope::quote;
use wormscope::testbench::{Bench, Sources};

use super::super::exit::{CHECK_FAILED, DONE, Refused, interrupted, print};
use super::super::outputs::{self, Files};
use super::super::progress::{Shown, while_doing};
use super::super::signals;
use super::args::Args;

/// The option that asks for a file, and the file.
pub fn asked(args: &Args) -> Option<(&'static str, &Path)> {
    let options = [("--export", &args.export), ("--shrink", &args.shrink), ("--sva", &args.sva)];
    options.into_iter().find_map(|(option, path)| Some((option, path.as_deref()?)))
}

/// Writes the file that an option asks for.
pub fn write(args: &Args, (option, path): (&'static str, &Path), sources: Vec<Sources>) -> Result<u8, Refused> {
    let count = sources.len();
    let Ok([sources]) = <[Sources; 1]>::try_from(sources) else {
        return Err(Refused(format!(
            "{option}: {count} testbenches are chosen; allowed: one, by its path or --filter"
        )));
    };
    let inputs = sources.inputs();
    let mut bench = sources.bench_under(&args.sets)?;
    refuse_beyond_memory(bench.loaded()).map_err(|why| format!("{}: {why}", quote::name(&bench.name)))?;
    bench.evaluate(args.engine.into());
    let seed = args.seed.unwrap_or(bench.loaded().experiment.run.seed);
    let created = Files::beside(&inputs).create(option, Some(path))?;
    let (text, told, done) = match option {
        "--export" => {
            let exported = while_doing("drawing the worms", || bench.exported(Some(seed)));
            let exported = exported.map_err(|why| format!("{}: {why}", quote::name(&bench.name)))?;
            (exported.text(), format!("{}: the stimulus of seed {seed}\n", quote::name(&bench.name)), DONE)
        }
        "--shrink" => shrink(args, &bench, seed, path)?,
        _ => {
            let assertions = bench.assertions();
            if assertions.count == 0 && assertions.left_out.is_empty() {
                return Err(Refused(format!("{}: it has no properties and no signals", quote::name(&bench.name))));
            }
            let left: String =
                assertions.left_out.iter().map(|of| ["no assertion: ", of.as_str(), "\n"].concat()).collect();
            (assertions.text, format!("{}\n{left}", quote::counted(assertions.count, "assertion")), DONE)
        }
    };
    let filled = created.map(|file| file.filled(&text)).transpose()?;
    print(&told)?;
    print(&outputs::wrote(&output::place(filled.into_iter().collect())?))?;
    Ok(done)
}

/// The smallest failure of the first run that fails, and the text about it.
fn shrink(args: &Args, bench: &Bench, seed: u64, path: &Path) -> Result<(String, String, u8), Refused> {
    let name = quote::name(&bench.name);
    let stop = signals::keeps_what_there_is();
    let shown = Shown::doing("searching for a run that fails");
    for seed in (0..u64::from(args.repeat)).map(|more| seed.wrapping_add(more)) {
        let Some(verdict) = bench.run_until(Some(seed), stop)? else {
            return Err(Refused(format!("{name}: interrupted before a run failed; nothing was written")));
        };
        let Some(failure) = verdict.failures.first() else { continue };
        let shrunk = bench.shrunk(seed, failure, stop, &mut |worms, runs| {
            shown.begins(&format!("{}, {}", quote::counted(worms, "worm"), quote::counted(runs, "run")));
        });
        drop(shown);
        let shrunk = shrunk.map_err(|why| format!("{name}: {why}"))?;
        let (before, after) = shrunk.worms;
        let told = format!(
            "{name}: seed {seed} fails: {}\n{after} of {} in {}{}\nagain: wormscope test {}\n",
            failure.kind(),
            quote::counted(before, "worm"),
            quote::counted(shrunk.runs, "run"),
            if shrunk.is_complete { "" } else { "; the search was not over" },
            quote::shell(path)
        );
        let stopped = !shrunk.is_complete && stop.load(std::sync::atomic::Ordering::Relaxed);
        let done = if stopped { interrupted("") } else { CHECK_FAILED };
        return Ok((shrunk.bench.text(), told, done));
    }
    let runs = quote::counted(args.repeat, "run");
    Err(Refused(format!("{name}: no failure to shrink in {runs} from seed {seed} on; --repeat tries more seeds")))
}
