//! Every command with every file that it writes or reads, and every way in which that can go wrong.

use std::fs::Permissions;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Bench, Call, finish};

/// A command line, the files that it reads, and its exit code.
struct Case {
    line: &'static str,
    /// Files that it can write: options and file names.
    outputs: &'static [(&'static str, &'static str)],
    /// Files that it is called with, and all files that these lead to.
    inputs: &'static [&'static str],
    code: i32,
}

const NETWORK: &[&str] = &["net.ron", "net.csv"];
const TESTBENCH: &[&str] = &["bench.ron", "part.ron", "base.ron", "base.csv", "part.csv"];

const CASES: [Case; 28] = [
    Case { line: "completions zsh", outputs: &[], inputs: &[], code: 0 },
    Case {
        line: "run net.ron",
        outputs: &[
            ("--wave", "o.vcd"),
            ("--json", "o.json"),
            ("--csv", "o.csv"),
            ("--svg", "o.svg"),
            ("--png", "o.png"),
        ],
        inputs: NETWORK,
        code: 0,
    },
    Case {
        line: "run net.ron --seed 2",
        outputs: &[("--links", "l.csv"), ("--fifos", "f.csv"), ("--accounts", "a.csv")],
        inputs: NETWORK,
        code: 0,
    },
    Case {
        line: "run net.ron --energy energy.ron",
        outputs: &[("--json", "o.json")],
        inputs: &["net.ron", "net.csv", "energy.ron"],
        code: 0,
    },
    Case { line: "run net.ron --seed 3", outputs: &[("--trace", "t.json")], inputs: NETWORK, code: 0 },
    Case { line: "run net.ron --seed 4", outputs: &[("--coverage", "c.json")], inputs: NETWORK, code: 0 },
    Case { line: "why net.ron --worm 0 --beside base.ron", outputs: &[("--json", "o.json")], inputs: NETWORK, code: 0 },
    Case { line: "check net.ron", outputs: &[("--svg", "o.svg"), ("--json", "o.json")], inputs: NETWORK, code: 0 },
    Case {
        line: "check free.ron --deadlock",
        outputs: &[("--certificate", "c.json"), ("--json", "o.json"), ("--svg", "o.svg")],
        inputs: &["free.ron"],
        code: 0,
    },
    Case {
        line: "check ring.ron --deadlock",
        outputs: &[("--witness", "w.ron"), ("--json", "o.json"), ("--svg", "o.svg")],
        inputs: &["ring.ron"],
        code: 3,
    },
    Case {
        line: "prove trees.ron",
        outputs: &[("--output", "o.ron"), ("--json", "o.json")],
        inputs: &["trees.ron"],
        code: 3,
    },
    Case {
        line: "search trees.ron --encoding bit_string --destinations 2 --payload 6",
        outputs: &[("--output", "o.ron"), ("--json", "o.json")],
        inputs: &["trees.ron"],
        code: 3,
    },
    Case {
        line: "plan net.ron --algorithm chain --source 0 --dest 1,2",
        outputs: &[("--json", "o.json"), ("--dot", "o.dot"), ("--svg", "o.svg")],
        inputs: NETWORK,
        code: 0,
    },
    Case {
        line: "bench-node net.ron --bytes 8 --times 2 --algorithm chain",
        outputs: &[("--json", "o.json")],
        inputs: NETWORK,
        code: 0,
    },
    Case { line: "model parameterised --nodes 2", outputs: &[("--svg", "o.svg")], inputs: &[], code: 0 },
    Case {
        line: "test bench.ron --wave never",
        outputs: &[("--junit", "o.xml"), ("--json", "o.json"), ("--coverage", "c.json")],
        inputs: TESTBENCH,
        code: 0,
    },
    Case { line: "test bench.ron --seed 2", outputs: &[("--export", "e.ron")], inputs: TESTBENCH, code: 0 },
    Case {
        line: "coverage cov.json",
        outputs: &[("--json", "o.json"), ("--html", "o.html"), ("--ucis", "o.xml")],
        inputs: &["cov.json"],
        code: 0,
    },
    Case {
        line: "deadlock bench.ron --bound 100",
        outputs: &[("--wave", "o.vcd"), ("--json", "o.json"), ("--dot", "o.dot"), ("--svg", "o.svg")],
        inputs: TESTBENCH,
        code: 3,
    },
    Case { line: "deadlock net.ron --bound 100", outputs: &[("--json", "o.json")], inputs: NETWORK, code: 0 },
    Case {
        line: "explore out --cost area --quality saturation",
        outputs: &[("--csv", "o.csv"), ("--svg", "o.svg"), ("--png", "o.png")],
        inputs: &[],
        code: 0,
    },
    Case {
        line: "plot out --y saturation --x fifo_depth",
        outputs: &[("--svg", "o.svg"), ("--png", "o.png")],
        inputs: &[],
        code: 0,
    },
    Case {
        line: "find task.ron",
        outputs: &[("--json", "o.json")],
        inputs: &["task.ron", "net.ron", "net.csv"],
        code: 0,
    },
    Case {
        line: "advise load.ron --energy energy.ron --seeds 1",
        outputs: &[("--json", "o.json"), ("--svg", "o.svg"), ("--png", "o.png")],
        inputs: &["load.ron", "energy.ron"],
        code: 0,
    },
    Case { line: "report out", outputs: &[("--output", "o.html")], inputs: &[], code: 0 },
    Case { line: "view net.ron --beside base.ron", outputs: &[("--output", "o.html")], inputs: NETWORK, code: 0 },
    Case { line: "config --example mesh", outputs: &[], inputs: &[], code: 0 },
    Case { line: "config --paths net.ron", outputs: &[], inputs: &["net.ron"], code: 0 },
];

