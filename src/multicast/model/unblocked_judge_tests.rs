//! A simulation of one worm through a tree, cycle by cycle. FIFOs, credits and deadlines are
//! registers, and no equation is solved.

use crate::model::tree::{Hop, Toward, Tree};
use crate::model::unblocked::Timing;
use wormscope_hw::{HeaderTiming, Replication};

struct Fifo {
    arrived: u32,
    popped: u32,
    decided: Option<u64>,
    stripped_in: Option<u64>,
    crossed: Vec<u32>,
    /// Cycle from which each branch may cross, once it has asked.
    granted: Vec<Option<u64>>,
    credits: Vec<u32>,
}

/// Arrival over a link in a later cycle.
enum Event {
    Flit(usize),
    /// A credit for a branch of a hop, or for the source.
    Credit(Option<(usize, usize)>),
}

impl Fifo {
    fn new(t: &Timing, hop: &Hop) -> Self {
        let n = hop.branches.len();
        let credit = |toward| if matches!(toward, Toward::Hop(_)) { t.fifo_depth } else { t.consumption_depth };
        let credits = hop.branches.iter().map(|b| credit(b.1)).collect();
        let (crossed, granted) = (vec![0; n], vec![None; n]);
        Self { arrived: 0, popped: 0, decided: None, stripped_in: None, crossed, granted, credits }
    }

    /// Header decoder and allocator.
    fn decide(&mut self, t: &Timing, hop: &Hop, now: u64) {
        if hop.stripped > 0 && self.popped == 0 && self.arrived >= hop.stripped {
            self.popped = hop.stripped;
            self.stripped_in = Some(now);
        }
        let needed = if t.header_timing == HeaderTiming::Store { hop.decision } else { 1 };
        if self.decided.is_none() && self.arrived >= needed {
            self.decided = Some(now + u64::from(t.routing_cycles));
        }
        let turn = self.crossed.iter().position(|&c| c < hop.flits - hop.stripped);
        for b in 0..self.crossed.len() {
            let asks = t.replication != Replication::Sequential || turn == Some(b);
            if self.granted[b].is_none() && self.decided.is_some_and(|d| d <= now) && asks {
                self.granted[b] = Some(now + u64::from(t.allocation_cycles));
            }
        }
    }

    /// Replication unit: the branches that take a flit in this cycle.
    fn take(&mut self, t: &Timing, hop: &Hop, now: u64) -> Vec<usize> {
        if self.popped < hop.stripped || self.stripped_in == Some(now) {
            return Vec::new();
        }
        let front = self.popped - hop.stripped;
        let own_pointer = matches!(t.replication, Replication::Buffered | Replication::Sequential);
        let ready = |&b: &usize| {
            let flit = self.crossed[b];
            hop.stripped + flit < self.arrived
                && self.granted[b].is_some_and(|g| g <= now)
                && self.credits[b] > 0
                && (own_pointer || flit == front)
        };
        let mut takers: Vec<usize> = (0..self.crossed.len()).filter(ready).collect();
        if t.replication == Replication::Lockstep && takers.len() < self.crossed.len() {
            takers.clear();
        }
        for &b in &takers {
            self.crossed[b] += 1;
            self.credits[b] -= 1;
        }
        self.popped = hop.stripped + self.crossed.iter().copied().min().unwrap();
        takers
    }
}

/// Cycle of every crossing, per hop and branch.
pub fn run(t: &Timing, tree: &Tree) -> Vec<Vec<Vec<u64>>> {
    let mut fifos: Vec<Fifo> = tree.hops.iter().map(|h| Fifo::new(t, h)).collect();
    let mut feeder = vec![None; tree.hops.len()];
    for (i, hop) in tree.hops.iter().enumerate() {
        for (b, (_, toward)) in hop.branches.iter().enumerate() {
            if let Toward::Hop(child) = *toward {
                feeder[child] = Some((i, b));
            }
        }
    }
    let mut log: Vec<Vec<Vec<u64>>> = tree.hops.iter().map(|h| vec![Vec::new(); h.branches.len()]).collect();
    let (mut to_inject, mut credits) = (tree.hops[0].flits, t.injection_depth);
    let mut events: Vec<(u64, Event)> = Vec::new();
    for now in 0..100_000 {
        for (_, event) in events.extract_if(.., |e| e.0 == now) {
            match event {
                Event::Flit(hop) => fifos[hop].arrived += 1,
                Event::Credit(Some((hop, b))) => fifos[hop].credits[b] += 1,
                Event::Credit(None) => credits += 1,
            }
        }
        if to_inject > 0 && credits > 0 {
            to_inject -= 1;
            credits -= 1;
            events.push((now + u64::from(t.injection.link_cycles), Event::Flit(0)));
        }
        for (i, (fifo, hop)) in fifos.iter_mut().zip(&tree.hops).enumerate() {
            let depth = if i == 0 { t.injection_depth } else { t.fifo_depth };
            assert!(fifo.arrived - fifo.popped <= depth, "overflow");
            let before = fifo.popped;
            fifo.decide(t, hop, now);
            for b in fifo.take(t, hop, now) {
                log[i][b].push(now);
                let out = now + u64::from(t.crossbar_cycles);
                events.push(match hop.branches[b].1 {
                    Toward::Hop(child) => (out + u64::from(t.link.link_cycles), Event::Flit(child)),
                    Toward::Node(_) => {
                        let back = t.consumption.link_cycles + t.consumption.credit_cycles;
                        (out + u64::from(back), Event::Credit(Some((i, b))))
                    }
                });
            }
            let delay = if i == 0 { t.injection.credit_cycles } else { t.link.credit_cycles };
            let credit = || (now + u64::from(delay), Event::Credit(feeder[i]));
            events.extend((before..fifo.popped).map(|_| credit()));
        }
        if fifos.iter().zip(&tree.hops).all(|(f, h)| f.popped == h.flits) {
            return log;
        }
    }
    panic!("the worm never arrives: {t:?}");
}
