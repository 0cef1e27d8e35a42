//! Multidestination: addresses in visiting order. A router that *is* the first strips it, absorbs a copy and forwards the rest
//! towards the next; any other routes towards the first (\[KP\] section 2.2; \[TPP\] step 4).
//!
//! The `hdr` side signal of the flit behind an address tells whether another address follows.

/// The addresses of a header, as far as a decision looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// First address; `None` behind the last.
    pub first: Option<u32>,
    /// Another address follows the first.
    pub more: bool,
    /// The first address is this router's own.
    pub is_here: bool,
}

/// What the decoder sees at the front of the FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In {
    /// Flits in the FIFO.
    pub count: u16,
    /// Flits of one address.
    pub address_flits: u16,
    /// The header from the front on.
    pub header: Header,
    /// Own address already stripped here; the front is what follows it.
    pub stripped: bool,
    /// Idealised timing: look at flits that have not arrived.
    pub overlapped: bool,
}

/// What it does in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// Pop the address now (all its flits).
    pub strip: bool,
    /// The flits of the decision are there: the routing decision starts.
    pub ready: bool,
    /// The own address is still to be stripped: the decision cannot end.
    pub holds: bool,
}

/// Combinational logic of the decoder.
///
/// The own address is stripped in the cycle in which it is wholly there. Behind it the decision waits for the next address, or,
/// when none follows, for the one flit whose `hdr = 0` says so. Overlapped, the decision starts with the first flit and ends when
/// the own address is stripped at the earliest.
#[must_use]
#[inline]
pub const fn eval(i: In) -> Out {
    let own = i.header.is_here && !i.stripped;
    let strip = own && i.count >= i.address_flits;
    let count = if strip { i.count - i.address_flits } else { i.count };
    let follows = if own { i.header.more } else { i.header.first.is_some() };
    let needed = if follows { i.address_flits } else { 1 };
    let holds = own && !strip;
    Out { strip, ready: i.overlapped || !holds && count >= needed, holds }
}

/// Most flits one decision needs at once: two addresses when it absorbs and forwards.
#[must_use]
pub const fn needed(address_flits: u16, destinations: u32) -> u32 {
    if destinations > 1 { 2 * address_flits as u32 } else { address_flits as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_address_is_needed_besides_the_own() {
        assert_eq!([1, 2, 3].map(|destinations| needed(3, destinations)), [3, 6, 6]);
    }
}
