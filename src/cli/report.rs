//! `wormscope report`.

use std::path::PathBuf;

use wormscope::explore::Sweep;
use wormscope::output::{self, Output};
use wormscope::page;

use super::exit::{DONE, Refused, print, warn};
use super::outputs::Files;
use super::progress::{READING, while_doing};

/// Arguments of `wormscope report`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory that wormscope sweep wrote (its -o)
    directory: PathBuf,
    /// Write the page to FILE
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the page of a sweep.
pub fn report(args: &Args) -> Result<u8, Refused> {
    let sweep = while_doing(READING, || Sweep::open(&args.directory))?;
    let page = Files::beside(&sweep.files()).create("-o", Some(&args.output))?;
    warn(&sweep.unfinished().into_iter().collect::<Vec<_>>());
    let written = |file: Output| file.filled(&page::page(&sweep)?).map_err(Refused::from);
    let page = while_doing("writing the page", || page.map(written).transpose())?;
    print(&format!("{}\n", sweep.told()))?;
    output::place(page.into_iter().collect())?;
    Ok(DONE)
}
