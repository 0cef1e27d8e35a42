//! The commit log of a cycle: it is completed with the data of flits, and goes to the observer.

use wormscope_hw::Encoding;

use super::Planes;
use super::heads::Heads;
use super::sampler::PlaneSampler;
use crate::event::Observer;

impl Planes {
    /// Whether an observer gets samples of the next cycle.
    pub(super) fn turn_sampler(&mut self, is_on: bool) {
        let Self { heads, shape, .. } = self;
        if is_on && heads.events.sampler.is_none() {
            let lanes = shape.lanes.inputs.count().max(shape.lanes.outputs.count());
            let sampler = PlaneSampler::new(heads.grid.routers(), lanes, heads.channels.len());
            heads.events.sampler = Some(Box::new(sampler));
        }
        if let Some(sampler) = &mut heads.events.sampler {
            sampler.is_on = is_on;
        }
    }

    /// Gives the log of the cycle to the observer, if the log is not empty.
    pub(super) fn commit<O: Observer>(&mut self, observer: &mut O) {
        let Self { heads: Heads { events, worms, reach, grid, .. }, shape, now, .. } = self;
        let Some(sampler) = events.sampler.as_deref_mut() else { return };
        sampler.take_arrivals(*now);
        let PlaneSampler { log, for_nodes, .. } = sampler;
        log.cycle = *now;
        let mut words = std::mem::take(&mut log.words);
        for (at, slot) in for_nodes.drain(..) {
            let (sample, worm) = (&mut log.outputs[at as usize], worms.get(slot));
            let Some(flit) = sample.flit else { continue };
            sample.data = words.len() as u32;
            if flit.index >= worm.info.header_flits {
                shape.payload_data(flit, &mut words);
                continue;
            }
            let place = (sample.switch.index(), sample.owner.map_or(0, usize::from), usize::from(sample.lane));
            match (&worm.tree, &*reach) {
                (Some(tree), Some(reach)) if worm.info.encoding == Encoding::BitString => {
                    let rest = reach.behind(grid, place, tree);
                    shape.header_data(&worm.info, flit.index, &rest, None, &mut words);
                }
                _ => shape.header_data(&worm.info, flit.index, &shape.header(&worm.info), None, &mut words),
            }
        }
        log.words = words;
        if !log.is_empty() {
            observer.commit(log);
        }
        log.clear();
    }
}
