// The account of a worm's cycles, as in `wormscope why`, and the root of a wait.

import { BLOCKED, HEADS, LANES, MOVE, TOKEN, waits } from "./format";
import { inputPart, lanesOf, nodePart, outputPart, Part, ringOf, unowned, wormPart } from "./reason";
import { Store } from "./store";
import { Reader } from "./tracks";

/** Act or wait of a worm: from <= t < until. `at`: a node that sends (0), an input lane (1), an output lane (2), a node that receives (3). */
export interface Stretch { from: number; until: number; cause: number; worm: number; at: [number, number]; output: number }

/** Causes by number, as src/observe/account has them. The last one stands for all cycles without a wait. */
export const QUEUE = 0, START_UP = 1, TOKEN_CAUSE = 4, LANE = 5, CREDIT = 7, SIBLING = 9, STALL = 14, MOVES = 15;

/** Reads the account of one worm; `created` is its first cycle. */
export function account(reader: Reader, created: number): Stretch[] {
  const found: Stretch[] = [];
  let from = created;
  for (let left = reader.varint(); left > 0; left--) {
    const cause = reader.varint(), until = from + reader.varint();
    const of: Stretch = { from, until, cause, worm: -1, at: [-1, -1], output: -1 };
    if (cause !== MOVES) {
      of.worm = reader.varint() - 1;
      const place = reader.varint();
      of.at = [place % 4, Math.floor(place / 4)];
      of.output = reader.varint() - 1;
    }
    found.push(of);
    from = until;
  }
  return found;
}

/** Waits of one kind at one place that follow each other: a row. */
export function rows(stretches: Stretch[]): Stretch[][] {
  const found: Stretch[][] = [];
  for (const of of stretches) {
    const last = found[found.length - 1]?.[0];
    if (last && of.cause !== MOVES && last.cause === of.cause && last.at[0] === of.at[0] && last.at[1] === of.at[1]) found[found.length - 1].push(of);
    else found.push([of]);
  }
  return found;
}

export function place(store: Store, [kind, k]: [number, number]): Part {
  if (kind === 1) return inputPart(store, k);
  if (kind === 2) return outputPart(store, k);
  return nodePart(store, kind === 0 ? store.meta.injections[k].node : k);
}

/** Worms for which a row of waits was, one by one. */
export function holders(store: Store, row: Stretch[]): Part[] {
  const nobody: Record<number, string> = { 0: "its channel", 4: "the token travels", 5: "the grant", 7: "the credit travels", 8: "another lane", 10: "its other heads", 13: "the node", 14: "a stall of the workload" };
  const cycles = new Map<string, { of: Stretch; cycles: number }>();
  for (const of of row) {
    const key = `${of.worm} ${of.output}`, known = cycles.get(key);
    if (known) known.cycles += of.until - of.from; else cycles.set(key, { of, cycles: of.until - of.from });
  }
  // Waits for no worm come last.
  const all = [...cycles.values()].sort((a, b) => Number(a.of.worm < 0) - Number(b.of.worm < 0)), parts: Part[] = [];
  all.slice(0, 4).forEach(({ of, cycles: n }, i) => {
    if (i) parts.push("; ");
    if (of.cause === SIBLING) parts.push("its branch through ", of.output < 0 ? "another port" : outputPart(store, of.output));
    else if (of.worm < 0) parts.push(nobody[of.cause] ?? "");
    else parts.push(wormPart(of.worm));
    const next = of.cause === CREDIT && of.output >= 0 ? store.meta.outputs[of.output].input : null;
    if (next !== null) parts.push(" in ", inputPart(store, next)); else if (of.cause === LANE && of.output >= 0) {
      const { node } = store.meta.outputs[of.output];
      parts.push(" on ", outputPart(store, of.output), ...(node === null ? [] : [", a consumption channel of ", nodePart(store, node)]));
    }
    if (all.length > 1) parts.push(` ${n}`);
  });
  if (all.length > 4) parts.push(`; ${all.length - 4} more`);
  return parts;
}

/** The sum of a worm's cycles by cause, most first. */
export function sums(stretches: Stretch[]): [number, number][] {
  const found = new Map<number, number>();
  for (const of of stretches) found.set(of.cause, (found.get(of.cause) ?? 0) + of.until - of.from);
  return [...found].sort((a, b) => b[1] - a[1]);
}

/** The input lane at which a worm waits now: that of its account, else the first one; -1: none. */
export function waitsAt(store: Store, k: number): number {
  const lanes = store.visitsOf[k].filter((v) => v.from <= store.t && v.until > store.t && waits(store.stateAt(v.input))).map((v) => v.input);
  const of = store.accounts[k].find((s) => s.from <= store.t && store.t < s.until);
  return of?.at[0] === 1 && lanes.includes(of.at[1]) ? of.at[1] : lanes[0] ?? -1;
}

