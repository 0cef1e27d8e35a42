//! Cycles as times of a dump.

use std::fmt;
use std::io;

/// The unit of time of a dump, and the number of units in a cycle.
///
/// The unit is the coarsest of 1 ns, 100 ps, 10 ps, … 1 fs in which the clock is a whole number.
/// For a clock without such a unit, times are rounded to 1 fs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timescale {
    /// Clock period in ns.
    clock_ns: f64,
    /// Unit in seconds, as a power of ten.
    exponent: i8,
    /// Number of units in a cycle, if it is whole.
    units: Option<u64>,
}

/// A nanosecond and a femtosecond in seconds, as powers of ten.
const NS: i8 = -9;
const FS: i8 = -15;

impl Timescale {
    /// The timescale of a clock with a period of `clock_ns` nanoseconds.
    #[must_use]
    pub fn of(clock_ns: f64) -> Self {
        // The text of the number is used, because a tenth is not exact as a binary fraction.
        let text = clock_ns.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let units = format!("{whole}{fraction}").parse().ok().filter(|_| fraction.len() <= (NS - FS) as usize);
        let exponent = if units.is_some() { NS - fraction.len() as i8 } else { FS };
        Self { clock_ns, exponent, units }
    }

    /// A timescale in which half a cycle is a whole number of units, if possible.
    #[must_use]
    pub fn halved(self) -> Self {
        match self.units {
            Some(units) if units % 2 == 1 && self.exponent > FS => {
                Self { exponent: self.exponent - 1, units: units.checked_mul(10), ..self }
            }
            _ => self,
        }
    }

    /// The middle of a cycle, in units; `None` if it is no whole number of units.
    pub(crate) fn half(self, cycle: u64) -> Option<u64> {
        let (begin, end) = (self.at(cycle)?, self.at(cycle + 1)?);
        Some(begin.midpoint(end)).filter(|half| *half > begin)
    }

    /// Clock period in ns.
    #[must_use]
    pub fn clock_ns(self) -> f64 {
        self.clock_ns
    }

    /// Unit in seconds, as a power of ten: -9 to -15.
    #[must_use]
    pub fn exponent(self) -> i8 {
        self.exponent
    }

    /// Begin of a cycle, in units; `None` if 64 bits do not hold it.
    #[must_use]
    pub fn at(self, cycle: u64) -> Option<u64> {
        if let Some(units) = self.units {
            return cycle.checked_mul(units);
        }
        let time = (cycle as f64 * self.clock_ns * 10_f64.powi((NS - FS).into())).round();
        // The limit is half of what 64 bits hold, because the next float might not fit.
        #[allow(clippy::cast_sign_loss)] // A product of positive numbers.
        (time < i64::MAX as f64).then_some(time as u64)
    }

    /// The same as [`Timescale::at`], with an error for a dump.
    ///
    /// # Errors
    /// 64 bits do not hold the time.
    pub(crate) fn time(self, cycle: u64) -> io::Result<u64> {
        self.at(cycle).ok_or_else(|| {
            io::Error::other(format!("cycle {cycle} is later than the time of a waveform goes, 2^64 times {self}"))
        })
    }
}

impl Default for Timescale {
    /// A cycle is 1 ns.
    fn default() -> Self {
        Self::of(1.0)
    }
}

impl fmt::Display for Timescale {
    /// `100 ps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = self.parts();
        write!(f, "{number} {unit}")
    }
}

impl Timescale {
    /// Unit of the timescale, as 1, 10 or 100 of `ns`, `ps` or `fs`.
    #[must_use]
    pub fn parts(self) -> (u32, &'static str) {
        let unit = match self.exponent {
            NS.. => "ns",
            -12..NS => "ps",
            _ => "fs",
        };
        (10_u32.pow(self.exponent.rem_euclid(3).unsigned_abs().into()), unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_coarsest_in_which_the_clock_is_whole() {
        let of = |clock: f64| (Timescale::of(clock).to_string(), Timescale::of(clock).at(3).unwrap());
        let told = |unit: &str, at| (unit.to_owned(), at);
        assert_eq!(of(1.0), told("1 ns", 3));
        assert_eq!(of(1e9), told("1 ns", 3_000_000_000));
        assert_eq!(of(2.5), told("100 ps", 75));
        assert_eq!(of(0.1), told("100 ps", 3));
        assert_eq!(of(1.25), told("10 ps", 375));
        assert_eq!(of(0.333), told("1 ps", 999));
        assert_eq!(of(1.0001), told("100 fs", 30_003));
        assert_eq!(of(1.000_01), told("10 fs", 300_003));
        assert_eq!(of(1e-6), told("1 fs", 3));
        // A third is whole in no unit. Each time is rounded by itself, and is no sum of rounded
        // times.
        let third = Timescale::of(1.0 / 3.0);
        assert_eq!((third.to_string(), third.at(3), third.at(1)), ("1 fs".to_owned(), Some(1_000_000), Some(333_333)));
    }

    #[test]
    fn times_that_do_not_fit_are_errors() {
        let fine = Timescale::of(2.5);
        assert_eq!(fine.at(u64::MAX / 25), Some(u64::MAX / 25 * 25));
        assert_eq!(fine.at(u64::MAX / 25 + 1), None);
        assert_eq!(Timescale::of(1.0 / 3.0).at(u64::MAX), None);
        let error = fine.time(1 << 62).unwrap_err().to_string();
        assert_eq!(error, "cycle 4611686018427387904 is later than the time of a waveform goes, 2^64 times 100 ps");
    }
}
