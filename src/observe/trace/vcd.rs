//! VCD: crate `vcd` writes the header, and value lines are written directly.
//!
//! A value line costs a few nanoseconds. The digits come eight at a time from a table, and leading
//! zeros are dropped. The end of the line (identifier and newline) is one copy of eight bytes. A
//! thread beside the run writes full buffers into the file, which takes as long as the lines.

use std::io::{self, Write};
use std::mem;

use vcd::{ReferenceIndex, TimescaleUnit, VarType};

use super::Timescale;
use super::beside::Beside;
use super::sink::{DIGITS, Header, Sink};
use crate::output::Output;

/// Number of bytes after which a buffer goes to the file. Few buffers are under way, so that they
/// stay in a cache.
const FLUSH: usize = 1 << 18;
/// Number of bytes of a buffer. A time step fits behind a buffer that is almost full.
const BUFFER: usize = FLUSH + (FLUSH >> 2);
/// Number of full buffers that may wait for the thread that writes.
const AHEAD: usize = 1;

/// Declarations of a VCD.
pub struct VcdHeader<W> {
    out: W,
    text: vcd::Writer<Vec<u8>>,
    endings: Vec<Ending>,
    scale: Timescale,
}

/// End of a signal's value lines: a blank, the identifier (2^32 signals need five characters) and a
/// newline. The last byte holds the number of these bytes, and the flag [`SCALAR`].
#[derive(Clone, Copy)]
struct Ending([u8; 8]);

/// Mark of a signal of one bit, whose line is `1!` instead of `b1 !`.
const SCALAR: u8 = 0x80;
/// Number of bytes of the longest line of a signal of at most 64 bits, with some that are
/// overwritten.
const LINE: usize = 80;

impl Ending {
    fn new(id: vcd::IdCode, bits: u32) -> Self {
        let text = format!(" {id}\n");
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        bytes[7] = text.len() as u8 | if bits == 1 { SCALAR } else { 0 };
        Self(bytes)
    }

    /// Writes the line of a value at the start of `line`. Returns its length.
    #[inline]
    fn line(self, line: &mut [u8; LINE], value: u64) -> usize {
        let [.., flags] = self.0;
        let len = usize::from(flags & !SCALAR);
        if flags & SCALAR != 0 {
            line[..8].copy_from_slice(&self.0);
            line[0] = b'0' + (value & 1) as u8;
            return len;
        }
        line[0] = b'b';
        let digits = expand(line, 1, value);
        line[1 + digits..9 + digits].copy_from_slice(&self.0);
        1 + digits + len
    }
}

impl<W: Write> VcdHeader<W> {
    /// Starts a dump on `out`.
    pub fn new(out: W) -> Self {
        Self { out, text: vcd::Writer::new(Vec::new()), endings: Vec::new(), scale: Timescale::default() }
    }

    fn flush(&mut self, above: usize) -> io::Result<()> {
        if self.text.writer().len() > above {
            self.out.write_all(&mem::take(self.text.writer()))?;
        }
        Ok(())
    }
}

impl<W: Write + Send + 'static> Header for VcdHeader<W> {
    type Sink = Vcd<W>;

    fn timescale(&mut self, scale: Timescale) {
        self.scale = scale;
    }

    fn open(&mut self, scope: &str) -> io::Result<()> {
        if self.endings.is_empty() && self.text.writer().is_empty() {
            self.text.version(concat!("wormscope ", env!("CARGO_PKG_VERSION")))?;
            let (number, unit) = self.scale.parts();
            self.text.comment(&format!("a cycle is {} ns", self.scale.clock_ns()))?;
            let unit = match unit {
                "ns" => TimescaleUnit::NS,
                "ps" => TimescaleUnit::PS,
                _ => TimescaleUnit::FS,
            };
            self.text.timescale(number, unit)?;
        }
        self.text.add_module(scope)
    }

    fn close(&mut self) -> io::Result<()> {
        self.text.upscope()?;
        self.flush(FLUSH)
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        let range = (bits > 1).then(|| ReferenceIndex::Range(bits.cast_signed() - 1, 0));
        let id = self.text.add_var(VarType::Wire, bits, name, range)?;
        self.endings.push(Ending::new(id, bits));
        Ok(())
    }

    fn begin(mut self) -> io::Result<Vcd<W>> {
        self.text.enddefinitions()?;
        self.flush(0)?;
        Ok(Vcd {
            file: Beside::Here(self.out),
            buffer: vec![0; BUFFER],
            used: 0,
            full: FLUSH,
            is_off: false,
            endings: self.endings,
            scale: self.scale,
        })
    }
}

