//! Tests of snapshots made by hand. `judge_tests` has random systems, which brute force judges.

use super::*;
use crate::engine::snapshot::{Branch, Lane, Token};
use wormscope_hw::{NodeId, Replication};

fn out(switch: u32, lane: u8) -> LaneRef {
    LaneRef { switch: SwitchId(switch), lane }
}

fn branch(hold: Hold, taken: u32, blocked_since: u64) -> Branch {
    Branch { hold, taken, blocked_since }
}

fn owns(lane: LaneRef, since: u64) -> Branch {
    branch(Hold::Owns(lane), 0, since)
}

fn wants(group: &[LaneRef], since: u64) -> Branch {
    branch(Hold::Wants(group.to_vec()), 0, since)
}

/// A segment of `remaining` flits of which `here` have arrived.
fn segment(worm: u32, at: LaneRef, upstream: Option<LaneRef>, flits: [u32; 2], branches: Vec<Branch>) -> Segment {
    let [here, remaining] = flits;
    let LaneRef { switch, lane } = at;
    Segment {
        switch,
        lane,
        worm: WormId(worm),
        upstream,
        depth: 4,
        here,
        remaining,
        header_left: 0,
        awaits: None,
        branches,
    }
}

/// An output lane, the free cells at its end (unless it leads to a node), and the segment in front
/// there.
type Behind = (LaneRef, Option<u32>, Option<usize>);

/// A snapshot. The owners of the lanes follow from the segments.
fn snapshot(segments: Vec<Segment>, lanes: &[Behind]) -> Snapshot {
    let owner = |lane| segments.iter().position(|s| s.branches.iter().any(|b| b.hold == Hold::Owns(lane)));
    let lanes = lanes.iter().map(|&(lane, free, front)| Lane { lane, owner: owner(lane), free, front }).collect();
    let coupling = Replication::Asynchronous;
    Snapshot { cycle: 100, coupling, atomic: false, segments, lanes, tokens: Vec::new() }
}

/// Four unicasts on a ring of four switches: worm i owns the link i -> i+1 and wants the next.
fn ring() -> Snapshot {
    let link = |i: u32| out(i % 4, 0);
    let segments = (0..4)
        .flat_map(|i| {
            let tail = segment(i, out(i, 4), None, [4, 10], vec![owns(link(i), 5)]);
            let wish = vec![wants(&[link(i + 1)], 10 + u64::from(i))];
            let head = segment(i, out((i + 1) % 4, 1), Some(link(i)), [4, 14], wish);
            [tail, head]
        })
        .collect();
    let lanes: Vec<_> = (0..4).map(|i| (link(i), Some(0), Some(2 * i as usize + 1))).collect();
    snapshot(segments, &lanes)
}

/// Two multicasts at one switch. Each holds the lane that the other wants. No worm is at the end of
/// the lanes.
fn pair_at(switch: u32, worm: u32, since: u64) -> (Vec<Segment>, Vec<Behind>) {
    let (a, b) = (out(switch, 0), out(switch, 1));
    let segments = vec![
        segment(worm, out(switch, 2), None, [4, 6], vec![branch(Hold::Owns(a), 1, 1), wants(&[b], since)]),
        segment(worm + 1, out(switch, 3), None, [4, 6], vec![wants(&[a], since + 4), branch(Hold::Owns(b), 1, 2)]),
    ];
    (segments, vec![(a, Some(3), None), (b, Some(3), None)])
}

fn pair() -> Snapshot {
    let (segments, lanes) = pair_at(0, 1, 5);
    snapshot(segments, &lanes)
}

fn worms(members: &[Member]) -> Vec<u32> {
    members.iter().map(|m| m.worm.0).collect()
}

#[test]
fn a_ring_of_four_unicasts_is_reported_in_the_order_of_its_cycle() {
    let found = search(&ring()).unwrap();
    assert_eq!((found.final_cycle, found.detected), (13, 100));
    assert_eq!(worms(&found.cycle), [0, 1, 2, 3]);
    for (i, member) in (0..).zip(&found.cycle) {
        assert_eq!(member.switch, SwitchId((i + 1) % 4));
        assert_eq!(member.holds, [out(i, 0)]);
        assert_eq!(member.wants, [out((i + 1) % 4, 0)]);
        assert_eq!(member.owners, [(out((i + 1) % 4, 0), WormId((i + 1) % 4))]);
        assert_eq!(member.blocked_since, 10 + u64::from(i));
    }
    assert!(found.also.is_empty() && found.behind.is_empty());
}

