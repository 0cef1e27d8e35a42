//! Command files for Surfer: what a saved view shows, as commands that add it row by row.
//!
//! A command is a line; `#` and `;` end it. Values are numbers: enumerations of an FST, which Surfer
//! would show by name, take the names and colours of translate files away in `GTKWave` 3.3.

use std::fmt::Write as _;
use std::path::Path;

use crate::engine::LaneState;

/// A row of a view.
pub(super) enum Row {
    /// A title, or the name of a group.
    Title(String),
    /// The path of a signal.
    Signal(String),
}

/// The command file of some rows.
pub(super) fn commands(dump: &Path, rows: &[Row]) -> String {
    let dump = dump.file_name().unwrap_or_default().display().to_string();
    let mut text = String::from("# surfer --command-file ");
    // Writing to a string does not fail.
    let _ = writeln!(text, "{} {dump}", Path::new(&dump).with_extension("sucl").display());
    let states = LaneState::NAMES.iter().enumerate().map(|(number, name)| format!("{number} {name}"));
    let _ = writeln!(text, "divider_add state_{}", word(&states.collect::<Vec<_>>().join(" ")));
    for row in rows {
        let _ = match row {
            Row::Title(name) => writeln!(text, "divider_add {}", word(name)),
            Row::Signal(path) => writeln!(text, "variable_add {path}"),
        };
    }
    text.push_str("zoom_fit\n");
    text
}

/// A name as a word, which is all that a divider takes.
fn word(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_command() {
        let rows = [Row::Title(" 1 rt_0_0.in1 from n2".to_owned()), Row::Signal("top.rt_0_0.in1.state".to_owned())];
        assert_eq!(
            commands(Path::new("waves/a.fst"), &rows),
            "# surfer --command-file a.sucl a.fst\ndivider_add state_0_IDLE_1_HEADER_2_ROUTE_3_TOKEN_4_LANES_5_MOVE_6_BLOCKED\n\
             divider_add 1_rt_0_0_in1_from_n2\nvariable_add top.rt_0_0.in1.state\nzoom_fit\n"
        );
    }
}
