// State that the parts of the page share: the runs, the clock, the selection.

import { Difference } from "./difference";
import { Heat } from "./heat";
import { Theme } from "./palette";
import { Player } from "./player";
import { Part } from "./reason";
import { Run, Selection } from "./selection";
import { Timeline } from "./timeline";
import { View } from "./view";

export interface Page {
  runs: Run[];
  views: View[];
  /** The first difference of two runs. */
  difference: Difference | null;
  /** The run that was chosen last: the panel is about it. */
  active: number;
  player: Player;
  timeline: Timeline;
  theme: Theme;
  alone: boolean;
  /** Shows a span and not one cycle. */
  heat: Heat | null;
  /** The part of the address that leads nowhere. */
  wrong: string;
  seek(t: number): void;
  select(selection: Selection, run?: number): void;
  /** Shows the selection, if it is out of sight. */
  reveal(selection: Selection): void;
  changed(): void;
}

import { el } from "./dom";

/** Parts of a text as nodes; clicks on them are found by `target`. */
export function nodes(parts: Part[]): Node[] {
  return parts.map((part) => (typeof part === "string" ? document.createTextNode(part) : link(part.text, part.to)));
}

const targets = new WeakMap<Element, () => void>();
let acts: Page | null = null;
export const acting = (page: Page): void => { acts = page; };

/** The run of the links that are being made. Without one, it is the run chosen last. */
let about: number | undefined;
export function inRun<T>(run: number, make: () => T): T {
  about = run;
  try { return make(); } finally { about = undefined; }
}

/** A text that chooses something, or goes to a cycle. */
export function link(text: string, to: Selection, t?: number): HTMLAnchorElement {
  return leads(el("a", { textContent: text, tabIndex: 0, role: "link" }), to, t);
}
/** Lets a click on an element choose something, or go to a cycle. */
export function leads<T extends Element>(made: T, to: Selection, t?: number): T {
  const run = about;
  targets.set(made, () => {
    if (!acts) return;
    if (t !== undefined) acts.seek(t);
    if (to) { acts.select(to, run); acts.reveal(to); }
  });
  return made;
}
/** Follows a link when it is pressed, because the panel is written anew while a run plays. */
export function follow(event: Event): void {
  let at = event.target instanceof Element ? event.target : null;
  while (at && !targets.has(at)) at = at.parentElement;
  const act = at ? targets.get(at) : undefined;
  if (act && (!(event instanceof KeyboardEvent) || event.key === "Enter")) { event.preventDefault(); act(); }
}

/** A cycle as time. */
export function nanoseconds(cycles: number, clock: number): string {
  const ns = cycles * clock;
  return ns >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` : ns >= 1e4 ? `${(ns / 1000).toFixed(2)} \u00b5s` : `${Math.round(ns * 100) / 100} ns`;
}
