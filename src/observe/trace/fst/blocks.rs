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
/// Effort of zlib. Values at the begin of a block are mostly equal, and times are regular.
const EFFORT: u8 = 1;

/// Digit of an unknown bit.
const UNKNOWN: u8 = b'x';
/// Bytes of the longest number.
const LONGEST: usize = 10;
/// Bytes behind all chains that a short value may overwrite.
const ROOM: usize = 8;

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
    /// Time of the first change.
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

    /// Changes of each time, with the number of the step, from 1.
    fn steps(&self) -> impl Iterator<Item = (u32, &[Change])> {
        let ends = self.times.iter().skip(1).map(|(_, end)| *end).chain([self.all.len()]);
        (1..).zip(self.times.iter().zip(ends).map(|((_, start), end)| &self.all[*start..end]))
    }

    /// The words of the `value` of a change, bit 0 first.
    #[inline]
    fn value<'a>(&'a self, value: u32, bits: u32, short: &'a mut u64) -> &'a [u64] {
        if bits > SHORT {
            return &self.words[value as usize..][..bits.div_ceil(64) as usize];
        }
        *short = value.into();
        std::slice::from_ref(short)
    }

    /// The memory of these changes, which are written, for changes from time `begin` on.
    pub fn begun(mut self, begin: u64) -> Self {
        self.begin = begin;
        self.times.clear();
        self.all.clear();
        self.words.clear();
        self.unknown.clear();
        self
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
    /// For each signal, the end of its changes among the sorted ones. The numbers are separate, so
    /// that they fit into a cache.
    ends: Vec<u32>,
    /// Memory for the changes of a block, signal after signal: step and value.
    sorted: Vec<(u32, u32)>,
    /// Memory for the chains of a block, which may be longer than they are.
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// A signal.
struct SignalChain {
    bits: u32,
    /// End of its chain in this block.
    end: u32,
    /// Value of its last change, as in a [`Change`].
    latest: Option<u32>,
}

impl<W: Write> Blocks<W> {
    /// Blocks of signals of these numbers of bits.
    pub fn new(out: W, widths: Vec<u32>) -> Self {
        let digits: usize = widths.iter().map(|bits| *bits as usize).sum();
        let signals: Vec<_> = widths.into_iter().map(|bits| SignalChain { bits, end: 0, latest: None }).collect();
        let ends = vec![0; signals.len()];
        let (sorted, plain, packed) = (Vec::new(), Vec::new(), Vec::new());
        Self { out, written: 0, signals, frame: vec![UNKNOWN; digits], ends, sorted, plain, packed }
    }

    /// Writes a block.
    pub fn write(&mut self, changes: &Changes) -> io::Result<()> {
        for change in changes.first() {
            self.signals[change.signal as usize].latest = Some(change.value);
        }
        self.show(changes, false);
        let frame = compress_to_vec_zlib(&self.frame, EFFORT);
        let frame = if frame.len() < self.frame.len() { frame } else { self.frame.clone() };
        let length = self.chain(changes);
        let (places, packed) = self.compress();
        let steps = time_table(changes.times.iter().map(|(time, _)| *time));
        // Readers reserve memory for all chains at once.
        let mut head = [changes.begin, changes.end(), u64::from(length)].map(u64::to_be_bytes).as_flattened().to_vec();
        number(&mut head, self.frame.len() as u64);
        number(&mut head, frame.len() as u64);
        number(&mut head, self.signals.len() as u64);
        let mut body = Vec::new();
        number(&mut body, self.signals.len() as u64);
        body.push(LZ4);
        let length = (places.len() as u64).to_be_bytes();
        section(&mut self.out, BLOCK, &[&head, &frame, &body, &self.packed[..packed], &places, &length, &steps])?;
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
            let Some(value) = signal.latest.take() else { continue };
            let (mut text, mut short) = ([0; 64], 0);
            for word in changes.value(value, signal.bits, &mut short) {
                full_word(&mut text, *word);
                let (before, these) = to.split_at_mut(to.len().saturating_sub(64));
                these.copy_from_slice(&text[64 - these.len()..]);
                to = before;
            }
        }
    }

    /// Makes the chains of all signals, one after the other. Returns their length.
    fn chain(&mut self, changes: &Changes) -> u32 {
        let most = self.sort(changes);
        let Self { signals, ends, sorted, plain, .. } = self;
        plain.resize(plain.len().max(most), 0);
        let (mut start, mut at) = (0, 0);
        for (signal, end) in signals.iter_mut().zip(ends) {
            let own = &sorted[start..*end as usize];
            start = *end as usize;
            signal.latest = own.last().map(|&(_, value)| value);
            let mut unknown = changes.unknown.iter().peekable();
            // The first step counts from the time at which the block begins.
            let mut last = 1;
            for &(now, value) in own {
                while let Some(&step) = unknown.next_if(|step| **step <= now) {
                    at += unknown_value(&mut plain[at..], signal.bits, step - last);
                    last = step;
                }
                let steps = u64::from(now - last);
                last = now;
                at += match signal.bits {
                    1 => put(&mut plain[at..], steps << 2 | u64::from(value & 1) << 1),
                    bits => {
                        let used = put(&mut plain[at..], steps << 1);
                        let mut short = 0;
                        let words = changes.value(value, bits, &mut short);
                        used + packed(&mut plain[at + used..], words, bits)
                    }
                };
            }
            for &step in unknown {
                at += unknown_value(&mut plain[at..], signal.bits, step - last);
                (last, signal.latest) = (step, None);
            }
            signal.end = at as u32;
        }
        at as u32
    }

    /// Sorts the changes behind the first ones by signal. Returns a bound for the length of all
    /// chains.
    fn sort(&mut self, changes: &Changes) -> usize {
        let Self { signals, ends, sorted, .. } = self;
        let first = changes.first().len();
        ends.fill(0);
        for change in &changes.all[first..] {
            ends[change.signal as usize] += 1;
        }
        let (mut count, mut most) = (0, ROOM);
        for (signal, end) in signals.iter().zip(&mut *ends) {
            let own = std::mem::replace(end, count);
            count += own;
            let (value, digits) = (LONGEST + signal.bits.div_ceil(8) as usize, LONGEST + signal.bits as usize);
            most += own as usize * value + changes.unknown.len() * digits;
        }
        sorted.resize(count as usize, (0, 0));
        for (now, those) in changes.steps() {
            for change in those {
                let end = &mut ends[change.signal as usize];
                sorted[*end as usize] = (now, change.value);
                *end += 1;
            }
        }
        most
    }

    /// Compresses the chains. Returns the place of each, and the number of bytes of all.
    fn compress(&mut self) -> (Vec<u8>, usize) {
        let Self { signals, plain, packed, .. } = self;
        let mut places = Vec::new();
        let mut table = CompressTable::small(); // grows when it must
        // Places count from 1.
        let (mut start, mut before, mut idle, mut at) = (0, 0, 0_u64, 0);
        for signal in signals {
            let chain = &plain[start..signal.end as usize];
            start = signal.end as usize;
            if chain.is_empty() {
                idle += 1;
                continue;
            }
            if idle > 0 {
                number(&mut places, idle << 1);
                idle = 0;
            }
            signed(&mut places, ((at + 1 - before) as u64).cast_signed() << 1 | 1);
            before = at + 1;
            let most = at + LONGEST + get_maximum_output_size(chain.len());
            if packed.len() < most {
                packed.resize(2 * most, 0);
            }
            if chain.len() >= LEAST {
                let from = at + put(&mut packed[at..], chain.len() as u64);
                let small = compress_into_with_table(chain, &mut packed[from..], &mut table).unwrap_or(usize::MAX);
                if small < chain.len() {
                    at = from + small;
                    continue;
                }
            }
            packed[at] = 0;
            packed[at + 1..][..chain.len()].copy_from_slice(chain);
            at += 1 + chain.len();
        }
        if idle > 0 {
            number(&mut places, idle << 1);
        }
        (places, at)
    }
}

/// Writes that a signal is unknown: the number before its digits, or for one bit the number alone,
/// and the digits. Returns the number of bytes.
fn unknown_value(to: &mut [u8], bits: u32, steps: u32) -> usize {
    if bits == 1 {
        return put(to, u64::from(steps) << 4 | 1);
    }
    let start = put(to, u64::from(steps) << 1 | 1);
    to[start..start + bits as usize].fill(UNKNOWN);
    start + bits as usize
}

/// Writes a number, seven bits a byte, lowest first. Returns the number of its bytes.
#[inline]
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
#[inline]
fn packed(to: &mut [u8], words: &[u64], bits: u32) -> usize {
    let bytes = bits.div_ceil(8) as usize;
    if let ([word], Some(to)) = (words, to.first_chunk_mut()) {
        // All bytes of a word are written at once. The next value overwrites those that are too
        // many.
        *to = (word << (64 - bits)).to_be_bytes();
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
    let mut bytes = [0; LONGEST];
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
