// Places in the picture beyond those of the data: cells of FIFOs, ways along wires, and the thing
// under the pointer.

import { Meta } from "./format";
import { stretch } from "./stretch";

export type Hit = { kind: "input"; input: number; cell: number } | { kind: "link"; output: number } | { kind: "injection"; channel: number }
  | { kind: "switch"; switch: number } | { kind: "node"; node: number };

/** Names of rings, routers and ports, for the places of their cells and wires. */
export class Geometry {
  /** Width of a lane's FIFO, and length of a cell, by input lane. */
  width: Float64Array;
  cell: Float64Array;
  /** Lengths along wires up to each corner: of output lanes, then injection channels. */
  private lengths: Float64Array[];
  wires: number[][];
  bounds: { left: number; top: number; right: number; bottom: number };
  /** Whether switches stand in stages: ports only left and right. */
  stages: boolean;
  namePlace: { x: number; y: number; size: number; align: CanvasTextAlign }[];
  /** Columns and rows of a mesh: number and place. */
  readonly axes: [number, number][][];
  private grid = new Map<string, number[]>();
  private readonly tile: number;

  constructor(public meta: Meta) {
    this.stages = meta.inputs.length > 0 && meta.inputs.every((i) => !i.exists || Math.abs(i.inward[1]) < 0.01);
    if (this.stages) stretch(meta);
    this.wires = [...meta.outputs.map((o) => o.points), ...meta.injections.map((i) => i.points)];
    this.lengths = this.wires.map((points) => {
      const lengths = new Float64Array(points.length / 2);
      for (let i = 1; i < lengths.length; i++) {
        lengths[i] = lengths[i - 1] + Math.hypot(points[2 * i] - points[2 * i - 2], points[2 * i + 1] - points[2 * i - 1]);
      }
      return lengths;
    });
    const ends: [number, number][][] = meta.switches.map(() => []);
    const outs: [number, number][][] = meta.switches.map(() => []);
    meta.inputs.forEach((i) => { if (i.exists) ends[i.switch].push(i.at); });
    meta.outputs.forEach((o) => { if (o.points.length) outs[o.switch].push([o.points[0], o.points[1]]); });
    this.width = new Float64Array(meta.inputs.length);
    this.cell = new Float64Array(meta.inputs.length);
    meta.inputs.forEach((input, k) => {
      const box = meta.switches[input.switch].size, [dx, dy] = input.inward;
      let near = Infinity;
      // Only places across the lane's direction count. A place straight ahead is not beside it.
      const beside = (places: [number, number][], part: number): void => {
        for (const [x, y] of places) {
          const across = Math.abs((x - input.at[0]) * dy - (y - input.at[1]) * dx), along = Math.abs((x - input.at[0]) * dx + (y - input.at[1]) * dy);
          if (across > 0.3 && along < 0.25 * Math.min(...box)) near = Math.min(near, part * across);
        }
      };
      beside(ends[input.switch], 1);
      // A FIFO may reach beyond the middle between it and a wire.
      beside(outs[input.switch], 1.7);
      const least = Math.min(...box);
      this.width[k] = Math.min(0.86 * near, 0.16 * least, 10);
      const room = Math.abs(dx) > 0.9 ? (this.stages ? 0.36 : 0.33) * box[0] : Math.abs(dy) > 0.9 ? 0.33 * box[1] : 0.36 * Math.min(...box);
      this.cell[k] = Math.min((this.stages ? 1.8 : 1.15) * this.width[k], room / input.depth);
    });
    this.namePlace = meta.switches.map((s, k) => this.name(s, k));
    this.bounds = this.bound();
    this.axes = [0, 1].map((axis) => this.places(axis));
    this.tile = Math.max(20, (this.bounds.right - this.bounds.left) / 200);
    this.wires.forEach((points, wire) => this.register(points, wire));
  }

  private name(s: Meta["switches"][number], k: number): Geometry["namePlace"][number] {
    if (!this.stages) return { x: s.at[0] - s.size[0] / 2 + 3, y: s.at[1] - s.size[1] / 2 + 6, size: Math.min(8, (1.5 * 0.42 * s.size[0]) / s.name.length), align: "left" };
    let [left, right] = [0, 0];
    this.meta.inputs.forEach((input, i) => {
      if (input.switch !== k || !input.exists) return;
      const reach = this.cell[i] * input.depth;
      if (input.inward[0] > 0) left = Math.max(left, reach); else right = Math.max(right, reach);
    });
    const free = s.size[0] - left - right - 4;
    return { x: s.at[0] + (left - right) / 2, y: s.at[1], size: Math.min(Math.max(8, Math.min(13, 0.1 * s.size[1])), free / (0.62 * s.name.length), 0.4 * s.size[1]), align: "center" };
  }

  /** Places of the switches rt_x_y along x or y, if those of one number stand in one line. */
  private places(axis: number): [number, number][] {
    const found = new Map<number, number>();
    for (const { name, at } of this.meta.switches) {
      const parts = /^rt_(\d+)_(\d+)$/.exec(name), value = Number(parts?.[axis + 1]);
      if (!parts || Math.abs((found.get(value) ?? at[axis]) - at[axis]) > 0.1) return [];
      found.set(value, at[axis]);
    }
    return [...found].sort((a, b) => a[1] - b[1]);
  }

