//! Places of the flits of each worm. Planes do not keep the index of a flit. Each lane knows how
//! many flits of the worm in service are to come.

use super::heads::Heads;
use super::sweep::InputView;

/// The flits of one worm at one input lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Slot of the worm.
    pub worm: u32,
    /// Flits in the FIFO in this cycle.
    pub here: u32,
    /// Flits on the link that come later.
    pub coming: u32,
    /// Index of the first of these, or of the one that would be.
    pub first: u32,
}

/// The worms at an input lane, the one in front first. The lane has the registers `q`, and flits on
/// the link into it: those that arrive in this cycle, and those that come later.
pub(super) fn segments(q: &InputView, lane: usize, [now, later]: [u32; 2], heads: &Heads) -> Vec<Segment> {
    let front = q.active.then(|| (heads.input(lane).service.worm(), heads.beyond(lane) + q.left + 1));
    let worms = front.into_iter().chain(heads.waiting(lane).map(|worm| (worm, heads.flits(worm))));
    let (mut here, mut coming) = (q.count + now, later);
    let segments = worms.map(|(worm, left)| {
        let take = |from: &mut u32, most: u32| {
            let taken = most.min(*from);
            *from -= taken;
            taken
        };
        let (here, first) = (take(&mut here, left), heads.flits(worm) - left);
        Segment { worm, here, coming: take(&mut coming, left - here), first }
    });
    segments.collect()
}
