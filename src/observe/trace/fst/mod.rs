//! FST, the compressed format of `GTKWave`.
//!
//! A file is its header, which is written last, then blocks of changes ([`blocks`]), then the
//! signals and their tree. Changes are kept as they come. When there are enough, a separate thread
//! makes a block of them, because sorting by signal and compressing take longer than the changes
//! themselves.

mod blocks;

use std::io::{self, Seek, SeekFrom, Write};
use std::mem;

use super::Timescale;
use super::beside::Beside;
use super::sink::{Header, Sink};
use blocks::{Blocks, Changes, SHORT, number, section};

/// Number of changes in memory that become a block. Each block costs time for every signal.
const FULL: usize = 2 << 20;

/// Kinds of sections.
const HEADER: u8 = 0;
const GEOMETRY: u8 = 3;
const HIERARCHY: u8 = 6;
/// Entries of the tree.
const ATTRIBUTE: u8 = 252;
const SCOPE: u8 = 254;
const UP: u8 = 255;
/// Types of a module, and of a wire without a direction.
const MODULE: u8 = 0;
const WIRE: [u8; 2] = [16, 0];
/// Type of an attribute that names the values of a signal: miscellaneous, a table of an
/// enumeration.
const TABLE: [u8; 2] = [0, 7];

/// Lengths of texts in the header.
const VERSION: usize = 128;
const DATE: usize = 119;

/// Declarations of an FST.
pub(crate) struct FstHeader<W> {
    out: W,
    /// Number of changes of a block.
    full: usize,
    scale: Timescale,
    /// The tree of scopes and signals.
    tree: Vec<u8>,
    scopes: u64,
    /// Widths of the signals.
    widths: Vec<u32>,
    /// Tables of names, numbered from 1.
    tables: Vec<&'static str>,
}

impl<W: Write + Seek> FstHeader<W> {
    /// Starts a dump on `out`.
    pub fn new(out: W) -> Self {
        Self::with_blocks(out, FULL)
    }

    /// Starts a dump whose blocks have this many changes, plus the rest of a cycle.
    pub(crate) fn with_blocks(out: W, full: usize) -> Self {
        let (tree, widths, tables) = (Vec::new(), Vec::new(), Vec::new());
        Self { out, full, scale: Timescale::default(), tree, scopes: 0, widths, tables }
    }
}

impl<W: Write + Seek + Send + 'static> Header for FstHeader<W> {
    type Sink = Fst<W>;

    fn timescale(&mut self, scale: Timescale) {
        self.scale = scale;
    }

    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.scopes += 1;
        self.tree.extend([SCOPE, MODULE]);
        self.tree.extend(scope.bytes().chain([0, 0])); // no component
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.tree.push(UP);
        Ok(())
    }

    fn names(&mut self, table: &'static str, bits: u32, names: &[(u64, String)]) {
        let known = self.tables.iter().position(|known| *known == table);
        let number = known.unwrap_or_else(|| {
            // The table: its name, the number of names, the names, and the values as readers show
            // them.
            let texts = names.iter().map(|(_, name)| name.clone());
            let values = names.iter().map(|(value, _)| format!("{value:0bits$b}", bits = bits as usize));
            let words: Vec<String> =
                [table.to_owned(), names.len().to_string()].into_iter().chain(texts).chain(values).collect();
            self.tables.push(table);
            self.attribute(&words.join(" "), self.tables.len());
            self.tables.len() - 1
        });
        self.attribute("", number + 1);
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        self.tree.extend(WIRE);
        self.tree.extend(name.bytes());
        if bits > 1 {
            self.tree.extend(format!(" [{}:0]", bits - 1).bytes());
        }
        self.tree.push(0);
        number(&mut self.tree, bits.into());
        number(&mut self.tree, 0); // no other name of a signal before
        self.widths.push(bits);
        Ok(())
    }

    fn begin(mut self) -> io::Result<Fst<W>> {
        let head = Head { scale: self.scale, scopes: self.scopes, signals: self.widths.len() as u64 };
        // The header is written again when all values are known.
        self.out.write_all(&head.bytes(0, 0, 0))?;
        self.hierarchy()?;
        self.geometry()?;
        Ok(Fst {
            long: self.widths.iter().map(|bits| if *bits > SHORT { bits.div_ceil(64) as u16 } else { 0 }).collect(),
            writer: Beside::Here(Blocks::new(self.out, self.widths)),
            changes: Changes::default(),
            full: self.full,
            head,
            start: None,
        })
    }
}

impl<W: Write> FstHeader<W> {
    /// An attribute: a table of names or, without a text, table `number` for the next signal.
    fn attribute(&mut self, text: &str, table: usize) {
        self.tree.push(ATTRIBUTE);
        self.tree.extend(TABLE);
        self.tree.extend(text.bytes().chain([0]));
        number(&mut self.tree, table as u64);
    }

