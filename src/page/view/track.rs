//! State of one lane, channel or station over time, as events of a few bytes.
//!
//! An event is the number of cycles since the previous event, a byte of flags, and the numbers that
//! the flags announce; numbers are LEB128. A value holds from the cycle of its event on.

use crate::engine::{ConsumeSample, FlitId, InSample, InjectSample, OutSample, TokenSample};

/// A flit: worm and index within it as injected.
pub type Flit = (u32, u32);

/// The bytes of the events so far.
#[derive(Debug, Default)]
pub struct Track {
    /// The events.
    pub bytes: Vec<u8>,
    /// Cycle of the last one.
    at: u64,
}

impl Track {
    /// A track whose first event counts from `cycle` on.
    pub fn from(cycle: u64) -> Self {
        Self { bytes: Vec::new(), at: cycle }
    }

    fn event(&mut self, cycle: u64, flags: u8, values: &[Option<u64>]) {
        self.number(cycle - self.at);
        self.bytes.push(flags);
        values.iter().flatten().for_each(|&value| self.number(value));
        self.at = cycle;
    }

    /// Writes a number.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// State of an instance in a cycle.
pub trait Shown: Copy {
    /// Writes a change from `before` in `cycle`, if there is one.
    fn tell(self, before: Self, cycle: u64, track: &mut Track);

    /// State before the first event of a window: nothing crosses yet.
    #[must_use]
    fn at_begin(self) -> Self {
        self
    }
}

/// Two bits at `place` for a changed count, and the value of the count if it changed by more than
/// one.
fn step(before: u16, now: u16, place: u8) -> (u8, Option<u64>) {
    let (code, value) = match i32::from(now) - i32::from(before) {
        0 => (0, None),
        1 => (1, None),
        -1 => (2, None),
        _ => (3, Some(u64::from(now))),
    };
    (code << place, value)
}

/// A value that the page gets only if it has changed.
fn changed(before: u64, now: u64, bit: u8) -> (u8, Option<u64>) {
    if before == now { (0, None) } else { (1 << bit, Some(now)) }
}

/// A number or none, as a number: one more, or 0.
fn or_none(value: Option<impl Into<u64>>) -> u64 {
    value.map_or(0, |value| value.into() + 1)
}

/// An input lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownInput {
    state: u8,
    worm: u64,
    branches: u64,
    taken: u64,
    count: u16,
}

impl From<&InSample> for ShownInput {
    fn from(sample: &InSample) -> Self {
        Self {
            state: sample.state as u8,
            worm: or_none(sample.worm.map(|worm| worm.0)),
            branches: sample.branches.0,
            taken: sample.taken.0,
            count: sample.fifo_count,
        }
    }
}

impl Shown for ShownInput {
    fn tell(self, before: Self, cycle: u64, track: &mut Track) {
        if self == before {
            return;
        }
        let (worm, branches) = (changed(before.worm, self.worm, 3), changed(before.branches, self.branches, 4));
        let (taken, count) = (changed(before.taken, self.taken, 5), step(before.count, self.count, 6));
        let flags = self.state | worm.0 | branches.0 | taken.0 | count.0;
        track.event(cycle, flags, &[worm.1, branches.1, taken.1, count.1]);
    }
}

/// A channel over which flits go: an output lane, an injection or a consumption channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownChannel {
    valid: bool,
    /// Number of the input lane that owns the channel, plus one; 0 without an owner.
    owner: u64,
    /// The flit that crosses, or the last that did.
    flit: Option<Flit>,
    credits: u16,
    queue: u32,
}

impl ShownChannel {
    /// A silent channel with this many credits.
    pub fn idle(credits: u16) -> Self {
        Self { valid: false, owner: 0, flit: None, credits, queue: 0 }
    }

    /// The flit that crosses.
    pub fn crossing(self) -> Option<Flit> {
        self.flit.filter(|_| self.valid)
    }

    fn carries(self, flit: Option<FlitId>) -> Self {
        let now = flit.map(|flit| (flit.worm.0, flit.index));
        Self { valid: now.is_some(), flit: now.or(self.flit), ..self }
    }

    /// An output lane in this cycle.
    pub fn output(self, sample: &OutSample) -> Self {
        Self { owner: or_none(sample.owner), credits: sample.credits, ..self.carries(sample.flit) }
    }

    /// An injection channel in this cycle.
    pub fn injection(self, sample: &InjectSample) -> Self {
        Self { credits: sample.credits, queue: sample.queue, ..self.carries(sample.flit) }
    }

    /// A consumption channel with a flit in this cycle.
    pub fn consumption(self, sample: &ConsumeSample) -> Self {
        self.carries(Some(sample.flit))
    }

    /// The channel without a flit.
    pub fn silent(self) -> Self {
        Self { valid: false, ..self }
    }
}

impl Shown for ShownChannel {
    fn tell(self, before: Self, cycle: u64, track: &mut Track) {
        // The flit after the last one is the default, so it needs no bytes.
        let next = before.flit.map(|(worm, index)| (worm, index + 1));
        let flit = self.crossing().filter(|&flit| Some(flit) != next);
        let (owner, credits) = (changed(before.owner, self.owner, 1), step(before.credits, self.credits, 3));
        let queue = changed(before.queue.into(), self.queue.into(), 5);
        let flags = owner.0 | u8::from(flit.is_some()) << 2 | credits.0 | queue.0;
        if self.valid != before.valid || flags != 0 {
            let (worm, index) = (flit.map(|flit| flit.0.into()), flit.map(|flit| flit.1.into()));
            track.event(cycle, u8::from(self.valid) | flags, &[owner.1, worm, index, credits.1, queue.1]);
        }
    }

    fn at_begin(self) -> Self {
        Self { valid: false, flit: None, ..self }
    }
}

/// A station of a token ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownStation {
    here: bool,
    holder: u64,
    request: u64,
}

impl From<&TokenSample> for ShownStation {
    fn from(sample: &TokenSample) -> Self {
        Self { here: sample.here, holder: or_none(sample.holder), request: sample.request.0 }
    }
}

impl Shown for ShownStation {
    fn tell(self, before: Self, cycle: u64, track: &mut Track) {
        if self != before {
            let (holder, request) = (changed(before.holder, self.holder, 1), changed(before.request, self.request, 2));
            track.event(cycle, u8::from(self.here) | holder.0 | request.0, &[holder.1, request.1]);
        }
    }
}
