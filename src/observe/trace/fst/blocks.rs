//! Blocks of an FST. A block has the values of the signals at its begin, and the times of changes.
//! For each signal it has a compressed chain of the changes.

use std::io::{self, Write};

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use miniz_oxide::deflate::compress_to_vec_zlib;

use super::super::vcd::full_word;

/// Kind of a block of changes in which signals without changes take no space.
const BLOCK: u8 = 8;
/// Mark of chains that LZ4 compresses.
const LZ4: u8 = b'4';
/// Chains of fewer bytes are not compressed.
const LEAST: usize = 32;
/// Effort of zlib. Values at the begin of a block are mostly alike, and times are regular.
const EFFORT: u8 = 1;

/// Digit of an unknown bit.
const UNKNOWN: u8 = b'x';

/// A value that a signal takes.
#[derive(Clone, Copy)]
struct Change {
    /// Number of the signal.
    signal: u32,
    /// The value. For more than 32 bits, the place of its words in [`Changes::words`].
    value: u32,
}

/// Largest number of bits of a value inside its change.
pub(super) const SHORT: u32 = 32;

/// Changes in the order in which they came.
#[derive(Default)]
pub(super) struct Changes {
    /// Time at which they begin.
    pub begin: u64,
    /// Times at which a change may occur, with the number of changes before each.
    times: Vec<(u64, usize)>,
    all: Vec<Change>,
    words: Vec<u64>,
    /// Steps, from 1, at which all signals become unknown. No change comes there.
    unknown: Vec<u32>,
}

impl Changes {
    /// Makes all signals unknown from the present time on.
    pub fn unknown(&mut self) {
        self.unknown.push(self.times.len() as u32);
    }

    /// Begins this time.
    pub fn time(&mut self, time: u64) {
        self.times.push((time, self.all.len()));
    }

    /// Takes a value of at most [`SHORT`] bits.
    #[inline]
    pub fn push(&mut self, signal: u32, value: u32) {
        self.all.push(Change { signal, value });
    }

    /// Takes a longer value, bit 0 first.
    #[inline]
    pub fn push_long(&mut self, signal: u32, value: &[u64]) {
        self.push(signal, self.words.len() as u32);
        self.words.extend(value);
    }

    /// Number of changes, and of words of long values.
    pub fn len(&self) -> usize {
        self.all.len() + self.words.len()
    }

    /// Time at which the changes end.
    pub fn end(&self) -> u64 {
        self.times.last().map_or(self.begin, |(time, _)| *time)
    }

    /// Changes at the begin.
    fn first(&self) -> &[Change] {
        &self.all[..self.times.first().map_or(self.all.len(), |(_, first)| *first)]
    }

    /// Changes of each time.
    fn steps(&self) -> impl Iterator<Item = &[Change]> {
        let ends = self.times.iter().skip(1).map(|(_, end)| *end).chain([self.all.len()]);
        self.times.iter().zip(ends).map(|((_, start), end)| &self.all[*start..end])
    }

    /// The words of a change, bit 0 first.
    #[inline]
    fn value<'a>(&'a self, change: Change, bits: u32, short: &'a mut u64) -> &'a [u64] {
        if bits > SHORT {
            return &self.words[change.value as usize..][..bits.div_ceil(64) as usize];
        }
        *short = change.value.into();
        std::slice::from_ref(short)
    }

    /// Takes the changes away. The next ones begin where these end.
    pub fn next(&mut self) -> Self {
        let next = Self { begin: self.end(), all: Vec::with_capacity(self.all.len()), ..Self::default() };
        std::mem::replace(self, next)
    }
}

/// Writes blocks.
pub(super) struct Blocks<W> {
    /// Output of the blocks.
    pub out: W,
    /// Number of blocks that are written.
    pub written: u64,
    signals: Vec<SignalChain>,
    /// Values at the begin of the next block, a digit a byte, signal after signal.
    frame: Vec<u8>,
    /// Memory for the chains of a block.
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// A signal.
struct SignalChain {
    bits: u32,
    /// Begin, and later end, of its chain in this block.
    chain: u32,
    /// Its last step in this block.
    last: u32,
    /// Place of its last change, from 1; 0 for none.
    latest: u32,
}

impl<W: Write> Blocks<W> {
    /// Blocks of signals of these numbers of bits.
    pub fn new(out: W, widths: Vec<u32>) -> Self {
        let digits: usize = widths.iter().map(|bits| *bits as usize).sum();
        let signals = widths.into_iter().map(|bits| SignalChain { bits, chain: 0, last: 0, latest: 0 }).collect();
        Self { out, written: 0, signals, frame: vec![UNKNOWN; digits], plain: Vec::new(), packed: Vec::new() }
    }

