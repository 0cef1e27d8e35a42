//! Conditions of a release: packages that a registry accepts, and one version everywhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{finish, repository};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn text(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Packages of the workspace, as cargo has them.
fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(repository());
    let metadata: Value = serde_json::from_str(&finish(&mut command).ends(0)).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn packages_have_what_a_registry_shows() {
    let packages = packages();
    let published: Vec<_> = packages.iter().filter(|package| package["publish"].is_null()).collect();
    let names: BTreeSet<_> = published.iter().map(|package| package["name"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    let mut descriptions = BTreeSet::new();
    for package in published {
        let name = package["name"].as_str().expect("a name");
        let list = |key: &str| package[key].as_array().expect("a list").len();
        let description = package["description"].as_str().expect("a description");
        assert!(description.len() > 40 && descriptions.insert(description), "{name}: {description}");
        assert_eq!(package["license"], "MIT", "{name}");
        assert!((3..=5).contains(&list("keywords")) && (1..=5).contains(&list("categories")), "{name}");
        let folder = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
        let folder = folder.parent().expect("a folder");
        let readme = fs::read_to_string(folder.join(package["readme"].as_str().expect("a readme"))).expect("a readme");
        assert!(readme.starts_with("# wormscope"), "{name}");
        let shelf = if folder == repository() { folder.join("src") } else { folder.to_owned() };
        let source =
            ["lib.rs", "main.rs"].map(|file| fs::read_to_string(shelf.join(file)).unwrap_or_default()).concat();
        let front: Vec<_> = source.lines().take_while(|line| line.starts_with("//!")).collect();
        // The package of the program needs only its help.
        let least = if name == "wormscope-cli" { 1 } else { 6 };
        assert!(front.len() >= least, "{name}: {front:?}");
        assert!(name == "wormscope" || front.concat().contains("wormscope"), "{name}: {front:?}");
    }
    for package in packages.iter().filter(|package| package["name"] != "wormscope-fuzz") {
        assert_eq!(package["version"], VERSION, "{}", package["name"]);
    }
}

#[test]
fn the_newest_section_of_the_changelog_is_this_version() {
    let changelog = text("CHANGELOG.md");
    let mut sections = changelog.lines().filter(|line| line.starts_with("## "));
    assert_eq!(sections.next(), Some("## [Unreleased]"));
    let newest = sections.next().expect("a release");
    let date = newest.strip_prefix(&format!("## [{VERSION}] - ")).expect(newest);
    assert!(date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), "{date}");
    let citation = text("CITATION.cff");
    assert!(citation.contains(&format!("\nversion: {VERSION}\ndate-released: {date}\n")), "{citation}");
}

#[test]
fn pages_tables_and_pictures_name_this_version() {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    files(&repository().join("docs"), &mut found);
    let mut named = 0;
    for path in found {
        // A picture of pixels is no text.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for rest in text.split("wormscope ").skip(1) {
            let version = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
            let version = version.trim_end_matches('.');
            if version.matches('.').count() == 2 {
                assert_eq!(version, VERSION, "{}", path.display());
                named += 1;
            }
        }
    }
    assert!(named > 200, "{named}");
}
