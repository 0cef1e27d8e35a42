//! The command line: one file a subcommand.

mod bench_node;
mod check;
mod config;
mod deadlock;
mod explore;
mod follow;
mod groups;
mod hazards;
mod model;
mod outputs;
mod plan;
mod plot;
mod report;
mod run;
mod signals;
mod sweep;
mod test;
mod usage;

use std::fmt::Display;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use wormscope::{console, output};

/// Done.
const DONE: u8 = 0;
/// Bad input: nothing was run, or nothing was left behind.
const BAD_INPUT: u8 = 2;
/// The run ended in a deadlock.
const DEADLOCK: u8 = 3;
/// A testbench failed, or everything arrived, but something was left behind.
const CHECK_FAILED: u8 = 4;
/// The run was interrupted (128 and the number of the signal, as shells have it).
const INTERRUPTED: u8 = 130;

/// Cycle-accurate wormhole switches and routers that replicate worms in hardware.
///
/// Exit codes: 0 done, 2 bad input, 3 deadlock, 4 a check failed, 130 interrupted.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// The comments are the help.
#[allow(clippy::doc_markdown)]
#[derive(Subcommand)]
enum Command {
    /// Run an experiment: summary, waveforms, JSON, CSV
    Run(run::Args),
    /// Validate an experiment and describe its network
    Check(check::Args),
    /// Run testbenches: one line each, JUnit, JSON, the waveform of a failure
    Test(test::Args),
    /// Run to a deadlock and explain it: who waits for whom, what frees it, its waveform
    Deadlock(deadlock::Args),
    /// Plan a multicast: tree, headers, channels, contention
    Plan(plan::Args),
    /// Measure a machine by the benchmarks of its programs: Ping, PingPong, multicasts
    BenchNode(bench_node::Args),
    /// The Pareto front of a sweep, or its best point: what to build
    Explore(explore::Args),
    /// Pictures of a sweep: latency against load, any metric against any field, histograms, stalls
    Plot(plot::Args),
    /// A sweep as one page of HTML: tables, curves and fronts to pick from, in any browser
    Report(report::Args),
    /// Closed forms of the papers beside simulated values
    Model(model::Args),
    /// Run an experiment many times, fields varied: a row a run as CSV and Parquet
    Sweep(sweep::Args),
    /// Make the shards of a sweep one
    Merge(sweep::MergeArgs),
    /// Print a commented example of a configuration, or every path of one
    Config(config::Args),
}

/// Parses the command line, calls, prints.
pub fn main() -> ExitCode {
    signals::install();
    ExitCode::from(usage::parse().map_or_else(|said| answer(&said), |cli| call(cli.command)))
}

/// Prints help and version where they were asked for, else what is wrong with the command line.
fn answer(said: &clap::Error) -> u8 {
    let text = said.render().to_string();
    match said.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(&text).map_or_else(refuse, |()| DONE),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            console::tell(text.trim_end());
            BAD_INPUT
        }
        _ => refuse(Refused(usage::in_words(said))),
    }
}

fn refuse(Refused(message): Refused) -> u8 {
    console::tell(&format!("error: {message}"));
    BAD_INPUT
}

fn call(command: Command) -> u8 {
    let result = match command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
        Command::Deadlock(args) => deadlock::deadlock(&args),
        Command::Plan(args) => plan::plan(&args),
        Command::BenchNode(args) => bench_node::bench_node(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Report(args) => report::report(&args),
        Command::Model(args) => model::model(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Merge(args) => sweep::merge(&args),
        Command::Config(args) => config::config(&args),
    };
    result.unwrap_or_else(refuse)
}

/// Why a command was not carried out: one paragraph.
struct Refused(String);

impl<E: Display> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Prints warnings to standard error, a line each.
fn warn(warnings: &[String]) {
    for warning in warnings {
        console::tell(&format!("warning: {warning}"));
    }
}

/// Prints a report.
fn print(text: &str) -> Result<(), Refused> {
    console::print(text).map_err(|error| Refused(format!("standard output: {error}; {}", left(output::placed()))))
}

/// What is left of a command that ends early, when so many files took their places before.
fn left(placed: u64) -> String {
    match placed {
        0 => "nothing was left behind".to_owned(),
        1 => "1 file was complete before, and stays".to_owned(),
        n => format!("{n} files were complete before, and stay"),
    }
}
