//! Tree of a worm: the input FIFOs that it passes, and its branches at the replication units.

use std::collections::HashSet;

use thiserror::Error;
use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use wormscope_network::{End, Wiring};

/// A worm that a node sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send<'a> {
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive, in header order.
    pub destinations: &'a [NodeId],
    /// Header encoding.
    pub encoding: Encoding,
    /// Header flits at injection. 0 with a header beside the flits.
    pub header_flits: u32,
    /// Payload flits after the header, at least 1.
    pub payload_flits: u32,
}

/// End of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// The input FIFO of the next switch: index into [`Tree::hops`].
    Hop(usize),
    /// A node.
    Node(NodeId),
}

/// The worm in one input FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The switch.
    pub switch: SwitchId,
    /// Number of flits that come in.
    pub flits: u32,
    /// Number of flits from the front that the routing decision needs (`H_dec`).
    pub decision: u32,
    /// Number of flits from the front that are stripped here. They are one address if the node
    /// absorbs the worm, or one mask of a multiport header.
    pub stripped: u32,
    /// Branches in the order of their output ports, the order in which sequential replication
    /// serves them.
    pub branches: Vec<(PortId, Toward)>,
}

/// Route of a worm through the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Input FIFOs, each after the FIFO that feeds it. The first is the source's.
    pub hops: Vec<Hop>,
}

/// Reason why there is no tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TreeError {
    /// The routing function names a port without a link, or goes in circles.
    #[error("the route to node {destination} does not arrive: it is lost at switch {switch}")]
    Lost {
        /// Destination of the route.
        destination: NodeId,
        /// Switch at which the route ends.
        switch: SwitchId,
    },
    /// The worm comes to the same output a second time. It would wait for its own tail.
    #[error("the worm uses port {port} of switch {switch} twice and gets into its own way")]
    CrossesItself {
        /// The switch.
        switch: SwitchId,
        /// Output port of the switch.
        port: PortId,
    },
    /// A header is impossible. It has no flits to strip, or its addresses or masks do not share
    /// them evenly. Or it has no destination, or several for a unicast.
    #[error("{header_flits} header flits do not hold {destinations} destinations in this encoding")]
    Header {
        /// Header flits.
        header_flits: u32,
        /// Number of destinations.
        destinations: usize,
    },
}

impl Tree {
    /// Builds the tree of a worm. `next` is the routing function: the port of a switch towards a
    /// node, `None` at the switch of the node.
    ///
    /// # Errors
    /// The route does not arrive or crosses itself, or the header is impossible.
    pub fn new(
        wiring: &Wiring,
        send: &Send,
        next: impl Fn(SwitchId, NodeId) -> Option<PortId>,
    ) -> Result<Self, TreeError> {
        let way = send.encoding.way();
        let addresses = if way == Way::Path { send.destinations.len() as u32 } else { 1 };
        let one_too_many = way == Way::Unicast && send.destinations.len() != 1;
        let lacks_parts = send.header_flits == 0 && send.encoding.header().strips();
        let empty = send.destinations.is_empty() || lacks_parts || send.payload_flits == 0;
        if one_too_many || empty || !send.header_flits.is_multiple_of(addresses) {
            let (header_flits, destinations) = (send.header_flits, send.destinations.len());
            return Err(TreeError::Header { header_flits, destinations });
        }
        let (root, _) = wiring.injection(send.source);
        let flits = send.header_flits + send.payload_flits;
        let address = send.header_flits / addresses;
        let mut builder = Builder { wiring, next, used: HashSet::new(), hops: Vec::new() };
        builder.hops.push(Hop { switch: root, flits, decision: address, stripped: 0, branches: Vec::new() });
        // Destinations that each hop has still to reach.
        let mut going = vec![send.destinations.to_vec()];
        let mut hop = 0;
        while hop < builder.hops.len() {
            let left = std::mem::take(&mut going[hop]);
            let ways = match way {
                Way::Path => builder.absorb_and_forward(hop, left, address),
                Way::Unicast | Way::Tree => builder.split(hop, &left),
            };
            for (port, nodes) in ways {
                if builder.branch(hop, port, nodes[0])? {
                    going.push(nodes);
                }
            }
            hop += 1;
        }
        let mut tree = Self { hops: builder.hops };
        if send.encoding.header().each_switch_strips() && !tree.strip_masks(send.header_flits) {
            let (header_flits, destinations) = (send.header_flits, send.destinations.len());
            return Err(TreeError::Header { header_flits, destinations });
        }
        Ok(tree)
    }

