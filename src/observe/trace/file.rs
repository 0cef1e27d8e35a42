//! Waveform files: their formats by the ending of the name, and their companion files.

use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};

use super::fst::{Fst, FstHeader};
use super::gtkw::companions;
use super::sink::{Header, Sink};
use super::vcd::{Vcd, VcdHeader};
use super::{Timescale, TraceError};
use crate::output::{Output, OutputError, is_pipe, is_standard};

/// Declarations of a waveform file whose name ends in `.vcd` or `.fst`.
pub(crate) enum FileHeader {
    /// Value change dump, IEEE 1364.
    Vcd(VcdHeader<Output>),
    /// Value change dump that has its name as soon as the declarations are written.
    Live(VcdHeader<Output>),
    /// Fast signal trace, `GTKWave`'s compressed format.
    Fst(FstHeader<Output>),
}

/// A waveform file under way. It gets its name only when it is complete.
pub(crate) enum FileSink {
    /// Value change dump.
    Vcd(Vcd<Output>),
    /// Fast signal trace.
    Fst(Box<Fst<Output>>),
}

impl FileHeader {
    /// Starts the file at `path`. Standard output and a pipe without an ending get a VCD.
    ///
    /// # Errors
    /// The ending is unknown, or the directory cannot be written.
    pub fn create(path: &Path) -> Result<Self, TraceError> {
        let io = |source| OutputError::new(path, source);
        match path.extension().and_then(|e| e.to_str()) {
            Some("fst") => {
                let mut file = Output::create(path)?;
                file.stream_position().map_err(|_| {
                    io(io::Error::other(
                        "a pipe cannot take an FST, which is not written from begin to end; name a .vcd",
                    ))
                })?;
                Ok(Self::Fst(FstHeader::new(file)))
            }
            Some("vcd") => Ok(Self::Vcd(VcdHeader::new(Output::create(path)?))),
            // A file without a name gets the text format, which needs no companion file.
            None if is_standard(path) || is_pipe(path) => Ok(Self::Vcd(VcdHeader::new(Output::create(path)?))),
            _ => Err(TraceError::Format { path: path.to_owned() }),
        }
    }
}

/// A waveform file and its companion files, all begun.
pub struct Waveform {
    pub(super) header: FileHeader,
    pub(super) path: PathBuf,
    pub(super) beside: Vec<Output>,
}

impl Waveform {
    /// Begins the file at `path`, its view and its translate files. The ending, `.vcd` or `.fst`,
    /// names the format.
    ///
    /// # Errors
    /// The ending is unknown, or one of the files cannot be written.
    pub fn create(path: &Path) -> Result<Self, TraceError> {
        let header = FileHeader::create(path)?;
        let beside = companions(path).iter().map(|path| Output::in_folder(path)).collect::<Result<_, _>>()?;
        Ok(Self { header, path: path.to_owned(), beside })
    }

    /// Lets a viewer read the file during the run. The file has its name from the first cycle on.
    ///
    /// # Errors
    /// The format can only be read as a whole.
    pub fn live(self) -> Result<Self, TraceError> {
        let header = match self.header {
            FileHeader::Vcd(header) | FileHeader::Live(header) => FileHeader::Live(header),
            FileHeader::Fst(_) => return Err(TraceError::NotLive { path: self.path }),
        };
        Ok(Self { header, ..self })
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Header for FileHeader {
    type Sink = FileSink;

    fn timescale(&mut self, scale: Timescale) {
        match self {
            Self::Vcd(h) | Self::Live(h) => h.timescale(scale),
            Self::Fst(h) => h.timescale(scale),
        }
    }

    fn open(&mut self, scope: &str) -> io::Result<()> {
        match self {
            Self::Vcd(h) | Self::Live(h) => h.open(scope),
            Self::Fst(h) => h.open(scope),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        match self {
            Self::Vcd(h) | Self::Live(h) => h.close(),
            Self::Fst(h) => h.close(),
        }
    }

    fn names(&mut self, table: &'static str, bits: u32, names: &[(u64, String)]) {
        match self {
            Self::Vcd(h) | Self::Live(h) => h.names(table, bits, names),
            Self::Fst(h) => h.names(table, bits, names),
        }
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        match self {
            Self::Vcd(h) | Self::Live(h) => h.signal(name, bits),
            Self::Fst(h) => h.signal(name, bits),
        }
    }

    fn begin(self) -> io::Result<FileSink> {
        match self {
            Self::Vcd(h) => h.begin().map(FileSink::Vcd),
            Self::Live(h) => h.begin()?.shown().map(FileSink::Vcd),
            Self::Fst(h) => h.begin().map(|s| FileSink::Fst(Box::new(s))),
        }
    }
}

impl Sink for FileSink {
    type Output = Output;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        match self {
            Self::Vcd(s) => s.time(cycle),
            Self::Fst(s) => s.time(cycle),
        }
    }

    fn half(&mut self, cycle: u64) -> io::Result<bool> {
        match self {
            Self::Vcd(s) => s.half(cycle),
            Self::Fst(s) => s.half(cycle),
        }
    }

    fn dump_all(&mut self, begin: bool) {
        match self {
            Self::Vcd(s) => s.dump_all(begin),
            Self::Fst(s) => s.dump_all(begin),
        }
    }

    #[inline]
    fn word(&mut self, signal: u32, value: u64) {
        match self {
            Self::Vcd(s) => s.word(signal, value),
            Self::Fst(s) => s.word(signal, value),
        }
    }

    #[inline]
    fn fields<const N: usize>(&mut self, base: u32, shown: &mut [u64; N], values: [u64; N]) -> u32 {
        match self {
            Self::Vcd(s) => s.fields(base, shown, values),
            Self::Fst(s) => s.fields(base, shown, values),
        }
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        match self {
            Self::Vcd(s) => s.words(signal, value),
            Self::Fst(s) => s.words(signal, value),
        }
    }

    fn unknown(&mut self) {
        match self {
            Self::Vcd(s) => s.unknown(),
            Self::Fst(s) => s.unknown(),
        }
    }

    fn finish(self) -> io::Result<Output> {
        match self {
            Self::Vcd(s) => s.finish(),
            Self::Fst(s) => s.finish(),
        }
    }
}
