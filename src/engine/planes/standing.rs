//! Places of the flits of each worm. Planes do not keep the index of a flit. It is counted, from
//! the node that a worm goes to back to its source.

use super::chunk::Params;
use super::heads::Heads;
use super::links::GridLinks;
use super::sweep::{Chunks, InputView};

/// The flits of one worm at one input lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Slot of the worm.
    pub worm: u32,
    /// Flits in the FIFO in this cycle.
    pub here: u32,
    /// Flits on the link that come later.
    coming: u32,
    /// Index of the first of these, or of the one that would be.
    pub first: u32,
}

/// All input lanes at the start of a cycle.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    segments: Vec<Segment>,
    /// Begin of the segments of each lane, and the end.
    begin: Vec<u32>,
}

impl Standing {
    /// Counts the flits of all worms at the start of cycle `now`.
    pub fn count(now: u64, (p, sweep): (&Params, &dyn Chunks), links: &GridLinks, heads: &Heads) -> Self {
        let grid = &heads.grid;
        let (lanes, channels) = (grid.lanes(), grid.channels);
        let mut all = Self { segments: Vec::new(), begin: Vec::with_capacity(grid.routers() * lanes + 1) };
        let mut under_way = Vec::new();
        for router in 0..grid.routers() {
            let view = sweep.router(p, router);
            for (of, sending) in view.channels.iter().zip(&heads.channels[router * channels..][..channels]) {
                if of.busy {
                    under_way.push((sending.worm, sending.beyond + of.left + 1));
                }
            }
            for lane in 0..lanes {
                all.begin.push(all.segments.len() as u32);
                let coming = links.under_way(grid, now, router, lane);
                all.lane(&view.inputs[lane], router * lanes + lane, coming, heads);
            }
        }
        all.begin.push(all.segments.len() as u32);
        under_way.sort_unstable();
        for (worm, live) in heads.worms.alive().filter(|(_, live)| live.injected.is_some()) {
            let left = under_way.binary_search_by_key(&worm, |&(worm, _)| worm).map_or(0, |at| under_way[at].1);
            let sent = live.info.header_flits + live.info.payload_flits - left;
            let ports = heads.path(worm).into_iter().rev().map(|(router, port)| router * lanes + port * channels);
            let lanes = ports.flat_map(|first| first..first + channels);
            let places: Vec<_> = lanes.filter_map(|lane| all.place(lane, worm)).collect();
            let standing: u32 = places.iter().map(|&at| all.segments[at].here + all.segments[at].coming).sum();
            let mut index = sent - standing;
            for at in places {
                let segment = &mut all.segments[at];
                segment.first = index;
                index += segment.here + segment.coming;
            }
        }
        all
    }

    /// The segments of a lane of a router.
    fn lane(&mut self, q: &InputView, lane: usize, coming: Vec<(bool, bool)>, heads: &Heads) {
        let mut worms = q.active.then(|| heads.ins[lane].worm).into_iter().chain(heads.waiting(lane));
        let new = |worm| Segment { worm, here: 0, coming: 0, first: 0 };
        let mut open = q.active.then(|| worms.next()).flatten().map(|head| new(head.worm));
        let standing = (0..q.count).map(|place| (true, q.tails >> place & 1 != 0));
        for (is_here, is_tail) in standing.chain(coming) {
            let Some(mut segment) = open.take().or_else(|| worms.next().map(|head| new(head.worm))) else { return };
            segment.here += u32::from(is_here);
            segment.coming += u32::from(!is_here);
            if is_tail {
                self.segments.push(segment);
            } else {
                open = Some(segment);
            }
        }
        self.segments.extend(open);
    }

    /// The place of the segment of a worm at a lane.
    fn place(&self, lane: usize, worm: u32) -> Option<usize> {
        let (begin, end) = (self.begin[lane] as usize, self.begin[lane + 1] as usize);
        (begin..end).find(|&at| self.segments[at].worm == worm)
    }

    /// The worms at a lane, the one in front first.
    pub fn at(&self, lane: usize) -> &[Segment] {
        &self.segments[self.begin[lane] as usize..self.begin[lane + 1] as usize]
    }
}
