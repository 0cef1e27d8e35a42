//! Steps of several multicasts at once (\[KP\] section 2.3.1). A start-up takes one step, nothing
//! else takes time, and there is no contention for links.
//!
//! A node makes one start-up in a step. Its receivers have the message at the end of the step and
//! may start up in the next. All multicasts begin at step 0.
//!
//! A node that gets a message queues all its start-ups of that multicast. They come after the
//! start-ups that the node queued before, first in, first out. Those of a source are there from the
//! beginning. The text does not say so, but this discipline gives the printed tables.

use std::collections::{HashMap, VecDeque};

use wormscope_hw::NodeId;

use crate::Plan;

/// Start-ups of each node for each multicast, as numbers of its sends.
type Batches = HashMap<(usize, NodeId), Vec<usize>>;

/// The steps after which the last receiver of each multicast has its message. The messages travel
/// whole.
#[must_use]
pub fn steps(plans: &[Plan]) -> Vec<u32> {
    let mut batches = Batches::new();
    for (multicast, plan) in plans.iter().enumerate() {
        for (number, send) in plan.sends.iter().enumerate() {
            batches.entry((multicast, send.from)).or_default().push(number);
        }
    }
    let mut queues: HashMap<NodeId, VecDeque<(usize, usize)>> = HashMap::new();
    let mut queue = |queues: &mut HashMap<_, VecDeque<_>>, multicast: usize, node: NodeId| {
        // A batch is queued once.
        let batch = batches.remove(&(multicast, node)).unwrap_or_default();
        queues.entry(node).or_default().extend(batch.into_iter().map(|number| (multicast, number)));
    };
    for (multicast, plan) in plans.iter().enumerate() {
        queue(&mut queues, multicast, plan.source);
    }
    let mut done = vec![0; plans.len()];
    for step in 1.. {
        let mut started: Vec<(usize, usize)> = queues.values_mut().filter_map(VecDeque::pop_front).collect();
        if started.is_empty() {
            break;
        }
        // The order among messages that arrive together changes little, but must be the same in
        // every run.
        started.sort_unstable();
        for (multicast, number) in started {
            done[multicast] = step;
            for &node in &plans[multicast].sends[number].to {
                queue(&mut queues, multicast, node);
            }
        }
    }
    done
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
