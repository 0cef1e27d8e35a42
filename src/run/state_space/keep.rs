//! The file of a search that goes on later.
//!
//! Its first line has the version, the task and the place of the search. The known states of the
//! parts come next, then the visited states, and then the state from which each was met first. The
//! last 32 bytes are the SHA-256 of all before.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::search::StateSearch;
use super::store::Store;
use crate::engine::States;
use crate::output::{self, Output, OutputError};
use crate::quote;

/// The first line.
#[derive(Serialize, Deserialize)]
struct KeptHeader {
    /// Version of wormscope, and the task.
    task: String,
    next: u32,
    level_end: u32,
    depth: u32,
    transitions: u64,
    seconds: f64,
    widths: Vec<u8>,
    /// Bytes of the states of parts, and number of visited states.
    parts: usize,
    states: usize,
}

impl StateSearch {
    /// Writes the search to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, task: &str, path: &Path) -> Result<(), OutputError> {
        let (visited, parts) = (&self.visited, self.states.kept());
        let header = KeptHeader {
            task: task.to_owned(),
            next: visited.next,
            level_end: visited.level_end,
            depth: visited.depth,
            transitions: visited.transitions,
            seconds: self.progress().time.as_secs_f64(),
            widths: visited.store.widths.clone(),
            parts: parts.len(),
            states: visited.store.parents.len(),
        };
        let mut file = BufWriter::new(Output::create(path)?);
        let mut sum = Sha256::new();
        let mut write = || {
            let mut put = |bytes: &[u8]| {
                sum.update(bytes);
                file.write_all(bytes)
            };
            put(&serde_json::to_vec(&header)?)?;
            put(b"\n")?;
            put(&parts)?;
            put(&visited.store.bytes)?;
            visited.store.parents.iter().try_for_each(|parent| put(&parent.to_le_bytes()))?;
            file.write_all(&sum.finalize_reset())
        };
        if let Err(error) = write() {
            return Err(file.get_ref().error(error));
        }
        output::place(vec![Output::complete(file)?]).map(drop)
    }

    /// The search that a file has; `None` if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, is of another task, or is no such file.
    pub fn kept(task: &str, path: &Path, mut states: States) -> Result<Option<Self>, String> {
        let name = quote::name(path);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        let other = || format!("{name}: no file that prove --keep wrote; name another file or remove it");
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(other)?;
        let header: KeptHeader = serde_json::from_slice(&bytes[..end]).map_err(|_| other())?;
        if header.task != task {
            return Err(format!(
                "{name}: is of another network, other bounds or another version of wormscope; name another file or \
                 remove it"
            ));
        }
        let damaged = || format!("{name}: the file is damaged; remove it, and the search begins again");
        let (bytes, sum) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
        if Sha256::digest(bytes)[..] != sum[..] || bytes.len() <= end {
            return Err(damaged());
        }
        let each: usize = header.widths.iter().map(|&width| usize::from(width)).sum();
        let (Some(of_states), Some(of_parents)) = (header.states.checked_mul(each), header.states.checked_mul(4))
        else {
            return Err(other());
        };
        let rest = &bytes[end + 1..];
        let whole = header.parts.checked_add(of_states).and_then(|all| all.checked_add(of_parents));
        let widths_fit = header.widths.len() == states.width() && header.widths.iter().all(|of| (1..=4).contains(of));
        let is_whole = whole == Some(rest.len()) && widths_fit;
        let at = u64::from(header.next).max(u64::from(header.level_end));
        if !is_whole || at > header.states as u64 || !states.restore(&rest[..header.parts]) {
            return Err(damaged());
        }
        let (packed, parents) = rest[header.parts..].split_at(of_states);
        let parents = parents.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let store = Store::with(header.widths, packed.to_vec(), parents.collect());
        let place = (header.next, header.level_end, header.depth);
        let before = Duration::try_from_secs_f64(header.seconds).unwrap_or_default();
        Ok(Some(Self::at(states, store, place, (header.transitions, before))))
    }
}
