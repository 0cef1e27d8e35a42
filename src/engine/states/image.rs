//! A symmetry of a network, and the images that it gives to registers.

use wormscope_hw::header::Symbol;
use wormscope_hw::{Encoding, GroupMask, InputMask, LaneMask, decoder, fifo, link, token_ring};

use crate::reference::instances::{SwitchInstance, Wire};

/// No lane or group.
pub(super) const NONE: u8 = u8::MAX;

/// Whether a header names nodes so that others can take their places. Addresses of paths stand in
/// the order of the route, and masks name nodes by their bits.
pub(super) const fn has_image(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::Unicast | Encoding::BitString)
}

/// Images of the lanes and lane groups of a switch.
#[derive(Clone, Debug)]
pub(super) struct LaneImages {
    pub inputs: Vec<u8>,
    pub outputs: Vec<u8>,
    pub groups: Vec<u8>,
}

/// A symmetry.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    /// The image of each part: switches first, then nodes.
    pub parts: Vec<u32>,
    /// For each part, the part that it is the image of.
    pub of: Vec<u32>,
    pub lanes: Vec<LaneImages>,
    /// The image of each kind of worms.
    pub kinds: Vec<u32>,
    /// For each ring, the ring that it is the image of, and by how many stations it is turned.
    pub rings: Vec<(u32, u32)>,
    /// For each part, the images of its states.
    pub states: Vec<Vec<u32>>,
}

impl Symmetry {
    /// The images of some lanes or groups.
    pub fn each(images: &[u8], set: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
        set.map(|one| images[usize::from(one)]).filter(|&image| image != NONE)
    }

    pub fn node(&self, node: u64) -> u64 {
        let switches = self.lanes.len();
        (self.parts[switches + node as usize] as usize - switches) as u64
    }

    /// The image of the nodes of a bit-string.
    pub fn nodes(&self, words: &[u64]) -> Vec<u64> {
        let mut image = vec![0; words.len()];
        for node in (0..words.len() as u64 * 64).filter(|node| words[*node as usize / 64] >> (node % 64) & 1 != 0) {
            let node = self.node(node);
            image[node as usize / 64] |= 1 << (node % 64);
        }
        image
    }

    /// The image of a header, of an encoding that [`has_image`].
    pub fn header(&self, encoding: Encoding, words: &[u64]) -> Vec<u64> {
        match encoding {
            Encoding::Unicast => words.iter().map(|&node| self.node(node)).collect(),
            _ => self.nodes(words),
        }
    }

    fn symbol(&self, of: &Symbol) -> Symbol {
        Symbol { flit: of.flit, header: of.header.as_ref().map(|words| self.header(of.flit.encoding(), words)) }
    }

    fn service(&self, service: &decoder::Service) -> decoder::Service {
        decoder::Service { header: self.header(service.enc, &service.header), ..service.clone() }
    }

    /// The image of a switch. `to` is the image's instance at reset.
    pub fn switch(&self, s: usize, at: &SwitchInstance, mut to: SwitchInstance) -> SwitchInstance {
        let lanes = &self.lanes[s];
        for (input, &image) in at.q.inputs.iter().zip(&lanes.inputs).filter(|(_, image)| **image != NONE) {
            let to = &mut to.q.inputs[usize::from(image)];
            for symbol in (0..input.fifo.count()).filter_map(|ahead| input.fifo.at(ahead)) {
                let pins = fifo::In { push: Some(self.symbol(symbol)), pop: 0 };
                to.fifo = fifo::eval(pins, std::mem::take(&mut to.fifo));
            }
            to.decoder = match &input.decoder {
                decoder::Reg::Idle => decoder::Reg::Idle,
                decoder::Reg::Deciding(service) => decoder::Reg::Deciding(self.service(service)),
                decoder::Reg::Decided(service) => decoder::Reg::Decided(self.service(service)),
            };
            let groups = |set: GroupMask| Self::each(&lanes.groups, set.iter()).collect();
            let outputs = |set: LaneMask| Self::each(&lanes.outputs, set.iter()).collect();
            let q = input.branches;
            (to.branches.branches, to.branches.wanted) = (groups(q.branches), groups(q.wanted));
            (to.branches.lanes, to.branches.taken) = (outputs(q.lanes), outputs(q.taken));
        }
        for (output, &image) in at.q.outputs.iter().zip(&lanes.outputs).filter(|(_, image)| **image != NONE) {
            let to = &mut to.q.outputs[usize::from(image)];
            *to = output.clone();
            to.lane.owner = output.lane.owner.map(|input| lanes.inputs[usize::from(input)]);
        }
        if let (Some(station), Some(to)) = (&at.q.station, &mut to.q.station) {
            *to = *station;
            to.request = Self::each(&lanes.inputs, station.request.iter()).collect::<InputMask>();
            to.holder = station.holder.map(|input| lanes.inputs[usize::from(input)]);
        }
        Self::links(&at.flits, &mut to.flits, &lanes.inputs, |of| self.symbol(of));
        Self::links(&at.credits, &mut to.credits, &lanes.outputs, |&credits| credits);
        to
    }

    /// Gives links the images of the values on other links.
    fn links<T>(wires: &[Option<Wire<T>>], to: &mut [Option<Wire<T>>], images: &[u8], map: impl Fn(&T) -> T) {
        for (wire, &image) in wires.iter().zip(images) {
            let (Some(wire), Some(to)) = (wire, to.get_mut(usize::from(image)).and_then(Option::as_mut)) else {
                continue;
            };
            for (at, value) in wire.q.values() {
                let pins = link::In { now: at - u64::from(wire.cycles), send: Some(map(value)) };
                to.q = link::eval(wire.cycles, pins, std::mem::take(&mut to.q)).1;
            }
        }
    }
}

/// The place of a token in a ring that is turned.
pub(super) fn turned(place: token_ring::Reg, by: u32, stations: u32) -> token_ring::Reg {
    let to = |station: u32| (station + by) % stations;
    match place {
        token_ring::Reg::At(station) => token_ring::Reg::At(to(station)),
        token_ring::Reg::Before(station, cycles) => token_ring::Reg::Before(to(station), cycles),
        token_ring::Reg::Held(station) => token_ring::Reg::Held(to(station)),
    }
}
