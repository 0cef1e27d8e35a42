//! Arguments of `wormscope test`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use wormscope::output::is_standard;
use wormscope::testbench::suite::{Suite, Wave};

use super::super::exit::Refused;
use super::super::run::Engine;
use super::super::usage::{folder, integer};

/// Folder of waveforms without a report.
const WAVES: &str = "waves";

/// Options about runs, which have no effect where nothing runs.
const OF_RUNS: [&str; 6] = ["junit", "json", "coverage", "until_covered", "minimise", "slowest"];

/// Arguments of `wormscope test`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// RON files of testbenches, or folders that contain them [default: testbenches]
    pub path: Vec<PathBuf>,
    /// Write a JUnit report to FILE
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write all verdicts to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Run only the testbenches whose path or name matches GLOB, as in 'deadlock_*'
    #[arg(long, value_name = "GLOB")]
    pub filter: Option<String>,
    /// Run only the testbenches with this tag, or with '!TAG' without it (repeatable)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// List the chosen testbenches with their tags and purposes, and run none
    #[arg(long, conflicts_with_all = OF_RUNS)]
    pub list: bool,
    /// Set a field of every testbench by its path, or by the end of its path, as in fifo_depth=8
    /// (repeatable)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub sets: Vec<String>,
    /// Use S, 0 to 2^64 - 1, in place of the seed of each testbench
    #[arg(long, value_name = "S", value_parser = integer(0..=u64::MAX))]
    pub seed: Option<u64>,
    /// Run each testbench N times, 1 to 1000000, with the seeds S, S + 1, ...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer(1..=1_000_000_u32))]
    pub repeat: u32,
    /// Begin no more runs after N failed runs, 1 to 1000000
    #[arg(long, value_name = "N", value_parser = integer(1..=1_000_000_u32))]
    max_failures: Option<u32>,
    /// Begin no more runs after the first failed run
    #[arg(long, conflicts_with = "max_failures")]
    fail_fast: bool,
    /// Choose the runs that get a waveform, a view, a page and a log. Each run has a folder beside
    /// the report of --junit or --json, or in waves
    #[arg(long, value_enum, default_value_t = When::OnFailure)]
    wave: When,
    /// Add the clock and the blocks of every switch to these waveforms: FIFO cells, decoder,
    /// arbiters, lanes and credits
    #[arg(long)]
    wave_blocks: bool,
    /// Write the files of up to N failed runs of each kind of failure, 0 to 1000000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer(0..=1_000_000_u32))]
    keep_waves: u32,
    /// List the N runs that took the longest time, 1 to 1000 [default without N: 10]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10", value_parser = integer(1..=1000_u32))]
    pub slowest: Option<u32>,
    /// Run the testbenches again whose files change, until Ctrl-C
    #[arg(long, conflicts_with_all = OF_RUNS, conflicts_with_all = ["list", "export", "shrink", "sva"])]
    pub watch: bool,
    /// Write the testbench with the worms of its run as messages to FILE, and run nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_RUNS,
        conflicts_with_all = ["list", "repeat", "shrink", "sva"])]
    pub export: Option<PathBuf>,
    /// Search for the smallest stimulus with which a run still fails, and write this testbench to
    /// FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_RUNS, conflicts_with_all = ["list", "sva"])]
    pub shrink: Option<PathBuf>,
    /// Write the properties of the testbench as SystemVerilog assertions to FILE, and run nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_RUNS, conflicts_with = "list")]
    pub sva: Option<PathBuf>,
    /// Count the situations that the runs meet, and write them to FILE as JSON; wormscope coverage
    /// merges and shows such files
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// After the runs, try random worms that close holes of coverage in the networks of these
    /// testbenches; write a testbench to DIR for each run that closes one. The testbenches that are
    /// in DIR run too. Bins of cover lists do not count
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub until_covered: Option<PathBuf>,
    /// End --until-covered after N runs in a row that close no hole, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = integer(1..=1_000_000_u32),
        requires = "until_covered")]
    pub patience: u32,
    /// Print the smallest set of testbenches and seeds with the same coverage that a greedy search
    /// finds
    #[arg(long)]
    pub minimise: bool,
    /// Choose the engine that evaluates the runs; the results are the same
    #[arg(long, value_enum, default_value_t = Engine::Fast)]
    pub engine: Engine,
}

/// When waveforms are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    /// Runs that fail, the cycles around the failure
    OnFailure,
    /// All runs
    Always,
    /// No run
    Never,
}

impl Args {
    /// Refuses options that would have no effect.
    pub fn check(&self) -> Result<(), Refused> {
        if self.wave_blocks && matches!(self.wave, When::Never) {
            let why = "--wave-blocks: --wave never writes no waveform; leave one of the two out";
            return Err(Refused(why.to_owned()));
        }
        Ok(())
    }

    /// The suite of these files.
    pub fn suite(&self, files: Vec<PathBuf>) -> Suite {
        let reports = [self.junit.as_deref(), self.json.as_deref()].into_iter().flatten();
        // A report may be a device or a pipe, as in --json /dev/null.
        let is_file = |path: &&Path| path.metadata().map_or(!is_standard(path), |there| there.is_file());
        let beside = reports.filter(is_file).find_map(Path::parent);
        Suite {
            files,
            seed: self.seed,
            sets: self.sets.clone(),
            engine: self.engine.into(),
            repeat: self.repeat,
            coverage: self.coverage.is_some() || self.minimise || self.until_covered.is_some(),
            wave: match self.wave {
                When::OnFailure => Wave::OnFailure,
                When::Always => Wave::Always,
                When::Never => Wave::Never,
            },
            wave_blocks: self.wave_blocks,
            keep_waves: self.keep_waves,
            max_failures: if self.fail_fast { Some(1) } else { self.max_failures },
            folder: match beside {
                Some(folder) if folder == Path::new("") => PathBuf::from("."),
                Some(folder) => folder.to_owned(),
                None => PathBuf::from(WAVES),
            },
        }
    }
}
