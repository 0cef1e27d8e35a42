//! Interface of a waveform format: it declares signals, then takes values.

use std::io;

use super::Timescale;

/// The declarations at the head of a dump. Signals are numbered from 0 in the order of their
/// declaration.
pub trait Header {
    /// The type that takes the values.
    type Sink: Sink;

    /// Sets the length of a cycle, before any other declaration. A format that keeps cycles ignores
    /// it.
    fn timescale(&mut self, _scale: Timescale) {}

    /// Opens a scope.
    ///
    /// # Errors
    /// A write fails. All methods of the trait have this error.
    fn open(&mut self, scope: &str) -> io::Result<()>;

    /// Closes the innermost scope.
    ///
    /// # Errors
    /// A write fails.
    fn close(&mut self) -> io::Result<()>;

    /// Declares names for the values of the next signal. It comes again before each signal that has
    /// them. A format without such names ignores it.
    fn names(&mut self, _table: &'static str, _bits: u32, _names: &[(u64, String)]) {}

    /// Declares a signal of `bits` bits in the innermost scope.
    ///
    /// # Errors
    /// A write fails.
    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()>;

    /// Ends the declarations.
    ///
    /// # Errors
    /// A write fails.
    fn begin(self) -> io::Result<Self::Sink>;
}

/// The values of a dump. Changes go to memory, and files are written when a time step begins. So a
/// change has no error to check.
pub trait Sink {
    /// The type of the output.
    type Output;

    /// Begins the time step of `cycle`, which is later than the previous cycle.
    ///
    /// # Errors
    /// A write of the buffer fails.
    fn time(&mut self, cycle: u64) -> io::Result<()>;

    /// Begins a time step in the middle of the cycle that began last. Returns `false` if the unit
    /// of time is too coarse.
    ///
    /// # Errors
    /// The same as for [`Sink::time`].
    fn half(&mut self, _cycle: u64) -> io::Result<bool> {
        Ok(false)
    }

    /// Begins (`true`) or ends the list of all values at the start of a dump or of a window.
    fn dump_all(&mut self, _begin: bool) {}

    /// Makes all signals unknown from the present time step on, until all values come again. A sink
    /// that gets every cycle ignores it.
    fn unknown(&mut self) {}

    /// Takes a change of a signal of at most 64 bits.
    fn word(&mut self, signal: u32, value: u64);

    /// Takes new values of the consecutive signals from `base` on, each of at most 64 bits. Values
    /// that differ from `shown` are changes. Returns them, one bit for each, and updates `shown`.
    #[inline]
    fn fields<const N: usize>(&mut self, base: u32, shown: &mut [u64; N], values: [u64; N]) -> u32 {
        let changed = replace(shown, values);
        let mut rest = changed;
        while rest != 0 {
            let field = rest.trailing_zeros();
            rest &= rest - 1;
            self.word(base + field, values[field as usize]);
        }
        changed
    }

    /// Takes a change of a signal of any width, bit 0 first, in `ceil(bits / 64)` words.
    fn words(&mut self, signal: u32, value: &[u64]);

    /// Writes the rest.
    ///
    /// # Errors
    /// A write fails.
    fn finish(self) -> io::Result<Self::Output>;
}

/// Replaces `shown` by `values`. Returns the fields that differ, one bit for each.
#[inline]
pub fn replace<const N: usize>(shown: &mut [u64; N], values: [u64; N]) -> u32 {
    let mut changed = 0;
    for field in 0..N {
        changed |= u32::from(shown[field] != values[field]) << field;
    }
    *shown = values;
    changed
}

/// The binary digits of a byte, most significant first.
pub(super) const DIGITS: [[u8; 8]; 256] = {
    let mut table = [[b'0'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][7 - bit] += (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};
