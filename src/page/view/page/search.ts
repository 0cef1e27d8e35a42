// Search for worms, nodes, switches, links and encodings.

import { byId, el } from "./dom";
import { knot } from "./jumps";
import { Page } from "./page";
import { inputName, outputName } from "./reason";
import { Selection } from "./selection";
import { Store } from "./store";

interface Found { text: string; to: Selection; t?: number }
const MOST = 40;

export function find(store: Store, asked: string): Found[] {
  const { meta } = store, text = asked.trim().toLowerCase(), found: Found[] = [];
  if (!text) return found;
  const worm = /^(?:worm|w)?\s*(\d+)$/.exec(text), multicast = /^multicast\s*(\d+)$/.exec(text);
  const add = (entry: Found): void => { if (found.length < MOST) found.push(entry); };
  const described = (w: Store["meta"]["worms"][number]): Found => ({ to: { kind: "worm", worm: w.id }, t: Math.min(meta.until - 1, Math.max(meta.from, w.created)),
    text: `worm ${w.id}: ${meta.nodes[w.source]?.name} to ${w.to.length > 1 ? `${w.to.length} nodes` : meta.nodes[w.to[0]]?.name}, ${meta.encodings[w.encoding]}, cycle ${w.created}` });
  if (worm) {
    const exact = store.worm(Number(worm[1]));
    if (exact) add(described(exact));
  }
  if (multicast) {
    // The number 7 means worm 7 if that is a multicast. It also means the seventh multicast, as
    // --follow multicast:7 counts them.
    const n = Number(multicast[1]), all = meta.worms.filter((w) => w.to.length > 1), exact = all.find((w) => w.id === n), nth = all[n - 1];
    if (exact) add(described(exact));
    if (nth && nth !== exact) add({ ...described(nth), text: `multicast ${n} in order: ${described(nth).text}` });
  }
  const stuck = knot(store);
  if ("deadlock".startsWith(text) && text.length > 2 && meta.deadlock && stuck) add({ text: `deadlock, final at ${meta.deadlock.cycle}`, ...stuck });
  if ("failures".startsWith(text) && text.length > 2) for (const { cycle, worm, text: why } of meta.failures) {
    if (cycle !== null) add({ text: `failure at ${cycle}: ${why}`, to: worm === null ? null : { kind: "worm", worm }, t: cycle });
  }
  const node = text.replace(/^node\s*/, "n");
  meta.nodes.forEach((n, k) => { if (n.name.toLowerCase() === node) add({ text: `node ${n.name}`, to: { kind: "node", node: k } }); });
  const plain = text.replace(/^(?:switch|link|fifo)\s+/, "");
  meta.switches.forEach((s, k) => { if (s.name.toLowerCase().includes(plain)) add({ text: `switch ${s.name}`, to: { kind: "switch", switch: k } }); });
  if (plain.includes("in") || plain.includes("out")) {
    meta.outputs.forEach((o, k) => { if (o.points.length && outputName(store, k).toLowerCase().includes(plain)) add({ text: `link ${outputName(store, k)}`, to: { kind: "link", output: k } }); });
    meta.inputs.forEach((i, k) => { if (i.exists && inputName(store, k).toLowerCase().includes(plain)) add({ text: `FIFO ${inputName(store, k)}`, to: { kind: "input", input: k, cell: 0 } }); });
  }
  if (text.length > 2) {
    const encodings = meta.encodings.map((e, k) => (e.includes(text.replace(/[ -]/g, "_")) ? k : -1));
    for (const w of meta.worms) if (encodings.includes(w.encoding)) add(described(w));
    if ("multicast".startsWith(text)) for (const w of meta.worms) if (w.to.length > 1) add(described(w));
  }
  if (/^n\d+$/.test(node)) {
    const k = meta.nodes.findIndex((n) => n.name.toLowerCase() === node);
    for (const w of meta.worms) if (k >= 0 && (w.source === k || w.to.includes(k))) add(described(w));
  }
  return found;
}

export class Search {
  private readonly input = byId<HTMLInputElement>("search");
  private readonly list = byId("found");
  private found: Found[] = [];
  private at = 0;

  constructor(private readonly page: Page) {
    this.input.addEventListener("input", () => this.write());
    this.input.addEventListener("focus", () => this.write());
    this.input.addEventListener("blur", () => { this.list.hidden = true; this.input.ariaExpanded = "false"; });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "ArrowDown" || e.key === "ArrowUp") {
        this.at = Math.max(0, Math.min(this.found.length - 1, this.at + (e.key === "ArrowDown" ? 1 : -1)));
        this.mark();
        e.preventDefault();
      } else if (e.key === "Enter") this.take(this.at);
      else if (e.key === "Escape") { this.input.value = ""; this.input.blur(); }
      e.stopPropagation();
    });
  }
  focus(): void {
    this.input.focus();
    this.input.select();
  }
  private write(): void {
    this.found = find(this.page.runs[this.page.active].store, this.input.value);
    this.at = 0;
    const items = this.found.map((entry, i) => {
      const item = el("li", { textContent: entry.text });
      item.addEventListener("pointerdown", (e) => { e.preventDefault(); this.take(i); });
      return item;
    });
    this.list.replaceChildren(...(items.length ? items : [el("li", { className: "none", textContent: "nothing found; it takes worm 7, multicast 7 (worm 7, or the 7th multicast), n3, a switch, a link, a FIFO, an encoding" })]));
    this.list.hidden = !this.input.value.trim();
    this.input.ariaExpanded = String(!this.list.hidden);
    this.mark();
  }
  private mark(): void {
    [...this.list.children].forEach((item, i) => {
      item.id = `found${i}`;
      item.role = "option";
      item.ariaSelected = String(i === this.at && this.found.length > 0);
    });
    this.input.setAttribute("aria-activedescendant", this.list.hidden ? "" : `found${this.at}`);
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }
  private take(i: number): void {
    const entry = this.found[i];
    if (!entry) return;
    this.page.player.pause();
    if (entry.t !== undefined) this.page.seek(entry.t);
    this.page.select(entry.to);
    this.page.reveal(entry.to);
    byId("panel").focus({ preventScroll: true });
  }
}