/// A network under a trace; a sweep; four worms in a ring, one of them from a trace, as a testbench
/// of several files.
fn setup() -> Bench {
    let bench = Bench::new();
    let write = |name: &str, text: &str| bench.write(name, text);
    write(
        "net.ron",
        "(network: (topology: mesh(radices: [4, 4]), node: (costs: (hold: (fixed: 20), network: 5))), workload: [trace(\"net.csv\")])",
    );
    write("net.csv", &format!("{}0,1,2,,4\n", super::HEADER));
    let coefficients = super::repository().join("configs/energy/dsent_45nm.ron");
    write("energy.ron", &std::fs::read_to_string(coefficients).expect("coefficients"));
    write("task.ron", "(bases: [\"net.ron\"], vary: [\"fifo_depth=2,4\"], seeds: 1, least: \"area\")");
    write(
        "load.ron",
        "(network: (topology: mesh(radices: [2, 2])), workload: [traffic(load: 0.1, payload_flits: 3)], run: (measure_cycles: 200))",
    );
    let message =
        |source: u32| format!("(cycle: 0, source: {source}, destinations: [{}], payload_flits: 16)", (source + 2) % 4);
    write(
        "base.ron",
        &format!(
            "(network: (topology: torus(radices: [4], datelines: false)), workload: [messages([{}, {}]), trace(\"base.csv\")])",
            message(0),
            message(1)
        ),
    );
    write("base.csv", &format!("{}0,2,0,,16\n", super::HEADER));
    write("part.ron", "(config: \"base.ron\", workload: [trace(\"part.csv\")])");
    write("part.csv", &format!("{}0,3,1,,16\n", super::HEADER));
    write(
        "bench.ron",
        "(purpose: \"a ring\", include: [\"part.ron\"], expect: (deadlock: found(worms: [0, 1, 2, 3], final_cycle: 4)))",
    );
    let worm = "(cycle: 0, source: 0, destinations: [1], payload_flits: 1)";
    write("free.ron", &format!("(network: (topology: linear(nodes: 2)), workload: [messages([{worm}])])"));
    write("trees.ron", super::prove::TREES);
    let worms = (0..4).map(message).collect::<Vec<_>>().join(", ");
    write(
        "ring.ron",
        &format!("(network: (topology: torus(radices: [4], datelines: false)), workload: [messages([{worms}])])"),
    );
    bench.write("cov.json", covered());
    super::explore::sweep_in(&bench);
    bench
}

