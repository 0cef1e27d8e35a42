//! The samples of a chunk for the commit log, 64 routers at a time. A plane is a bank of the log.

use wormscope_hw::{NodeId, SwitchId};

use super::chunk::Chunk;
use super::counter::Counter;
use super::crossbar::Crossings;
use super::links::NetworkLinks;
use super::plane::Plane;
use super::region::Region;
use super::sampler::PlaneSampler;
use super::wired::Far;
use crate::banked::SlicedCounters;
use crate::event::{BankSample, ConsumeSample, InjectSample, OutSample};
use crate::flit_id::FlitId;

/// Word `j` of the counters of a chunk.
#[inline(always)]
fn word<const L: usize, const B: usize>(counter: &Counter<L, B>, j: usize) -> SlicedCounters {
    SlicedCounters::from_planes(&counter.0.map(|plane| plane.0[j]))
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Chunk<N, V, L, B, M, G>
{
    /// Logs the registers of the routers at the start of cycle `now`, and what crosses in it. This
    /// is before the FIFOs and the credits change.
    #[inline(never)]
    pub(super) fn sample(
        &self,
        now: u64,
        chunk: usize,
        links: &NetworkLinks,
        crossing: &Crossings<N, L>,
        heads: &mut Region<'_>,
    ) {
        let Some(mut sampler) = heads.events.sampler.take() else { return };
        let base = chunk * 64 * L;
        for (lane, (input, output)) in self.inputs.iter().zip(&self.outputs).enumerate().take(sampler.lanes) {
            for j in 0..L {
                let first = base + 64 * j;
                let Some(here) = sampler.routers.checked_sub(first).filter(|&here| here > 0) else { break };
                sampler.log.banks.push(BankSample {
                    bank: (first / 64 * sampler.lanes + lane) as u32,
                    live: u64::MAX >> (64 - here.min(64)),
                    flits: word(&input.fifo.count, j),
                    credits: word(&output.credits.0, j),
                    crossed: crossing.crossed[lane].0[j],
                    tails: crossing.tails[lane].0[j],
                });
            }
            let [to_node, _] = links.of_nodes::<N, V, L, G>(lane, chunk);
            (crossing.crossed[lane] & to_node).each(|router| {
                let Far::Node(node) = heads.grid.to::<N, V>(base + router, lane) else { return };
                let channel = node as usize * V + lane % V;
                let slot = heads.sinks[channel].worm;
                let PlaneSampler { for_nodes, log, arriving, received, .. } = &mut *sampler;
                let passing = &mut received[channel];
                let flit = passing.flit(heads.id(slot), || self.owner(lane, router));
                for_nodes.push((log.outputs.len() as u32, slot));
                log.outputs.push(OutSample {
                    switch: SwitchId((base + router) as u32),
                    lane: lane as u8,
                    owner: Some(passing.owner),
                    credits: output.credits.0.get(router) as u16,
                    flit: Some(flit),
                    data: 0,
                });
                let (node, channel) = (NodeId(node), (lane % V) as u8);
                arriving.push_back((now + heads.consume, ConsumeSample { node, channel, flit }));
            });
        }
        let PlaneSampler { heads: crossing_heads, log, .. } = &mut *sampler;
        log.outputs.extend(crossing_heads.drain(..).map(|head| OutSample {
            switch: SwitchId(head.router),
            lane: head.out,
            owner: Some(head.input),
            credits: self.outputs[usize::from(head.out)].credits.0.get(head.router as usize - base) as u16,
            flit: Some(FlitId { worm: head.worm, index: 0 }),
            data: 0,
        }));
        heads.events.sampler = Some(sampler);
    }

    /// The input that owns an output lane of a router.
    fn owner(&self, lane: usize, router: usize) -> u8 {
        let owns = |&input: &usize| match self.replication.lanes.get(input) {
            Some(lanes) => lanes[lane].get(router),
            None => (self.inputs[input].active & !self.inputs[input].asking & self.wants[input][lane]).get(router),
        };
        (0..N).find(owns).unwrap_or(0) as u8
    }

    /// Logs the injection channels of the chunk that a flit has left, or that got a credit in this
    /// cycle.
    #[inline(never)]
    pub(super) fn sample_nodes(&self, base: usize, [injected, credited]: [&[Plane<L>; V]; 2], heads: &mut Region<'_>) {
        let Some(mut sampler) = heads.events.sampler.take() else { return };
        for (c, (&injected, &credited)) in injected.iter().zip(credited).enumerate() {
            (injected | credited).each(|node| {
                let channel = (base + node) * V + c;
                let flit = injected.get(node).then(|| {
                    let worm = heads.id(heads.channels[channel].worm);
                    sampler.injected[channel].flit(worm, || 0)
                });
                sampler.log.injections.push(InjectSample {
                    node: NodeId((base + node) as u32),
                    channel: c as u8,
                    // The flit has taken one.
                    credits: self.injector.channels[c].credits.0.get(node) as u16 + u16::from(flit.is_some()),
                    flit,
                    queue: 0,
                    waits: None,
                });
            });
        }
        heads.events.sampler = Some(sampler);
    }
}
