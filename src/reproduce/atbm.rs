//! \[ATBM\]: switches that share a token, section 3.

use std::collections::BTreeMap;

use super::data::Curves;
use crate::config;
use crate::network::routing::grouping;
use crate::site::Site;

/// Figs. 10 and 11: switches in the largest group of a stage. Fig. 11 has the baseline of 64 nodes
/// with 4x4 switches, for one consumption channel and for four. Fig. 10 has the BI-MIN of 8 nodes
/// with 2x2 switches, whose backward network has the stages k = 3 to 5.
pub(super) fn groups(_: bool) -> Result<Curves, String> {
    let baseline = "uni_min(kind: baseline, switch_ports: 4, stages: 3)";
    let mut curves = Curves::new();
    for (name, topology, channels, backward) in [
        ("one channel", baseline, 1, None),
        ("four channels", baseline, 4, None),
        ("BI-MIN", "bi_min(switch_ports: 2, stages: 3)", 1, Some(5)),
    ] {
        let text = format!(
            "(network: (topology: {topology}, node: (consumption_channels: {channels}), token_ring: (hop_cycles: 1)), \
             workload: [messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 1)])])"
        );
        let loaded = config::from_text("groups", &text, &[]).map_err(|why| why.to_string())?;
        let site = Site::of(&loaded).map_err(|why| why.to_string())?;
        let mut largest = BTreeMap::new();
        for group in grouping::rings(site.built().network(), site.wiring()) {
            let stage = backward.map_or(group.stage, |last| last - group.stage);
            let most = largest.entry(stage).or_insert(0);
            *most = group.switches.len().max(*most);
        }
        let points = largest.into_iter().map(|(stage, most)| (f64::from(stage), most as f64)).collect();
        curves.push((name.to_owned(), points));
    }
    Ok(curves)
}
