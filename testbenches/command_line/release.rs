//! What a release needs: packages that a registry takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{finish, repository};

const VERSION: &str = env!("CARGO_PKG_VERSION");

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
        // The program has its help.
        let least = if name == "wormscope-cli" { 1 } else { 6 };
        assert!(front.len() >= least, "{name}: {front:?}");
        assert!(name == "wormscope" || front.concat().contains("wormscope"), "{name}: {front:?}");
    }
    for package in packages.iter().filter(|package| package["name"] != "wormscope-fuzz") {
        assert_eq!(package["version"], VERSION, "{}", package["name"]);
    }
}
