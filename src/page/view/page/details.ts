// Links, FIFOs and nodes in the panel.

import { el, table } from "./dom";
import { link, nodes, Page } from "./page";
import { dress } from "./palette";
import { inputName, inputPart, nodePart, outputName, outputPart, reason, switchPart, wormPart } from "./reason";
import { Run } from "./selection";
import { ChannelTracks } from "./tracks";
import { Store } from "./store";

/** Flits of each worm that cross a channel in the cycles from..until. */
function users(store: Store, tracks: ChannelTracks, track: number, from: number, until: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
    if (!tracks.valid[e]) continue;
    const cycles = Math.min(tracks.until(track, e, store.meta.until), until) - Math.max(tracks.cycle[e], from);
    if (cycles > 0) found.set(tracks.worm[e], (found.get(tracks.worm[e]) ?? 0) + cycles);
  }
  return found;
}

/** Text about a thing that was left out of the page. */
export const outside = (): Node => el("p", { className: "faint" }, "Outside the scope of this page (--scope): nothing is known of it.");

/** The colour of a worm. */
export function chip(page: Page, worm: number): HTMLElement {
  const made = el("span", { className: "chip" });
  dress(made, page.theme, worm);
  return made;
}

function use(page: Page, store: Store, tracks: ChannelTracks, track: number): Node[] {
  const { meta } = store, all = users(store, tracks, track, meta.from, meta.until);
  const total = [...all.values()].reduce((a, b) => a + b, 0);
  const [a, b] = [Math.max(meta.from, Math.floor(page.timeline.from)), Math.min(meta.until, Math.ceil(page.timeline.until))];
  const part = [...users(store, tracks, track, a, b).values()].reduce((x, y) => x + y, 0);
  const percent = (flits: number, cycles: number): string => `${(100 * flits / Math.max(1, cycles)).toFixed(1)} %`;
  const rows = [...all].sort((x, y) => y[1] - x[1]).slice(0, 20).map(([worm, flits]) => [el("span", {}, chip(page, worm), link(`worm ${worm}`, { kind: "worm", worm })), String(flits), percent(flits, total)]);
  return [el("p", {}, `${percent(total, meta.until - meta.from)} of the cycles a flit crosses: ${total} in all`,
    b - a < meta.until - meta.from ? `; in the ${b - a} cycles of the time line ${percent(part, b - a)}` : null), sparkline(page, store, tracks, track),
  el("h3", {}, all.size > 20 ? `Who crosses: the 20 of most flits, of ${all.size}` : "Who crosses"), table(["worm", "flits", "share"], rows, [1, 2])];
}

/** How busy a channel is over the cycles of the page. */
function sparkline(page: Page, store: Store, tracks: ChannelTracks, track: number): HTMLCanvasElement {
  const { meta } = store, bins = 147, span = meta.until - meta.from, busy = new Float64Array(bins);
  for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
    if (!tracks.valid[e]) continue;
    const [a, b] = [(tracks.cycle[e] - meta.from) / span * bins, (tracks.until(track, e, meta.until) - meta.from) / span * bins];
    for (let i = Math.floor(a); i < Math.min(bins, b); i++) busy[i] += Math.min(b, i + 1) - Math.max(a, i);
  }
  const canvas = el("canvas", { width: 588, height: 80, role: "img", ariaLabel: "Use over the cycles of the page; a click goes to the cycle" });
  canvas.style.height = "40px";
  const pen = canvas.getContext("2d");
  if (!pen) return canvas;
  pen.fillStyle = page.theme.line;
  pen.fillRect(0, 79, 588, 1);
  pen.fillStyle = page.theme.load;
  busy.forEach((part, i) => pen.fillRect(i * 4, 80 - 78 * part, 3.4, 78 * part));
  pen.fillStyle = page.theme.select;
  pen.fillRect((store.t - meta.from + 0.5) / span * 588 - 1, 0, 2, 80);
  canvas.addEventListener("pointerdown", (e) => page.seek(meta.from + Math.floor(e.offsetX / canvas.clientWidth * span)));
  return canvas;
}

export function linkDetail(page: Page, run: Run, k: number): Node[] {
  const { store } = run, { meta } = store, output = meta.outputs[k];
  const ends = [meta.switches[output.switch], output.input !== null ? meta.switches[meta.inputs[output.input].switch] : meta.nodes[output.node ?? 0]];
  if (!ends.some((end) => end.shown)) return [el("h2", {}, `Link ${outputName(store, k)}`), outside()];
  const e = store.outputs.now[k], owner = store.ownerInput(k);
  const end = output.input !== null ? inputPart(store, output.input) : nodePart(store, output.node ?? 0);
  const state = [el("tr", {}, el("th", {}, "owner"), el("td", {}, ...(owner >= 0 ? nodes([inputPart(store, owner), ...(store.wormAt(owner) >= 0 ? [", ", wormPart(store.wormAt(owner))] : [])]) : ["none: free"]))),
    el("tr", {}, el("th", {}, "crosses"), el("td", {}, ...(store.crossesAt(k) ? nodes([wormPart(store.outputs.worm[e]), `, flit ${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}`]) : ["nothing"]))),
    el("tr", {}, el("th", {}, "credits"), el("td", {}, `${store.creditsAt(k)} of ${output.depth}`))];
  return [el("h2", {}, `Link ${outputName(store, k)}`), el("p", {}, ...nodes(["from ", switchPart(store, output.switch), " to ", end])),
    el("h3", {}, `Now, cycle ${store.t}`), el("table", {}, ...state), el("h3", {}, "Utilisation"), ...use(page, store, store.outputs, k)];
}