/** Whether a worm waits at an input lane now for the end of a stall of the workload, as its account says. */
function isStalled(store: Store, worm: number, input: number): boolean {
  const k = store.wormIndex.get(worm);
  const of = k === undefined ? undefined : store.accounts[k].find((s) => s.from <= store.t && store.t < s.until);
  return of?.cause === STALL && of.at[0] === 1 && of.at[1] === input;
}

/** A step of a chain to the root: the input lane, its worm, and the text about it. */
export interface Chained { input: number; worm: number; says: Part[] }

/** The chain from an input lane that waits now, step by step. The last line names the end. */
export function root(store: Store, input: number): { chain: Chained[]; ends: string } {
  const chain: Chained[] = [];
  for (let at = input, output = -1; ;) {
    const known = chain.findIndex((step) => step.input === at);
    if (known >= 0) return { chain, ends: `back to line ${known + 1}: a dependency cycle` };
    const worm = store.wormAt(at);
    const step: Chained = { input: at, worm, says: [] };
    chain.push(step);
    const next = holdsUp(store, at, output, step);
    if (typeof next === "string") return { chain, ends: next };
    [at, output] = next;
  }
}

/** The thing that holds up the worm at an input lane, at its branch through `output` if it is there. A text where the chain ends. */
function holdsUp(store: Store, input: number, output: number, step: Chained): [number, number] | string {
  const { meta } = store, state = store.stateAt(input), k = meta.inputs[input].switch;
  if (state === TOKEN) {
    for (const station of ringOf(store, k)) {
      const e = store.stations.now[station], holder = e < 0 ? -1 : store.stations.holder[e];
      if (holder < 0) continue;
      const lane = meta.laneBase[meta.stations[station].switch][0] + holder;
      step.says = ["waits for the token, which ", wormPart(store.wormAt(lane)), " holds"];
      return [lane, -1];
    }
    if (isStalled(store, step.worm, input)) { step.says = ["waits for the end of a stall"]; return "the workload stalls the token station"; }
    step.says = ["waits for the token, which travels"];
    return "no worm holds it: it is on its way";
  }
  if (state === HEADS) { step.says = ["has its lanes, and waits for its other heads"]; return "its other heads are not ready"; }
  const held = store.outputsOf[k].filter((o) => store.ownerInput(o) === input);
  const stuck = held.filter((o) => store.creditsAt(o) === 0 && !store.crossesAt(o));
  const full = output >= 0 && stuck.includes(output) ? output : state === BLOCKED || state === LANES ? stuck[0] : undefined;
  if (full !== undefined && !(output >= 0 && store.crossesAt(output))) {
    const behind = meta.outputs[full].input;
    if (behind === null) { step.says = ["has no credit on ", outputPart(store, full)]; return "the node does not take flits"; }
    step.says = ["is without credit: ", inputPart(store, behind), " is full"];
    return store.wormAt(behind) < 0 ? "the credit is on its way" : [behind, -1];
  }
  if (state === LANES) {
    for (const { port, lanes } of unowned(store, input)) {
      const owned = lanes.find((o) => store.ownerInput(o) >= 0) ?? -1;
      if (owned < 0) { step.says = ["asks for ", outputPart(store, lanesOf(store, k, port)[0])]; continue; }
      step.says = ["waits for the lane ", outputPart(store, owned), ", which ", wormPart(store.ownerWorm(owned)), " owns"];
      return [store.ownerInput(owned), owned];
    }
    return "the grant is under way";
  }
  if (state === MOVE && store.heldAt(input) === 0) {
    const feeder = store.feeder[input];
    step.says = ["has an empty FIFO here: its next flits are upstream"];
    if (feeder < 0) return "its node sends no flit in this cycle";
    const owner = store.ownerInput(feeder);
    return store.crossesAt(feeder) || owner < 0 || store.wormAt(owner) !== step.worm ? "its flits are on the link" : [owner, feeder];
  }
  if (state === BLOCKED) {
    if (isStalled(store, step.worm, input)) { step.says = ["waits for the end of a stall"]; return "the workload stalls the link"; }
    step.says = ["has credits, and cannot send in this cycle"];
    return "another lane of the link sends, or the link is stalled";
  }
  step.says = [state === MOVE ? "moves" : "is worked on: header or decision"];
  return step.worm < 0 ? "the lane is idle" : `worm ${step.worm} moves`;
}
