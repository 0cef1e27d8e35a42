//! Cycle diagrams of the basic cases, in `golden/`, a column a cycle. `UPDATE_GOLDEN=1` writes them
//! anew.

use std::path::Path;

use wormscope::engine::NewWorm;
use wormscope::hw::Encoding;
use wormscope::network::{Network, TokenRing, Topology, UniMinKind};
use wormscope_testbenches::diagram::{Diagram, Row, Signal};
use wormscope_testbenches::drive::{network, unicast, worm};
use wormscope_testbenches::{Script, engine, step_until};

/// A line of routers. Ports and, with single lanes, lanes: 0 to the right, 1 to the left, 2 to the
/// node.
fn line(nodes: u32) -> Network {
    network(Topology::Linear { nodes })
}

/// Draws the first cycles of a run and compares with the file.
fn golden(name: &str, caption: &str, network: &Network, worms: Vec<NewWorm>, rows: &[Row], cycles: u64) {
    let mut diagram = Diagram::new(rows, network.switch.fifo_depth);
    step_until(&mut engine(network), &mut Script::new(worms), &mut diagram, cycles);
    let text = format!("{caption}\n\n{}", diagram.render(cycles));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} differs; UPDATE_GOLDEN=1 writes it anew. Now:\n{text}", path.display());
}

#[test]
fn unblocked_hop() {
    golden(
        "unblocked_hop",
        "Line of 2; routing 1, link 1. w0: n0 to n1, 1 header and 3 payload flits.",
        &line(2),
        vec![unicast(0, 0, 1, 3)],
        &[
            ("n0.inj", Signal::Injected(0, 0)),
            ("rt_0.in2.fifo_count", Signal::Count(0, 2)),
            ("rt_0.in2.state", Signal::State(0, 2)),
            ("rt_0.out0", Signal::Out(0, 0)),
            ("rt_1.in1.fifo_count", Signal::Count(1, 1)),
            ("rt_1.in1.state", Signal::State(1, 1)),
            ("rt_1.out2", Signal::Out(1, 2)),
            ("n1.con", Signal::Consumed(1, 0)),
        ],
        11,
    );
}

#[test]
fn credit_round_trip() {
    let mut network = line(2);
    network.switch.fifo_depth = 2;
    network.link.credit_cycles = 2;
    golden(
        "credit_round_trip",
        "Line of 2; routing 1, link 1, credit 2 between routers, FIFOs of 2. w0: n0 to n1, 1 header and 5 payload flits.\n\
         A slot is used again link + credit = 3 cycles after the flit before it crossed, so 2 slots carry 2 flits in 3 cycles.",
        &network,
        vec![unicast(0, 0, 1, 5)],
        &[
            ("n0.inj", Signal::Injected(0, 0)),
            ("n0.inj.credits", Signal::InjectionCredits(0, 0)),
            ("rt_0.in2.fifo_count", Signal::Count(0, 2)),
            ("rt_0.in2.state", Signal::State(0, 2)),
            ("rt_0.out0.credits", Signal::Credits(0, 0)),
            ("rt_0.out0", Signal::Out(0, 0)),
            ("rt_1.in1.fifo_count", Signal::Count(1, 1)),
            ("rt_1.in1.state", Signal::State(1, 1)),
            ("rt_1.out2", Signal::Out(1, 2)),
            ("n1.con", Signal::Consumed(1, 0)),
        ],
        17,
    );
}

#[test]
fn blocked_branch() {
    golden(
        "blocked_branch",
        "Line of 3; routing 1, link 1, asynchronous replication. w0: n1 to n2, 1 header and 5 payload flits.\n\
         w1: n0 to {n1, n2}, bit-string, 1 header and 3 payload flits; its branch to n2 waits for the lane that w0 owns.",
        &line(3),
        vec![unicast(0, 1, 2, 5), worm(0, 0, &[1, 2], Encoding::BitString, 3)],
        &[
            ("rt_1.in1.fifo_count", Signal::Count(1, 1)),
            ("rt_1.in1.front", Signal::Front(1, 1)),
            ("rt_1.in1.state", Signal::State(1, 1)),
            ("rt_1.in1.branches", Signal::Branches(1, 1)),
            ("rt_1.in1.taken", Signal::Taken(1, 1)),
            ("rt_1.out0.owner", Signal::Owner(1, 0)),
            ("rt_1.out0", Signal::Out(1, 0)),
            ("rt_1.out2.owner", Signal::Owner(1, 2)),
            ("rt_1.out2", Signal::Out(1, 2)),
        ],
        14,
    );
}

