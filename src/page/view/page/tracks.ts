// Tracks of one kind, decoded into typed arrays. The events of track k are `start[k]` to `start[k +
// 1] - 1`. Event e holds from cycle[e] on.

/** A typed array that grows. */
class Column<T extends Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array> {
  length = 0;
  constructor(public data: T) {}
  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new (this.data.constructor as new (n: number) => T)(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }
  done(): T {
    return this.data.slice(0, this.length) as T;
  }
}
const u8 = (): Column<Uint8Array> => new Column(new Uint8Array(4096));
const u16 = (): Column<Uint16Array> => new Column(new Uint16Array(4096));
const i32 = (): Column<Int32Array> => new Column(new Int32Array(4096));
const u32 = (): Column<Uint32Array> => new Column(new Uint32Array(4096));

/** Cycles from <= t < until. */
export interface Span { from: number; until: number }
export type Cycles = Uint32Array | Float64Array;
/** A column of cycles: 32 bits each, or doubles where a run is too long for these. */
const cyclesOf = ({ until }: Span): Column<Cycles> => new Column<Cycles>(until < 2 ** 32 ? new Uint32Array(4096) : new Float64Array(4096));

/** Reads varints. */
export class Reader {
  at = 0;
  constructor(public bytes: Uint8Array) {}
  varint(): number {
    let value = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  /** The numbers of the bits that are set, however many bits there are. */
  mask(): number[] {
    const bits: number[] = [];
    for (let base = 0; ; base += 7) {
      const byte = this.bytes[this.at++];
      for (let i = 0; i < 7; i++) if (byte >> i & 1) bits.push(base + i);
      if (byte < 128) return bits;
    }
  }
}

/** Masks by number, each distinct one once; number 0 is empty. */
export class Masks {
  list: number[][] = [[]];
  private numbers = new Map<string, number>([["", 0]]);
  number(bits: number[]): number {
    const key = bits.join();
    let found = this.numbers.get(key);
    if (found === undefined) this.numbers.set(key, (found = this.list.push(bits) - 1));
    return found;
  }
}

/** Common part of all tracks: the begin of the events of each, and the event that holds now. */
export class Tracks {
  now: Int32Array;
  constructor(public start: Uint32Array, public cycle: Cycles) {
    this.now = new Int32Array(start.length - 1).fill(-1);
  }
  get count(): number {
    return this.now.length;
  }
  /** The event of a track that holds in a cycle; -1 before the first. */
  find(track: number, t: number): number {
    let low = this.start[track], high = this.start[track + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.cycle[middle] <= t) low = middle + 1; else high = middle;
    }
    return low > this.start[track] ? low - 1 : -1;
  }
  /** Moves `now` to a cycle: a few steps on where it is near, else by halving. */
  seek(t: number): void {
    const { now, start, cycle } = this;
    for (let track = 0; track < now.length; track++) {
      let e = now[track];
      if (e >= 0 && cycle[e] > t) { now[track] = this.find(track, t); continue; }
      const end = start[track + 1];
      if (e < 0) e = start[track] - 1;
      for (let steps = 0; e + 1 < end && cycle[e + 1] <= t; e++) {
        if (++steps > 16) { e = this.find(track, t); break; }
      }
      now[track] = e < start[track] ? -1 : e;
    }
  }
  /** The first cycle in which an event no longer holds. */
  until(track: number, e: number, end: number): number {
    return e + 1 < this.start[track + 1] ? this.cycle[e + 1] : end;
  }
}

export class InputTracks extends Tracks {
  constructor(start: Uint32Array, cycle: Cycles, public state: Uint8Array, public worm: Int32Array, public branches: Uint32Array,
    public taken: Uint32Array, public held: Uint16Array) { super(start, cycle); }
}
/** Output lanes, injection and consumption channels; `extra` is the owner (-1: none) or the queue. */
export class ChannelTracks extends Tracks {
  constructor(start: Uint32Array, cycle: Cycles, public valid: Uint8Array, public worm: Int32Array, public flit: Int32Array,
    public credits: Uint16Array, public extra: Int32Array) { super(start, cycle); }
}
export class StationTracks extends Tracks {
  constructor(start: Uint32Array, cycle: Cycles, public here: Uint8Array, public holder: Int32Array, public request: Uint32Array) {
    super(start, cycle);
  }
}

