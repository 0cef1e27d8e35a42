//! Test whether random traffic is beyond saturation: source queues grow steadily through the
//! measured window. In a long run the test is repeated for twice, four times, ... the window.
//!
//! Payload flits of messages that were created and whose tail has not left wait at their source.
//! They are counted at the begin, in the middle and at the end of the window. A source that sends
//! messages of `f` flits at random offers `sum f`, give or take `sqrt(sum f^2)`. The queue of a
//! source at its limit would grow by about as much by chance.
//!
//! Growth is counted in this unit. So the lengths of worms and of the window do not matter. A run
//! is saturated when the growth
//!
//! - of all n sources that send is on the mean at least `max(3/4, 5/sqrt(n))`, or
//! - of one of them, alone (n = 1), is at least 5,
//!
//! and each half of the window has at least a quarter of it. So a network that fills up in the
//! beginning does not count, and neither does a single burst.
//!
//! Below saturation queues do not grow with the window, so a longer window makes the result surer.
//! A load of x times saturation is seen when the sources send about `(3/4 x / (x - 1))^2` messages
//! each. So a run that drains for a whole window is tested for twice the window.
//! docs/explain/measurement.md tells how this was tried.

use std::ops::Range;

use serde::Serialize;

/// Smallest mean growth of many sources that counts as saturation, in the unit above.
const OF_MANY: f64 = 0.75;
/// Smallest growth of one source that counts as saturation, in the unit above. For the mean of n
/// sources it is `sqrt(n)` times smaller.
const OF_ONE: f64 = 5.0;
/// Smallest share of the growth that each half of the window must have.
const OF_A_HALF: f64 = 0.25;

/// Backlog at the sources of a network.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    /// Begin, middle and end of the window.
    at: [u64; 3],
    sources: Vec<SourceQueue>,
    /// Result at the end of the last window.
    said: Option<Saturation>,
}

/// Flits that wait at a source, and flits that the traffic offers to it.
#[derive(Clone, Copy, Debug, Default)]
struct SourceQueue {
    /// Flits that wait at begin, middle and end of the window.
    waiting: [i64; 3],
    /// Sum of the squared lengths of the messages created in the window.
    squares: f64,
}

/// Result for the source queues, from the measured window and its multiples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saturation {
    /// Whether the queues grow steadily.
    pub saturated: bool,
    /// Cycle at the end of the window. It is the end of the measured window. In a run that drained
    /// for longer, it is the end of the last window of twice, four times, ... its length.
    pub until: u64,
    /// Payload flits that wait at all sources at the begin, in the middle and at the end of the
    /// window.
    pub waiting_flits: [u64; 3],
    /// Mean growth of the sources that send, in units of the growth by chance.
    pub growth: f64,
    /// Smallest mean growth that counts as saturation.
    pub threshold: f64,
    /// The source whose queue grew most.
    pub worst_source: Option<WorstSource>,
}

/// The source whose queue grew most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstSource {
    /// Node of the source.
    pub node: u32,
    /// Growth of the queue in units of the growth by chance; 5 and more count.
    pub growth: f64,
}

impl Backlog {
    /// A backlog without messages, for `nodes` nodes.
    #[must_use]
    pub fn new(nodes: u32, window: Range<u64>) -> Self {
        let middle = window.start.midpoint(window.end);
        let sources = vec![SourceQueue::default(); nodes as usize];
        Self { at: [window.start, middle, window.end], sources, said: None }
    }

    /// Records that a message is created in `cycle`.
    pub fn created(&mut self, cycle: u64, node: usize, flits: u32) {
        self.wait(cycle, node, i64::from(flits));
        if (self.at[0]..self.at[2]).contains(&cycle) {
            self.sources[node].squares += f64::from(flits) * f64::from(flits);
        }
    }

    /// Records that the tail of a message leaves its source in `cycle`.
    pub fn departed(&mut self, cycle: u64, node: usize, flits: u32) {
        self.wait(cycle, node, -i64::from(flits));
    }

    fn wait(&mut self, cycle: u64, node: usize, flits: i64) {
        for (waiting, at) in self.sources[node].waiting.iter_mut().zip(self.at) {
            *waiting += if cycle < at { flits } else { 0 };
        }
    }

    /// The result at the end of the last window, or else the result now.
    #[must_use]
    pub fn saturation(&self) -> Saturation {
        self.said.clone().unwrap_or_else(|| self.of_window())
    }

    /// Cycle at the end of the window.
    #[must_use]
    pub fn window_end(&self) -> u64 {
        self.at[2]
    }

    /// Whether queues grow steadily through the window, which must be over. The window is then
    /// doubled; an empty one gets one cycle.
    pub fn judge_window(&mut self) -> bool {
        let found = self.of_window();
        let [begin, _, end] = self.at;
        self.at = [begin, end, end.saturating_add((end - begin).max(1))];
        for source in &mut self.sources {
            let [begin, _, end] = source.waiting;
            source.waiting = [begin, end, end];
        }
        self.said.insert(found).saturated
    }