#[test]
fn absorb_and_forward() {
    golden(
        "absorb_and_forward",
        "Line of 3; routing 1, link 1. w0: n0 to n1, then n2, multidestination, 2 header and 2 payload flits.\n\
         Each router that is the first destination strips its address; n2's waits for the flit that says that no other follows.",
        &line(3),
        vec![worm(0, 0, &[1, 2], Encoding::Multidestination, 2)],
        &[
            ("rt_0.out0", Signal::Out(0, 0)),
            ("rt_1.in1.fifo_count", Signal::Count(1, 1)),
            ("rt_1.in1.front", Signal::Front(1, 1)),
            ("rt_1.in1.state", Signal::State(1, 1)),
            ("rt_1.in1.branches", Signal::Branches(1, 1)),
            ("rt_1.out2", Signal::Out(1, 2)),
            ("rt_1.out0", Signal::Out(1, 0)),
            ("rt_2.in1.fifo_count", Signal::Count(2, 1)),
            ("rt_2.in1.front", Signal::Front(2, 1)),
            ("rt_2.in1.state", Signal::State(2, 1)),
            ("rt_2.out2", Signal::Out(2, 2)),
            ("n1.con", Signal::Consumed(1, 0)),
            ("n2.con", Signal::Consumed(2, 0)),
        ],
        14,
    );
}

#[test]
fn constant_header() {
    golden(
        "constant_header",
        "Line of 3; routing 1, link 1. w0: n1 to {n0, n2}, mask, address 00, mask 10 and 2 payload flits. The header of both branches\n\
         names both nodes; a router looks at those ahead of the input.",
        &line(3),
        vec![worm(0, 1, &[0, 2], Encoding::Mask, 2)],
        &[
            ("rt_1.in2.fifo_count", Signal::Count(1, 2)),
            ("rt_1.in2.front", Signal::Front(1, 2)),
            ("rt_1.in2.state", Signal::State(1, 2)),
            ("rt_1.in2.branches", Signal::Branches(1, 2)),
            ("rt_1.out0", Signal::Out(1, 0)),
            ("rt_1.out1", Signal::Out(1, 1)),
            ("rt_0.in0.fifo_count", Signal::Count(0, 0)),
            ("rt_0.in0.state", Signal::State(0, 0)),
            ("rt_0.in0.branches", Signal::Branches(0, 0)),
            ("rt_0.out2", Signal::Out(0, 2)),
            ("rt_2.in1.branches", Signal::Branches(2, 1)),
            ("rt_2.out2", Signal::Out(2, 2)),
            ("n0.con", Signal::Consumed(0, 0)),
            ("n2.con", Signal::Consumed(2, 0)),
        ],
        12,
    );
}

#[test]
fn masks_up_and_down() {
    golden(
        "masks_up_and_down",
        "Bidirectional network of 4 nodes, 2 stages of 2x2 switches; routing 1, link 1. Ports 0 and 1 lead down, 2 and 3 up.\n\
         w0: n0 to {n1, n3}, multiport, masks {}, {0, 1}, {1} and 2 payload flits; an empty mask leads up.",
        &network(Topology::BiMin { switch_ports: 2, stages: 2 }),
        vec![worm(0, 0, &[1, 3], Encoding::Multiport, 2)],
        &[
            ("n0.inj", Signal::Injected(0, 0)),
            ("sw_s0_r0.in0.fifo_count", Signal::Count(0, 0)),
            ("sw_s0_r0.in0.front", Signal::Front(0, 0)),
            ("sw_s0_r0.in0.state", Signal::State(0, 0)),
            ("sw_s0_r0.in0.branches", Signal::Branches(0, 0)),
            ("sw_s0_r0.out2", Signal::Out(0, 2)),
            ("sw_s1_r0.in0.fifo_count", Signal::Count(2, 0)),
            ("sw_s1_r0.in0.front", Signal::Front(2, 0)),
            ("sw_s1_r0.in0.state", Signal::State(2, 0)),
            ("sw_s1_r0.in0.branches", Signal::Branches(2, 0)),
            ("sw_s1_r0.out0", Signal::Out(2, 0)),
            ("sw_s1_r0.out1", Signal::Out(2, 1)),
            ("sw_s0_r1.in2.state", Signal::State(1, 2)),
            ("sw_s0_r1.out1", Signal::Out(1, 1)),
            ("n1.con", Signal::Consumed(1, 0)),
            ("n3.con", Signal::Consumed(3, 0)),
        ],
        15,
    );
}