#[test]
fn a_ring_dissolves_when_the_rest_of_one_worm_fits_downstream() {
    for (free, deadlock) in [(2, true), (3, false)] {
        let mut s = ring();
        (s.segments[0].here, s.segments[0].remaining) = (3, 3);
        (s.segments[1].here, s.segments[1].remaining) = (4 - free, 7 - free);
        s.lanes[0].free = Some(free);
        assert_eq!(search(&s).is_some(), deadlock, "{free} free slots for 3 flits");
    }
}

#[test]
fn two_tree_worms_that_hold_each_others_lanes_are_a_deadlock() {
    let found = search(&pair()).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (9, vec![1, 2]));
    assert_eq!(found.cycle[0].owners, [(out(0, 1), WormId(2))]);
}

#[test]
fn a_branch_may_be_one_flit_ahead_in_asynchronous_but_not_in_lockstep_replication() {
    let mut s = pair();
    for segment in &mut s.segments {
        (segment.here, segment.remaining) = (1, 1);
        segment.branches.iter_mut().for_each(|b| b.taken = 0);
    }
    assert_eq!(search(&s), None, "the only flit crosses the held lane and releases it");
    s.coupling = Replication::Lockstep;
    assert!(search(&s).is_some());
}

#[test]
fn buffers_for_a_whole_worm_dissolve_a_deadlock_of_trees() {
    let mut s = pair();
    assert!(search(&s).is_some());
    s.coupling = Replication::Buffered;
    assert!(search(&s).is_some(), "6 flits do not fit into 4");
    s.segments.iter_mut().for_each(|segment| segment.depth = 6);
    assert_eq!(search(&s), None);
}

#[test]
fn one_branch_after_the_other_holds_no_lane_while_it_waits_for_the_next() {
    let mut s = pair();
    s.coupling = Replication::Sequential;
    s.segments[0].branches[1].hold = Hold::Later(vec![out(0, 1)]);
    s.segments[1].branches.swap(0, 1);
    s.segments[1].branches[1].hold = Hold::Later(vec![out(0, 0)]);
    assert_eq!(search(&s), None);
}

#[test]
fn a_lane_starved_by_a_stuck_sibling_upstream_is_never_released() {
    let (x, y, z) = (out(0, 0), out(0, 1), out(1, 0));
    let s = snapshot(
        vec![
            segment(0, out(0, 4), None, [4, 8], vec![wants(&[x], 7), branch(Hold::Owns(y), 1, 3)]),
            segment(0, out(1, 2), Some(y), [0, 7], vec![owns(z, 6)]),
            segment(1, out(0, 5), None, [4, 8], vec![owns(x, 2)]),
            segment(1, out(1, 1), Some(x), [4, 12], vec![wants(&[z], 8)]),
        ],
        &[(x, Some(0), Some(3)), (y, Some(4), Some(1)), (z, None, None)],
    );
    let found = search(&s).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (8, vec![0, 1]));
    assert_eq!(found.cycle[0].holds, [y, z]);
    assert_eq!(found.cycle[1].owners, [(z, WormId(0))]);
}

#[test]
fn one_free_or_freeable_lane_of_a_group_dissolves_the_cycle() {
    let mut s = ring();
    let spare = out(1, 6);
    s.segments[1].branches[0].hold = Hold::Wants(vec![out(1, 0), spare]);
    s.lanes.push(Lane { lane: spare, owner: None, free: Some(0), front: None });
    assert_eq!(search(&s), None);
    // The owner drains into a node.
    s.segments.push(segment(9, out(1, 5), None, [4, 10], vec![owns(spare, 1)]));
    (s.lanes[4].owner, s.lanes[4].free) = (Some(8), None);
    assert_eq!(search(&s), None);
    // The owner waits for the ring. The deadlock needs the owner, although the owner is not on the
    // cycle.
    s.segments[8].branches.push(wants(&[out(1, 0)], 20));
    let found = search(&s).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle), worms(&found.also)), (20, vec![0, 1, 2, 3], vec![9]));
    assert_eq!(found.cycle[0].owners, [(out(1, 0), WormId(1)), (spare, WormId(9))]);
}