/** The cycles of a track's events one after the other. */
function walk(reader: Reader, lengths: number[], { from }: Span, begin: (track: number) => void, event: (cycle: number) => void): Uint32Array {
  const start = new Uint32Array(lengths.length + 1);
  let events = 0;
  lengths.forEach((length, track) => {
    const end = reader.at + length;
    let cycle = from;
    start[track] = events;
    begin(track);
    while (reader.at < end) {
      cycle += reader.varint();
      event(cycle);
      events++;
    }
    if (reader.at !== end) throw new Error("a track's stream does not end where it should");
  });
  start[lengths.length] = events;
  return start;
}

export function inputTracks(reader: Reader, lengths: number[], span: Span, masks: Masks): InputTracks {
  const [cycle, state, worm, branches, taken, held] = [cyclesOf(span), u8(), i32(), u32(), u32(), u16()];
  let [w, b, t, h] = [-1, 0, 0, 0];
  const start = walk(reader, lengths, span, () => ([w, b, t, h] = [-1, 0, 0, 0]), (at) => {
    const flags = reader.bytes[reader.at++];
    if (flags & 8) w = reader.varint() - 1;
    if (flags & 16) b = masks.number(reader.mask());
    if (flags & 32) t = masks.number(reader.mask());
    const change = flags >> 6;
    if (change === 3) h = reader.varint(); else if (change) h += change === 1 ? 1 : -1;
    cycle.push(at); state.push(flags & 7); worm.push(w); branches.push(b); taken.push(t); held.push(h);
  });
  return new InputTracks(start, cycle.done(), state.done(), worm.done(), branches.done(), taken.done(), held.done());
}

export function channelTracks(reader: Reader, lengths: number[], span: Span, kind: "output" | "injection" | "consumption",
  depth: (track: number) => number): ChannelTracks {
  const [cycle, valid, worm, flit, credits, extra] = [cyclesOf(span), u8(), i32(), i32(), u16(), i32()];
  // `f` is the flit that crosses next if none is named.
  let [v, w, f, c, x, since] = [0, -1, 0, 0, 0, span.from];
  const start = walk(reader, lengths, span, (track) => {
    [v, w, f, c, x, since] = [0, -1, 0, depth(track), kind === "output" ? -1 : 0, span.from];
  }, (at) => {
    if (v) f += at - since;
    const flags = reader.bytes[reader.at++];
    v = flags & 1;
    if (kind === "output" && flags & 2) x = reader.varint() - 1;
    if (flags & 4) { w = reader.varint(); f = reader.varint(); }
    const change = flags >> 3 & 3;
    if (kind !== "consumption" && change) { if (change === 3) c = reader.varint(); else c += change === 1 ? 1 : -1; }
    if (kind === "injection" && flags & 32) x = reader.varint();
    since = at;
    cycle.push(at); valid.push(v); worm.push(w); flit.push(f); credits.push(c); extra.push(x);
  });
  return new ChannelTracks(start, cycle.done(), valid.done(), worm.done(), flit.done(), credits.done(), extra.done());
}

export function stationTracks(reader: Reader, lengths: number[], span: Span, masks: Masks): StationTracks {
  const [cycle, here, holder, request] = [cyclesOf(span), u8(), i32(), u32()];
  let [h, r] = [-1, 0];
  const start = walk(reader, lengths, span, () => ([h, r] = [-1, 0]), (at) => {
    const flags = reader.bytes[reader.at++];
    if (flags & 2) h = reader.varint() - 1;
    if (flags & 4) r = masks.number(reader.mask());
    cycle.push(at); here.push(flags & 1); holder.push(h); request.push(r);
  });
  return new StationTracks(start, cycle.done(), here.done(), holder.done(), request.done());
}
