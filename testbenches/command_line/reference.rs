//! The generated pages of `docs/reference`. `UPDATE_REFERENCE=1` writes them anew.

mod configuration;
mod coverage;
mod help;
mod rust;
mod tables;

use std::path::PathBuf;

/// A file of the repository.
fn root(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Compares a page with what the program says, or writes it.
#[track_caller]
fn holds(name: &str, text: &str) {
    let path = root("docs/reference").join(name);
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(text.lines()).position(|(page, text)| page != text);
    let line = differs.unwrap_or(page.lines().count().min(text.lines().count())) + 1;
    assert!(page == text, "docs/reference/{name} differs from line {line} on; `make reference` writes it anew");
}

/// Begin of a generated page.
fn head(title: &str, text: &str) -> String {
    format!("# {title}\n\n<!-- Generated: `make reference` writes this page, and a test compares it. -->\n\n{text}\n")
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Code in a cell of a table.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", cell(text)) }
}
