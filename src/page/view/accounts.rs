//! Accounts of worms as the page reads them, in a few bytes a wait.
//!
//! Each worm has the number of its entries, then the entries. An entry is the cause and its cycles.
//! A wait has three more numbers: the worm that it waits for, the place, and the output lane. Each
//! of these three is the number plus one, or 0 if there is none. Numbers are LEB128.

use super::track::Track;
use crate::account::{Account, Cause, Place, Stretch};

/// Number of the cause of an entry that moves: it is decided on, crosses, or is on a link.
const MOVES: u64 = Cause::NAMES.len() as u64;

/// Names of the causes of entries, in the order of their numbers.
pub fn causes() -> Vec<&'static str> {
    Cause::NAMES.into_iter().chain(["moves"]).collect()
}

/// Writes the entries of a worm's account; none of a worm without one.
pub fn tell(account: Option<&Account>, track: &mut Track) {
    let stretches = account.map_or(&[][..], |account| &account.stretches);
    let is_told = |of: &Stretch| of.cause.is_wait() || of.cause == Cause::StartUp;
    let joined: Vec<&[Stretch]> = stretches.chunk_by(|a, b| !is_told(a) && !is_told(b)).collect();
    track.number(joined.len() as u64);
    for of in joined {
        let cycles = of.iter().map(Stretch::cycles).sum();
        let [Stretch { cause, at, output, .. }, ..] = *of else { continue };
        if !is_told(&of[0]) {
            track.number(MOVES);
            track.number(cycles);
            continue;
        }
        track.number(cause.number() as u64);
        track.number(cycles);
        track.number(cause.worm().map_or(0, |worm| u64::from(worm.0) + 1));
        let (kind, number) = match at {
            Place::Source(channel) | Place::Injection(channel) => (0, channel),
            Place::Input(input) => (1, input),
            Place::Output(output) => (2, output),
            Place::Node(node) => (3, node.index()),
        };
        track.number(number as u64 * 4 + kind);
        track.number(output.map_or(0, |output| output as u64 + 1));
    }
}
