//! Follows every flit of a run, in every cycle, from the commit log and the configuration alone. It
//! computes the flits of each FIFO, the credits of each sender and the flits on each link. Then it
//! compares them with the registers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wormscope::deadlock;
use wormscope::engine::registers::Registers;
use wormscope::engine::{CommitLog, Delivery, Engine, FlitId, NewWorm, Observer, WormInfo, payload_word};
use wormscope::hw::lane_group::Climb;
use wormscope::hw::{Encoding, NodeId, PortId, SwitchId, WormId};
use wormscope::network::routing::Routes;
use wormscope::network::{End, Lanes, Network, Wiring, header_flits, header_flits_to, part_flits};

use crate::drive::{self, Script};
use crate::random;

/// End of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything arrived and nothing is left behind.
    Done,
    /// Nothing moves any more, and the search for deadlocks says why.
    Deadlock(Box<deadlock::Deadlock>),
    /// Still running when `max_cycles` were over.
    Unfinished,
}

/// Runs the worms cycle by cycle and checks every cycle.
///
/// # Errors
/// The first thing that is wrong, with cycle and instance.
pub fn watch(network: &Network, worms: Vec<NewWorm>, max_cycles: u64) -> Result<Ending, String> {
    let mut engine = drive::engine(network);
    let mut script = Script::new(worms);
    let worms = script.worms().to_vec();
    let mut board = Scoreboard::new(network, &worms);
    let mut log = Log::default();
    let ending = loop {
        if engine.now() >= max_cycles {
            return Ok(Ending::Unfinished);
        }
        board.registers(engine.registers())?;
        drive::step(&mut engine, &mut script, &mut log);
        board.cycle(engine.now() - 1, &mut log)?;
        board.counters(&engine)?;
        let next = engine.next_event().into_iter().chain(script.next_cycle()).min();
        match next {
            Some(cycle) => engine.skip_to(cycle),
            None if engine.worms_alive() == 0 => break Ending::Done,
            None => match deadlock::search(&engine.snapshot()) {
                Some(found) => break Ending::Deadlock(Box::new(found)),
                None => {
                    return Err(format!("silent in cycle {} with worms alive, but no deadlock is found", engine.now()));
                }
            },
        }
    };
    board.registers(engine.registers())?;
    board.counters(&engine)?;
    if ending == Ending::Done {
        board.complete(&engine)?;
    }
    Ok(ending)
}

#[derive(Default)]
struct Log {
    cycle: CommitLog,
    delivered: Vec<Delivery>,
}

impl Observer for Log {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.cycle = log.clone();
    }

    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.delivered.push(*delivery);
    }
}

/// Worm and flit index.
type Flit = (u32, u32);

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
enum To {
    /// An input lane of a switch.
    Fifo(SwitchId),
    /// Node, and its channel.
    Node(NodeId, u8),
    Nowhere,
}

/// A lane: everything sent on it and not yet forgotten.
#[derive(Clone, Debug)]
struct Link {
    to: To,
    name: String,
    depth: usize,
    delay: u64,
    credit_delay: u64,
    /// Flits sent and not yet taken out of the FIFO (or taken by the node), with the cycle in which
    /// they are there.
    under_way: VecDeque<(u64, Flit)>,
    /// Cycles in which credits are usable again.
    credits_back: VecDeque<u64>,
    /// The flit sent last.
    last: Option<Flit>,
}

impl Link {
    fn new(to: To, name: String, depth: usize, delay: u64, credit_delay: u64) -> Self {
        let (under_way, credits_back) = (VecDeque::new(), VecDeque::new());
        Self { to, name, depth, delay, credit_delay, under_way, credits_back, last: None }
    }

