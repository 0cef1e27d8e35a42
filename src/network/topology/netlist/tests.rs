//! Tests of netlists.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::{Grid, Wiring};

fn parameters(source: &Source, routing: Order) -> Parameters<'_> {
    Parameters { file: Some("x.net"), text: Some(source), routing, cyclic: false, spread: false }
}

fn refused(text: &str, routing: Order) -> String {
    let source = Source::from(text.to_owned());
    let why = parameters(&source, routing).check().unwrap_err();
    why.to_string()
}

/// A mesh or torus as a netlist, with the routes of dimension order.
fn grid(grid: &Grid) -> String {
    let (name, wiring) = (|s: u32| format!("r{s}"), Wiring::new(grid.clone()));
    let mut text = format!("switch {}\n", (0..grid.nodes()).map(name).collect::<Vec<_>>().join(" "));
    for (s, port) in (0..grid.nodes()).flat_map(|s| (0..grid.ports() / 2).map(move |d| (s, PortId(2 * d)))) {
        if let Some(far) = grid.neighbour(s, port) {
            let _ = writeln!(text, "link r{s}.{port} r{far}.{}", port.0 + 1);
        }
    }
    for node in 0..grid.nodes() {
        let _ = writeln!(text, "node r{node}.{}", grid.node_port());
        for s in 0..grid.nodes() {
            let _ = writeln!(text, "route r{s} {node} {}", wiring.port(SwitchId(s), NodeId(node)));
        }
    }
    text
}

#[test]
fn a_mesh_written_down_is_the_mesh() {
    for radices in [vec![4], vec![3, 4], vec![2, 3, 2]] {
        let mesh = Wiring::new(Grid::new(radices.clone(), false));
        let source = Source::from(grid(mesh.grid().unwrap()));
        let parameters = parameters(&source, Order::Given);
        let netlist = Wiring::from(parameters.build().unwrap());
        assert_eq!((netlist.sections(), netlist.nodes()), (mesh.sections(), mesh.nodes()));
        for s in (0..mesh.switches()).map(SwitchId) {
            assert!((0..mesh.ports()).map(PortId).all(|port| netlist.output(s, port) == mesh.output(s, port)));
            assert!((0..mesh.nodes()).map(NodeId).all(|node| netlist.port(s, node) == mesh.port(s, node)));
            assert_eq!(netlist.switch_named(&netlist.switch_name(s)), Some(s));
        }
        assert_eq!(parameters.refuses(Encoding::BitString, Routing::Table), None);
        assert_eq!(parameters.refuses(Encoding::Multidestination, Routing::Table), None);
        let other = crate::Topology::Mesh { radices };
        let mesh = other.blueprint();
        assert_eq!((parameters.lanes(2, 3), parameters.links()), (mesh.lanes(2, 3), mesh.links()));
    }
}

#[test]
fn circles_of_channels_are_refused_and_named() {
    let ring = "switch a b c d\nlink a.0 b.1\nlink b.0 c.1\nlink c.0 d.1\nlink d.0 a.1\nnode a.2\nnode b.2\nnode c.2\nnode d.2";
    assert_eq!(
        refused(ring, Order::Shortest),
        "netlist.routing: the routes have a dependency cycle, in which worms can deadlock: a.out0 -> b.out0 -> c.out0 \
         -> d.out0 -> a.out0; allowed: routing: up_down, which has none, or cyclic: true, which accepts it"
    );
    let source = Source::from(ring.to_owned());
    let cyclic = Parameters { cyclic: true, ..parameters(&source, Order::Shortest) };
    assert_eq!((cyclic.check(), parameters(&source, Order::UpDown).check()), (Ok(()), Ok(())));
    // The grid gives the routes of a torus of four switches without datelines.
    let torus = grid(&Grid::new(vec![4], true));
    assert!(
        refused(&torus, Order::Given)
            .contains("in which worms can deadlock: r0.out0 -> r1.out0 -> r2.out0 -> r3.out0 -> r0.out0;")
    );
}

#[test]
fn routes_that_come_together_again_carry_no_trees() {
    // Routes from a to nodes 1 and 2, both after d, by b and by c.
    let graph =
        "switch a b c d\nlink a.0 b.0\nlink a.1 c.0\nlink b.1 d.0\nlink c.1 d.1\nnode a.2\nnode d.2\nnode d.3\n";
    let routes = "route a 1 0\nroute a 2 1\nroute b 0 0\nroute b 1 1\nroute b 2 1\nroute c 0 0\nroute c 1 1\nroute c 2 1\n\
                  route d 0 0\n";
    let [source, without] = [routes, ""].map(|routes| Source::from(format!("{graph}{routes}")));
    let given = parameters(&source, Order::Given);
    assert_eq!(given.check(), Ok(()));
    let why = given.refuses(Encoding::BitString, Routing::Table).unwrap();
    assert!(why.contains("two routes from node 0 meet at d"), "{why}");
    assert_eq!(parameters(&without, Order::Shortest).refuses(Encoding::BitString, Routing::Table), None);
    assert!(given.refuses(Encoding::Multidestination, Routing::Table).unwrap().contains("no link is at this port"));
}

