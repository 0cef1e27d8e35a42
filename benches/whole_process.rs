//! Whole processes: each workload runs several times in a process of its own, from `main` to exit.
//! Also measures the size of large networks, idle and under traffic.
//!
//! Prints median, least and most of the runs' flit-hops per second. `cargo bench --bench
//! whole_process -- 11` makes eleven runs of each.

mod cases;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use wormscope::engine::{Clocked as _, Limits};
use wormscope::hw::NodeId;
use wormscope::simulation::Outcome;

use cases::{CASES, Case, Rare, Running};

/// Runs of each workload unless an argument says otherwise.
const RUNS: usize = 5;
/// Flit-hops of a run, at least.
const HOPS: u64 = 20_000_000;
/// Messages of the idle run.
const MESSAGES: u64 = 1_000;
/// Routers along a side of the idle network whose size is measured.
const IDLE: u64 = 1024;
/// Routers along a side of the networks under traffic.
const BUSY: [u64; 2] = [256, 512];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child", "idle"] => idle(),
        ["child", "idle size"] => idle_size(),
        ["child", "busy size", radix] => busy_size(radix.parse().expect("a number")),
        ["child", name] => {
            let case = CASES.iter().find(|case| case.name == name).expect("the parent names a workload");
            println!("{}", traffic(case));
        }
        _ => report(arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(RUNS)),
    }
    ExitCode::SUCCESS
}

fn report(runs: usize) {
    let parallelism = thread::available_parallelism().map_or(1, usize::from);
    println!("whole processes, {runs} runs each; one thread of {parallelism}, load average {}", load_average());
    println!("{:36} {:>8} {:>8} {:>8}  million flit-hops per second", "", "median", "min", "max");
    for case in &CASES {
        let mut speeds: Vec<f64> = (0..runs)
            .map(|_| {
                let (output, time) = child(&[case.name]);
                output[0] / time.as_secs_f64() / 1e6
            })
            .collect();
        speeds.sort_by(f64::total_cmp);
        println!("{:36} {:8.1} {:8.1} {:8.1}", case.name, speeds[runs / 2], speeds[0], speeds[runs - 1]);
    }
    let (_, time) = child(&["idle"]);
    println!("one message every million cycles: {MESSAGES} messages in {:.3} s", time.as_secs_f64());
    let (output, _) = child(&["idle size"]);
    println!("{IDLE}x{IDLE} mesh, idle: built in {:.2} s, {:.0} bytes per router at the peak", output[0], output[1]);
    for radix in BUSY {
        let (output, _) = child(&["busy size", &radix.to_string()]);
        println!("{radix}x{radix} mesh, uniform, half saturation: {:.0} bytes per router at the peak", output[0]);
    }
}

/// Runs this program for one workload. Returns the numbers that it prints, and the time of the
/// process.
fn child(name: &[&str]) -> (Vec<f64>, Duration) {
    let start = Instant::now();
    let mut command = Command::new(env::current_exe().expect("this program has a path"));
    let child = command.arg("child").args(name).output();
    let time = start.elapsed();
    let output = child.expect("this program can be started");
    assert!(output.status.success(), "{name:?}: {}", String::from_utf8_lossy(&output.stderr));
    let numbers = String::from_utf8_lossy(&output.stdout);
    (numbers.split_whitespace().map(|n| n.parse().expect("a number")).collect(), time)
}

/// Simulates a workload for a while; returns its flit-hops.
fn traffic(case: &Case) -> u64 {
    let mut running = Running::new(case);
    (1..1_000_000).map(|n| running.run_to(n * 10_000)).find(|&hops| hops >= HOPS).expect("traffic flows without end")
}

fn idle() {
    let mut engine = cases::engine(&cases::load("(network: (topology: mesh(radices: [32, 32])))"));
    let mut rare = Rare { messages: MESSAGES, next: 0, last: NodeId(1023) };
    let outcome = wormscope::simulation::run(&mut engine, &mut rare, &Limits::default(), &mut (), |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    println!("{}", engine.totals().cycles);
}

fn idle_size() {
    let loaded = cases::load(&format!("(network: (topology: mesh(radices: [{IDLE}, {IDLE}])))"));
    let start = Instant::now();
    let mut engine = cases::engine(&loaded);
    let built = start.elapsed();
    let mut rare = Rare { messages: 1, next: 0, last: NodeId((IDLE * IDLE - 1) as u32) };
    let outcome = wormscope::simulation::run(&mut engine, &mut rare, &Limits::default(), &mut (), |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    println!("{} {}", built.as_secs_f64(), peak_memory() / (IDLE * IDLE) as f64);
}

/// A mesh under uniform traffic, in ten times the cycles that a worm takes along a side. Beyond
/// 32x32 nodes a mesh saturates at 1.84 / radix flits per node and cycle.
fn busy_size(radix: u64) {
    let load = 0.92 / radix as f64;
    let text = format!(
        "(network: (topology: mesh(radices: [{radix}, {radix}])), workload: [traffic(load: {load}, payload_flits: 15)])"
    );
    let mut running = Running::of(&text);
    running.run_to(10 * radix);
    println!("{}", peak_memory() / (radix * radix) as f64);
}

/// Most bytes of memory that this process held (Linux; elsewhere not a number).
fn peak_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    peak.map_or(f64::NAN, |kib: f64| kib * 1024.0)
}

fn load_average() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("unknown").to_owned()
}
