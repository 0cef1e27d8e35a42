// Heat: the load of links and the fill of FIFOs over a span of cycles, as colours on the network.

import { el } from "./dom";
import { BLOCKED, LANES, MOVE } from "./format";
import { Frame, seen } from "./frame";
import { Page } from "./page";
import { Theme } from "./palette";
import { Pen } from "./pen";
import { lanesOf } from "./reason";
import { Run } from "./selection";
import { bar, labels, trace } from "./still";
import { Store } from "./store";
import { Tracks } from "./tracks";

export type By = "use" | "blocked";
/** Of each wire its use or blocked share, of each FIFO its mean flits, in the cycles from <= t < until. */
export interface HeatMap { wires: Float64Array; fifos: Float64Array }
export interface Heat { by: By; from: number; until: number; maps: HeatMap[]; most: number; fullest: number }

/** Calls `each` with the events of a track that hold in the span, and with the begin and end of each. */
function within(tracks: Tracks, k: number, from: number, until: number, each: (e: number, a: number, b: number) => void): void {
  for (let e = Math.max(tracks.find(k, from), tracks.start[k]); e < tracks.start[k + 1] && tracks.cycle[e] < until; e++) {
    const [a, b] = [Math.max(tracks.cycle[e], from), Math.min(tracks.until(k, e, until), until)];
    if (b > a) each(e, a, b);
  }
}

function use(store: Store, from: number, until: number): Float64Array {
  const { outputs, injections } = store, found = new Float64Array(outputs.count + injections.count);
  [outputs, injections].forEach((tracks, n) => {
    for (let k = 0; k < tracks.count; k++) within(tracks, k, from, until, (e, a, b) => { if (tracks.valid[e]) found[n * outputs.count + k] += (b - a) / (until - from); });
  });
  return found;
}

/** The share of cycles in which a worm waits for a link and no flit crosses it, as `blocked` of `run --links`. Lanes of one link share it. */
function blocked(store: Store, from: number, until: number): Float64Array {
  const { meta, outputs, injections, inputs } = store, found = new Float64Array(outputs.count + injections.count), marks = new Map<string, Uint8Array>();
  const link = (output: number): string => `${meta.outputs[output].switch} ${meta.outputs[output].port}`;
  const mark = (output: number, a: number, b: number): void => {
    const key = link(output);
    let all = marks.get(key);
    if (!all) marks.set(key, (all = new Uint8Array(until - from)));
    all.fill(1, a - from, b - from);
  };
  for (let k = 0; k < inputs.count; k++) within(inputs, k, from, until, (e, a, b) => {
    const state = inputs.state[e], branches = store.masks.list[inputs.branches[e]], taken = store.masks.list[inputs.taken[e]], at = meta.inputs[k].switch, lane = k - meta.laneBase[at][0];
    if (state !== LANES && state !== BLOCKED && !(state === MOVE && branches.length > 1)) return;
    for (const port of branches) {
      if (taken.includes(port)) continue;
      const lanes = lanesOf(store, at, port);
      // The loop goes from event to event of these lanes.
      for (let t = a; t < b;) {
        let next = b, own = -1;
        for (const o of lanes) {
          const f = outputs.find(o, t);
          if (f >= 0 && outputs.extra[f] === lane) own = o;
          next = Math.min(next, f < 0 ? (outputs.start[o] < outputs.start[o + 1] ? outputs.cycle[outputs.start[o]] : b) : outputs.until(o, f, b));
        }
        if (own < 0 ? state === LANES && lanes.length > 0 : inputs.held[e] > 0 && store.outputs.credits[outputs.find(own, t)] === 0) mark(own < 0 ? lanes[0] : own, t, next);
        t = next;
      }
    }
  });
  for (let o = 0; o < outputs.count; o++) {
    const all = marks.get(link(o));
    if (all) within(outputs, o, from, until, (e, a, b) => { if (outputs.valid[e]) all.fill(0, a - from, b - from); });
  }
  for (const [key, all] of marks) {
    const share = all.reduce((sum, one) => sum + one, 0) / (until - from);
    for (const o of store.outputsOf[Number(key.split(" ")[0])]) if (link(o) === key) found[o] = share;
  }
  for (let k = 0; k < injections.count; k++) within(injections, k, from, until, (e, a, b) => {
    // The queue of a node counts the message under way as well.
    if (!injections.valid[e] && !injections.credits[e] && injections.extra[e]) found[outputs.count + k] += (b - a) / (until - from);
  });
  return found;
}

