//! Tests of multistage networks in waveforms: names, lanes, and a worm that goes up, turns and
//! comes down.

use std::path::Path;

use wormscope_hw::WormId;

use super::follow::Doing;
use super::readback::wellen;
use super::vcd::VcdHeader;
use super::*;
use crate::engine::NewWorm;
use crate::network::{Network, Wiring};

/// Eight nodes. Worm 0 takes the lowest port up from n0. So worm 1, a multicast from n1, has to
/// take the other port.
fn turning() -> (Network, Wiring, Vec<NewWorm>) {
    let (network, wiring) = runs::network("(topology: bi_min(switch_ports: 2, stages: 3))");
    (network, wiring, vec![runs::worm(0, 0, &[3], 40), runs::worm(0, 1, &[0, 6, 7], 10)])
}

fn followed() -> (Network, Wiring, Vec<NewWorm>, Follow) {
    let (network, wiring, worms) = turning();
    let mut recorder = HopRecorder::new(WormId(1), &network, &wiring);
    runs::run(&network, &worms, &mut recorder);
    let follow = recorder.finish().expect("the worm");
    (network, wiring, worms, follow)
}

#[test]
fn the_hops_of_a_multicast_go_up_as_one_and_down_as_a_tree() {
    let (_, wiring, _, follow) = followed();
    let found: Vec<_> =
        follow.hops.iter().map(|h| (wiring.switch_name(h.switch), h.lane, h.depth, h.ports.0)).collect();
    let expected = [
        ("sw_s0_r0", 1, 0, 0b1000),
        ("sw_s1_r1", 0, 1, 0b0100),
        ("sw_s2_r2", 0, 2, 0b0011),
        ("sw_s1_r1", 2, 3, 0b0001),
        ("sw_s0_r0", 3, 4, 0b0001),
        ("sw_s1_r3", 2, 3, 0b0010),
        ("sw_s0_r3", 3, 4, 0b0011),
    ];
    assert_eq!(found, expected.map(|(name, lane, depth, ports)| (name.to_owned(), lane, depth, ports)));
}

#[test]
fn a_followed_worm_shows_every_flit_on_the_way_up_and_down() {
    let (network, wiring, worms, follow) = followed();
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("turn.vcd");
    let options = Options { follows: vec![follow.clone()], ..Options::default() };
    let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
    let (cycles, _) = runs::run(&network, &worms, &mut tracer);
    for file in tracer.finish(DumpEnd { cycles, deadlock: None }).expect("files") {
        file.place().expect("a file");
    }
    let wave = wellen(std::fs::read(&path).expect("a dump"));
    for (at, hop) in follow.hops.iter().enumerate() {
        for port in follow::branch_ports(hop) {
            let row = &wave[&format!("top.follow_w1.{}", signal::Signal::Branch(WormId(1), at, port).name())];
            let doing = row.iter().map(|(_, digits)| Doing::decode(u64::from_str_radix(digits, 2).expect("digits")));
            let flits = doing.filter_map(|d| if let Some(Doing::Crosses(flit)) = d { Some(flit) } else { None });
            assert!(flits.eq(0..10), "{} {port}", wiring.switch_name(hop.switch));
        }
    }
    let view = std::fs::read_to_string(path.with_extension("gtkw")).expect("a view");
    for group in [
        "-0 sw_s0_r0.in1 from n1",
        "- 1 sw_s1_r1.in0 from sw_s0_r0",
        "-  2 sw_s2_r2.in0 from sw_s1_r1, turns",
        "-   3 sw_s1_r1.in2 from sw_s2_r2",
        "-    4 sw_s0_r3.in3 from sw_s1_r3",
        "out3 to sw_s1_r1",
        "out1 to n7",
    ] {
        assert!(view.contains(group), "{group:?} is not in\n{view}");
    }
    let ports = std::fs::read_to_string(directory.path().join("turn.ports.txt")).expect("names of ports");
    assert!(ports.contains("4 up\n") && ports.contains("3 out0+out1\n"), "{ports}");
}

#[test]
fn lanes_that_do_not_exist_at_a_switch_are_not_declared() {
    let (network, wiring) = runs::network(
        "(topology: uni_min(switch_ports: 2, stages: 2), switch: (virtual_channels: 2), node: (virtual_channels: 1, consumption_channels: 3))",
    );
    let tracer = Tracer::new(VcdHeader::new(Vec::new()), Path::new("test"), &network, &wiring, Options::default());
    let text = tracer.expect("a tracer").finish_dump(DumpEnd { cycles: 1, deadlock: None }).expect("a dump");
    let wave = wellen(text);
    let has = |name: &str| wave.contains_key(&format!("top.{name}"));
    assert!(has("sw_s0_r0.in0.v0.worm") && !has("sw_s0_r0.in0.v1.worm"), "one injection channel");
    assert!(has("sw_s1_r1.in1.v1.worm"), "two virtual channels");
    assert!(has("sw_s0_r0.out1.l1.worm") && !has("sw_s0_r0.out1.l2.worm"), "two virtual channels");
    assert!(has("sw_s1_r0.out0.l2.worm"), "three consumption channels");
    assert!(has("node3.ej2.worm") && has("node3.inj.worm"));
}