    /// Writes a block.
    pub fn write(&mut self, changes: &Changes) -> io::Result<()> {
        for (change, place) in changes.first().iter().zip(1..) {
            self.signals[change.signal as usize].latest = place;
        }
        self.show(changes, false);
        let frame = compress_to_vec_zlib(&self.frame, EFFORT);
        let frame = if frame.len() < self.frame.len() { frame } else { self.frame.clone() };
        self.chain(changes);
        let places = self.compress();
        let steps = time_table(changes.times.iter().map(|(time, _)| *time));
        // Readers reserve memory for all chains at once.
        let mut head =
            [changes.begin, changes.end(), self.plain.len() as u64].map(u64::to_be_bytes).as_flattened().to_vec();
        number(&mut head, self.frame.len() as u64);
        number(&mut head, frame.len() as u64);
        number(&mut head, self.signals.len() as u64);
        let mut body = Vec::new();
        number(&mut body, self.signals.len() as u64);
        body.push(LZ4);
        let length = (places.len() as u64).to_be_bytes();
        section(&mut self.out, BLOCK, &[&head, &frame, &body, &self.packed, &places, &length, &steps])?;
        self.show(changes, !changes.unknown.is_empty());
        self.written += 1;
        Ok(())
    }

    /// Stores in the frame the last value of each signal that changed. The others may become
    /// unknown.
    fn show(&mut self, changes: &Changes, unknown: bool) {
        if unknown {
            self.frame.fill(UNKNOWN);
        }
        let mut rest = &mut self.frame[..];
        for signal in &mut self.signals {
            let (mut to, behind) = rest.split_at_mut(signal.bits as usize);
            rest = behind;
            let latest = std::mem::replace(&mut signal.latest, 0) as usize;
            let Some(change) = latest.checked_sub(1).map(|place| changes.all[place]) else { continue };
            let (mut text, mut short) = ([0; 64], 0);
            for word in changes.value(change, signal.bits, &mut short) {
                full_word(&mut text, *word);
                let (before, these) = to.split_at_mut(to.len().saturating_sub(64));
                these.copy_from_slice(&text[64 - these.len()..]);
                to = before;
            }
        }
    }

    /// Makes the chains of all signals, one after the other. Each ends at the place in its signal.
    fn chain(&mut self, changes: &Changes) {
        self.signals.iter_mut().for_each(|signal| (signal.chain, signal.last) = (0, 1));
        for (now, those) in (1..).zip(changes.steps()) {
            if changes.unknown.contains(&now) {
                for signal in &mut self.signals {
                    let digits = if signal.bits > 1 { signal.bits } else { 0 };
                    signal.chain += length(unknown_step(signal, now)) + digits;
                    signal.last = now;
                }
            }
            for change in those {
                let signal = &mut self.signals[change.signal as usize];
                let value = if signal.bits > 1 { signal.bits.div_ceil(8) } else { 0 };
                signal.chain += length(step(signal, now, 0)) + value;
                signal.last = now;
            }
        }
        let mut total = 0;
        for signal in &mut self.signals {
            signal.last = 1;
            total += std::mem::replace(&mut signal.chain, total);
        }
        self.plain.resize(total as usize, 0);
        let mut place = changes.first().len() as u32;
        for (now, those) in (1..).zip(changes.steps()) {
            if changes.unknown.contains(&now) {
                for signal in &mut self.signals {
                    let to = &mut self.plain[signal.chain as usize..];
                    let start = put(to, unknown_step(signal, now));
                    let digits = if signal.bits > 1 { signal.bits as usize } else { 0 };
                    to[start..start + digits].fill(UNKNOWN);
                    signal.chain += (start + digits) as u32;
                    (signal.last, signal.latest) = (now, 0);
                }
            }
            for change in those {
                let signal = &mut self.signals[change.signal as usize];
                let to = &mut self.plain[signal.chain as usize..];
                let used = if signal.bits == 1 {
                    put(to, step(signal, now, change.value))
                } else {
                    let (start, mut short) = (put(to, step(signal, now, 0)), 0);
                    let value = changes.value(*change, signal.bits, &mut short);
                    start + packed(&mut to[start..], value, signal.bits)
                };
                signal.chain += used as u32;
                place += 1;
                (signal.last, signal.latest) = (now, place);
            }
        }
    }

