//! Threads: several stretches of cycles of a large mesh at the same time.
//!
//! *Problem.* One processor evaluates a mesh of a million routers in some milliseconds a cycle,
//! and the others wait.
//!
//! *Mechanism.* A stretch has [`STRETCH`] cycles, and moves over the groups of chunks from the
//! lowest to the highest ([`mod@super::sweep`]). The next stretch follows behind it. So threads
//! take stretches in turn. In a step, each stretch under way moves on by [`FRONTS`] groups, and
//! then all threads meet. What a group sent in its last cycles is then handed to the next stretch.
//!
//! *Why it is sound.* A stretch needs the groups that it is in, and one more at each end. The
//! stretch behind needs none of them. So each has slices of its own, and the compiler proves it.
//! Worms as a whole are changed by one thread, after the cycles: from the logs of all threads.
//!
//! *Cost.* Each thread more has a copy of the links, some 7 bytes per router.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::vec::IntoIter;

use wormscope_network::{Network, Topology};

use super::chunk::{Params, Pulse};
use super::heads::Heads;
use super::links::NetworkLinks;
use super::region::{Region, RegionEvents};
use super::sweep::{Band, ONE_BY_ONE, Routers, STRETCH};

/// Groups that a stretch moves on in a step. With fewer, threads wait for each other more often.
const FRONTS: usize = 4;

/// Groups from one stretch to the next. The cache still has what the one in front has read.
const BEHIND: usize = (STRETCH + FRONTS + 1).next_multiple_of(FRONTS);

/// Stretches of a thread in one call.
const ROUNDS: usize = 8;

/// Groups that a thread needs at least. A stretch under way takes some 20 of them.
const GROUPS: usize = 12;

/// Cycles that so many threads do best in one call.
pub(super) fn cycles(threads: usize) -> u64 {
    (if threads > 1 { ROUNDS * threads * STRETCH } else { STRETCH }) as u64
}

/// Threads that evaluate a network, of `most` that may. Small networks fit in the cache of one
/// processor, and links of a torus lead around. `trees` says whether worms go to several nodes.
#[must_use]
pub fn threads(network: &Network, trees: bool, most: usize) -> usize {
    let mesh = match &network.topology {
        Topology::Linear { nodes } => std::slice::from_ref(nodes),
        Topology::Mesh { radices } => radices,
        _ => &[],
    };
    let routers = mesh.iter().map(|&radix| radix as usize).product::<usize>();
    if trees || mesh.is_empty() || routers <= ONE_BY_ONE {
        return 1;
    }
    let chunk = 64 * if network.switch.virtual_channels > 1 { 4 } else { 8 };
    let longest = routers / mesh[mesh.len() - 1] as usize;
    let groups = routers.div_ceil(chunk).div_ceil(longest.div_ceil(chunk));
    most.clamp(1, (groups / GROUPS).max(1))
}

/// Where the threads of a step wait for each other. They yield, and do not fall asleep: to wake
/// takes longer than a step.
#[derive(Debug, Default)]
struct Rendezvous {
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl Rendezvous {
    /// A thread is done. It waits for those that have begun, and may then begin what is left.
    fn wait(&self) {
        self.done.fetch_add(1, Relaxed);
        while self.done.load(Relaxed) < self.begun.load(Relaxed) {
            std::thread::yield_now();
        }
    }
}

/// A stretch under way.
#[derive(Debug)]
struct Stretch<'a> {
    /// Its first cycle, and the group that is in this cycle.
    now: u64,
    front: usize,
    links: &'a mut NetworkLinks,
    pulses: &'a mut [Pulse],
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Band<'_, N, V, L, B, M, G>
{
    /// A step of a stretch.
    fn move_on(&mut self, p: &Params, rendezvous: &Rendezvous, heads: &mut Region<'_>, of: Stretch<'_>) {
        let Stretch { now, front, links, pulses } = of;
        rendezvous.begun.fetch_add(1, Relaxed);
        for front in front..front + FRONTS {
            self.stretch(p, (now, front), links, heads, pulses);
        }
        rendezvous.wait();
    }

    /// A step of a stretch and of those behind it.
    fn step<'a>(
        mut self,
        p: &Params,
        rendezvous: &Rendezvous,
        mut heads: Region<'a>,
        own: Stretch<'a>,
        mut others: IntoIter<(Stretch<'a>, &'a mut RegionEvents)>,
    ) {
        let Some((next, events)) = others.next() else { return self.move_on(p, rendezvous, &mut heads, own) };
        let chunk = (own.front - STRETCH) * self.group;
        let [behind, mut band] = self.split(chunk);
        let [theirs, mut heads] = heads.split(chunk * 64 * L, events);
        rayon::join(
            || band.move_on(p, rendezvous, &mut heads, own),
            || behind.step(p, rendezvous, theirs, next, others),
        );
    }
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Routers<N, V, L, B, M, G>
{
    /// Cycles from `now` on of all chunks, in as many threads as there are `links`. The first of
    /// these are those of the network.
    pub fn follow(
        &mut self,
        p: &Params,
        now: u64,
        mut links: Vec<&mut NetworkLinks>,
        heads: &mut Heads,
        pulses: &mut [Pulse],
    ) {
        let (threads, chunks, (group, groups)) = (links.len(), self.chunks.len(), self.groups(links[0]));
        let empty = RegionEvents { tells_crossings: heads.events.tells_crossings, ..RegionEvents::default() };
        let mut logs = vec![empty; threads];
        // From its first group on, a stretch moves on by so many.
        let whole = groups + STRETCH - 1;
        let turn = whole.max(threads * BEHIND).next_multiple_of(FRONTS);
        let begin = |n: usize| n / threads * turn + n % threads * BEHIND;
        let (stretches, last) = (pulses.len().div_ceil(STRETCH), (pulses.len() - 1) % STRETCH + 1);
        for front in (0..begin(stretches - 1) + whole).step_by(FRONTS) {
            let first = (0..stretches).take_while(|&n| begin(n) + whole <= front).count();
            let under_way = first..first + (first..stretches).take_while(|&n| begin(n) <= front).count();
            let mut own: Vec<_> = links.iter_mut().zip(&mut logs).map(Some).collect();
            let parts = pulses.chunks_mut(STRETCH).enumerate().skip(first).take(under_way.len());
            let parts = parts.filter_map(|(n, pulses)| {
                let (links, events) = own[n % threads].take()?;
                let now = now + (n * STRETCH) as u64;
                Some((Stretch { now, front: front - begin(n), links, pulses }, events))
            });
            let mut parts = parts.collect::<Vec<_>>().into_iter();
            if let Some((first, events)) = parts.next() {
                self.band((group, groups)).step(
                    p,
                    &Rendezvous::default(),
                    Region { events, ..heads.region() },
                    first,
                    parts,
                );
            }
            for n in under_way {
                let (cycles, to) = if n + 1 < stretches { (STRETCH, n + 1) } else { (last, 0) };
                let done = |front: usize| (front - begin(n)).saturating_sub(cycles - 1).min(groups);
                let done = done(front)..done(front + FRONTS);
                if let Ok([from, to]) = links.get_disjoint_mut([n % threads, to % threads]) {
                    let word = |of: usize| chunks.min(of * group) * L;
                    from.hand(to, word(done.start)..word(done.end));
                }
            }
        }
        for events in &mut logs {
            heads.events.take(events);
        }
    }
}