    /// Flits that are in the FIFO in `cycle`.
    fn there(&self, cycle: u64) -> impl Iterator<Item = Flit> + '_ {
        self.under_way.iter().take_while(move |f| f.0 <= cycle).map(|f| f.1)
    }

    /// Notes the flits that left the FIFO in cycle `evaluated`. `flits` are those in it in `cycle`.
    fn fifo(&mut self, cycle: u64, evaluated: u64, flits: &[Flit], at_once: usize) -> Result<(), String> {
        let name = &self.name;
        if flits.len() > self.depth {
            return Err(format!("{name}: {} flits in a FIFO of {}", flits.len(), self.depth));
        }
        let expected: Vec<Flit> = self.there(cycle).collect();
        let gone = expected.len().checked_sub(flits.len());
        let Some(gone) = gone.filter(|&gone| gone <= at_once && expected[gone..] == *flits) else {
            return Err(format!("{name}: the FIFO holds {flits:?}; sent and not taken out before: {expected:?}"));
        };
        for _ in 0..gone {
            self.under_way.pop_front();
            self.credits_back.push_back(evaluated + self.credit_delay);
        }
        Ok(())
    }

    fn credits(&mut self, cycle: u64, credits: u16) -> Result<(), String> {
        while self.credits_back.front().is_some_and(|&at| at <= cycle) {
            self.credits_back.pop_front();
        }
        let (flits, back) = (self.under_way.len(), self.credits_back.len());
        if usize::from(credits) + flits + back == self.depth {
            return Ok(());
        }
        Err(format!(
            "{}: {credits} credits, {flits} flits and {back} credits under way; depth {}",
            self.name, self.depth
        ))
    }

    /// A flit is sent. Flits of a worm follow each other without a gap, and no flit of another worm
    /// comes in between. `first` yields the first flit that a worm sends here.
    fn send(
        &mut self,
        cycle: u64,
        flit: Flit,
        lengths: &[u32],
        first: impl FnOnce() -> Option<u32>,
    ) -> Result<(), String> {
        let expected = match self.last {
            Some((worm, before)) if before + 1 < lengths[worm as usize] => Some((worm, before + 1)),
            _ => first().map(|index| (flit.0, index)),
        };
        if expected != Some(flit) {
            return Err(format!("{}: {flit:?} is sent behind {:?}; expected {expected:?}", self.name, self.last));
        }
        self.last = Some(flit);
        self.under_way.push_back((cycle + self.delay, flit));
        Ok(())
    }
}

/// A worm at a node, as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    head: u64,
    tail: u64,
    first: u32,
    last: u32,
}

/// Planned ways of the worms. Where routing chooses freely from several ports, the plan has the
/// first.
#[derive(Clone, Debug)]
struct Plan {
    routes: Routes,
    climbs: Vec<Climb>,
    /// First flit of the worm at each output port it is still to use, in the order of its visits.
    ports: BTreeMap<(u32, u32, u8), VecDeque<u32>>,
    /// Destinations behind an output port, of worms that do not visit them one after the other.
    behind: BTreeMap<(u32, u32, u8), BTreeSet<u32>>,
    /// First flit that each destination is to receive.
    nodes: BTreeMap<(u32, u32), u32>,
    /// Port masks of multiport worms, the first to be read first.
    masks: BTreeMap<u32, Vec<u64>>,
    /// Flits of a mask.
    mask: u32,
}

impl Plan {
    fn new(network: &Network, wiring: &Wiring, worms: &[NewWorm]) -> Self {
        let mut plan = Self {
            routes: drive::built(network).routes().clone(),
            climbs: wiring.climbs().to_vec(),
            ports: BTreeMap::new(),
            behind: BTreeMap::new(),
            nodes: BTreeMap::new(),
            masks: BTreeMap::new(),
            mask: part_flits(network, Encoding::Multiport),
        };
        let address = header_flits(network, Encoding::Unicast, 1);
        for (w, worm) in (0..).zip(worms) {
            let (at, _) = wiring.injection(worm.source);
            if worm.encoding == Encoding::Multidestination {
                plan.path(wiring, (w, at), &worm.destinations, address);
            } else {
                let destinations: BTreeSet<u32> = worm.destinations.iter().map(|d| d.0).collect();
                let mut residue = 0;
                if worm.encoding == Encoding::Multiport {
                    let masks = plan.masks(wiring, at, destinations.clone());
                    residue = masks.len() as u32 * plan.mask;
                    plan.masks.insert(w, masks);
                }
                plan.nodes.extend(destinations.iter().map(|&d| ((w, d), residue)));
                plan.arrive(w, at, &destinations, 0);
            }
        }
        plan
    }

