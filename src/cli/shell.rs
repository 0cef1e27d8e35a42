//! `wormscope completions` and `wormscope man`: texts for shells and `man`, made from the
//! definition of the command line.

use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use wormscope::output;

use super::exit::{DONE, Refused, print};
use super::outputs::{Files, wrote};
use super::usage::folder;

/// Arguments of `wormscope completions`.
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// Shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `wormscope man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write a page for wormscope and one for each command to DIR
    #[arg(short, long, value_name = "DIR", value_parser = folder())]
    output: PathBuf,
}

/// The texts of clap's writers.
fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<String, Refused> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    Ok(String::from_utf8(bytes)?)
}

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<u8, Refused> {
    let name = command.get_name().to_owned();
    let script = text(|bytes| {
        clap_complete::generate(args.shell, &mut command, name, bytes);
        Ok(())
    })?;
    print(&script)?;
    Ok(DONE)
}

/// Writes the manual pages; they have the version without the commit, as all that is written.
pub fn man(args: &ManArgs, command: Command) -> Result<u8, Refused> {
    let mut command = command.version(env!("CARGO_PKG_VERSION"));
    // After this call, the names of subcommands begin with the name of the program.
    command.build();
    std::fs::create_dir_all(&args.output)
        .map_err(|error| format!("{}: cannot create the folder: {error}", wormscope::quote::name(&args.output)))?;
    let mut files = Files::beside(&[]);
    let mut pages = Vec::new();
    let subcommands = command.get_subcommands().filter(|of| of.get_name() != "help");
    for of in std::iter::once(&command).chain(subcommands) {
        let name = of.get_display_name().unwrap_or(of.get_name());
        let path = args.output.join(format!("{name}.1"));
        let text = text(|bytes| clap_mangen::Man::new(of.clone()).render(bytes))?;
        pages.extend(files.create("a page", Some(&path))?.map(|file| file.filled(&text)).transpose()?);
    }
    let written = output::place(pages)?;
    print(wrote(&written).trim_start())?;
    Ok(DONE)
}
