//! The signals of the blocks of a switch, by name.

use std::borrow::Cow;

/// A signal of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Worm and flit of a cell of the FIFO, counted from the front.
    CellWorm(u16),
    CellFlit(u16),
    /// The worm in service, and the rest of its header.
    Service,
    ServiceEncoding,
    HeaderCount,
    Header(u8),
    Ready,
    Stripped,
    Decided,
    Due,
    /// Lane groups of its branches, and lane groups of branches without a lane.
    Branches,
    Wanted,
    /// Lanes that the worm holds, and lanes that have the front flit.
    Held,
    Taken,
    /// Lanes that the worm has reserved, and the number of cycles.
    Reserved,
    ReservedFor,
    Owner,
    Pending,
    Ahead,
    Credits,
    Returned,
    /// Inputs that ask for the lane's group in this cycle, and the input that gets the lane.
    Request,
    Grant,
    Pointer,
    Order(u8),
    GroupPointer,
    LinkPointer,
    /// The input whose flit crosses.
    Select,
    TokenRequest,
    TokenHolder,
    TokenForwarded,
    TokenPointer,
}

impl Wire {
    /// Scope of the wire, within the scope of its lane or switch.
    pub fn scope(self) -> &'static str {
        match self {
            Self::CellWorm(_) | Self::CellFlit(_) => "fifo",
            Self::Service
            | Self::ServiceEncoding
            | Self::HeaderCount
            | Self::Header(_)
            | Self::Ready
            | Self::Stripped
            | Self::Decided
            | Self::Due => "decoder",
            Self::Branches | Self::Wanted | Self::Held | Self::Taken => "replication",
            Self::Reserved | Self::ReservedFor => "reservation",
            Self::Owner | Self::Pending | Self::Ahead => "lane",
            Self::Credits | Self::Returned => "credit",
            Self::Request | Self::Grant | Self::Pointer | Self::Order(_) => "arbiter",
            Self::GroupPointer => "lane_group",
            Self::LinkPointer => "multiplexer",
            Self::Select => "crossbar",
            Self::TokenRequest | Self::TokenHolder | Self::TokenForwarded | Self::TokenPointer => "token_station",
        }
    }

    /// Name of the wire within its scope.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::CellWorm(cell) => format!("cell{cell}_worm").into(),
            Self::CellFlit(cell) => format!("cell{cell}_flit").into(),
            Self::Service => "worm".into(),
            Self::ServiceEncoding => "enc".into(),
            Self::HeaderCount => "header_words".into(),
            Self::Header(word) => format!("header{word}").into(),
            Self::Ready => "ready".into(),
            Self::Stripped => "stripped".into(),
            Self::Decided => "decided".into(),
            Self::Due => "due".into(),
            Self::Branches => "branches".into(),
            Self::Wanted => "wanted".into(),
            Self::Held | Self::Reserved => "lanes".into(),
            Self::Taken => "taken".into(),
            Self::ReservedFor => "left".into(),
            Self::Owner => "owner".into(),
            Self::Pending => "pending".into(),
            Self::Ahead => "ahead".into(),
            Self::Credits => "count".into(),
            Self::Returned => "returned".into(),
            Self::Request | Self::TokenRequest => "request".into(),
            Self::Grant => "grant".into(),
            Self::Order(input) => format!("ahead{input}").into(),
            Self::Pointer | Self::GroupPointer | Self::LinkPointer | Self::TokenPointer => "pointer".into(),
            Self::Select => "select".into(),
            Self::TokenHolder => "holder".into(),
            Self::TokenForwarded => "forwarded".into(),
        }
    }

    /// Whether the wire shows an event of a cycle, so that its value ends with the last cycle.
    pub fn is_event(self) -> bool {
        matches!(self, Self::Grant | Self::Select | Self::Returned | Self::Request)
    }
}
