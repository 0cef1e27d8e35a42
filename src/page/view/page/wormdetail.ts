// A worm in the panel: its source and destinations, its header, the account of its cycles, its
// states, its deliveries.

import { el, table } from "./dom";
import { holders, MOVES, place, root, rows, Stretch, sums, waitsAt } from "./account";
import { BLOCKED, HEADS, LANES, MOVE, TOKEN } from "./format";
import { link, nanoseconds, nodes, Page } from "./page";
import { causeColour, dress, stateColour } from "./palette";
import { inputPart, reason, wormPart } from "./reason";
import { Run } from "./selection";
import { Store } from "./store";
import { waveform } from "./wave";

const MOST_ROWS = 40;

export function wormDetail(page: Page, run: Run, id: number): Node[] {
  const { store } = run, { meta } = store, worm = store.worm(id), k = store.wormIndex.get(id);
  if (!worm || k === undefined) return [el("h2", {}, `Worm ${id}`), el("p", {}, "is not in the cycles of this page.")];
  const chip = el("span", { className: "chip" });
  dress(chip, page.theme, id);
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
      ...(seen ? [isUnderWay ? "; last seen in " : " to ", link(String(store.ended[k] - 1), null, store.ended[k] - 1),
        isUnderWay ? null : ` (${store.ended[k] - 1 - worm.created} cycles, ${nanoseconds(store.ended[k] - 1 - worm.created, meta.clockNs)})`] : [])),
    ...spent(page, store, k), ...now(store, id), ...rootOf(store, id), ...(seen ? [el("h3", {}, "States at its input lanes"), waveform(page, store, id), key(page, store)] : []),
    ...headerBits(worm.headerBits), ...deliveries(run, id)];
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

/** Every cycle from the creation to the last arrival, by its cause. */
function spent(page: Page, store: Store, k: number): Node[] {
  const { meta } = store, worm = meta.worms[k], stretches = store.accounts[k];
  if (!stretches.length) return [];
  const until = stretches[stretches.length - 1].until, total = until - worm.created, whole = worm.delivered.length === worm.to.length;
  const bar = el("div", { className: "spent", title: "Where its cycles went; a click goes there" });
  for (const of of stretches) {
    const part = el("a", { tabIndex: -1 });
    part.style.flexGrow = String(of.until - of.from);
    part.style.background = causeColour(page.theme, of.cause);
    part.onpointerdown = () => page.seek(Math.max(meta.from, of.from));
    bar.append(part);
  }
  const sum = sums(stretches).flatMap(([cause, cycles], i) => [i ? " + " : "", swatch(page, cause), `${meta.causes[cause]} ${cycles}`]);
  const all = rows(stretches).filter((row) => row[0].cause !== MOVES);
  const shown = all.length > MOST_ROWS ? [...all].sort((a, b) => length(b) - length(a)).slice(0, MOST_ROWS).sort((a, b) => a[0].from - b[0].from) : all;
  const about = shown.map((row) => {
    const cycles = length(row), of = row[0], whom = holders(store, row);
    const wait = el("div", { className: "wait" }, link(`${of.from} to ${of.from + cycles - 1}`, null, of.from), ` ${meta.causes[of.cause]}, ${cycles} cycle${cycles === 1 ? "" : "s"}, at `,
      ...nodes([place(store, of.at), ...(whom.some(Boolean) ? [": ", ...whom] : [])]));
    wait.style.borderLeftColor = causeColour(page.theme, of.cause);
    return wait;
  });
  return [el("h3", {}, `Where its ${total} cycles went${whole ? "" : " so far"}`), bar, el("p", { className: "sum" }, ...sum, ` = ${total}`),
    ...(shown.length ? about : [el("p", { className: "faint" }, "It never waits.")]),
    all.length > shown.length ? el("p", { className: "faint" }, `The ${shown.length} longest waits of ${all.length}.`) : null].filter((n) => n !== null);
}
const length = (row: Stretch[]): number => row[row.length - 1].until - row[0].from;

function swatch(page: Page, cause: number): Node {
  const chip = el("span", { className: "chip" });
  chip.style.background = causeColour(page.theme, cause);
  return chip;
}

/** The chain of the worm's wait: the worm that holds the lane now, its own wait, and so on to the root. */
function rootOf(store: Store, id: number): Node[] {
  const k = store.wormIndex.get(id);
  const input = k === undefined ? -1 : waitsAt(store, k);
  if (input < 0) return [];
  const { chain, ends } = root(store, input);
  return [el("h3", {}, "To the root"), el("ol", { className: "root" }, ...chain.map(({ input, worm, says }) =>
    el("li", {}, ...nodes([...(worm < 0 ? [] : [wormPart(worm), " at "]), inputPart(store, input), " ", ...says])))), el("p", { className: "faint" }, `\u21d2 ${ends}`)];
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
