// A worm in the panel: where from and to, its header, its states, each of its waits with the reason, its deliveries.

import { el, table } from "./dom";
import { BLOCKED, HEADS, LANES, MOVE, TOKEN } from "./format";
import { link, nanoseconds, nodes, Page } from "./page";
import { stateColour, wormColour } from "./palette";
import { inputPart, Part, reason } from "./reason";
import { Run } from "./selection";
import { Store, Wait } from "./store";
import { waveform } from "./wave";

const MOST_WAITS = 24;
/** Reasons of waits, as they are costly to find: those of the worm seen last. */
let known: { store: Store; worm: number; waits: { wait: Wait; why: Part[] }[]; more: number } | null = null;

function waitsOf(store: Store, worm: number): NonNullable<typeof known> {
  if (known?.store === store && known.worm === worm) return known;
  const all = store.waitsList.filter((wait) => wait.worm === worm);
  const shown = all.length > MOST_WAITS ? [...all].sort((a, b) => b.until - b.from - (a.until - a.from)).slice(0, MOST_WAITS).sort((a, b) => a.from - b.from) : all;
  const here = store.t;
  const waits = shown.map((wait) => {
    store.seek(wait.from);
    return { wait, why: reason(store, wait.input) };
  });
  store.seek(here);
  return (known = { store, worm, waits, more: all.length - shown.length });
}

export function wormDetail(page: Page, run: Run, id: number): Node[] {
  const { store } = run, { meta } = store, worm = store.worm(id), k = store.wormIndex.get(id);
  if (!worm || k === undefined) return [el("h2", {}, `Worm ${id}`), el("p", {}, "is not in the cycles of this page.")];
  const chip = el("span", { className: "chip" });
  chip.style.background = wormColour(page.theme, id);
  const many = worm.to.length > 1;
  const to = worm.to.slice(0, 24).map((n) => link(meta.nodes[n]?.name ?? `n${n}`, { kind: "node", node: n }));
  const seen = store.began[k] < store.ended[k], isUnderWay = worm.delivered.length < worm.to.length && worm.injected !== null;
  return [el("h2", {}, chip, `Worm ${id}`),
    el("p", {}, many ? `Multicast to ${worm.to.length} nodes, ${meta.encodings[worm.encoding]}: ` : `${worm.encoding ? `One destination, ${meta.encodings[worm.encoding]}` : "Unicast"}: `,
      link(meta.nodes[worm.source]?.name ?? `n${worm.source}`, { kind: "node", node: worm.source }), " to ",
      ...to.flatMap((a, i) => (i ? [", ", a] : [a])), worm.to.length > 24 ? ` and ${worm.to.length - 24} more` : null),
    el("p", {}, `${worm.header} header and ${worm.payload} payload flits of ${meta.flitBits} bits`, worm.class ? `, class ${worm.class}` : null),
    el("p", {}, "Created ", link(String(worm.created), null, worm.created),
      ...(seen || isUnderWay ? [", in the network from ", link(String(store.began[k]), null, store.began[k])] : []), isUnderWay ? " on, not wholly delivered" : null,
      ...(seen ? [isUnderWay ? "; last seen in " : " until ", link(String(isUnderWay ? store.ended[k] - 1 : store.ended[k]), null, store.ended[k] - 1),
        ` (${store.ended[k] - worm.created} cycles, ${nanoseconds(store.ended[k] - worm.created, meta.clockNs)})`] : [])),
    ...now(store, id), ...(seen ? [el("h3", {}, "States at its input lanes"), waveform(page, store, id), key(page, store)] : []),
    ...waits(store, id), ...headerBits(worm.headerBits), ...deliveries(run, id)];
}

function key(page: Page, store: Store): Node {
  const entries: (Node | string)[] = [];
  for (const [state, text] of [[1, "H header"], [2, "R route"], [3, "T token"], [4, "L lane"], [5, "move"], [6, "B without credit"], [HEADS, "S its other heads"]] as [number, string][]) {
    if (state === HEADS && !store.waitsList.some((wait) => wait.state === HEADS)) continue;
    const chip = el("span", { className: "chip" });
    chip.style.background = stateColour(page.theme, state);
    entries.push(chip, `${text}  `);
  }
  return el("p", { className: "faint" }, ...entries);
}

function now(store: Store, id: number): Node[] {
  const rows: Node[] = [], moving: number[] = [], bubbles: number[] = [];
  const index = store.wormIndex.get(id);
  for (const visit of index === undefined ? [] : store.visitsOf[index]) {
    if (visit.from > store.t || visit.until <= store.t) continue;
    const state = store.stateAt(visit.input);
    if (state === MOVE) { (store.heldAt(visit.input) ? moving : bubbles).push(visit.input); continue; }
    if (rows.length < 16) rows.push(el("div", { className: `wait ${state === TOKEN ? "token" : state === BLOCKED ? "blocked" : state === LANES || state === HEADS ? "" : "goes"}` }, el("b", {}, store.meta.states[state]), " at ",
      ...nodes([inputPart(store, visit.input), ": ", ...reason(store, visit.input)])));
  }
  for (const [what, lanes] of [["", moving], ["with an empty FIFO, a bubble,", bubbles]] as [string, number[]][]) {
    if (!lanes.length) continue;
    const shown = lanes.slice(0, 12).flatMap((k, i) => [i ? ", " : "", inputPart(store, k)]);
    rows.push(el("div", { className: "wait goes" }, el("b", {}, "MOVE"), what ? ` ${what} at ` : " at ", ...nodes(shown), lanes.length > 12 ? ` and ${lanes.length - 12} more` : null));
  }
  return rows.length ? [el("h3", {}, `Now, cycle ${store.t}`), ...rows] : [];
}

function waits(store: Store, id: number): Node[] {
  const { waits: found, more } = waitsOf(store, id);
  if (!found.length) return [el("p", { className: "faint" }, "It never waits.")];
  return [el("h3", {}, more ? `Its ${found.length} longest waits, of ${found.length + more}` : "Its waits"), ...found.map(({ wait, why }) =>
    el("div", { className: `wait ${wait.state === TOKEN ? "token" : wait.state === BLOCKED ? "blocked" : ""}` },
      link(`${wait.from}..${wait.until}`, null, wait.from), ` ${store.meta.states[wait.state]}, ${wait.until - wait.from} cycle${wait.until - wait.from === 1 ? "" : "s"}, at `,
      ...nodes([inputPart(store, wait.input), ": ", ...why])))];
}

function headerBits(bits: string[]): Node[] {
  if (!bits.length) return [];
  const shown = bits.slice(0, 8).map((b, i) => `${i}  ${b}`).join("\n") + (bits.length > 8 ? `\n... ${bits.length - 8} more` : "");
  return [el("h3", {}, "Header flits, as injected"), el("code", { textContent: shown })];
}

function deliveries(run: Run, id: number): Node[] {
  const { meta } = run.store, worm = run.store.worm(id);
  if (!worm?.delivered.length) return [];
  const rows = worm.delivered.slice(0, 64).map(([node, injected, head, tail, flits]) => [link(meta.nodes[node]?.name ?? `n${node}`, { kind: "node", node }), String(injected), String(head),
    link(String(tail), null, tail), String(flits), String(tail - worm.created)]);
  return [el("h3", {}, "Arrivals"), table(["node", "injected", "head", "tail", "flits", "latency"], rows, [1, 2, 3, 4, 5])];
}