    fn of_window(&self) -> Saturation {
        let sending = (0..).zip(&self.sources).filter(|(_, source)| source.squares > 0.0);
        let (mut mean, mut n, mut worst, mut alone) = ([0.0; 2], 0_u32, None::<WorstSource>, false);
        for (node, source) in sending {
            let halves = source.growth();
            let growth = halves[0] + halves[1];
            n += 1;
            mean = [mean[0] + halves[0], mean[1] + halves[1]];
            alone |= grows(halves, OF_ONE);
            if worst.is_none_or(|worst| growth > worst.growth) {
                worst = Some(WorstSource { node, growth });
            }
        }
        let mean = mean.map(|half| half / f64::from(n.max(1)));
        let threshold = threshold(n);
        let waiting = |at| self.sources.iter().map(|source| source.waiting[at]).sum::<i64>().cast_unsigned();
        Saturation {
            saturated: alone || grows(mean, threshold),
            until: self.at[2],
            waiting_flits: [0, 1, 2].map(waiting),
            growth: mean[0] + mean[1],
            threshold,
            worst_source: worst,
        }
    }
}

/// Number of messages that each of this many sources has to send. Then the test finds a load that
/// is too large by this share of saturation, if the queues of all sources grow equally.
#[must_use]
pub(crate) fn messages_for(sources: u32, share: f64) -> f64 {
    (threshold(sources) / share).powi(2)
}

/// Smallest mean growth of this number of sources that counts as saturation.
fn threshold(sources: u32) -> f64 {
    OF_MANY.max(OF_ONE / f64::from(sources.max(1)).sqrt())
}

impl SourceQueue {
    /// Growth in each half of the window, in units of the growth by chance.
    fn growth(&self) -> [f64; 2] {
        let [begin, middle, end] = self.waiting;
        [middle - begin, end - middle].map(|flits| flits as f64 / self.squares.sqrt())
    }
}

/// Whether growth reaches the threshold and is steady.
fn grows(halves: [f64; 2], threshold: f64) -> bool {
    let growth = halves[0] + halves[1];
    growth >= threshold && halves.iter().all(|half| *half >= OF_A_HALF * growth)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Result for messages of 16 flits at two nodes through cycles 100 to 1100. `leave` is the
    /// number of messages of node 0 that leave in each half.
    fn of(leave: [u64; 2]) -> Saturation {
        let mut backlog = Backlog::new(3, 100..1100);
        for cycle in (100..1100).step_by(10) {
            backlog.created(cycle, 0, 16);
            backlog.created(cycle, 2, 16);
            backlog.departed(cycle, 2, 16);
        }
        for (half, left) in [100, 600].into_iter().zip(leave) {
            (0..left).for_each(|n| backlog.departed(half + n, 0, 16));
        }
        backlog.saturation()
    }

    #[test]
    fn growth_counts_in_units_of_what_chance_makes_of_it() {
        // With 100 messages, the unit is 10. Silent nodes do not count.
        let found = of([25, 25]);
        assert_eq!(found.waiting_flits, [0, 400, 800]);
        assert_eq!(found.worst_source, Some(WorstSource { node: 0, growth: 5.0 }));
        assert!((found.growth - 2.5).abs() < 1e-12 && (found.threshold - 5.0 / 2.0_f64.sqrt()).abs() < 1e-12);
        assert!(found.saturated, "one source alone");
        assert!(!of([26, 25]).saturated);
    }

    #[test]
    fn growth_has_to_be_steady() {
        assert!(of([15, 35]).saturated);
        // All growth is in the first half, as when a network fills up, or in the second, as in a
        // burst.
        assert!(!of([12, 38]).saturated && !of([0, 50]).saturated);
        assert!(!of([50, 0]).saturated);
    }

    #[test]
    fn what_is_behind_the_window_does_not_count() {
        let mut backlog = Backlog::new(1, 0..10);
        backlog.created(3, 0, 7);
        let before = backlog.saturation();
        backlog.created(10, 0, 7);
        backlog.departed(12, 0, 7);
        assert_eq!(backlog.saturation(), before);
        assert_eq!(Backlog::new(1, 0..10).saturation().worst_source, None);
    }

    #[test]
    fn a_run_that_drains_for_as_long_again_is_asked_of_twice_the_window() {
        // One of every four messages stays in the queue. This growth is too small for windows of
        // 40, 80 and 160 messages, and large enough for 640.
        let (mut backlog, mut asked) = (Backlog::new(1, 0..400), Vec::new());
        for cycle in (0..6400).step_by(10) {
            if cycle == backlog.window_end() {
                asked.push((cycle, backlog.judge_window()));
            }
            backlog.created(cycle, 0, 16);
            if cycle % 40 != 0 {
                backlog.departed(cycle, 0, 16);
            }
        }
        assert_eq!(asked, [(400, false), (800, false), (1600, false), (3200, false)]);
        assert_eq!((backlog.saturation().until, backlog.saturation().waiting_flits), (3200, [0, 640, 1280]));
        assert!(backlog.judge_window());
        // One window of that length would have the same result.
        let found = backlog.saturation();
        assert_eq!((found.until, found.waiting_flits), (6400, [0, 1280, 2560]));
        assert!((found.growth - 160.0 / 640.0_f64.sqrt()).abs() < 1e-12);
    }
}