    /// One destination after the other, an address stripped at each.
    fn path(&mut self, wiring: &Wiring, (w, mut at): (u32, SwitchId), destinations: &[NodeId], address: u32) {
        let mut stripped = 0;
        for destination in destinations {
            loop {
                let port = self.routes.port(at, *destination);
                let link = wiring.output(at, PortId(port));
                stripped += if matches!(link, Some(End::Node(_))) { address } else { 0 };
                self.ports.entry((w, at.0, port)).or_default().push_back(stripped);
                match link {
                    Some(End::Switch(far, _)) => at = far,
                    _ => break,
                }
            }
            self.nodes.insert((w, destination.0), stripped);
        }
    }

    /// The worm, or a branch of it that goes to `destinations`, comes to a switch. It goes up as
    /// long as one of them is up, else it splits. `first` is the flit that comes first; a mask is
    /// stripped.
    fn arrive(&mut self, w: u32, at: SwitchId, destinations: &BTreeSet<u32>, first: u32) {
        let stripped = if self.masks.contains_key(&w) { self.mask } else { 0 };
        for (port, nodes) in self.ways(at, destinations) {
            self.ports.entry((w, at.0, port)).or_default().push_back(first + stripped);
            self.behind.insert((w, at.0, port), nodes);
        }
    }

    fn ways(&self, at: SwitchId, destinations: &BTreeSet<u32>) -> BTreeMap<u8, BTreeSet<u32>> {
        let mut ways: BTreeMap<u8, BTreeSet<u32>> = BTreeMap::new();
        for &d in destinations {
            ways.entry(self.routes.port(at, NodeId(d))).or_default().insert(d);
        }
        for climb in &self.climbs {
            if let Some(mut all) = ways.remove(&climb.first()) {
                let below: Vec<u8> = ways.keys().copied().filter(|port| climb.below.has(*port)).collect();
                below.iter().filter_map(|port| ways.remove(port)).for_each(|nodes| all.extend(nodes));
                ways.insert(climb.first(), all);
            }
        }
        ways
    }

    /// Ports taken, stage by stage; none on the way up.
    fn masks(&self, wiring: &Wiring, at: SwitchId, destinations: BTreeSet<u32>) -> Vec<u64> {
        let (mut masks, mut stage) = (Vec::new(), vec![(at, destinations)]);
        while !stage.is_empty() {
            let mut mask = 0;
            for (at, destinations) in std::mem::take(&mut stage) {
                for (port, nodes) in self.ways(at, &destinations) {
                    mask |= if self.climbs.iter().any(|climb| climb.first() == port) { 0 } else { 1 << port };
                    if let Some(End::Switch(far, _)) = wiring.output(at, PortId(port)) {
                        stage.push((far, nodes));
                    }
                }
            }
            masks.push(mask);
        }
        masks
    }
}

/// State of the watch.
struct Scoreboard<'a> {
    network: &'a Network,
    worms: &'a [NewWorm],
    headers: Vec<u32>,
    lengths: Vec<u32>,
    plan: Plan,
    /// Output lanes, switch-major, then injection channels, node-major.
    links: Vec<Link>,
    /// The link that feeds each input lane, switch-major.
    feeds: Vec<Option<usize>>,
    in_lanes: usize,
    out_lanes: usize,
    lanes: Lanes,
    /// Registers at the start of this cycle.
    now: Option<Registers>,
    /// Cycle evaluated last.
    evaluated: u64,
    /// Flits in each FIFO and credits of each lane as the log said last, and whether a flit
    /// crossed.
    told: (Vec<u16>, Vec<(u16, bool)>),
    injected: BTreeMap<u32, u64>,
    arrived: BTreeMap<(u32, u32), Arrival>,
    delivered: usize,
    tally: [u64; 3],
}

