// Two runs compared: their first difference, and the latency of each worm in both.

import { Worm } from "./format";
import { inputName, outputName } from "./reason";
import { Selection } from "./selection";
import { Store } from "./store";
import { Tracks } from "./tracks";

/** A difference, with the thing that it is about and the run of that thing. */
export interface Differs { text: string; to: Selection; run: number }
export interface Difference { t: number; all: Differs[] }
/** Cycles from creation to the last tail, where a worm has arrived everywhere. */
export interface Latencies { worm: number; created: number; cycles: [number | null, number | null] }

/** Tracks of a kind: their names, and the text of an event in a cycle. */
interface Kind {
  what: string;
  tracks: Tracks;
  name(k: number): string;
  exists(k: number): boolean;
  /** A number or a text that is equal where two events are equal. */
  value(e: number): string;
  told(e: number, t: number): string;
  worm(e: number): number;
  to(k: number): Selection;
}

function kinds(store: Store): Kind[] {
  const { meta, inputs, stations, masks } = store;
  const channel = (what: string, tracks: Store["outputs"], name: (k: number) => string, to: (k: number) => Selection, exists: (k: number) => boolean = () => true): Kind => ({
    what, tracks, name, to, exists, value: (e) => (e >= 0 && tracks.valid[e] ? `${tracks.worm[e]} ${tracks.flit[e] - tracks.cycle[e]}` : ""),
    told: (e, t) => (e >= 0 && tracks.valid[e] ? `flit ${tracks.flit[e] + t - tracks.cycle[e]} of worm ${tracks.worm[e]} crosses` : "no flit crosses"),
    worm: (e) => (e >= 0 && tracks.valid[e] ? tracks.worm[e] : -1),
  });
  const bits = (list: Uint32Array, e: number): string => masks.list[list[e]].join();
  const node = (k: number): Selection => ({ kind: "node", node: k });
  return [
    channel("link", store.outputs, (k) => outputName(store, k), (k) => ({ kind: "link", output: k }), (k) => meta.outputs[k].points.length > 0),
    channel("injection channel", store.injections, (k) => `${meta.nodes[meta.injections[k].node].name}.${meta.injections[k].name}`, (k) => node(meta.injections[k].node)),
    channel("consumption channel", store.consumptions, (k) => `${meta.nodes[meta.consumptions[k].node].name}.${meta.consumptions[k].name}`, (k) => node(meta.consumptions[k].node)),
    { what: "input lane", tracks: inputs, name: (k) => inputName(store, k), exists: (k) => meta.inputs[k].exists, to: (k) => ({ kind: "input", input: k, cell: 0 }),
      value: (e) => (e < 0 ? "0 -1   0" : `${inputs.state[e]} ${inputs.worm[e]} ${bits(inputs.branches, e)} ${bits(inputs.taken, e)} ${inputs.held[e]}`),
      told: (e) => (e < 0 ? meta.states[0] : `${meta.states[inputs.state[e]]}${inputs.worm[e] < 0 ? "" : ` worm ${inputs.worm[e]}`}, ${inputs.held[e]} flits`), worm: (e) => (e < 0 ? -1 : inputs.worm[e]) },
    { what: "token station", tracks: stations, name: (k) => meta.switches[meta.stations[k].switch].name, exists: () => true, to: (k) => ({ kind: "switch", switch: meta.stations[k].switch }),
      value: (e) => (e < 0 ? "0 -1 " : `${stations.here[e]} ${stations.holder[e]} ${bits(stations.request, e)}`),
      told: (e) => (e < 0 ? "no token" : stations.holder[e] >= 0 ? "token held" : stations.here[e] ? "token here" : "no token"), worm: () => -1 },
  ];
}

/** The first cycle from <= t < until in which two tracks differ; `until` where there is none. */
function parts(a: Kind, i: number, b: Kind, j: number, from: number, until: number): number {
  const next = ({ tracks }: Kind, k: number, e: number): number => ((e < 0 ? tracks.start[k] : e + 1) < tracks.start[k + 1] ? tracks.cycle[e < 0 ? tracks.start[k] : e + 1] : Infinity);
  for (let t = from; t < until;) {
    const [e, f] = [a.tracks.find(i, t), b.tracks.find(j, t)];
    if (a.value(e) !== b.value(f)) return t;
    t = Math.min(next(a, i, e), next(b, j, f));
  }
  return until;
}

