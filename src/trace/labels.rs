//! Names and colours for numbers: translate files, a line `value ?colour?text` each, as `GTKWave`
//! reads them.
//!
//! Values stand in decimal, so that one without a name is still a readable number.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use wormscope_hw::{Encoding, NodeId, PortId, bits};

use super::follow::Doing;
use super::layout::{IDLE, NO_ENC, NO_OWNER};
use crate::engine::{LaneState, NONE, WormInfo};
use crate::network::{Lanes, Wiring};

/// Destinations of a worm that its label names.
const DESTINATIONS: usize = 8;
/// Masks of more ports stay binary.
const MASK_PORTS: u8 = 10;

/// Colours of worms with several destinations; the viewer's text on them is white.
const MULTICAST: [&str; 8] = [
    "dark goldenrod",
    "royal blue",
    "dark orchid",
    "sea green",
    "indian red",
    "dark cyan",
    "olive drab",
    "medium violet red",
];
/// Colours of unicasts: muted.
const UNICAST: [&str; 3] = ["gray30", "gray40", "slate gray"];
/// Colours of the states, in the order of [`LaneState::NAMES`].
const STATES: [&str; 7] = ["gray15", "steel blue", "dodger blue", "medium orchid", "chocolate", "forest green", "red"];

/// A kind of value and the translate file for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// State of an input lane.
    State,
    /// Worm number.
    Worm,
    /// Flit index.
    Flit,
    /// Header encoding.
    Encoding,
    /// Input lane that owns an output lane.
    Owner,
    /// Mask of output ports.
    Ports,
    /// What a branch of the followed worm does.
    Branch,
}

impl Label {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::State, Self::Worm, Self::Flit, Self::Encoding, Self::Owner, Self::Ports, Self::Branch];

    /// What stands between the dump's stem and `.txt`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "states",
            Self::Worm => "worms",
            Self::Flit => "flits",
            Self::Encoding => "encodings",
            Self::Owner => "owners",
            Self::Ports => "ports",
            Self::Branch => "branches",
        }
    }
}

/// Colour of a worm.
#[must_use]
pub(crate) fn colour(worm: &WormInfo) -> &'static str {
    let id = worm.id.index();
    if worm.destinations.len() > 1 { MULTICAST[id % MULTICAST.len()] } else { UNICAST[id % UNICAST.len()] }
}

/// `n12>{n4,n9}`, long lists cut short.
#[must_use]
pub fn journey(worm: &WormInfo) -> String {
    format!("n{}>{}", worm.source, destinations(&worm.destinations))
}

/// `n4` or `{n4,n9}`, long lists cut short.
#[must_use]
pub fn destinations(nodes: &[NodeId]) -> String {
    let names: Vec<String> = nodes.iter().take(DESTINATIONS).map(|n| format!("n{n}")).collect();
    let more = nodes.len().saturating_sub(DESTINATIONS);
    match (nodes.len(), more) {
        (1, _) => names.concat(),
        (_, 0) => format!("{{{}}}", names.join(",")),
        _ => format!("{{{},+{more}}}", names.join(",")),
    }
}

/// `worm 7: n12 to {n4,n9}, 16 flits, multidestination`.
#[must_use]
pub fn title(worm: &WormInfo) -> String {
    let (flits, to) = (worm.header_flits + worm.payload_flits, destinations(&worm.destinations));
    format!("worm {}: n{} to {to}, {flits} flits, {}", worm.id, worm.source, worm.encoding.name())
}

/// Names of states.
#[must_use]
pub fn states() -> String {
    lines(LaneState::NAMES.iter().zip(STATES).enumerate().map(|(at, (name, colour))| (at as u64, colour, *name)))
}

/// Names of header encodings.
#[must_use]
pub fn encodings() -> String {
    lines(Encoding::ALL.map(|e| (e as u64, "", e.name())).into_iter().chain([(NO_ENC, "", "-")]))
}

/// Names of worms.
#[must_use]
pub fn worms<'a>(worms: impl Iterator<Item = &'a WormInfo>) -> String {
    let named = worms.map(|w| (u64::from(w.id.0), colour(w), format!("w{} {}", w.id, journey(w))));
    lines(named.chain([(IDLE, "", "-".to_owned())]))
}

/// The flit index that is none.
#[must_use]
pub fn flits() -> String {
    lines([(IDLE, "", "-")].into_iter())
}

/// Names of input lanes as owners.
#[must_use]
pub(crate) fn owners(lanes: Lanes) -> String {
    let named = (0..lanes.inputs.count()).map(|l| (l.into(), "", lanes.input_name(l)));
    lines(named.chain([(NO_OWNER, "", "-".to_owned())]))
}

/// Names of sets of output ports, `None` when there are too many to name. The ports of a
/// [climb](Wiring::climbs) are one branch.
#[must_use]
pub fn ports(wiring: &Wiring) -> Option<String> {
    let several = wiring.climbs().len() > 1;
    let name = |p: u8| match wiring.climb(PortId(p)) {
        Some(_) if several => format!("up{p}"),
        Some(_) => "up".to_owned(),
        None => format!("out{p}"),
    };
    let groups: Vec<u8> = (0..wiring.ports()).filter(|&p| wiring.group(PortId(p)) == PortId(p)).collect();
    if groups.len() > usize::from(MASK_PORTS) {
        return None;
    }
    let named = (1..1_u64 << groups.len()).map(|set| {
        let of = || bits(set).map(|at| groups[at]);
        (of().fold(0, |mask, port| mask | 1 << port), "", of().map(name).collect::<Vec<_>>().join("+"))
    });
    Some(lines(std::iter::once((0, "", "-".to_owned())).chain(named)))
}

/// Names of the values seen on the branches of a followed worm, or of several.
#[must_use]
pub fn branches(worm: Option<&WormInfo>, seen: &BTreeSet<Doing>) -> String {
    let own = worm.map_or("forest green", colour);
    let head = worm.map_or_else(|| "head".to_owned(), |worm| format!("w{}.0", worm.id));
    lines(seen.iter().map(|&doing| {
        let (colour, text) = match doing {
            Doing::Nothing => ("", "-".to_owned()),
            // A box is one cycle wide; only the head has room for the worm's name.
            Doing::Crosses(0) => (own, head.clone()),
            Doing::Crosses(flit) => (own, format!(".{flit}")),
            Doing::Waits(NONE) => ("chocolate", "waits".to_owned()),
            Doing::Waits(other) => ("chocolate", format!("waits w{other}")),
            Doing::NoCredit => ("red", "no credit".to_owned()),
            Doing::Sibling => ("dark magenta", "sibling".to_owned()),
            Doing::Bubble => ("gray40", "bubble".to_owned()),
            Doing::Token => ("medium orchid", "token".to_owned()),
        };
        (doing.encode(), colour, text)
    }))
}

fn lines<T: AsRef<str>, C: AsRef<str>>(entries: impl Iterator<Item = (u64, C, T)>) -> String {
    let mut text = String::new();
    for (value, colour, name) in entries {
        let (colour, name) = (colour.as_ref(), name.as_ref());
        // Writing to a string does not fail.
        let _ = match colour {
            "" => writeln!(text, "{value} {name}"),
            _ => writeln!(text, "{value} ?{colour}?{name}"),
        };
    }
    text
}
