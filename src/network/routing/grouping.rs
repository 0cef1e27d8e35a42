//! Switch groups of a multistage network (\[ATBM\] section 3, Fig. 9). Tree worms that branch at
//! different switches of a group can later want the same lane. So these switches share one token.
//!
//! In Fig. 9 every switch of the last stage that can block has a different tag. Every switch before
//! it has the union of the tags that its outputs lead to. The switches of a stage with equal tags
//! are a group.
//!
//! Here the switches of a stage whose tags *meet*, directly or through others, are a group. Both
//! rules give the same groups if tags are either equal or disjoint. This holds for all self-routing
//! networks as long as the last stage can block.
//!
//! The last stage cannot block if a node has a consumption channel for every input. Then there are
//! self-routing networks with tags that overlap in part. Fig. 9 as printed would let four switches
//! that wait for each other in a circle branch at the same time.
//!
//! The printed loop begins one stage too late, with the stage whose tags are given
//! (docs/explain/papers.md).

use std::collections::BTreeMap;

use wormscope_hw::{PortId, SwitchId, TokenSpan};

use crate::{End, Network, Wiring};

/// Switches of one stage that share a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The stage. Stages that [`groups`] returns are counted along the flow.
    pub stage: u32,
    /// Number of switches that a worm visits after this stage.
    pub to_come: u32,
    /// The switches, row by row.
    pub switches: Vec<SwitchId>,
}

/// Groups of `stages`, which have their switches row by row in the direction of the flow. `next` is
/// the switch that a port leads to, for each of the `ports` ports on that side. `last_blocks` says
/// whether worms can wait for each other in the last stage. If not, that stage needs no groups.
///
/// Groups are in the order of their stages, and within a stage in the order of their lowest rows.
#[must_use]
pub fn groups(
    stages: &[Vec<SwitchId>],
    ports: u8,
    next: impl Fn(SwitchId, PortId) -> Option<SwitchId>,
    last_blocks: bool,
) -> Vec<Group> {
    let count = if last_blocks { stages.len() } else { stages.len().saturating_sub(1) };
    let mut groups = Vec::new();
    // Group of each switch of the stage after this one.
    let mut behind: BTreeMap<SwitchId, usize> = BTreeMap::new();
    for (stage, switches) in stages[..count].iter().enumerate().rev() {
        let rows = switches.len();
        // Switches that lead to one group are joined. `joined` is a forest over the rows, and its
        // roots are the lowest rows.
        let mut joined: Vec<usize> = (0..rows).collect();
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for (row, &switch) in switches.iter().enumerate() {
            for far in (0..ports).filter_map(|p| next(switch, PortId(p))) {
                if let Some(&group) = behind.get(&far) {
                    let other = *first.entry(group).or_insert(row);
                    let (a, b) = (root(&joined, row), root(&joined, other));
                    joined[a.max(b)] = a.min(b);
                }
            }
        }
        let mut members: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
        behind.clear();
        for (row, &switch) in switches.iter().enumerate() {
            let root = root(&joined, row);
            members.entry(root).or_default().push(switch);
            behind.insert(switch, root);
        }
        let to_come = (stages.len() - 1 - stage) as u32;
        let of_stage = members.into_values().map(|switches| Group { stage: stage as u32, to_come, switches });
        groups.push(of_stage.collect::<Vec<_>>());
    }
    groups.into_iter().rev().flatten().collect()
}

/// Groups of a network as wired, with the stages of the switches' names. A network without
/// [`Flow`](crate::Flow) has none.
#[must_use]
pub fn of(wiring: &Wiring, last_blocks: bool) -> Vec<Group> {
    let next = |switch, port| match wiring.output(switch, port) {
        Some(End::Switch(far, _)) => Some(far),
        _ => None,
    };
    let Some(flow) = wiring.flow() else { return Vec::new() };
    let (names, stages): (Vec<u32>, Vec<_>) = flow.stages.into_iter().unzip();
    let mut groups = groups(&stages, flow.ports, next, last_blocks);
    for group in &mut groups {
        group.stage = names[group.stage as usize];
    }
    groups
}

/// The switches that share a token, in the order of [`groups`]: the groups, or their parts where
/// the token ring spans less.
#[must_use]
pub fn rings(network: &Network, wiring: &Wiring) -> Vec<Group> {
    let span = network.token_ring.map_or(TokenSpan::Group, |ring| ring.span);
    let cut = |group: Group| {
        let most = match span {
            TokenSpan::Group => group.switches.len(),
            TokenSpan::Half => group.switches.len().div_ceil(2),
            TokenSpan::Switch => 1,
        };
        let parts: Vec<Vec<SwitchId>> = group.switches.chunks(most).map(<[SwitchId]>::to_vec).collect();
        parts.into_iter().map(move |switches| Group { switches, ..group })
    };
    of(wiring, network.last_stage_blocks()).into_iter().flat_map(cut).collect()
}

