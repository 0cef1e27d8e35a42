//! Multi-path on 2-D meshes (Lin et al. 1994): dual path with either list split again. Each list of
//! labels has up to two neighbours of the source on its side. A destination goes to the part of the
//! neighbour on whose side its column lies. There are up to four worms.
//!
//! In the paper, the source has a channel into the network for every neighbour and forces the first
//! hop. Here a worm is routed from its first hop on. If all its destinations have labels beyond
//! both neighbours, it goes through the other neighbour.

use wormscope_hw::{NodeId, PortId};

use super::dual_path::{plan_of, split};
use crate::networks::labelled_mesh;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "multi_path";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, labels) = labelled_mesh(request, NAME, 2..=2)?;
    let x = |node: NodeId| grid.coordinate(node.0, 0);
    let neighbours =
        (0..grid.ports() - 1).filter_map(|port| grid.neighbour(request.source.0, PortId(port))).map(NodeId);
    let (above, below): (Vec<NodeId>, Vec<NodeId>) =
        neighbours.partition(|&node| labels.label(node) > labels.label(request.source));
    let mut worms = Vec::with_capacity(4);
    for (neighbours, list) in [above, below].iter().zip(split(&labels, request.source, request.destinations)) {
        // One of the two neighbours is in the source's own column, the other in the next column.
        // `of_first` takes the lower columns.
        let last = match neighbours[..] {
            [a, b] => x(a).min(x(b)),
            _ => u32::MAX,
        };
        let (of_first, of_second): (Vec<NodeId>, Vec<NodeId>) = list.into_iter().partition(|&node| x(node) <= last);
        worms.extend([of_first, of_second]);
    }
    Ok(plan_of(request, worms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameters, find};
    use wormscope_network::{Grid, Wiring};

    /// The worms from a node of a 4x4 mesh whose labels go back and forth, as lists of (x, y).
    fn worms(source: u32, destinations: &[u32]) -> Vec<Vec<(u32, u32)>> {
        let wiring = Wiring::new(Grid::new(vec![4, 4], false));
        let parameters = Parameters::default();
        let destinations: Vec<NodeId> = destinations.iter().copied().map(NodeId).collect();
        let request =
            Request { wiring: &wiring, source: NodeId(source), destinations: &destinations, parameters: &parameters };
        let plan = find(NAME).unwrap().plan(&request).unwrap();
        plan.sends.iter().map(|send| send.to.iter().map(|node| (node.0 % 4, node.0 / 4)).collect()).collect()
    }

    #[test]
    fn a_broadcast_goes_up_and_down_on_either_side_of_the_source() {
        // Labels of row 1 run to the left. The higher neighbours of (2, 1) are (1, 1) and (2, 2),
        // and the lower neighbours are (3, 1) and (2, 0).
        let all: Vec<u32> = (0..16).filter(|&node| node != 6).collect();
        let expected = [
            vec![(1, 1), (0, 1), (0, 2), (1, 2), (1, 3), (0, 3)],
            vec![(2, 2), (3, 2), (3, 3), (2, 3)],
            vec![(2, 0), (1, 0), (0, 0)],
            vec![(3, 1), (3, 0)],
        ];
        assert_eq!(worms(6, &all), expected);
    }

    #[test]
    fn a_source_with_one_neighbour_on_a_side_sends_one_worm_there() {
        // (3, 0) ends its row. Its only higher neighbour is (3, 1), and its only lower one (2, 0).
        assert_eq!(worms(3, &[7, 4, 12, 0, 2]), [vec![(3, 1), (0, 1), (0, 3)], vec![(2, 0), (0, 0)]]);
    }
}
