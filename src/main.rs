//! `wormscope`: parse, call, print.

#![deny(clippy::print_stdout, clippy::print_stderr)] // `console` cannot panic
#![deny(clippy::unwrap_used)] // outside tests

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