function fill(store: Store, from: number, until: number): Float64Array {
  const found = new Float64Array(store.inputs.count);
  for (let k = 0; k < found.length; k++) within(store.inputs, k, from, until, (e, a, b) => { found[k] += store.inputs.held[e] * (b - a) / (until - from); });
  return found;
}

export function heatOf(runs: Run[], by: By, from: number, until: number): Heat {
  const maps = runs.map(({ store }) => {
    const { meta } = store, [a, b] = [Math.max(from, meta.from), Math.min(until, meta.until)];
    return b > a ? { wires: (by === "use" ? use : blocked)(store, a, b), fifos: fill(store, a, b) } : { wires: new Float64Array(store.outputs.count + store.injections.count), fifos: new Float64Array(store.inputs.count) };
  });
  const most = (all: Float64Array[]): number => all.reduce((x, values) => values.reduce((y, z) => Math.max(y, z), x), 0);
  return { by, from, until, maps, most: most(maps.map((m) => m.wires)), fullest: most(maps.map((m) => m.fifos)) };
}

const LEVELS = 16;
/** Colours from nothing to the most. Each step is lighter or darker than the one before. */
function ramp({ heat }: Theme, part: number): string {
  const at = Math.max(0, Math.min(1, part)) * (heat.length - 1), i = Math.min(heat.length - 2, Math.floor(at));
  const mix = [1, 3, 5].map((k) => { const [a, b] = [heat[i], heat[i + 1]].map((c) => parseInt(c.slice(k, k + 2), 16)); return Math.round(a + (b - a) * (at - i)).toString(16).padStart(2, "0"); });
  return `#${mix.join("")}`;
}

export function drawHeat(pen: Pen, { store, geometry }: Run, theme: Theme, frame: Frame, map: HeatMap, { most, fullest }: Heat): void {
  const level = (value: number, of: number): number => (value > 0 ? Math.ceil(value / of * LEVELS) : 0);
  for (let l = 1; l <= LEVELS; l++) {
    pen.strokeStyle = pen.fillStyle = ramp(theme, l / LEVELS);
    pen.lineWidth = Math.max(3.5, 2.5 / frame.scale);
    pen.beginPath();
    map.wires.forEach((value, wire) => { if (level(value, most) === l) trace(pen, geometry.wires[wire]); });
    pen.stroke();
    map.fifos.forEach((value, k) => {
      const { at, inward, depth } = store.meta.inputs[k];
      if (level(value, fullest) === l && seen(frame, at[0], at[1], 60)) bar(pen, at[0], at[1], inward[0], inward[1], 0, geometry.cell[k] * depth, geometry.width[k]);
    });
  }
  const hot = [...map.wires.keys()].filter((wire) => map.wires[wire] > 0).sort((a, b) => map.wires[b] - map.wires[a]);
  labels(pen, geometry, theme, frame, hot.map((wire) => [wire, `${(100 * map.wires[wire]).toFixed(0)} %`]));
}

/** The meaning of the colours, in numbers. */
export function heatKey(page: Page, { by, most, fullest }: Heat): Node[] {
  const colours = `linear-gradient(90deg, ${page.theme.heat.join(", ")})`, scale = (what: string, low: string, high: string): Node => {
    const bar = el("i", { className: "ramp" });
    bar.style.background = colours;
    return el("span", {}, `${what} ${low} `, bar, ` ${high}`);
  };
  const depth = page.runs[0].store.meta.inputs.reduce((deepest, of) => Math.max(deepest, of.depth), 0);
  return [scale(by === "use" ? "links, use" : "links, blocked", "0", `${(100 * most).toFixed(1)} % of the cycles`), scale("FIFOs, mean fill", "0", `${fullest.toFixed(2)} of ${depth} flits`)];
}
