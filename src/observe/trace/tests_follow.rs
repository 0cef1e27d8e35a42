//! Tests of the rows of followed worms: each cycle of a branch has the cause of the account.

use std::path::Path;

use wormscope_hw::{PortId, PortMask, Replication, WormId};

use super::follow::{BranchAt, Doing, InView, OutView, doing};
use super::readback::wellen;
use super::vcd::VcdHeader;
use super::*;
use crate::engine::{CycleAccount, LaneState, LinkWaits, NewWorm};
use crate::network::Network;

#[test]
fn a_branch_says_what_keeps_it() {
    let waits = LinkWaits::default();
    let state = LaneState::Blocked as u64;
    let front = InView { worm: Some(WormId(7)), state, fifo_count: 2, branches: 0b11, taken: 0, waits };
    let taken = InView { taken: 0b10, ..front };
    let empty = InView { fifo_count: 0, ..front };
    let other = InView { worm: Some(WormId(8)), ..front };
    let parked = InView { state: LaneState::Token as u64, ..front };
    let strips = InView { state: LaneState::Header as u64, ..front };
    let asks = InView { waits: LinkWaits { lane_wait: PortMask::only(1), ..waits }, ..front };
    let full = InView { waits: LinkWaits { no_credit: PortMask::only(1), ..waits }, ..front };
    let lane = |owner, valid, worm: Option<u32>| OutView { owner, valid, flit: 5, owner_worm: worm.map(WormId) };
    let own = |valid| lane(Some(3), valid, Some(7));
    let at = |is_new| BranchAt { port: PortId(1), group: PortId(1), is_new };
    let says = |input: &InView, lanes: &[OutView]| doing(WormId(7), 3, at(false), input, lanes);
    assert_eq!(says(&front, &[own(true)]), Doing::Crosses(5));
    assert_eq!(says(&full, &[own(false)]), Doing::NoCredit);
    assert_eq!(says(&front, &[own(false)]), Doing::Sibling);
    assert_eq!(doing(WormId(7), 3, at(true), &front, &[own(false)]), Doing::Arbiter);
    assert_eq!([says(&empty, &[own(false)]), says(&strips, &[own(false)])], [Doing::Bubble; 2]);
    assert_eq!(says(&taken, &[own(false)]), Doing::Sibling);
    assert_eq!(says(&taken, &[lane(None, false, None)]), Doing::Nothing);
    assert_eq!(says(&front, &[lane(Some(0), true, Some(9)), own(true)]), Doing::Crosses(5));
    assert_eq!(says(&asks, &[lane(Some(0), true, Some(9)), own(false)]), Doing::Turn(WormId(9)));
    assert_eq!(says(&asks, &[lane(Some(0), true, Some(9)), lane(Some(1), true, Some(4))]), Doing::Waits(WormId(9)));
    assert_eq!(says(&asks, &[lane(None, false, None)]), Doing::Arbiter);
    assert_eq!(says(&front, &[lane(None, false, None)]), Doing::Sibling);
    assert_eq!(says(&other, &[own(true)]), Doing::Nothing);
    assert_eq!(says(&parked, &[lane(Some(0), true, Some(9))]), Doing::Token);
    let all = [
        Doing::Nothing,
        Doing::Crosses(9),
        Doing::Waits(WormId(9)),
        Doing::Arbiter,
        Doing::NoCredit,
        Doing::Sibling,
        Doing::Bubble,
        Doing::Token,
        Doing::Turn(WormId(9)),
    ];
    for doing in all {
        assert_eq!(Doing::decode(doing.encode()), Some(doing));
        assert!(doing.encode() < 1 << signal::Type::Doing.bits());
    }
}

