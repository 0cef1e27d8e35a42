//! Command files for Surfer, which add the rows of a saved view one by one. Mappings name and
//! colour the values.
//!
//! Each command is a line, and `#` and `;` end it. Surfer reads mappings from `.surfer/mappings` in
//! the folder in which you start it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::labels::Label;

/// Labels with a mapping. All values of these labels have names.
pub(super) const MAPPED: [Label; 6] =
    [Label::State, Label::Worm, Label::Encoding, Label::Owner, Label::Ports, Label::Branch];

/// A row of a view.
pub(super) enum Row {
    /// A title, or the name of a group.
    Title(String),
    /// A signal.
    Signal {
        /// Path of the signal in the dump.
        path: String,
        /// Name of the signal in the view; if empty, the view shows the signal's own name.
        alias: String,
        /// Format of its values.
        format: String,
    },
}

/// The file of a mapping.
pub(super) fn mapping(dump: &Path, label: Label) -> PathBuf {
    dump.with_file_name(".surfer").join("mappings").join(format!("{}.txt", format(dump, label)))
}

/// Name of a mapping in Surfer.
pub(super) fn format(dump: &Path, label: Label) -> String {
    word(&format!("{}_{}", dump.file_stem().unwrap_or_default().display(), label.name()))
}

/// The command file of some rows.
pub(super) fn commands(dump: &Path, rows: &[Row]) -> String {
    let dump = dump.file_name().unwrap_or_default().display().to_string();
    let mut text = String::from("# surfer --command-file ");
    // A write to a string does not fail.
    let _ = writeln!(text, "{} {dump}", Path::new(&dump).with_extension("sucl").display());
    for (at, row) in rows.iter().enumerate() {
        let name = match row {
            Row::Title(name) => {
                let _ = writeln!(text, "divider_add title\nitem_focus {}", place(at));
                name
            }
            Row::Signal { path, alias, format } => {
                let _ = writeln!(text, "variable_add {path}\nitem_focus {}\nitem_set_format {format}", place(at));
                alias
            }
        };
        if !name.is_empty() {
            let _ = writeln!(text, "item_rename {}", name.replace(['#', ';'], "").trim());
        }
    }
    text.push_str("item_unfocus\ntoggle_side_panel\nzoom_fit\n");
    text
}

/// The number of a row as Surfer writes it: hexadecimal, with the letters a to p.
fn place(at: usize) -> String {
    let digit = |c: char| c.to_digit(16).map_or(c, |digit| char::from(b'a' + digit as u8));
    format!("{at:x}").chars().map(digit).collect()
}

/// A name as one word, because a divider takes only one.
fn word(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_command() {
        let rows = [
            Row::Title(" 1 rt_0_0.in1 from n2".to_owned()),
            Row::Signal {
                path: "top.rt_0_0.in1.state".to_owned(),
                alias: "state".to_owned(),
                format: format(Path::new("waves/a.fst"), Label::State),
            },
        ];
        assert_eq!(
            commands(Path::new("waves/a.fst"), &rows),
            "# surfer --command-file a.sucl a.fst\ndivider_add title\nitem_focus a\n\
             item_rename 1 rt_0_0.in1 from n2\n\
             variable_add top.rt_0_0.in1.state\nitem_focus b\nitem_set_format a_states\nitem_rename state\n\
             item_unfocus\ntoggle_side_panel\nzoom_fit\n"
        );
        assert_eq!([0, 15, 16, 171].map(place), ["a", "p", "ba", "kl"]);
        assert_eq!(mapping(Path::new("waves/a.fst"), Label::Worm), Path::new("waves/.surfer/mappings/a_worms.txt"));
    }
}
