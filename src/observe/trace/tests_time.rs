//! Tests of the time axis of dumps and views: cycles as times of the network's clock.

use std::io::Cursor;
use std::path::Path;

use wormscope_hw::WormId;

use super::fst::FstHeader;
use super::readback::{timescale, wellen};
use super::vcd::VcdHeader;
use super::*;
use crate::engine::NewWorm;
use crate::network::{Network, Wiring};

fn with_clock(clock: &str) -> (Network, Wiring) {
    runs::network(&format!("(topology: mesh(radices: [3, 3]), clock_ns: {clock})"))
}

fn worms() -> [NewWorm; 2] {
    [runs::worm(0, 0, &[2], 9), runs::worm(3, 3, &[5, 8, 7], 6)]
}

fn dumped<H: Header>(header: H, clock: &str, options: Options) -> (<H::Sink as Sink>::Output, u64) {
    let (network, wiring) = with_clock(clock);
    let mut tracer = Tracer::new(header, Path::new("test"), &network, &wiring, options).expect("a tracer");
    let (cycles, _) = runs::run(&network, &worms(), &mut tracer);
    (tracer.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump"), cycles)
}

#[test]
fn times_are_those_of_the_clock() {
    let units = [
        ("1.0", (1, -9), 1),
        ("40", (1, -9), 40),
        ("2.5", (100, -12), 25),
        ("1.25", (10, -12), 125),
        ("0.333", (1, -12), 333),
        ("0.0001", (100, -15), 1),
    ];
    for (clock, unit, per_cycle) in units {
        let (vcd, cycles) = dumped(VcdHeader::new(Vec::new()), clock, Options::default());
        let (fst, _) = dumped(FstHeader::new(Cursor::new(Vec::new())), clock, Options::default());
        for dump in [vcd, fst.into_inner()] {
            let (scale, last) = timescale(dump.clone());
            assert_eq!((scale, last), (unit, cycles * per_cycle), "{clock}");
            let wave = wellen(dump);
            assert!(wave["top.cycle"].len() > 10);
            for (time, digits) in &wave["top.cycle"] {
                assert_eq!(*time, u64::from_str_radix(digits, 2).expect("digits") * per_cycle, "{clock}");
            }
        }
    }
}

#[test]
fn markers_of_a_view_stand_at_times_of_the_clock() {
    let view = |clock: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        let (network, wiring) = with_clock(clock);
        let mut recorder = HopRecorder::new(WormId(1), &network, &wiring);
        runs::run(&network, &worms(), &mut recorder);
        let options = Options { follows: recorder.finish().into_iter().collect(), ..Options::default() };
        let mut tracer = Tracer::create(&directory.path().join("a.vcd"), &network, &wiring, options).expect("a tracer");
        let (cycles, _) = runs::run(&network, &worms(), &mut tracer);
        let files = tracer.finish(DumpEnd { cycles, deadlock: None }).expect("files");
        crate::output::place(files).expect("places");
        std::fs::read_to_string(directory.path().join("a.gtkw")).expect("a view")
    };
    let numbers = |text: &str| -> Vec<i64> {
        let line = text.lines().find(|line| line.starts_with('*')).expect("a line of markers");
        line.split(' ').skip(2).map(|number| number.parse().expect("a time")).collect()
    };
    let (cycles, times) = (numbers(&view("1.0")), numbers(&view("2.5")));
    assert!(cycles.iter().filter(|at| **at > 0).count() >= 3, "{cycles:?}");
    // GTKWave counts 1 ps where the unit is 100 ps.
    assert_eq!(times, cycles.iter().map(|at| if *at < 0 { -1 } else { at * 2500 }).collect::<Vec<_>>());
}

#[test]
fn nothing_stands_before_a_window() {
    let window = Window { start: 7, end: Some(15) };
    let options = || Options { windows: window.into(), ..Options::default() };
    let (vcd, _) = dumped(VcdHeader::new(Vec::new()), "2.5", options());
    let (fst, _) = dumped(FstHeader::new(Cursor::new(Vec::new())), "2.5", options());
    for wave in [wellen(vcd), wellen(fst.into_inner())] {
        for (name, changes) in wave {
            let (first, digits) = changes.first().expect("a value");
            assert_eq!(*first, 7 * 25, "{name}");
            assert!(!digits.contains('x'), "{name}");
        }
    }
}
