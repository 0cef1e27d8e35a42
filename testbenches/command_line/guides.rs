//! The pages of docs/learn and docs/how-to: their commands run, in order, and print what is quoted.
//!
//! A page is read from top to bottom, in a directory of its own that looks like the repository's
//! root:
//!
//! - a `ron`, `csv` or `text` block behind a line that ends with "Write `file`:" becomes that file;
//! - a `sh` block goes to bash, and ends with 0 or with the code of its `# exit code N`;
//! - any other `text` block is quoted of what the last `sh` block printed. A line `...` stands for
//!   lines that are left out, and ` ...` at the end of a line for the rest of the line;
//! - a `sh by-hand` block needs a screen or a cluster, and is not run. `text by-hand` has its
//!   output.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Bench, finish, repository};

/// A fenced block, with the last line of text before it.
struct Block {
    kind: String,
    before: String,
    text: String,
}

fn blocks_of(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    // The paragraph before a block.
    let (mut before, mut is_over) = (String::new(), false);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect();
            blocks.push(Block { kind: kind.to_owned(), before: std::mem::take(&mut before), text });
        } else if line.is_empty() {
            is_over = true;
        } else {
            if std::mem::take(&mut is_over) {
                before.clear();
            }
            before = format!("{before} {line}");
        }
    }
    blocks
}

/// The file that a block is to be written to.
fn file(block: &Block) -> Option<&str> {
    let name = block.before.strip_suffix("`:")?.rsplit_once("Write `")?.1;
    (!name.contains('`')).then_some(name)
}

/// Whether `quoted` is a part of `printed`, but for what dots leave out.
fn is_quoted(quoted: &str, printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let same = |quoted: &str, line: &str| match quoted.strip_suffix(" ...") {
        Some(start) => line.starts_with(start),
        None => quoted == line,
    };
    let quoted: Vec<&str> = quoted.lines().collect();
    let mut from = 0;
    for part in quoted.split(|line| *line == "...").filter(|part| !part.is_empty()) {
        let fits = |at: &usize| {
            printed
                .get(*at..*at + part.len())
                .is_some_and(|lines| part.iter().zip(lines).all(|(q, line)| same(q, line)))
        };
        match (from..printed.len()).find(fits) {
            Some(at) => from = at + part.len(),
            None => return false,
        }
    }
    true
}

/// A directory that looks like the repository's root, and has a `wormscope` to call.
fn bench() -> Bench {
    let bench = Bench::new();
    symlink(repository().join("configs"), bench.path("configs")).expect("a link");
    symlink(repository().join("examples"), bench.path("examples")).expect("a link");
    for folder in [".bin", "testbenches"] {
        std::fs::create_dir(bench.path(folder)).expect("a folder");
    }
    symlink(env!("CARGO_BIN_EXE_wormscope"), bench.path(".bin/wormscope")).expect("a link");
    bench
}

/// Follows a page and returns how many blocks it ran and how many it compared.
pub(super) fn follow(path: &Path) -> (usize, usize) {
    let page = std::fs::read_to_string(path).expect("a page");
    let bench = bench();
    let search = format!("{}:{}", bench.path(".bin").display(), std::env::var("PATH").expect("a search path"));
    let (mut ran, mut compared, mut printed) = (0, 0, None);
    for block in blocks_of(&page) {
        let name = path.display();
        if let Some(file) = file(&block) {
            bench.write(file, &block.text);
            continue;
        }
        match block.kind.as_str() {
            "sh" => {
                let code =
                    block.text.split_once("# exit code ").map_or(0, |(_, code)| code.trim().parse().expect("a code"));
                let script = format!("exec 2>&1\n{}", block.text);
                let mut bash = Command::new("bash");
                bash.args(["-e", "-c", &script]).env("PATH", &search);
                let call = finish(bash.current_dir(bench.path("")).stdin(Stdio::null()));
                assert_eq!(call.code, Some(code), "{name}: {}\n{}", block.text, call.out);
                printed = Some((block.text, call.out));
                ran += 1;
            }
            "text" => {
                let (command, printed) = printed.as_ref().expect("a command before what is quoted");
                assert!(
                    is_quoted(&block.text, printed),
                    "{name}: {command}quoted:\n{}\nprinted:\n{printed}",
                    block.text
                );
                compared += 1;
            }
            "sh by-hand" | "text by-hand" | "ron" | "rust" | "yaml" => {}
            kind => panic!("{name}: a block of kind {kind:?}"),
        }
    }
    (ran, compared)
}

/// The pages of a folder.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join("docs").join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // While you write a page, GUIDE=NAME follows the pages alone that have NAME in their names.
    let chosen = std::env::var("GUIDE").unwrap_or_default();
    let named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&chosen));
    let mut pages: Vec<_> = paths.filter(|path| path.extension() == Some("md".as_ref()) && named(path)).collect();
    pages.sort();
    pages
}

#[test]
fn tutorials_print_what_they_quote() {
    for page in pages("learn") {
        let (ran, compared) = follow(&page);
        assert!(ran >= 4 && compared >= 4, "{}: {ran} blocks run, {compared} compared", page.display());
    }
}

#[test]
fn how_to_pages_print_what_they_quote() {
    for page in pages("how-to") {
        let (ran, compared) = follow(&page);
        assert!(ran >= 1 && compared >= 1, "{}: {ran} blocks run, {compared} compared", page.display());
    }
}

#[test]
fn quotes_are_compared_line_by_line() {
    let printed = "a 1\nb 2\nc 3\nd 4\n";
    for quoted in ["b 2\nc 3\n", "a 1\n...\nd 4\n", "c ...\n", "...\nb 2\n"] {
        assert!(is_quoted(quoted, printed), "{quoted}");
    }
    for quoted in ["b 2\nd 4\n", "d 4\n...\na 1\n", "b\n", "a 1\n...\na 1\n"] {
        assert!(!is_quoted(quoted, printed), "{quoted}");
    }
}
