// Flits: on wires and in FIFOs, and the wires that worms hold.

import { FONT, Frame, OTHERS, round, seen } from "./frame";
import { Geometry } from "./geometry";
import { stripe, Theme } from "./palette";
import { Pen } from "./pen";
import { bar, labels, trace } from "./still";
import { Store } from "./store";

export class Flits {
  /** For each colour, the numbers of the shapes drawn in it. */
  private readonly lists: number[][] = Array.from({ length: 10 }, () => []);
  private readonly cells: number[] = [];
  private readonly point = { x: 0, y: 0, dx: 0, dy: 0 };

  private clear(): number[][] {
    for (const list of this.lists) list.length = 0;
    return this.lists;
  }
  /** Wires that worms hold. */
  held(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), n = theme.worms.length;
    for (let k = 0; k < store.outputs.count; k++) {
      const worm = store.ownerWorm(k);
      if (worm >= 0) lists[worm % n].push(k, worm);
    }
    pen.lineWidth = Math.max(1.3, 1.1 / frame.scale);
    this.strokes(pen, lists, geometry, theme, only, 0.75);
  }

  /** Numbers of worms beside the wires that they hold, where there is room. */
  names(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const found: [number, string][] = [];
    for (let k = 0; k < store.outputs.count; k++) {
      const worm = store.ownerWorm(k);
      if (worm >= 0 && (only < 0 || worm === only)) found.push([k, `w${worm}`]);
    }
    labels(pen, geometry, theme, frame, found);
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
        pen.globalAlpha = faint ? OTHERS : alpha;
        pen.strokeStyle = faint ? theme.faint : theme.worms[colour];
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
  }

  /** Flits on wires. */
  crossings(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), n = theme.worms.length, outputs = store.meta.outputs.length, found = this.cells;
    for (let wire = 0; wire < geometry.wires.length; wire++) {
      const feeder = wire < outputs ? wire : outputs - 1 - wire, arrival = Math.max(1, store.arrival(feeder));
      store.onWire(feeder, found);
      for (let i = 0; i < found.length; i += 3) {
        const list = lists[found[i] % n];
        if (frame.moving) list.push(wire, found[i], found[i + 1], (found[i + 2] + frame.phase) / arrival);
        else list.push(wire, found[i]);
      }
    }
    if (!frame.moving) {
      pen.lineWidth = Math.max(3.2, 2 / frame.scale);
      this.strokes(pen, lists, geometry, theme, only, 1);
      return;
    }
    const p = this.point, long = Math.max(9, 5 / frame.scale), wide = Math.max(5.5, 3.5 / frame.scale);
    lists.forEach((list, colour) => {
      for (let i = 0; i < list.length; i += 4) {
        geometry.along(list[i], list[i + 3], p);
        if (!seen(frame, p.x, p.y, long)) continue;
        const other = only >= 0 && only !== list[i + 1];
        pen.globalAlpha = other ? OTHERS : 1;
        pen.fillStyle = other ? theme.faint : theme.worms[colour];
        bar(pen, p.x, p.y, round(p.dx), round(p.dy), -long / 2, long / 2, wide);
        const worm = store.worm(list[i + 1]);
        if (worm) this.marks(pen, theme, list[i + 1], list[i + 2], worm.header, worm.header + worm.payload, p.x, p.y, round(p.dx), round(p.dy), long, wide, frame.scale);
      }
    });
    pen.globalAlpha = 1;
  }

  /** Marks that tell flits apart: a bar at a head, a notch at a tail, a hollow header, and numbers where there is room. */
  private marks(pen: Pen, theme: Theme, worm: number, flit: number, header: number, flits: number, x: number, y: number, dx: number, dy: number,
    long: number, wide: number, scale: number): void {
    if (long * scale < 5) return;
    pen.fillStyle = theme.onWorm;
    const along = stripe(theme, worm);
    if (along) {
      pen.fillStyle = along.colour;
      // Two stripes lie on both sides of the middle.
      for (const by of along.two ? [-0.25 * wide, 0.25 * wide] : [0]) bar(pen, x - dy * by, y + dx * by, dx, dy, -long / 2, long / 2, wide * (along.two ? 0.2 : 0.26));
      pen.fillStyle = theme.onWorm;
    }
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

  /** Flits in FIFOs. */
  fifos(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const lists = this.clear(), { meta } = store, n = theme.worms.length, cells = this.cells, tracks = store.inputs;
    // Each run of flits of a worm has five numbers: input, first cell, length, worm, flit of the
    // first.
    for (let k = 0; k < tracks.count; k++) {
      const e = tracks.now[k];
      if (e < 0 || !tracks.held[e]) continue;
      const at = meta.inputs[k].at;
      if (!seen(frame, at[0], at[1], 60)) continue;
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
      for (let i = 0; i < list.length; i += 5) {
        const k = list[i], input = meta.inputs[k], cell = geometry.cell[k], width = geometry.width[k];
        const other = only >= 0 && only !== list[i + 3];
        pen.globalAlpha = other ? OTHERS : 1;
        pen.fillStyle = other ? theme.faint : theme.worms[colour];
        const apart = cell * frame.scale >= 4, b = input.depth - list[i + 1];
        bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], (b - list[i + 2]) * cell, (apart ? b - 0.1 : b) * cell, width);
        if (!apart) continue;
        const worm = store.worm(list[i + 3]);
        if (worm) {
          const by = (b - 0.55) * cell, x = input.at[0] + input.inward[0] * by, y = input.at[1] + input.inward[1] * by;
          this.marks(pen, theme, list[i + 3], list[i + 4], worm.header, worm.header + worm.payload, x, y, input.inward[0], input.inward[1], 0.9 * cell, width, frame.scale);
        }
      }
    });
    pen.globalAlpha = 1;
  }
}
