//! The labels and the worked example of \[TPP\], and the start-ups of TPP and of the compared
//! algorithm.

use wormscope_hw::{NodeId, PortId};

use super::data::Curves;
use crate::compare;
use crate::multicast::{self, Parameters, Request};
use crate::network::routing::Labels;
use crate::network::{Grid, Wiring};

/// Eq. 2 as printed, of a cube: m and r are n.
fn eq_2([x, y, z]: [u32; 3], n: u32) -> u32 {
    match (y % 2, z % 2) {
        (0, 0) => n * n * y + n * z + x,
        (0, _) => n * n * y + n * z + (n - x - 1),
        (_, 0) => n * n * y + n * (n - z - 1) + (n - x - 1),
        _ => n * n * y + n * (n - z - 1) + x,
    }
}

/// Fig. 1: steps along the labels of 3x3x3 nodes, and the two networks of cubes.
pub(super) fn labels(_: bool) -> Result<Curves, String> {
    let mut curves = along(3)?;
    let (mut high, mut low, mut strays) = (Vec::new(), Vec::new(), Vec::new());
    for k in 2..=6_u32 {
        let (grid, labels) = labelled(k)?;
        let nodes = || (0..labels.len()).map(NodeId);
        let channels: Vec<(NodeId, NodeId)> = nodes()
            .flat_map(|from| (0..grid.ports()).map(move |port| (from, PortId(port))))
            .filter_map(|(from, port)| Some((from, NodeId(grid.neighbour(from.0, port)?))))
            .collect();
        let above = channels.iter().filter(|(from, to)| labels.label(*to) > labels.label(*from)).count();
        high.push((f64::from(k), above as f64));
        low.push((f64::from(k), (channels.len() - above) as f64));
        let pairs = nodes().flat_map(|from| nodes().map(move |to| (from, to)));
        let stray: usize = pairs.map(|(from, to)| strays_of(&grid, &labels, from, to)).sum();
        strays.push((f64::from(k), stray as f64));
    }
    let networks = [("high-channel network", high), ("low-channel network", low), ("hops outside", strays)];
    curves.extend(networks.map(|(name, points)| (name.to_owned(), points)));
    Ok(curves)
}

/// A cube of `k` nodes a side and its labels.
fn labelled(k: u32) -> Result<(Grid, Labels), String> {
    let grid = Grid::new(vec![k; 3], false);
    let labels = Labels::new(&grid).ok_or("a mesh of three dimensions has labels")?;
    Ok((grid, labels))
}

/// From label to label of the hardware: the distance of eq. 2 between the labels, and the hops
/// between their nodes.
fn along(k: u32) -> Result<Curves, String> {
    let (_, labels) = labelled(k)?;
    let at = |label| labels.node(label).0;
    let at = |label| [at(label) % k, at(label) / k % k, at(label) / (k * k)];
    let hops = |a, b| at(a).iter().zip(at(b)).map(|(a, b)| a.abs_diff(b)).sum::<u32>();
    let apart = (0..labels.len()).map(|label| (f64::from(label), f64::from(eq_2(at(label), k).abs_diff(label))));
    let steps = (1..labels.len()).map(|label| (f64::from(label), f64::from(hops(label - 1, label))));
    Ok(vec![
        ("eq. (2) from the label of the hardware".to_owned(), apart.collect()),
        ("hops from the label before".to_owned(), steps.collect()),
    ])
}

/// Hops of a route that do not lead towards its end's label.
fn strays_of(grid: &Grid, labels: &Labels, mut from: NodeId, to: NodeId) -> usize {
    let mut strays = 0;
    while let Some(port) = labels.next_port(from, to) {
        let next = NodeId(grid.neighbour(from.0, port).expect("routes stay in the mesh"));
        let is_up = labels.label(next) > labels.label(from);
        strays += usize::from(is_up != (labels.label(to) > labels.label(from)));
        from = next;
    }
    strays
}

/// Fig. 2: channels of the worms, the upper first, and labels of their destinations.
pub(super) fn example(_: bool) -> Result<Curves, String> {
    let (worms, _) = compare::tpp_worms().map_err(|why| why.to_string())?;
    let mut curves = Curves::new();
    for (name, (path, channels)) in ["high-channel network", "low-channel network"].iter().zip(&worms) {
        curves.push(((*name).to_owned(), vec![(1.0, *channels as f64)]));
        let labels = (1..).zip(path).map(|(place, &label)| (f64::from(place), f64::from(label))).collect();
        curves.push((format!("{name}, destinations"), labels));
    }
    curves.push(("both".to_owned(), vec![(1.0, worms.iter().map(|(_, channels)| *channels as f64).sum())]));
    Ok(curves)
}

/// Largest and mean number of start-ups of a multicast to about a tenth and to half of the nodes of
/// a cube, over many sources.
pub(super) fn start_ups(_: bool) -> Result<Curves, String> {
    let mut curves = Curves::new();
    for (name, algorithm) in [("TPP", "tpp"), ("GTDMPM", "gtdmpm")] {
        let algorithm = multicast::find(algorithm).map_err(|why| why.to_string())?;
        for (share, stride) in [("a tenth", 11), ("half", 2)] {
            let (mut most, mut mean) = (Vec::new(), Vec::new());
            for k in 3..=10_u32 {
                let wiring = Wiring::new(Grid::new(vec![k; 3], false));
                let nodes = k * k * k;
                let mut counts = Vec::new();
                for source in (0..nodes).step_by(7) {
                    let set = (1..nodes).step_by(stride).map(|i| NodeId((source + i) % nodes));
                    let destinations: Vec<NodeId> = set.collect();
                    let parameters = Parameters::default();
                    let source = NodeId(source);
                    let request =
                        Request { wiring: &wiring, source, destinations: &destinations, parameters: &parameters };
                    counts.push(algorithm.plan(&request).map_err(|why| why.to_string())?.sends.len() as f64);
                }
                most.push((f64::from(k), counts.iter().copied().fold(0.0, f64::max)));
                mean.push((f64::from(k), counts.iter().sum::<f64>() / counts.len() as f64));
            }
            curves.push((format!("{name}, {share}, most"), most));
            curves.push((format!("{name}, {share}, mean"), mean));
        }
    }
    Ok(curves)
}
