//! Masks: the nodes that they reach on every kind of network. Also the networks in which the input
//! of a switch tells which nodes lie ahead.

use std::collections::BTreeSet;

use wormscope::experiment::{Message, WormRules};
use wormscope::hw::{Encoding, NodeId, PortId, SwitchId};
use wormscope::network::{End, Network, Routing, Switch, Topology, UniMinKind};
use wormscope_testbenches::drive::{built, network, worm};
use wormscope_testbenches::random::{address, fields};
use wormscope_testbenches::scoreboard::{Ending, watch};

fn uni_min(kind: UniMinKind, switch_ports: u32, stages: u32) -> Network {
    network(Topology::UniMin { kind, switch_ports, stages })
}

fn mesh(radices: &[u32]) -> Network {
    network(Topology::Mesh { radices: radices.to_vec() })
}

/// A bidirectional network in which trees turn in several stages.
fn many_turns(switch_ports: u32, stages: u32) -> Network {
    let routing = Some(Routing::MultipleTurnaround);
    Network { routing, ..network(Topology::BiMin { switch_ports, stages }) }
}

fn leaves_source(network: &Network) -> bool {
    network.blueprint().leaves_source(network.routing())
}

fn torus(radices: &[u32]) -> Network {
    network(Topology::Torus { radices: radices.to_vec(), datelines: false })
}

/// Every set of nodes that match some mask.
fn sets(network: &Network, encoding: Encoding) -> BTreeSet<Vec<u32>> {
    let (nodes, fields) = (network.nodes(), fields(network, encoding));
    let addresses: Vec<u64> = (0..nodes).map(|node| address(&fields, node)).collect();
    let masks = 0..addresses.iter().max().map_or(1, |&last| (last + 1).next_power_of_two());
    let ones = masks.flat_map(|mask| addresses.iter().map(move |&one| (mask, one)));
    let matches =
        |(mask, one): (u64, u64)| (0..nodes).filter(|&node| (addresses[node as usize] ^ one) & !mask == 0).collect();
    ones.map(matches).collect()
}

#[test]
fn a_mask_reaches_all_that_match_and_none_else_from_everywhere() {
    let networks = [
        network(Topology::Linear { nodes: 5 }),
        mesh(&[3, 3]),
        mesh(&[4, 2]),
        mesh(&[2, 1, 3]),
        torus(&[3, 2]),
        uni_min(UniMinKind::Baseline, 2, 3),
        uni_min(UniMinKind::Omega, 3, 2),
        uni_min(UniMinKind::Butterfly, 2, 3),
        network(Topology::BiMin { switch_ports: 2, stages: 3 }),
        network(Topology::BiMin { switch_ports: 3, stages: 2 }),
        many_turns(2, 3),
        many_turns(3, 2),
    ];
    let returning = networks
        .clone()
        .map(|network| Network { switch: Switch { copy_to_source: true, ..network.switch.clone() }, ..network });
    let (mut worms, mut around, mut to_source) = (0, 0, 0);
    for network in networks.into_iter().chain(returning) {
        let returns = network.switch.copy_to_source;
        let rules = WormRules::new(&built(&network));
        for encoding in [Encoding::Mask, Encoding::CoordinateMask] {
            if rules.check_shape(encoding, 1, 2).is_err() {
                assert!(encoding == Encoding::CoordinateMask && network.stages().is_some());
                continue;
            }
            for set in sets(&network, encoding) {
                for source in 0..network.nodes() {
                    let destinations: Vec<u32> =
                        set.iter().copied().filter(|&node| returns || node != source).collect();
                    // The smallest mask around one of two nodes is that node.
                    let is_around = destinations.len() < set.len();
                    if destinations.is_empty() || is_around && !leaves_source(&network) {
                        continue;
                    }
                    around += u32::from(is_around);
                    to_source += u32::from(destinations.contains(&source));
                    let sent = vec![worm(0, source, &destinations, encoding, 2)];
                    assert_eq!(
                        watch(&network, sent, 1_000),
                        Ok(Ending::Done),
                        "{network:?}: {source} to {destinations:?}"
                    );
                    worms += 1;
                }
            }
        }
    }
    assert!(worms > 500 && around > 200 && to_source > 500, "{worms}, {around} around their source, {to_source} to it");
}

