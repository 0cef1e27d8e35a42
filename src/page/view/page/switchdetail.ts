// A switch in the panel: its blocks with their registers, from the FIFOs through decoders and arbiters to the crossbar and its lanes.

import { el, svg, table } from "./dom";
import { link, nodes, Page } from "./page";
import { STATE_MARK, stateColour, Theme, wormColour } from "./palette";
import { inputPart, ringOf, unowned, wormPart } from "./reason";
import { outside, portName } from "./details";
import { Run } from "./selection";
import { Store } from "./store";

export function switchDetail(page: Page, run: Run, k: number): Node[] {
  const { store } = run, { meta } = store, inputs = store.inputsOf[k], outputs = store.outputsOf[k];
  if (!meta.switches[k].shown) return [el("h2", {}, `Switch ${meta.switches[k].name}`), outside()];
  const ports = (list: number[], i: number): string => list.map((p) => portName(store, i, p)).join(" ") || "\u2013";
  const lanes = inputs.map((i) => {
    const worm = store.wormAt(i);
    return [link(meta.inputs[i].name, { kind: "input", input: i, cell: 0 }), `${store.heldAt(i)}/${meta.inputs[i].depth}`, meta.states[store.stateAt(i)],
      worm >= 0 ? link(`w${worm}`, { kind: "worm", worm }) : "\u2013", ports(store.branchesAt(i), i), ports(store.takenAt(i), i)];
  });
  const outs = outputs.map((o) => {
    const e = store.outputs.now[o], owner = store.ownerInput(o), crosses = store.crossesAt(o);
    return [link(meta.outputs[o].name, { kind: "link", output: o }), owner >= 0 ? meta.inputs[owner].name : "\u2013", String(store.creditsAt(o)),
      crosses ? el("span", {}, link(`w${store.outputs.worm[e]}`, { kind: "worm", worm: store.outputs.worm[e] }), `.${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}`) : "\u2013"];
  });
  return [el("h2", {}, `Switch ${meta.switches[k].name}, cycle ${store.t}`), diagram(page.theme, store, inputs, outputs), ...token(store, k),
    el("h3", {}, "Input lanes: FIFO, decoder, replication unit"), table(["lane", "flits", "state", "worm", "branches", "taken"], lanes),
    el("h3", {}, "Output lanes: arbiter, crossbar, credits"), table(["lane", "owner", "credits", "crosses"], outs)];
}

function token(store: Store, k: number): Node[] {
  const found = store.meta.stations.findIndex((s) => s.switch === k);
  if (found < 0) return [];
  const e = store.stations.now[found], base = store.meta.laneBase[k][0];
  // The panel shows a ring while a worm wants or holds its token.
  const isWanted = ringOf(store, k).some((station) => {
    const now = store.stations.now[station];
    return now >= 0 && (store.stations.here[now] || store.stations.holder[now] >= 0 || store.masks.list[store.stations.request[now]].length);
  });
  if (e < 0 || !isWanted) return [el("h3", {}, "Token station"), el("p", {}, "nobody wants the token")];
  const holder = store.stations.holder[e], wants = store.masks.list[store.stations.request[e]];
  return [el("h3", {}, "Token station"), el("p", {}, ...nodes([store.stations.here[e] ? "the token is here" : "the token is elsewhere",
    ...(holder >= 0 ? [", held by ", inputPart(store, base + holder), " for ", wormPart(store.wormAt(base + holder))] : []),
    ...(wants.length ? ["; it is wanted by ", ...wants.flatMap((w, i) => [i ? ", " : "", inputPart(store, base + w)])] : [])]))];
}

