//! Switches that worms pass on the way to their destinations.

use serde::Serialize;

use crate::engine::{Delivery, Observer, WormInfo};
use crate::site::Site;

/// Counts the hops of measured worms.
#[derive(Debug)]
pub(crate) struct HopCount<'a> {
    site: &'a Site,
    /// Whether the count includes worms whose branches climb together. This count takes time.
    takes_time: bool,
    /// Some worm was left out.
    is_partial: bool,
    sum: u64,
    deliveries: u64,
    most: u32,
}

/// Switches on the way to a destination, over all deliveries of measured worms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hops {
    /// Mean number of switches.
    pub mean: f64,
    /// Largest number of switches.
    pub max: u32,
}

impl<'a> HopCount<'a> {
    /// Counts in every network. One that `takes_time` counts all worms; else there is no count of a
    /// run with worms whose branches climb together, lest it becomes slower.
    #[must_use]
    pub fn new(site: &'a Site, takes_time: bool) -> Self {
        Self { site, takes_time, is_partial: false, sum: 0, deliveries: 0, most: 0 }
    }

    /// The counts; `None` if no measured worm has arrived, or a worm was left out.
    #[must_use]
    pub fn counted(&self) -> Option<Hops> {
        let mean = self.sum as f64 / self.deliveries as f64;
        (self.deliveries > 0 && !self.is_partial).then_some(Hops { mean, max: self.most })
    }
}

impl Observer for HopCount<'_> {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if !worm.measured {
            return;
        }
        if !self.takes_time && self.site.climbs_together(worm) {
            self.is_partial = true;
            return;
        }
        let hops = self.site.hops(worm, delivery.destination);
        self.sum += u64::from(hops);
        self.deliveries += 1;
        self.most = self.most.max(hops);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{deliver, worm};
    use super::*;
    use crate::config;

    fn site(topology: &str) -> Site {
        let text = format!("(network: (topology: {topology}))");
        Site::of(&config::from_text("x", &text, &[]).unwrap()).unwrap()
    }

    #[test]
    fn hops_are_those_of_measured_worms_over_their_deliveries() {
        let line = site("linear(nodes: 10)");
        let mut count = HopCount::new(&line, false);
        assert_eq!(count.counted(), None);
        deliver(&mut count, &WormInfo { measured: false, ..worm(0, 0, &[9], 5) }, &[18]);
        assert_eq!(count.counted(), None);
        deliver(&mut count, &worm(1, 3, &[1, 8], 15), &[40, 50]);
        deliver(&mut count, &worm(2, 3, &[3], 15), &[40]);
        assert_eq!(count.counted(), Some(Hops { mean: 10.0 / 3.0, max: 6 }));
    }

    #[test]
    fn worms_that_climb_together_are_counted_where_that_may_take_time() {
        let climbing = site("bi_min(switch_ports: 2, stages: 3)");
        for (takes_time, hops) in [(false, None), (true, Some(Hops { mean: 11.0 / 3.0, max: 5 }))] {
            let mut count = HopCount::new(&climbing, takes_time);
            deliver(&mut count, &worm(1, 0, &[1], 15), &[40]);
            deliver(&mut count, &worm(2, 0, &[1, 7], 15), &[40, 50]);
            assert_eq!(count.counted(), hops);
        }
    }
}
