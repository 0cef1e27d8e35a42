//! The second opinion: BookSim 2.0, packet by packet.

use wormscope::config::{Encoding, Link, Network, Node, Routing, Switch, Topology};
use wormscope::engine::{Delivery, Engine, Limits, NewWorm, Observer, Outcome, Stimulus, WormInfo};
use wormscope::hw::NodeId;
use wormscope::routing::{DimensionOrder, Routes};
use wormscope::topology::{Grid, Wiring};

struct Packets(Vec<NewWorm>, usize);

impl Stimulus for Packets {
    type Error = std::convert::Infallible;
    fn next_cycle(&mut self) -> Option<u64> {
        self.0.get(self.1).map(|w| w.cycle)
    }
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error> {
        let worm = self.0.get(self.1).filter(|w| w.cycle <= cycle).cloned();
        self.1 += usize::from(worm.is_some());
        Ok(worm)
    }
}

#[derive(Default)]
struct Arrivals(Vec<Delivery>);

impl Observer for Arrivals {
    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.0.push(*delivery);
    }
}

#[test]
fn every_packet_has_the_three_cycles_of_booksim() {
    let network = Network {
        topology: Topology::Mesh { radices: vec![4, 4] },
        routing: Routing::DimensionOrder,
        switch: Switch {
            routing_cycles: 0,
            allocation_cycles: 1,
            crossbar_cycles: 1,
            fifo_depth: 4,
            ..Switch::default()
        },
        link: Link { link_cycles: 2, credit_cycles: 2 },
        node: Node {
            injection_link: Link { link_cycles: 2, credit_cycles: 2 },
            consumption_link: Link { link_cycles: 2, credit_cycles: 2 },
            ..Node::default()
        },
        clock_ns: 1.0,
        reach_limit_mib: 1,
    };
    let grid = Grid::new(vec![4, 4], false);
    let routes = Routes::DimensionOrder(DimensionOrder::new(&grid));
    let mut engine = Engine::new(&network, Wiring::Grid(grid), routes, false);
    let data = include_str!("../booksim/mesh4x4_L8_B4_r0.10.csv");
    let rows: Vec<Vec<u64>> =
        data.lines().skip(1).map(|l| l.split(',').map(|f| f.parse().expect("a number")).collect()).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&i| (rows[i][3], rows[i][0]));
    let worms = order
        .iter()
        .map(|&i| NewWorm {
            cycle: rows[i][3],
            source: NodeId(rows[i][1] as u32),
            destinations: wormscope::engine::Destinations::One(NodeId(rows[i][2] as u32)),
            encoding: Encoding::Unicast,
            payload_flits: 7,
        })
        .collect();
    let mut arrivals = Arrivals::default();
    let outcome = engine.run(&mut Packets(worms, 0), &Limits::default(), &mut arrivals, |_| ());
    assert_eq!(outcome, Ok(Outcome::Done));
    engine.settle(&mut arrivals);
    assert!(engine.is_clean());
    assert_eq!(arrivals.0.len(), rows.len());
    for d in &arrivals.0 {
        let row = &rows[order[d.worm.0 as usize]];
        assert_eq!([d.injected, d.head, d.tail], [row[5], row[6], row[7]], "packet {row:?}");
    }
}
