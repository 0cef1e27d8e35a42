// What moves: flits on wires and in FIFOs, branches through crossbars, waits, tokens.

import { BLOCKED, LANES, TOKEN } from "./format";
import { Geometry } from "./geometry";
import { Theme, striped, wormColour } from "./palette";
import { Pen } from "./pen";
import { unowned } from "./reason";
import { Run, wormOf } from "./selection";
import { bar, trace } from "./still";
import { Store } from "./store";
import { drawTokens } from "./tokens";

export interface Frame {
  /** Part of the cycle that has passed, 0 to 1. */
  phase: number;
  /** Whether time passes, slowly enough to see tokens on their way. */
  flows: boolean;
  /** Whether flits are drawn on their way, or the wires that they cross. */
  moving: boolean;
  /** Pixels for each picture unit. */
  scale: number;
  /** 0 to 1 and back, for what pulses. */
  pulse: number;
  /** Only the chosen worm in colour. */
  alone: boolean;
  /** What is seen of the picture. */
  view: { left: number; top: number; right: number; bottom: number };
}

const FONT = `"DejaVu Sans", Verdana, sans-serif`;

/** Draws the cycle that the cursors of the store are at; whether anything pulses. */
export class Scene {
  /** For each colour: numbers of what is drawn in it. */
  private readonly lists: number[][] = Array.from({ length: 10 }, () => []);
  private readonly cells: number[] = [];
  private readonly point = { x: 0, y: 0, dx: 0, dy: 0 };
  pulses = false;

  draw(pen: Pen, run: Run, theme: Theme, frame: Frame): void {
    this.pulses = false;
    const { store, geometry } = run;
    const chosen = wormOf(run);
    if (chosen >= 0) this.halo(pen, store, geometry, theme, frame, chosen);
    const only = frame.alone && chosen >= 0 ? chosen : -1;
    this.heldWires(pen, store, geometry, theme, frame, only);
    this.fifos(pen, store, geometry, theme, frame, only);
    this.crossings(pen, store, geometry, theme, frame, only);
    this.inside(pen, store, geometry, theme, frame, chosen);
    this.nodes(pen, store, theme, frame, only);
    drawTokens(pen, store, geometry, theme, frame);
    this.chosenThing(pen, run, theme, frame);
    const deadlock = store.meta.deadlock;
    if (deadlock && store.t >= deadlock.cycle) this.circle(pen, store, geometry, theme, frame);
  }

  private clear(): number[][] {
    for (const list of this.lists) list.length = 0;
    return this.lists;
  }
  private seen(frame: Frame, x: number, y: number, r: number): boolean {
    const v = frame.view;
    return x + r >= v.left && x - r <= v.right && y + r >= v.top && y - r <= v.bottom;
  }

  /** The chosen worm's tree, wide and faint: what it holds, and where it has been. */
  private halo(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, worm: number): void {
    const index = store.wormIndex.get(worm);
    pen.lineCap = "round";
    pen.lineJoin = "round";
    pen.strokeStyle = wormColour(theme, worm);
    if (index !== undefined) {
      pen.globalAlpha = 0.25;
      pen.lineWidth = Math.max(4, 3 / frame.scale);
      pen.beginPath();
      for (const visit of store.visitsOf[index]) {
        const feeder = store.feeder[visit.input];
        const wire = feeder >= 0 ? feeder : store.meta.outputs.length - 1 - feeder;
        if (visit.from <= store.t && wire < geometry.wires.length) trace(pen, geometry.wires[wire]);
      }
      pen.stroke();
    }
    pen.globalAlpha = 0.4;
    pen.lineWidth = Math.max(7, 5 / frame.scale);
    pen.beginPath();
    store.meta.outputs.forEach((_, k) => { if (store.ownerWorm(k) === worm) trace(pen, geometry.wires[k]); });
    pen.stroke();
    pen.globalAlpha = 1;
    pen.lineCap = "butt";
  }