  private bound(): Geometry["bounds"] {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const reach = (x: number, y: number, r: number): void => {
      left = Math.min(left, x - r); right = Math.max(right, x + r); top = Math.min(top, y - r); bottom = Math.max(bottom, y + r);
    };
    for (const s of this.meta.switches) { reach(s.at[0] - s.size[0] / 2, s.at[1] - s.size[1] / 2, 0); reach(s.at[0] + s.size[0] / 2, s.at[1] + s.size[1] / 2, 0); }
    for (const n of this.meta.nodes) {
      // The name of a small node stands beside it.
      const name = n.radius >= 8 ? 0 : 0.7 * Math.min(10, 2.2 * n.radius) * n.name.length + 4;
      for (const [x, y] of [n.send, n.receive]) { reach(x, y, n.radius); reach(x - name, y, n.radius); reach(x + name, y, n.radius); }
    }
    for (const points of this.wires) for (let i = 0; i < points.length; i += 2) reach(points[i], points[i + 1], 0);
    return left <= right ? { left, top, right, bottom } : { left: 0, top: 0, right: 100, bottom: 100 };
  }

  private register(points: number[], wire: number): void {
    for (let i = 2; i < points.length; i += 2) {
      const [x, y, u, v] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
      const steps = Math.max(1, Math.ceil(Math.hypot(u - x, v - y) / this.tile * 2));
      for (let s = 0; s <= steps; s++) {
        const key = `${Math.floor((x + (u - x) * s / steps) / this.tile)},${Math.floor((y + (v - y) * s / steps) / this.tile)}`;
        const list = this.grid.get(key);
        if (!list) this.grid.set(key, [wire]); else if (list[list.length - 1] !== wire) list.push(wire);
      }
    }
  }

  /** Length of a wire. */
  length(wire: number): number {
    const lengths = this.lengths[wire];
    return lengths.length ? lengths[lengths.length - 1] : 0;
  }

  /** The place so far along a wire, 0 to 1, and its direction. */
  along(wire: number, part: number, to: { x: number; y: number; dx: number; dy: number }): void {
    const points = this.wires[wire], lengths = this.lengths[wire], n = lengths.length;
    if (n < 2) { to.x = points[0]; to.y = points[1]; to.dx = 1; to.dy = 0; return; }
    const at = part * lengths[n - 1];
    let i = 1;
    while (i < n - 1 && lengths[i] < at) i++;
    const length = Math.max(lengths[i] - lengths[i - 1], 1e-6), f = (at - lengths[i - 1]) / length;
    const [x, y, u, v] = [points[2 * i - 2], points[2 * i - 1], points[2 * i], points[2 * i + 1]];
    to.x = x + (u - x) * f; to.y = y + (v - y) * f; to.dx = (u - x) / length; to.dy = (v - y) / length;
  }

  /** The middle of a FIFO's cell, 0 the front: the one deepest in the switch. */
  cellAt(input: number, cell: number): [number, number] {
    const { at, inward, depth } = this.meta.inputs[input], by = (depth - cell - 0.5) * this.cell[input];
    return [at[0] + inward[0] * by, at[1] + inward[1] * by];
  }
  /** The place where flits leave a FIFO. */
  front(input: number): [number, number] {
    const { at, inward, depth } = this.meta.inputs[input], by = depth * this.cell[input] + 1;
    return [at[0] + inward[0] * by, at[1] + inward[1] * by];
  }

  /** The thing at a place, at most `near` away. */
  hit(x: number, y: number, near: number): Hit | null {
    const { meta } = this;
    for (let k = 0; k < meta.inputs.length; k++) {
      if (!meta.inputs[k].exists) continue;
      const { at, inward, depth } = meta.inputs[k], [u, v] = [x - at[0], y - at[1]];
      const along = u * inward[0] + v * inward[1], across = Math.abs(u * inward[1] - v * inward[0]);
      if (along >= 0 && along <= depth * this.cell[k] && across <= this.width[k] / 2) {
        return { kind: "input", input: k, cell: depth - 1 - Math.min(depth - 1, Math.floor(along / this.cell[k])) };
      }
    }
    const node = meta.nodes.findIndex((n) => Math.min(Math.hypot(x - n.send[0], y - n.send[1]), Math.hypot(x - n.receive[0], y - n.receive[1])) <= n.radius);
    if (node >= 0) return { kind: "node", node };
    const inside = meta.switches.findIndex((s) => Math.abs(x - s.at[0]) <= s.size[0] / 2 && Math.abs(y - s.at[1]) <= s.size[1] / 2);
    if (inside >= 0) return { kind: "switch", switch: inside };
    let [best, apart] = [-1, near];
    const [tx, ty] = [Math.floor(x / this.tile), Math.floor(y / this.tile)];
    for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) for (const wire of this.grid.get(`${tx + i},${ty + j}`) ?? []) {
      const d = this.distance(wire, x, y);
      if (d < apart) [best, apart] = [wire, d];
    }
    if (best < 0) return null;
    return best < meta.outputs.length ? { kind: "link", output: best } : { kind: "injection", channel: best - meta.outputs.length };
  }

  private distance(wire: number, x: number, y: number): number {
    const points = this.wires[wire];
    let least = Infinity;
    for (let i = 2; i < points.length; i += 2) {
      const [px, py, dx, dy] = [points[i - 2], points[i - 1], points[i] - points[i - 2], points[i + 1] - points[i - 1]];
      const f = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / Math.max(dx * dx + dy * dy, 1e-9)));
      least = Math.min(least, Math.hypot(x - px - f * dx, y - py - f * dy));
    }
    return least;
  }
}