fn root(joined: &[usize], mut row: usize) -> usize {
    while joined[row] != row {
        row = joined[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::uni_min::Kind;
    use crate::{BiMin, UniMin};

    /// Stages of `rows` switches, numbered stage by stage.
    fn stages(count: u32, rows: u32) -> Vec<Vec<SwitchId>> {
        (0..count).map(|j| (0..rows).map(|i| SwitchId(j * rows + i)).collect()).collect()
    }

    /// Baseline of n stages of b x b switches. Position x after stage j is wired to the inverse
    /// shuffle of its low n - j digits.
    fn baseline(b: u32, n: u32) -> impl Fn(SwitchId, PortId) -> Option<SwitchId> {
        let rows = b.pow(n - 1);
        move |switch, port| {
            let (j, i) = (switch.0 / rows, switch.0 % rows);
            let block = b.pow(n - j);
            let position = i * b + u32::from(port.0);
            let (base, low) = (position / block * block, position % block);
            (j + 1 < n).then(|| SwitchId((j + 1) * rows + (base + low % b * (block / b) + low / b) / b))
        }
    }

    const SIZES: [(u32, u32); 7] = [(2, 3), (2, 4), (4, 2), (4, 3), (8, 2), (2, 6), (8, 3)];

    #[test]
    fn on_baselines_switch_i_of_stage_j_is_in_group_i_div_b_to_the_n_minus_1_minus_j() {
        for (b, n) in SIZES {
            let rows = b.pow(n - 1);
            for (last_blocks, last) in [(true, n - 1), (false, n - 2)] {
                let found = groups(&stages(n, rows), b as u8, baseline(b, n), last_blocks);
                let mut expected = Vec::new();
                for j in 0..=last {
                    let size = b.pow(last - j);
                    for k in 0..rows / size {
                        let switches = (0..rows).filter(|i| i / size == k).map(|i| SwitchId(j * rows + i)).collect();
                        expected.push(Group { stage: j, to_come: n - 1 - j, switches });
                    }
                }
                assert_eq!(found, expected, "b = {b}, n = {n}, the last stage {last_blocks}");
            }
        }
    }

    #[test]
    fn a_ring_spans_a_group_or_its_halves_or_a_switch() {
        for (span, sizes) in [
            ("group", vec![4, 2, 2, 1, 1, 1, 1]),
            ("half", vec![2, 2, 1, 1, 1, 1, 1, 1, 1, 1]),
            ("switch", vec![1; 12]),
        ] {
            let text = format!("(topology: uni_min(switch_ports: 2, stages: 3), token_ring: Some((span: {span})))");
            let network: Network = ron::from_str(&text).unwrap();
            let found = rings(&network, &network.wiring());
            assert_eq!(found.iter().map(|ring| ring.switches.len()).collect::<Vec<_>>(), sizes, "{span}");
            // Every switch has one station, and the parts stay in the order of the rows.
            let all: Vec<SwitchId> = found.iter().flat_map(|ring| ring.switches.iter().copied()).collect();
            assert_eq!(all, (0..12).map(SwitchId).collect::<Vec<_>>(), "{span}");
            assert!(found.iter().all(|ring| ring.to_come == 2 - ring.stage), "{span}");
        }
        // The first half of three rows has two.
        let text = "(topology: uni_min(switch_ports: 3, stages: 2), token_ring: Some((span: half)))";
        let network: Network = ron::from_str(text).unwrap();
        let sizes: Vec<usize> = rings(&network, &network.wiring()).iter().map(|ring| ring.switches.len()).collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1]);
    }

    #[test]
    fn figures_8_and_11_come_out() {
        // \[ATBM\] section 3.2. Fig. 8: after the first stage, 2x2 switches leave two disjoint sets
        // of switches, and 4x4 switches with 16 nodes leave four. Fig. 11: 64 nodes with 4x4
        // switches, with one consumption channel and with b of them.
        let sizes = |b: u32, n: u32, last_blocks: bool| {
            let rows = b.pow(n - 1);
            let mut sizes = vec![Vec::new(); n as usize];
            for group in groups(&stages(n, rows), b as u8, baseline(b, n), last_blocks) {
                sizes[group.stage as usize].push(group.switches.len());
            }
            sizes
        };
        assert_eq!(sizes(2, 3, true)[1], [2, 2]);
        assert_eq!(sizes(4, 2, true)[1], [1; 4]);
        assert_eq!(sizes(4, 3, true), [vec![16], vec![4; 4], vec![1; 16]]);
        assert_eq!(sizes(4, 3, false), [vec![4; 4], vec![1; 16], vec![]]);
    }

    /// Fig. 9 with its loop begun one stage earlier: rows by equal tags.
    fn printed(
        stages: &[Vec<SwitchId>],
        b: u8,
        next: &impl Fn(SwitchId, PortId) -> Option<SwitchId>,
    ) -> Vec<Vec<SwitchId>> {
        let last = stages.len() - 1;
        let mut tags: BTreeMap<SwitchId, BTreeSet<usize>> =
            stages[last].iter().enumerate().map(|(i, &s)| (s, BTreeSet::from([i]))).collect();
        let mut groups = Vec::new();
        for j in (0..=last).rev() {
            let mut equal: BTreeMap<BTreeSet<usize>, Vec<SwitchId>> = BTreeMap::new();
            for &s in &stages[j] {
                if j < last {
                    let union = (0..b).filter_map(|p| next(s, PortId(p))).flat_map(|far| tags[&far].clone()).collect();
                    tags.insert(s, union);
                }
                equal.entry(tags[&s].clone()).or_default().push(s);
            }
            groups.extend(equal.into_values());
        }
        groups.sort();
        groups
    }

    /// The omega network: a perfect shuffle between stages.
    fn omega(b: u32, n: u32) -> impl Fn(SwitchId, PortId) -> Option<SwitchId> {
        let rows = b.pow(n - 1);
        move |switch, port| {
            let (j, i) = (switch.0 / rows, switch.0 % rows);
            let position = i * b + u32::from(port.0);
            (j + 1 < n).then(|| SwitchId((j + 1) * rows + position % rows))
        }
    }

    #[test]
    fn the_groups_are_those_of_equal_tags_where_tags_are_equal_or_disjoint() {
        for (b, n) in SIZES {
            let all = stages(n, b.pow(n - 1));
            let mut ours: Vec<_> =
                groups(&all, b as u8, baseline(b, n), true).into_iter().map(|g| g.switches).collect();
            ours.sort();
            assert_eq!(ours, printed(&all, b as u8, &baseline(b, n)), "baseline of {b}, {n}");
            for cut in 0..2 {
                let shorter = &all[..all.len() - cut];
                let found = groups(&all, b as u8, omega(b, n), cut == 0);
                let mut ours: Vec<_> = found.into_iter().map(|g| g.switches).collect();
                ours.sort();
                assert_eq!(ours, printed(shorter, b as u8, &omega(b, n)), "omega of {b}, {n}");
            }
        }
    }

    #[test]
    fn the_bi_min_of_8_nodes_is_grouped_as_the_text_says_at_stages_3_4_and_5() {
        // The down network (stages k = 3, 4, 5 of the paper) has addresses of three digits. Switch
        // (i, k) joins the addresses that differ in digit j = 5 - k only. Row i is the address with
        // digits 0 and j swapped, halved.
        let row = |address: u32, j: u32| {
            let (low, high) = (address & 1, address >> j & 1);
            (address & !(1 | 1 << j) | high | low << j) / 2
        };
        let next = |switch: SwitchId, port: PortId| {
            let (k, i) = (3 + switch.0 / 4, switch.0 % 4);
            let j = 5 - k;
            let address = (0..8).filter(|&a| row(a, j) == i).find(|&a| a >> j & 1 == u32::from(port.0))?;
            (k < 5).then(|| SwitchId((k - 3 + 1) * 4 + row(address, j - 1)))
        };
        let found = groups(&stages(3, 4), 2, next, true);
        let rows: Vec<(u32, Vec<u32>)> =
            found.iter().map(|g| (3 + g.stage, g.switches.iter().map(|s| s.0 % 4).collect())).collect();
        // "Each switch at stage 5 of the backward network constitutes a group. The switches (0, 1,
        // 3) and (1, 1, 3) have the same group tag". These are rows 0 and 1 of stage 1 in the
        // backward direction. The label k of that stage is 2n - (j + 1) = 4, not 3. Stage 3 has
        // another tag: "all switches in the forward network and the stage 3 of backward networks
        // belong to the same group".
        let expected: [(u32, &[u32]); 7] =
            [(3, &[0, 1, 2, 3]), (4, &[0, 1]), (4, &[2, 3]), (5, &[0]), (5, &[1]), (5, &[2]), (5, &[3])];
        let expected: Vec<_> = expected.into_iter().map(|(k, rows)| (k, rows.to_vec())).collect();
        assert_eq!(rows, expected);
        let to_come: Vec<u32> = found.iter().map(|g| g.to_come).collect();
        assert_eq!(to_come, [2, 1, 1, 0, 0, 0, 0]);
    }

    /// \[ATBM\] section 3.2, Fig. 10: "All switches in the forward network and the stage 3 of
    /// backward networks belong to the same group". This compares tags of different stages, as Fig.
    /// 9 does. Worms are not copied on their way up, so [`of`] leaves these stages out.
    #[test]
    fn figure_10_the_forward_network_has_the_tag_of_stage_3() {
        // Both halves as wired. Stage k = 2n - (j + 1) has the switches of stage j again.
        let wiring = Wiring::new(BiMin::new(2, 3));
        let next = |switch: SwitchId, port: PortId| {
            let (k, i) = (switch.0 / 4, switch.0 % 4);
            let at = |k: u32, end: Option<End>| match end {
                Some(End::Switch(far, _)) => Some(SwitchId(k * 4 + far.0 % 4)),
                _ => None,
            };
            match k {
                0 | 1 => at(k + 1, wiring.output(switch, PortId(2 + port.0))),
                2 => Some(SwitchId(3 * 4 + i)),
                _ => at(k + 1, wiring.output(SwitchId((5 - k) * 4 + i), port)),
            }
        };
        let tagged = printed(&stages(6, 4), 2, &next);
        let sizes: Vec<usize> = tagged.iter().map(Vec::len).collect();
        assert_eq!(sizes, [4, 4, 4, 4, 2, 2, 1, 1, 1, 1]);
        let tags = |stage: u32| reached(SwitchId(stage * 4), &next);
        assert!((0..4).all(|stage| tags(stage) == BTreeSet::from([0, 1, 2, 3])), "one tag");
    }

    /// Rows of the last stage that a switch leads to.
    fn reached(switch: SwitchId, next: &impl Fn(SwitchId, PortId) -> Option<SwitchId>) -> BTreeSet<u32> {
        let ahead: Vec<SwitchId> = (0..2).filter_map(|port| next(switch, PortId(port))).collect();
        if ahead.is_empty() {
            return BTreeSet::from([switch.0 % 4]);
        }
        ahead.into_iter().flat_map(|far| reached(far, next)).collect()
    }

    #[test]
    fn tags_that_overlap_in_part_join_switches_that_the_printed_figure_keeps_apart() {
        // Self-routing: port 0 leads to the upper two switches and port 1 to the lower two. Each
        // first switch leads to another pair.
        let next = |s: SwitchId, p: PortId| {
            let pairs = [[4, 6], [4, 7], [5, 6], [5, 7]];
            pairs.get(s.index()).map(|pair| SwitchId(pair[p.index()]))
        };
        let all = stages(3, 4);
        let found = groups(&all, 2, next, false);
        assert_eq!(found[0].switches.len(), 4);
        assert_eq!(printed(&all[..2], 2, &next).len(), 8, "equal tags: every switch alone");
    }

    #[test]
    fn networks_as_wired_have_the_groups_of_the_closed_formula() {
        for (b, n) in SIZES {
            let rows = b.pow(n - 1);
            let found = of(&Wiring::new(UniMin::new(Kind::Baseline, b as u8, n)), true);
            assert_eq!(found, groups(&stages(n, rows), b as u8, baseline(b, n), true), "baseline of {b}, {n}");
            // The butterfly groups other rows, but as many. The down network of the BI-MIN groups
            // b^j switches at stage j.
            let sizes = |groups: &[Group]| -> Vec<_> {
                groups.iter().map(|g| (g.stage, g.to_come, g.switches.len() as u32)).collect()
            };
            for kind in [Kind::Butterfly, Kind::Omega] {
                let other = of(&Wiring::new(UniMin::new(kind, b as u8, n)), true);
                assert_eq!(sizes(&other), sizes(&found), "{kind:?} of {b}, {n}");
            }
            let down = of(&Wiring::new(BiMin::new(b as u8, n)), true);
            for j in 0..n {
                let here: Vec<_> = down.iter().filter(|g| g.stage == j).collect();
                assert_eq!(here.len() as u32, rows / b.pow(j));
                assert!(here.iter().all(|g| g.to_come == j && g.switches.len() as u32 == b.pow(j)));
                for group in here {
                    // Rows of a group differ only in the digits below j.
                    let block = |s: &SwitchId| (s.0 / rows, s.0 % rows / b.pow(j));
                    assert!(group.switches.iter().all(|s| block(s) == block(&group.switches[0])));
                }
            }
        }
    }

    #[test]
    fn a_last_stage_that_cannot_block_needs_no_group_even_where_it_is_the_only_one() {
        let all = stages(1, 1);
        assert!(groups(&all, 4, |_, _| None, false).is_empty());
        assert_eq!(groups(&all, 4, |_, _| None, true).len(), 1);
    }
}