/// Whether each port of a grid leads to nodes that are all ahead of an input, or none of them; from
/// the routing function.
fn inputs_tell(network: &Network) -> bool {
    let built = built(network);
    let (wiring, routes) = (built.wiring(), built.routes());
    let through = |s: SwitchId, port: PortId| -> BTreeSet<u32> {
        (0..network.nodes()).filter(|&node| routes.port(s, NodeId(node)) == port.0).collect()
    };
    let ports = || (0..wiring.ports()).map(PortId);
    let inputs = (0..wiring.switches()).map(SwitchId).flat_map(|s| ports().map(move |port| (s, port)));
    inputs.filter_map(|(s, port)| wiring.input(s, port).map(|end| (s, end))).all(|(s, end)| match end {
        End::Node(_) => true,
        End::Switch(before, out) => {
            let ahead = through(before, out);
            ports().map(|port| through(s, port)).all(|nodes| nodes.is_subset(&ahead) || nodes.is_disjoint(&ahead))
        }
    })
}

#[test]
fn masks_run_where_the_input_tells_what_lies_ahead() {
    let labels = |network: Network| Network { routing: Some(Routing::LabelOrder), ..network };
    let networks = [
        network(Topology::Linear { nodes: 7 }),
        mesh(&[4, 4]),
        mesh(&[3, 2, 4]),
        torus(&[2]),
        torus(&[3]),
        torus(&[3, 2, 3]),
        torus(&[4]),
        torus(&[5]),
        torus(&[2, 6]),
        labels(mesh(&[4, 3])),
        labels(mesh(&[3, 3, 2])),
    ];
    for network in networks {
        let allowed = WormRules::new(&built(&network)).check_shape(Encoding::Mask, 1, 1).is_ok();
        assert_eq!(allowed, inputs_tell(&network), "{network:?}");
    }
}

#[test]
fn a_set_without_a_mask_is_refused_with_the_nodes_that_the_smallest_reaches_besides() {
    let refused = |network: &Network, encoding, source, destinations: &[u32]| {
        let message = Message {
            cycle: 0,
            source,
            destinations: destinations.to_vec(),
            encoding: Some(encoding),
            class: None,
            payload_flits: 1,
        };
        WormRules::new(&built(network)).check_message(&message).unwrap_err().message
    };
    assert_eq!(
        refused(&mesh(&[4, 4]), Encoding::Mask, 15, &[0, 5]),
        "the smallest mask that covers these destinations leads to nodes 1, 4 too; allowed: all nodes that it leads \
         to, or encoding: \
         bit_string or multidestination, or 2 worms (to 0; to 5; planned by algorithm: \"masks\" of a multicast)"
    );
    let own = refused(&uni_min(UniMinKind::Baseline, 2, 3), Encoding::Mask, 5, &[1, 4, 0]);
    // A list of all nodes that it leads to would be no help here.
    assert_eq!(
        own,
        "the smallest mask that covers these destinations leads to node 5 (the source) too; allowed: encoding: \
         bit_string, or 2 worms (to 0, 1; to 4; planned by algorithm: \"masks\" of a multicast)"
    );
    let many = refused(&mesh(&[8, 8]), Encoding::Mask, 3, &[0, 63]);
    assert!(
        many.contains(
            " leads to nodes 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 and 45 more too; allowed: all nodes that it leads to, or encoding:"
        ),
        "{many}"
    );
    let torus = refused(&torus(&[4]), Encoding::Mask, 0, &[1]);
    assert!(torus.ends_with("; allowed: unicast, bit_string, multidestination"), "{torus}");
}

