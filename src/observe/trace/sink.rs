//! What a waveform format must do: declare signals, then take values.

use std::io;

use super::Timescale;

/// The declarations at the head of a dump. Signals are numbered from 0 in the order of their
/// declaration.
pub trait Header {
    /// What takes the values.
    type Sink: Sink;

    /// Says how long a cycle is, before anything else is declared. Whoever keeps cycles does not
    /// care.
    fn timescale(&mut self, _scale: Timescale) {}

    /// Opens a scope.
    ///
    /// # Errors
    /// When writing fails, as with every method here.
    fn open(&mut self, scope: &str) -> io::Result<()>;

    /// Closes the innermost scope.
    ///
    /// # Errors
    /// When writing fails.
    fn close(&mut self) -> io::Result<()>;

    /// Declares names for the values of the signal that is declared next, and the same again for
    /// each signal that has them. A format without such names does not care.
    fn names(&mut self, _table: &'static str, _bits: u32, _names: &[(u64, String)]) {}

    /// Declares a signal of `bits` bits in the innermost scope.
    ///
    /// # Errors
    /// When writing fails.
    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()>;

    /// Ends the declarations.
    ///
    /// # Errors
    /// When writing fails.
    fn begin(self) -> io::Result<Self::Sink>;
}

/// The values of a dump. Changes go to memory; files are written when a time step begins, so that
/// the path of a change has no error to look at.
pub trait Sink {
    /// What the dump was written to.
    type Output;

    /// Begins the time step of `cycle`, later than the one before.
    ///
    /// # Errors
    /// When writing what was buffered fails.
    fn time(&mut self, cycle: u64) -> io::Result<()>;

    /// Begins a time step in the middle of the cycle that began last; `false` where the unit of
    /// time is too coarse for one.
    ///
    /// # Errors
    /// As [`Sink::time`].
    fn half(&mut self, _cycle: u64) -> io::Result<bool> {
        Ok(false)
    }

    /// Begins (`true`) or ends the list of all values at the start of a dump, or of a window.
    fn dump_all(&mut self, _begin: bool) {}

    /// From the time step begun last on nothing is known of any signal, until all values come
    /// again. Whoever is told every cycle does not care.
    fn unknown(&mut self) {}

    /// A signal of at most 64 bits changed.
    fn word(&mut self, signal: u32, value: u64);

    /// New values of the consecutive signals from `base` on, each of at most 64 bits: those that
    /// differ from what is `shown` changed. Returns which, a bit each; `shown` is up to date then.
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

    /// A signal of any width changed; bit 0 first, `ceil(bits / 64)` words.
    fn words(&mut self, signal: u32, value: &[u64]);

    /// Writes what is left.
    ///
    /// # Errors
    /// When writing fails.
    fn finish(self) -> io::Result<Self::Output>;
}

/// Replaces what is `shown` by `values`; returns which differ, a bit each.
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