    /// Compresses the chains. Returns the place of each.
    fn compress(&mut self) -> Vec<u8> {
        let Self { signals, plain, packed, .. } = self;
        let mut places = Vec::new();
        packed.clear();
        let mut table = CompressTable::small(); // grows when it must
        // Places count from 1.
        let (mut start, mut before, mut idle) = (0, 0, 0_u64);
        for signal in signals {
            let chain = &plain[start..signal.chain as usize];
            start = signal.chain as usize;
            if chain.is_empty() {
                idle += 1;
                continue;
            }
            if idle > 0 {
                number(&mut places, idle << 1);
                idle = 0;
            }
            let at = packed.len();
            signed(&mut places, ((at + 1 - before) as u64).cast_signed() << 1 | 1);
            before = at + 1;
            if chain.len() >= LEAST {
                number(packed, chain.len() as u64);
                let from = packed.len();
                packed.resize(from + get_maximum_output_size(chain.len()), 0);
                let small = compress_into_with_table(chain, &mut packed[from..], &mut table).unwrap_or(usize::MAX);
                if small < chain.len() {
                    packed.truncate(from + small);
                    continue;
                }
                packed.truncate(at);
            }
            packed.push(0);
            packed.extend(chain);
        }
        if idle > 0 {
            number(&mut places, idle << 1);
        }
        places
    }
}

/// Number before a value: the steps since the last one, and for a signal of one bit the bit as
/// well.
fn step(signal: &SignalChain, step: u32, bit: u32) -> u64 {
    let steps = u64::from(step - signal.last);
    if signal.bits == 1 { steps << 2 | u64::from(bit & 1) << 1 } else { steps << 1 }
}

/// Number before digits, or for one bit, that are unknown.
fn unknown_step(signal: &SignalChain, step: u32) -> u64 {
    let steps = u64::from(step - signal.last);
    if signal.bits == 1 { steps << 4 | 1 } else { steps << 1 | 1 }
}

/// Number of bytes of a number.
fn length(number: u64) -> u32 {
    (64 - (number | 1).leading_zeros()).div_ceil(7)
}

/// Writes a number, seven bits a byte, lowest first. Returns the number of its bytes.
fn put(to: &mut [u8], mut number: u64) -> usize {
    let mut at = 0;
    while number > 0x7f {
        to[at] = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    to[at] = number as u8;
    at + 1
}

/// Writes the bits of a value, highest first, from the highest bit of the first byte on.
fn packed(to: &mut [u8], words: &[u64], bits: u32) -> usize {
    let bytes = bits.div_ceil(8) as usize;
    if let [word] = words {
        // Most values are short, and a call to copy them takes longer.
        for (to, byte) in to[..bytes].iter_mut().zip((word << (64 - bits)).to_be_bytes()) {
            *to = byte;
        }
        return bytes;
    }
    let shift = bytes as u32 * 8 - bits;
    // Words end where bytes of the value end. The last byte has `shift` unused bits.
    let word = |at: usize| {
        let below = if at > 0 && shift > 0 { words[at - 1] >> (64 - shift) } else { 0 };
        words.get(at).copied().unwrap_or(0) << shift | below
    };
    let mut end = bytes;
    for at in 0.. {
        let some = end.min(8);
        to[end - some..end].copy_from_slice(&word(at).to_be_bytes()[8 - some..]);
        end -= some;
        if end == 0 {
            break;
        }
    }
    bytes
}

/// Appends a number, seven bits a byte, lowest first.
pub(super) fn number(to: &mut Vec<u8>, number: u64) {
    let mut bytes = [0; 10];
    let length = put(&mut bytes, number);
    to.extend(&bytes[..length]);
}

/// Appends a number with its sign, which is the highest bit of the last seven.
fn signed(to: &mut Vec<u8>, mut number: i64) {
    while !(-64..64).contains(&number) {
        to.push(number.cast_unsigned() as u8 | 0x80);
        number >>= 7;
    }
    to.push(number.cast_unsigned() as u8 & 0x7f);
}

/// The times of a block.
fn time_table(times: impl ExactSizeIterator<Item = u64>) -> Vec<u8> {
    let mut plain = Vec::new();
    let (mut before, count) = (0, times.len() as u64);
    for time in times {
        number(&mut plain, time - before);
        before = time;
    }
    let length = plain.len() as u64;
    let packed = compress_to_vec_zlib(&plain, EFFORT);
    let mut table = if packed.len() < plain.len() { packed } else { plain };
    let lengths = [length, table.len() as u64, count];
    table.extend(lengths.map(u64::to_be_bytes).as_flattened());
    table
}

/// Writes a section.
pub(super) fn section(out: &mut impl Write, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
    let length = 8 + parts.iter().map(|part| part.len() as u64).sum::<u64>();
    out.write_all(&[kind])?;
    out.write_all(&length.to_be_bytes())?;
    parts.iter().try_for_each(|part| out.write_all(part))
}
