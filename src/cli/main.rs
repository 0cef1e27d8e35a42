//! `wormscope`: parse, call, print; one file a subcommand.

#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic
#![deny(clippy::unwrap_used)] // outside tests

mod bench_node;
mod check;
mod config;
mod deadlock;
mod examples;
mod exit;
mod explore;
mod follow;
mod given;
mod model;
mod outputs;
mod plan;
mod plot;
mod progress;
mod publish;
mod report;
mod reproduce;
mod run;
mod shell;
mod signals;
mod sweep;
mod test;
mod usage;
mod view;
mod why;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use wormscope::console;

use exit::{BAD_INPUT, DONE, Refused, print, refuse};

/// Cycle-accurate wormhole switches and routers that replicate worms in hardware.
///
/// Exit codes: 0 done, 2 bad input, 3 deadlock, 4 a check failed, 130 interrupted.
#[derive(Parser)]
#[command(name = "wormscope", version, max_term_width = 100)]
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
    /// A run as one page of HTML that plays it flit by flit, in any browser
    View(view::Args),
    /// Why worms are late: where each cycle of a worm went, and who held what it waited for
    Why(why::Args),
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
    /// Figures and tables of the papers, run, drawn and judged
    Reproduce(reproduce::Args),
    /// Closed forms of the papers beside simulated values
    Model(model::Args),
    /// Run an experiment many times, fields varied: a row a run as CSV and Parquet
    Sweep(sweep::Args),
    /// Make the shards of a sweep one
    Merge(sweep::MergeArgs),
    /// Print a commented example of a configuration, or every path of one
    Config(config::Args),
    /// Print the completions of a shell
    Completions(shell::CompletionsArgs),
    /// Write the manual pages
    Man(shell::ManArgs),
}

/// The command line as clap has it.
fn command_line() -> clap::Command {
    usage::with_negative_numbers(examples::added(Cli::command()))
}

/// Parses the command line, calls, prints.
fn main() -> ExitCode {
    signals::install();
    ExitCode::from(usage::parse(command_line()).map_or_else(|said| answer(&said), |cli: Cli| call(cli.command)))
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

fn call(command: Command) -> u8 {
    let result = match command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
        Command::Deadlock(args) => deadlock::deadlock(&args),
        Command::View(args) => view::view(&args),
        Command::Why(args) => why::why(&args),
        Command::Plan(args) => plan::plan(&args),
        Command::BenchNode(args) => bench_node::bench_node(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Report(args) => report::report(&args),
        Command::Reproduce(args) => reproduce::reproduce(&args),
        Command::Model(args) => model::model(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Merge(args) => sweep::merge(&args),
        Command::Config(args) => config::config(&args),
        Command::Completions(args) => shell::completions(&args, command_line()),
        Command::Man(args) => shell::man(&args, command_line()),
    };
    result.unwrap_or_else(refuse)
}
