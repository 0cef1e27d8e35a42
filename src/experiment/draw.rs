//! Distributions of whole numbers: lengths, counts and times that are drawn.

use std::f64::consts::{PI, SQRT_2};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Largest number of values between `least` and `most` of a normal distribution, because its mean
/// is a sum over them.
const MOST_VALUES: u32 = 1 << 16;

/// A distribution of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Draw {
    /// Always the same number.
    Exactly(u32),
    /// Every number from `least` to `most` is equally likely.
    Uniform {
        /// Smallest number.
        least: u32,
        /// Largest number.
        most: u32,
    },
    /// A normal distribution, rounded. A number outside `least` to `most` is drawn again. If the
    /// ends are not equally far from the mean, the mean changes.
    Normal {
        /// Mean before a number is drawn again.
        mean: f64,
        /// Standard deviation before a number is drawn again.
        deviation: f64,
        /// Smallest number.
        least: u32,
        /// Largest number.
        most: u32,
    },
}

impl Draw {
    /// Smallest number.
    #[must_use]
    pub fn least(&self) -> u32 {
        match *self {
            Self::Exactly(value) => value,
            Self::Uniform { least, .. } | Self::Normal { least, .. } => least,
        }
    }

    /// Largest number.
    #[must_use]
    pub fn most(&self) -> u32 {
        match *self {
            Self::Exactly(value) => value,
            Self::Uniform { most, .. } | Self::Normal { most, .. } => most,
        }
    }

