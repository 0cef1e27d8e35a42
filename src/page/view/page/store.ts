// A run: the state of every lane in every cycle, and values that follow from it.

import { account, Stretch } from "./account";
import { Before, HEADS, LANES, Meta, MOVE, BLOCKED, TOKEN, unpack, waits } from "./format";
import { ChannelTracks, channelTracks, InputTracks, inputTracks, Masks, Reader, Span, StationTracks, stationTracks } from "./tracks";

/** A wait of a worm at an input lane: from <= t < until. */
export interface Wait { worm: number; input: number; state: number; from: number; until: number }
/** A worm in service at an input lane, from event to event. */
export interface Visit { input: number; from: number; until: number; first: number; last: number }
export interface Lane { track: number; input: boolean }

export class Store {
  t = -1;
  masks = new Masks();
  inputs: InputTracks;
  outputs: ChannelTracks;
  injections: ChannelTracks;
  consumptions: ChannelTracks;
  stations: StationTracks;
  /** Source of each input lane: an output lane (k >= 0) or an injection channel (-1 - k). */
  feeder: Int32Array;
  /** Output lanes of each switch. */
  outputsOf: number[][];
  inputsOf: number[][];
  /** For each cycle: flits that cross, lanes that wait, worms under way. */
  crossing: Uint32Array;
  blocked: Uint32Array;
  underWay: Uint32Array;
  /** Index of a worm of a number. */
  wormIndex = new Map<number, number>();
  /** First cycle of a worm in the network, and the first one after its last flit. */
  began: Float64Array;
  ended: Float64Array;
  visitsOf: Visit[][];
  waitsList: Wait[] = [];
  /** The account of each worm, up to its last arrival. */
  accounts: Stretch[][];
  firstBranch = -1; firstBranchWorm = -1; firstFlit = -1; firstFlitWorm = -1;

  static async read(text: string): Promise<Store> {
    const { meta, streams } = await unpack(text);
    return new Store(meta, streams);
  }

  constructor(public meta: Meta, streams: Uint8Array) {
    const { from, bytes } = meta;
    const reader = new Reader(streams);
    const span: Span = { from, until: meta.until };
    this.inputs = inputTracks(reader, bytes.inputs, span, this.masks);
    this.outputs = channelTracks(reader, bytes.outputs, span, "output", (k) => this.outputDepth(k));
    this.injections = channelTracks(reader, bytes.injections, span, "injection", (k) => this.injectionDepth(k));
    this.consumptions = channelTracks(reader, bytes.consumptions, span, "consumption", () => 0);
    this.stations = stationTracks(reader, bytes.stations, span, this.masks);
    this.accounts = meta.worms.map((worm) => account(reader, worm.created));
    this.feeder = new Int32Array(meta.inputs.length).fill(-1 << 30);
    meta.outputs.forEach((output, k) => { if (output.input !== null) this.feeder[output.input] = k; });
    meta.injections.forEach((channel, k) => { this.feeder[channel.input] = -1 - k; });
    this.outputsOf = meta.switches.map(() => []);
    this.inputsOf = meta.switches.map(() => []);
    meta.outputs.forEach((lane, k) => { if (lane.points.length) this.outputsOf[lane.switch].push(k); });
    meta.inputs.forEach((lane, k) => { if (lane.exists) this.inputsOf[lane.switch].push(k); });
    meta.worms.forEach((worm, k) => this.wormIndex.set(worm.id, k));
    const cycles = meta.until - from + 1;
    [this.crossing, this.blocked, this.underWay] = [new Uint32Array(cycles), new Uint32Array(cycles), new Uint32Array(cycles)];
    this.began = new Float64Array(meta.worms.length).fill(Infinity);
    this.ended = new Float64Array(meta.worms.length).fill(-Infinity);
    this.visitsOf = meta.worms.map(() => []);
    this.summarise();
  }

