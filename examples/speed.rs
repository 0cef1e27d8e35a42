//! Speed probe.
use std::time::Instant;
use wormscope::config::{Encoding, Link, Network, Node, Routing, Switch, Topology};
use wormscope::engine::{Engine, Limits, NewWorm, Stimulus};
use wormscope::hw::NodeId;
use wormscope::routing::{DimensionOrder, Routes};
use wormscope::topology::{Grid, Wiring};
struct Traffic {
    list: Vec<NewWorm>,
    at: usize,
}
impl Stimulus for Traffic {
    type Error = std::convert::Infallible;
    fn next_cycle(&mut self) -> Option<u64> {
        self.list.get(self.at).map(|w| w.cycle)
    }
    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Self::Error> {
        let w = self.list.get(self.at).filter(|w| w.cycle <= cycle).cloned();
        self.at += usize::from(w.is_some());
        Ok(w)
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let all = [(8u32, 0.15, 60000u64), (8, 0.28, 60000), (32, 0.05, 6000), (32, 0.07, 6000)];
    let pick: Vec<_> = if let Some(a) = args.get(1) {
        let i: usize = a.parse().unwrap();
        vec![(all[i].0, all[i].1, args.get(2).map_or(all[i].2, |c| c.parse().unwrap()))]
    } else {
        all.to_vec()
    };
    let reps = if args.len() > 2 { 1 } else { 3 };
    for (k, load, cycles) in pick {
        let network = Network {
            topology: Topology::Mesh { radices: vec![k, k] },
            routing: Routing::DimensionOrder,
            switch: Switch { routing_cycles: 0, ..Switch::default() },
            link: Link::default(),
            node: Node::default(),
            clock_ns: 1.0,
            reach_limit_mib: 1,
        };
        let grid = Grid::new(vec![k, k], false);
        let routes = Routes::DimensionOrder(DimensionOrder::new(&grid));
        let n = k * k;
        let mut seed = 12345u64;
        let mut rnd = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let p = load / 16.0;
        let mut list = Vec::new();
        for cycle in 0..cycles {
            for s in 0..n {
                if (rnd() >> 11) as f64 / (1u64 << 53) as f64 <= p {
                    let mut d = (rnd() % (n as u64 - 1)) as u32;
                    if d >= s {
                        d += 1;
                    }
                    list.push(NewWorm {
                        cycle,
                        source: NodeId(s),
                        destinations: wormscope::engine::Destinations::One(NodeId(d)),
                        encoding: Encoding::Unicast,
                        payload_flits: 15,
                    });
                }
            }
        }
        for _ in 0..reps {
            let mut engine = Engine::new(&network, Wiring::Grid(grid.clone()), routes.clone(), false);
            let mut t = Traffic { list: list.clone(), at: 0 };
            let start = Instant::now();
            let _ = engine.run(&mut t, &Limits { max_cycles: cycles, ..Limits::default() }, &mut (), |_| ());
            let s = start.elapsed().as_secs_f64();
            let totals = engine.totals();
            println!(
                "{k}x{k} load {load}: {:.2} M flit-hops/s ({} hops, {} evals, {} alive, {s:.3} s, accepted {:.3})",
                totals.flit_hops as f64 / s / 1e6,
                totals.flit_hops,
                totals.evaluations,
                engine.worms_alive(),
                totals.consumed_flits as f64 / (cycles as f64 * n as f64)
            );
        }
    }
}
