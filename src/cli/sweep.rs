//! `wormscope sweep` and `wormscope merge`.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wormscope::input::{ron, title};
use wormscope::quote;
use wormscope::sweep::{self, Base, Counts, Directory, ROWS, Shard, Study, Sweep, SweepError};
use wormscope::testbench;

use super::energy;
use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, print, warn};
use super::outputs::identity;
use super::progress::{Progress, Shown, while_doing};
use super::signals;
use super::usage::{folder, integer};

/// Arguments of `wormscope sweep`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON files of the base experiments; or one file that has all of these options: (bases: [...],
    /// vary: [...], ...)
    #[arg(required = true)]
    bases: Vec<PathBuf>,
    /// Vary a field: fifo_depth=2,4,8 or load=0.02..0.4/0.02 (step) or flit_bits=8..64*2 (factor);
    /// 'a=1,2 with b=3,4' varies both together (repeatable)
    #[arg(long, value_name = "FIELD=VALUES")]
    vary: Vec<String>,
    /// Compute a field from others, as in payload_flits=512/flit_bits (repeatable)
    #[arg(long, value_name = "FIELD=EXPRESSION")]
    derive: Vec<String>,
    /// Run each point N times, 1 to 2^32 - 1, with the seed of its base and the next N - 1 seeds
    #[arg(long, value_name = "N", value_parser = integer(1..=u32::MAX))]
    seeds: Option<u32>,
    /// Stop repeating a point when the 95 % interval of METRIC over its seeds is within PERCENT of
    /// the mean to either side, as in latency_last_mean=5%; needs --seeds
    #[arg(long, value_name = "METRIC=PERCENT", requires = "seeds")]
    seeds_until: Option<String>,
    /// Find the warm-up. Then lengthen each run until half of the 95 % interval of METRIC is at
    /// most PERCENT of its mean, as in latency_last_mean=5%
    #[arg(long, value_name = "METRIC=PERCENT")]
    until: Option<String>,
    /// Search for the load at saturation by bisection; where several fields are loads, name one:
    /// --saturation=FIELD
    #[arg(long, value_name = "FIELD", num_args = 0..=1, require_equals = true, default_missing_value = "load")]
    saturation: Option<String>,
    /// Estimate energy and time of each run with the coefficients of a technology, 45nm, 22nm or
    /// 11nm, or of a file
    #[arg(long, value_name = "NAME or FILE")]
    energy: Option<PathBuf>,
    /// Measure links, FIFOs and hops too: link_use_max, fifo_fill_mean, hops_mean and more; runs
    /// take longer
    #[arg(long)]
    links: bool,
    /// Count the situations that each run meets, for wormscope coverage DIR; runs take longer
    #[arg(long)]
    coverage: bool,
    /// Tell for each row whether worms that its workload allows can deadlock, as check --deadlock
    /// does: the columns deadlock and deadlock_free
    #[arg(long)]
    deadlock: bool,
    /// Write the results to DIR; if DIR has a part of the same sweep, run only what is missing
    #[arg(short, long, value_name = "DIR", value_parser = folder())]
    output: PathBuf,
    /// Do N runs at a time, 1 to 1024 [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = integer(1..=1024_usize))]
    jobs: Option<usize>,
    /// Run only the K-th of N parts, as in 3/8; wormscope merge joins the parts
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Allow a sweep of more than ten million runs
    #[arg(long)]
    yes: bool,
    /// Check the sweep and create the directory, but run nothing
    #[arg(long)]
    no_run: bool,
    /// An option of other commands. The error names --vary.
    #[arg(long = "set", value_name = "PATH=VALUE", hide = true)]
    sets: Vec<String>,
}

/// Arguments of `wormscope merge`.
#[derive(clap::Args)]
pub struct MergeArgs {
    /// Directories of all shards of one sweep
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// Write the merged sweep to DIR
    #[arg(short, long, value_name = "DIR", value_parser = folder())]
    output: PathBuf,
}