/// The coverage of a run, as a file.
fn covered() -> &'static [u8] {
    static COVERED: OnceLock<Vec<u8>> = OnceLock::new();
    COVERED.get_or_init(|| {
        let bench = Bench::with("free.ron", "(network: (topology: linear(nodes: 2)), workload: [messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 1)])])");
        bench.line("run free.ron --coverage cov.json").ends(0);
        bench.bytes("cov.json")
    })
}

/// The call of a case with further words, and redirections of the shell's behind them.
fn call(bench: &Bench, case: &Case, more: &str) -> Call {
    shell(bench, &format!("{} {more}", case.line))
}

/// The call of a line.
fn shell(bench: &Bench, line: &str) -> Call {
    let line = format!("exec '{}' {line}", env!("CARGO_BIN_EXE_wormscope"));
    finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")).stdin(Stdio::null()))
}

/// As [`call`], by a user without all rights.
fn call_as_nobody(bench: &Bench, case: &Case, more: &str) -> Call {
    const NOBODY: u32 = 65534;
    let line = format!("exec '{}' {} {more}", env!("CARGO_BIN_EXE_wormscope"), case.line);
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(bench.path("")).stdin(Stdio::null());
    let root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if root {
        chown(bench.path(""), Some(NOBODY), Some(NOBODY)).expect("the bench is ours");
        command.uid(NOBODY).gid(NOBODY);
    }
    finish(&mut command)
}

/// Conditions after every call: no file is half written, the input files are unchanged, and nothing
/// panicked.
#[track_caller]
fn orderly(bench: &Bench, before: &[(String, Option<Vec<u8>>)], call: &Call) {
    assert!(matches!(call.code, Some(0 | 2 | 3 | 4)), "{:?}: {}", call.code, call.err);
    assert!(!call.err.contains("panicked") && !call.err.contains(".wormscope-"), "{}", call.err);
    assert_eq!(contents(bench), before, "{}{}", call.out, call.err);
}

/// Everything in a bench, with what the files hold.
fn contents(bench: &Bench) -> Vec<(String, Option<Vec<u8>>)> {
    let of = |name: &String| bench.path(name).is_file().then(|| bench.bytes(name));
    bench.names().into_iter().filter(|name| name != "waves").map(|name| (name.clone(), of(&name))).collect()
}

/// Does something with every file that a case can write.
fn with_every_output(mut test: impl FnMut(&Bench, &Case, &str, &str)) {
    for case in &CASES {
        for (option, name) in case.outputs {
            test(&setup(), case, option, name);
        }
    }
}

/// Makes a file a pipe that its text comes through, once.
fn feed(bench: &Bench, name: &str) -> Child {
    std::fs::rename(bench.path(name), bench.path(&format!("text of {name}"))).expect("a file");
    fifo(bench, name);
    let line = format!("exec cat 'text of {name}' > {name}");
    Command::new("bash").args(["-c", &line]).current_dir(bench.path("")).spawn().expect("a process")
}

fn fifo(bench: &Bench, name: &str) {
    assert!(Command::new("mkfifo").arg(bench.path(name)).status().expect("mkfifo").success());
}

