//! Rules of worms on a given network. The rules hold for RON messages, random traffic and traces.

use std::collections::HashSet;

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, HeaderTiming, NodeId, Replication};

use crate::multicast::{ALGORITHMS, Parameters, Request, Send};
use crate::network::{
    Built, Network, Wiring, decision_flits, header_flits, header_flits_to, may_cover_source, part_flits, refusal, stray,
};

use super::Message;
use crate::quote::{self, list_of};

/// Last cycle that the model counts to. It leaves room for sums of delays in 64 bits.
pub const LARGEST_CYCLE: u64 = 1_000_000_000_000_000_000;

/// Length of the longest worm in flits, header included.
pub(crate) const LONGEST_WORM: u32 = (1 << 24) - 1;

/// Part of a message that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// Cycle of the message.
    Cycle,
    /// Source of the message.
    Source,
    /// Destinations of the message, or one of them.
    Destinations(Option<usize>),
    /// Encoding of the message.
    Encoding,
    /// Length of the message.
    PayloadFlits,
}

impl MessagePart {
    /// Name of the field of a message, and of the column of a trace.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Source => "source",
            Self::Destinations(_) => "destinations",
            Self::Encoding => "encoding",
            Self::PayloadFlits => "payload_flits",
        }
    }

    /// The path of the field below the message.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Destinations(Some(index)) => format!("destinations[{index}]"),
            _ => self.column().to_owned(),
        }
    }
}

/// Reason why a worm is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WormFault {
    /// Part of the message at fault.
    pub part: MessagePart,
    /// Parameter of the network that the worm does not fit, as a path.
    pub parameter: Option<&'static str>,
    /// Cause, and allowed values.
    pub message: String,
}

impl WormFault {
    pub(crate) fn new(part: MessagePart, message: impl Into<String>) -> Self {
        Self { part, parameter: None, message: message.into() }
    }

    /// Whether no network carries worms of this shape with this encoding.
    fn is_of_encoding(&self) -> bool {
        self.part == MessagePart::Encoding && self.parameter.is_none()
    }

    fn against(part: MessagePart, parameter: &'static str, message: String) -> Self {
        Self { part, parameter: Some(parameter), message }
    }
}

/// The rules of one network.
#[derive(Clone, Debug)]
pub struct WormRules {
    network: Network,
    wiring: Wiring,
    nodes: u32,
}

impl WormRules {
    /// The rules of a checked network.
    #[must_use]
    pub fn new(built: &Built) -> Self {
        let (network, wiring) = (built.network().clone(), built.wiring().clone());
        Self { nodes: network.nodes(), network, wiring }
    }

    /// Wiring of the network.
    pub(crate) fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Whether the header of a multicast may name its source.
    pub(crate) fn may_name_source(&self) -> bool {
        self.network.switch.copy_to_source || may_cover_source(&self.network)
    }

    /// Whether multicasts of an encoding may go to their own source.
    pub(crate) fn may_return(&self, encoding: Encoding) -> bool {
        self.network.switch.copy_to_source && encoding.header().looks_up_reach()
    }

    /// Nodes of the network.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Checks that there is such a node.
    ///
    /// # Errors
    /// The nodes of the network.
    pub fn check_node(&self, node: u32) -> Result<(), String> {
        if node < self.nodes {
            return Ok(());
        }
        let nodes = self.nodes;
        Err(format!("node {node} is outside the network; allowed: 0 to {} ({nodes} nodes)", nodes.saturating_sub(1)))
    }

    /// Checks that these are different nodes of the network.
    ///
    /// # Errors
    /// The index of the first node at fault, and its fault.
    pub fn check_nodes(&self, nodes: &[u32]) -> Result<(), (usize, String)> {
        let mut seen = HashSet::new();
        for (index, &node) in nodes.iter().enumerate() {
            self.check_node(node).map_err(|why| (index, why))?;
            if nodes.len() > 1 && !seen.insert(node) {
                return Err((index, format!("node {node} is given twice; each is allowed once")));
            }
        }
        Ok(())
    }