  private heldWires(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), n = theme.worms.length;
    for (let k = 0; k < store.outputs.count; k++) {
      const worm = store.ownerWorm(k);
      if (worm >= 0) lists[worm % n].push(k, worm);
    }
    pen.lineWidth = Math.max(1.3, 1.1 / frame.scale);
    this.strokes(pen, lists, geometry, theme, only, 0.75);
  }

  private strokes(pen: Pen, lists: number[][], geometry: Geometry, theme: Theme, only: number, alpha: number): void {
    for (let colour = 0; colour < lists.length; colour++) {
      const list = lists[colour];
      for (const faint of only >= 0 ? [true, false] : [false]) {
        let any = false;
        for (let i = 0; i < list.length; i += 2) {
          if (only >= 0 && (list[i + 1] !== only) !== faint) continue;
          if (!any) pen.beginPath();
          any = true;
          trace(pen, geometry.wires[list[i]]);
        }
        if (!any) continue;
        pen.globalAlpha = faint ? 0.15 : alpha;
        pen.strokeStyle = theme.worms[colour];
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
  }

  /** Flits on wires. */
  private crossings(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), { meta, t } = store, n = theme.worms.length, outputs = meta.outputs.length;
    for (let wire = 0; wire < geometry.wires.length; wire++) {
      const tracks = wire < outputs ? store.outputs : store.injections, track = wire < outputs ? wire : wire - outputs;
      const arrival = Math.max(1, store.arrival(wire < outputs ? wire : outputs - 1 - wire));
      for (let back = 0; back < arrival; back++) {
        const e = back ? tracks.find(track, t - back) : tracks.now[track];
        if (e < 0 || !tracks.valid[e]) continue;
        const list = lists[tracks.worm[e] % n];
        if (frame.moving) list.push(wire, tracks.worm[e], tracks.flit[e] + t - back - tracks.cycle[e], (back + frame.phase) / arrival);
        else list.push(wire, tracks.worm[e]);
      }
    }
    if (!frame.moving) {
      pen.lineWidth = Math.max(3.2, 2 / frame.scale);
      this.strokes(pen, lists, geometry, theme, only, 1);
      return;
    }
    const p = this.point, long = Math.max(9, 5 / frame.scale), wide = Math.max(5.5, 3.5 / frame.scale);
    lists.forEach((list, colour) => {
      pen.fillStyle = theme.worms[colour];
      for (let i = 0; i < list.length; i += 4) {
        geometry.along(list[i], list[i + 3], p);
        if (!this.seen(frame, p.x, p.y, long)) continue;
        pen.globalAlpha = only >= 0 && only !== list[i + 1] ? 0.15 : 1;
        bar(pen, p.x, p.y, round(p.dx), round(p.dy), -long / 2, long / 2, wide);
        const worm = store.worm(list[i + 1]);
        if (worm) this.marks(pen, theme, list[i + 1], list[i + 2], worm.header, worm.header + worm.payload, p.x, p.y, round(p.dx), round(p.dy), long, wide, frame.scale);
        pen.fillStyle = theme.worms[colour];
      }
    });
    pen.globalAlpha = 1;
  }

  /** What tells flits apart: a bar at a head, a notch at a tail, hollow where header; numbers where there is room. */
  private marks(pen: Pen, theme: Theme, worm: number, flit: number, header: number, flits: number, x: number, y: number, dx: number, dy: number,
    long: number, wide: number, scale: number): void {
    if (long * scale < 5) return;
    pen.fillStyle = theme.onWorm;
    if (striped(theme, worm)) bar(pen, x, y, dx, dy, -long / 2, long / 2, wide * 0.16);
    const label = long * scale >= 13 && wide * scale >= 10;
    if (flit < header) {
      bar(pen, x, y, dx, dy, long * 0.32, long * 0.5, wide);
      if (!label) bar(pen, x, y, dx, dy, -long * 0.22, long * 0.14, wide * 0.4);
    }
    if (flit === flits - 1) bar(pen, x, y, dx, dy, -long * 0.4, -long * 0.24, wide);
    if (label) {
      pen.font = `bold ${Math.min(0.62 * wide, 0.42 * long)}px ${FONT}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(String(flit), x, y);
    }
  }

  private fifos(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), { meta } = store, n = theme.worms.length, cells = this.cells, tracks = store.inputs;
    // Of runs of flits of a worm: input, first cell, how many, worm, flit of the first.
    for (let k = 0; k < tracks.count; k++) {
      const e = tracks.now[k];
      if (e < 0 || !tracks.held[e]) continue;
      const at = meta.inputs[k].at;
      if (!this.seen(frame, at[0], at[1], 60)) continue;
      const held = tracks.held[e];
      store.cells(k, store.t, held, cells);
      const apart = geometry.cell[k] * frame.scale >= 4;
      for (let c = 0; c < held;) {
        const worm = cells[2 * c];
        let run = 1;
        while (!apart && c + run < held && cells[2 * (c + run)] === worm) run++;
        if (worm >= 0) lists[worm % n].push(k, c, run, worm, cells[2 * c + 1]);
        c += run;
      }
    }
    lists.forEach((list, colour) => {
      pen.fillStyle = theme.worms[colour];
      for (let i = 0; i < list.length; i += 5) {
        const k = list[i], input = meta.inputs[k], cell = geometry.cell[k], width = geometry.width[k];
        pen.globalAlpha = only >= 0 && only !== list[i + 3] ? 0.15 : 1;
        const apart = cell * frame.scale >= 4, b = input.depth - list[i + 1];
        bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], (b - list[i + 2]) * cell, (apart ? b - 0.1 : b) * cell, width);
        if (!apart) continue;
        const worm = store.worm(list[i + 3]);
        if (worm) {
          const by = (b - 0.55) * cell, x = input.at[0] + input.inward[0] * by, y = input.at[1] + input.inward[1] * by;
          this.marks(pen, theme, list[i + 3], list[i + 4], worm.header, worm.header + worm.payload, x, y, input.inward[0], input.inward[1], 0.9 * cell, width, frame.scale);
          pen.fillStyle = theme.worms[colour];
        }
      }
    });
    pen.globalAlpha = 1;
  }

  /** Branches through the crossbars, and the marks of those that wait. */
  private inside(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, chosen: number): void {
    const { meta } = store, tracks = store.inputs;
    for (let k = 0; k < tracks.count; k++) {
      const e = tracks.now[k];
      if (e < 0 || tracks.worm[e] < 0) continue;
      const input = meta.inputs[k], s = meta.switches[input.switch];
      if (!this.seen(frame, s.at[0], s.at[1], Math.max(...s.size))) continue;
      const state = tracks.state[e], [x, y] = geometry.front(k), worm = tracks.worm[e];
      const near = Math.min(...s.size) * frame.scale >= 34;
      if (near || worm === chosen) this.branches(pen, store, theme, frame, k, worm, state, x, y);
      if (state === TOKEN || state === LANES || state === BLOCKED) this.wait(pen, geometry, theme, frame, k, worm, state, x, y);
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }

  private branches(pen: Pen, store: Store, theme: Theme, frame: Frame, k: number, worm: number, state: number, x: number, y: number): void {
    const { meta } = store, input = meta.inputs[k], lane = k - meta.laneBase[input.switch][0];
    for (const o of store.outputsOf[input.switch]) {
      const e = store.outputs.now[o];
      if (e < 0 || store.outputs.extra[e] !== lane) continue;
      const crosses = store.outputs.valid[e] === 1, points = meta.outputs[o].points;
      const stuck = state === BLOCKED && store.outputs.credits[e] === 0 && meta.outputs[o].input !== null;
      pen.globalAlpha = crosses ? 1 : 0.7;
      pen.strokeStyle = stuck ? theme.blocked : wormColour(theme, worm);
      pen.lineWidth = Math.max(crosses ? 2 : 1, 0.8 / frame.scale) * (stuck ? 1 + 0.9 * frame.pulse : 1);
      pen.setLineDash(crosses || stuck ? [] : [2.5, 2]);
      this.arrow(pen, x, y, points[0], points[1], false);
      if (stuck) {
        this.pulses = true;
        // A bar across the wire that has no credit.
        pen.setLineDash([]);
        pen.globalAlpha = 0.35 + 0.65 * frame.pulse;
        pen.lineWidth = 2.2;
        const [dx, dy] = unit(points[2] - points[0], points[3] - points[1]);
        pen.beginPath();
        pen.moveTo(points[0] + 3 * dx - 4.5 * dy, points[1] + 3 * dy + 4.5 * dx);
        pen.lineTo(points[0] + 3 * dx + 4.5 * dy, points[1] + 3 * dy - 4.5 * dx);
        pen.stroke();
      }
    }
    if (state !== LANES) return;
    pen.globalAlpha = 0.5 + 0.5 * frame.pulse;
    pen.strokeStyle = theme.lanes;
    pen.setLineDash([2, 2]);
    pen.lineWidth = Math.max(1.3, 1 / frame.scale);
    this.pulses = true;
    for (const { lanes } of unowned(store, k)) {
      for (const o of lanes.slice(0, 2)) this.arrow(pen, x, y, meta.outputs[o].points[0], meta.outputs[o].points[1], true);
    }
  }

  private arrow(pen: Pen, x: number, y: number, u: number, v: number, head: boolean): void {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(u, v);
    pen.stroke();
    if (!head) return;
    const [dx, dy] = unit(u - x, v - y);
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(u - 4 * dx - 2.4 * dy, v - 4 * dy + 2.4 * dx);
    pen.lineTo(u, v);
    pen.lineTo(u - 4 * dx + 2.4 * dy, v - 4 * dy - 2.4 * dx);
    pen.stroke();
    pen.setLineDash([2, 2]);
  }

  /** A mark at the front of a FIFO whose worm waits: a shape for each reason. */
  private wait(pen: Pen, geometry: Geometry, theme: Theme, frame: Frame, k: number, worm: number, state: number, x: number, y: number): void {
    const r = Math.min(Math.max(2.4, 2.6 / frame.scale), Math.max(2.4, geometry.width[k]));
    const { inward } = geometry.meta.inputs[k];
    x += 0.8 * r * inward[0];
    y += 0.8 * r * inward[1];
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.fillStyle = state === TOKEN ? theme.token : state === LANES ? theme.lanes : theme.blocked;
    pen.beginPath();
    if (state === TOKEN) {
      pen.moveTo(x, y - r * 1.2); pen.lineTo(x + r * 1.2, y); pen.lineTo(x, y + r * 1.2); pen.lineTo(x - r * 1.2, y);
    } else if (state === LANES) {
      pen.moveTo(x, y - r * 1.1); pen.lineTo(x + r * 1.1, y + r * 0.9); pen.lineTo(x - r * 1.1, y + r * 0.9);
    } else {
      pen.moveTo(x - r, y - r); pen.lineTo(x + r, y - r); pen.lineTo(x + r, y + r); pen.lineTo(x - r, y + r);
    }
    pen.closePath();
    pen.fill();
    if (frame.scale < 2) return;
    pen.font = `bold 4px ${FONT}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(`w${worm} ${["", "", "", "token", "lane", "", "credit"][state]}`, x, y + r + 3);
  }

  private nodes(pen: Pen, store: Store, theme: Theme, frame: Frame, only: number): void {
    const { meta } = store, c = store.consumptions;
    for (let k = 0; k < c.count; k++) {
      const e = c.now[k];
      if (e < 0 || !c.valid[e]) continue;
      const node = meta.nodes[meta.consumptions[k].node];
      if (!this.seen(frame, node.receive[0], node.receive[1], node.radius)) continue;
      pen.globalAlpha = only >= 0 && only !== c.worm[e] ? 0.15 : 1;
      pen.strokeStyle = wormColour(theme, c.worm[e]);
      pen.lineWidth = Math.max(3, 2 / frame.scale);
      pen.beginPath();
      pen.moveTo(node.receive[0] + node.radius, node.receive[1]);
      pen.arc(node.receive[0], node.receive[1], node.radius, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    // Who sends, and how many messages wait at the node.
    for (let k = 0; k < store.injections.count; k++) {
      const e = store.injections.now[k];
      if (e < 0) continue;
      const queue = store.injections.extra[e], node = meta.nodes[meta.injections[k].node];
      if (!queue && !store.injections.valid[e]) continue;
      if (!this.seen(frame, node.send[0], node.send[1], node.radius)) continue;
      if (store.injections.valid[e]) {
        pen.fillStyle = wormColour(theme, store.injections.worm[e]);
        pen.globalAlpha = only >= 0 && only !== store.injections.worm[e] ? 0.1 : 0.4;
        pen.beginPath();
        pen.moveTo(node.send[0] + node.radius, node.send[1]);
        pen.arc(node.send[0], node.send[1], node.radius * 0.92, 0, 2 * Math.PI);
        pen.fill();
        pen.globalAlpha = 1;
      }
      if (queue > 1 && node.radius * frame.scale > 7) {
        pen.fillStyle = theme.faint;
        pen.font = `${Math.min(6, 0.8 * node.radius)}px ${FONT}`;
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        pen.fillText(`+${queue - (store.injections.valid[e] ? 1 : 0)}`, node.send[0] + 0.75 * node.radius, node.send[1] + 1.1 * node.radius);
      }
    }
  }

  private chosenThing(pen: Pen, run: Run, theme: Theme, frame: Frame): void {
    const { selection, store, geometry } = run, { meta } = store;
    if (!selection) return;
    pen.strokeStyle = theme.select;
    pen.globalAlpha = 1;
    pen.lineWidth = Math.max(1.2, 1.8 / frame.scale);
    pen.beginPath();
    if (selection.kind === "switch") {
      const s = meta.switches[selection.switch];
      pen.strokeRect(s.at[0] - s.size[0] / 2 - 1, s.at[1] - s.size[1] / 2 - 1, s.size[0] + 2, s.size[1] + 2);
    } else if (selection.kind === "node") {
      const n = meta.nodes[selection.node];
      for (const at of [n.send, n.receive]) { pen.moveTo(at[0] + n.radius + 1, at[1]); pen.arc(at[0], at[1], n.radius + 1, 0, 2 * Math.PI); }
      pen.stroke();
    } else if (selection.kind === "link" || selection.kind === "injection") {
      trace(pen, geometry.wires[selection.kind === "link" ? selection.output : meta.outputs.length + selection.channel]);
      pen.stroke();
    } else if (selection.kind === "input") {
      const [x, y] = geometry.cellAt(selection.input, selection.cell), r = 0.5 * Math.max(geometry.width[selection.input], geometry.cell[selection.input]) + 1;
      pen.strokeRect(x - r, y - r, 2 * r, 2 * r);
    }
  }

  /** The circle of a deadlock, in place: who waits for what. */
  private circle(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame): void {
    const { meta } = store;
    this.pulses = true;
    pen.lineCap = "round";
    meta.deadlock?.circle.forEach((entry, i) => {
      const [x, y] = geometry.front(entry.input);
      const width = Math.max(2.2, 1.8 / frame.scale);
      pen.strokeStyle = theme.blocked;
      pen.globalAlpha = 0.55 + 0.45 * frame.pulse;
      pen.lineWidth = width;
      pen.setLineDash([]);
      pen.beginPath();
      for (const output of entry.outputs) trace(pen, meta.outputs[output].points);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.lineWidth = width * 1.3;
      for (const output of entry.outputs) {
        pen.setLineDash([]);
        this.arrow(pen, x, y, meta.outputs[output].points[0], meta.outputs[output].points[1], true);
      }
      pen.setLineDash([]);
      const r = Math.max(4, 6 / frame.scale);
      pen.fillStyle = theme.blocked;
      pen.beginPath();
      pen.arc(x, y, r, 0, 2 * Math.PI);
      pen.fill();
      pen.fillStyle = "#ffffff";
      pen.font = `bold ${1.3 * r}px ${FONT}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(String(i + 1), x, y);
    });
    pen.lineCap = "butt";
    pen.globalAlpha = 1;
  }
}

/** Directions that are nearly along an axis, as bars are drawn faster along it. */
const round = (d: number): number => (Math.abs(d) < 0.001 ? 0 : Math.abs(d) > 0.999 ? Math.sign(d) : d);
function unit(dx: number, dy: number): [number, number] {
  const length = Math.max(Math.hypot(dx, dy), 1e-9);
  return [dx / length, dy / length];
}
