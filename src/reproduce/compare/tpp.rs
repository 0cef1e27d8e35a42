//! The worked example of \[TPP\]: a 3x3x3 mesh with labels for nodes. The source is 16, and the
//! destinations are 0, 3, 4, 8, 10, 11, 15, 18, 21, 23 and 25.

use super::{CompareError, Comparison, experiment, list, run};
use crate::model::contention::channels;
use crate::network::End;
use crate::network::routing::Labels;
use crate::simulation::Site;
use crate::table::Table;

/// Channels of the two paths, the upper first, as printed.
const PRINTED: [u32; 2] = [9, 14];
const SOURCE: u32 = 16;
const DESTINATIONS: [u32; 11] = [0, 3, 4, 8, 10, 11, 15, 18, 21, 23, 25];

/// The worms of the worked example, with labels of their destinations and with channels between
/// routers on the routes of the hardware. With them comes the number of cycles in which one flit of
/// payload reaches all destinations.
///
/// # Errors
/// None that a user can cause.
#[allow(clippy::type_complexity)] // Worms with their channels, and the latency.
pub(crate) fn tpp_worms() -> Result<(Vec<(Vec<u32>, usize)>, u64), CompareError> {
    let network = "topology: mesh(radices: [3, 3, 3]), routing: label_order, \
                   node: (injection_channels: 2, ports: 2, consumption_channels: 6)";
    let labels = Labels::of([3, 3, 3]);
    let to = list(DESTINATIONS.map(|label| labels.node(label).0));
    let source = labels.node(SOURCE);
    let workload = format!("multicast(source: {source}, destinations: [{to}], algorithm: \"tpp\", payload_flits: 1)");
    let loaded = experiment(network, &workload, 1)?;
    let site = Site::of(&loaded)?;
    let (latency, plans) = run(&loaded)?;
    let mut worms = Vec::new();
    for plan in &plans {
        let used = channels(site.wiring(), plan, |switch, node| site.next(switch, node))?;
        for (send, used) in plan.sends.iter().zip(used) {
            let is_link = |&&(switch, port): &&_| matches!(site.wiring().output(switch, port), Some(End::Switch(..)));
            let path = send.to.iter().map(|&node| labels.label(node)).collect();
            worms.push((path, used.iter().filter(is_link).count()));
        }
    }
    Ok((worms, latency.first().copied().unwrap_or(0)))
}

/// Channels of the two path worms, printed and on the routes of the hardware.
///
/// # Errors
/// None that a user can cause.
pub fn tpp() -> Result<Comparison, CompareError> {
    let mut table = Table::new(&["worm to the labels", "channels", "printed"], &[0]);
    let (worms, latency) = tpp_worms()?;
    for ((path, count), printed) in worms.iter().zip(PRINTED) {
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        table.row([path.join(" "), count.to_string(), printed.to_string()]);
    }
    let all = || worms.iter().map(|(_, count)| count);
    let text = format!(
        "the worked example of [TPP]: a 3x3x3 mesh, from label {SOURCE}\n{}  {} channels together, the longer path has {}; printed: 23 and 14\n\
         \x20 both worms leave at the same time; one flit of payload is everywhere after {latency} cycles\n",
        table.text(),
        all().sum::<usize>(),
        all().max().unwrap_or(&0),
    );
    Ok(Comparison { text, charts: Vec::new() })
}
