// Reasons why a worm waits, in words: parts of text with the things that they name.

import { BLOCKED, HEADER, HEADS, LANES, MOVE, ROUTE, TOKEN } from "./format";
import { Selection } from "./selection";
import { Store } from "./store";

export type Part = string | { text: string; to: Exclude<Selection, null> };

export const wormPart = (worm: number): Part => ({ text: `worm ${worm}`, to: { kind: "worm", worm } });
export const inputPart = (store: Store, input: number): Part => ({ text: inputName(store, input), to: { kind: "input", input, cell: 0 } });
export const outputPart = (store: Store, output: number): Part => ({ text: outputName(store, output), to: { kind: "link", output } });
export const switchPart = (store: Store, k: number): Part => ({ text: store.meta.switches[k].name, to: { kind: "switch", switch: k } });
export const nodePart = (store: Store, node: number): Part => ({ text: store.meta.nodes[node]?.name ?? `n${node}`, to: { kind: "node", node } });

const full = (name: string, owner: string): string => (name.startsWith(`${owner}.`) ? name : `${owner}.${name}`);
export const inputName = (store: Store, k: number): string => full(store.meta.inputs[k].name, store.meta.switches[store.meta.inputs[k].switch].name);
export const outputName = (store: Store, k: number): string => full(store.meta.outputs[k].name, store.meta.switches[store.meta.outputs[k].switch].name);

/** Output lanes that serve a branch: those of its port, or of all ports of an up group. */
export function lanesOf(store: Store, k: number, port: number): number[] {
  const { meta } = store, all = store.outputsOf[k];
  return all.filter((o) => meta.groups[meta.outputs[o].port] === port);
}

/** Branches of an input lane's worm that own no lane: their port, and the lanes that can serve them. */
export function unowned(store: Store, input: number): { port: number; lanes: number[] }[] {
  const { meta } = store, k = meta.inputs[input].switch;
  return store.branchesAt(input).map((port) => ({ port, lanes: lanesOf(store, k, port) }))
    .filter(({ lanes }) => !lanes.some((o) => store.ownerInput(o) === input));
}

/** The reason for the state of the worm in service at an input lane, in the cycle of the cursors. */
export function reason(store: Store, input: number): Part[] {
  const { meta } = store, state = store.stateAt(input), k = meta.inputs[input].switch;
  if (state === TOKEN) return tokenReason(store, input);
  if (state === HEADS) return ["has reserved its lanes, and waits for the other heads of its worm"];
  if (state === LANES) {
    const parts: Part[] = [];
    for (const { lanes } of unowned(store, input)) {
      const owned = lanes.filter((o) => store.ownerInput(o) >= 0);
      if (parts.length) parts.push("; ");
      if (!owned.length) { parts.push("asks for ", ...lanes.slice(0, 1).map((o) => outputPart(store, o)), ", which nobody owns: it is not granted in this cycle"); continue; }
      owned.slice(0, 3).forEach((o, i) => parts.push(i ? ", " : "waits for ", outputPart(store, o), " owned by ", wormPart(store.ownerWorm(o))));
      if (owned.length > 3) parts.push(` and ${owned.length - 3} more`);
    }
    const held = store.outputsOf[k].filter((o) => store.ownerInput(o) === input);
    if (held.length) parts.push("; meanwhile holds ", ...list(held.map((o) => outputPart(store, o))));
    return parts.length ? parts : ["has its lanes, and may use them from the next cycle on"];
  }
  if (state === BLOCKED) return blockedReason(store, input);
  if (state === HEADER) return ["waits for the rest of its header, or strips a part of it"];
  if (state === ROUTE) return ["the routing decision is under way"];
  if (state === MOVE) return store.heldAt(input) ? ["moves"] : ["would move, but the FIFO is empty: a bubble"];
  return ["no worm is in service"];
}

function tokenReason(store: Store, input: number): Part[] {
  const { meta } = store, k = meta.inputs[input].switch;
  const ring = ringOf(store, k);
  for (const station of ring) {
    const e = store.stations.now[station];
    const holder = e < 0 ? -1 : store.stations.holder[e], at = meta.stations[station].switch;
    if (holder >= 0) {
      const lane = meta.laneBase[at][0] + holder;
      const worm = store.wormAt(lane), by = worm < 0 ? "is held" : wormPart(worm);
      return ["waits for the token, which ", by, worm < 0 ? " at " : " holds at ", inputPart(store, lane)];
    }
  }
  const here = ring.find((station) => store.stations.now[station] >= 0 && store.stations.here[store.stations.now[station]]);
  if (here !== undefined) return ["waits for the token, which is at ", switchPart(store, meta.stations[here].switch)];
  return ["waits for the token, which is on its way to the next station"];
}

/** Stations of the ring that a switch belongs to. */
export function ringOf(store: Store, k: number): number[] {
  const { stations } = store.meta, own = stations.find((s) => s.switch === k);
  return stations.flatMap((s, i) => (s.ring === own?.ring ? [i] : []));
}

function blockedReason(store: Store, input: number): Part[] {
  const { meta } = store, k = meta.inputs[input].switch, taken = store.takenAt(input);
  const held = store.outputsOf[k].filter((o) => store.ownerInput(o) === input);
  const stuck = held.filter((o) => store.creditsAt(o) === 0 && !store.crossesAt(o));
  const parts: Part[] = [];
  if (stuck.length) {
    parts.push("without credit on ", ...list(stuck.map((o) => outputPart(store, o))));
    for (const o of stuck.slice(0, 2)) {
      const behind = meta.outputs[o].input;
      if (behind === null) continue;
      const worm = store.wormAt(behind);
      parts.push(": the FIFO behind, ", inputPart(store, behind), ", is full");
      if (worm >= 0) parts.push(" and serves ", wormPart(worm));
    }
  } else {
    // Lanes of one link take turns.
    const beside = held.flatMap((o) => store.outputsOf[k].filter((other) => other !== o && meta.outputs[other].port === meta.outputs[o].port && store.crossesAt(other)));
    if (beside.length) parts.push("the link carries a flit of ", wormPart(store.outputs.worm[store.outputs.now[beside[0]]]), " on ", outputPart(store, beside[0]), " in this cycle");
    else parts.push("its lanes have credits, but cannot send in this cycle");
  }
  const siblings = held.filter((o) => taken.some((port) => lanesOf(store, k, port).includes(o)));
  if (siblings.length) parts.push("; the siblings ", ...list(siblings.map((o) => outputPart(store, o))), " have the flit and hold");
  return parts;
}

function list(parts: Part[]): Part[] {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [i === parts.length - 1 ? " and " : ", ", part]));
}
export const plain = (parts: Part[]): string => parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
