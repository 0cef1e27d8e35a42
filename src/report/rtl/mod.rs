//! The hardware of an experiment in SystemVerilog. The network joins the blocks of `hw/*.sv`. The
//! testbench has the worms of the experiment, and the arrivals that the model expects.
//!
//! - [`Twin`] has the constants of the network, and refuses a network that RTL cannot express.
//! - [`Recorded`] has the worms and the arrivals of a run.
//! - [`files`] writes the texts, and [`Lockstep`] compares the registers that the testbench dumps
//!   with those of the plain engine.

mod bench;
mod bits;
mod circuit;
mod design;
mod lockstep;
mod names;
mod package;
mod recorded;
mod registers;
mod slots;
mod stimulus;

use std::path::PathBuf;

pub use design::{Twin, Unfit};
pub use lockstep::{Difference, Lockstep, LockstepError};
pub use names::check_names;
pub use recorded::Recorded;

/// Path, below the directory of a design, of the file with the worms.
pub const STIMULUS: &str = "tb/stimulus.txt";
/// Path of the file with the arrivals.
pub const EXPECTED: &str = "tb/expected.txt";

/// The files of a design, each with its path below the directory of the design. `title` names the
/// experiment. `commands` are the command that writes the files, and the arguments that compare a
/// dump of registers on its standard input.
#[must_use]
pub fn files(design: &Twin, recorded: &Recorded, title: &str, commands: (&str, &str)) -> Vec<(PathBuf, String)> {
    let blocks = Twin::blocks().map(|(path, text)| (format!("rtl/{path}"), text.to_owned()));
    let made = [
        ("rtl/network.sv", circuit::network(design)),
        ("tb/tb.sv", bench::TEXT.to_owned()),
        ("tb/test_network.py", bench::COCOTB.to_owned()),
        ("tb/parameters.svh", bench::parameters(design, recorded)),
        ("tb/registers.svh", bench::registers(design)),
        (STIMULUS, stimulus::worms(design, recorded)),
        (EXPECTED, stimulus::arrivals(recorded)),
        ("tb/events.txt", stimulus::events(design, recorded)),
        ("synth/gates.lib", package::GATES.to_owned()),
        ("Makefile", package::makefile(commands.1)),
        ("network.core", package::core()),
        ("README.md", package::readme(design, recorded, title, commands.0)),
    ];
    let made = made.map(|(path, text)| (path.to_owned(), text));
    blocks.chain(made).map(|(path, text)| (PathBuf::from(path), text)).collect()
}
