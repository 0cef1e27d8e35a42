//! Course of channels in the picture of their network. Channels of a link are side by side, each
//! direction on its right.

use std::fmt::Write as _;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::picture::{Floorplan, stubs};
use super::svg::{Pixel, at};
use crate::engine::snapshot::LaneRef;
use crate::network::{End, Lanes, Wiring};

/// The wires of a network in its picture.
pub(crate) struct Wires<'a> {
    pub plan: Floorplan<'a>,
    pub wiring: &'a Wiring,
    pub lanes: Lanes,
    /// Distance of lanes that lie side by side.
    pub beside: f64,
}

/// From one point to another, of length 1.
fn direction(from: Pixel, to: Pixel) -> Pixel {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(1.0);
    (x / length, y / length)
}

impl Wires<'_> {
    pub fn end(&self, lane: LaneRef) -> Option<End> {
        self.wiring.output(lane.switch, PortId(self.lanes.outputs.port(lane.lane)))
    }

    /// Middle and radius of a node, where it receives or where it sends.
    pub fn node(&self, node: NodeId, receives: bool) -> (Pixel, f64) {
        match &self.plan {
            Floorplan::Lattice(lattice) => lattice.node_at(node.0),
            Floorplan::Stages(stages) => stages.node_at(node, receives && stages.both_sides),
            Floorplan::Graph(graph) => graph.node_at(node),
        }
    }

    /// Whether a port of a switch of a multistage network is on its right.
    pub(crate) fn is_right(&self, port: PortId, output: bool) -> bool {
        match &self.plan {
            Floorplan::Lattice(_) | Floorplan::Graph(_) => false,
            Floorplan::Stages(stages) if stages.both_sides => output,
            Floorplan::Stages(stages) => u32::from(port.0) >= stages.digits.base(),
        }
    }

    pub fn port(&self, switch: SwitchId, port: PortId, output: bool) -> Pixel {
        match &self.plan {
            Floorplan::Lattice(lattice) => {
                let (middle, port) = (lattice.place(switch.0), lattice.port(port));
                (middle.0 + port.0, middle.1 + port.1)
            }
            Floorplan::Stages(stages) => stages.anchor(switch, port.0.into(), self.is_right(port, output)),
            Floorplan::Graph(graph) => graph.port(switch, port),
        }
    }

    /// Direction of a worm that comes in through a port.
    pub(crate) fn inward(&self, switch: SwitchId, port: PortId) -> Pixel {
        match &self.plan {
            Floorplan::Lattice(lattice) => direction(self.port(switch, port, false), lattice.place(switch.0)),
            Floorplan::Graph(graph) => direction(self.port(switch, port, false), graph.place(switch)),
            Floorplan::Stages(_) => (if self.is_right(port, false) { -1.0 } else { 1.0 }, 0.0),
        }
    }

    /// Direction of a worm that leaves through a port.
    fn outward(&self, switch: SwitchId, port: PortId) -> Pixel {
        match &self.plan {
            Floorplan::Lattice(_) | Floorplan::Graph(_) => {
                let (x, y) = self.inward(switch, port);
                (-x, -y)
            }
            Floorplan::Stages(_) => (if self.is_right(port, true) { 1.0 } else { -1.0 }, 0.0),
        }
    }

    /// Distance of a lane to the right of its link. Channels of a link are side by side, and so are
    /// the two directions.
    pub fn aside(&self, within: u8, lanes: u8) -> f64 {
        let one_way = matches!(&self.plan, Floorplan::Stages(stages) if stages.both_sides);
        let spread = f64::from(within) - f64::from(lanes.saturating_sub(1)) / 2.0;
        let direction = if one_way { 0.0 } else { 0.7 + f64::from(lanes.saturating_sub(1)) / 2.0 };
        self.beside * (spread + direction)
    }

    /// Point at which an input lane begins.
    pub(crate) fn in_port(&self, (switch, lane): (SwitchId, u8)) -> Pixel {
        let inputs = self.lanes.inputs;
        let port = PortId(inputs.port(lane));
        let place = self.port(switch, port, false);
        let lanes = match self.wiring.input(switch, port) {
            Some(End::Switch(..)) => self.lanes.link,
            _ => self.lanes.inject,
        };
        aside(place, self.inward(switch, port), self.aside(inputs.within(lane), lanes))
    }

    /// The wire of an output lane, from its switch to the next FIFO.
    pub fn wire(&self, lane: LaneRef) -> Vec<Pixel> {
        let outputs = self.lanes.outputs;
        let port = PortId(outputs.port(lane.lane));
        let from = self.port(lane.switch, port, true);
        match self.end(lane) {
            Some(End::Switch(far, to)) => {
                let by = self.aside(outputs.within(lane.lane), self.lanes.link);
                let outward = self.outward(lane.switch, port);
                let ends = [aside(from, outward, by), aside(self.port(far, to, false), self.inward(far, to), by)];
                self.way(lane.switch, port, far, ends, by)
            }
            Some(End::Node(node)) => {
                let (middle, radius) = self.node(node, true);
                vec![from, towards(middle, from, radius)]
            }
            None => vec![from],
        }
    }

    /// The corners of a wire between two ports, which are moved to the right already.
    fn way(&self, switch: SwitchId, port: PortId, far: SwitchId, [from, to]: [Pixel; 2], by: f64) -> Vec<Pixel> {
        match &self.plan {
            Floorplan::Graph(_) => vec![from, to],
            Floorplan::Stages(_) if from.0 < to.0 => stubs([from, to]).to_vec(),
            Floorplan::Stages(_) => stubs([to, from]).into_iter().rev().collect(),
            Floorplan::Lattice(lattice) => {
                let d = usize::from(port.0 / 2);
                let (here, there) = (lattice.grid.coordinate(switch.0, d), lattice.grid.coordinate(far.0, d));
                let plus = port.0.is_multiple_of(2);
                let wraps = if plus { there < here } else { there > here };
                let beside = lattice.side / 2.0 + 11.0;
                let sign = if plus { 1.0 } else { -1.0 };
                // The way is on the right of the wire all the way round: outside in one direction,
                // and inside in the other.
                let right = sign * by;
                match (d, wraps) {
                    (0, true) => {
                        let out = sign * (12.0 + right);
                        let (out, back, over) = (from.0 + out, to.0 - out, from.1 - 2.0 * right - beside);
                        vec![from, (out, from.1), (out, over), (back, over), (back, to.1), to]
                    }
                    (1, true) => {
                        let out = sign * (12.0 - right);
                        let (out, back, over) = (from.1 + out, to.1 - out, from.0 + 2.0 * right - beside);
                        vec![from, (from.0, out), (over, out), (over, back), (to.0, back), to]
                    }
                    (0..=2, false) => vec![from, to],
                    _ => {
                        let bow = (f64::midpoint(from.0, to.0) - 40.0, f64::midpoint(from.1, to.1) - 40.0);
                        let point = |i: u32| {
                            let t = f64::from(i) / 12.0;
                            let mix =
                                |a: f64, b: f64, c: f64| (1.0 - t).powi(2) * a + 2.0 * t * (1.0 - t) * b + t * t * c;
                            (mix(from.0, bow.0, to.0), mix(from.1, bow.1, to.1))
                        };
                        (0..=12).map(point).collect()
                    }
                }
            }
        }
    }

    /// The wire over which a node feeds an input lane.
    pub fn injection(&self, input: (SwitchId, u8)) -> Vec<Pixel> {
        let to = self.in_port(input);
        match self.wiring.input(input.0, PortId(self.lanes.inputs.port(input.1))) {
            Some(End::Node(node)) => {
                let (middle, radius) = self.node(node, false);
                vec![towards(middle, to, radius), to]
            }
            _ => vec![to],
        }
    }
}

/// A point moved to the right of a direction.
pub(crate) fn aside((x, y): Pixel, (dx, dy): Pixel, by: f64) -> Pixel {
    (x - dy * by, y + dx * by)
}

/// The point of a circle that is nearest to another point.
pub(crate) fn towards(middle: Pixel, to: Pixel, radius: f64) -> Pixel {
    let (x, y) = (to.0 - middle.0, to.1 - middle.1);
    let length = x.hypot(y).max(1.0);
    (middle.0 + x / length * radius, middle.1 + y / length * radius)
}

/// A path along points with rounded corners.
pub(crate) fn rounded(points: &[Pixel]) -> String {
    const RADIUS: f64 = 7.0;
    let Some((&first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{}", at(first));
    let mut before = first;
    for (i, &point) in rest.iter().enumerate() {
        let near = |other: Pixel| {
            let length = (other.0 - point.0).hypot(other.1 - point.1);
            towards(point, other, RADIUS.min(length / 2.0))
        };
        // A write to a string does not fail.
        let _ = match rest.get(i + 1) {
            Some(&next) => write!(path, "L{}Q{} {}", at(near(before)), at(point), at(near(next))),
            None => write!(path, "L{}", at(point)),
        };
        before = point;
    }
    path
}