#[test]
fn errors_name_file_line_and_column() {
    let at = |text: &str| refused(text, Order::Given);
    let two = "switch a b\nlink a.0 b.0\n";
    for (text, why) in [
        ("", "1:1: no node; at least one is needed, as in node a.0"),
        (
            "switch a\nnode a.0\n  linc a.0 b.0",
            "3:3: unknown statement \"linc\"; did you mean \"link\"? allowed: switch, link, node, ports, root, route",
        ),
        (
            "switch left right\nlink left.0 rihgt.0",
            "2:13: no switch \"rihgt\"; did you mean \"right\"? allowed: left, right",
        ),
        ("switch a a", "1:10: switch a is named twice"),
        (
            "switch 2a",
            "1:8: switch \"2a\": a name begins with a letter (a to z, A to Z), goes on with letters, digits and _, and is none of node0, node1, ...",
        ),
        (
            "switch node1",
            "1:8: switch \"node1\": a name begins with a letter (a to z, A to Z), goes on with letters, digits and _, and is none of node0, node1, ...",
        ),
        ("switch # a", "1:1: switch without a name; allowed: one name or more"),
        ("switch a b\nlink a.0", "2:1: link with 1 word after it; it takes two ports, as in link a.0 b.1"),
        ("switch a b\nlink a.0 a.1", "2:10: a link from a switch to itself; allowed: between two switches"),
        ("switch a b\nlink a.0 b", "2:10: \"b\" is no port; one is named as in a.2"),
        ("switch a b\nlink a.0 b.64", "2:12: port \"64\"; allowed: 0 to 63"),
        (&format!("{two}node a.0"), "3:6: port a.0 has been connected in line 2"),
        (&format!("{two}node a.2\n  ports 2"), "4:3: ports 2 but port 2 is connected; allowed: 3 to 64"),
        ("switch a\nports 2\nnode a.0\n ports 2", "4:2: ports a second time, after line 2; allowed: once"),
        ("switch a b\nroot a\nroot b", "3:1: root a second time, after line 2; allowed: once"),
        ("switch a b\nnode a.0\nnode b.0", "3:1: no path of links from switch a to b"),
        (
            &format!("{two}node a.2\nroute a 0 2\nroute a 0 0"),
            "5:7: a second route from a to node 0, after line 4; allowed: one",
        ),
        (&format!("{two}node a.2\nroute a 1 2"), "4:9: no node 1; allowed: 0 to 0 (1 node)"),
        (&format!("{two}node a.2\nnode b.2\nroute  a 512 2"), "5:10: no node 512; allowed: 0 to 1 (2 nodes)"),
        (&format!("{two}node a.2\nroute b 0 7"), "4:11: no port 7; allowed: 0 to 2 (ports of b)"),
        (
            &format!("{two}node a.2\nroute b 0 1"),
            "4:11: port 1 of b leads nowhere; allowed: a port to a switch or to node 0",
        ),
        (
            &format!("{two}node a.2\nnode b.2\nroute b 0 2"),
            "5:11: port 2 of b leads to node 1; allowed: a port to a switch or to node 0",
        ),
        (
            &format!("{two}node a.2\nroot b"),
            "4:1: root has no effect with routing: given; allowed: routing: up_down, or no root",
        ),
    ] {
        assert_eq!(at(text), format!("netlist.file: x.net:{why}"), "{text}");
    }
    for (text, why) in [
        (format!("{two}node a.2"), "no route from b to node 0; routing: given needs one for every switch and node"),
        (
            "switch a b c\nlink a.0 b.0\nlink b.1 c.0\nnode c.2\nnode a.2\nroute a 0 0\nroute b 0 0\nroute b 1 0\n\
             route c 1 0"
                .to_owned(),
            "the route to node 0 is a loop: it returns to a",
        ),
    ] {
        assert_eq!(at(&text), format!("netlist.routing: {why}"));
    }
    assert_eq!(
        at(&format!("{two}node a.2\nnode b.2\nroute a 0 0\nroute b 0 0\nroute a 1 0")),
        "netlist.file: x.net:5:11: node 0 is at port 2 of a; allowed: this port, or no route"
    );
    // A byte order mark is no part of the first statement.
    let marked = at(&format!("\u{feff}{two}node a.2\nnode b.9\nports 3"));
    assert!(marked.starts_with("netlist.file: x.net:5:"), "{marked}");
}

#[test]
fn statements_about_routes_that_do_not_count_are_refused() {
    let graph = "switch a b\nlink a.0 b.0\nnode a.1\nnode b.1\n";
    for (order, name) in [(Order::UpDown, "up_down"), (Order::Shortest, "shortest")] {
        assert_eq!(
            refused(&format!("{graph}route b 0 0\n route a 1 0"), order),
            format!(
                "netlist.file: x.net:5:1: route has no effect with routing: {name}; allowed: routing: given, which needs a route for \
                 every switch and node, or no route"
            )
        );
    }
    assert_eq!(
        refused(&format!("{graph} root b"), Order::Shortest),
        "netlist.file: x.net:5:2: root has no effect with routing: shortest; allowed: routing: up_down, or no root"
    );
    let rooted = Source::from(format!("{graph}root b"));
    assert_eq!(parameters(&rooted, Order::UpDown).check(), Ok(()));
}

