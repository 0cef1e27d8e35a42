// The band below: load, blocked lanes, worms under way and events over the cycles. It shows the
// current cycle, and a click goes to another.

import { FONT } from "./frame";
import { Theme } from "./palette";
import { Store } from "./store";

const NAMES = `10px ${FONT}`;
/** Room between the edge, the names of the curves, and the curves. */
const ROOM = 10;

/** The largest value of each curve of a run, and the names of the curves. */
class Curves {
  readonly crossing: number;
  readonly underWay: number;
  readonly blocked: number;
  readonly labels: [string, string, string, string];
  constructor(readonly store: Store, name: string) {
    const { meta } = store, most = (values: Uint32Array): number => values.reduce((a, b) => Math.max(a, b), 0);
    [this.crossing, this.underWay, this.blocked] = [most(store.crossing), most(store.underWay), most(store.blocked)];
    const isMarked = meta.deadlock !== null || meta.failures.length > 0 || meta.worms.some((w) => w.to.length > 1);
    this.labels = [`${name}flits crossing, \u2264 ${this.crossing}`, `worms under way, \u2264 ${this.underWay}`,
      `lanes waiting, \u2264 ${this.blocked}`, isMarked ? "multicasts, events" : ""];
  }
}

export class Timeline {
  readonly canvas = document.createElement("canvas");
  /** Cycles shown. */
  from: number;
  until: number;
  readonly first: number;
  readonly last: number;
  /** The span that is brushed, while drags do so. */
  brush: { from: number; until: number } | null = null;
  onbrush: (from: number, until: number) => void = () => {};
  onseek: (t: number) => void = () => {};
  onchange: () => void = () => {};
  private still: HTMLCanvasElement | null = null;
  private readonly curves: Curves[];
  /** Width of the names of the curves, in the font in which they are drawn. */
  private gutter = 0;

