//! Facts that follow from the parameters of a network: its description, sizes, classes of channels.
//! The [`Blueprint`] gives the sizes that depend on the kind of topology.

use wormscope_hw::HeaderTiming;
use wormscope_hw::header::Layout;

use super::{Blueprint, End, Lanes, Misfit, Network, Routing, Wiring};

impl Network {
    /// The topology's parameters as an object.
    #[must_use]
    pub fn blueprint(&self) -> Box<dyn Blueprint + '_> {
        self.topology.blueprint()
    }

    /// A description of the network.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("{}, {}", self.blueprint().describe(), self.routing().in_words())
    }

    /// Number of nodes along each dimension of a grid; empty elsewhere.
    #[must_use]
    pub fn radices(&self) -> Vec<u32> {
        self.blueprint().radices().to_vec()
    }

    /// Number of ports of a switch (on each side of a bidirectional one) and number of stages, for
    /// a multistage network.
    #[must_use]
    pub fn stages(&self) -> Option<(u32, u32)> {
        self.blueprint().stages()
    }

    /// The routing function: the configured one, or else the default of the topology.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.routing.unwrap_or_else(|| self.blueprint().routings().1[0])
    }

    /// Number of nodes. It is `u32::MAX` when there are more; validation refuses such networks.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.blueprint().nodes()
    }

    /// Number of switches; saturates as [`Self::nodes`] does.
    #[must_use]
    pub fn switches(&self) -> u32 {
        self.blueprint().switches()
    }

    /// Number of ports of every switch.
    #[must_use]
    pub fn ports(&self) -> u32 {
        self.blueprint().ports()
    }

    /// Checks that the routing function is defined for the topology.
    ///
    /// # Errors
    /// A routing function that is not defined for it.
    pub(super) fn check_routing(&self) -> Result<(), Misfit> {
        let (what, allowed) = self.blueprint().routings();
        let routing = self.routing();
        if allowed.contains(&routing) {
            return Ok(());
        }
        let why = match routing {
            Routing::LabelOrder => format!("label_order has labels for 2-D and 3-D meshes, not for {what}"),
            Routing::DimensionOrder
            | Routing::ReverseDimensionOrder
            | Routing::DestinationTag
            | Routing::Turnaround
            | Routing::MultipleTurnaround
            | Routing::Table => format!("{} does not route in {what}", routing.name()),
        };
        let allowed = allowed.iter().map(|routing| routing.name()).collect::<Vec<_>>().join(", ");
        Err(Misfit::new("routing", format!("{why}; allowed: {allowed}")))
    }

    /// The wiring of a network that a test has made.
    #[cfg(test)]
    pub(crate) fn wiring(&self) -> Wiring {
        match self.blueprint().build() {
            Ok(family) => Wiring::from(family).for_trees(self.routing()),
            Err(why) => panic!("a network that was not checked: {}", why.within("network.topology")),
        }
    }

    /// Numbers of the lanes of the switches.
    #[must_use]
    pub fn lanes(&self, wiring: &Wiring) -> Lanes {
        let link = self.switch.dilation * self.switch.virtual_channels;
        Lanes::new(wiring, link as u8, self.injection_lanes() as u8, self.consumption_lanes() as u8)
    }

    /// Number of parallel links of a port that leads to `end`. Each of them carries a flit in a
    /// cycle.
    #[must_use]
    pub const fn parallel_links(&self, end: End) -> u32 {
        match end {
            End::Node(_) => self.node.consumption_channels,
            End::Switch(..) => self.switch.dilation,
        }
    }

    /// Bits of a node's address: at least 1, else the base-2 logarithm of the number of nodes,
    /// rounded up.
    #[must_use]
    pub fn address_bits(&self) -> u32 {
        self.layout().address_bits()
    }

    /// Sizes that give the layout of a header.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let ports = self.stages().map_or(0, |(ports, _)| ports);
        Layout {
            flit_bits: self.switch.flit_bits,
            is_beside: self.switch.header_timing == HeaderTiming::Beside,
            nodes: self.nodes(),
            radices: self.radices(),
            ports,
        }
    }

    /// Number of classes of virtual channels between which routing chooses: 2 on a torus with
    /// datelines, else 1.
    #[must_use]
    pub fn classes(&self) -> u32 {
        self.blueprint().classes()
    }

    /// Number of input lanes of every switch: the channels of its links and of the injection links.
    /// In a multistage network a port may lead to a node in one stage and to a switch in another.
    /// It then has as many lanes as the larger of the two needs.
    #[must_use]
    pub fn input_lanes(&self) -> u32 {
        self.side_lanes(self.injection_lanes())
    }

    /// Number of output lanes of every switch: the channels of its links and of the consumption
    /// links. Multistage networks count as in [`Self::input_lanes`].
    #[must_use]
    pub fn output_lanes(&self) -> u32 {
        self.side_lanes(self.consumption_lanes())
    }

    fn side_lanes(&self, node: u32) -> u32 {
        let link = self.switch.dilation.saturating_mul(self.switch.virtual_channels);
        self.blueprint().lanes(link, node)
    }

    /// Numbers of input FIFOs that exist: behind links between switches, and behind injection
    /// links.
    #[must_use]
    pub fn fifos(&self) -> [u64; 2] {
        let channels = u64::from(self.switch.dilation * self.switch.virtual_channels);
        [self.blueprint().links() * channels, u64::from(self.nodes()) * u64::from(self.injection_lanes())]
    }

    /// Number of bits of all input FIFOs.
    #[must_use]
    pub fn fifo_bits(&self) -> u64 {
        let [links, injections] = self.fifos();
        let flits = links * u64::from(self.switch.fifo_depth) + injections * u64::from(self.injection_depth());
        flits * u64::from(self.switch.flit_bits)
    }

    /// Whether worms that replicate can wait for each other in the last stage of a multistage
    /// network. Some inputs of this stage can bring a worm with several branches. If a node has a
    /// consumption lane for every such input, the stage cannot block.
    #[must_use]
    pub fn last_stage_blocks(&self) -> bool {
        let link = self.switch.dilation * self.switch.virtual_channels;
        let inputs = self.blueprint().copying_inputs(link, self.injection_lanes());
        inputs.is_none_or(|inputs| self.consumption_lanes() < inputs)
    }

    /// Number of stages in which worms can wait for each other's lanes, so that their switches are
    /// grouped. With fewer than 2, every group has one switch.
    #[must_use]
    pub fn grouped_stages(&self) -> u32 {
        self.stages().map_or(0, |(_, stages)| stages - u32::from(!self.last_stage_blocks()))
    }

    /// Largest number of switches of a multistage network that a worm passes on its way to a node.
    #[must_use]
    pub fn longest_way(&self) -> u32 {
        self.blueprint().masks()
    }

    /// Bytes of the tables of reachability bits that bit-string worms need. There is a bit for each
    /// switch, port and node, in 64-bit words.
    #[must_use]
    pub fn reach_bytes(&self) -> u64 {
        let tables = u64::from(self.switches()).saturating_mul(self.ports().into());
        tables.saturating_mul(u64::from(self.nodes()).div_ceil(64) * 8)
    }
}