export function channelDetail(page: Page, run: Run, k: number): Node[] {
  const { store } = run, channel = store.meta.injections[k], e = store.injections.now[k];
  return [el("h2", {}, `Injection ${store.meta.nodes[channel.node].name}.${channel.name}`), el("p", {}, ...nodes(["from ", nodePart(store, channel.node), " to ", inputPart(store, channel.input)])),
    el("p", {}, `${e >= 0 ? store.injections.credits[e] : store.injectionDepth(k)} credits of ${store.injectionDepth(k)}; ${messages(e >= 0 ? store.injections.extra[e] : 0)}`),
    el("h3", {}, "Utilisation"), ...use(page, store, store.injections, k)];
}

export function inputDetail(page: Page, run: Run, k: number, chosen: number): Node[] {
  const { store } = run, { meta } = store, input = meta.inputs[k];
  if (!meta.switches[input.switch].shown) return [el("h2", {}, `FIFO ${inputName(store, k)}`), outside()];
  const held = store.heldAt(k), cells: number[] = [];
  store.cells(k, store.t, held, cells);
  const rows: (Node | string)[][] = [];
  for (let c = 0; c < Math.min(held, 40); c++) {
    const worm = store.worm(cells[2 * c]), flit = cells[2 * c + 1];
    const kind = !worm ? "" : flit < worm.header ? "header" : flit === worm.header + worm.payload - 1 ? "tail" : "payload";
    rows.push([c === chosen ? el("b", {}, `${c} \u2190`) : String(c), el("span", {}, chip(page, cells[2 * c]), link(`worm ${cells[2 * c]}`, { kind: "worm", worm: cells[2 * c] })), String(flit), kind]);
  }
  const feeder = store.feeder[k], state = store.stateAt(k), worm = store.wormAt(k), ports = (list: number[]): string => list.map((p) => portName(store, k, p)).join(", ") || "none";
  const from = feeder >= 0 ? outputPart(store, feeder) : -1 - feeder < meta.injections.length ? nodePart(store, meta.injections[-1 - feeder].node) : "nowhere";
  return [el("h2", {}, `FIFO ${inputName(store, k)}`),
    el("p", {}, ...nodes(["of ", switchPart(store, input.switch), ", fed by ", from])), el("p", {}, el("b", {}, meta.states[state]), ...(worm >= 0 ? nodes([", serves ", wormPart(worm)]) : [])),
    el("p", {}, ...nodes(reason(store, k))), el("table", {}, el("tr", {}, el("th", {}, "branches"), el("td", {}, ports(store.branchesAt(k)))), el("tr", {}, el("th", {}, "taken"), el("td", {}, ports(store.takenAt(k))))),
    el("h3", {}, `Flits: ${held} of ${input.depth}, front first`), held ? table(["cell", "worm", "flit", "kind"], rows, [2]) : el("p", { className: "faint" }, "empty")];
}

const messages = (n: number): string => `${n} message${n === 1 ? "" : "s"} at the node`;

/** The name of an output port of an input's switch. */
export function portName(store: Store, input: number, port: number): string {
  const found = store.outputsOf[store.meta.inputs[input].switch].find((o) => store.meta.outputs[o].port === port);
  return found === undefined ? `port ${port}` : store.meta.outputs[found].name.split(".")[0];
}

export function nodeDetail(page: Page, run: Run, k: number): Node[] {
  const { store } = run, { meta } = store;
  if (!meta.nodes[k].shown) return [el("h2", {}, `Node ${meta.nodes[k].name}`), outside()];
  const busy: Node[] = [];
  meta.injections.forEach((channel, i) => {
    const e = store.injections.now[i];
    if (channel.node !== k || e < 0) return;
    busy.push(el("p", {}, `${channel.name}: `, ...(store.injections.valid[e] ? nodes(["sends ", wormPart(store.injections.worm[e])]) : ["sends nothing"]), `; ${messages(store.injections.extra[e])}`));
  });
  meta.consumptions.forEach((channel, i) => {
    const e = store.consumptions.now[i];
    if (channel.node === k && e >= 0 && store.consumptions.valid[e]) busy.push(el("p", {}, `${channel.name}: `, ...nodes(["takes ", wormPart(store.consumptions.worm[e])])));
  });
  const sent = meta.worms.filter((w) => w.source === k), got = meta.worms.filter((w) => w.to.includes(k));
  const list = (worms: typeof sent): Node => table(["worm", "created", "to", "latency"], worms.slice(0, 40).map((w) => [el("span", {}, chip(page, w.id), link(`worm ${w.id}`, { kind: "worm", worm: w.id })),
    link(String(w.created), null, w.created), w.to.length > 1 ? `${w.to.length} nodes` : meta.nodes[w.to[0]]?.name ?? "", w.delivered.length ? String(Math.max(...w.delivered.map((d) => d[3])) - w.created) : ""]), [1, 3]);
  return [el("h2", {}, `Node ${meta.nodes[k].name}`), el("h3", {}, `Now, cycle ${store.t}`), ...(busy.length ? busy : [el("p", { className: "faint" }, "idle")]),
    el("h3", {}, `Sends ${sent.length}${sent.length > 40 ? "; the first 40" : ""}`), list(sent), el("h3", {}, `Receives ${got.length}${got.length > 40 ? "; the first 40" : ""}`), list(got)];
}