#[test]
fn a_worm_that_hangs_on_is_behind_the_cycle_however_long_it_waits() {
    let mut s = ring();
    s.segments.push(segment(9, out(2, 5), None, [4, 10], vec![wants(&[out(2, 0)], 3)]));
    let found = search(&s).unwrap();
    assert_eq!(found.final_cycle, 13);
    assert_eq!((worms(&found.cycle), found.behind), (vec![0, 1, 2, 3], vec![WormId(9)]));
}

#[test]
fn of_two_cycles_the_earlier_is_reported() {
    let (mut segments, mut lanes) = pair_at(0, 1, 50);
    let (more, others) = pair_at(1, 3, 30);
    segments.extend(more);
    lanes.extend(others);
    let found = search(&snapshot(segments, &lanes)).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (34, vec![3, 4]));
    assert_eq!(found.behind, [WormId(1), WormId(2)]);
}

#[test]
fn atomic_acquisition_leaves_a_free_lane_when_another_is_held() {
    let (a, b, c) = (out(1, 0), out(1, 1), out(0, 0));
    let mut s = snapshot(
        vec![
            segment(0, out(0, 4), None, [4, 10], vec![owns(c, 2)]),
            segment(0, out(1, 2), Some(c), [4, 14], vec![wants(&[a], 6), wants(&[b], 6)]),
            segment(1, out(1, 4), None, [4, 10], vec![owns(b, 3)]),
            segment(1, out(0, 2), Some(b), [4, 14], vec![wants(&[c], 4)]),
            segment(2, out(1, 5), None, [4, 10], vec![wants(&[a], 1)]),
        ],
        &[(a, Some(4), None), (b, Some(0), Some(3)), (c, Some(0), Some(1))],
    );
    s.atomic = true;
    let found = search(&s).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (6, vec![0, 1]));
    assert_eq!(found.cycle[0].wants, [b]);
    assert!(found.behind.is_empty(), "worm 2 gets the free lane");
    // A worm that lacks one lane moves no flit, even if the other lane is free.
    s.segments[3].branches[0].hold = Hold::Wants(vec![c, a]);
    assert_eq!(search(&s), None);
}

#[test]
fn full_fifos_alone_can_close_a_cycle() {
    // Each FIFO of a ring holds a whole worm, which owns the next link and has no credit.
    let link = |i: u32| out(i % 3, 0);
    let segments =
        (0..3).map(|i| segment(i, out(i, 1), None, [4, 4], vec![owns(link(i), 20 + u64::from(i))])).collect();
    let lanes: Vec<_> = (0..3).map(|i| (link(i), Some(0), Some((i as usize + 1) % 3))).collect();
    let mut s = snapshot(segments, &lanes);
    let found = search(&s).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (22, vec![0, 1, 2]));
    assert_eq!(found.cycle[0].owners, [(link(0), WormId(1))]);
    assert!(found.report(&Plain).contains("space behind rt_0.out0"));
    // One free cell moves round the ring as a bubble and lets all worms pass.
    s.lanes[1].free = Some(1);
    assert_eq!(search(&s), None);
}

#[test]
fn a_worm_that_closes_the_cycle_with_two_branches_stands_in_it_twice() {
    // Both lanes of worm 0 lack space for its last flit. The worm at the front of each waits for
    // the other lane.
    let (x, y) = (out(0, 0), out(0, 1));
    let s = snapshot(
        vec![
            segment(0, out(0, 4), None, [1, 1], vec![owns(x, 5), owns(y, 6)]),
            segment(1, out(1, 0), None, [4, 4], vec![wants(&[y], 7)]),
            segment(2, out(1, 1), None, [4, 4], vec![wants(&[x], 8)]),
        ],
        &[(x, Some(0), Some(1)), (y, Some(0), Some(2))],
    );
    let found = search(&s).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (8, vec![0, 1, 0, 2]));
    assert_eq!(found.cycle[0].wants, [x, y]);
    assert_eq!(found.cycle[2].wants, [y, x]);
    assert!(found.report(&Plain).starts_with("DEADLOCK final at 8, detected 100; 3 worms, 2 lanes\n"));
}