    /// Strips a mask at each switch on the way, after a decision by this mask. Returns false when
    /// the routes are not of one length, or when the masks do not share the header evenly.
    fn strip_masks(&mut self, header_flits: u32) -> bool {
        let mut passed = vec![1; self.hops.len()];
        let mut ends = Vec::new();
        for (at, hop) in self.hops.iter().enumerate() {
            for (_, toward) in &hop.branches {
                match toward {
                    Toward::Hop(next) => passed[*next] = passed[at] + 1,
                    Toward::Node(_) => ends.push(passed[at]),
                }
            }
        }
        let Some(&masks) = ends.first() else { return false };
        if ends.iter().any(|&end| end != masks) || !header_flits.is_multiple_of(masks) {
            return false;
        }
        let mask = header_flits / masks;
        for (hop, passed) in self.hops.iter_mut().zip(passed) {
            hop.flits -= (passed - 1) * mask;
            (hop.decision, hop.stripped) = (mask, mask);
        }
        true
    }

    /// A unicast through `routers` switches (at least 1) in a line, for every topology. It gives
    /// latencies by distance.
    #[must_use]
    pub fn line(routers: u32, header_flits: u32, flits: u32) -> Self {
        let routers = routers.max(1);
        let toward = |i| if i + 1 < routers { Toward::Hop(i as usize + 1) } else { Toward::Node(NodeId(i)) };
        let hop = |i| Hop {
            switch: SwitchId(i),
            flits,
            decision: header_flits,
            stripped: 0,
            branches: vec![(PortId(0), toward(i))],
        };
        Self { hops: (0..routers).map(hop).collect() }
    }
}

struct Builder<'a, F> {
    wiring: &'a Wiring,
    next: F,
    used: HashSet<(SwitchId, PortId)>,
    hops: Vec<Hop>,
}

/// Destinations of each port, ascending.
type Ways = Vec<(PortId, Vec<NodeId>)>;

impl<F: Fn(SwitchId, NodeId) -> Option<PortId>> Builder<'_, F> {
    fn port(&self, hop: usize, node: NodeId) -> PortId {
        (self.next)(self.hops[hop].switch, node).unwrap_or_else(|| self.wiring.consumption(node).1)
    }

    /// Branches for the destinations of a tree worm. A destination goes where a unicast to it would
    /// go. But as long as one of them goes up, all do.
    fn split(&self, hop: usize, left: &[NodeId]) -> Ways {
        self.wiring.ways(left, |node| self.port(hop, node))
    }

    /// Branches of a path worm. It routes to the first destination. A router that is the first
    /// destination absorbs and forwards to the second. The flits after the address tell whether
    /// there is a second: another address, or the first payload flit.
    fn absorb_and_forward(&mut self, hop: usize, mut left: Vec<NodeId>, address: u32) -> Ways {
        let first = left[0];
        let port = self.port(hop, first);
        if (self.next)(self.hops[hop].switch, first).is_some() {
            return vec![(port, left)];
        }
        left.remove(0);
        let mut ways = vec![(port, vec![first])];
        let here = &mut self.hops[hop];
        here.stripped = address;
        here.decision = address + if left.is_empty() { 1 } else { address };
        if let Some(&second) = left.first() {
            ways.push((self.port(hop, second), left));
            ways.sort_unstable_by_key(|(port, _)| *port);
        }
        ways
    }

    /// Adds a branch towards `node`. If it leads to a switch, this adds the next hop as well and
    /// returns true.
    fn branch(&mut self, hop: usize, port: PortId, node: NodeId) -> Result<bool, TreeError> {
        let Hop { switch, flits, stripped, decision, .. } = self.hops[hop];
        if !self.used.insert((switch, port)) {
            return Err(TreeError::CrossesItself { switch, port });
        }
        let decision = if stripped == 0 { decision } else { stripped };
        let toward = match self.wiring.output(switch, port) {
            Some(End::Switch(far, _)) => {
                let hop = Hop { switch: far, flits: flits - stripped, decision, stripped: 0, branches: Vec::new() };
                self.hops.push(hop);
                Toward::Hop(self.hops.len() - 1)
            }
            Some(End::Node(end)) if end == node => Toward::Node(end),
            _ => return Err(TreeError::Lost { destination: node, switch }),
        };
        self.hops[hop].branches.push((port, toward));
        Ok(matches!(toward, Toward::Hop(_)))
    }
}
