//! A run as a trace for Perfetto (<https://ui.perfetto.dev>), in the JSON format of Chrome.
//! Each worm is a process: its account is the first track, then comes a track for each input lane.
//!
//! Arrows lead from a lane to the next one, so that branches are seen; arrivals are instants. Times
//! are hardware times: `clock_ns` for each cycle.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write as _};

use serde_json::{Value, json};

use wormscope_hw::{NodeId, WormId};

use crate::account::{Account, History, Place};
use crate::engine::WormInfo;
use crate::output::{Output, OutputError};

/// Writes the trace of a run during the run.
pub(crate) struct PerfettoTrace {
    file: BufWriter<Output>,
    /// Microseconds for each cycle, the unit of the format.
    cycle: f64,
    /// Arrivals of worms that have not arrived everywhere: destination and cycle.
    arrivals: BTreeMap<WormId, Vec<(NodeId, u64)>>,
    /// Tracks so far. Each track has a different number. No track has 0, which Perfetto keeps for
    /// the idle thread. A worm has the number of its first track.
    tracks: u64,
    arrows: u64,
    is_first: bool,
    error: Option<io::Error>,
}

/// Worm and track of an event.
type Where = (u64, u64);

impl PerfettoTrace {
    /// Begins the trace of a run with a clock of `clock_ns`.
    pub fn new(file: Output, clock_ns: f64) -> Self {
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let error = file.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[").err();
        let arrivals = BTreeMap::new();
        Self { file, cycle: clock_ns / 1000.0, arrivals, tracks: 0, arrows: 0, is_first: true, error }
    }

    /// Writes an event; `more` are its further members.
    fn event(&mut self, kind: &str, (pid, tid): Where, name: &str, more: Value) {
        let mut event = json!({ "ph": kind, "pid": pid, "tid": tid, "name": name });
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
        if self.error.is_none() {
            self.error = write!(self.file, "{comma}\n{event}").err();
        }
    }

    /// A time in the unit of the format.
    fn at(&self, cycle: f64) -> f64 {
        cycle * self.cycle
    }

    /// Opens a track of a worm, its first one if `worm` is none.
    fn track(&mut self, worm: Option<u64>, name: &str) -> Where {
        self.tracks += 1;
        let at = (worm.unwrap_or(self.tracks), self.tracks);
        self.event("M", at, "thread_name", json!({ "args": { "name": name } }));
        self.event("M", at, "thread_sort_index", json!({ "args": { "sort_index": self.tracks } }));
        at
    }

    fn slice(&mut self, at: Where, (from, until): (u64, u64), name: &str, args: &Value) {
        let (ts, dur) = (self.at(from as f64), self.at((until - from) as f64));
        self.event("X", at, name, json!({ "ts": ts, "dur": dur, "args": args }));
    }

    /// A worm has arrived at one destination.
    pub fn arrives(&mut self, account: &Account) {
        self.arrivals.entry(account.worm).or_default().push((account.destination, account.tail));
    }

    /// A worm has arrived everywhere, or the run is over: its account and its lanes.
    pub fn worm(&mut self, history: &History, worm: &WormInfo, account: &Account) {
        let to = match &*worm.destinations {
            [node] => format!("n{node}"),
            nodes => format!("{} nodes", nodes.len()),
        };
        let own = self.track(None, &format!("account, to n{}", account.destination));
        let name = format!("worm {}: n{} to {to}", worm.id, worm.source);
        self.event("M", own, "process_name", json!({ "args": { "name": name } }));
        self.event("M", own, "process_sort_index", json!({ "args": { "sort_index": worm.id.0 } }));
        for of in &account.stretches {
            let other = of.cause.worm();
            let args = json!({
                "from cycle": of.from,
                "cycles": of.cycles(),
                "at": history.place(of.at),
                "for worm": other.map(|worm| worm.0),
                "output": of.output.map(|output| history.output_name(output)),
            });
            let whose = other.map_or_else(String::new, |worm| format!(": worm {worm}"));
            self.slice(own, (of.from, of.until), &format!("{}{whose}", of.cause.name()), &args);
        }
        for (node, tail) in self.arrivals.remove(&worm.id).unwrap_or_default() {
            let args = json!({ "cycle": tail, "latency": tail - worm.created });
            let ts = self.at(tail as f64);
            self.event("i", own, &format!("tail at n{node}"), json!({ "s": "t", "ts": ts, "args": args }));
        }
        let mut tracks: Vec<Where> = Vec::new();
        for visit in history.visits(worm, account.tail) {
            let at = self.track(Some(own.0), &history.place(Place::Input(visit.input)));
            for &(from, until, state) in &visit.states {
                self.slice(at, (from, until), state.name(), &json!({ "from cycle": from, "cycles": until - from }));
            }
            // The head may first wait for another worm in the FIFO.
            if let (Some((parent, crossed)), Some(&(served, ..))) = (visit.from, visit.states.first()) {
                self.arrows += 1;
                // The arrow begins at the start of the cycle, as slices do, because Perfetto rounds
                // all times to whole ns.
                let [leaves, comes] = [crossed, served].map(|cycle| self.at(cycle as f64));
                let id = self.arrows;
                self.event("s", tracks[parent], "branch", json!({ "cat": "branch", "id": id, "ts": leaves }));
                self.event("f", at, "branch", json!({ "cat": "branch", "id": id, "ts": comes, "bp": "e" }));
            }
            tracks.push(at);
        }
    }

    /// The complete file, not yet in its place.
    ///
    /// # Errors
    /// The first error met while the run wrote.
    pub fn finish(mut self) -> Result<Output, OutputError> {
        if self.error.is_none() {
            self.error = self.file.write_all(b"\n]}\n").err();
        }
        match self.error {
            Some(error) => Err(self.file.get_ref().error(error)),
            None => Output::complete(self.file),
        }
    }
}
