// A network on three canvases. One has the still parts and is drawn again when the view moves. One
// has the parts that stay for a cycle, and one those that move.

import { Hit } from "./geometry";
import { Theme } from "./palette";
import { Frame } from "./frame";
import { Scene } from "./scene";
import { Run } from "./selection";
import { coordinates, drawStill } from "./still";

/** Pixels that are kept free around the network, above and below it. */
const MARGIN = 16, HEAD = 40, FOOT = 24;

export class View {
  readonly element = document.createElement("div");
  private readonly below = document.createElement("canvas");
  private readonly between = document.createElement("canvas");
  private readonly above = document.createElement("canvas");
  private readonly scene = new Scene();
  scale = 1;
  x = 0;
  y = 0;
  /** Pixels that are kept free above the network. */
  room = 0;
  private fitted = true;
  private stale = true;
  /** State of the canvas in the middle. */
  private settled = "";
  private ratio = 0;
  private width = 0;
  private height = 0;
  private drag: { x: number; y: number; far: boolean } | null = null;
  onpick: (hit: Hit | null) => void = () => {};
  onhover: (hit: Hit | null, x: number, y: number) => void = () => {};
  onmove: () => void = () => {};
  /** Called after the user has moved it. */
  onuser: () => void = () => {};
  /** Called when it has become blank. */
  onblank: () => void = () => {};

