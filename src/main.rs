//! `wormscope`: parse, call, print.

#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