impl<'a> Scoreboard<'a> {
    fn new(network: &'a Network, worms: &'a [NewWorm]) -> Self {
        let wiring = drive::wiring(network);
        let (switch, node) = (&network.switch, &network.node);
        let (in_lanes, out_lanes) = (network.input_lanes() as usize, network.output_lanes() as usize);
        let lanes = network.lanes(&wiring);
        let depth = switch.fifo_depth as usize;
        let crossbar = u64::from(switch.crossbar_cycles);
        let mut feeds = vec![None; wiring.switches() as usize * in_lanes];
        let mut links = Vec::new();
        let input = |switch: SwitchId, port: PortId, l: u8| {
            switch.index() * in_lanes + usize::from(lanes.inputs.first(port.0) + l)
        };
        for s in 0..wiring.switches() {
            for lane in 0..out_lanes as u8 {
                let (port, l) = (lanes.outputs.port(lane), lanes.outputs.within(lane));
                let name = format!("{}.out{port}.l{l}", wiring.switch_name(SwitchId(s)));
                let end = wiring.output(SwitchId(s), PortId(port));
                links.push(match end.filter(|_| lanes.has_output(&wiring, SwitchId(s), lane)) {
                    Some(End::Switch(far, port)) => {
                        let delay = crossbar + u64::from(network.link.link_cycles);
                        let to = input(far, port, l);
                        feeds[to] = Some(links.len());
                        Link::new(To::Fifo(far), name, depth, delay, u64::from(network.link.credit_cycles))
                    }
                    Some(End::Node(n)) => {
                        let depth = network.consumption_depth() as usize;
                        let delay = crossbar + u64::from(node.consumption_link.link_cycles);
                        Link::new(To::Node(n, l), name, depth, delay, u64::from(node.consumption_link.credit_cycles))
                    }
                    None => Link::new(To::Nowhere, name, depth, 1, 1),
                });
            }
        }
        for n in 0..wiring.nodes() {
            for channel in 0..network.injection_lanes() as u8 {
                let (switch, port) = wiring.injection(NodeId(n));
                let to = input(switch, port, channel);
                feeds[to] = Some(links.len());
                let l = node.injection_link;
                let name = format!("n{n}.inj{channel}");
                let depth = network.injection_depth() as usize;
                links.push(Link::new(To::Fifo(switch), name, depth, l.link_cycles.into(), l.credit_cycles.into()));
            }
        }
        let header = |w: &NewWorm| header_flits_to(network, &wiring, w.encoding, w.source, &w.destinations);
        let headers: Vec<u32> = worms.iter().map(header).collect();
        let lengths = worms.iter().zip(&headers).map(|(w, h)| h + w.payload_flits).collect();
        let outputs = wiring.switches() as usize * out_lanes;
        let told = (vec![0; feeds.len()], links[..outputs].iter().map(|l| (l.depth as u16, false)).collect());
        Self {
            plan: Plan::new(network, &wiring, worms),
            network,
            worms,
            headers,
            lengths,
            links,
            feeds,
            in_lanes,
            out_lanes,
            lanes,
            now: None,
            evaluated: 0,
            told,
            injected: BTreeMap::new(),
            arrived: BTreeMap::new(),
            delivered: 0,
            tally: [0; 3],
        }
    }

    /// Compares the registers at the start of a cycle with what has been sent.
    fn registers(&mut self, now: Registers) -> Result<(), String> {
        let at = |why| format!("cycle {}: {why}", now.cycle);
        let at_once = header_flits(self.network, Encoding::Unicast, 1).max(self.plan.mask).max(1) as usize;
        for (q, feed) in now.inputs.iter().zip(&self.feeds) {
            if usize::from(q.count) != q.flits.len() {
                return Err(at(format!("a FIFO counts {} flits and holds {:?}", q.count, q.flits)));
            }
            let flits: Vec<Flit> = q.flits.iter().map(|flit| (flit.worm.0, flit.index)).collect();
            match feed {
                Some(link) => self.links[*link].fifo(now.cycle, self.evaluated, &flits, at_once).map_err(at)?,
                None if q.count == 0 => {}
                None => return Err(at(format!("flits {:?} in a FIFO that no link feeds", q.flits))),
            }
        }
        let senders = now.outputs.iter().map(|q| q.credits).chain(now.channels.iter().map(|q| q.credits));
        for (link, credits) in self.links.iter_mut().zip(senders) {
            link.credits(now.cycle, credits).map_err(at)?;
        }
        self.now = Some(now);
        Ok(())
    }