/// Worm 0 at switch 0 holds the token and lane a. It wants lane b, which worm 1 has. Worm 1 has its
/// tail at switch 1 and its head at switch 2, where it waits for the token. Worm 0 releases the
/// token when it has popped `release_after` of its 9 flits.
fn token_cycle(release_after: u32) -> Snapshot {
    let (a, b, c) = (out(0, 0), out(0, 1), out(2, 0));
    let later = |lane, since| branch(Hold::Later(vec![lane]), 0, since);
    let mut s = snapshot(
        vec![
            segment(0, out(0, 2), None, [4, 9], vec![owns(a, 5), wants(&[b], 4)]),
            segment(1, out(0, 3), None, [4, 9], vec![owns(b, 3)]),
            segment(1, out(2, 1), Some(b), [4, 13], vec![later(c, 8), later(out(2, 3), 8)]),
        ],
        &[(a, Some(4), None), (b, Some(0), Some(2)), (c, None, None), (out(2, 3), None, None)],
    );
    s.segments[2].awaits = Some(0);
    s.tokens = vec![Token { switches: vec![SwitchId(0), SwitchId(2)], holder: Some(0), held_since: 0, release_after }];
    s
}

#[test]
fn a_worm_waits_for_ever_for_a_token_that_its_holder_cannot_release() {
    let found = search(&token_cycle(9)).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (8, vec![0, 1]));
    assert_eq!(
        found.report(&Plain),
        "\
DEADLOCK final at 8, detected 100; 2 worms, 2 lanes
# | worm | at       | holds                            | wants                 | owned by | flits held | header left
1 | 0    | rt_0.in2 | rt_0.out0, token of {rt_0, rt_2} | rt_0.out1             | 1        | 4          | 0
2 | 1    | rt_2.in1 | rt_0.out1                        | token of {rt_0, rt_2} | 0        | 4          | 0
"
    );
}

#[test]
fn a_token_that_circulates_or_that_its_holder_can_still_release_is_no_deadlock() {
    let mut s = token_cycle(9);
    s.tokens[0].holder = None;
    assert_eq!(search(&s), None, "it circulates");
    // Four flits of the holder fit into the FIFO of lane b after the grant. Without the grant none
    // is popped.
    let mut s = token_cycle(1);
    assert!(search(&s).is_some(), "not a single flit can pass");
    s.segments[0].branches[1] = owns(out(0, 1), 4);
    s.segments[1] = segment(2, out(1, 0), None, [4, 9], vec![owns(out(1, 1), 3)]);
    s.segments[2].upstream = None;
    s.lanes[1].free = Some(3);
    for (release_after, deadlock) in [(3, false), (4, true)] {
        s.tokens[0].release_after = release_after;
        assert_eq!(search(&s).is_some(), deadlock, "3 flits fit behind lane b, {release_after} release the token");
    }
}

