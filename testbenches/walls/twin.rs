//! Tests of the SystemVerilog beside the Rust of the hardware. Each block has both files, with the
//! same registers. The page that shows a pair quotes the files. `make test-rtl` simulates the
//! SystemVerilog.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wormscope_hw::twin;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files below `hw/` with an extension, without the extension.
fn stems(extension: &str) -> BTreeSet<String> {
    let folders = ["", "arbiter/", "header/"];
    let of = |folder: &str| {
        let files = std::fs::read_dir(root().join("hw").join(folder)).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a name"));
        let own = names.filter_map(|name| Some(format!("{folder}{}", name.strip_suffix(extension)?)));
        own.collect::<Vec<_>>()
    };
    folders.into_iter().flat_map(of).collect()
}

#[test]
fn every_file_of_the_twin_is_in_the_program_and_says_which_rust_it_is() {
    let listed: BTreeSet<String> = twin::FILES.iter().map(|(path, _)| path.replace(".sv", "")).collect();
    assert_eq!(listed, stems(".sv"));
    let rust = stems(".rs");
    for (path, text) in twin::FILES {
        // A file without a Rust file of its name says where its Rust is.
        let named = ["mod.rs", "allocator.rs", "header::crossing"].iter().any(|of| text.contains(of));
        assert!(rust.contains(&path.replace(".sv", "")) || named, "{path}");
    }
}

/// Fields of the structure `Reg` of a block.
fn fields(rust: &str, of: &str) -> Vec<String> {
    let Some((_, after)) = rust.split_once(&format!("pub struct {of} {{")) else { return Vec::new() };
    let body = after.split_once("\n}").expect("an end").0;
    let field = |row: &str| Some(row.trim().strip_prefix("pub ").unwrap_or(row.trim()).split_once(": ")?.0.to_owned());
    body.lines().filter(|line| !line.trim().starts_with("//")).filter_map(field).collect()
}

#[test]
fn both_files_of_a_block_have_the_same_registers() {
    // Registers that have another name or form in SystemVerilog: block, Rust, SystemVerilog.
    const OTHERS: [(&str, &str, &[&str]); 11] = [
        ("decoder", "worm", &["age_q"]),
        // The header stays in the FIFO, but for a mask of ports.
        ("decoder", "header", &[]),
        ("decoder", "due", &["wait_q"]),
        ("allocator", "arbiter", &["pointer_q", "ahead_q"]),
        ("allocator", "group", &["turn_q"]),
        ("injector", "next", &["worm_q", "index_q", "enc_q"]),
        // The allocator keeps it.
        ("lane_group", "pointer", &[]),
        // The lanes to the next heads, and wires with a register a hop in place of a count.
        ("feedback", "heads", &["lanes_q"]),
        ("feedback", "left", &["arrived_q"]),
        // The registers of other blocks.
        ("node", "injections", &[]),
        ("node", "consumptions", &[]),
    ];
    let mut compared = 0;
    for (path, sv) in twin::FILES {
        let block = path.trim_end_matches(".sv");
        if block.contains('/') || !stems(".rs").contains(block) || block == "switch" {
            continue;
        }
        let rust = text(&format!("hw/{block}.rs"));
        let structure = if block == "decoder" { "Service" } else { "Reg" };
        for field in fields(&rust, structure) {
            let other = OTHERS.iter().find(|(of, name, _)| (*of, *name) == (block, &field[..]));
            let own = [format!("{field}_q")];
            let names: Vec<&str> = other.map_or(own.iter().map(|name| &name[..]).collect(), |(_, _, to)| to.to_vec());
            for name in names {
                assert!(sv.contains(name), "hw/{block}.rs has the register {field}, and hw/{path} has no {name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 25, "{compared} registers");
}

#[test]
fn the_page_of_a_pair_quotes_both_files() {
    let page = text("docs/explain/one-block-in-two-languages.md");
    let mut count = 0;
    for part in page.split("From `").skip(1) {
        let (file, rest) = part.split_once('`').expect("a file");
        let quoted = rest.split("```").nth(1).and_then(|block| block.split_once('\n')).expect("a block").1;
        assert!(text(file).contains(quoted), "{file} does not have\n{quoted}");
        count += 1;
    }
    assert!(count >= 8, "{count} quotations");
}
