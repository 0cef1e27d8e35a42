//! Counter: a number of every router, bit `k` of all of them in plane `k`. In one cycle any number
//! of routers can count, as in hardware.

use super::plane::Plane;

/// Numbers of `B` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter<const L: usize, const B: usize>(pub [Plane<L>; B]);

impl<const L: usize, const B: usize> Counter<L, B> {
    /// The same number everywhere.
    pub fn all(number: u32) -> Self {
        Self(std::array::from_fn(|k| if number >> k & 1 != 0 { Plane::ALL } else { Plane::NONE }))
    }

    /// Counts up at `routers`.
    #[inline(always)]
    pub fn up(&mut self, routers: Plane<L>) {
        let mut carry = routers;
        for plane in &mut self.0 {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// Counts down at `routers`.
    #[inline(always)]
    pub fn down(&mut self, routers: Plane<L>) {
        let mut borrow = routers;
        for plane in &mut self.0 {
            (*plane, borrow) = (*plane ^ borrow, !*plane & borrow);
        }
    }

    /// The routers whose number is not 0.
    #[inline(always)]
    pub fn any(&self) -> Plane<L> {
        self.0.iter().fold(Plane::NONE, |any, &plane| any | plane)
    }

    /// The routers whose number is `number`.
    #[inline(always)]
    pub fn is(&self, number: usize) -> Plane<L> {
        (0..B).fold(Plane::ALL, |is, k| is & if number >> k & 1 != 0 { self.0[k] } else { !self.0[k] })
    }

    /// The routers whose number is `number` or more.
    #[inline(always)]
    pub fn at_least(&self, number: u32) -> Plane<L> {
        if number >> B != 0 {
            return Plane::NONE;
        }
        (0..B).fold(Plane::ALL, |more, k| if number >> k & 1 != 0 { self.0[k] & more } else { self.0[k] | more })
    }

    /// The routers whose number is that of another counter or more.
    #[inline(always)]
    pub fn reaches(&self, other: &Self) -> Plane<L> {
        let lowest_first = self.0.iter().zip(&other.0);
        lowest_first.fold(Plane::ALL, |reaches, (&own, &other)| own & !other | reaches & !(own ^ other))
    }

    /// One router's number.
    #[inline(always)]
    pub fn get(&self, router: usize) -> u32 {
        (0..B).fold(0, |number, k| number | u32::from(self.0[k].get(router)) << k)
    }

    /// Sets one router's number.
    #[inline(always)]
    pub fn set(&mut self, router: usize, number: u32) {
        (0..B).for_each(|k| self.0[k].set(router, number >> k & 1 != 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_count_as_numbers_do() {
        let (mut counter, mut numbers, mut seed) = (Counter::<2, 3>::all(5), [5_u32; 128], 1_u64);
        for _ in 0..400 {
            let mut some = |may: &dyn Fn(u32) -> bool| {
                let mut plane = Plane::<2>::NONE;
                for (router, &number) in numbers.iter().enumerate().filter(|(_, number)| may(**number)) {
                    seed =
                        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ (router as u64 + u64::from(number));
                    plane.set(router, seed & 1 != 0);
                }
                plane
            };
            let (up, down) = (some(&|number| number < 7), some(&|number| number > 0));
            counter.up(up & !down);
            counter.down(down & !up);
            for (router, number) in numbers.iter_mut().enumerate() {
                *number = *number + u32::from(up.get(router)) - u32::from(down.get(router));
                assert_eq!((counter.get(router), counter.any().get(router)), (*number, *number > 0));
                for k in 0..9 {
                    assert_eq!(counter.at_least(k).get(router), *number >= k, "{number} at least {k}");
                }
                assert!((0..8).all(|k| counter.is(k).get(router) == (*number == k as u32)));
            }
        }
        let mut other = counter;
        other.down(other.any());
        assert!(counter.reaches(&counter) == Plane::ALL && counter.reaches(&other) == Plane::ALL);
        assert_eq!(other.reaches(&counter), !counter.any());
        counter.set(70, 6);
        assert_eq!(counter.get(70), 6);
    }
}
