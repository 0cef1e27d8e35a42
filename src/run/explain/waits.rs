//! Drawing of a cycle of waits that no run has decided. It shows the lanes and FIFOs that worms may
//! keep while they wait for the next ones.

use wormscope_hw::{PortId, SwitchId};

use super::names::WaveNames;
use super::picture::{BADGE, LINE, Scene, colour, disc};
use crate::engine::snapshot::LaneRef;
use crate::network::channel::{Channel, CyclePlace};
use crate::network::{End, Wiring};
use crate::report::picture::TooLarge;
use crate::report::svg::Pixel;

const KEY: &str =
    "solid: lanes of the cycle, with an arrow into their FIFO; dashed: waits within a switch; X: where a worm may wait";

/// Draws a cycle of waits in its network.
///
/// # Errors
/// The picture would be too large to read.
pub fn draw_waits(wiring: &Wiring, names: &WaveNames, title: &str, cycle: &[CyclePlace]) -> Result<String, TooLarge> {
    let mut scene = Scene::new(wiring, names, Vec::new())?;
    for (n, place) in cycle.iter().enumerate() {
        let next = &cycle[(n + 1) % cycle.len()];
        for &lane in &place.lanes {
            scene.keep(lane, place.is_fifo, colour(n));
            next.lanes.iter().for_each(|&wanted| scene.wait(lane, place.is_fifo, wanted, colour(n)));
        }
    }
    for (n, place) in cycle.iter().enumerate() {
        if let Some(&[from, to]) = place.lanes.first().and_then(|&lane| scene.ends(lane)).as_ref() {
            scene.cross(if place.is_fifo { to } else { from });
            disc(&mut scene.canvas, (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1)), n, colour(n));
        }
    }
    let Scene { mut canvas, crosses, .. } = scene;
    canvas.marks.append(&crosses);
    let (left, mut y) = (canvas.least.0, canvas.most.1 + 2.0 * LINE);
    canvas.text((left, y), 10.0, "left faint", KEY);
    for (n, place) in cycle.iter().enumerate() {
        y += LINE;
        disc(&mut canvas, (left + BADGE, y), n, colour(n));
        let text = format!("{} may wait for {}", place.name, (n + 1) % cycle.len() + 1);
        canvas.text((left + 2.0 * BADGE + 8.0, y), 11.0, "left", &text);
    }
    Ok(canvas.finish(title))
}

impl Scene<'_> {
    /// The wire of a lane.
    fn wire_of(&self, lane: Channel) -> Vec<Pixel> {
        match lane {
            Channel::Output(switch, lane) => self.wires.wire(LaneRef { switch, lane }),
            Channel::Injection(..) => self.end_of(lane).map(|input| self.wires.injection(input)).unwrap_or_default(),
        }
    }

    /// Both ends of the wire of a lane.
    fn ends(&self, lane: Channel) -> Option<[Pixel; 2]> {
        let wire = self.wire_of(lane);
        Some([*wire.first()?, *wire.last()?])
    }

    /// The input lane at the end of a lane. `None` at a node.
    fn end_of(&self, lane: Channel) -> Option<(SwitchId, u8)> {
        let (wires, inputs) = (&self.wires, self.wires.lanes.inputs);
        match lane {
            Channel::Output(switch, lane) => match wires.end(LaneRef { switch, lane })? {
                End::Switch(far, port) => Some((far, inputs.first(port.0) + wires.lanes.outputs.within(lane))),
                End::Node(_) => None,
            },
            Channel::Injection(node, channel) => {
                let (switch, port) = wires.wiring.injection(node);
                Some((switch, inputs.first(port.0) + channel))
            }
        }
    }

    /// Draws a lane that a worm may keep.
    fn keep(&mut self, lane: Channel, is_fifo: bool, colour: &str) {
        let wire = self.wire_of(lane);
        self.line(&wire, colour, 4.0, false);
        if let (true, Channel::Output(switch, lane)) = (is_fifo, lane) {
            self.arrive(LaneRef { switch, lane }, &wire, colour);
        }
    }

    /// Draws the wait of a worm at the end of a lane, or of its owner, if one switch has both.
    fn wait(&mut self, kept: Channel, is_fifo: bool, wanted: Channel, colour: &str) {
        let Channel::Output(switch, lane) = wanted else { return };
        let wanted = LaneRef { switch, lane };
        match (self.end_of(kept), kept) {
            (Some(input), _) if input.0 == switch => {
                let through = self.through(input, wanted);
                self.line(&through, colour, 2.6, true);
            }
            (_, Channel::Output(same, kept)) if same == switch && !is_fifo && kept != lane => {
                let outputs = self.wires.lanes.outputs;
                let ports = [outputs.port(kept), outputs.port(lane)];
                let between = ports.map(|port| self.wires.port(switch, PortId(port), true));
                self.line(&between, colour, 2.6, true);
            }
            _ => {}
        }
    }
}