/// Runs a sweep, or continues a sweep.
pub fn sweep(args: &Args) -> Result<u8, Refused> {
    if let Some(set) = args.sets.first() {
        let vary = quote::shell(set);
        return Err(Refused(format!("sweep has no --set; to give the field one value, write --vary {vary}")));
    }
    let SweepFiles { study, file, bases, energy } = asked(args)?;
    let shown = Shown::doing("checking the sweep");
    let in_file = |error: SweepError| match &file {
        Some(file) => error.in_file(&file.name, &file.text),
        None => error,
    };
    let sweep = Sweep::new(study, bases, energy, args.yes).map_err(in_file)?;
    shown.begins("reading what is finished");
    let mut directory = Directory::open(&args.output, &sweep, args.shard)?;
    drop(shown);
    if args.no_run {
        let counts = sweep::execute_points(&sweep, &mut directory, &BTreeSet::new(), 1, &|_| ())?;
        let (there, all, folder) = (counts.ended(), sweep.runs(), quote::name(&args.output));
        let command = sweep::going_on(&args.output)?;
        print(&format!("{there} of {all} runs are in {folder}; to continue, run: {command}\n"))?;
        return Ok(DONE);
    }
    let jobs = jobs(args.jobs);
    let progress = Progress::new("preparing runs");
    signals::goes_on();
    let started = Instant::now();
    let ended = sweep::execute(&sweep, &mut directory, args.shard, jobs, &|counts| progress.tell(counts));
    drop(progress);
    summary(&ended?, started.elapsed(), &args.output)
}

