//! Drives worms by hand, cycle by cycle, and looks into the registers:
//! `cargo run --release --example by_hand`.

use wormscope::deadlock;
use wormscope::engine::{Class, Delivery, Destinations, Engine, NewWorm};
use wormscope::hw::{Encoding, NodeId};
use wormscope::network::{Misfit, Network, Topology};

fn main() -> Result<(), Misfit> {
    // Three routers in a row, with FIFOs of four flits.
    let mut network = Network::new(Topology::Linear { nodes: 3 });
    network.switch.fifo_depth = 4;
    let mut engine = Engine::new(&network.build()?, true);

    // Worm 0 goes to node 2. Worm 1, a tree to nodes 1 and 2, comes up behind it.
    let mut arrivals: Vec<Delivery> = Vec::new();
    for (source, destinations, encoding) in [(1, &[2][..], Encoding::Unicast), (0, &[1, 2], Encoding::BitString)] {
        let destinations: Destinations = destinations.iter().copied().map(NodeId).collect();
        let worm = NewWorm {
            cycle: 0,
            source: NodeId(source),
            destinations,
            encoding,
            payload_flits: 6,
            class: Class::default(),
        };
        engine.create(&worm, true, &mut arrivals);
    }

    while engine.worms_alive() > 0 {
        engine.cycle(&mut arrivals);
        // The registers behind the clock edge. For every input lane they have the flits in its
        // FIFO, by worm and index.
        let registers = engine.registers();
        let fifos: Vec<String> = registers
            .inputs
            .iter()
            .filter(|lane| lane.count > 0)
            .map(|lane| {
                let flits: Vec<String> = lane.flits.iter().map(ToString::to_string).collect();
                flits.join(" ")
            })
            .collect();
        println!("cycle {:>2}: {}", registers.cycle, fifos.join(" | "));
        // The lanes that each worm holds and wants, and whether any worm can still move.
        let snapshot = engine.snapshot();
        assert!(deadlock::search(&snapshot).is_none(), "a line has no cycle");
    }
    for of in arrivals {
        println!("worm {} at node {}: head in cycle {}, tail in cycle {}", of.worm, of.destination, of.head, of.tail);
    }
    Ok(())
}
