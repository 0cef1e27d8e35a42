//! The second opinion: `BookSim` 2.0, packet by packet.

use wormscope::config::{Link, Node, Switch, Topology};
use wormscope::engine::{Limits, Outcome};
use wormscope_testbenches::{Arrivals, Script, drive};

#[test]
fn every_packet_has_the_three_cycles_of_booksim() {
    let two = Link { link_cycles: 2, credit_cycles: 2 };
    let mut network = drive::network(Topology::Mesh { radices: vec![4, 4] });
    network.switch =
        Switch { routing_cycles: 0, allocation_cycles: 1, crossbar_cycles: 1, fifo_depth: 4, ..Switch::default() };
    network.link = two;
    network.node = Node { injection_link: two, consumption_link: two, ..Node::default() };
    let mut engine = drive::engine(&network);
    let data = include_str!("../booksim/mesh4x4_L8_B4_r0.10.csv");
    let rows: Vec<Vec<u64>> =
        data.lines().skip(1).map(|l| l.split(',').map(|f| f.parse().expect("a number")).collect()).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&i| (rows[i][3], rows[i][0]));
    let worms = order.iter().map(|&i| drive::unicast(rows[i][3], rows[i][1] as u32, rows[i][2] as u32, 7)).collect();
    let mut arrivals = Arrivals::default();
    let outcome = engine.run(&mut Script::new(worms), &Limits::default(), &mut arrivals, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut arrivals);
    assert!(engine.is_clean());
    assert_eq!(arrivals.0.len(), rows.len());
    for d in &arrivals.0 {
        let row = &rows[order[d.worm.0 as usize]];
        assert_eq!([d.injected, d.head, d.tail], [row[5], row[6], row[7]], "packet {row:?}");
    }
}