    /// Checks a message.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_message(&self, message: &Message) -> Result<(), WormFault> {
        let destinations = &message.destinations;
        check_cycle(message.cycle).map_err(|why| WormFault::new(MessagePart::Cycle, why))?;
        self.check_node(message.source).map_err(|why| WormFault::new(MessagePart::Source, why))?;
        if destinations.is_empty() {
            return Err(WormFault::new(MessagePart::Destinations(None), "no destinations; at least one is needed"));
        }
        self.check_nodes(destinations)
            .map_err(|(index, why)| WormFault::new(MessagePart::Destinations(Some(index)), why))?;
        let check = |encoding| self.check_encoded(message, encoding);
        match message.encoding {
            Some(encoding) => offering(encoding, check).map_err(|fault| self.advised(message, encoding, fault)),
            None if destinations.len() == 1 => check(Encoding::Unicast),
            None => {
                let why = format!("{} destinations need an encoding", destinations.len());
                Err(WormFault::new(MessagePart::Destinations(None), why + &offer(check)))
            }
        }
    }

    /// The rule that a multicast to its own source breaks.
    fn returning(&self, encoding: Encoding) -> String {
        let may = |&other: &Encoding| self.may_return(other) && refusal(&self.network, other).is_none();
        let names: Vec<_> = Encoding::ALL.into_iter().filter(may).map(Encoding::name).collect();
        if !names.is_empty() {
            return format!("worms that may go to their own source: unicast, {}", names.join(", "));
        }
        let without = if encoding.header().looks_up_reach() { "without copy_to_source: true " } else { "" };
        format!("{without}only a unicast may go to its own source")
    }

    /// Checks a message between nodes of the network in an encoding.
    fn check_encoded(&self, message: &Message, encoding: Encoding) -> Result<(), WormFault> {
        let destinations = &message.destinations;
        if encoding != Encoding::Unicast
            && !self.may_return(encoding)
            && let Some(index) = destinations.iter().position(|&node| node == message.source)
        {
            let allowed = if destinations.len() == 1 { "allowed: encoding: unicast" } else { "leave it out" };
            let (source, rule) = (message.source, self.returning(encoding));
            let why = format!("node {source} is the source of this multicast; {rule}; {allowed}");
            return Err(WormFault::new(MessagePart::Destinations(Some(index)), why));
        }
        self.check_encoding(encoding, destinations.len() as u32)?;
        let (source, nodes) = (NodeId(message.source), destinations.iter().copied().map(NodeId).collect::<Vec<_>>());
        if let Some(why) = stray(&self.network, &self.wiring, encoding, source, &nodes) {
            return Err(WormFault::new(MessagePart::Destinations(None), why));
        }
        let header = header_flits_to(&self.network, &self.wiring, encoding, source, &nodes);
        self.check_flits(encoding, nodes.len() as u32, header, message.payload_flits)
    }

    /// Adds advice to a fault of the destinations. If no header of this encoding leads to exactly
    /// these destinations, the advice names other worms.
    fn advised(&self, message: &Message, encoding: Encoding, mut fault: WormFault) -> WormFault {
        let mut others = message.clone();
        others.destinations.retain(|&node| node != message.source || self.may_return(encoding));
        let has_source = others.destinations.len() < message.destinations.len();
        if !matches!(fault.part, MessagePart::Destinations(_))
            || encoding.header().names_any_set()
            || others.destinations.is_empty()
            || self.check_encoded(&others, encoding).is_ok()
        {
            return fault;
        }
        let passes = |&other: &Encoding| self.check_encoded(&others, other).is_ok();
        let names: Vec<_> = Encoding::ALL.into_iter().filter(passes).map(Encoding::name).collect();
        let in_other = (!names.is_empty()).then(|| format!("encoding: {}", names.join(" or ")));
        let in_place: Vec<String> = in_other.into_iter().chain(self.split(&others, encoding)).collect();
        let (before, or) = match fault.message.contains("; allowed: ") {
            _ if has_source => (", and send the others in ", ", or in "),
            true => (", or ", ", or "),
            false => ("; allowed: ", ", or "),
        };
        if !in_place.is_empty() {
            fault.message += &(before.to_owned() + &in_place.join(or));
        }
        fault
    }

    /// The worms with a mask that together reach the same nodes, if the network carries all of
    /// them.
    fn split(&self, message: &Message, encoding: Encoding) -> Option<String> {
        /// Largest number of nodes of a network for which a message gets this advice.
        const MOST_NODES: u32 = 1 << 14;
        /// Largest number of worms that are named.
        const MOST_WORMS: usize = 4;
        let algorithm = ALGORITHMS.iter().find(|of| encoding.header().stays() && of.encoding == encoding)?;
        if self.nodes > MOST_NODES {
            return None;
        }
        let source = NodeId(message.source);
        let parameters = Parameters { covers_source: may_cover_source(&self.network), ..Parameters::default() };
        let destinations: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
        let request = Request { wiring: &self.wiring, source, destinations: &destinations, parameters: &parameters };
        let sends = algorithm.plan(&request).ok()?.sends;
        let carries = |send: &Send| {
            let destinations = send.to.iter().map(|node| node.0).collect();
            self.check_encoded(&Message { destinations, ..message.clone() }, send.encoding).is_ok()
        };
        if !sends.iter().all(carries) {
            return None;
        }
        let worms = list_of(sends.iter().map(|send| format!("to {}", quote::list(&send.to))), "; ", MOST_WORMS);
        let (count, name) = (quote::counted(sends.len(), "worm"), algorithm.name);
        Some(format!("{count} ({worms}; planned by algorithm: \"{name}\" of a multicast)"))
    }

    /// Checks the shape of a worm: its encoding, number of destinations and payload in flits.
    ///
    /// # Errors
    /// The first rule that it breaks, with the encodings that break none.
    pub fn check_worm(&self, encoding: Encoding, destinations: u32, payload_flits: u32) -> Result<(), WormFault> {
        offering(encoding, |encoding| self.check_shape(encoding, destinations, payload_flits))
    }

    /// The same as [`WormRules::check_worm`], for a worm whose encoding is fixed.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_shape(&self, encoding: Encoding, destinations: u32, payload_flits: u32) -> Result<(), WormFault> {
        self.check_encoding(encoding, destinations)?;
        let header = header_flits(&self.network, encoding, destinations);
        self.check_flits(encoding, destinations, header, payload_flits)
    }

    fn check_encoding(&self, encoding: Encoding, destinations: u32) -> Result<(), WormFault> {
        let one = encoding.way() == Way::Unicast && destinations != 1;
        let why = one.then(|| format!("{encoding} takes one destination, not {destinations}"));
        let Some(why) = why.or_else(|| refusal(&self.network, encoding)) else {
            return Ok(());
        };
        Err(WormFault::new(MessagePart::Encoding, why))
    }

    fn check_flits(
        &self,
        encoding: Encoding,
        destinations: u32,
        header: u32,
        payload_flits: u32,
    ) -> Result<(), WormFault> {
        if payload_flits == 0 {
            return Err(WormFault::new(MessagePart::PayloadFlits, "payload_flits is 0; at least 1"));
        }
        let length = header.saturating_add(payload_flits);
        if length > LONGEST_WORM {
            let why = format!(
                "a worm of {header} header and {payload_flits} payload flits; allowed: up to {LONGEST_WORM} flits"
            );
            return Err(WormFault::new(MessagePart::PayloadFlits, why));
        }
        self.check_buffers(payload_flits)?;
        let (depth, field) = self.network.shallowest_fifo();
        let name = field.rsplit('.').next().unwrap_or(field);
        let needed = match self.network.switch.header_timing {
            HeaderTiming::Store => decision_flits(&self.network, encoding, destinations),
            // A decision may look ahead, but an address or a mask is stripped in one piece.
            HeaderTiming::Overlapped if encoding.header().strips() => part_flits(&self.network, encoding),
            HeaderTiming::Overlapped | HeaderTiming::Beside => 1,
        };
        if needed > depth {
            let why = format!("{} but {name} is {depth}; at least {needed}", self.need(encoding, needed));
            return Err(WormFault::against(MessagePart::Encoding, field, why));
        }
        if self.network.switch.replication == Replication::Sequential && destinations > 1 && length > depth {
            let why = format!(
                "sequential replication keeps a whole worm in one FIFO: {header} header and {payload_flits} payload flits but \
                 {name} is {depth}; at least {length}"
            );
            return Err(WormFault::against(MessagePart::PayloadFlits, field, why));
        }
        let (bytes, limit) = (self.network.reach_bytes(), self.network.reach_limit_mib);
        if encoding.header().looks_up_reach() && bytes > u64::from(limit) << 20 {
            let mib = bytes.div_ceil(1 << 20);
            let why = format!(
                "{encoding} worms need {mib} MiB of reachability bits but reach_limit_mib is {limit}; at least {mib}"
            );
            return Err(WormFault::against(MessagePart::Encoding, "network.reach_limit_mib", why));
        }
        Ok(())
    }

    /// Checks that the buffers of a node hold a message.
    fn check_buffers(&self, payload_flits: u32) -> Result<(), WormFault> {
        let node = &self.network.node;
        let bytes = (u64::from(payload_flits) * u64::from(self.network.switch.flit_bits)).div_ceil(8);
        let buffers = [
            ("network.node.send_buffer", "send_buffer", node.send_buffer),
            ("network.node.receive_buffer", "receive_buffer", node.receive_buffer),
        ];
        for (path, name, size) in buffers {
            if let Some(size) = size.filter(|&size| bytes > size.into()) {
                let why = format!("a message of {bytes} bytes but {name} is {size}; at least {bytes}");
                return Err(WormFault::against(MessagePart::PayloadFlits, path, why));
            }
        }
        Ok(())
    }

    /// `bit_string needs 4 header flits (256 nodes / 64 bits)`.
    fn need(&self, encoding: Encoding, flits: u32) -> String {
        let (header, layout) = (encoding.header(), self.network.layout());
        let (bits, unit, width) = (header.part_bits(&layout), header.unit(), layout.flit_bits);
        let parts = flits / header.part_flits(&layout);
        let times = if parts > 1 { format!("{parts} * ") } else { String::new() };
        format!("{encoding} needs {flits} header flits ({times}{bits} {unit} / {width} bits)")
    }
}

