//! Names and colours of numbers: translate files, which have a line `value ?colour?text` for each
//! value, as `GTKWave` reads them.
//!
//! Values are decimal, so a value without a name is still a readable number. Properties of
//! testbenches know the same names.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::iter;

use wormscope_hw::{Encoding, NodeId, PortId, bits};

use super::follow::Doing;
use super::signal::{IDLE, NO_ENC, NO_OWNER, Type};
use crate::engine::{LaneState, WormInfo};
use crate::network::{Lanes, Wiring};

/// Name of a value without a meaning.
const NONE: &str = "-";
/// Largest number of destinations in a worm's label.
const DESTINATIONS: usize = 8;
/// Masks of more ports stay binary.
const MASK_PORTS: u8 = 10;

/// Colours of worms with several destinations. The text of the viewer on them is white.
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
/// Colours of the states, in the order of [`LaneState::ALL`].
const STATES: [&str; 8] =
    ["gray15", "steel blue", "dodger blue", "medium orchid", "chocolate", "forest green", "red", "dark magenta"];

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
    /// Activity of a branch of the followed worm.
    Branch,
}

impl Label {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::State, Self::Worm, Self::Flit, Self::Encoding, Self::Owner, Self::Ports, Self::Branch];

    /// The label of the values of a type, if they have names.
    #[must_use]
    pub fn of(values: Type) -> Option<Self> {
        match values {
            Type::State => Some(Self::State),
            Type::Worm => Some(Self::Worm),
            Type::Flit => Some(Self::Flit),
            Type::Encoding => Some(Self::Encoding),
            Type::Owner => Some(Self::Owner),
            Type::Ports(_) => Some(Self::Ports),
            Type::Doing => Some(Self::Branch),
            Type::Cycle
            | Type::Flits(_)
            | Type::Credits(_)
            | Type::Messages
            | Type::Lanes(_)
            | Type::Flag
            | Type::Number(_)
            | Type::Word
            | Type::Data(_) => None,
        }
    }

    /// Whether every value has a different name that a dump itself can hold.
    #[must_use]
    pub fn is_enumerated(self) -> bool {
        matches!(self, Self::State | Self::Encoding | Self::Owner)
    }

    /// Part of the file's name between the stem of the dump and `.txt`.
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

/// `n12>{n4,n9}`; long lists are cut short.
#[must_use]
pub fn journey(worm: &WormInfo) -> String {
    format!("n{}>{}", worm.source, destinations(&worm.destinations))
}

/// `n4` or `{n4,n9}`; long lists are cut short.
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

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The value.
    pub value: u64,
    /// Name of the value; `None` for a value without a meaning.
    pub name: Option<String>,
    colour: Option<&'static str>,
}

impl Named {
    fn new(value: u64, name: impl Into<String>) -> Self {
        Self { value, name: Some(name.into()), colour: None }
    }

    fn nothing(value: u64) -> Self {
        Self { value, name: None, colour: None }
    }

    fn coloured(self, colour: &'static str) -> Self {
        Self { colour: Some(colour), ..self }
    }
}

/// The values that a dump names itself, of one of its [enumerations](Label::is_enumerated).
#[must_use]
pub(crate) fn enumerated(label: Label, lanes: Lanes) -> Vec<(u64, String)> {
    let named = match label {
        Label::State => states(),
        Label::Encoding => encodings(),
        Label::Owner => owners(lanes),
        Label::Worm | Label::Flit | Label::Ports | Label::Branch => Vec::new(),
    };
    named.into_iter().map(|Named { value, name, .. }| (value, name.unwrap_or_else(|| NONE.to_owned()))).collect()
}

/// The translate file of some names.
#[must_use]
pub(crate) fn text(names: &[Named]) -> String {
    let mut text = String::new();
    for Named { value, name, colour } in names {
        let name = name.as_deref().unwrap_or(NONE);
        // A write to a string does not fail.
        let _ = match colour {
            Some(colour) => writeln!(text, "{value} ?{colour}?{name}"),
            None => writeln!(text, "{value} {name}"),
        };
    }
    text
}

/// The mapping of some names, as Surfer reads it. Values have `bits` bits, and a viewer calls the
/// mapping `format`.
#[must_use]
pub(crate) fn mapping(format: &str, bits: u32, names: &[Named]) -> String {
    let mut text = format!("Name = {format}\nBits = {bits}\n");
    for Named { value, name, colour } in names {
        // A write to a string does not fail.
        let _ = match (name, colour.and_then(rgb)) {
            (None, _) => writeln!(text, "{value}[weak] -"),
            (Some(name), Some(colour)) => writeln!(text, "{value}[#{colour}] {name}"),
            (Some(name), None) => writeln!(text, "{value} {name}"),
        };
    }
    text
}

