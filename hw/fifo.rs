//! FIFO: a ring of `depth` flits, first word falls through.
//!
//! The reader's pointer and the [counter](crate::counter) of its flits stand at the switch, the writer's pointer at the sender of the
//! link: credits guarantee that a slot is free when a flit is sent, so the link's last register is the FIFO cell itself.

/// The slot `ahead` flits behind the front one in slot `read` (`ahead < depth`).
#[must_use]
#[inline(always)]
pub const fn slot(read: u16, ahead: u16, depth: u16) -> u16 {
    let s = read as u32 + ahead as u32;
    if s >= depth as u32 { (s - depth as u32) as u16 } else { s as u16 }
}

/// A pointer's last value.
#[must_use]
#[inline(always)]
pub const fn back(pointer: u16, depth: u16) -> u16 {
    (if pointer == 0 { depth } else { pointer }) - 1
}

/// A pointer's next value.
#[must_use]
#[inline(always)]
pub const fn advance(pointer: u16, depth: u16) -> u16 {
    if pointer + 1 == depth { 0 } else { pointer + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_wrap_behind_the_last_slot() {
        for depth in 1..6 {
            let mut read = 0;
            for n in 0..20u16 {
                assert_eq!(read, n % depth);
                for ahead in 0..depth {
                    assert_eq!(slot(read, ahead, depth), (n + ahead) % depth);
                }
                assert_eq!(back(advance(read, depth), depth), read);
                read = advance(read, depth);
            }
        }
    }
}
