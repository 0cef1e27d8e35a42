//! The worked example of \[TPP\], and how many start-ups its algorithm and the other one take.

use wormscope_hw::NodeId;

use crate::compare;
use crate::multicast::{self, Parameters, Request};
use crate::network::{Grid, Wiring};

/// Curves: a name and points, ascending in x.
type Curves = Vec<(String, Vec<(f64, f64)>)>;

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

/// Most and mean start-ups of a multicast to about a tenth and to half of the nodes of a cube, over
/// sources all through it.
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