    fn hierarchy(&mut self) -> io::Result<()> {
        let packed = lz4_flex::compress(&self.tree);
        section(&mut self.out, HIERARCHY, &[&(self.tree.len() as u64).to_be_bytes(), &packed])
    }

    fn geometry(&mut self) -> io::Result<()> {
        let mut widths = Vec::with_capacity(self.widths.len());
        self.widths.iter().for_each(|bits| number(&mut widths, (*bits).into()));
        let lengths = [widths.len() as u64, self.widths.len() as u64].map(u64::to_be_bytes);
        section(&mut self.out, GEOMETRY, &[lengths.as_flattened(), &widths])
    }
}

/// Header contents that are known before the end of the dump.
struct Head {
    scale: Timescale,
    scopes: u64,
    signals: u64,
}

impl Head {
    /// The header of a dump from time `start` to `end`, with `blocks` blocks.
    #[allow(clippy::cast_sign_loss)] // The exponent is a byte of two's complement.
    fn bytes(&self, start: u64, end: u64, blocks: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend([start, end].map(u64::to_be_bytes).as_flattened());
        bytes.extend(std::f64::consts::E.to_le_bytes()); // tells the order of bytes of reals
        let memory = 0;
        let counts = [memory, self.scopes, self.signals, self.signals, blocks];
        bytes.extend(counts.map(u64::to_be_bytes).as_flattened());
        bytes.push(self.scale.exponent() as u8);
        let mut text = |text: &str, length: usize| {
            bytes.extend(text.bytes().take(length - 1));
            bytes.resize(bytes.len() + length - text.len().min(length - 1), 0);
        };
        text(concat!("wormscope ", env!("CARGO_PKG_VERSION")), VERSION);
        text("", DATE); // a run is the same bits on every day
        bytes.push(0); // of Verilog
        bytes.extend([0; 8]); // times as they are
        let mut section = vec![HEADER];
        section.extend((bytes.len() as u64 + 8).to_be_bytes());
        section.extend(bytes);
        section
    }
}

/// Values of an FST.
pub(crate) struct Fst<W: Write + Seek> {
    /// Blocks, which a thread makes after the first full block.
    writer: Beside<Blocks<W>, Changes>,
    /// Changes of the block under way.
    changes: Changes,
    full: usize,
    /// Number of words of each signal; 0 for short signals.
    long: Vec<u16>,
    head: Head,
    /// Time of the first values.
    start: Option<u64>,
}

impl<W: Write + Seek + Send + 'static> Fst<W> {
    /// Hands on a full block.
    fn block(&mut self) -> io::Result<()> {
        // Each thread works on one block at a time, and no block waits between the threads.
        let begin = self.changes.end();
        let full = mem::take(&mut self.changes);
        let written = self.writer.hand_on(full, ("fst", 0), Blocks::write)?;
        self.changes = written.unwrap_or_default().begun(begin);
        Ok(())
    }
}

impl<W: Write + Seek + Send + 'static> Sink for Fst<W> {
    type Output = W;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        let time = self.head.scale.time(cycle)?;
        if self.start.is_none() {
            self.start = Some(time);
            self.changes.begin = time;
            return Ok(());
        }
        if self.changes.len() > self.full {
            self.block()?;
        }
        self.changes.time(time);
        Ok(())
    }

    fn half(&mut self, cycle: u64) -> io::Result<bool> {
        let half = self.head.scale.half(cycle);
        if let Some(time) = half {
            self.changes.time(time);
        }
        Ok(half.is_some())
    }

    #[inline]
    fn word(&mut self, signal: u32, value: u64) {
        if self.long[signal as usize] == 0 {
            self.changes.push(signal, value as u32);
        } else {
            self.changes.push_long(signal, &[value]);
        }
    }

    #[inline(always)]
    fn fields<const N: usize>(&mut self, base: u32, shown: &mut [u64; N], values: [u64; N]) -> u32 {
        let mut changed = 0;
        // The loop has a known length. So every field has separate branches, which processors
        // predict better than one branch for all.
        for field in 0..N {
            if shown[field] != values[field] {
                shown[field] = values[field];
                changed |= 1 << field;
                self.word(base + field as u32, values[field]);
            }
        }
        changed
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        let words = usize::from(self.long[signal as usize]);
        if words > 1 {
            self.changes.push_long(signal, &value[..words]);
        } else {
            self.word(signal, value.first().copied().unwrap_or(0));
        }
    }

    fn unknown(&mut self) {
        self.changes.unknown();
    }

    fn finish(self) -> io::Result<W> {
        let mut blocks = self.writer.finish()?;
        blocks.write(&self.changes)?;
        let Blocks { mut out, written, .. } = blocks;
        out.seek(SeekFrom::Start(0))?;
        let start = self.start.unwrap_or(0);
        out.write_all(&self.head.bytes(start, self.changes.end(), written))?;
        out.flush()?;
        Ok(out)
    }
}