/// Values of a VCD.
pub struct Vcd<W> {
    /// The file, which a thread writes after the first full buffer. It gets each buffer with the
    /// number of the bytes to write.
    file: Beside<W, (Vec<u8>, usize)>,
    /// Buffer. Lines are written over the bytes from `used` on.
    buffer: Vec<u8>,
    used: usize,
    /// Number of bytes after which the buffer goes to the file, at the begin of a time step.
    full: usize,
    /// Whether all signals are unknown.
    is_off: bool,
    endings: Vec<Ending>,
    scale: Timescale,
}

impl Vcd<Output> {
    /// Gives the file its name now. It has the declarations, and grows by whole time steps, each as
    /// soon as the next begins.
    ///
    /// # Errors
    /// The file cannot get its name.
    pub(super) fn shown(self) -> io::Result<Self> {
        let out = self.file.finish()?.shown().map_err(|error| error.source)?;
        Ok(Self { file: Beside::Here(out), full: 0, ..self })
    }

    /// Whether its file has its name already.
    pub(super) fn is_shown(&self) -> bool {
        self.full == 0
    }
}

impl<W: Write + Send + 'static> Vcd<W> {
    /// Writes the buffer. A file that a viewer reads during the run gets it at once.
    fn flush(&mut self) -> io::Result<()> {
        let used = mem::take(&mut self.used);
        if let Beside::Here(out) = &mut self.file
            && self.full == 0
        {
            return out.write_all(&self.buffer[..used]);
        }
        let full = (mem::take(&mut self.buffer), used);
        let written = self.file.hand_on(full, ("vcd", AHEAD), |out, (buffer, used)| out.write_all(&buffer[..*used]))?;
        self.buffer = written.map_or_else(|| vec![0; BUFFER], |(buffer, _)| buffer);
        Ok(())
    }
}

impl<W> Vcd<W> {
    /// Reserves `N` bytes.
    #[inline]
    fn room<const N: usize>(&mut self) -> &mut [u8; N] {
        if self.buffer.len() < self.used + N {
            self.grow(N);
        }
        // `grow` made the slice long enough. The array form saves bounds checks later.
        self.buffer[self.used..].first_chunk_mut().unwrap_or_else(|| unreachable!())
    }

    #[cold]
    fn grow(&mut self, by: usize) {
        let len = 2 * self.buffer.len() + by;
        self.buffer.resize(len, 0);
    }

    /// Begins a time step.
    fn step(&mut self, time: u64) {
        let mut line = [b'\n'; 22];
        let mut at = line.len() - 1;
        let mut rest = time;
        loop {
            at -= 1;
            line[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        line[at - 1] = b'#';
        self.raw(&line[at - 1..]);
    }

    fn raw(&mut self, text: &[u8]) {
        if self.buffer.len() < self.used + text.len() {
            self.grow(text.len());
        }
        self.buffer[self.used..self.used + text.len()].copy_from_slice(text);
        self.used += text.len();
    }
}

impl<W: Write + Send + 'static> Sink for Vcd<W> {
    type Output = W;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        if self.used > self.full {
            self.flush()?;
        }
        let time = self.scale.time(cycle)?;
        self.step(time);
        Ok(())
    }

    fn half(&mut self, cycle: u64) -> io::Result<bool> {
        let half = self.scale.half(cycle);
        if let Some(time) = half {
            self.step(time);
        }
        Ok(half.is_some())
    }

    fn dump_all(&mut self, begin: bool) {
        let is_on_again = begin && std::mem::replace(&mut self.is_off, false);
        self.raw(match (begin, is_on_again) {
            (true, false) => b"$dumpvars\n",
            (true, true) => b"$dumpon\n",
            (false, _) => b"$end\n",
        });
    }

    fn unknown(&mut self) {
        self.is_off = true;
        self.raw(b"$dumpoff\n");
        for at in 0..self.endings.len() {
            let Ending(text) = self.endings[at];
            let len = usize::from(text[7] & !SCALAR);
            let (begin, from): (&[u8], _) = if text[7] & SCALAR == 0 { (b"bx", 0) } else { (b"x", 1) };
            self.raw(begin);
            self.raw(&text[from..len]);
        }
        self.raw(b"$end\n");
    }

