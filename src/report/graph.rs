//! Any graph of switches and nodes as a picture: straight lines between the places that its
//! topology lays out.

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::canvas::{Canvas, length};
use super::svg::Point;
use crate::network::{End, Place, Wiring};

/// Radius of a node.
const RADIUS: f64 = 11.0;
/// Height of a switch.
const HEIGHT: f64 = 30.0;
/// Distance of links between the same two switches.
const BESIDE: f64 = 9.0;

/// A network laid out.
pub(super) struct Graph<'a> {
    wiring: &'a Wiring,
    switches: Vec<Point>,
    nodes: Vec<Point>,
    /// Width of a switch.
    width: f64,
}

impl<'a> Graph<'a> {
    /// `room` more between neighbours, for what is to be seen there.
    pub fn new(wiring: &'a Wiring, room: f64) -> Self {
        let layout = wiring.layout();
        let names = (0..wiring.switches()).map(|s| length(&wiring.switch_name(SwitchId(s)), 10.0));
        let width = names.fold(HEIGHT, f64::max) + 24.0;
        let scale = |&(x, y): &Place| (x * (2.0 * width + room), y * (3.0 * HEIGHT + room));
        let [switches, nodes] = [&layout.switches, &layout.nodes].map(|all| all.iter().map(scale).collect());
        Self { wiring, switches, nodes, width }
    }

    pub fn place(&self, switch: SwitchId) -> Point {
        self.switches[switch.index()]
    }

    pub(crate) fn node_at(&self, node: NodeId) -> (Point, f64) {
        (self.nodes[node.index()], RADIUS)
    }

    /// Where a port is on the edge of its switch: towards what it is linked to, links to the same
    /// switch side by side.
    pub fn port(&self, switch: SwitchId, port: PortId) -> Point {
        let end = |port: PortId| self.wiring.output(switch, port).or_else(|| self.wiring.input(switch, port));
        let middle = self.place(switch);
        let far = match end(port) {
            Some(End::Switch(far, _)) => far,
            Some(End::Node(node)) => return self.edge(middle, self.nodes[node.index()]),
            None => return middle,
        };
        let there = self.place(far);
        // From the lower of the two switches' point of view, so that both ends agree.
        let (low, high) = (switch.min(far), switch.max(far));
        let (a, b) = (self.place(low), self.place(high));
        let apart = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
        let across = ((b.1 - a.1) / -apart, (b.0 - a.0) / apart);
        let mut beside: Vec<(PortId, PortId)> = Vec::new();
        for port in (0..self.wiring.ports()).map(PortId) {
            if let Some(End::Switch(to, at)) = self.wiring.output(low, port).or_else(|| self.wiring.input(low, port))
                && to == high
            {
                beside.push((port, at));
            }
        }
        let own = |&(near, at): &(PortId, PortId)| port == if switch == low { near } else { at };
        let number = beside.iter().position(own).unwrap_or(0) as f64;
        let by = BESIDE * (number - (beside.len() as f64 - 1.0) / 2.0);
        let (x, y) = self.edge(middle, there);
        (x + by * across.0, y + by * across.1)
    }

    /// Where a node's wire meets the switch that it sends through, or receives from.
    pub fn door(&self, node: NodeId, receives: bool) -> Point {
        let wired = if receives { self.wiring.consumption(node) } else { self.wiring.injection(node) };
        self.edge(self.place(wired.0), self.nodes[node.index()])
    }

    /// Where the line between two middles leaves the first one's switch.
    fn edge(&self, from: Point, to: Point) -> Point {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let out = (self.width / 2.0 / x.abs().max(0.001)).min(HEIGHT / 2.0 / y.abs().max(0.001)).min(1.0);
        (from.0 + out * x, from.1 + out * y)
    }

    /// The line of a channel between switches, and whether it leads along it or back; `None` if it
    /// leads to a node.
    pub fn link(&self, switch: SwitchId, port: PortId) -> Option<([Point; 2], bool)> {
        let Some(End::Switch(far, at)) = self.wiring.output(switch, port) else { return None };
        let forward = (switch, port) < (far, at);
        let ends = [self.port(switch, port), self.port(far, at)];
        Some(if forward { (ends, true) } else { ([ends[1], ends[0]], false) })
    }

    pub fn draw(&self, canvas: &mut Canvas) {
        let all = || (0..self.wiring.switches()).map(SwitchId);
        for (switch, port) in all().flat_map(|s| (0..self.wiring.ports()).map(move |p| (s, PortId(p)))) {
            if let Some((ends, true)) = self.link(switch, port) {
                canvas.line(&ends, port.index());
            }
        }
        for node in (0..self.wiring.nodes()).map(NodeId) {
            let (middle, radius) = self.node_at(node);
            let doors = [false, true].map(|receives| self.door(node, receives));
            canvas.line(&[doors[0], middle], 6);
            if doors[1] != doors[0] {
                canvas.line(&[doors[1], middle], 6);
            }
            canvas.node(middle, radius);
            canvas.text(middle, 8.0, "middle strong", &format!("n{node}"));
        }
        for switch in all() {
            let middle = self.place(switch);
            canvas.switch(middle, (self.width, HEIGHT));
            canvas.text(middle, 10.0, "middle", &self.wiring.switch_name(switch));
            for port in (0..self.wiring.ports()).map(PortId) {
                if self.wiring.output(switch, port).is_some() {
                    let (x, y) = self.port(switch, port);
                    let inside = |at: f64, middle: f64| at - (at - middle).clamp(-6.0, 6.0);
                    let at = (inside(x, middle.0), inside(y, middle.1));
                    canvas.text(at, 7.0, "middle faint", &port.to_string());
                }
            }
        }
    }
}
