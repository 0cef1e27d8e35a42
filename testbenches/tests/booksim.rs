//! The second opinion: `BookSim` 2.0, packet by packet, and its accepted load far beyond
//! saturation.

use rand_core::{RngCore as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use wormscope::engine::{Clocked as _, Limits};
use wormscope::network::{Link, Network, Node, Switch, Topology};
use wormscope::simulation::Outcome;
use wormscope_testbenches::{Arrivals, Script, drive};

#[test]
fn every_packet_has_the_three_cycles_of_booksim() {
    let mut engine = drive::engine(&mesh_of_booksim(4, 4, 1));
    let data = include_str!("../booksim/mesh4x4_L8_B4_r0.10.csv");
    let rows: Vec<Vec<u64>> =
        data.lines().skip(1).map(|l| l.split(',').map(|f| f.parse().expect("a number")).collect()).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&i| (rows[i][3], rows[i][0]));
    let worms = order.iter().map(|&i| drive::unicast(rows[i][3], rows[i][1] as u32, rows[i][2] as u32, 7)).collect();
    let mut arrivals = Arrivals::default();
    let outcome =
        wormscope::simulation::run(&mut engine, &mut Script::new(worms), &Limits::default(), &mut arrivals, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut arrivals);
    assert!(engine.is_clean());
    assert_eq!(arrivals.0.len(), rows.len());
    for d in &arrivals.0 {
        let row = &rows[order[d.worm.0 as usize]];
        assert_eq!([d.injected, d.head, d.tail], [row[5], row[6], row[7]], "packet {row:?}");
    }
}

/// A square mesh with the pipeline, links and credits of `BookSim`.
fn mesh_of_booksim(radix: u32, fifo_depth: u32, virtual_channels: u32) -> Network {
    let two = Link { link_cycles: 2, credit_cycles: 2 };
    let switch = Switch {
        routing_cycles: 0,
        allocation_cycles: 1,
        crossbar_cycles: 1,
        fifo_depth,
        virtual_channels,
        ..Switch::default()
    };
    let node = Node { injection_link: two, consumption_link: two, ..Node::default() };
    Network { switch, link: two, node, ..drive::network(Topology::Mesh { radices: vec![radix, radix] }) }
}

/// Record of `testbenches/booksim/compare.py` for a network: the lowest and highest accepted load
/// of its seeds.
fn accepted_by_booksim(network: &str) -> (f64, f64) {
    let data = include_str!("../booksim/saturation.csv");
    let rows = data.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[0] == network);
    let accepted: Vec<f64> = rows.map(|row| row[2].parse().expect("a number")).collect();
    (accepted.iter().copied().fold(f64::MAX, f64::min), accepted.iter().copied().fold(0.0, f64::max))
}

/// Uniform packets of 8 flits at 0.9 flits a node and cycle, to the sender itself, too, as
/// `BookSim` draws them.
#[test]
fn the_accepted_load_beyond_saturation_is_that_of_booksim() {
    let (warm_up, end) = (10_000, 30_000);
    for (name, radix, fifo_depth, lanes) in [
        ("mesh_8x8_depth_4", 8, 4, 1),
        ("mesh_8x8_depth_8", 8, 8, 1),
        ("mesh_6x6_depth_4_lanes_2", 6, 4, 2),
        ("mesh_6x6_depth_4_lanes_4", 6, 4, 4),
    ] {
        let nodes = radix * radix;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(u64::from(fifo_depth));
        let mut packets = Vec::new();
        for cycle in 0..end {
            for source in 0..nodes {
                if random.next_u64() < (u64::MAX / 80) * 9 {
                    packets.push(drive::unicast(cycle, source, random.next_u32() % nodes, 7));
                }
            }
        }
        let mut engine = drive::engine(&mesh_of_booksim(radix, fifo_depth, lanes));
        let limits = Limits { max_cycles: end, ..Limits::default() };
        let mut arrivals = Arrivals::default();
        wormscope::simulation::run(&mut engine, &mut Script::new(packets), &limits, &mut arrivals, |_| ())
            .expect("worms without error");
        let packets = arrivals.0.iter().filter(|d| (warm_up..end).contains(&d.tail)).count();
        let accepted = (packets * 8) as f64 / (f64::from(nodes) * (end - warm_up) as f64);
        let (low, high) = accepted_by_booksim(name);
        let spread = high - low;
        assert!((low - spread..high + spread).contains(&accepted), "{name}: {accepted}, BookSim {low} to {high}");
    }
}
