//! Planner: it records the sends of a plan and finds the step of each.

use smallvec::smallvec;
use wormscope_hw::{Encoding, NodeId};

use super::plan::{Plan, Receivers, Request, Send, Task, whole};

/// A plan in the making, of a message that travels whole.
pub(super) struct Planner {
    plan: Plan,
    ports: u32,
    /// For each node, its next free start-up. A step has `ports` start-ups.
    free: Vec<u32>,
}

impl Planner {
    /// A plan without sends.
    pub(super) fn new(request: &Request) -> Self {
        let mut destinations: Box<[NodeId]> = Box::from(request.destinations);
        destinations.sort_unstable();
        let sends = Vec::with_capacity(destinations.len());
        Self {
            plan: Plan { task: Task::Multicast, source: request.source, destinations, pieces: 1, sends },
            ports: request.parameters.ports,
            free: vec![0; request.wiring.nodes() as usize],
        }
    }

    /// Records that `from` sends one worm to `to`. `from` must be the source or a receiver of an
    /// earlier send. Its sends keep the order of the calls.
    pub(super) fn send(&mut self, from: NodeId, to: Receivers, encoding: Encoding) {
        let step = self.free[from.index()] / self.ports;
        self.free[from.index()] += 1;
        for node in &to {
            self.free[node.index()] = (step + 1) * self.ports;
        }
        self.plan.sends.push(Send { from, to, encoding, pieces: whole(), step });
    }

    /// Records that `from` sends a unicast to `to`.
    pub(super) fn unicast(&mut self, from: NodeId, to: NodeId) {
        self.send(from, smallvec![to], Encoding::Unicast);
    }

    /// The plan, ordered by step.
    pub(super) fn finish(mut self) -> Plan {
        self.plan.sends.sort_by_key(|send| send.step);
        self.plan
    }
}