  constructor(stores: Store[]) {
    this.curves = stores.map((store, k) => new Curves(store, stores.length > 1 ? `${"AB"[k]} ` : ""));
    this.first = this.from = Math.min(...stores.map((s) => s.meta.from));
    this.last = this.until = Math.max(...stores.map((s) => s.meta.until), this.first + 1);
    this.canvas.className = "band";
    Object.assign(this.canvas, { role: "slider", tabIndex: 0, ariaLabel: "Cycle", ariaValueMin: String(this.first), ariaValueMax: String(this.last - 1), ariaValueNow: String(this.first) });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    let down = false, pan: number | null = null, first: { x: number; t: number } | null = null;
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      if (e.shiftKey || e.button === 1) pan = e.offsetX;
      else if (this.brush) first = { x: e.offsetX, t: this.cycle(e.offsetX) };
      else { down = true; this.onseek(this.cycle(e.offsetX)); }
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (down) this.onseek(this.cycle(e.offsetX));
      if (first && Math.abs(e.offsetX - first.x) > 3) {
        const t = this.cycle(e.offsetX);
        this.onbrush(Math.min(t, first.t), Math.max(t, first.t) + 1);
      }
      if (pan !== null) {
        this.pan((pan - e.offsetX) / this.wide() * (this.until - this.from));
        pan = e.offsetX;
      }
    });
    this.canvas.addEventListener("pointerup", (e) => {
      if (first && Math.abs(e.offsetX - first.x) <= 3) this.onseek(first.t);
      down = false;
      pan = first = null;
    });
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan((e.deltaX || e.deltaY) / this.wide() * (this.until - this.from));
      else this.zoom(Math.exp(e.deltaY * 0.0016), this.at(e.offsetX));
    }, { passive: false });
  }

  /** Makes room for the names of the curves. */
  private measure(): void {
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.font = NAMES;
    this.gutter = Math.ceil(Math.max(...this.curves.flatMap(({ labels }) => labels).map((label) => pen.measureText(label).width))) + 2 * ROOM;
  }
  private at(x: number): number {
    return this.from + (x - this.gutter) / this.wide() * (this.until - this.from);
  }
  private wide(): number {
    return Math.max(1, this.canvas.clientWidth - this.gutter);
  }
  /** Place where the curves begin. */
  get edge(): number {
    return this.gutter;
  }
  /** The cycle at a place. */
  cycleAt(x: number): number {
    return this.cycle(x);
  }
  /** Place of the middle of a cycle. */
  place(t: number): number {
    return this.gutter + (t + 0.5 - this.from) / (this.until - this.from) * this.wide();
  }
  private cycle(x: number): number {
    return Math.max(this.first, Math.min(this.last - 1, Math.floor(this.at(x))));
  }
  zoom(factor: number, around: number): void {
    const span = Math.max(10, Math.min(this.last - this.first, (this.until - this.from) * factor));
    this.from = around - (around - this.from) * span / (this.until - this.from);
    this.until = this.from + span;
    this.pan(0);
  }
  /** Moves by a part of the visible span. */
  shift(part: number): void {
    this.pan(part * (this.until - this.from));
  }
  private pan(by: number): void {
    const span = this.until - this.from;
    this.from = Math.max(this.first, Math.min(this.last - span, this.from + by));
    this.until = this.from + span;
    this.stale();
  }
  /** Keeps a cycle in sight. */
  follow(t: number): void {
    const span = this.until - this.from;
    if (t < this.from || t >= this.until) this.pan(t - this.from - 0.1 * span);
  }
  stale(): void {
    this.still = null;
    this.onchange();
  }
  resize(): void {
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.measure();
    this.stale();
  }

  draw(theme: Theme, time: number): void {
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    const ratio = devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!this.still) {
      this.still = document.createElement("canvas");
      [this.still.width, this.still.height] = [this.canvas.width, this.canvas.height];
      const below = this.still.getContext("2d");
      if (below) {
        below.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.band(below, theme, width, height);
      }
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = this.gutter + (time - this.from) / (this.until - this.from) * this.wide(), one = Math.max(1.5, this.wide() / (this.until - this.from));
    if (this.brush) {
      const [a, b] = [this.brush.from, this.brush.until].map((t) => this.gutter + (t - this.from) / (this.until - this.from) * this.wide());
      pen.fillStyle = theme.ground;
      pen.globalAlpha = 0.6;
      // The cycles outside the brushed span are faint.
      pen.fillRect(this.gutter, 0, Math.max(0, a - this.gutter), height);
      pen.fillRect(b, 0, width - b, height);
    }
    pen.fillStyle = theme.select;
    pen.globalAlpha = 0.14;
    pen.fillRect(x, 0, one, height);
    pen.globalAlpha = 1;
    pen.fillRect(x - 0.75, 0, 1.5, height);
    pen.beginPath();
    pen.moveTo(x - 5, 0); pen.lineTo(x + 5, 0); pen.lineTo(x, 7);
    pen.fill();
    this.canvas.ariaValueNow = String(Math.floor(time));
  }

  private band(pen: CanvasRenderingContext2D, theme: Theme, width: number, height: number): void {
    pen.fillStyle = theme.panel;
    pen.fillRect(0, 0, width, height);
    this.ruler(pen, theme, height);
    const top = 18, each = (height - top) / this.curves.length;
    this.curves.forEach((curves, k) => this.row(pen, theme, curves, width, top + k * each, each));
  }

  private ruler(pen: CanvasRenderingContext2D, theme: Theme, height: number): void {
    const span = this.until - this.from, rough = span / Math.max(2, this.wide() / 90), ten = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const step = [1, 2, 5, 10].map((f) => f * ten).find((s) => s >= rough) ?? 10 * ten;
    pen.font = `11px ${FONT}`;
    pen.textAlign = "left";
    pen.textBaseline = "top";
    for (let t = Math.ceil(this.from / step) * step; t < this.until; t += step) {
      const x = this.gutter + (t - this.from) / span * this.wide();
      pen.fillStyle = theme.line;
      pen.fillRect(x, 0, 1, height);
      pen.fillStyle = theme.faint;
      pen.fillText(t.toLocaleString("en").replace(/,/g, "\u202f"), x + 3, 3);
    }
  }

  private row(pen: CanvasRenderingContext2D, theme: Theme, curves: Curves, width: number, top: number, height: number): void {
    const { store } = curves, { meta } = store, span = this.until - this.from, events = 13, plot = height - events - 4, base = top + plot * 0.62;
    const columns = Math.max(1, Math.floor(this.wide()));
    const [most, lively, worst] = [curves.crossing, curves.underWay, curves.blocked].map((value) => Math.max(1, value));
    // A column has its largest value, so that no short peak is lost. Load has the mean.
    const at = (values: Uint32Array, x: number, mean: boolean): number => {
      const a = Math.max(0, Math.floor(this.from + x / columns * span) - meta.from);
      const b = Math.min(meta.until - meta.from, Math.max(a + 1, Math.floor(this.from + (x + 1) / columns * span) - meta.from));
      let [sum, found] = [0, 0];
      for (let i = a; i < b; i++) { sum += values[i]; if (values[i] > found) found = values[i]; }
      return b <= a ? 0 : mean ? sum / (b - a) : found;
    };
    pen.fillStyle = theme.load;
    for (let x = 0; x < columns; x++) {
      const h = at(store.crossing, x, true) / most * (base - top - 2);
      if (h > 0) pen.fillRect(this.gutter + x, base - h, 1, h);
    }
    pen.fillStyle = theme.blocked;
    for (let x = 0; x < columns; x++) {
      const h = at(store.blocked, x, false) / worst * (top + plot - base - 1);
      if (h > 0) pen.fillRect(this.gutter + x, base + 1, 1, Math.max(1, h));
    }
    pen.strokeStyle = theme.ink;
    pen.globalAlpha = 0.65;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = 0; x < columns; x++) {
      const y = base - at(store.underWay, x, false) / lively * (base - top - 2);
      if (x) pen.lineTo(this.gutter + x, y); else pen.moveTo(this.gutter, y);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    pen.fillStyle = theme.line;
    pen.fillRect(this.gutter, base, width, 1);
    const mark = (t: number): number => this.gutter + (t + 0.5 - this.from) / span * this.wide();
    const y = top + height - events / 2 - 1;
    pen.fillStyle = theme.faint;
    // Ticks show the creation of multicasts, at most one a pixel.
    let before = -9;
    for (const worm of meta.worms) {
      const x = mark(worm.created);
      if (worm.to.length < 2 || x - before < 1 || x < this.gutter) continue;
      pen.fillRect(x - 0.5, y - 4, 1, 8);
      before = x;
    }
    let free = 0;
    for (const [t, text, colour] of this.events(store, theme).sort((a, b) => a[0] - b[0])) {
      // Events after the last cycle stand at the edge.
      const x = Math.min(mark(t), width - 1);
      pen.fillStyle = colour;
      pen.fillRect(x - 0.75, top, 1.5, height - 2);
      pen.font = `bold ${NAMES}`;
      pen.textBaseline = "middle";
      pen.textAlign = "left";
      const wide = pen.measureText(text).width, left = x > width - 90 ? x - 4 - wide : x + 4;
      if (left < free) continue;
      free = left + wide + 4;
      pen.fillText(text, left, y);
    }
    pen.fillStyle = theme.panel;
    pen.fillRect(0, top, this.gutter - 1, height);
    pen.font = NAMES;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const places: [string, number][] = [[theme.load, top + 9], [theme.ink, top + 23], [theme.blocked, base + (top + plot - base) / 2], [theme.faint, y]];
    places.forEach(([colour, at], k) => {
      pen.fillStyle = colour;
      pen.fillText(curves.labels[k], this.gutter - ROOM, at);
    });
  }

  private events(store: Store, theme: Theme): [number, string, string][] {
    const { meta } = store;
    const events: [number, string, string][] = meta.failures.flatMap((f) => (f.cycle === null ? [] : [[f.cycle, "failure", theme.blocked]] as [number, string, string][])).slice(0, 40);
    if (meta.deadlock) events.push([meta.deadlock.cycle, "deadlock final", theme.blocked], [meta.deadlock.detected, "detected", theme.blocked]);
    return events.filter(([t]) => t >= this.from && t <= this.until);
  }
}