/** A table with a row for each input lane and a column for each output lane. A crossing marks a branch. */
function diagram(theme: Theme, store: Store, inputs: number[], outputs: number[]): SVGElement {
  const { meta } = store, width = 296, row = inputs.length > 12 ? 15 : 22, top = 24, left = 158;
  const column = Math.min(30, (width - left - 4) / Math.max(1, outputs.length)), bottom = top + row * inputs.length + 4, height = bottom + 58;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "Blocks of the switch" });
  const text = (x: number, y: number, what: string, extra: Record<string, string | number> = {}): void => { picture.append(svg("text", { x, y, "font-size": 9, fill: theme.faint, ...extra }, what)); };
  const box = (x: number, y: number, w: number, h: number, fill: string, stroke = theme.boxLine): void => { picture.append(svg("rect", { x, y, width: w, height: h, fill, stroke, "stroke-width": 0.8 })); };
  text(34, 12, "FIFO");
  text(96, 12, "decode");
  text(left + (column * outputs.length) / 2, 12, "crossbar", { "text-anchor": "middle" });
  const cells: number[] = [];
  inputs.forEach((i, r) => {
    const y = top + r * row, input = meta.inputs[i], held = store.heldAt(i), state = store.stateAt(i), worm = store.wormAt(i), size = Math.min(14, 60 / input.depth), high = row - 7;
    text(0, y + high - 2, input.name);
    store.cells(i, store.t, held, cells);
    for (let c = 0; c < input.depth; c++) {
      const x = 32 + (input.depth - 1 - c) * size, flit = c < held ? cells[2 * c + 1] : -1;
      box(x, y, size, high, c < held ? wormColour(theme, cells[2 * c]) : theme.cell, theme.ground);
      if (flit >= 0 && size >= 11) text(x + size / 2, y + high - 4, String(flit), { "text-anchor": "middle", fill: theme.onWorm, "font-size": 8 });
    }
    box(96, y, 52, high, state ? stateColour(theme, state) : theme.box);
    const said = state ? meta.states[state] : "";
    text(122, y + high - (row > 16 ? 4 : 1), worm >= 0 ? `${said.length > 5 ? STATE_MARK[state] || said : said} w${worm}` : said, { "text-anchor": "middle", fill: state ? theme.onWorm : theme.faint, "font-size": 8.5 });
    picture.append(svg("path", { d: `M148 ${y + high / 2}H${left + column * outputs.length}`, stroke: worm >= 0 ? wormColour(theme, worm) : theme.line, "stroke-width": worm >= 0 ? 1.4 : 0.8, fill: "none" }));
    const wanted = state === 4 ? unowned(store, i).flatMap((u) => u.lanes) : [];
    outputs.forEach((o, c) => {
      const x = left + (c + 0.5) * column, mine = store.ownerInput(o) === i;
      if (mine) picture.append(svg("circle", { cx: x, cy: y + high / 2, r: store.crossesAt(o) ? 4.2 : 3.2, fill: store.crossesAt(o) ? wormColour(theme, worm) : theme.ground, stroke: wormColour(theme, worm), "stroke-width": 1.6 }));
      else if (wanted.includes(o)) picture.append(svg("path", { d: `M${x} ${y + high / 2 - 4}l4 7h-8z`, fill: theme.lanes }));
    });
  });
  outputs.forEach((o, c) => {
    const x = left + (c + 0.5) * column, owner = store.ownerInput(o), worm = owner >= 0 ? store.wormAt(owner) : -1, output = meta.outputs[o];
    const line = svg("path", { d: `M${x} ${top - 4}V${bottom}`, stroke: worm >= 0 ? wormColour(theme, worm) : theme.line, "stroke-width": worm >= 0 ? 1.4 : 0.8, fill: "none" });
    picture.insertBefore(line, picture.firstChild);
    const w = column - 2;
    box(x - w / 2, bottom, w, 14, worm >= 0 ? wormColour(theme, worm) : theme.box);
    if (w >= 13) text(x, bottom + 10, worm >= 0 ? `w${worm}` : "\u2013", { "text-anchor": "middle", fill: worm >= 0 ? theme.onWorm : theme.faint, "font-size": 8 });
    // A bar shows the credits as a share of the FIFO behind the lane.
    const credits = store.creditsAt(o);
    box(x - w / 2, bottom + 16, w, 14, theme.cell);
    box(x - w / 2, bottom + 16, w * Math.min(1, credits / output.depth), 14, credits ? theme.load : theme.cell, "none");
    if (w >= 8) text(x, bottom + 26, String(credits), { "text-anchor": "middle", fill: credits ? theme.ink : theme.blocked, "font-size": 8, "font-weight": "bold" });
    text(x, bottom + 41, output.name.replace(/^out/, ""), { "text-anchor": "middle", "font-size": w < 14 ? 7 : 8.5 });
  });
  text(left - 6, bottom + 10, "lane owner", { "text-anchor": "end" });
  text(left - 6, bottom + 26, "credits", { "text-anchor": "end" });
  text(left - 6, bottom + 41, "out", { "text-anchor": "end" });
  return picture;
}