/// Cycles of the branches of all worms, by their activity. The order is: crossing, without credit,
/// token, sibling, lane of a worm, turn, arbiter.
fn shown(network: &str, worms: &[NewWorm]) -> (Network, [u64; 7], CycleAccount) {
    let (network, wiring) = runs::network(network);
    let followed = (0..worms.len() as u32).map(|worm| {
        let mut recorder = HopRecorder::new(WormId(worm), &network, &wiring);
        runs::run(&network, worms, &mut recorder);
        recorder.finish().expect("the worm")
    });
    let options = Options { follows: followed.collect(), ..Options::default() };
    let follows = options.follows.clone();
    let mut tracer =
        Tracer::new(VcdHeader::new(Vec::new()), Path::new("test"), &network, &wiring, options).expect("a tracer");
    let account = runs::account(&network, worms, &mut tracer);
    let end = account.1;
    let wave = wellen(tracer.finish_dump(DumpEnd { cycles: end, deadlock: None }).expect("a dump"));
    let mut spent = [0; 7];
    for follow in &follows {
        for (at, hop) in follow.hops.iter().enumerate() {
            for port in follow::branch_ports(hop) {
                let name = signal::Signal::Branch(follow.worm.id, at, port).name();
                let row = &wave[&format!("top.follow_w{}.{name}", follow.worm.id)];
                let ends = row.iter().skip(1).map(|of| of.0).chain([end]);
                for ((from, digits), until) in row.iter().zip(ends) {
                    let doing = Doing::decode(u64::from_str_radix(digits, 2).expect("digits")).expect("a value");
                    let way = match doing {
                        Doing::Crosses(_) => 0,
                        Doing::NoCredit => 1,
                        Doing::Token => 2,
                        Doing::Sibling => 3,
                        Doing::Waits(_) => 4,
                        Doing::Turn(_) => 5,
                        Doing::Arbiter => 6,
                        Doing::Bubble | Doing::Nothing => continue,
                    };
                    spent[way] += until - from;
                }
            }
        }
    }
    (network, spent, account.0)
}

#[test]
fn rows_of_branches_agree_with_the_account_of_cycles() {
    let trees = |nodes: u32, flits| -> Vec<NewWorm> {
        let to = |k: u32| [(5 * k + 1) % nodes, (3 * k + 2) % nodes, (7 * k + 4) % nodes];
        let worm = |k: u32| {
            let mut to: Vec<u32> = to(k).into_iter().filter(|&node| node != k % nodes).collect();
            to.sort_unstable();
            to.dedup();
            runs::worm(u64::from(k / 2), k % nodes, &to, flits)
        };
        (0..24).map(worm).collect()
    };
    let messages = |nodes: u32| -> Vec<NewWorm> {
        let worm = |k: u32| runs::worm(u64::from(k / 4), k % nodes, &[(k + 1 + k % (nodes - 1)) % nodes], 9);
        (0..40).map(worm).collect()
    };
    let mut turns = 0;
    for (network, worms) in [
        ("(topology: mesh(radices: [3, 3]))", trees(9, 12)),
        ("(topology: mesh(radices: [3, 3]), switch: (allocation_cycles: 0))", trees(9, 12)),
        ("(topology: mesh(radices: [3, 3]), switch: (virtual_channels: 2))", trees(9, 12)),
        ("(topology: mesh(radices: [3, 3]), switch: (replication: lockstep))", trees(9, 12)),
        ("(topology: mesh(radices: [3, 3]), switch: (replication: sequential, fifo_depth: 16))", trees(9, 12)),
        ("(topology: mesh(radices: [3, 3]), switch: (replication: buffered, fifo_depth: 16))", trees(9, 12)),
        ("(topology: torus(radices: [4], datelines: true), switch: (virtual_channels: 2))", messages(4)),
        ("(topology: mesh(radices: [3, 3]), switch: (virtual_channels: 2))", messages(9)),
        ("(topology: uni_min(switch_ports: 2, stages: 3), token_ring: (hop_cycles: 2))", trees(8, 12)),
        (
            "(topology: bi_min(switch_ports: 2, stages: 3), switch: (replication: synchronous, arbiter: oldest_first))",
            trees(8, 12),
        ),
    ] {
        let (built, [moving, no_credit, token, sibling, lane, turn, arbiter], account) = shown(network, &worms);
        let expected = [account.moving, account.no_credit + account.endpoint, account.token];
        assert_eq!([moving, no_credit, token], expected, "{network}: {account:?}");
        // Each cycle of these rows is a wait for a lane, a turn, or a lane that is new.
        let grants = (lane + turn + arbiter).checked_sub(account.lane_wait);
        assert!(
            grants.is_some_and(|grants| grants <= account.header),
            "{network}: {lane}, {turn}, {arbiter}, {account:?}"
        );
        // A branch that has passed waits for its siblings, but its row shows nothing.
        let passed = matches!(built.switch.replication, Replication::Asynchronous | Replication::Synchronous);
        assert!(
            sibling <= account.sibling && (passed || sibling == account.sibling),
            "{network}: {sibling}, {account:?}"
        );
        turns += turn;
    }
    assert!(turns > 0, "lanes of a link take turns");
}
