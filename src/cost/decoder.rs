//! Header decoder of an input lane. It has its states, the branches that it still wants, and the
//! comparison of a header with the place of the switch.
//!
//! The area is `(5 + G + log2 (routing_cycles + 1)) (ff + next) + 4 G + 100` for G lane groups. The
//! 5 is a 6 where numbers of encodings have three bits. Each encoding adds:
//! - unicast, of A address bits: `c A`, with c by the routing function. For a table of N nodes and
//!   P ports it adds `N log2 P and`.
//! - bit-string, of N nodes: `2 N P and`, to meet the header with the reach of each of P ports.
//! - multidestination: `6 A + 8`, for the next address and to tell whether this one is its own.
//! - multiport, of b ports: `2 b and`.
//! - masks, of A bits: `(2 A + sum of k (log2 k + 1)) and`, over fields of k values. Each value is
//!   matched and collected for its port. The fields are the coordinates, or the digits of a
//!   multistage network. If bits of the nodes' numbers belong to no single field, all nodes are
//!   matched one by one.

use super::SwitchShape;
use super::unit::{AND, Area, bits_of, log2};
use crate::network::Routing;
use wormscope_hw::Encoding;

/// States besides the encoding: in service, decided, stripped.
const STATES: u64 = 3;
/// Gates from a branch to the group that it asks for.
const BRANCH: f64 = 4.0;
/// Gates that detect the start of a decision, the pop of a flit, and the end of a worm.
const CONTROL: f64 = 100.0;
/// Gates to compare a bit of an address with one of the switch: greater, less and equal.
const COMPARE: f64 = 6.0;

/// Gates of the routing function.
fn routing(s: &SwitchShape) -> f64 {
    let of_a_bit = match s.network.routing() {
        // The shorter way around is a difference.
        Routing::DimensionOrder if s.network.blueprint().wraps() => 2.0 * COMPARE,
        Routing::DimensionOrder => COMPARE,
        // Comparison with the own label and with the labels of the neighbours.
        Routing::LabelOrder => 2.0 * COMPARE,
        Routing::DestinationTag => 1.0,
        Routing::Turnaround | Routing::MultipleTurnaround => COMPARE / 2.0,
        // A port for each node, in a memory of fixed bits.
        Routing::Table => {
            return AND * f64::from(s.network.nodes()) * bits_of(s.network.ports().into()) as f64;
        }
    };
    of_a_bit * f64::from(s.network.address_bits())
}

/// Comparison of a header with the place of a switch.
pub struct Decision {
    /// Gates of an input lane.
    pub gates: f64,
    /// Levels of logic.
    pub levels: f64,
}

/// The decision on headers of an encoding.
#[must_use]
pub fn decision(s: &SwitchShape, encoding: Encoding) -> Decision {
    let address = f64::from(s.network.address_bits());
    let of_address = 4.0 + 2.0 * log2(s.network.address_bits().into());
    let (gates, levels) = match encoding {
        Encoding::Unicast => (routing(s), of_address),
        Encoding::BitString => (2.0 * AND * s.string_bits() as f64 * s.out_ports() as f64, 3.0 + log2(s.string_bits())),
        Encoding::Multidestination => (COMPARE * address + 8.0, of_address),
        Encoding::Multiport => (2.0 * AND * s.mask_bits() as f64, 4.0),
        Encoding::Mask => of_mask(s, encoding, &fields(s)),
        Encoding::CoordinateMask => of_mask(s, encoding, &s.network.radices()),
    };
    Decision { gates, levels }
}

/// The fields to which the bits of a node's number belong.
fn fields(s: &SwitchShape) -> Vec<u32> {
    let network = s.network;
    let fields = match network.stages() {
        Some((ports, stages)) => vec![ports; stages as usize],
        None => network.radices(),
    };
    // The highest field cannot overflow into another.
    match fields.split_last() {
        Some((_, lower)) if lower.iter().all(|values| values.is_power_of_two()) => fields,
        _ => vec![network.nodes()],
    }
}

/// Gates and levels to match each value of some fields with a mask.
fn of_mask(s: &SwitchShape, encoding: Encoding, fields: &[u32]) -> (f64, f64) {
    let bits = encoding.header().part_bits(&s.network.layout());
    let matched = fields.iter().map(|&values| u64::from(values) * (bits_of(values.into()) + 1));
    let most = fields.iter().copied().max().unwrap_or(1);
    let gates = AND * (2 * u64::from(bits) + matched.sum::<u64>()) as f64;
    (gates, 4.0 + log2(bits.into()) + log2(most.into()))
}

/// The header decoders of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let state = Area::state(
        STATES + s.encoding_bits() + s.branches() + bits_of(u64::from(s.network.switch.routing_cycles) + 1),
    );
    let gates: f64 = s.encodings.iter().map(|encoding| decision(s, encoding).gates).sum();
    (state + Area::gates(BRANCH * s.branches() as f64 + CONTROL + gates)) * s.inputs()
}
