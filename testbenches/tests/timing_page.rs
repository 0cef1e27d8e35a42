//! Tests of docs/reference/timing.md. It shows the diagrams that the simulator writes and the
//! payload as it computes it. It has the rules that sources cite.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use wormscope::engine::payload_word;
use wormscope::hw::WormId;

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/timing.md"))
        .expect("the page")
}

#[test]
fn the_timing_page_shows_every_golden_diagram() {
    let (root, page) = (Path::new(env!("CARGO_MANIFEST_DIR")), page());
    let folder = std::fs::read_dir(root.join("golden")).expect("the diagrams");
    let mut diagrams: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    diagrams.sort();
    assert!(!diagrams.is_empty());
    for path in diagrams {
        let diagram = std::fs::read_to_string(&path).expect("a diagram");
        assert!(page.contains(&format!("```text\n{diagram}```")), "{} differs on the page", path.display());
    }
}

#[test]
fn the_timing_page_shows_payload_as_it_is() {
    for bits in [8, 16, 32, 64] {
        let word = |worm, flit| format!("`{:01$x}`", payload_word(WormId(worm), flit, 0, bits), bits as usize / 4);
        let shown = format!("| {} | {} |", word(2, 5), word(0x12, 0x345));
        let page = page();
        let row = page.lines().find(|line| line.starts_with(&format!("| of {bits} bits |"))).expect("a row");
        assert!(row.ends_with(&shown), "{row}, but {shown}");
    }
}

/// Sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_source =
        |path: &Path| path.extension().is_some_and(|ending| ["rs", "py", "ron"].map(OsStr::new).contains(&ending));
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| is_source(path))
        .collect()
}

#[test]
fn pages_that_sources_cite_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in ["hw", "src", "testbenches"].into_iter().flat_map(|folder| sources(&root.join(folder))) {
        let text = std::fs::read_to_string(&path).expect("a source");
        // A comment goes on in the next line.
        let is_text = |word: &&str| !["//", "///", "//!"].contains(word);
        let words: Vec<&str> = text.split_whitespace().filter(is_text).collect();
        for (at, word) in words.iter().enumerate() {
            let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_name = word.bytes().all(|c| c.is_ascii_alphanumeric() || b"/_.".contains(&c));
            let is_file = is_name && Path::new(word).extension() == Some(OsStr::new("md"));
            assert!(!is_file || root.join(word).exists(), "{}: there is no {word}", path.display());
            // Before the word section, capitals name a page, and capitals in brackets name a paper.
            let is_page = word.len() > 3 && word.bytes().all(|c| c.is_ascii_uppercase()) && !words[at].ends_with(']');
            let section = words.get(at + 1).is_some_and(|next| *next == "section");
            assert!(!(is_page && section), "{}: which page is {word}?", path.display());
        }
    }
}

/// The number of a rule: `R4.2`, with marks around it.
fn rule(word: &str) -> Option<(u32, u32)> {
    let number = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).strip_prefix('R')?;
    let (section, rule) = number.split_once('.')?;
    Some((section.parse().ok()?, rule.parse().ok()?))
}

/// Files of `hw` that are no block: wiring of the crate, names and numbers, and a table's columns.
const NO_BLOCKS: [&str; 5] = ["hw/lib.rs", "hw/twin.rs", "hw/words.rs", "hw/ids.rs", "hw/header/encoding.rs"];

#[test]
fn every_block_cites_its_rules_and_every_rule_that_is_cited_is_there() {
    let (root, page) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), page());
    let rules: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next()).collect();
    let rules: Vec<_> = rules.into_iter().map(|number| rule(number).expect("a number")).collect();
    assert!(rules.len() > 200 && rules.is_sorted_by(|before, after| before < after), "in order, each once: {rules:?}");
    let mut silent = Vec::new();
    for path in ["hw", "src", "testbenches"].into_iter().flat_map(|folder| sources(&root.join(folder))) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let cited: Vec<_> = text.split_whitespace().filter_map(rule).collect();
        let name = path.strip_prefix(&root).expect("below").display().to_string();
        assert!(cited.iter().all(|rule| rules.contains(rule)), "{name} cites a rule that is not there: {cited:?}");
        if name.starts_with("hw/") && !NO_BLOCKS.contains(&&*name) && cited.is_empty() {
            silent.push(name);
        }
    }
    assert!(silent.is_empty(), "blocks that cite no rule: {silent:?}");
    // The cited rules are those of the page and of the proofs.
    let proofs = std::fs::read_to_string(root.join("docs/explain/proofs.md")).expect("a page");
    let cited = page.split_whitespace().chain(proofs.split_whitespace()).filter_map(rule);
    for cited in cited {
        assert!(rules.contains(&cited), "a page cites a rule that is not there: {cited:?}");
    }
}
