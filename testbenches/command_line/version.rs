//! `--version`: the version, and the commit where it is known; outputs have the version alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Bench, TRAFFIC, finish, repository};

#[allow(dead_code)] // its main
#[path = "../../src/cli/build.rs"]
mod build;

/// Output of git in a folder.
#[track_caller]
fn git(folder: &Path, line: &str) -> String {
    let name = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
    let mut command = Command::new("git");
    command.args(name).args(line.split(' ')).current_dir(folder);
    finish(&mut command).ends(0).trim_end().to_owned()
}

/// A repository of few files that looks like ours; its package of the command line.
fn small(bench: &Bench) -> PathBuf {
    let package = bench.path("src/cli");
    fs::create_dir_all(&package).unwrap();
    fs::create_dir_all(bench.path("hw")).unwrap();
    for name in ["Cargo.lock", "README.md", "hw/lib.rs", "src/cli/Cargo.toml", "src/cli/main.rs"] {
        bench.write(name, "1\n");
    }
    git(&bench.path(""), "init --quiet --initial-branch main");
    git(&bench.path(""), "add .");
    git(&bench.path(""), "commit --quiet --message first");
    package
}

#[test]
fn the_version_names_the_commit_of_the_repository() {
    let said = Bench::new().line("--version").ends(0);
    assert_eq!(Bench::new().line("-V").ends(0), said);
    let plain = format!("wormscope {}", env!("CARGO_PKG_VERSION"));
    if !repository().join(".git").exists() {
        assert_eq!(said, format!("{plain}\n"));
        return;
    }
    let commit = said.strip_prefix(&format!("{plain} (")).and_then(|rest| rest.strip_suffix(")\n")).expect(&said);
    let digits = commit.trim_end_matches("-dirty");
    assert_eq!(digits.len(), 12, "{said}");
    // The commit is one of this repository, even if others followed since the program was built.
    let known = git(repository(), &format!("rev-parse --verify {digits}^{{commit}}"));
    assert!(known.starts_with(digits), "{said}");
}

#[test]
fn changed_sources_are_dirty_and_other_files_are_not() {
    let bench = Bench::new();
    let package = small(&bench);
    let head = git(&package, "rev-parse HEAD")[..12].to_owned();
    let (clean, dirty) = (Some(head.clone()), Some(format!("{head}-dirty")));
    assert_eq!(build::commit(&package), clean);
    bench.write("README.md", "2\n");
    bench.write("src/new.txt", "nobody knows it\n");
    assert_eq!(build::commit(&package), clean);
    for name in ["hw/lib.rs", "Cargo.lock", "src/cli/main.rs"] {
        bench.write(name, "2\n");
        assert_eq!(build::commit(&package), dirty, "{name}");
        git(&bench.path(""), "add --update");
        assert_eq!(build::commit(&package), dirty, "{name}, staged");
        git(&bench.path(""), &format!("restore --staged --worktree {name}"));
    }
    assert_eq!(build::commit(&package), clean);
}

#[test]
fn a_new_commit_a_change_and_another_branch_build_anew() {
    let bench = Bench::new();
    let package = small(&bench);
    let watched = || build::watched(&package);
    let ends = |name: &str| watched().iter().any(|path| path.ends_with(name));
    assert!(ends(".git/HEAD") && ends(".git/refs/heads/main"), "{:?}", watched());
    assert!(ends("../../hw") && ends("../../src") && ends("../../Cargo.lock"), "{:?}", watched());
    // A branch without a file of its own gets one in a folder that is watched.
    git(&package, "checkout --quiet -b some/thing");
    assert!(ends(".git/refs/heads/some/thing"), "{:?}", watched());
    git(&package, "pack-refs --all");
    assert!(ends(".git/packed-refs"), "{:?}", watched());
    let folder = watched().into_iter().find(|path| path.contains(".git/refs/")).expect("a folder");
    let branch = package.join(folder).canonicalize().unwrap();
    assert!(bench.path(".git/refs/heads/some/thing").canonicalize().is_err());
    assert!(bench.path("").canonicalize().unwrap().join(".git/refs/heads/some/thing").starts_with(branch));
    // A commit without a branch.
    git(&package, "checkout --quiet --detach");
    assert!(ends(".git/HEAD") && !ends("packed-refs"), "{:?}", watched());
    // A watched file that does not exist would make cargo build again and again.
    for path in watched() {
        assert!(package.join(&path).exists(), "{path}");
    }
}

#[test]
fn a_work_tree_watches_its_own_head() {
    let bench = Bench::new();
    small(&bench);
    git(&bench.path(""), "worktree add --quiet -b second tree");
    let package = bench.path("tree/src/cli");
    bench.write("tree/hw/lib.rs", "3\n");
    git(&bench.path("tree"), "commit --quiet --all --message second");
    let (first, second) = (git(&bench.path(""), "rev-parse HEAD"), git(&package, "rev-parse HEAD"));
    assert_ne!(first, second);
    assert_eq!(build::commit(&package).as_deref(), Some(&second[..12]));
    let watched = build::watched(&package);
    assert!(watched.iter().any(|path| path.ends_with(".git/worktrees/tree/HEAD")), "{watched:?}");
    assert!(watched.iter().any(|path| path.ends_with(".git/refs/heads/second")), "{watched:?}");
}

#[test]
fn a_package_has_the_commit_that_it_was_made_of_wherever_it_is_unpacked() {
    let bench = Bench::new();
    small(&bench);
    let package = bench.path("vendor/wormscope-cli");
    fs::create_dir_all(&package).unwrap();
    bench.write("vendor/wormscope-cli/Cargo.toml", "1\n");
    git(&bench.path(""), "add .");
    git(&bench.path(""), "commit --quiet --message vendor");
    assert_eq!((build::commit(&package), build::watched(&package)), (None, Vec::new()));
    let note = |text: &str| {
        bench.write("vendor/wormscope-cli/.cargo_vcs_info.json", text);
        build::commit(&package)
    };
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let noted = format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\"\n  }},\n  \"path_in_vcs\": \"src/cli\"\n}}");
    assert_eq!(note(&noted).as_deref(), Some("0123456789ab"));
    let changed = format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\",\n    \"dirty\": true\n  }}\n}}");
    assert_eq!(note(&changed).as_deref(), Some("0123456789ab-dirty"));
    assert_eq!(note("{}"), None);
    assert_eq!(note("{\"git\": {\"sha1\": \"no hash\"}}"), None);
}

#[test]
fn what_is_neither_repository_nor_package_has_a_version_alone() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("src/cli")).unwrap();
    bench.write("src/cli/Cargo.toml", "1\n");
    assert_eq!((build::commit(&bench.path("src/cli")), build::watched(&bench.path("src/cli"))), (None, Vec::new()));
}

#[test]
fn outputs_have_the_version_without_the_commit() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let said = bench.line("run x.ron --wave x.vcd --json x.json --svg x.svg").ends(0);
    bench.line("man -o pages").ends(0);
    let version = env!("CARGO_PKG_VERSION");
    let commit = build::commit(&repository().join("src/cli"));
    for name in ["x.vcd", "x.json", "x.svg", "pages/wormscope.1", "pages/wormscope-run.1"] {
        let text = bench.read(name);
        assert!(name == "pages/wormscope-run.1" || text.contains(version), "{name} has no version");
        if let Some(commit) = &commit {
            assert!(!text.contains(&commit[..12]), "{name} has the commit");
        }
    }
    assert!(said.contains(&format!("wormscope {version}\n")), "{said}");
}
