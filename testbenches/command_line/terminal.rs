//! Long runs: progress on a terminal, silence elsewhere, and an orderly end when interrupted.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Bench, HEADER, TRACED};

/// Traffic without end.
const ENDLESS: &str = "(network: (topology: mesh(radices: [16, 16])), workload: [traffic(load: 0.1, payload_flits: 7)], \
                       run: (measure_cycles: 1000000000))\n";

/// Runs a line of shell on a terminal (crate-less: `script` of util-linux) and returns what the
/// terminal showed.
fn on_a_terminal(bench: &Bench, line: &str) -> String {
    let call = Command::new("script")
        .args(["-q", "-e", "-c", line, "/dev/null"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .current_dir(bench.path(""))
        .stdin(Stdio::null())
        .output()
        .expect("script, of util-linux");
    String::from_utf8_lossy(&call.stdout).into_owned()
}

#[test]
fn a_long_run_shows_its_progress_on_a_terminal_only() {
    let bench = Bench::with("x.ron", ENDLESS);
    let run = format!("timeout -s INT 2 '{}' run x.ron", env!("CARGO_BIN_EXE_wormscope"));
    let shown = on_a_terminal(&bench, &run);
    assert!(shown.contains(" of 1,000,000,000, ") && shown.contains(" left"), "{shown:?}");
    assert!(shown.contains("interrupted after "), "{shown:?}");
    let piped = super::finish(Command::new("bash").args(["-c", &run]).current_dir(bench.path("")));
    assert!(piped.err.starts_with("interrupted after ") && piped.err.lines().count() == 1, "{}", piped.err);
}

/// Calls the binary on a terminal, interrupts it once the terminal has shown `wanted`, and returns
/// all that it showed. Nothing is awaited for longer than the call takes by itself.
fn interrupted_once_shown(bench: &Bench, args: &str, wanted: &str) -> String {
    let line = format!("echo $$; exec env --default-signal '{}' {args}", env!("CARGO_BIN_EXE_wormscope"));
    let mut call = Command::new("script")
        .args(["-q", "-e", "-c", &line, "/dev/null"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .current_dir(bench.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of util-linux");
    let mut terminal = call.stdout.take().expect("a pipe");
    let (mut shown, mut is_sent, mut part) = (Vec::new(), false, [0; 4096]);
    loop {
        let count = terminal.read(&mut part).expect("what is shown");
        if count == 0 {
            break;
        }
        shown.extend_from_slice(&part[..count]);
        let so_far = String::from_utf8_lossy(&shown);
        if !is_sent && so_far.contains(wanted) {
            let id = so_far.lines().next().and_then(|line| line.trim().parse().ok());
            send("INT", id.unwrap_or_else(|| panic!("no number of a process: {so_far:?}")));
            is_sent = true;
        }
    }
    let shown = String::from_utf8_lossy(&shown).replace('\r', "");
    assert!(is_sent, "no {wanted:?}: {shown:?}");
    assert_eq!(call.wait().expect("an end").code(), Some(130), "{shown:?}");
    shown
}

/// End of the message of an interrupted call.
const PARTIAL: &str = "; the output has the results so far\n";

/// A torus that deadlocks at once. Once it cannot deadlock, it runs without end.
const STUCK: &str = "(network: (topology: torus(radices: [4, 4], datelines: false)), run: (measure_cycles: 1000000000), \
                     workload: [traffic(load: 0.3, payload_flits: 15)])\n";

#[test]
fn an_interrupted_search_for_what_frees_a_deadlock_tells_the_deadlock() {
    let bench = Bench::with("x.ron", STUCK);
    // With datelines the run takes long.
    let trying = " trying datelines, virtual_channels 1 to 2, ";
    let shown = interrupted_once_shown(&bench, "deadlock x.ron --json x.json --svg x.svg", trying);
    assert!(shown.contains("DEADLOCK final at ") && shown.contains("\nNo cure was tried to its end:\n"), "{shown:?}");
    let at = "\n  stopped at datelines, virtual_channels 1 to 2: this cure and later ones may free it too\n";
    assert!(shown.contains(at), "{shown:?}");
    assert!(shown.contains("\nPoint of no return: not searched, because the search was stopped.\n"), "{shown:?}");
    assert!(
        shown.contains("\nwarning: no waveform was written: you interrupted before it was complete\n"),
        "{shown:?}"
    );
    assert!(shown.contains("\nwrote x.json, x.svg\n"), "{shown:?}");
    assert!(shown.ends_with(&format!("interrupted{PARTIAL}")), "{shown:?}");
    let told: serde_json::Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    assert_eq!((&told["outcome"], &told["deadlock"]["interrupted"]), (&"deadlock".into(), &true.into()));
    assert_eq!(bench.names(), ["x.json", "x.ron", "x.svg"]);
    // Without a terminal nothing is printed meanwhile.
    let line = format!("timeout -s INT 1 '{}' deadlock x.ron --before 0", env!("CARGO_BIN_EXE_wormscope"));
    let piped = super::finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")));
    assert!(piped.err.starts_with("interrupted") && piped.err.lines().count() == 1, "{}", piped.err);
}

#[test]
fn a_time_limit_ends_the_search_for_what_frees_a_deadlock() {
    let bench = Bench::with("x.ron", STUCK);
    let call = bench.call(["deadlock", "x.ron", "--time-limit", "1", "--wave", "x.vcd", "--json", "x.json"]);
    let told = call.ends(3);
    for part in
        ["DEADLOCK final at ", "\n  stopped at datelines, ", "\nPoint of no return: not searched, because the search"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
    let json: serde_json::Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    assert_eq!(json["deadlock"]["interrupted"], true);
    assert!(bench.read("x.vcd").contains("$enddefinitions"));
}

#[test]
fn an_interrupted_run_to_a_deadlock_tells_how_far_there_is_none() {
    let bench = Bench::with("x.ron", ENDLESS);
    let shown = interrupted_once_shown(&bench, "deadlock x.ron --json x.json --svg x.svg", " of 1,000,000,000, ");
    let (_, told) = shown.split_once("no deadlock up to cycle ").unwrap_or_else(|| panic!("{shown:?}"));
    let (cycles, told) = told.split_once(": interrupted, ").unwrap_or_else(|| panic!("{shown:?}"));
    assert!(told.contains("x.svg was not written"), "{shown:?}");
    assert!(told.ends_with(&format!("interrupted after {cycles} cycles{PARTIAL}")), "{shown:?}");
    let told: serde_json::Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    assert_eq!(told["outcome"], "interrupted");
    assert_eq!((told["cycles"].to_string().as_str(), &told["deadlock"]), (cycles, &serde_json::Value::Null));
}

/// Trees on a network for which a verdict needs many runs.
const UNDECIDED: &str = "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 3), \
                         switch: (fifo_depth: 3, virtual_channels: 2, replication: buffered, acquisition: atomic)), \
                         workload: [traffic(load: 0.3, encoding: bit_string, destinations: 4, \
                         lengths: uniform(least: 3, most: 3))], run: (measure_cycles: 100))\n";

#[test]
fn an_interrupted_verdict_is_unknown_and_its_picture_marks_the_cycle() {
    let bench = Bench::with("x.ron", UNDECIDED);
    let line = format!(
        "timeout -s INT 0.5 '{}' check x.ron --deadlock --svg x.svg --json x.json --witness w.ron",
        env!("CARGO_BIN_EXE_wormscope")
    );
    let call = super::finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path("")));
    let json: serde_json::Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    let places: Vec<&str> = json["cycle"].as_array().expect("places").iter().filter_map(|of| of.as_str()).collect();
    assert!(call.out.contains("deadlock: unknown; ") && call.out.contains(&places.join(" -> ")), "{}", call.out);
    let prove = "wormscope prove x.ron --encoding bit_string --destinations 4..4 --payload 3..3 --arbiters built";
    assert!(call.out.contains(&format!("{prove}\nprove tries all worms of this kind; ")), "{}", call.out);
    assert!(call.err.ends_with(&format!("interrupted{PARTIAL}")), "{}", call.err);
    // Each place is in the legend and has an X at its lane.
    let svg = bench.read("x.svg");
    for (n, place) in places.iter().enumerate() {
        let next = (n + 1) % places.len() + 1;
        assert!(svg.contains(&format!("{place} may wait for {next}")), "{place}: {svg}");
    }
    assert_eq!(svg.matches("stroke: #c1121f").count(), places.len());
    assert_eq!(bench.names(), ["x.json", "x.ron", "x.svg"]);
}

#[test]
fn interrupted_benchmarks_and_models_print_what_they_have() {
    // With two ports of a node, all iterations of a benchmark run.
    let ports = "node: (ports: 2, injection_channels: 2)";
    let bench = Bench::with("x.ron", format!("(network: (topology: mesh(radices: [16, 16]), {ports}))\n"));
    let args = "bench-node x.ron --dest 1 --times 2000 --json x.json";
    // The measurements are of two lengths, and of two algorithms with a destination.
    let shown = interrupted_once_shown(&bench, args, " of 22 measurements, ");
    assert!(shown.contains(" of 22 measurements, cycle "), "{shown:?}");
    assert!(shown.contains("16x16 mesh, dimension order: n0 and n255, 2000 iterations each, cycles\n"), "{shown:?}");
    assert!(shown.contains("\ninterrupted: these are the measurements that were complete\n"), "{shown:?}");
    assert!(shown.ends_with(&format!(" of 22 measurements{PARTIAL}")), "{shown:?}");
    let told: serde_json::Value = serde_json::from_str(&bench.read("x.json")).expect("JSON");
    assert_eq!(told["interrupted"], true);
    assert!(told["multicasts"].as_array().expect("an array").len() < 4, "{told}");
    let shown = interrupted_once_shown(&bench, "model kp", " of 2,550 runs, ");
    assert!(shown.contains("\ntable 1, U-mesh, odd D, theorem 1\n"), "{shown:?}");
    assert!(shown.contains("\ninterrupted: entries and tables that are missing were not run\n"), "{shown:?}");
    assert!(shown.ends_with(&format!("interrupted{PARTIAL}")), "{shown:?}");
}

#[test]
fn testbenches_and_sweeps_show_their_progress_before_the_first_run_ends() {
    let long = ENDLESS.replace("1000000000", "5000000");
    let bench = Bench::with(
        "x.ron",
        long.replace('\n', "").trim_end_matches(')').to_owned()
            + "), purpose: \"It takes long\", expect: (final_state: empty))\n",
    );
    let shown = interrupted_once_shown(&bench, "test x.ron", " 0 of 1 runs, ");
    assert!(shown.contains("\n0 runs: 0 passed, 1 left out, in "), "{shown:?}");
    assert!(shown.ends_with("interrupted after 0 runs; the output has the results so far\n"), "{shown:?}");
    bench.write("x.ron", long);
    let shown = interrupted_once_shown(&bench, "sweep x.ron --vary load=0.1,0.11 -o out", " 0 of 2 runs, ");
    assert!(shown.ends_with("interrupted; finished runs are kept; the same command continues\n"), "{shown:?}");
}

#[test]
fn a_short_run_and_one_that_is_refused_show_no_bar() {
    let bench = Bench::with("x.ron", TRACED);
    bench.write("trace.csv", format!("{HEADER}0,1,2,,4\n"));
    let binary = env!("CARGO_BIN_EXE_wormscope");
    let shown = on_a_terminal(&bench, &format!("'{binary}' run x.ron"));
    assert!(shown.contains("done after") && !shown.contains("\u{1b}[2K"), "{shown:?}");
    bench.write("trace.csv", format!("{HEADER}0,1,2,,4\n9,1,9,,4\n"));
    let shown = on_a_terminal(&bench, &format!("'{binary}' run x.ron"));
    assert!(shown.trim_start_matches(['\r', '\n']).starts_with("error: trace.csv:3:5: "), "{shown:?}");
}

/// Sends a signal, if the process is still there.
fn send(signal: &str, to: u32) {
    Command::new("kill").args([format!("-{signal}"), to.to_string()]).stderr(Stdio::null()).status().expect("kill");
}

/// A run of `x.ron` that writes some files.
fn spawn(bench: &Bench) -> Child {
    // A test that outlives its terminal (`nohup`) passes on that a hangup is ignored.
    Command::new("env")
        .args(["--default-signal", env!("CARGO_BIN_EXE_wormscope")])
        .args(["run", "x.ron", "--wave", "r.vcd"])
        .current_dir(bench.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process")
}

#[test]
fn an_interrupted_run_leaves_the_numbers_that_were_asked_for() {
    // `timeout` sends its signal twice.
    [&["INT"][..], &["TERM", "TERM"]].into_iter().for_each(leaves_the_numbers);
}

/// Ends a run with signals, and looks at its report.
fn leaves_the_numbers(signals: &[&str]) {
    let bench = Bench::with("x.ron", ENDLESS);
    let run = Command::new("env")
        .args(["--default-signal", env!("CARGO_BIN_EXE_wormscope")])
        .args(["run", "x.ron", "--csv", "r.csv", "--json", "r.json", "--wave", "r.fst", "--wave-window", "10..20"])
        .current_dir(bench.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    wait_for(&bench, 5);
    std::thread::sleep(Duration::from_millis(1500));
    for signal in signals {
        send(signal, run.id());
    }
    let output = run.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.starts_with("interrupted after ") && told.ends_with("; the output has the results so far\n"),
        "{told}"
    );
    let report: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    assert_eq!(report["outcome"], "interrupted");
    let cycles = report["totals"]["cycles"].as_u64().expect("a number");
    assert!(cycles > 20, "{cycles}");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(out.contains(&format!("\ninterrupted after {cycles} cycles (")), "{out}");
    let rows = csv::Reader::from_path(bench.path("r.csv")).expect("a CSV").into_records();
    let rows = rows.collect::<Result<Vec<_>, _>>().expect("rows").len();
    assert!(rows as u64 >= report["totals"]["worms_done"].as_u64().expect("a number"), "{rows}");
    assert!(bench.names().iter().all(|name| !name.starts_with(".wormscope-")), "{:?}", bench.names());
    assert!(bench.bytes("r.fst").len() > 100);
}

#[test]
fn a_waveform_is_read_while_the_run_goes_on() {
    let bench = Bench::with("x.ron", ENDLESS);
    bench.write("r.vcd", "old");
    let run = Command::new("env")
        .args(["--default-signal", env!("CARGO_BIN_EXE_wormscope")])
        .args(["run", "x.ron", "--wave", "r.vcd", "--wave-live", "--wave-scope", "top.rt_0*"])
        .current_dir(bench.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let read = || wellen::simple::read_from_reader(std::io::Cursor::new(bench.bytes("r.vcd")));
    let reached = || read().ok().and_then(|wave| wave.time_table().last().copied()).unwrap_or(0);
    let mut seen = vec![0];
    let start = Instant::now();
    while seen.len() < 4 {
        assert!(start.elapsed() < Duration::from_secs(60), "{seen:?}");
        let now = reached();
        if now > seen[seen.len() - 1] {
            seen.push(now);
        }
    }
    send("INT", run.id());
    let output = run.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let wave = read().expect("a waveform");
    assert!(wave.time_table().last() > seen.last(), "{seen:?}");
    assert!(bench.read("r.gtkw").contains("top.rt_0"));
    assert!(bench.names().iter().all(|name| !name.starts_with(".wormscope-")), "{:?}", bench.names());
}

#[test]
fn verdicts_have_colours_on_a_terminal_or_when_forced_and_never_against_a_wish() {
    let bench = Bench::with("x.ron", TRACED);
    bench.write("trace.csv", format!("{HEADER}0,1,2,,4\n"));
    let run = format!("'{}' run x.ron", env!("CARGO_BIN_EXE_wormscope"));
    let done = "\n\u{1b}[1m\u{1b}[32mdone\u{1b}[0m after ";
    let piped = |variables: &str| {
        let line = format!("unset NO_COLOR CLICOLOR_FORCE; {variables} {run}");
        super::finish(Command::new("bash").args(["-c", &line]).current_dir(bench.path(""))).ends(0)
    };
    assert!(on_a_terminal(&bench, &format!("env -u NO_COLOR {run}")).replace('\r', "").contains(done));
    assert!(!on_a_terminal(&bench, &run).contains('\u{1b}'));
    assert!(piped("CLICOLOR_FORCE=1").contains(done));
    assert!(!piped("").contains('\u{1b}') && !piped("CLICOLOR_FORCE=1 NO_COLOR=1").contains('\u{1b}'));
}

/// Waits until so many files stand in the bench.
fn wait_for(bench: &Bench, files: usize) {
    let start = Instant::now();
    while bench.names().len() < files {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", bench.names());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn signals_leave_nothing_behind_whenever_they_come_and_however_many() {
    // This network takes a second or more until it runs.
    let slow = ENDLESS.replace("[16, 16]", "[1024, 256]");
    for (text, after) in [(&*slow, 0), (&slow, 3), (&slow, 100), (ENDLESS, 300)] {
        for signals in [&["INT", "INT"][..], &["TERM", "TERM", "INT"], &["HUP"], &["QUIT", "TERM"], &["XCPU"]] {
            let bench = Bench::with("x.ron", text);
            let run = spawn(&bench);
            // The first files are written under other names.
            wait_for(&bench, 2);
            std::thread::sleep(Duration::from_millis(after));
            for signal in signals {
                send(signal, run.id());
            }
            let output = run.wait_with_output().expect("an end");
            assert_eq!(output.status.code(), Some(130), "{signals:?} after {after} ms");
            assert_eq!(bench.names(), ["x.ron"], "{signals:?} after {after} ms");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.starts_with("interrupted") && told.ends_with("; nothing was left behind\n"), "{told}");
        }
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let bench = Bench::with("x.ron", ENDLESS);
    let mut killed = spawn(&bench);
    let running = spawn(&bench);
    // Each run has begun its waveform and the files beside it.
    let begun = |run: &Child| {
        let own = format!(".wormscope-{}-", run.id());
        bench.names().iter().filter(|name| name.starts_with(&own)).count()
    };
    let start = Instant::now();
    while begun(&killed) < 3 || begun(&running) < 3 {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", bench.names());
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().expect("a kill");
    killed.wait().expect("an end");
    let own = format!(".wormscope-{}-", killed.id());
    let left = || bench.names().iter().filter(|name| name.starts_with(&own)).count();
    assert!(left() >= 3);
    bench.line("check x.ron --svg x.svg").ends(0);
    assert_eq!(left(), 0);
    // The files of a run that goes on stay.
    assert!(bench.names().iter().filter(|name| name.starts_with(".wormscope-")).count() >= 3);
    send("INT", running.id());
    running.wait_with_output().expect("an end");
    assert_eq!(bench.names(), ["x.ron", "x.svg"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_told_to_outlive_its_terminal_does() {
    let bench = Bench::with("x.ron", ENDLESS);
    let script = format!("trap '' HUP; exec '{}' run x.ron --csv r.csv", env!("CARGO_BIN_EXE_wormscope"));
    let mut run = Command::new("bash").args(["-c", &script]).current_dir(bench.path("")).spawn().expect("a process");
    wait_for(&bench, 2);
    send("HUP", run.id());
    std::thread::sleep(Duration::from_millis(200));
    assert!(run.try_wait().expect("a state").is_none());
    send("TERM", run.id());
    assert_eq!(run.wait().expect("an end").code(), Some(130));
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_no_signal() {
    let bench = Bench::with("x.ron", ENDLESS);
    let script = format!("ulimit -f 64; exec '{}' run x.ron --csv r.csv", env!("CARGO_BIN_EXE_wormscope"));
    let call = super::finish(Command::new("bash").args(["-c", &script]).current_dir(bench.path("")));
    assert!(call.unwritten().starts_with("r.csv: cannot be written: File too large"));
    assert_eq!(bench.names(), ["x.ron"]);
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let bench = Bench::with("x.ron", ENDLESS);
    // An interrupt writes the numbers that were asked for, and Ctrl-\ does not.
    for (signal, numbers) in [("INT", &[][..]), ("TERM", &[]), ("QUIT", &["--csv", "r.csv", "--json", "r.json"])] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_wormscope"))
            .args(["run", "x.ron", "--wave", "r.vcd"])
            .args(numbers)
            .current_dir(bench.path(""))
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        let start = Instant::now();
        while bench.names().len() < 4 && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        // The files are there under other names. The run itself begins a moment later.
        std::thread::sleep(Duration::from_millis(300));
        let killed = Command::new("kill").args([format!("-{signal}"), run.id().to_string()]).status();
        assert!(killed.expect("kill").success());
        assert_eq!(run.wait().expect("an end").code(), Some(130), "{signal}");
        assert_eq!(bench.names(), ["x.ron"], "{signal}");
    }
}
