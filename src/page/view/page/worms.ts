// Worms by time: a lane for each worm on the axis of the time line, coloured by the causes of its
// cycles.

import { MOVES } from "./account";
import { el } from "./dom";
import { FONT } from "./frame";
import { Page } from "./page";
import { causeColour, wormColour } from "./palette";
import { Store } from "./store";

const ROW = 15;
/** Keys by which worms are sorted. */
const ORDERS = ["creation", "cycles waited", "latency", "class", "source"] as const;
type Order = (typeof ORDERS)[number];

/** A worm of a run: its last cycle so far, and the cycles it waited. */
interface Lane { run: number; k: number; until: number; waited: number }

export class WormLanes {
  readonly element = el("section", { id: "worms", hidden: true });
  private readonly canvas = el("canvas", { className: "scroll", tabIndex: 0, ariaLabel: "Worms by time: up and down choose a worm" });
  private readonly order = el("select", { ariaLabel: "Order of the worms" }, ...ORDERS.map((order) => new Option(order, order)));
  private readonly many = el("input", { type: "checkbox" });
  private readonly told = el("span", { className: "faint" });
  private readonly key = el("span", { className: "causes" });
  /** The theme in which the key was drawn, and the worm that was brought into sight. */
  private keyed = "";
  private sought = "";
  private readonly all: Lane[];
  private shown: Lane[] = [];
  /** The values from which the list was made. */
  private made = "";
  private top = 0;
  private hovered = -1;