/// A colour of X11 in hexadecimal digits. Greys are lighter, for a dark background.
fn rgb(colour: &str) -> Option<&'static str> {
    Some(match colour {
        "chocolate" => "d2691e",
        "dark cyan" => "008b8b",
        "dark goldenrod" => "b8860b",
        "dark magenta" => "8b008b",
        "dark orchid" => "9932cc",
        "dodger blue" => "1e90ff",
        "forest green" => "228b22",
        "gray15" => "404040",
        "gray30" => "5d6d7d",
        "gray40" => "7d7d7d",
        "indian red" => "cd5c5c",
        "medium orchid" => "ba55d3",
        "medium violet red" => "c71585",
        "olive drab" => "6b8e23",
        "red" => "ff0000",
        "royal blue" => "4169e1",
        "sea green" => "2e8b57",
        "slate gray" => "708090",
        "steel blue" => "4682b4",
        _ => return None,
    })
}

/// Names of states.
#[must_use]
pub(crate) fn states() -> Vec<Named> {
    let named = LaneState::ALL.into_iter().zip(STATES);
    named.map(|(state, colour)| Named::new(state as u64, state.name()).coloured(colour)).collect()
}

/// Names of header encodings.
#[must_use]
pub(crate) fn encodings() -> Vec<Named> {
    let named = Encoding::ALL.into_iter().map(|encoding| Named::new(encoding as u64, encoding.name()));
    named.chain([Named::nothing(NO_ENC)]).collect()
}

/// Names of worms.
#[must_use]
pub(crate) fn worms<'a>(worms: impl Iterator<Item = &'a WormInfo>) -> Vec<Named> {
    let named = worms.map(|w| Named::new(w.id.0.into(), format!("w{} {}", w.id, journey(w))).coloured(colour(w)));
    named.chain([Named::nothing(IDLE)]).collect()
}

/// Names of the flit index for no flit, and of the index for no worm.
#[must_use]
pub(crate) fn flits() -> Vec<Named> {
    vec![Named::nothing(IDLE)]
}

/// Names of input lanes as owners.
#[must_use]
pub(crate) fn owners(lanes: Lanes) -> Vec<Named> {
    let named = (0..lanes.inputs.count()).map(|lane| Named::new(lane.into(), lanes.input_name(lane)));
    named.chain([Named::nothing(NO_OWNER)]).collect()
}

/// Names of sets of output ports; `None` when there are too many to name. The ports of a
/// [climb](Wiring::climbs) are one branch.
#[must_use]
pub(crate) fn ports(wiring: &Wiring) -> Option<Vec<Named>> {
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
        Named::new(of().fold(0, |mask, port| mask | 1 << port), of().map(name).collect::<Vec<_>>().join("+"))
    });
    Some(iter::once(Named::nothing(0)).chain(named).collect())
}

/// Names of the values on the branches of a followed worm, or of several.
#[must_use]
pub(crate) fn branches(worm: Option<&WormInfo>, seen: &BTreeSet<Doing>) -> Vec<Named> {
    let own = worm.map_or("forest green", colour);
    let head = worm.map_or_else(|| "head".to_owned(), |worm| format!("w{}.0", worm.id));
    let named = |doing: &Doing| {
        let value = doing.encode();
        match *doing {
            Doing::Nothing => Named::nothing(value),
            // A box is one cycle wide, so only the head has room for the worm's name.
            Doing::Crosses(0) => Named::new(value, head.as_str()).coloured(own),
            Doing::Crosses(flit) => Named::new(value, format!(".{flit}")).coloured(own),
            Doing::Arbiter => Named::new(value, "waits").coloured("chocolate"),
            Doing::Waits(other) => Named::new(value, format!("waits w{other}")).coloured("chocolate"),
            Doing::NoCredit => Named::new(value, "no credit").coloured("red"),
            Doing::Sibling => Named::new(value, "sibling").coloured("dark magenta"),
            Doing::Bubble => Named::new(value, "bubble").coloured("gray40"),
            Doing::Turn(other) => Named::new(value, format!("turn w{other}")).coloured("goldenrod"),
            Doing::Token => Named::new(value, "token").coloured("medium orchid"),
        }
    };
    seen.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wormscope_hw::WormId;

    #[test]
    fn every_colour_is_one_for_surfer_too() {
        let doing = [
            Doing::Crosses(1),
            Doing::Waits(WormId(3)),
            Doing::Arbiter,
            Doing::NoCredit,
            Doing::Sibling,
            Doing::Bubble,
            Doing::Token,
        ];
        let branches = branches(None, &doing.into());
        let named = branches.iter().filter_map(|named| named.colour);
        let all: Vec<&str> = MULTICAST.into_iter().chain(UNICAST).chain(STATES).chain(named).collect();
        assert_eq!(all.len(), MULTICAST.len() + UNICAST.len() + STATES.len() + doing.len());
        for colour in all {
            assert!(rgb(colour).is_some_and(|digits| u32::from_str_radix(digits, 16).is_ok()), "{colour}");
        }
    }
}