/// Number of runs at the same time.
pub fn jobs(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// Makes shards one.
pub fn merge(args: &MergeArgs) -> Result<u8, Refused> {
    let started = Instant::now();
    let counts = while_doing("merging the shards", || sweep::merge(&args.shards, &args.output))?;
    summary(&counts, started.elapsed(), &args.output)
}

/// The question, with its experiments.
struct SweepFiles {
    study: Study,
    /// The file of the study, if it is not asked by options.
    file: Option<Base>,
    bases: Vec<Base>,
    energy: Option<Base>,
}

/// The question, by a file or by the options, and its experiments.
fn asked(args: &Args) -> Result<SweepFiles, Refused> {
    let bases: Vec<Base> = args.bases.iter().map(|path| base(path)).collect::<Result<_, _>>()?;
    check_apart(&args.bases)?;
    if let [file] = &bases[..]
        && Study::is_one(&file.text)
    {
        let lists = [&args.vary, &args.derive].into_iter().any(|list| !list.is_empty());
        let asks = args.seeds.is_some() || args.until.is_some() || args.saturation.is_some() || args.energy.is_some();
        let asks = asks || args.links || args.coverage || args.deadlock;
        if lists || asks {
            let why = "this file sets all that options of wormscope sweep set; leave the options out and change the \
                       file";
            return Err(Refused(format!("{}: {why}", quote::name(&file.name))));
        }
        let mut study = Study::from_text(&file.name, &file.text)?;
        // Paths of bases are relative to the file, as paths of includes and traces are.
        let beside = args.bases[0].parent().unwrap_or(Path::new(""));
        let paths: Vec<PathBuf> = study.bases.iter().map(|base| beside.join(base)).collect();
        let beside_it: Vec<Base> = paths.iter().map(|path| base(path)).collect::<Result<_, _>>()?;
        check_apart(&paths)?;
        let energy = study.energy.as_ref().map(|of| energy::Given::read(Path::new(of), beside)).transpose()?;
        let energy = energy.map(|of| of.base);
        // The sweep names its bases with paths from the working directory.
        study.bases = beside_it.iter().map(|base| base.name.clone()).collect();
        study.energy = energy.as_ref().map(|file| file.name.clone());
        return Ok(SweepFiles { study, file: Some(file.clone()), bases: beside_it, energy });
    }
    let energy = energy::Given::of(args.energy.as_deref())?.map(|of| of.base);
    let study = Study {
        bases: bases.iter().map(|base| base.name.clone()).collect(),
        vary: args.vary.clone(),
        derive: args.derive.clone(),
        seeds: args.seeds.unwrap_or(1),
        seeds_until: args.seeds_until.clone(),
        until: args.until.clone(),
        saturation: args.saturation.clone(),
        energy: energy.as_ref().map(|file| file.name.clone()),
        links: args.links,
        coverage: args.coverage,
        deadlock: args.deadlock,
    };
    Ok(SweepFiles { study, file: None, bases, energy })
}

/// Reads a base, or the file of a sweep. A testbench is neither.
fn base(path: &Path) -> Result<Base, Refused> {
    let text = ron::read(path)?;
    if !testbench::is_testbench(&text) {
        return Ok(Base::new(title(path), text));
    }
    let (name, shell) = (quote::name(path), quote::shell(path));
    Err(Refused(format!(
        "{name}: a testbench, and a sweep takes experiments; to run it with ten seeds: wormscope test {shell} --repeat 10"
    )))
}

/// Refuses two names of the same base, because the table would have its rows twice.
fn check_apart(bases: &[PathBuf]) -> Result<(), Refused> {
    let known: Vec<Option<PathBuf>> = bases.iter().map(|path| identity(path)).collect();
    for (at, path) in bases.iter().enumerate() {
        let before =
            (0..at).find(|&other| known[other].is_some() && known[other] == known[at] && bases[other] != *path);
        if let Some(other) = before {
            let (path, other) = (quote::name(path), quote::name(&bases[other]));
            return Err(Refused(format!("the bases {other} and {path} are the same file; give each base once")));
        }
    }
    Ok(())
}

/// Prints how the runs ended; the exit code says the worst of it.
fn summary(counts: &Counts, time: Duration, output: &Path) -> Result<u8, Refused> {
    let parts = [
        (counts.done, "done"),
        (counts.saturated, "saturated"),
        (counts.cycle_limit, "at the cycle limit"),
        (counts.deadlock, "DEADLOCK"),
        (counts.refused, "refused"),
    ];
    if counts.missed > 0 {
        let runs = format!("{} of {} done", counts.missed, quote::counted(counts.done, "run"));
        let widest = match counts.widest {
            percent if percent.is_finite() => format!("the widest is {percent:.2} % (interval_percent)"),
            _ => "some runs have too few observations for an interval".to_owned(),
        };
        let advice = "give the base a longer measure_cycles, or --until a wider interval";
        warn(&[format!("{runs} did not reach the interval of --until in the longest window: {widest}; {advice}")]);
    }
    if counts.points_missed > 0 {
        let points = format!("{} of {}", counts.points_missed, quote::counted(counts.points, "point"));
        let widest = match counts.points_widest {
            percent if percent.is_finite() => format!("the widest is {percent:.2} % of the mean to either side"),
            _ => "some points have no interval".to_owned(),
        };
        let advice = "give more --seeds, or --seeds-until a wider interval";
        warn(&[format!("{points} did not reach the interval of --seeds-until with all seeds: {widest}; {advice}")]);
    }
    if let Some((run, why)) = &counts.first_refused {
        let runs = format!("{} of {}", counts.refused, quote::counted(counts.all, "run"));
        let were = quote::form(counts.refused, "was", "were");
        let rows = quote::name(output.join(ROWS));
        warn(&[format!("{runs} {were} refused; the column reason of {rows} says why; the first, run {run}: {why}")]);
    }
    let parts: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, how)| format!("{n} {how}")).collect();
    // A shard of a few points may have none.
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let kept = if counts.kept > 0 { format!(" ({} of them before)", counts.kept) } else { String::new() };
    print(&format!(
        "{}{kept}{parts}, in {:.1} s\nwrote {}, .parquet and schema.json beside it\n",
        quote::counted(counts.all, "run"),
        time.as_secs_f64(),
        output.join(ROWS).display()
    ))?;
    Ok(match counts {
        Counts { deadlock: 1.., .. } => DEADLOCK,
        Counts { refused: 1.., .. } | Counts { cycle_limit: 1.., .. } => CHECK_FAILED,
        _ => DONE,
    })
}
