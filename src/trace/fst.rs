//! FST, by crate `fst-writer`.
//!
//! Vectors only: the crate writes no strings and no enumerations. It keeps changes in memory until
//! it is flushed, which may happen only just before a time step.

use std::io::{self, BufWriter, Seek, Write};

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};

use super::sink::{Header, Sink};
use super::vcd::full_word;

/// Bytes of changes in memory after which a block is written; each block costs time for every
/// signal.
const FLUSH: usize = 64 << 20;

/// Declarations of an FST.
pub(crate) struct FstHeader<W: Write + Seek> {
    header: FstHeaderWriter<BufWriter<W>>,
    signals: Vec<(FstSignalId, u32)>,
    block: usize,
}

impl<W: Write + Seek> FstHeader<W> {
    /// Starts a dump on `out`.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(out: W) -> io::Result<Self> {
        Self::with_blocks(out, FLUSH)
    }

    /// Starts a dump that is written in blocks of about so many bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn with_blocks(out: W, block: usize) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: concat!("wormscope ", env!("CARGO_PKG_VERSION")).to_owned(),
            date: String::new(), // a run is the same bits on every day
            file_type: FstFileType::Verilog,
        };
        let header = FstHeaderWriter::new(BufWriter::with_capacity(1 << 20, out), &info).map_err(plain)?;
        Ok(Self { header, signals: Vec::new(), block })
    }
}

impl<W: Write + Seek> Header for FstHeader<W> {
    type Sink = Fst<W>;

    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.header.scope(scope, "", FstScopeType::Module).map_err(plain)
    }

    fn close(&mut self) -> io::Result<()> {
        self.header.up_scope().map_err(plain)
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        let ranged = if bits > 1 { format!("{name} [{}:0]", bits - 1) } else { name.to_owned() };
        let kind = FstSignalType::bit_vec(bits);
        let id = self.header.var(ranged, kind, FstVarType::Wire, FstVarDirection::Implicit, None).map_err(plain)?;
        self.signals.push((id, bits));
        Ok(())
    }

    fn begin(self) -> io::Result<Fst<W>> {
        let mut body = self.header.finish().map_err(plain)?;
        body.set_deduplicate(false); // the tracer hands over changes only
        let full = body.size() + self.block;
        Ok(Fst { body, signals: self.signals, full, digits: Vec::new(), error: None, now: 0 })
    }
}

/// Values of an FST.
pub(crate) struct Fst<W: Write + Seek> {
    body: FstBodyWriter<BufWriter<W>>,
    signals: Vec<(FstSignalId, u32)>,
    /// Size of the body at which a block is written.
    full: usize,
    digits: Vec<u8>,
    /// First error of a change, handed out at the next time step.
    error: Option<io::Error>,
    now: u64,
}

impl<W: Write + Seek> Fst<W> {
    fn put(&mut self, id: FstSignalId, digits: &[u8]) {
        if let Err(e) = self.body.signal_change(id, digits) {
            self.error.get_or_insert(plain(e));
        }
    }
}

impl<W: Write + Seek> Sink for Fst<W> {
    type Output = W;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        if let Some(e) = self.error.take() {
            return Err(e);
        }
        // Not before the first step behind time 0: until then the crate has not taken over the
        // initial values.
        if cycle > self.now && self.now > 0 && self.body.size() > self.full {
            self.body.flush().map_err(plain)?;
        }
        self.now = cycle;
        self.body.time_change(cycle).map_err(plain)
    }

    fn word(&mut self, signal: u32, value: u64) {
        let (id, bits) = self.signals[signal as usize];
        let mut digits = [b'0'; 64];
        full_word(&mut digits, value);
        self.put(id, &digits[64 - bits.min(64) as usize..]);
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        let (id, bits) = self.signals[signal as usize];
        let mut digits = std::mem::take(&mut self.digits);
        digits.resize(64 * value.len(), b'0');
        for (chunk, word) in digits.as_chunks_mut().0.iter_mut().rev().zip(value) {
            full_word(chunk, *word);
        }
        self.put(id, &digits[digits.len() - (bits as usize).min(digits.len())..]);
        self.digits = digits;
    }

    fn finish(mut self) -> io::Result<W> {
        if let Some(e) = self.error.take() {
            return Err(e);
        }
        let out = self.body.finish().map_err(plain)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// The system's error, where there is one.
fn plain(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(e) => e,
        other => io::Error::other(other),
    }
}
