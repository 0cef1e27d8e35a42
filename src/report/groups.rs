//! The switch groups of a multistage network as a table.

use std::fmt::Write as _;

use wormscope_hw::{TokenSpan, token_station};

use crate::network::routing::grouping;
use crate::network::routing::grouping::Group;
use crate::network::{Network, Wiring};
use crate::quote::{counted, list_of};

/// Switches beyond which groups are not looked for.
const MOST_SWITCHES: u32 = 1 << 16;
/// Groups of a stage that are listed; the others are counted.
const MOST_GROUPS: usize = 4;
/// Rows of a group that are listed, unless they follow each other.
const MOST_ROWS: usize = 8;

/// The groups of a multistage network, stage by stage in the direction of the flow; empty for
/// others.
#[must_use]
pub fn table(network: &Network, wiring: &Wiring) -> String {
    let (Some((_, stages)), Some(_)) = (network.stages(), wiring.flow()) else { return String::new() };
    if wiring.switches() > MOST_SWITCHES {
        return format!("  {:<22}not listed beyond {MOST_SWITCHES} switches\n", "switch groups");
    }
    let rows = wiring.switches() / stages;
    let groups = grouping::rings(network, wiring);
    let tokens = match network.token_ring {
        Some(ring) => {
            let each = match ring.span {
                TokenSpan::Group => "a token each",
                TokenSpan::Half => "a token for each half of a group",
                TokenSpan::Switch => "a token for each switch",
            };
            format!("{each}, {} from switch to switch", counted(ring.hop_cycles, "cycle"))
        }
        None => "without tokens".to_owned(),
    };
    let mut text = format!("  {:<22}{tokens}\n    stage groups switches release mean wait  rows\n", "switch groups");
    for of_stage in groups.chunk_by(|a, b| a.stage == b.stage) {
        let (first, size) = (&of_stage[0], of_stage[0].switches.len() as u32);
        let release = match network.token_ring {
            Some(_) => (bound(network, first) + 1).to_string(),
            None => "-".to_owned(),
        };
        let wait = match network.token_ring {
            Some(_) if size == 1 => "0".to_owned(),
            Some(ring) => format!("{:.1}", f64::from(size * ring.hop_cycles - 1) / 2.0),
            None => "-".to_owned(),
        };
        let lists = list_of(of_stage.iter().map(|group| list(group, rows)), " ", MOST_GROUPS);
        let (stage, count) = (first.stage, of_stage.len());
        let _ = writeln!(text, "    {stage:>5} {count:>6} {size:>8} {release:>7} {wait:>9}  {lists}");
    }
    if !network.last_stage_blocks() {
        text += "    the last stage needs none: every input finds a consumption channel\n";
    }
    text
}

/// Flits of a bit-string worm that the hops after a group can hold.
fn bound(network: &Network, group: &Group) -> u32 {
    token_station::bound(group.to_come, network.switch.fifo_depth, network.consumption_depth(), 0)
}

/// `{0..3}`, or row by row if the switches do not follow each other.
fn list(group: &Group, rows: u32) -> String {
    let of: Vec<u32> = group.switches.iter().map(|s| s.0 % rows).collect();
    let (first, last) = (of[0], of[of.len() - 1]);
    if of.len() > 2 && (last - first) as usize == of.len() - 1 {
        return format!("{{{first}..{last}}}");
    }
    format!("{{{}}}", list_of(of, ",", MOST_ROWS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    fn of(network: &str) -> String {
        let loaded = from_text("x.ron", &format!("(network: ({network}))"), &[]).unwrap();
        table(&loaded.experiment.network, loaded.experiment.network.build().unwrap().wiring())
    }

    #[test]
    fn groups_are_listed_stage_by_stage_in_the_direction_of_the_flow() {
        assert_eq!(
            of("topology: uni_min(switch_ports: 2, stages: 4), token_ring: (hop_cycles: 2)"),
            "  switch groups         a token each, 2 cycles from switch to switch\n    \
             stage groups switches release mean wait  rows\n        \
             0      1        8      17       7.5  {0..7}\n        \
             1      2        4      13       3.5  {0..3} {4..7}\n        \
             2      4        2       9       1.5  {0,1} {2,3} {4,5} {6,7}\n        \
             3      8        1       5         0  {0} {1} {2} {3} and 4 more\n"
        );
        assert_eq!(
            of("topology: uni_min(switch_ports: 2, stages: 2), token_ring: (span: half)"),
            "  switch groups         a token for each half of a group, 1 cycle from switch to switch\n    \
             stage groups switches release mean wait  rows\n        \
             0      2        1       9         0  {0} {1}\n        \
             1      2        1       5         0  {0} {1}\n"
        );
        assert_eq!(
            of("topology: bi_min(switch_ports: 2, stages: 3)"),
            "  switch groups         without tokens\n    \
             stage groups switches release mean wait  rows\n        \
             2      1        4       -         -  {0..3}\n        \
             1      2        2       -         -  {0,1} {2,3}\n        \
             0      4        1       -         -  {0} {1} {2} {3}\n"
        );
        assert_eq!(of("topology: mesh(radices: [4, 4])"), "");
        let large = of("topology: bi_min(switch_ports: 2, stages: 20)");
        assert_eq!(large, "  switch groups         not listed beyond 65536 switches\n");
    }

    #[test]
    fn rows_that_do_not_follow_each_other_are_named() {
        let omega = of("topology: uni_min(kind: omega, switch_ports: 2, stages: 3), node: (consumption_channels: 2)");
        assert!(omega.contains(" 0      2        2       -         -  {0,2} {1,3}\n"), "{omega}");
        assert!(omega.ends_with("    the last stage needs none: every input finds a consumption channel\n"));
    }
}