    /// Follows what the log says of a cycle.
    fn cycle(&mut self, cycle: u64, log: &mut Log) -> Result<(), String> {
        let commits = if log.cycle.cycle == cycle { std::mem::take(&mut log.cycle) } else { CommitLog::default() };
        let delivered = std::mem::take(&mut log.delivered);
        let now = self.now.take().ok_or("no registers")?;
        self.evaluated = cycle;
        self.told_is_true(&now, &commits)
            .and_then(|()| self.crossings(cycle, &now, &commits))
            .and_then(|()| self.injections(cycle, &now, &commits))
            .and_then(|()| self.consumptions(cycle, &commits))
            .and_then(|()| self.deliveries(cycle, &delivered))
            .map_err(|why| format!("cycle {cycle}: {why}"))
    }

    /// Lanes that are listed are listed once and with their registers; the others have not changed
    /// since.
    fn told_is_true(&mut self, now: &Registers, log: &CommitLog) -> Result<(), String> {
        let mut listed = BTreeSet::new();
        for s in &log.inputs {
            let lane = s.switch.index() * self.in_lanes + usize::from(s.lane);
            self.told.0[lane] = s.fifo_count;
            if !listed.insert((false, lane)) {
                return Err(format!("input lane {lane} is listed twice"));
            }
        }
        let mut crossed = BTreeSet::new();
        for s in &log.outputs {
            let lane = s.switch.index() * self.out_lanes + usize::from(s.lane);
            self.told.1[lane] = (s.credits, s.flit.is_some());
            if !listed.insert((true, lane)) {
                return Err(format!("{} is listed twice", self.links[lane].name));
            }
            let channels = self.network.switch.virtual_channels as u8;
            let of_node = matches!(self.links[lane].to, To::Node(..));
            let shared = if of_node { 0 } else { self.lanes.outputs.within(s.lane) % channels };
            let physical = (s.switch, s.lane - shared);
            if s.flit.is_some() && !crossed.insert(physical) {
                return Err(format!("two flits on the link of {}", self.links[lane].name));
            }
        }
        let counts = now.inputs.iter().map(|q| q.count);
        if let Some(lane) = counts.zip(&self.told.0).position(|(q, told)| q != *told) {
            return Err(format!("input lane {lane}: the log says {} flits, {:?}", self.told.0[lane], now.inputs[lane]));
        }
        for (lane, (q, told)) in now.outputs.iter().zip(&self.told.1).enumerate() {
            let silent = told.1 && !listed.contains(&(true, lane));
            if q.credits != told.0 || silent {
                return Err(format!("{}: the log says (credits, valid) {told:?}; {q:?}", self.links[lane].name));
            }
        }
        Ok(())
    }