const plan = (worm: Worm | undefined): string => (worm ? `${worm.source} ${worm.to.join()} ${worm.header} ${worm.payload} ${worm.created}` : "");

/** The first difference of two runs. It looks at worms as they are created, then at flits on channels, lanes and tokens of the same name. */
export function firstDifference(a: Store, b: Store): Difference | null {
  const from = Math.max(a.meta.from, b.meta.from), until = Math.min(a.meta.until, b.meta.until);
  let found: Difference = { t: until, all: [] };
  const add = (t: number, make: () => Differs): void => {
    if (t >= until || t > found.t) return;
    if (t < found.t) found = { t, all: [] };
    found.all.push(make());
  };
  const named = (worm: Worm | undefined, { meta }: Store): string => (worm ? `${meta.nodes[worm.source].name} to ${worm.to.length > 1 ? `${worm.to.length} nodes` : meta.nodes[worm.to[0]].name}, ${worm.header + worm.payload} flits, created at ${worm.created}` : "none");
  for (const id of new Set([...a.wormIndex.keys(), ...b.wormIndex.keys()])) {
    const [v, w] = [a.worm(id), b.worm(id)];
    if (plan(v) === plan(w)) continue;
    const created = Math.min(v?.created ?? Infinity, w?.created ?? Infinity);
    // A worm that came before the window may be gone before it in one of the runs.
    if (created >= from) add(created, () => ({ text: `worm ${id}: A ${named(v, a)}; B ${named(w, b)}`, to: { kind: "worm", worm: id }, run: v ? 0 : 1 }));
  }
  const [ours, theirs] = [kinds(a), kinds(b)];
  ours.forEach((mine, n) => {
    const other = theirs[n], index = new Map<string, number>();
    for (let k = 0; k < other.tracks.count; k++) if (other.exists(k)) index.set(other.name(k), k);
    for (let k = 0; k < mine.tracks.count; k++) {
      const j = mine.exists(k) ? index.get(mine.name(k)) : undefined;
      if (j === undefined) continue;
      const t = parts(mine, k, other, j, from, Math.min(until, found.t + 1));
      if (t > found.t || t >= until) continue;
      const [e, f] = [mine.tracks.find(k, t), other.tracks.find(j, t)];
      add(t, () => ({ text: `${mine.what} ${mine.name(k)}: A ${mine.told(e, t)}; B ${other.told(f, t)}`, to: mine.to(k), run: 0 }));
    }
  });
  if (found.all.length) return found;
  if (a.meta.until === b.meta.until) return null;
  const [short, long] = a.meta.until < b.meta.until ? ["A", "B"] : ["B", "A"];
  return { t: until, all: [{ text: `${short} is over; ${long} goes on`, to: null, run: short === "A" ? 1 : 0 }] };
}

/** Worms of both runs with the same source and as many destinations. Those that differ most come first, then those that arrive in one run alone, then the equal ones. */
export function latencies(a: Store, b: Store): Latencies[] {
  const found: Latencies[] = [];
  const last = (worm: Worm): number | null => (worm.delivered.length < worm.to.length ? null : Math.max(...worm.delivered.map((d) => d[3])) - worm.created);
  for (const worm of a.meta.worms) {
    const other = b.worm(worm.id);
    if (other && isSame(worm, other)) found.push({ worm: worm.id, created: worm.created, cycles: [last(worm), last(other)] });
  }
  const rank = ({ cycles: [x, y] }: Latencies): number => (x !== null && y !== null ? Math.abs(y - x) : x === y ? -1 : 0.5);
  return found.sort((x, y) => rank(y) - rank(x) || x.worm - y.worm);
}

/** Whether worms of two runs are the same message. */
export const isSame = (worm: Worm, other: Worm): boolean => worm.source === other.source && worm.to.length === other.to.length;
