//! The commit log of a cycle: samples of the nodes, and what the observer gets.

use wormscope_hw::{NodeId, WormId};

use super::Engine;
use crate::event::{ConsumeSample, InjectSample, InjectWait, Observer};
use crate::flit_id::FlitId;
use crate::lane_banks::LaneBanks;

impl Engine {
    pub(super) fn sample_node(&mut self, n: u32, sent: u64, offered: u64) {
        let (bank, first) = self.shape.channels.place(n);
        for c in 0..self.shape.node.injection_lanes {
            let lane = usize::from(first + c);
            let q = self.nodes.channel(bank, lane);
            // The registers are the registers after the cycle: a sent flit has used a credit and
            // increased the count.
            let flit =
                (sent >> c & 1 != 0).then(|| FlitId { worm: self.worms.id(q.next.worm()), index: q.next.index() - 1 });
            self.log.injections.push(InjectSample {
                node: NodeId(n),
                channel: c,
                credits: self.nodes.credits(bank, lane) + u16::from(flit.is_some()),
                flit,
                queue: self.nodes.queued(n),
                waits: (flit.is_none() && !q.is_idle()).then_some(if offered >> c & 1 != 0 {
                    InjectWait::Turn
                } else {
                    InjectWait::NoCredit
                }),
            });
        }
    }

    /// Gives the log of the cycle to the observer, if the log is not empty.
    pub(super) fn commit<O: Observer>(&mut self, observer: &mut O) {
        let (now, log) = (self.now, &mut self.log);
        self.fabric.aside.consumptions.retain(|c| {
            if c.at == now {
                log.consumptions.push(ConsumeSample {
                    node: NodeId(c.node),
                    channel: c.channel,
                    flit: FlitId { worm: WormId(c.worm_id), index: c.flit.index() },
                });
            }
            c.at != now
        });
        (log.cycle, log.samples) = (now, self.sampler.samples);
        log.places = self.fabric.aside.tells_banks.then(|| LaneBanks::by_switch(self.shape.params.fields));
        std::mem::swap(&mut log.words, &mut self.fabric.aside.words);
        if !log.is_empty() {
            observer.commit(log);
        }
        log.clear();
    }
}
