//! `wormscope model`.

use std::path::PathBuf;

use wormscope::compare;
use wormscope::output;
use wormscope::report::chart;

use super::exit::{DONE, Refused, interrupted, print};
use super::outputs::Files;
use super::progress::Shown;
use super::signals::Interrupt;
use super::usage::integer;

/// Arguments of `wormscope model`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
    /// Draw the figures to FILE as SVG (parameterised, kp, seidel, atbm)
    #[arg(long, value_name = "FILE", global = true)]
    svg: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
enum Which {
    /// Compare simple trees and OPT-tree by formula and on a crossbar: tables 4.1 to 4.4 and
    /// figures 5.4 to 5.8 of [NUPAIROJ]
    Parameterised {
        /// Set t_hold, the least time from one send of a node to its next, 1 to 1000000 cycles
        #[arg(long, value_name = "CYCLES", default_value_t = 20, value_parser = integer(1..=1_000_000_u32))]
        hold: u32,
        /// Set t_end, from the call of send to the return of receive, 1 to 1000000 cycles
        #[arg(long, value_name = "CYCLES", default_value_t = 55, value_parser = integer(1..=1_000_000_u32))]
        end: u32,
        /// Compare trees of N nodes each, 2 to 64
        #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [2, 4, 8, 9, 16, 32, 64],
            value_parser = integer(2..=64_u32))]
        nodes: Vec<u32>,
    },
    /// Compare the start-ups of several multicasts at once: theorems and tables 1 to 6 of [KP]
    Kp {
        /// Take the mean of N random instances, 1 to 10000
        #[arg(long, value_name = "N", default_value_t = 30, value_parser = integer(1..=10_000_u32))]
        instances: u32,
    },
    /// Compare broadcasts: Table I, equation 4, figures 16 and 18 of [SEIDEL]
    Seidel,
    /// Compare the latency of ATBM without contention
    Atbm,
    /// Print the worked example of [TPP]
    Tpp,
}

/// Prints closed forms next to simulated values.
pub fn model(args: &Args) -> Result<u8, Refused> {
    let svg = Files::beside(&[]).create("--svg", args.svg.as_deref())?;
    let mut is_interrupted = false;
    let found = match &args.which {
        Which::Parameterised { hold, end, nodes } => compare::parameterised(*hold, *end, nodes)?,
        Which::Kp { instances } => {
            let (shown, interrupt) = (Shown::counted(compare::kp_runs(*instances), "runs"), Interrupt::awaited());
            let mut begun = 0;
            compare::kp(*instances, &mut || {
                shown.reached(begun);
                begun += 1;
                is_interrupted = interrupt.has_come();
                !is_interrupted
            })?
        }
        Which::Seidel => compare::seidel(),
        Which::Atbm => compare::atbm()?,
        Which::Tpp => compare::tpp()?,
    };
    let mut files = Vec::new();
    if let Some(file) = svg {
        if found.charts.is_empty() {
            return Err(Refused("--svg: this model has no figure; leave --svg out".to_owned()));
        }
        files.push(file.filled(&chart::draw(&found.charts).map_err(Refused)?)?);
    }
    print(&found.text)?;
    output::place(files)?;
    Ok(if is_interrupted { interrupted("") } else { DONE })
}
