// Drawing around the flits: the tree of the chosen worm, a frame around the selection, the circle
// of a deadlock.

import { root, waitsAt } from "./account";
import { arrow, FONT, Frame } from "./frame";
import { Geometry } from "./geometry";
import { Theme, wormColour } from "./palette";
import { Pen } from "./pen";
import { Run } from "./selection";
import { trace } from "./still";
import { Store } from "./store";

/** The tree of the chosen worm, wide and faint: the lanes that it holds, and those that it has left. */
export function halo(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, worm: number): void {
  const index = store.wormIndex.get(worm);
  pen.lineCap = "round";
  pen.lineJoin = "round";
  pen.strokeStyle = wormColour(theme, worm);
  if (index !== undefined) {
    pen.globalAlpha = store.ended[index] > store.t ? 0.25 : 0.12;
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

/** A frame around the selection. */
export function chosenThing(pen: Pen, run: Run, theme: Theme, frame: Frame): void {
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

/** From the lane where the chosen worm waits to the root of the wait: the lanes, numbered as in the panel. */
export function chain(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, worm: number): void {
  const k = store.wormIndex.get(worm), input = k === undefined ? -1 : waitsAt(store, k);
  if (input < 0) return;
  const places = root(store, input).chain.map((step) => geometry.front(step.input)), r = Math.max(4, 7 / frame.scale);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.select;
  pen.lineWidth = Math.max(1.2, 1.6 / frame.scale);
  pen.setLineDash([5 / frame.scale, 4 / frame.scale]);
  pen.beginPath();
  places.forEach(([x, y], i) => { if (i) pen.lineTo(x, y); else pen.moveTo(x, y); });
  pen.stroke();
  pen.setLineDash([]);
  places.forEach(([x, y], i) => disc(pen, x, y, r, theme.select, theme.ground, i + 1));
}

function disc(pen: Pen, x: number, y: number, r: number, fill: string, ink: string, number: number): void {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = ink;
  pen.font = `bold ${1.3 * r}px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(String(number), x, y);
}

/** The circle of a deadlock, in place: each worm with the worm that it waits for. */
export function circle(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
  const { meta } = store;
  pen.lineCap = "round";
  meta.deadlock?.circle.forEach((entry, i) => {
    if (only >= 0 && entry.worm !== only) return;
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
      arrow(pen, x, y, meta.outputs[output].points[0], meta.outputs[output].points[1], true);
    }
    pen.setLineDash([]);
    disc(pen, x, y, Math.max(4, 6 / frame.scale), theme.blocked, "#ffffff", i + 1);
  });
  pen.lineCap = "butt";
  pen.globalAlpha = 1;
}