#[test]
fn the_table_has_every_command_and_every_file_that_it_can_write() {
    let bench = Bench::new();
    let help = bench.line("--help").ends(0);
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    // The commands sweep, merge, reproduce, man and rtl write a folder that outlives the command:
    // see `sweep` and `rtl`.
    let elsewhere = ["help", "sweep", "merge", "reproduce", "man", "rtl"];
    let commands = listed.lines().filter_map(|line| line.split_whitespace().next());
    for command in commands.filter(|name| !elsewhere.contains(name)) {
        let mine: Vec<&Case> = CASES.iter().filter(|case| case.line.split(' ').next() == Some(command)).collect();
        assert!(!mine.is_empty(), "{command} is in no case");
        let help = bench.call([command, "--help"]).ends(0);
        let options = help.lines().filter_map(|line| line.trim_start().split_once(" <FILE>"));
        let options = options.map(|(option, _)| option).filter(|option| option.starts_with('-'));
        // These need a testbench that fails or has properties: see `test_day`. A search that is
        // kept is read as well: see `prove`.
        let alone = ["--shrink", "--sva", "--keep"];
        for option in options.filter(|option| !alone.iter().any(|of| option.ends_with(of))) {
            let written = |case: &Case| case.outputs.iter().any(|(name, _)| option.ends_with(name));
            let has = |case: &&Case| written(case) || case.line.split(' ').any(|word| option.ends_with(word));
            assert!(mine.iter().any(has), "{command} {option} is in no case");
        }
    }
}

#[test]
fn every_case_runs_and_writes_what_it_is_asked_for() {
    for case in &CASES {
        let bench = setup();
        let all: Vec<String> = case.outputs.iter().map(|(option, name)| format!("{option} {name}")).collect();
        call(&bench, case, &all.join(" ")).ends(case.code);
        for (option, name) in case.outputs {
            // Without a deadlock there is nothing to draw.
            assert!(!bench.bytes(name).is_empty(), "{} {option}", case.line);
        }
    }
}