    /// Mean of the numbers that are drawn. For a normal distribution, the mean of the numbers that
    /// are kept.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Uniform { least, most } => f64::midpoint(least.into(), most.into()),
            Self::Exactly(_) | Self::Normal { .. } => self.mean_of(f64::from),
        }
    }

    /// Mean of a function of the numbers that are drawn.
    #[must_use]
    pub fn mean_of(&self, of: impl Fn(u32) -> f64) -> f64 {
        let weighed = |weight: &dyn Fn(f64) -> f64| {
            let parts = (self.least()..=self.most()).map(|n| (weight(n.into()), n));
            let (sum, all) = parts.fold((0.0, 0.0), |(sum, all), (weight, n)| (sum + weight * of(n), all + weight));
            sum / all
        };
        match *self {
            Self::Exactly(value) => of(value),
            Self::Uniform { .. } => weighed(&|_| 1.0),
            Self::Normal { mean, deviation, .. } => {
                // Twice the probability of a smaller number, minus one.
                let below = |x: f64| libm::erf((x - mean) / deviation / SQRT_2);
                weighed(&|n| below(n + 0.5) - below(n - 0.5))
            }
        }
    }

    /// Draws a number. `unit` returns uniform numbers above 0 and up to 1. A number that is always
    /// the same takes none, and a uniform one takes one. A normal one takes two, and two more for
    /// each further draw. libm is pure Rust, so every machine has the same numbers.
    #[allow(clippy::cast_sign_loss)] // All are at least 0.
    pub fn draw(&self, mut unit: impl FnMut() -> f64) -> u32 {
        match *self {
            Self::Exactly(value) => value,
            Self::Uniform { least, most } => {
                let values = f64::from(most - least) + 1.0;
                least + ((unit() * values).ceil() as u64).saturating_sub(1) as u32
            }
            // Box and Muller, Annals of Mathematical Statistics 29(2) 1958.
            Self::Normal { mean, deviation, least, most } => loop {
                let far = libm::sqrt(-2.0 * libm::log(unit()));
                let value = (mean + deviation * far * libm::cos(2.0 * PI * unit())).round();
                if (f64::from(least)..=f64::from(most)).contains(&value) {
                    return value as u32;
                }
            },
        }
    }

    /// Checks that the distribution draws only allowed numbers, and needs few tries. Both ends are
    /// in `unit`, which is empty or begins with a blank.
    ///
    /// # Errors
    /// The field at fault, as a path below this one, and the fault.
    pub fn check(&self, allowed: &RangeInclusive<u32>, unit: &str) -> Result<(), (&'static str, String)> {
        let [low, high] = [allowed.start(), allowed.end()];
        let (names, ends) = match *self {
            Self::Exactly(value) => (["exactly"; 2], [value; 2]),
            Self::Uniform { least, most } => (["uniform.least", "uniform.most"], [least, most]),
            Self::Normal { least, most, .. } => (["normal.least", "normal.most"], [least, most]),
        };
        for (name, end) in names.into_iter().zip(ends) {
            if !allowed.contains(&end) {
                let field = name.rsplit('.').next().unwrap_or(name);
                return Err((name, format!("{field} is {end}; allowed: {low} to {high}{unit}")));
            }
        }
        let [least, most] = ends;
        if least > most {
            return Err((names[0], format!("least is {least} but most is {most}; allowed: {low} to {most}{unit}")));
        }
        let Self::Normal { mean, deviation, .. } = *self else { return Ok(()) };
        if most - least >= MOST_VALUES {
            let why = format!("{least} to {most} of a normal distribution; allowed: up to {MOST_VALUES} values");
            return Err((names[1], why));
        }
        if !(f64::from(least)..=f64::from(most)).contains(&mean) {
            return Err(("normal.mean", format!("mean is {mean:?}; allowed: {least} to {most} (least to most)")));
        }
        // At least a third of the numbers is kept.
        let widest = most - least + 1;
        if !(deviation > 0.0 && deviation <= f64::from(widest)) {
            let why = format!("deviation is {deviation:?}; allowed: above 0, up to {widest} (the width of the range)");
            return Err(("normal.deviation", why));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ron;

    /// Number of times that each number came in `draws` draws.
    fn counts(draw: Draw, draws: u32) -> Vec<u32> {
        // Marsaglia's xorshift64; any stream would do.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut unit = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 11) + 1) as f64 / (1u64 << 53) as f64
        };
        let mut counts = vec![0; draw.most() as usize + 1];
        (0..draws).for_each(|_| counts[draw.draw(&mut unit) as usize] += 1);
        counts
    }

    /// Mean and variance of the counted numbers.
    fn moments(counts: &[u32]) -> (f64, f64) {
        let all = f64::from(counts.iter().sum::<u32>());
        let moment = |of: &dyn Fn(f64) -> f64| {
            counts.iter().enumerate().map(|(n, &count)| f64::from(count) * of(n as f64)).sum::<f64>() / all
        };
        let mean = moment(&|n| n);
        (mean, moment(&|n| (n - mean).powi(2)))
    }

    fn read(text: &str) -> Draw {
        ron::typed("x", text).unwrap()
    }

    #[test]
    fn a_uniform_draw_has_all_its_numbers_alike() {
        let counts = counts(read("uniform(least: 3, most: 7)"), 50_000);
        assert_eq!(counts[..3], [0, 0, 0]);
        assert!(counts[3..].iter().all(|count| count.abs_diff(10_000) < 450), "{counts:?}");
        let ends = Draw::Uniform { least: 3, most: 7 };
        assert_eq!((ends.draw(|| 1.0), ends.draw(|| f64::MIN_POSITIVE)), (7, 3));
        let widest = Draw::Uniform { least: 0, most: u32::MAX };
        assert_eq!((widest.draw(|| 1.0), widest.draw(|| f64::MIN_POSITIVE)), (u32::MAX, 0));
    }

    #[test]
    fn a_normal_draw_has_the_mean_it_is_accounted_with() {
        for text in [
            "normal(mean: 32, deviation: 16, least: 1, most: 63)",
            "normal(mean: 4.5, deviation: 0.7, least: 1, most: 200)",
            // The ends `least` and `most` change the mean here.
            "normal(mean: 5, deviation: 10, least: 4, most: 30)",
            "normal(mean: 8, deviation: 1, least: 8, most: 8)",
        ] {
            let draw = read(text);
            let (mean, variance) = moments(&counts(draw, 100_000));
            assert!((mean - draw.mean()).abs() < 5.0 * (variance / 1e5).sqrt() + 1e-9, "{text}: {mean}");
        }
        let (_, variance) = moments(&counts(read("normal(mean: 500, deviation: 20, least: 1, most: 1000)"), 100_000));
        assert!((variance.sqrt() - 20.0).abs() < 0.25, "{variance}");
    }

    #[test]
    fn means_are_those_of_what_is_drawn() {
        assert_eq!(read("exactly(15)").mean().to_bits(), 15.0_f64.to_bits());
        assert_eq!(read("uniform(least: 1, most: 4)").mean().to_bits(), 2.5_f64.to_bits());
        // By hand: weights of 1, 2, 3 around 1 with deviation 1 are 0.38292, 0.24173, 0.06060.
        let cut = read("normal(mean: 1, deviation: 1, least: 1, most: 3)").mean();
        assert!((cut - 1.529_60).abs() < 1e-4, "{cut}");
        let symmetric = read("normal(mean: 32, deviation: 16, least: 1, most: 63)").mean();
        assert!((symmetric - 32.0).abs() < 1e-9, "{symmetric}");
        assert!((read("uniform(least: 1, most: 4)").mean_of(|n| 1.0 / f64::from(n)) - 25.0 / 48.0).abs() < 1e-12);
    }

    #[test]
    fn only_some_draws_are_allowed() {
        for (text, field, why) in [
            ("exactly(0)", "exactly", "exactly is 0; allowed: 1 to 99 flits"),
            ("uniform(least: 0, most: 4)", "uniform.least", "least is 0; allowed: 1 to 99 flits"),
            ("uniform(least: 1, most: 100)", "uniform.most", "most is 100; allowed: 1 to 99 flits"),
            ("uniform(least: 5, most: 4)", "uniform.least", "least is 5 but most is 4; allowed: 1 to 4 flits"),
            (
                "normal(mean: 70, deviation: 1, least: 1, most: 63)",
                "normal.mean",
                "mean is 70.0; allowed: 1 to 63 (least to most)",
            ),
            (
                "normal(mean: 7, deviation: 0, least: 1, most: 63)",
                "normal.deviation",
                "deviation is 0.0; allowed: above 0, up to 63 (the width of the range)",
            ),
            (
                "normal(mean: 7, deviation: inf, least: 1, most: 63)",
                "normal.deviation",
                "deviation is inf; allowed: above 0, up to 63 (the width of the range)",
            ),
            (
                "normal(mean: NaN, deviation: 1, least: 1, most: 63)",
                "normal.mean",
                "mean is NaN; allowed: 1 to 63 (least to most)",
            ),
        ] {
            assert_eq!(read(text).check(&(1..=99), " flits"), Err((field, why.to_owned())), "{text}");
        }
        let wide = read("normal(mean: 7, deviation: 1, least: 1, most: 65537)").check(&(1..=99_999), "");
        assert_eq!(wide.unwrap_err().1, "1 to 65537 of a normal distribution; allowed: up to 65536 values");
        for text in ["exactly(1)", "uniform(least: 1, most: 99)", "normal(mean: 8, deviation: 1, least: 8, most: 8)"] {
            assert_eq!(read(text).check(&(1..=99), ""), Ok(()), "{text}");
        }
    }
}
