//! Flit-hops per second: one flit through one switch, one thread, no observer. For the plain
//! engine, evaluations of a router per second.
//!
//! An iteration is a thousand cycles of steady traffic, the making of its messages included.

mod cases;

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wormscope::engine::reference::Reference;
use wormscope::engine::{Clocked as _, Limits};
use wormscope::hw::NodeId;
use wormscope::simulation::{Outcome, Site};

use cases::{CASES, Rare, Running};

/// Cycles until traffic is steady.
const WARM_UP: u64 = 5_000;
/// Cycles of an iteration.
const CYCLES: u64 = 1_000;

fn traffic(c: &mut Criterion) {
    let mut group = c.benchmark_group("flit_hops");
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(4));
    for case in &CASES {
        let mut running = Running::new(case);
        let before = running.run_to(WARM_UP);
        let mut now = WARM_UP + 20 * CYCLES;
        let hops = running.run_to(now) - before;
        group.throughput(Throughput::Elements(hops / 20));
        group.bench_function(case.name, |b| {
            b.iter_custom(|iterations| {
                now += iterations * CYCLES;
                let start = Instant::now();
                running.run_to(now);
                start.elapsed()
            });
        });
    }
    group.finish();
}

/// One message every million cycles in a 32x32 mesh. The cycles between cost nothing, so an
/// iteration is one message.
fn idle(c: &mut Criterion) {
    let loaded = cases::load("(network: (topology: mesh(radices: [32, 32])))");
    let mut engine = cases::engine(&loaded);
    c.bench_function("idle/a_million_cycles_and_one_message", |b| {
        b.iter_custom(|messages| {
            let mut rare = Rare { messages, next: engine.now() + Rare::GAP, last: NodeId(1023) };
            let start = Instant::now();
            let outcome = wormscope::simulation::run(&mut engine, &mut rare, &Limits::default(), &mut (), |_| ());
            assert_eq!(outcome, Ok(Outcome::Done));
            start.elapsed()
        });
    });
}

/// The plain engine, alone. It evaluates every router in every cycle. An iteration is a hundred
/// cycles.
fn reference(c: &mut Criterion) {
    const CYCLES: u64 = 100;
    let mut group = c.benchmark_group("reference");
    for case in &CASES[..2] {
        let loaded = cases::load(case.text);
        let site = Site::of(&loaded).unwrap();
        group.throughput(Throughput::Elements(CYCLES * u64::from(site.wiring().switches())));
        let mut plain = Reference::new(site.built());
        let mut stimulus = wormscope::workload::Stimulus::load(&loaded).expect("no trace to open");
        let mut run_to = |end: u64| {
            while plain.now() < end {
                while let Ok(Some(worm)) = stimulus.pop(plain.now()) {
                    plain.create(&worm, false);
                }
                plain.deliver();
                plain.tick(None);
            }
        };
        let mut now = WARM_UP;
        run_to(now);
        group.bench_function(case.name, |b| {
            b.iter_custom(|iterations| {
                now += iterations * CYCLES;
                let start = Instant::now();
                run_to(now);
                start.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, traffic, idle, reference);
criterion_main!(benches);