  /** Passes once over all events. */
  private summarise(): void {
    const { from, until } = this.meta;
    const crossing = new Int32Array(until - from + 2), blocked = new Int32Array(until - from + 2), under = new Int32Array(until - from + 2);
    for (const tracks of [this.outputs, this.injections]) {
      for (let track = 0; track < tracks.count; track++) {
        for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
          if (!tracks.valid[e]) continue;
          const begin = tracks.cycle[e], end = tracks.until(track, e, until);
          crossing[begin - from]++;
          crossing[end - from]--;
          this.live(tracks.worm[e], end);
        }
      }
    }
    for (let k = 0; k < this.consumptions.count; k++) {
      const c = this.consumptions;
      for (let e = c.start[k]; e < c.start[k + 1]; e++) if (c.valid[e]) this.live(c.worm[e], c.until(k, e, until));
    }
    const inputs = this.inputs;
    for (let track = 0; track < inputs.count; track++) {
      let visit: Visit | null = null, serves = -1, wait: Wait | null = null;
      for (let e = inputs.start[track]; e < inputs.start[track + 1]; e++) {
        const worm = inputs.worm[e], state = inputs.state[e], begin = inputs.cycle[e], end = inputs.until(track, e, until);
        if (worm !== serves) { visit = null; serves = worm; }
        if (worm >= 0) {
          const index = this.wormIndex.get(worm);
          if (index !== undefined) {
            if (visit) { visit.last = e; visit.until = end; }
            else this.visitsOf[index].push((visit = { input: track, from: begin, until: end, first: e, last: e }));
            this.live(worm, end);
          }
        }
        if (waits(state)) {
          blocked[begin - from]++;
          blocked[end - from]--;
          if (wait && wait.worm === worm && wait.until === begin && wait.state === state) wait.until = end;
          else this.waitsList.push((wait = { worm, input: track, state, from: begin, until: end }));
        } else wait = null;
        if (state === MOVE && this.masks.list[inputs.branches[e]].length > 1 && (this.firstBranch < 0 || begin < this.firstBranch)) {
          [this.firstBranch, this.firstBranchWorm] = [begin, worm];
        }
      }
    }
    this.meta.worms.forEach((worm, k) => {
      this.began[k] = worm.injected ?? Infinity;
      for (const [, , , tail] of worm.delivered) this.ended[k] = Math.max(this.ended[k], tail + 1);
      // A worm that has not arrived everywhere is still on the way, at the front of a lane or not.
      const gone = worm.delivered.length < worm.to.length ? until : this.ended[k];
      if (this.began[k] >= gone) return;
      if (this.firstFlit < 0 || this.began[k] < this.firstFlit) [this.firstFlit, this.firstFlitWorm] = [Math.max(this.began[k], from), worm.id];
      under[Math.min(Math.max(this.began[k], from), until) - from]++;
      under[Math.min(Math.max(gone, from), until) - from]--;
    });
    let [a, b, c] = [0, 0, 0];
    for (let i = 0; i < this.crossing.length; i++) {
      this.crossing[i] = a += crossing[i];
      this.blocked[i] = b += blocked[i];
      this.underWay[i] = c += under[i];
    }
    for (const visits of this.visitsOf) visits.sort((x, y) => x.from - y.from || x.input - y.input);
    this.waitsList.sort((x, y) => x.from - y.from);
  }

  private live(worm: number, end: number): void {
    const k = this.wormIndex.get(worm);
    if (k !== undefined && end > this.ended[k]) this.ended[k] = end;
  }

  /** Depth of the FIFO or node behind an output lane or an injection channel. It equals the credits while nothing crosses. */
  outputDepth(output: number): number {
    return this.meta.outputs[output].depth;
  }
  injectionDepth(channel: number): number {
    return this.meta.inputs[this.meta.injections[channel].input].depth;
  }

  /** Moves the cursors of all tracks to a cycle. */
  seek(t: number): void {
    if (t === this.t) return;
    this.t = t;
    for (const tracks of [this.inputs, this.outputs, this.injections, this.consumptions, this.stations]) tracks.seek(t);
  }

  /** Cycles from crossing a lane to standing in the FIFO or being at the node behind it. */
  arrival(feeder: number): number {
    const { meta } = this;
    if (feeder < 0) return meta.injectionArrival;
    return meta.outputs[feeder].input === null ? meta.consumptionArrival : meta.arrival;
  }

  /** Writes the flits on a wire in the cycle of the cursors into `found`, the last one first: worm, flit, cycles on the way, ... */
  onWire(feeder: number, found: number[]): void {
    found.length = 0;
    const tracks = feeder >= 0 ? this.outputs : this.injections, track = feeder >= 0 ? feeder : -1 - feeder;
    const arrival = Math.max(1, this.arrival(feeder)), from = this.meta.from;
    for (let back = 0; back < arrival && this.t - back >= from; back++) {
      const e = back ? tracks.find(track, this.t - back) : tracks.now[track];
      if (e >= 0 && tracks.valid[e]) found.push(tracks.worm[e], tracks.flit[e] + this.t - back - tracks.cycle[e], back);
    }
    if (this.t - arrival + 1 >= from) return;
    const before = this.before(feeder);
    for (let i = before.length - 1; i >= 0 && before[i][0] > this.t - arrival; i--) found.push(...before[i][1], this.t - before[i][0]);
  }

  /** The flits that crossed a lane before the window. */
  private before(feeder: number): Before[] {
    return (feeder >= 0 ? this.meta.outputs[feeder] : this.meta.injections[-1 - feeder]).before;
  }

  /** Writes the `count` flits of an input's FIFO at the start of cycle t into `cells`, front first: worm, flit, worm, flit, ... */
  cells(input: number, t: number, count: number, cells: number[], event?: number): void {
    cells.length = 2 * count;
    const feeder = this.feeder[input];
    const tracks = feeder >= 0 ? this.outputs : this.injections, track = feeder >= 0 ? feeder : -1 - feeder;
    if (track >= tracks.count) { cells.fill(-1); return; }
    const last = t - this.arrival(feeder);
    let e = event ?? tracks.find(track, last), left = count;
    // The first cycle after those that count.
    let end = last + 1;
    while (left > 0 && e >= tracks.start[track]) {
      const begin = tracks.cycle[e];
      if (tracks.valid[e]) {
        for (let c = end - 1; c >= begin && left > 0; c--) {
          left--;
          cells[2 * left] = tracks.worm[e];
          cells[2 * left + 1] = tracks.flit[e] + c - begin;
        }
      }
      end = begin;
      e--;
    }
    const before = this.before(feeder);
    for (let i = before.length - 1; i >= 0 && left > 0; i--) {
      if (before[i][0] > last) continue;
      left--;
      cells[2 * left] = before[i][1][0];
      cells[2 * left + 1] = before[i][1][1];
    }
    while (left > 0) { left--; cells[2 * left] = cells[2 * left + 1] = -1; }
  }

  /** The worm that an output lane belongs to now; -1: none. */
  ownerWorm(output: number): number {
    const e = this.outputs.now[output];
    if (e < 0 || this.outputs.extra[e] < 0) return -1;
    return this.wormAt(this.ownerInput(output));
  }
  /** The input lane that an output lane belongs to now; -1: none. */
  ownerInput(output: number): number {
    const e = this.outputs.now[output];
    return e < 0 || this.outputs.extra[e] < 0 ? -1 : this.meta.laneBase[this.meta.outputs[output].switch][0] + this.outputs.extra[e];
  }
  wormAt(input: number): number {
    const e = this.inputs.now[input];
    return e < 0 ? -1 : this.inputs.worm[e];
  }
  stateAt(input: number): number {
    const e = this.inputs.now[input];
    return e < 0 ? 0 : this.inputs.state[e];
  }
  branchesAt(input: number): number[] {
    const e = this.inputs.now[input];
    return e < 0 ? [] : this.masks.list[this.inputs.branches[e]];
  }
  takenAt(input: number): number[] {
    const e = this.inputs.now[input];
    return e < 0 ? [] : this.masks.list[this.inputs.taken[e]];
  }
  heldAt(input: number): number {
    const e = this.inputs.now[input];
    return e < 0 ? 0 : this.inputs.held[e];
  }
  creditsAt(output: number): number {
    const e = this.outputs.now[output];
    return e >= 0 ? this.outputs.credits[e] : this.outputDepth(output);
  }
  crossesAt(output: number): boolean {
    const e = this.outputs.now[output];
    return e >= 0 && this.outputs.valid[e] === 1;
  }
  worm(id: number): Meta["worms"][number] | undefined {
    const k = this.wormIndex.get(id);
    return k === undefined ? undefined : this.meta.worms[k];
  }
  /** Waits that hold in the cycle that the cursors are at, as numbers by state. */
  nowWaiting(): { token: number; lanes: number; blocked: number } {
    const found = { token: 0, lanes: 0, blocked: 0 };
    for (let k = 0; k < this.inputs.count; k++) {
      const state = this.stateAt(k);
      if (state === TOKEN) found.token++; else if (state === LANES || state === HEADS) found.lanes++; else if (state === BLOCKED) found.blocked++;
    }
    return found;
  }
}