/// Two links lead from a to b, and three from b to c. All switches have nodes.
const PARALLEL: &str = "switch a b c\nlink a.0 b.0\nlink a.1 b.1\nlink b.2 c.0\nlink b.3 c.1\nlink b.4 c.2\n\
                        node a.5\nnode c.5\nnode b.5\nnode c.6\nnode a.6\nnode c.7\n";

#[test]
fn destinations_take_parallel_links_in_turn() {
    let source = Source::from(PARALLEL.to_owned());
    for order in [Order::UpDown, Order::Shortest] {
        let ports = |spread: bool, from: u32| {
            let built = Parameters { spread, ..parameters(&source, order) }.build().unwrap();
            let ports: Vec<u8> = (0..6).map(|node| built.port(SwitchId(from), NodeId(node))).collect();
            (ports, built.idle().links.len())
        };
        assert_eq!(ports(false, 0), (vec![5, 0, 0, 0, 6, 0], 6));
        // From a, nodes 1, 2, 3, 5 go to b. From b, nodes 1, 3, 5 go to c, and nodes 0, 4 to a.
        assert_eq!(ports(true, 0), (vec![5, 0, 1, 0, 6, 1], 0));
        assert_eq!(ports(true, 1).0, [0, 2, 5, 3, 1, 4]);
        assert_eq!(ports(true, 2).0, [0, 5, 1, 6, 2, 7]);
    }
    let spread = Parameters { spread: true, ..parameters(&source, Order::UpDown) };
    assert_eq!(spread.describe(), "netlist of 3 switches and 6 nodes, up*/down* routes spread over parallel links");
    let why = spread.refuses(Encoding::BitString, Routing::Table).unwrap();
    assert!(why.contains("two routes from node 0 meet at b") && why.ends_with("; spread: false avoids this"));
    assert_eq!(parameters(&source, Order::UpDown).refuses(Encoding::BitString, Routing::Table), None);
}

#[test]
fn spreading_without_effect_is_refused() {
    let refused = |text: &str, routing: Order| {
        let source = Source::from(text.to_owned());
        Parameters { spread: true, ..parameters(&source, routing) }.check().unwrap_err().to_string()
    };
    assert_eq!(
        refused("switch a b\nlink a.0 b.0\nnode a.1\nnode b.1", Order::UpDown),
        "netlist.spread: no effect, since no two links join the same two switches; allowed: spread: false"
    );
    assert_eq!(
        refused("switch a b\nlink a.0 b.0\nlink a.1 b.1\nnode a.2\nnode b.2\nroute a 1 0\nroute b 0 0", Order::Given),
        "netlist.spread: no effect with routing: given, where each route names its link; allowed: spread: false"
    );
}

proptest! {
    #[test]
    fn routes_arrive_form_trees_and_those_up_and_down_no_circles(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        more in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..8),
        nodes in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let switches = parents.len() + 1;
        let mut used = vec![0; switches];
        let mut port = |s: usize| { used[s] += 1; format!("s{s}.{}", used[s] - 1) };
        let mut text = format!("switch {}\n", (0..switches).map(|s| format!("s{s}")).collect::<Vec<_>>().join(" "));
        let more = more.iter().map(|(a, b)| (a.index(switches), b.index(switches)));
        for (a, b) in parents.iter().enumerate().map(|(s, parent)| (s + 1, parent.index(s + 1))).chain(more) {
            if a != b {
                let _ = writeln!(text, "link {} {}", port(a), port(b));
            }
        }
        for at in &nodes {
            let _ = writeln!(text, "node {}", port(at.index(switches)));
        }
        let source = Source::from(text.clone());
        for (order, spread) in [Order::UpDown, Order::Shortest].into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let graph = source.graph().unwrap();
            let routes = source.routes(graph, order, spread).unwrap();
            prop_assert!(spread || routes.no_tree.is_none(), "{:?}: {}", order, &text);
            prop_assert!(order == Order::Shortest || routes.circle.is_none(), "{:?}: {}", routes.circle, &text);
            // The channels belong to the routes after spreading.
            let circle = Graph::circle(&graph.waits(&routes.ports).unwrap());
            prop_assert!(circle.is_none() || routes.circle.is_some(), "{:?}: {}", circle, &text);
            for (source, node) in (0..nodes.len()).flat_map(|from| (0..nodes.len()).map(move |to| (from, to))) {
                let (mut at, mut hops) = (graph.nodes[source].0.index(), 0);
                let far = graph.levels(graph.nodes[node].0.index())[at];
                while let Some(End::Switch(to, _)) = graph.end(at, routes.ports[at * nodes.len() + node].into()) {
                    (at, hops) = (to.index(), hops + 1);
                    prop_assert!(hops < 2 * switches as u32, "{}", &text);
                }
                prop_assert_eq!(at, graph.nodes[node].0.index());
                prop_assert!(Some(hops) == far || order == Order::UpDown && Some(hops) > far);
            }
        }
    }
}