    fn crossings(&mut self, cycle: u64, now: &Registers, log: &CommitLog) -> Result<(), String> {
        for s in &log.outputs {
            let Some(FlitId { worm: WormId(worm), index }) = s.flit else { continue };
            let lane = s.switch.index() * self.out_lanes + usize::from(s.lane);
            let flit = (worm, index);
            let port = self.lanes.outputs.port(s.lane);
            let group = self.plan.climbs.iter().find(|climb| climb.ports.has(port));
            let port = group.map_or(port, |climb| climb.first());
            let name = &self.links[lane].name;
            if s.credits == 0 {
                return Err(format!("{name}: {flit:?} crosses without credit"));
            }
            let owner = s.owner.map(usize::from).filter(|owner| *owner < self.in_lanes);
            let of_owner = |owner: usize| &now.inputs[s.switch.index() * self.in_lanes + owner].flits;
            let holds = |owner: usize| of_owner(owner).contains(&FlitId { worm: WormId(worm), index });
            if !owner.is_some_and(holds) {
                return Err(format!(
                    "{name}: {flit:?} crosses, but the owner, input lane {:?}, does not hold it",
                    s.owner
                ));
            }
            let input = log.inputs.iter().find(|q| (q.switch, Some(q.lane)) == (s.switch, s.owner));
            if input.is_none_or(|q| !q.branches.has(port)) {
                return Err(format!("{name}: {flit:?} crosses, but the port is no branch of {input:?}"));
            }
            let words = self.network.switch.flit_bits.div_ceil(64) as usize;
            let data = &log.words[s.data as usize..][..words];
            let expected = self.data(flit, s.switch, port);
            if *data != expected {
                return Err(format!("{name}: {flit:?} carries {data:x?}; expected {expected:x?}"));
            }
            let place = (worm, s.switch.0, port);
            let (visits, mut starts) = (self.plan.ports.get_mut(&place), false);
            self.links[lane].send(cycle, flit, &self.lengths, || {
                starts = true;
                visits?.pop_front()
            })?;
            if starts
                && let To::Fifo(far) = self.links[lane].to
                && let Some(nodes) = self.plan.behind.get(&place)
            {
                self.plan.arrive(worm, far, &nodes.clone(), index);
            }
            self.tally[0] += 1;
        }
        Ok(())
    }

    /// Data of a flit as it crosses a port.
    fn data(&self, (worm, flit): Flit, switch: SwitchId, port: u8) -> Vec<u64> {
        let w = &self.worms[worm as usize];
        let bits = self.network.switch.flit_bits;
        let address = header_flits(self.network, Encoding::Unicast, 1);
        let bit = |i: u32| {
            if w.encoding == Encoding::BitString {
                let behind = self.plan.behind.get(&(worm, switch.0, port));
                return behind.is_some_and(|nodes| nodes.contains(&(flit * bits + i)));
            }
            if let Some(masks) = self.plan.masks.get(&worm) {
                let (which, place) = (flit / self.plan.mask, flit % self.plan.mask * bits + i);
                return place < 64 && masks[which as usize] >> place & 1 != 0;
            }
            if matches!(w.encoding, Encoding::Mask | Encoding::CoordinateMask) {
                // The first half has the bits that all destinations share. The second half has the
                // bits in which they differ.
                let half = self.headers[worm as usize] / 2;
                let (which, place) = (flit / half, flit % half * bits + i);
                let fields = random::fields(self.network, w.encoding);
                let mut set =
                    w.destinations.iter().map(|d| place < 64 && random::address(&fields, d.0) >> place & 1 != 0);
                let (one, others) = (set.next(), set.collect::<BTreeSet<bool>>());
                return match one {
                    Some(one) if others.contains(&!one) => which == 1,
                    one => which == 0 && one == Some(true),
                };
            }
            let (which, place) = (flit / address, flit % address * bits + i);
            place < 32 && w.destinations[which as usize].0 >> place & 1 != 0
        };
        let chunk = |n: u32| {
            let width = (bits - 64 * n).min(64);
            if flit < self.headers[worm as usize] {
                (0..width).fold(0, |all, i| all | u64::from(bit(64 * n + i)) << i)
            } else {
                payload_word(WormId(worm), flit, n, bits)
            }
        };
        (0..bits.div_ceil(64)).map(chunk).collect()
    }

    fn injections(&mut self, cycle: u64, now: &Registers, log: &CommitLog) -> Result<(), String> {
        let channels = self.network.injection_lanes() as usize;
        let first = self.links.len() - now.channels.len();
        for s in &log.injections {
            let channel = s.node.index() * channels + usize::from(s.channel);
            let link = &mut self.links[first + channel];
            if s.credits != now.channels[channel].credits || s.flit.is_some() && s.credits == 0 {
                return Err(format!("{}: {s:?}, but {:?}", link.name, now.channels[channel]));
            }
            let Some(FlitId { worm: WormId(worm), index }) = s.flit else { continue };
            let here = self.worms[worm as usize].source == s.node;
            if index == 0 && (!here || self.injected.insert(worm, cycle).is_some()) {
                return Err(format!(
                    "{}: worm {worm} starts here, but not for the first time or not its source",
                    link.name
                ));
            }
            link.send(cycle, (worm, index), &self.lengths, || Some(0))?;
            self.tally[1] += 1;
        }
        Ok(())
    }

