//! Collects the numbers of the report about worms during the run. Its memory does not grow with the
//! number of worms.

use std::collections::HashMap;
use std::ops::Range;

use wormscope_hw::WormId;

use super::Histogram;
use super::classes::{Classes, Flits, Spread};
use crate::engine::{Delivery, Observer, WormInfo};

/// Largest number of multicasts with their own row.
const MOST_ROWS: usize = 4096;
/// Largest number of destinations of all rows together.
const MOST_DESTINATIONS: usize = 1 << 20;

/// Observes a run for the report.
#[derive(Debug)]
pub struct Collector {
    window: Range<u64>,
    packet: Histogram,
    network: Histogram,
    offered: u64,
    accepted: f64,
    delivered: u64,
    classes: Classes,
    rows: Vec<Multicast>,
    most_rows: usize,
    row_destinations: usize,
    left_out: u64,
    /// Multicasts that have not reached all destinations, and the row of each multicast that has a
    /// row.
    under_way: HashMap<WormId, (Spread, Option<usize>)>,
}

/// A worm with more than one destination. Latencies are cycles from creation to the tail's arrival.
#[derive(Clone, Debug)]
pub struct Multicast {
    /// The worm.
    pub worm: WormInfo,
    /// Latencies of the destinations that have the whole multicast.
    pub spread: Spread,
}

impl Multicast {
    /// Whether the multicast has reached all its destinations.
    #[must_use]
    pub fn done(&self) -> bool {
        self.spread.arrived as usize == self.worm.destinations.len()
    }
}

impl Collector {
    /// A collector for a run that measures the messages created in the cycles of `window`.
    #[must_use]
    pub fn new(window: Range<u64>) -> Self {
        Self {
            window,
            packet: Histogram::default(),
            network: Histogram::default(),
            offered: 0,
            accepted: 0.0,
            delivered: 0,
            classes: Classes::default(),
            rows: Vec::new(),
            most_rows: MOST_ROWS,
            row_destinations: 0,
            left_out: 0,
            under_way: HashMap::new(),
        }
    }

    /// The same as [`Self::new`], without a row for each multicast. Rows take time.
    #[must_use]
    pub(crate) fn without_rows(window: Range<u64>) -> Self {
        Self { most_rows: 0, ..Self::new(window) }
    }

    /// Largest number of rows.
    #[must_use]
    pub(crate) fn most_rows(&self) -> usize {
        self.most_rows
    }

