//! The files that the testbench reads: worms and arrivals.

use std::fmt::Write as _;

use super::bits::Vector;
use super::{Recorded, Twin};
use crate::network::channel::{Channel, Stalled};

/// A line for each worm in the order of their numbers. It begins with the cycle from which the worm
/// waits for a lane. Then follow the source, the encoding, the numbers of header flits and of all
/// flits, and the header.
///
/// The header has a word for each header flit. On wires beside the data it is one word. The first
/// line has the number of worms and the number of cycles.
pub(super) fn worms(design: &Twin, recorded: &Recorded) -> String {
    let ready = recorded.ready(&design.constants, design.built.wiring().nodes());
    let mut text = format!("{} {}\n", recorded.worms.len(), recorded.cycles);
    for (worm, ready) in recorded.worms.iter().zip(ready) {
        let flits = worm.header_flits + worm.payload_flits;
        let _ = write!(text, "{ready} {} {} {} {flits}", worm.source, worm.encoding as u8, worm.header_flits);
        for bits in design.constants.header(worm) {
            let _ = write!(text, " {}", Vector::of_bits(bits).hex());
        }
        text.push('\n');
    }
    text
}

/// A line for each arrival: cycle of the tail, node, lane, worm, flits. The first line has the
/// number of arrivals.
pub(super) fn arrivals(recorded: &Recorded) -> String {
    let mut text = format!("{}\n", recorded.arrivals.len());
    for of in &recorded.arrivals {
        let _ = writeln!(text, "{} {} {} {} {}", of.tail, of.destination, of.channel, of.worm, of.flits);
    }
    text
}

/// Stalls, and flits that leave the receive buffers. The first line has the numbers of both.
///
/// A line of a stall has four numbers: the kind of the pin, the pin, the first cycle, and the cycle
/// after the last. The kinds are nodes (0), injection lanes (1) and output lanes (2). A line of
/// flits has the cycle in which their places are free, the lane, and their number.
pub(super) fn events(design: &Twin, recorded: &Recorded) -> String {
    let (lanes, own) = (design.constants.lanes(), design.constants.node());
    let mut text = format!("{} {}\n", recorded.stalls.len(), recorded.freed.len());
    for (what, cycles) in &recorded.stalls {
        let (pins, pin) = match *what {
            Stalled::Node(node) => (0, node.index()),
            Stalled::Channel(Channel::Injection(node, lane)) => {
                (1, node.index() * usize::from(own.injection_lanes) + usize::from(lane))
            }
            Stalled::Channel(Channel::Output(switch, lane)) => {
                (2, switch.index() * usize::from(lanes.outputs.count()) + usize::from(lane))
            }
            // A design refuses them.
            Stalled::Station(_) | Stalled::Turn(..) => continue,
        };
        let until = cycles.end.min(recorded.cycles);
        let _ = writeln!(text, "{pins} {pin} {} {until}", cycles.start);
    }
    for &(cycle, node, channel, flits) in &recorded.freed {
        let lane = node.index() * usize::from(own.consumption_lanes) + usize::from(channel);
        let _ = writeln!(text, "{} {lane} {flits}", cycle + 1);
    }
    text
}