  constructor(private readonly page: Page) {
    this.all = page.runs.flatMap(({ store }, run) => store.meta.worms.map((_, k) => lane(store, run, k)));
    this.element.append(el("p", {}, el("label", {}, "worms by ", this.order), el("label", {}, this.many, " multicasts only"), this.told, this.key), this.canvas);
    this.canvas.setAttribute("role", "application");
    this.order.onchange = this.many.onchange = () => { this.top = 0; page.changed(); };
    this.canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.scroll(e.deltaY); }, { passive: false });
    this.canvas.addEventListener("pointerdown", (e) => {
      const at = this.shown[Math.floor((this.top + e.offsetY) / ROW)];
      if (at) this.choose(at, e.offsetX >= page.timeline.place(page.timeline.from) ? page.timeline.cycleAt(e.offsetX) : null);
    });
    this.canvas.addEventListener("pointermove", (e) => { this.hovered = Math.floor((this.top + e.offsetY) / ROW); this.canvas.title = this.words(); });
    this.canvas.addEventListener("keydown", (e) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[e.key];
      if (!by || !this.shown.length) return;
      e.preventDefault();
      e.stopPropagation();
      const { selection } = page.runs[page.active];
      const now = selection?.kind === "worm" ? this.shown.findIndex((of) => of.run === page.active && this.id(of) === selection.worm) : -1;
      const next = Math.max(0, Math.min(this.shown.length - 1, now < 0 ? 0 : now + by));
      this.choose(this.shown[next], null);
      this.top = Math.max(Math.min(this.top, next * ROW), (next + 1) * ROW - this.canvas.clientHeight);
    });
    new ResizeObserver(() => page.changed()).observe(this.canvas);
  }

  /** The worms in the order of their lanes. */
  worms(): number[] {
    this.list();
    return this.shown.map((of) => this.id(of));
  }
  private id({ run, k }: Lane): number { return this.page.runs[run].store.meta.worms[k].id; }

  private choose(of: Lane, t: number | null): void {
    this.page.player.pause();
    if (t !== null) this.page.seek(t);
    this.page.select({ kind: "worm", worm: this.id(of) }, of.run);
    this.page.reveal({ kind: "worm", worm: this.id(of) });
  }

  private scroll(by: number): void {
    this.top = Math.max(0, Math.min(this.shown.length * ROW - this.canvas.clientHeight, this.top + by));
    this.page.changed();
  }

  /** The worm under the pointer, in words. */
  private words(): string {
    const of = this.shown[this.hovered];
    if (!of) return "";
    const { meta } = this.page.runs[of.run].store, worm = meta.worms[of.k];
    return `worm ${worm.id}: ${meta.nodes[worm.source].name} to ${worm.to.length > 1 ? `${worm.to.length} nodes` : meta.nodes[worm.to[0]].name}, created ${worm.created}, ${of.until - worm.created} cycles, ${of.waited} of them waiting`;
  }

  /** The worms that are there in the span, in order. */
  private list(): void {
    const { timeline, runs } = this.page, { from, until } = timeline.brush ?? timeline;
    const key = `${from} ${until} ${this.order.value} ${this.many.checked}`;
    if (key === this.made) return;
    this.made = key;
    const worm = ({ run, k }: Lane): Store["meta"]["worms"][number] => runs[run].store.meta.worms[k];
    const value: Record<Order, (of: Lane) => number> = { creation: () => 0, "cycles waited": (of) => -of.waited, latency: (of) => worm(of).created - of.until, class: (of) => worm(of).class, source: (of) => worm(of).source };
    const by = value[this.order.value as Order];
    this.shown = this.all.filter((of) => worm(of).created < until && of.until > from && (!this.many.checked || worm(of).to.length > 1))
      .sort((a, b) => by(a) - by(b) || worm(a).created - worm(b).created || a.k - b.k || a.run - b.run);
    this.told.textContent = ` ${this.shown.length} of ${this.all.length} worms appear in cycles ${Math.floor(from)} to ${Math.ceil(until) - 1}`;
  }

  draw(): void {
    if (this.element.hidden) return;
    this.list();
    this.seek();
    const { canvas, page } = this, { theme, timeline } = page, pen = canvas.getContext("2d");
    if (!pen) return;
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.top = Math.max(0, Math.min(this.top, this.shown.length * ROW - height));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = theme.panel;
    pen.fillRect(0, 0, width, height);
    const left = timeline.edge, span = timeline.until - timeline.from, x = (t: number): number => left + (t - timeline.from) / span * (width - left);
    const last = Math.min(this.shown.length, Math.ceil((this.top + height) / ROW));
    for (let row = Math.floor(this.top / ROW); row < last; row++) this.row(pen, this.shown[row], row * ROW - this.top, left, width, x);
    pen.fillStyle = theme.select;
    const now = x(page.player.t + 0.5);
    if (now >= left) pen.fillRect(now - 0.5, 0, 1, height);
    // Height of the list.
    const length = this.shown.length * ROW;
    if (length > height) { pen.fillStyle = theme.faint; pen.fillRect(width - 4, this.top / length * height, 3, Math.max(12, height * height / length)); }
  }

  /** Brings a worm into sight that was chosen elsewhere, and keeps the key in the theme. */
  private seek(): void {
    const { page } = this, { selection } = page.runs[page.active], chosen = `${page.active} ${selection?.kind === "worm" ? selection.worm : ""} ${this.made}`;
    if (chosen !== this.sought) {
      this.sought = chosen;
      const row = this.shown.findIndex((of) => of.run === page.active && selection?.kind === "worm" && this.id(of) === selection.worm), height = this.canvas.clientHeight;
      if (row >= 0 && (row * ROW < this.top || (row + 1) * ROW > this.top + height)) this.top = row * ROW - height / 2;
    }
    if (this.keyed === page.theme.ground) return;
    this.keyed = page.theme.ground;
    const { meta, accounts } = page.runs[0].store, there = new Set(accounts.flatMap((all) => all.map((of) => of.cause)));
    this.key.replaceChildren(...[...there].sort((a, b) => a - b).map((cause) => {
      const chip = el("span", { className: "chip" });
      chip.style.background = causeColour(page.theme, cause);
      return el("span", {}, chip, `${meta.causes[cause]} `);
    }));
  }

  private row(pen: CanvasRenderingContext2D, of: Lane, y: number, left: number, width: number, x: (t: number) => number): void {
    const { page } = this, { theme } = page, { store } = page.runs[of.run], worm = store.meta.worms[of.k], { selection } = page.runs[of.run];
    const chosen = selection?.kind === "worm" && selection.worm === worm.id;
    if (chosen) { pen.fillStyle = theme.cell; pen.fillRect(0, y, width, ROW); }
    for (const stretch of store.accounts[of.k]) {
      const a = Math.max(left, x(stretch.from)), b = Math.min(width, x(stretch.until));
      if (b <= a) continue;
      pen.fillStyle = causeColour(theme, stretch.cause);
      const thick = stretch.cause === MOVES ? 5 : ROW - 4;
      pen.fillRect(a, y + (ROW - thick) / 2, Math.max(0.6, b - a - (b - a > 3 ? 0.5 : 0)), thick);
    }
    // Ticks in the colour of the text show arrivals.
    pen.fillStyle = theme.ink;
    for (const [, , , tail] of worm.delivered) if (x(tail) >= left) pen.fillRect(x(tail) - 0.75, y + 1, 1.5, ROW - 2);
    pen.fillStyle = theme.panel;
    pen.fillRect(0, y, left, ROW);
    pen.fillStyle = chosen ? theme.ink : theme.faint;
    pen.font = `${chosen ? "bold " : ""}10px ${FONT}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const name = this.page.runs.length > 1 ? `${"AB"[of.run]} ` : "";
    pen.fillText(`${name}worm ${worm.id}${worm.to.length > 1 ? ` \u2192 ${worm.to.length}` : ""}`, left - 18, y + ROW / 2);
    pen.fillStyle = wormColour(theme, worm.id);
    pen.fillRect(left - 14, y + 4, 8, ROW - 8);
  }

  toggle(): void {
    this.element.hidden = !this.element.hidden;
    this.page.changed();
  }
}

function lane(store: Store, run: number, k: number): Lane {
  const worm = store.meta.worms[k], stretches = store.accounts[k], until = stretches.length ? stretches[stretches.length - 1].until : store.ended[k];
  return { run, k, until: Math.max(until, worm.created + 1), waited: stretches.reduce((sum, of) => sum + (of.cause === MOVES ? 0 : of.until - of.from), 0) };
}