  constructor(public run: Run) {
    this.element.className = "view";
    this.element.append(this.below, this.between, this.above);
    for (const canvas of [this.below, this.between]) canvas.ariaHidden = "true";
    Object.assign(this.above, { tabIndex: 0, role: "img", ariaLabel: `Network of ${run.store.meta.title}: ${run.store.meta.network}. / searches what it shows, h j k l and + - move and zoom it.` });
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.above.addEventListener("pointerdown", (e) => {
      this.drag = { x: e.offsetX, y: e.offsetY, far: false };
      this.above.setPointerCapture(e.pointerId);
    });
    this.above.addEventListener("pointermove", (e) => this.moved(e));
    this.above.addEventListener("pointerup", (e) => {
      const drag = this.drag;
      this.drag = null;
      if (drag && !drag.far) this.onpick(this.hit(e.offsetX, e.offsetY));
    });
    this.above.addEventListener("pointerleave", () => this.onhover(null, 0, 0));
    this.above.addEventListener("dblclick", () => { this.fit(); this.onuser(); });
    this.above.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.offsetX, e.offsetY);
    }, { passive: false });
  }

  private moved(e: PointerEvent): void {
    const drag = this.drag;
    if (!drag) {
      this.onhover(this.hit(e.offsetX, e.offsetY), e.clientX, e.clientY);
      return;
    }
    const [dx, dy] = [e.offsetX - drag.x, e.offsetY - drag.y];
    if (!drag.far && Math.hypot(dx, dy) < 4) return;
    drag.far = true;
    [drag.x, drag.y] = [e.offsetX, e.offsetY];
    this.pan(dx, dy);
  }

  /** Moves the network so many pixels. */
  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.changed();
    this.onuser();
  }

  private hit(px: number, py: number): Hit | null {
    return this.run.geometry.hit((px - this.x) / this.scale, (py - this.y) / this.scale, 7 / this.scale);
  }

  changed(): void {
    this.stale = true;
    this.onmove();
  }

  /** Takes the size of its element. */
  resize(): void {
    if (this.width === this.element.clientWidth && this.height === this.element.clientHeight && this.ratio === devicePixelRatio) return;
    this.ratio = devicePixelRatio;
    const ratio = devicePixelRatio || 1;
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    this.settled = "";
    for (const canvas of [this.below, this.between, this.above]) {
      canvas.width = Math.max(1, Math.round(this.width * ratio));
      canvas.height = Math.max(1, Math.round(this.height * ratio));
    }
    if (this.fitted) this.fit();
    else this.changed();
    this.onblank();
  }

  /** The scale at which the whole network is seen. */
  private whole(): number {
    const { left, top, right, bottom } = this.run.geometry.bounds;
    return Math.max(0.01, Math.min((this.width - 2 * MARGIN) / (right - left), (this.height - 2 * MARGIN - HEAD - this.room - FOOT) / (bottom - top), 4));
  }

  /** Shows the whole network. */
  fit(): void {
    const { left, top, right, bottom } = this.run.geometry.bounds, head = HEAD + this.room, foot = FOOT;
    this.scale = this.whole();
    this.x = this.width / 2 - this.scale * (left + right) / 2;
    this.y = this.height / 2 + (head - foot) / 2 - this.scale * (top + bottom) / 2;
    this.fitted = true;
    this.changed();
  }

  /** Shows the same part of the network as another view does of its own. */
  like(other: View): void {
    if (other.fitted) { this.fit(); return; }
    const [mine, theirs] = [this.run.geometry.bounds, other.run.geometry.bounds];
    this.scale = other.scale * this.whole() / other.whole();
    const middle = (size: number, shift: number, low: number, high: number): number => ((size / 2 - shift) / other.scale - low) / (high - low);
    this.x = this.width / 2 - this.scale * (mine.left + middle(other.width, other.x, theirs.left, theirs.right) * (mine.right - mine.left));
    this.y = this.height / 2 - this.scale * (mine.top + middle(other.height, other.y, theirs.top, theirs.bottom) * (mine.bottom - mine.top));
    this.fitted = false;
    this.changed();
  }

  /** Zooms around a place on the screen, by default the middle. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const scale = Math.max(0.02, Math.min(60, this.scale * factor));
    this.x = px - (px - this.x) * scale / this.scale;
    this.y = py - (py - this.y) * scale / this.scale;
    this.scale = scale;
    this.fitted = false;
    this.changed();
    this.onuser();
  }

  /** Brings a place into view by the shortest way, if it is not there. */
  reveal(x: number, y: number): void {
    if (this.fitted) return;
    const by = (p: number, size: number): number => Math.max(40, Math.min(size - 40, p)) - p;
    const [dx, dy] = [by(x * this.scale + this.x, this.width), by(y * this.scale + this.y, this.height)];
    if (dx || dy) this.pan(dx, dy);
  }

  box(): Frame["view"] {
    return { left: -this.x / this.scale, top: -this.y / this.scale, right: (this.width - this.x) / this.scale, bottom: (this.height - this.y) / this.scale };
  }

  /** Draws a moment; whether it pulses. */
  draw(theme: Theme, frame: Pick<Frame, "phase" | "moving" | "flows" | "pulse" | "alone" | "heat" | "run">): boolean {
    const ratio = devicePixelRatio || 1;
    const [below, between, above] = [this.below, this.between, this.above].map((canvas) => canvas.getContext("2d"));
    if (!below || !between || !above) return false;
    if (this.stale) {
      below.setTransform(1, 0, 0, 1, 0, 0);
      below.fillStyle = theme.ground;
      below.fillRect(0, 0, this.below.width, this.below.height);
      below.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
      drawStill(below, this.run.geometry, theme, this.scale);
      this.stale = false;
    }
    const whole = { ...frame, scale: this.scale, view: this.box() };
    const clear = (pen: CanvasRenderingContext2D): void => {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, this.above.width, this.above.height);
      pen.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
    };
    const { heat } = frame;
    const settled = [heat ? [heat.by, heat.from, heat.until].join() : this.run.store.t, this.x, this.y, this.scale, frame.alone, theme.ground, JSON.stringify(this.run.selection)].join();
    if (settled !== this.settled) {
      this.settled = settled;
      clear(between);
      this.scene.settled(between, this.run, theme, whole);
      // The numbers stand below the names and buttons of the page.
      coordinates(between, this.run.geometry, theme, this.scale, { ...whole.view, top: whole.view.top + (HEAD + this.room - 8) / this.scale });
    }
    clear(above);
    this.scene.moving(above, this.run, theme, whole);
    return this.scene.pulses;
  }
}