#[test]
fn a_holder_that_starves_keeps_its_token() {
    // Worm 0 holds the token at switch 0, where it has all its lanes. But its flits are at switch
    // 3. A sibling branch at switch 3 waits for lane y of worm 1. The head of worm 1 waits for the
    // token.
    let (a, b, x, y) = (out(0, 0), out(0, 1), out(3, 0), out(3, 1));
    let later = |lane| branch(Hold::Later(vec![lane]), 0, 8);
    let mut net = snapshot(
        vec![
            segment(0, out(3, 2), None, [4, 9], vec![branch(Hold::Owns(x), 1, 1), wants(&[y], 2)]),
            segment(0, out(0, 2), Some(x), [0, 9], vec![owns(a, 5), owns(b, 5)]),
            segment(1, out(3, 3), None, [4, 9], vec![owns(y, 1)]),
            segment(1, out(2, 1), Some(y), [4, 13], vec![later(out(2, 0)), later(out(2, 3))]),
        ],
        &[
            (a, None, None),
            (b, None, None),
            (x, Some(4), Some(1)),
            (y, Some(0), Some(3)),
            (out(2, 0), Some(4), None),
            (out(2, 3), Some(4), None),
        ],
    );
    net.segments[3].awaits = Some(0);
    net.tokens =
        vec![Token { switches: vec![SwitchId(0), SwitchId(2)], holder: Some(1), held_since: 0, release_after: 2 }];
    let found = search(&net).unwrap();
    assert_eq!((found.final_cycle, worms(&found.cycle)), (8, vec![0, 1]));
    assert_eq!(found.cycle[1].awaits, found.cycle[0].token.clone().map(|token| (token, WormId(0))));
    // The capture closes the deadlock, whenever the lanes after it are granted.
    net.tokens[0].held_since = 9;
    net.segments[1].branches = vec![owns(a, 10), owns(b, 11)];
    assert_eq!(search(&net).map(|found| found.final_cycle), Some(9));
    // The flit that has crossed is enough.
    net.tokens[0].release_after = 0;
    assert_eq!(search(&net), None);
}

struct Plain;

impl Names for Plain {
    fn switch(&self, switch: SwitchId) -> String {
        format!("rt_{switch}")
    }
    fn input(&self, _: SwitchId, lane: u8) -> String {
        format!("in{lane}")
    }
    fn output(&self, lane: LaneRef) -> String {
        format!("out{}", lane.lane)
    }
    fn node(&self, lane: LaneRef) -> Option<NodeId> {
        (lane.lane == 9).then_some(NodeId(lane.switch.0))
    }
}

#[test]
fn the_report_names_consumption_channels_that_worms_wait_for() {
    let mut s = pair();
    s.segments.push(segment(7, out(0, 4), None, [3, 3], vec![wants(&[out(0, 0)], 3)]));
    assert!(!search(&s).unwrap().report(&Plain).contains("consumption"));
    let (a, b) = (out(3, 9), out(3, 0));
    let segments = vec![
        segment(1, out(3, 2), None, [4, 6], vec![branch(Hold::Owns(a), 1, 1), wants(&[b], 5)]),
        segment(2, out(3, 3), None, [4, 6], vec![wants(&[a], 9), branch(Hold::Owns(b), 1, 2)]),
    ];
    let s = snapshot(segments, &[(a, Some(3), None), (b, Some(3), None)]);
    let report = search(&s).unwrap().report(&Plain);
    assert!(report.contains("\nconsumption channels that they want: rt_3.out9 of n3\n"), "{report}");
}

#[test]
fn the_report_says_who_holds_what_and_wants_what_from_whom() {
    let mut s = pair();
    s.segments[0].header_left = 2;
    s.segments.push(segment(7, out(0, 4), None, [3, 3], vec![wants(&[out(0, 0)], 3)]));
    let text = search(&s).unwrap().report(&Plain);
    assert_eq!(
        text,
        "\
DEADLOCK final at 9, detected 100; 2 worms, 2 lanes
# | worm | at       | holds     | wants     | owned by | flits held | header left
1 | 1    | rt_0.in2 | rt_0.out0 | rt_0.out1 | 2        | 4          | 2
2 | 2    | rt_0.in3 | rt_0.out1 | rt_0.out0 | 1        | 4          | 0
stuck behind them: 1 worm (7)
"
    );
}

#[test]
fn an_empty_or_moving_network_raises_no_alarm() {
    assert_eq!(search(&snapshot(Vec::new(), &[])), None);
    let undecided = segment(0, out(0, 0), None, [1, 6], Vec::new());
    let to_node = segment(1, out(0, 1), None, [1, 6], vec![owns(out(0, 4), 1)]);
    let waiting = segment(2, out(0, 2), None, [1, 6], vec![wants(&[out(0, 4)], 1)]);
    assert_eq!(search(&snapshot(vec![undecided, to_node, waiting], &[(out(0, 4), None, None)])), None);
}

#[path = "judge_tests.rs"]
mod judge;
