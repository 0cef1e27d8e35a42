//! Tells the program its version and the commit that it is built from: `WORMSCOPE_VERSION`.

use std::path::Path;
use std::process::Command;

/// Sources of the program, as paths from this package.
const SOURCES: [&str; 5] = ["../../.cargo", "../../Cargo.lock", "../../Cargo.toml", "../../hw", "../../src"];
/// Digits of a commit. The number of digits is fixed, so that every clone prints the same commit.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let package = Path::new(".");
    for path in watched(package) {
        println!("cargo::rerun-if-changed={path}");
    }
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let text = commit(package).map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=WORMSCOPE_VERSION={text}");
}

/// The commit of a package, with `-dirty` after it if the sources differ. The commit comes from the
/// repository, or from the note of `cargo package`.
#[must_use]
pub fn commit(package: &Path) -> Option<String> {
    if is_in_repository(package) {
        let hash = git(package, &["rev-parse", "HEAD"])?;
        let differs = [&["diff", "--quiet", "HEAD", "--"][..], &SOURCES].concat();
        return short(&hash, run(package, &differs)?.status.code() != Some(0));
    }
    let noted = std::fs::read_to_string(package.join(".cargo_vcs_info.json")).ok()?;
    let hash = noted.split("\"sha1\":").nth(1)?.split('"').nth(1)?;
    short(hash, noted.replace(' ', "").contains("\"dirty\":true"))
}

/// The first digits of a commit.
fn short(hash: &str, is_dirty: bool) -> Option<String> {
    let digits = hash.get(..DIGITS).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    Some(format!("{digits}{}", if is_dirty { "-dirty" } else { "" }))
}

/// Files and folders of which a change may change the commit or whether sources differ from it.
/// Cargo builds anew at every call for one that does not exist.
#[must_use]
pub fn watched(package: &Path) -> Vec<String> {
    if !is_in_repository(package) {
        return Vec::new();
    }
    let exists = |path: &String| package.join(path).exists();
    let file = |name: &str| git(package, &["rev-parse", "--git-path", name]).filter(exists);
    let mut paths: Vec<_> = SOURCES.map(str::to_owned).into_iter().filter(exists).collect();
    paths.extend(file("HEAD"));
    if let Some(branch) = git(package, &["symbolic-ref", "--quiet", "HEAD"]) {
        // A branch that is packed has no file until its next commit, which makes one.
        let loose = file(&branch);
        if loose.is_none() {
            paths.extend(branch.rmatch_indices('/').find_map(|(end, _)| file(&branch[..end])));
            paths.extend(file("packed-refs"));
        }
        paths.extend(loose);
    }
    paths
}

/// Whether the package is in its own repository, and not copied into another repository.
fn is_in_repository(package: &Path) -> bool {
    git(package, &["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix == "src/cli/")
        && git(package, &["ls-files", "Cargo.toml"]).is_some_and(|tracked| !tracked.is_empty())
}

/// Output of git, if git exists and succeeds.
fn git(package: &Path, args: &[&str]) -> Option<String> {
    let output = run(package, args).filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}

fn run(package: &Path, args: &[&str]) -> Option<std::process::Output> {
    Command::new("git").arg("--no-optional-locks").args(args).current_dir(package).output().ok()
}