    /// The measured window, in cycles.
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.window.clone()
    }

    /// Cycles from creation to the tail's arrival, of every delivery of measured worms.
    #[must_use]
    pub fn packet_latency(&self) -> &Histogram {
        &self.packet
    }

    /// Cycles from the first flit's injection to the tail's arrival, of every delivery of measured
    /// worms.
    #[must_use]
    pub fn network_latency(&self) -> &Histogram {
        &self.network
    }

    /// Latencies of measured worms by class.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Flits of the worms created in the window, header and payload.
    #[must_use]
    pub(crate) fn offered_flits(&self) -> u64 {
        self.offered
    }

    /// Flits of worms that arrived in the window, header and payload as created. A worm counts for
    /// each of its d destinations with 1/d of its flits, wholly in the cycle of its tail. Below
    /// saturation, a network accepts the offered flits, with and without replication.
    #[must_use]
    pub(crate) fn accepted_flits(&self) -> f64 {
        self.accepted
    }

    /// Flits that the nodes took in the window, every copy counted, wholly in the cycle of their
    /// worm's tail.
    #[must_use]
    pub(crate) fn delivered_flits(&self) -> u64 {
        self.delivered
    }

    /// The first thousands of multicasts, in the order of creation.
    #[must_use]
    pub fn multicasts(&self) -> &[Multicast] {
        &self.rows
    }

    /// Multicasts that have no row.
    #[must_use]
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl Observer for Collector {
    fn created(&mut self, worm: &WormInfo) {
        if worm.measured {
            self.offered += flits(worm);
            if worm.class.number.is_some() {
                self.classes.add(worm, Flits { offered: flits(worm), ..Flits::default() });
            }
        }
        let destinations = worm.destinations.len();
        if destinations < 2 {
            return;
        }
        let has_room = self.rows.len() < self.most_rows && self.row_destinations + destinations <= MOST_DESTINATIONS;
        if has_room {
            self.row_destinations += destinations;
            self.rows.push(Multicast { worm: worm.clone(), spread: Spread::default() });
        } else {
            self.left_out += 1;
        }
        if has_room || worm.measured {
            let row = has_room.then(|| self.rows.len() - 1);
            self.under_way.insert(worm.id, (Spread::default(), row));
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let latency = delivery.tail - worm.created;
        if worm.measured {
            self.packet.record(latency);
            self.network.record(delivery.tail - delivery.injected);
        }
        if self.window.contains(&delivery.tail) {
            self.accepted += flits(worm) as f64 / worm.destinations.len() as f64;
            self.delivered += u64::from(delivery.flits);
            if worm.class.number.is_some() {
                let accepted = flits(worm) as f64 / worm.destinations.len() as f64;
                self.classes.add(worm, Flits { offered: 0, accepted, delivered: delivery.flits.into() });
            }
        }
        if worm.destinations.len() < 2 {
            if worm.measured {
                self.classes.single(worm, latency);
            }
            return;
        }
        if let Some((spread, row)) = self.under_way.get_mut(&worm.id) {
            spread.add(latency);
            if let Some(row) = *row {
                self.rows[row].spread = *spread;
            }
            if spread.arrived as usize == worm.destinations.len() {
                if worm.measured {
                    self.classes.several(worm, spread);
                }
                self.under_way.remove(&worm.id);
            }
        }
    }
}

fn flits(worm: &WormInfo) -> u64 {
    u64::from(worm.header_flits) + u64::from(worm.payload_flits)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{deliver, worm};
    use super::*;

    fn collector(warmup_cycles: u64, measure_cycles: u64) -> Collector {
        Collector::new(warmup_cycles..warmup_cycles + measure_cycles)
    }

    #[test]
    fn latencies_are_those_of_measured_worms_wherever_they_end() {
        let mut collector = collector(10, 10);
        let (early, inside) = (WormInfo { measured: false, ..worm(0, 0, &[1], 5) }, worm(1, 0, &[1], 15));
        collector.created(&early);
        collector.created(&inside);
        deliver(&mut collector, &early, &[18]);
        deliver(&mut collector, &inside, &[40]);
        let latency = collector.packet_latency().latency().unwrap();
        assert_eq!((latency.count, latency.max), (1, 25));
        assert_eq!(collector.network_latency().latency().unwrap().max, 24);
    }

    #[test]
    fn a_worm_is_accepted_once_and_delivered_once_per_destination() {
        let mut collector = collector(0, 100);
        let multicast = worm(0, 0, &[1, 2, 3, 4], 0);
        collector.created(&multicast);
        deliver(&mut collector, &multicast, &[20, 30, 40, 100]);
        assert_eq!(collector.offered_flits(), 12);
        assert!((collector.accepted_flits() - 9.0).abs() < 1e-12);
        assert_eq!(collector.delivered_flits(), 36);
    }

    #[test]
    fn a_multicast_row_knows_its_first_and_last_arrival() {
        let mut collector = collector(0, 100);
        let multicast = worm(3, 0, &[1, 2, 3], 7);
        collector.created(&multicast);
        deliver(&mut collector, &multicast, &[37, 27]);
        let row = &collector.multicasts()[0];
        let Spread { arrived, first, last, sum } = row.spread;
        assert_eq!((arrived, first, last, sum, row.done()), (2, 20, 30, 50, false));
    }

    #[test]
    fn some_thousand_rows_are_kept_and_the_rest_counted() {
        let mut collector = collector(0, 100);
        (0..5000).for_each(|id| collector.created(&worm(id, 0, &[1, 2], 7)));
        assert_eq!((collector.multicasts().len(), collector.left_out()), (4096, 904));
        deliver(&mut collector, &worm(4999, 0, &[1, 2], 7), &[20, 30]);
        assert_eq!(collector.packet_latency().latency().unwrap().count, 2);
        let classes = collector.classes().latencies(&[]);
        assert_eq!(
            classes.iter().map(|of| (of.class.as_str(), of.last.max)).collect::<Vec<_>>(),
            [("all", 23), ("multicast", 23), ("bit_string", 23),]
        );
    }
}
