//! Unicast tag: the destination address, `ceil(address bits / flit_bits)` flits, unchanged on the next link.
//!
//! The routing function (pins of the switch) turns the address into one lane group.

/// Flits the decision needs: the whole address.
#[must_use]
#[inline(always)]
pub const fn needed(address_flits: u16) -> u16 {
    address_flits
}
