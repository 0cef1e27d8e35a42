//! `wormscope config`.

use wormscope::config::{self, KINDS};

use super::{DONE, Refused};

/// Arguments of `wormscope config`.
#[derive(clap::Args)]
pub struct Args {
    /// Kind of the example
    #[arg(long, value_name = "KIND", long_help = format!("Kind of the example: {}", KINDS.join(", ")))]
    example: String,
}

/// Prints a commented example.
pub fn config(args: &Args) -> Result<u8, Refused> {
    super::print(config::example(&args.example)?)?;
    Ok(DONE)
}