#[test]
fn tail_and_next_head() {
    let mut network = line(3);
    network.switch.routing_cycles = 2;
    golden(
        "tail_and_next_head",
        "Line of 3; routing 2, link 1. w0 and w1: n0 to n2, w2: n1 to n2, 1 header and 2 payload flits each.\n\
         The lane goes to w0 in the cycle after w2's tail; input 1 begins w1's head in the cycle after w0's tail, with full routing.",
        &network,
        vec![unicast(0, 0, 2, 2), unicast(2, 1, 2, 2), unicast(0, 0, 2, 2)],
        &[
            ("rt_1.in1.fifo_count", Signal::Count(1, 1)),
            ("rt_1.in1.front", Signal::Front(1, 1)),
            ("rt_1.in1.state", Signal::State(1, 1)),
            ("rt_1.in2.fifo_count", Signal::Count(1, 2)),
            ("rt_1.in2.front", Signal::Front(1, 2)),
            ("rt_1.in2.state", Signal::State(1, 2)),
            ("rt_1.out0.owner", Signal::Owner(1, 0)),
            ("rt_1.out0", Signal::Out(1, 0)),
        ],
        17,
    );
}

#[test]
fn virtual_channels_on_one_link() {
    let mut network = line(3);
    (network.switch.virtual_channels, network.node.virtual_channels) = (2, Some(1));
    network.node.consumption_channels = 2;
    golden(
        "virtual_channels_on_one_link",
        "Line of 3; routing 1, link 1, 2 virtual channels. w0: n0 to n2, w1: n1 to n2, 1 header and 3 payload flits each.\n\
         Each worm owns a channel; the link serves them flit by flit in turn while both have flit and credit.",
        &network,
        vec![unicast(0, 0, 2, 3), unicast(1, 1, 2, 3)],
        &[
            ("rt_1.in1.v0.fifo_count", Signal::Count(1, 2)),
            ("rt_1.in1.v0.state", Signal::State(1, 2)),
            ("rt_1.in2.fifo_count", Signal::Count(1, 4)),
            ("rt_1.in2.state", Signal::State(1, 4)),
            ("rt_1.out0.l0", Signal::Out(1, 0)),
            ("rt_1.out0.l1", Signal::Out(1, 1)),
            ("rt_2.in1.v0.fifo_count", Signal::Count(2, 2)),
            ("rt_2.in1.v1.fifo_count", Signal::Count(2, 3)),
            ("n2.con0", Signal::Consumed(2, 0)),
            ("n2.con1", Signal::Consumed(2, 1)),
        ],
        15,
    );
}

#[test]
fn token_ring() {
    let mut network = network(Topology::UniMin { kind: UniMinKind::Baseline, switch_ports: 2, stages: 3 });
    network.token_ring = Some(TokenRing::default());
    network.switch.fifo_depth = 2;
    golden(
        "token_ring",
        "Baseline of 8 nodes, 2x2 switches; routing 1, link 1, FIFOs of 2, token 1 cycle a hop. One ring in stage 0: r0 to r3.\n\
         w0: n0 to {n3, n7}, w1: n1 to {n2, n6}, w2: n4 to {n1, n5}, bit-string; w0 1 header and 8 payload flits, the others 1 and 2.\n\
         w0 captures the token when it comes round and releases it with its 7th flit: 2 switches and a channel to come hold 6.\n\
         w2 has it next, and releases it with its tail; w1, at w0's switch, waits for the next visit.",
        &network,
        vec![
            worm(1, 0, &[3, 7], Encoding::BitString, 8),
            worm(2, 1, &[2, 6], Encoding::BitString, 2),
            worm(3, 4, &[1, 5], Encoding::BitString, 2),
        ],
        &[
            ("sw_s0_r0.in0.state", Signal::State(0, 0)),
            ("sw_s0_r0.in1.state", Signal::State(0, 1)),
            ("sw_s0_r2.in0.state", Signal::State(2, 0)),
            ("sw_s0_r0.token", Signal::Token(0)),
            ("sw_s0_r1.token", Signal::Token(1)),
            ("sw_s0_r2.token", Signal::Token(2)),
            ("sw_s0_r3.token", Signal::Token(3)),
            ("sw_s0_r0.token.request", Signal::Request(0)),
            ("sw_s0_r2.token.request", Signal::Request(2)),
            ("sw_s0_r0.out0", Signal::Out(0, 0)),
            ("sw_s0_r0.out1", Signal::Out(0, 1)),
            ("sw_s0_r2.out0", Signal::Out(2, 0)),
        ],
        24,
    );
}