    #[inline]
    fn word(&mut self, signal: u32, value: u64) {
        let ending = self.endings[signal as usize];
        self.used += ending.line(self.room(), value);
    }

    #[inline(always)]
    fn fields<const N: usize>(&mut self, base: u32, shown: &mut [u64; N], values: [u64; N]) -> u32 {
        if self.buffer.len() < self.used + N * LINE {
            self.grow(N * LINE);
        }
        let Some(endings) = self.endings[base as usize..].first_chunk() else { return 0 };
        let mut lines = Lines { endings, rest: &mut self.buffer[self.used..], changed: 0 };
        // The fields are written out one by one. Values stay in registers, and every field has
        // separate branches, which processors predict better.
        const { assert!(N <= 7) };
        lines.field(0, shown, &values);
        lines.field(1, shown, &values);
        lines.field(2, shown, &values);
        lines.field(3, shown, &values);
        lines.field(4, shown, &values);
        lines.field(5, shown, &values);
        lines.field(6, shown, &values);
        let Lines { rest, changed, .. } = lines;
        let left = rest.len();
        self.used = self.buffer.len() - left;
        changed
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        let top = value.iter().rposition(|&w| w != 0).unwrap_or(0);
        if top == 0 {
            return self.word(signal, value.first().copied().unwrap_or(0));
        }
        let line = self.room::<72>();
        line[0] = b'b';
        let digits = expand(line, 1, value[top]);
        self.used += 1 + digits;
        for word in value[1..top].iter().rev() {
            full_word(self.room(), *word);
            self.used += 64;
        }
        self.word_below(signal, value[0]);
    }

    fn finish(mut self) -> io::Result<W> {
        if !matches!(self.file, Beside::Here(_)) {
            self.flush()?;
        }
        let mut out = self.file.finish()?;
        out.write_all(&self.buffer[..self.used])?;
        out.flush()?;
        Ok(out)
    }
}

/// Lines of consecutive signals under way.
struct Lines<'a, const N: usize> {
    endings: &'a [Ending; N],
    /// Rest of the buffer, after the lines so far.
    rest: &'a mut [u8],
    /// Signals that changed, one bit for each.
    changed: u32,
}

impl<const N: usize> Lines<'_, N> {
    /// Writes the line of signal `field`, if it exists and changed.
    #[inline(always)]
    fn field(&mut self, field: usize, shown: &mut [u64; N], values: &[u64; N]) {
        if field >= N || shown[field] == values[field] {
            return;
        }
        shown[field] = values[field];
        self.changed |= 1 << field;
        let rest = mem::take(&mut self.rest);
        if let Some(line) = rest.first_chunk_mut() {
            let len = self.endings[field].line(line, values[field]);
            self.rest = &mut rest[len..];
        }
    }
}

impl<W> Vcd<W> {
    /// Writes the last word of a wide value, with all its digits, and the end of the line.
    fn word_below(&mut self, signal: u32, value: u64) {
        let ending = self.endings[signal as usize];
        let line = self.room::<72>();
        if let Some(digits) = line.first_chunk_mut() {
            full_word(digits, value);
        }
        line[64..].copy_from_slice(&ending.0);
        self.used += 64 + usize::from(ending.0[7] & !SCALAR);
    }
}

/// Writes the binary digits of `value` from `at` on, without leading zeros. Returns their number.
/// Up to seven bytes after them are overwritten.
#[inline]
fn expand<const N: usize>(line: &mut [u8; N], at: usize, value: u64) -> usize {
    let digits = (64 - value.leading_zeros()).max(1) as usize;
    let mut left = value << (64 - digits);
    let mut to = at;
    while to < at + digits {
        line[to..to + 8].copy_from_slice(&DIGITS[(left >> 56) as usize]);
        left <<= 8;
        to += 8;
    }
    digits
}

/// Writes all 64 digits of a word.
#[inline]
pub(super) fn full_word(line: &mut [u8; 64], value: u64) {
    for (digits, byte) in line.as_chunks_mut().0.iter_mut().zip(value.to_be_bytes()) {
        *digits = DIGITS[usize::from(byte)];
    }
}