    fn consumptions(&mut self, cycle: u64, log: &CommitLog) -> Result<(), String> {
        let mut seen: BTreeSet<_> =
            log.consumptions.iter().map(|s| (s.node, s.channel, (s.flit.worm.0, s.flit.index))).collect();
        if seen.len() != log.consumptions.len() {
            return Err(format!("flits consumed twice: {:?}", log.consumptions));
        }
        for link in &mut self.links {
            let To::Node(node, channel) = link.to else { continue };
            let Some(&(at, flit)) = link.under_way.front() else { continue };
            if at > cycle {
                continue;
            }
            if at < cycle || !seen.remove(&(node, channel, flit)) {
                return Err(format!("{}: {flit:?} should have arrived in cycle {at}", link.name));
            }
            link.under_way.pop_front();
            link.credits_back.push_back(cycle + link.credit_delay);
            let (worm, index) = flit;
            let fresh = Arrival { head: cycle, tail: cycle, first: index, last: index };
            let arrival = self.arrived.entry((worm, node.0)).or_insert(fresh);
            if *arrival != fresh && arrival.last + 1 != index {
                return Err(format!("node {node}: {flit:?} behind {arrival:?}"));
            }
            (arrival.tail, arrival.last) = (cycle, index);
            self.tally[2] += 1;
        }
        if seen.is_empty() { Ok(()) } else { Err(format!("flits from nowhere: {seen:?}")) }
    }

    fn deliveries(&mut self, cycle: u64, delivered: &[Delivery]) -> Result<(), String> {
        for d in delivered {
            let (worm, node) = (d.worm.0, d.destination.0);
            let first = self.plan.nodes.remove(&(worm, node));
            let last = self.lengths[d.worm.index()] - 1;
            let reported = Arrival { head: d.head, tail: d.tail, first: last + 1 - d.flits, last };
            let is_due =
                d.tail == cycle && first == Some(reported.first) && self.injected.get(&worm) == Some(&d.injected);
            if !is_due || self.arrived.get(&(worm, node)) != Some(&reported) {
                return Err(format!("{d:?}, but {:?}, first flit {first:?}", self.arrived.get(&(worm, node))));
            }
            self.delivered += 1;
        }
        let whole = self.arrived.iter().filter(|((worm, _), a)| a.last + 1 == self.lengths[*worm as usize]).count();
        if whole == self.delivered {
            Ok(())
        } else {
            Err(format!("{whole} tails arrived, {} reported", self.delivered))
        }
    }

    /// The totals are those of the log, and the links' cycles without credit those of the account.
    fn counters(&self, engine: &Engine) -> Result<(), String> {
        let (t, account) = (engine.totals(), engine.account());
        let counted = [t.flit_hops, t.injected_flits, t.consumed_flits];
        if counted != self.tally {
            return Err(format!("cycle {}: {t:?}, but the log shows {:?} flits", t.cycles, self.tally));
        }
        let blocked: u64 = engine.lane_stats().map(|lane| lane.blocked).sum();
        if blocked != account.no_credit + account.endpoint {
            return Err(format!("cycle {}: links blocked for {blocked} cycles, but {account:?}", t.cycles));
        }
        Ok(())
    }

    /// Everything was delivered, nothing is left, and all worms have arrived.
    fn complete(&self, engine: &Engine) -> Result<(), String> {
        let left: Vec<_> = self.plan.ports.iter().filter(|(_, visits)| !visits.is_empty()).collect();
        if !left.is_empty() || !self.plan.nodes.is_empty() {
            return Err(format!("never used: {left:?}; never delivered: {:?}", self.plan.nodes));
        }
        if !engine.is_clean() {
            return Err("something is left behind".into());
        }
        let t = engine.totals();
        let worms = self.worms.len() as u64;
        if (t.worms_created, t.worms_done) == (worms, worms) {
            Ok(())
        } else {
            Err(format!("{t:?}, but {worms} worms"))
        }
    }
}
