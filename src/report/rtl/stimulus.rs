//! The files that the testbench reads: worms and arrivals.

use std::fmt::Write as _;

use super::bits::Vector;
use super::{Recorded, Twin};

/// A line for each worm in the order of their numbers. It begins with the cycle from which the worm
/// waits for a lane. Then follow the source, the encoding, the numbers of header flits and of all
/// flits, and the header. The first line has the number of worms and the number of cycles.
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
