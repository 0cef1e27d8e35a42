//! FIFO: a ring of `depth` flits, first word falls through.
//!
//! The reader's half stands at the switch (`Reg`), the writer's pointer at the sender of the link: credits guarantee that a
//! slot is free when a flit is sent, so the link's last register is the FIFO cell itself.

/// The reader's registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Slot of the front flit, `0..depth`.
    pub read: u16,
    /// Flits in the FIFO.
    pub count: u16,
}

/// The slot `ahead` flits behind the front one (`ahead < depth`).
#[must_use]
#[inline(always)]
pub const fn slot(q: Reg, ahead: u16, depth: u16) -> u16 {
    let s = q.read as u32 + ahead as u32;
    if s >= depth as u32 { (s - depth as u32) as u16 } else { s as u16 }
}

/// A pointer's next value.
#[must_use]
#[inline(always)]
pub const fn advance(pointer: u16, depth: u16) -> u16 {
    if pointer + 1 == depth { 0 } else { pointer + 1 }
}

/// Registers after `flits` flits, 0 or 1, have arrived from the link.
#[must_use]
#[inline(always)]
pub const fn push(q: Reg, flits: u16) -> Reg {
    Reg { read: q.read, count: q.count + flits }
}

/// Registers after the front flit has left.
#[must_use]
#[inline(always)]
pub const fn pop(q: Reg, depth: u16) -> Reg {
    Reg { read: advance(q.read, depth), count: q.count - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_read_pointer_wraps_and_the_count_returns_to_zero() {
        for depth in 1..6 {
            let mut q = Reg::default();
            for n in 0..20u16 {
                q = push(q, 1);
                assert_eq!(slot(q, 0, depth), n % depth);
                q = pop(q, depth);
            }
            assert_eq!(q.count, 0);
        }
    }
}