#[test]
fn a_set_with_the_source_in_it_is_refused_with_what_can_be_sent_instead() {
    let network = uni_min(UniMinKind::Omega, 2, 4);
    let rules = WormRules::new(&built(&network));
    let check = |encoding, source, destinations: &[u32]| {
        let destinations = destinations.to_vec();
        let encoding = Some(encoding);
        rules.check_message(&Message { cycle: 0, source, destinations, encoding, class: None, payload_flits: 1 })
    };
    let refused = |encoding, source, destinations: &[u32]| check(encoding, source, destinations).unwrap_err().message;
    let own = "node 0 is the source of this multicast; without copy_to_source: true only a unicast may go to its own \
               source; ";
    let all: Vec<u32> = (0..16).collect();
    assert_eq!(
        refused(Encoding::Mask, 0, &all),
        format!(
            "{own}leave it out, and send the others in encoding: bit_string, or in 4 worms (to 1, 3, 5, 7, 9, \
             11, 13, 15; to 2, 6, 10, 14; to 4, 12; to 8; planned by algorithm: \"masks\" of a multicast)"
        )
    );
    // The worms that the message suggests can be sent.
    assert_eq!(check(Encoding::BitString, 0, &all[1..]), Ok(()));
    for worm in [&[1, 3, 5, 7, 9, 11, 13, 15][..], &[2, 6, 10, 14], &[4, 12]] {
        assert_eq!(check(Encoding::Mask, 0, worm), Ok(()));
    }
    assert_eq!(refused(Encoding::Mask, 0, &[0, 4, 5]), format!("{own}leave it out"));
    assert_eq!(check(Encoding::Mask, 0, &[4, 5]), Ok(()));
    assert_eq!(refused(Encoding::BitString, 0, &all), format!("{own}leave it out"));
    assert_eq!(refused(Encoding::Mask, 0, &[0]), format!("{own}allowed: encoding: unicast"));
    // In a mesh, a mask names the source too, and the source gets no copy.
    let mesh = WormRules::new(&built(&mesh(&[4, 4])));
    let message = |destinations: &[u32]| Message {
        cycle: 0,
        source: 0,
        destinations: destinations.to_vec(),
        encoding: Some(Encoding::Mask),
        class: None,
        payload_flits: 1,
    };
    assert_eq!(mesh.check_message(&message(&all)).unwrap_err().message, format!("{own}leave it out"));
    assert_eq!(mesh.check_message(&message(&all[1..])), Ok(()));
}

#[test]
fn with_copies_to_sources_a_mask_that_covers_its_source_goes_to_it() {
    let with = |mut network: Network| {
        network.switch.copy_to_source = true;
        WormRules::new(&built(&network))
    };
    let message = |encoding, destinations: &[u32]| Message {
        cycle: 0,
        source: 1,
        destinations: destinations.to_vec(),
        encoding: Some(encoding),
        class: None,
        payload_flits: 1,
    };
    let rules = with(mesh(&[4, 4]));
    let check = |encoding, destinations: &[u32]| rules.check_message(&message(encoding, destinations));
    let refused = |encoding, destinations: &[u32]| check(encoding, destinations).unwrap_err().message;
    assert_eq!(check(Encoding::Mask, &[0, 1, 2, 3]), Ok(()));
    assert_eq!(check(Encoding::BitString, &[1, 2, 7]), Ok(()));
    // The plan of the message covers no source either.
    assert_eq!(
        refused(Encoding::CoordinateMask, &[0, 2, 3]),
        "the smallest coordinate_mask that covers these destinations leads to node 1 (the source) too; allowed: all \
         nodes that it leads to, or encoding: bit_string or multidestination, or 2 worms (to 0, 2; to 3; planned by \
         algorithm: \"coordinate_masks\" of a multicast)"
    );
    assert_eq!(
        refused(Encoding::Multidestination, &[1, 2]),
        "node 1 is the source of this multicast; worms that may go to their own source: unicast, bit_string, mask, \
         coordinate_mask; leave it out"
    );
    let ports = with(network(Topology::BiMin { switch_ports: 2, stages: 2 }));
    let why = ports.check_message(&message(Encoding::Multiport, &[0, 1])).unwrap_err().message;
    assert!(why.contains(": unicast, bit_string, mask; leave it out"), "{why}");
}
