//! `wormscope config`.

use std::path::PathBuf;

use wormscope::config::{self, KINDS};
use wormscope::experiment::Loaded;

use super::exit::{DONE, Refused, print};

/// Arguments of `wormscope config`.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct Args {
    /// Print the commented example KIND
    #[arg(long, value_name = "KIND", long_help = format!("Print the commented example KIND: {}", KINDS.join(", ")))]
    example: Option<String>,
    /// List every field of the experiment in FILE: its path, its value and its allowed values
    #[arg(long, value_name = "FILE")]
    paths: Option<PathBuf>,
}

/// Prints a commented example, or the paths of an experiment.
pub fn config(args: &Args) -> Result<u8, Refused> {
    if let Some(kind) = &args.example {
        print(config::example(kind)?)?;
    }
    if let Some(file) = &args.paths {
        print(&paths(&config::load(file, &[])?))?;
    }
    Ok(DONE)
}

/// `path value range`, one line for each field.
fn paths(loaded: &Loaded) -> String {
    let fields: Vec<_> = config::paths(loaded).into_iter().filter(|field| field.is_leaf).collect();
    let allowed = config::allowed(loaded, &fields);
    let width = |of: &dyn Fn(&config::Field) -> usize| fields.iter().map(of).max().unwrap_or(0);
    let (path, value) = (width(&|field| field.path.len()), width(&|field| field.value.chars().count()));
    let line = |(field, allowed): (&config::Field, &String)| {
        format!("{:path$}  {:value$}  {allowed}\n", field.path, field.value)
    };
    fields.iter().zip(&allowed).map(line).collect()
}
