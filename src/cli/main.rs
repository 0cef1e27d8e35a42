//! `wormscope`: parse, call, print; one file a subcommand.

#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic
#![deny(clippy::unwrap_used)] // outside tests

mod advise;
mod bench_node;
mod check;
mod config;
mod coverage;
mod covering;
mod deadlock;
mod energy;
mod examples;
mod exit;
mod explore;
mod find;
mod follow;
mod given;
mod model;
mod outputs;
mod plan;
mod plot;
mod progress;
mod prove;
mod publish;
mod report;
mod reproduce;
mod rtl;
mod run;
mod search;
mod shell;
mod signals;
mod sweep;
mod test;
mod usage;
mod verdict;
mod view;
mod why;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use wormscope::console;

use exit::{BAD_INPUT, DONE, Refused, print, refuse};

/// Cycle-accurate wormhole switches and routers that replicate worms in hardware.
///
/// Exit codes: 0 done; 2 bad input, or a file cannot be written; 3 deadlock; 4 a check failed;
/// 130 interrupted.
#[derive(Parser)]
#[command(name = "wormscope", version = env!("WORMSCOPE_VERSION"), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// The comments are the help.
#[allow(clippy::doc_markdown)]
#[derive(Subcommand)]
enum Command {
    /// Run an experiment; print a summary and write waveforms, JSON or CSV
    Run(run::Args),
    /// Check an experiment for errors and describe its network
    Check(check::Args),
    /// Run testbenches; print a line for each and write JUnit, JSON or the waveform of a failure
    Test(test::Args),
    /// Search all states of a small network: prove that no schedule deadlocks, or find the shortest
    /// way into a deadlock
    Prove(prove::Args),
    /// Search for worms that deadlock, break a property or are late; shrink them to a testbench
    Search(search::Args),
    /// Merge the coverage of runs; print the situations that no run has met, and write JSON, HTML
    /// or UCIS XML
    Coverage(coverage::Args),
    /// Run an experiment to a deadlock; print which worms wait for each other and which cures exist
    Deadlock(deadlock::Args),
    /// Write a run as one HTML page, which plays it flit by flit in a browser
    View(view::Args),
    /// Explain why a worm is late: print the cause of each cycle and the worms that it waited for
    Why(why::Args),
    /// Plan a multicast; print its tree, headers, channels and contention
    Plan(plan::Args),
    /// Measure the nodes of a machine with the benchmarks Ping, PingPong and multicast
    BenchNode(bench_node::Args),
    /// Find the Pareto front or the best point of a sweep
    Explore(explore::Args),
    /// Find the cheapest network that meets your bounds, in a space of networks
    Find(find::Args),
    /// Change one field at a time, such as fifo_depth from 4 to 8: the gain and the added area of
    /// each change
    Advise(advise::Args),
    /// Draw a sweep: latency against load, a metric against a field, a histogram, or causes of
    /// stalls
    Plot(plot::Args),
    /// Write a sweep as one HTML page with tables, curves and Pareto fronts
    Report(report::Args),
    /// Run and draw the figures and tables of the papers, and judge what the papers claim
    Reproduce(reproduce::Args),
    /// Compare the closed forms of the papers with simulated values
    Model(model::Args),
    /// Write the network of an experiment as SystemVerilog, with a testbench; compare its registers
    Rtl(rtl::Args),
    /// Run an experiment many times with varied fields; write a row for each run as CSV and Parquet
    Sweep(sweep::Args),
    /// Merge the shards of a sweep into one sweep
    Merge(sweep::MergeArgs),
    /// Print a commented example, or the fields of an experiment with their allowed values
    Config(config::Args),
    /// Print the completion script for a shell
    Completions(shell::CompletionsArgs),
    /// Write manual pages for man
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

/// Prints help or version, or the error of the command line.
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
        Command::Prove(args) => prove::prove(&args),
        Command::Search(args) => search::search(&args),
        Command::Coverage(args) => coverage::coverage(&args),
        Command::Deadlock(args) => deadlock::deadlock(&args),
        Command::View(args) => view::view(&args),
        Command::Why(args) => why::why(&args),
        Command::Plan(args) => plan::plan(&args),
        Command::BenchNode(args) => bench_node::bench_node(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Find(args) => find::find(&args),
        Command::Advise(args) => advise::advise(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Report(args) => report::report(&args),
        Command::Reproduce(args) => reproduce::reproduce(&args),
        Command::Model(args) => model::model(&args),
        Command::Rtl(args) => rtl::rtl(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Merge(args) => sweep::merge(&args),
        Command::Config(args) => config::config(&args),
        Command::Completions(args) => shell::completions(&args, command_line()),
        Command::Man(args) => shell::man(&args, command_line()),
    };
    result.unwrap_or_else(refuse)
}