#[test]
fn what_may_not_be_written_is_refused_before_anything_runs() {
    with_every_output(|bench, case, option, name| {
        bench.write(name, "old");
        std::fs::set_permissions(bench.path(name), Permissions::from_mode(0o444)).expect("a mode");
        std::fs::create_dir(bench.path("folder")).expect("a folder");
        std::fs::create_dir(bench.path("shut")).expect("a folder");
        std::fs::set_permissions(bench.path("shut"), Permissions::from_mode(0o555)).expect("a mode");
        let before = contents(bench);
        for (at, why) in [
            (name.to_owned(), "Permission denied"),
            (format!("shut/{name}"), "cannot create a file in its folder: Permission denied"),
            (format!("new-{name}/"), "is a directory"),
            (format!("nowhere/{name}"), "there is no folder nowhere, create it first"),
            (format!("net.ron/{name}"), "Not a directory"),
        ] {
            if case.inputs.is_empty() && at.starts_with("net.ron") {
                continue;
            }
            let call = call_as_nobody(bench, case, &format!("{option} {at}"));
            orderly(bench, &before, &call);
            let message = call.refused();
            assert!(
                message.starts_with(&format!("{at}: cannot be written: {why}")),
                "{} {option}: {message}",
                case.line
            );
        }
    });
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_permissions() {
    with_every_output(|bench, case, option, name| {
        bench.write(name, "old");
        std::fs::set_permissions(bench.path(name), Permissions::from_mode(0o640)).expect("a mode");
        call(bench, case, &format!("{option} {name}")).ends(case.code);
        assert_ne!(bench.bytes(name), b"old");
        let mode = std::fs::metadata(bench.path(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{} {option}", case.line);
    });
}

#[test]
fn a_link_that_leads_nowhere_yet_leads_to_what_is_written() {
    with_every_output(|bench, case, option, name| {
        symlink(format!("goal-{name}"), bench.path(name)).expect("a link");
        call(bench, case, &format!("{option} {name}")).ends(case.code);
        assert!(bench.path(name).is_symlink() && bench.path(&format!("goal-{name}")).is_file());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_and_no_other_file_either() {
    with_every_output(|bench, case, option, name| {
        symlink("/dev/full", bench.path(name)).expect("a link");
        let others: Vec<String> = case
            .outputs
            .iter()
            .filter(|(other, _)| *other != option)
            .map(|(other, name)| format!("{other} x{name}"))
            .collect();
        let before = contents(bench);
        let call = call(bench, case, &format!("{option} {name} {}", others.join(" ")));
        orderly(bench, &before, &call);
        let message = call.unwritten();
        assert!(message.starts_with(&format!("{name}: cannot be written: No space left on device")), "{message}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn standard_streams_that_are_full_or_closed_leave_no_half_of_anything() {
    // Each command meets two of these in turn, and most commands write alike.
    let ends = [">&-", "2>&-", "2>/dev/full", "<&-", ">&- 2>&- <&-", "| true"];
    for (number, case) in CASES.iter().enumerate() {
        let all: Vec<String> = case.outputs.iter().map(|(option, name)| format!("{option} {name}")).collect();
        let all = all.join(" ");
        let bench = setup();
        let before = contents(&bench);
        let full = call(&bench, case, &format!("{all} >/dev/full"));
        orderly(&bench, &before, &full);
        let message = full.unwritten();
        assert!(message.starts_with("standard output: No space left on device"), "{message}");
        call(&bench, case, &all).ends(case.code);
        let whole = contents(&bench);
        for nowhere in [ends[number % 6], ends[(number + 3) % 6]] {
            let bench = setup();
            let line = if nowhere.starts_with('|') { format!("{all} > >(exit)") } else { format!("{all} {nowhere}") };
            let call = call(&bench, case, &line);
            assert_eq!(call.code, Some(case.code), "{} {line}: {}", case.line, call.err);
            let now: Vec<String> = contents(&bench).into_iter().map(|(name, _)| name).collect();
            assert_eq!(now, whole.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), "{} {line}", case.line);
        }
    }
    with_every_output(|bench, case, option, _| {
        for nowhere in [">/dev/full", ">&-"] {
            let before = contents(bench);
            let call = call(bench, case, &format!("{option} - {nowhere}"));
            orderly(bench, &before, &call);
            assert_eq!(call.code, Some(if nowhere == ">&-" { case.code } else { 2 }), "{}", call.err);
        }
    });
}

#[test]
fn a_dash_is_standard_output_alone() {
    with_every_output(|bench, case, option, name| {
        let report = call(bench, case, &format!("{option} {name}"));
        // Times are no part of the output.
        let without_times = |text: &str| -> String {
            text.lines()
                .filter(|line| !line.contains("second") && !line.contains("time=") && !line.contains("waves/"))
                .collect()
        };
        let written = String::from_utf8_lossy(&bench.bytes(name)).into_owned();
        for dash in ["-", "/dev/stdout"] {
            let call = call(bench, case, &format!("{option} {dash}"));
            assert_eq!(call.code, report.code, "{} {option}: {}", case.line, call.err);
            assert_eq!(without_times(&call.out), without_times(&written), "{} {option}", case.line);
            assert!(!call.err.is_empty());
        }
    });
}

#[test]
fn standard_input_and_output_serve_together_and_stay_apart() {
    with_every_output(|bench, case, option, _| {
        let Some(root) = case.inputs.first() else { return };
        let line = format!("{} {option}", case.line.replace(root, "-"));
        for dash in ["-", "/dev/stdout"] {
            for how in [">whole", "| cat >whole; exit ${PIPESTATUS[0]}"] {
                let call = shell(bench, &format!("{line} {dash} <{root} {how}"));
                assert_eq!(call.code, Some(case.code), "{line} {dash} {how}: {}", call.err);
                assert!(!bench.bytes("whole").is_empty());
            }
        }
        let before = contents(bench);
        let call = shell(bench, &format!("{line} {root} <{root}"));
        orderly(bench, &before, &call);
        let message = call.refused();
        let by_its_end = option == "--wave" || message.contains("ends in .csv or .parquet");
        assert!(message.contains(": is both ") || by_its_end, "{line}: {message}");
    });
}

#[test]
fn a_pipe_takes_what_a_file_does() {
    with_every_output(|bench, case, option, name| {
        fifo(bench, name);
        let path = bench.path(name);
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            std::fs::File::open(path).and_then(|mut pipe| pipe.read_to_end(&mut text)).expect("a pipe");
            text
        });
        call(bench, case, &format!("{option} {name}")).ends(case.code);
        assert!(!reader.join().expect("a reader").is_empty());
        // The call succeeds although its reader stops early.
        call(bench, case, &format!("{option} >(head -c 1 >/dev/null)")).ends(case.code);
    });
}

#[test]
fn a_pipe_that_nobody_reads_is_not_waited_for_for_ever() {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for case in &CASES {
            for (option, name) in case.outputs {
                scope.spawn(move || {
                    let bench = setup();
                    fifo(&bench, name);
                    let before = contents(&bench);
                    let call = call(&bench, case, &format!("{option} {name}"));
                    orderly(&bench, &before, &call);
                    let message = call.refused();
                    assert!(
                        message.starts_with(&format!("{name}: cannot be written: nothing has read from this pipe")),
                        "{message}"
                    );
                });
            }
        }
    });
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn nothing_that_is_read_is_overwritten() {
    with_every_output(|bench, case, option, _| {
        for input in case.inputs {
            for path in
                [(*input).to_owned(), format!("../{}/{input}", bench.path("").file_name().expect("a name").display())]
            {
                symlink(input, bench.path("link")).expect("a link");
                for path in [&*path, "link"] {
                    let before = contents(bench);
                    let call = call(bench, case, &format!("{option} {path}"));
                    orderly(bench, &before, &call);
                    let message = call.refused();
                    let told = message.starts_with(&format!("{path}: is both "));
                    let by_its_end = match option {
                        "--wave" => message.contains("ends in .vcd or .fst"),
                        "--links" | "--fifos" | "--accounts" => message.contains("ends in .csv or .parquet"),
                        "--svg" | "--png" => message.contains("give it a name that ends in ."),
                        _ => false,
                    };
                    assert!(told || by_its_end, "{} {option} {path}: {message}", case.line);
                }
                std::fs::remove_file(bench.path("link")).expect("the link");
            }
        }
    });
}

#[test]
fn two_files_of_a_command_are_not_one() {
    for case in &CASES {
        for (first, name) in case.outputs {
            for (second, _) in case.outputs.iter().filter(|(second, _)| second != first) {
                let bench = setup();
                let before = contents(&bench);
                for (one, other) in [(*name, *name), (name, &*format!("./{name}")), ("-", "-"), ("-", "/dev/stdout")] {
                    if *second == "--wave" && other != "-" && other != "/dev/stdout" {
                        continue;
                    }
                    let call = call(&bench, case, &format!("{first} {one} {second} {other}"));
                    orderly(&bench, &before, &call);
                    let refused = call.refused();
                    let told = refused.contains(": is both ") || refused.contains("give it a name that ends in .");
                    assert!(told, "{} {first} {second}", case.line);
                }
            }
            // The same holds where a shell has led a standard stream to the file.
            for stream in [">", "2>", ">>"] {
                let bench = setup();
                let call = call(&bench, case, &format!("{first} {name} {stream} {name}"));
                assert_eq!(call.code, Some(2), "{} {first} {stream}", case.line);
                let told = format!("{}{}", bench.read(name), call.err);
                assert!(told.contains(": is both standard "), "{told}");
            }
        }
    }
}

#[test]
fn every_file_beside_a_waveform_is_found_wanting_before_the_run() {
    for case in CASES.iter().filter(|case| case.outputs.iter().any(|(option, _)| *option == "--wave")) {
        for name in ["o.gtkw", "o.worms.txt", "o.states.txt", "o.flits.txt"] {
            let bench = setup();
            std::fs::create_dir(bench.path(name)).expect("a folder");
            let before = contents(&bench);
            let call = call(&bench, case, "--wave o.vcd");
            orderly(&bench, &before, &call);
            assert_eq!(call.refused(), format!("{name}: cannot be written: is a directory; nothing was left behind"));
        }
    }
}

#[test]
fn a_file_that_is_read_may_be_a_pipe_or_standard_input() {
    for case in CASES.iter().filter(|case| !case.inputs.is_empty()) {
        let named = setup();
        let plain = ["test", "check", "config"].iter().any(|command| case.line.starts_with(command));
        let options = match (plain, case.line.starts_with("view")) {
            (true, _) => "",
            (_, true) => "--output o.html",
            _ => "--json o.json",
        };
        let (whole, code) = (call(&named, case, options).out, Some(case.code));
        let root = case.inputs[0];
        for how in ["stdin", "pipe", "every pipe"] {
            let bench = setup();
            let pipes = match how {
                "stdin" => &[],
                "pipe" => &case.inputs[..1],
                _ => case.inputs,
            };
            let mut feeders: Vec<Child> = pipes.iter().map(|name| feed(&bench, name)).collect();
            let line = match how {
                "stdin" => {
                    let line = case.line.replace(root, "-");
                    format!("cat {root} | '{}' {line} {options}", env!("CARGO_BIN_EXE_wormscope"))
                }
                _ => format!("timeout 20 '{}' {} {options}", env!("CARGO_BIN_EXE_wormscope"), case.line),
            };
            let call = finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")));
            for feeder in &mut feeders {
                feeder.kill().expect("a kill");
                feeder.wait().expect("an end");
            }
            assert_eq!(call.code, code, "{how}: {line}: {}", call.err);
            let same = |text: &str| -> Vec<String> {
                let words = |line: &str| {
                    line.replace("<stdin>", root).replace("waves/stdin", "waves/bench").replace("stdin.", "bench.")
                };
                text.lines()
                    .filter(|line| ![" in 0.", " per second", " a second"].iter().any(|time| line.contains(time)))
                    .map(words)
                    .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                    .collect()
            };
            assert_eq!(same(&call.out), same(&whole), "{how}: {line}");
        }
    }
}

#[test]
fn a_trace_may_come_through_standard_input_however_often_it_is_read() {
    let bench = Bench::with("net.ron", "(network: (topology: linear(nodes: 8)), workload: [trace(\"-\")])");
    let trace = format!("{}0,1,2,,4\n9,3,7,,4\n", super::HEADER);
    bench.write("t.csv", &trace);
    for line in ["run net.ron --wave o.vcd --follow 1", "check net.ron", "deadlock net.ron"] {
        let line = format!("'{}' {line} < t.csv", env!("CARGO_BIN_EXE_wormscope"));
        finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path(""))).ends(0);
    }
    assert!(bench.read("o.gtkw").contains("-worm 1: n3 to n7"));
}

#[test]
fn a_waveform_that_nobody_asked_for_takes_nothing_away() {
    let case = CASES.iter().find(|case| case.line.starts_with("deadlock")).expect("a deadlock");
    let all = "--json o.json";
    for spoil in [
        (|path: &Path| std::fs::write(path.join("waves"), "a file").expect("a file")) as fn(&Path),
        |path| std::fs::create_dir_all(path.join("waves/bench.fst")).expect("a folder"),
        |path| std::fs::create_dir_all(path.join("waves/bench.gtkw")).expect("a folder"),
        |path| {
            std::fs::create_dir(path.join("waves")).expect("a folder");
            symlink("/dev/full", path.join("waves/bench.fst")).expect("a link");
        },
    ] {
        let bench = setup();
        spoil(&bench.path(""));
        let call = call(&bench, case, all);
        assert!(call.err.starts_with("warning: no waveform was written: waves"), "{}", call.err);
        let out = call.ends(3);
        assert!(out.ends_with("\n\nwrote o.json\n"), "{out}");
        assert!(bench.read("o.json").contains("\"open\": null"));
    }
    // The next call is by a user who may not write here.
    let bench = setup();
    std::fs::set_permissions(bench.path(""), Permissions::from_mode(0o555)).expect("a mode");
    let call = call_as_nobody(&bench, case, "");
    assert!(
        call.err.starts_with(
            "warning: no waveform was written: waves: cannot create the folder: Permission \
             denied"
        ),
        "{}",
        call.err
    );
    assert!(call.ends(3).starts_with("DEADLOCK final at 4"));
}