/// Result of `check` for an encoding. If no network carries such worms with this encoding, the
/// error lists the possible encodings.
pub(crate) fn offering(encoding: Encoding, check: impl Fn(Encoding) -> Result<(), WormFault>) -> Result<(), WormFault> {
    check(encoding).map_err(|fault| {
        let more = if fault.is_of_encoding() { offer(check) } else { String::new() };
        WormFault { message: fault.message + &more, ..fault }
    })
}

/// The encodings that `check` accepts. Without such an encoding, the fault of the first encoding
/// that some network carries.
fn offer(check: impl Fn(Encoding) -> Result<(), WormFault>) -> String {
    let (allowed, refused): (Vec<_>, Vec<_>) = Encoding::ALL.into_iter().partition(|&encoding| check(encoding).is_ok());
    if allowed.is_empty() {
        let mut faults = refused.into_iter().filter_map(|encoding| check(encoding).err());
        let first = faults.find(|fault| !fault.is_of_encoding());
        return first.map_or_else(String::new, |fault| format!("; {}", fault.message));
    }
    let names: Vec<_> = allowed.into_iter().map(Encoding::name).collect();
    format!("; allowed: {}", names.join(", "))
}

/// Checks that the model can count to a cycle, or a number of cycles.
pub(crate) fn check_cycle(cycle: u64) -> Result<(), String> {
    if cycle <= LARGEST_CYCLE {
        Ok(())
    } else {
        Err(format!("cycle {cycle} is too late; allowed: 0 to {LARGEST_CYCLE}"))
    }
}
