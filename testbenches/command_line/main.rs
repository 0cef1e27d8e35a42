//! The `wormscope` binary, called as a user or a script calls it.

mod advise;
mod bad_input;
mod channels;
mod configs;
mod cost;
mod coverage;
mod deadlock;
mod disk;
mod effects;
mod engines;
mod examples;
mod explore;
mod exploring;
mod find;
mod follow;
mod gauges;
mod guided;
mod guides;
mod heat;
mod multicast;
mod outputs;
mod prove;
mod reference;
mod release;
mod reproduce;
mod rtl;
mod search;
mod shell;
#[cfg(target_os = "linux")]
mod speed;
mod stability;
mod streams;
mod sweep;
mod sweep_search;
mod sweep_verdicts;
mod terminal;
mod test;
mod test_day;
mod version;
mod view;
mod warnings;
mod why;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// An 8x8 mesh under random unicast traffic, over in about a hundred cycles.
const TRAFFIC: &str = "(network: (topology: mesh(radices: [8, 8])), \
                       workload: [traffic(load: 0.2, payload_flits: 7)], run: (measure_cycles: 100))\n";
/// A line of eight nodes driven by the trace `trace.csv`.
const TRACED: &str = "(network: (topology: linear(nodes: 8)), workload: [trace(\"trace.csv\")])\n";
/// The header line of a trace.
const HEADER: &str = "cycle,source,destinations,encoding,payload_flits\n";

/// Result of a call.
struct Call {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Call {
    /// Standard output of a call that must end with `code`.
    #[track_caller]
    fn ends(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self.out
    }

    /// The message of a call that must be refused: one paragraph, exit code 2, nothing on standard
    /// output.
    #[track_caller]
    fn refused(self) -> String {
        assert_eq!(self.out, "");
        self.unwritten()
    }

    /// As [`Call::refused`], of a call whose report was printed before.
    #[track_caller]
    fn unwritten(self) -> String {
        let message = self.err.strip_prefix("error: ").unwrap_or_else(|| panic!("code {:?}: {}", self.code, self.err));
        assert_eq!(self.code, Some(2), "{message}");
        assert_eq!(message.matches('\n').count(), 1, "not one paragraph: {message}");
        assert!(message.ends_with('\n') && message.len() < 1000, "{message}");
        assert!(!message.contains(".wormscope-"), "names a temporary file: {message}");
        message.trim_end().to_owned()
    }
}

/// A directory to work in.
struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    /// A bench with one file.
    fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let bench = Self::new();
        bench.write(name, text);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names of all files, hidden ones included.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a directory");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }

    /// Calls the binary in this directory.
    fn call(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        finish(&mut command)
    }

    /// Calls the binary with the words of a line.
    fn line(&self, line: &str) -> Call {
        self.call(line.split_whitespace())
    }
}

fn finish(command: &mut Command) -> Call {
    let output = command.output().expect("a process");
    let text = |bytes: Vec<u8>| {
        // A picture that was asked for on standard output is no text.
        let is_picture = bytes.starts_with(b"\x89PNG");
        if is_picture { String::from_utf8_lossy(&bytes).into() } else { String::from_utf8(bytes).expect("UTF-8") }
    };
    Call { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The folder of configurations in the repository.
fn configs() -> PathBuf {
    repository().join("configs")
}

/// One of them.
fn config(name: &str) -> String {
    configs().join(name).display().to_string()
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("src/cli")
}

/// A bench that looks like the repository's root, with a folder of pictures to be drawn in docs.
fn root(pictures: &str) -> Bench {
    let bench = Bench::new();
    for folder in ["docs/reference".into(), format!("docs/explain/{pictures}")] {
        std::fs::create_dir_all(bench.path(&folder)).expect("a folder");
    }
    for folder in ["configs", "docs/reference/networks"] {
        std::os::unix::fs::symlink(repository().join(folder), bench.path(folder)).expect("a link");
    }
    bench
}

/// Fenced blocks of a kind in a text.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let start = format!("```{kind}\n");
    text.split(&start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}
