// Two runs in the panel: their first difference, and each worm's latency in both.

import { latencies } from "./difference";
import { el, table } from "./dom";
import { chip } from "./details";
import { inRun, leads, link, Page } from "./page";

/** Most worms in the table. */
const MOST = 200, MOST_LINES = 6;

export function compared(page: Page): Node[] {
  const { difference, runs } = page, worms = latencies(runs[0].store, runs[1].store);
  const differ = worms.filter(({ cycles: [a, b] }) => a !== b).length;
  const lines = difference?.all.slice(0, MOST_LINES).map(({ text, to, run }) => el("li", {}, inRun(run, () => link(text, to, difference.t)))) ?? [];
  const more = (difference?.all.length ?? 0) - lines.length;
  const told = (cycles: number | null): string => (cycles === null ? "not arrived" : String(cycles));
  const rows = worms.slice(0, MOST).map(({ worm, cycles: [a, b] }) => [el("span", {}, chip(page, worm), link(`worm ${worm}`, { kind: "worm", worm })), told(a), told(b),
    a === null || b === null ? "" : a === b ? "0" : `${b > a ? "+" : "\u2212"}${Math.abs(b - a)}`]);
  const made = table(["worm", "A", "B", "B \u2212 A"], rows, [1, 2, 3]);
  made.querySelectorAll("tbody tr").forEach((row, k) => leads(row, { kind: "worm", worm: worms[k].worm }, worms[k].created));
  const scroll = el("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Latencies in both runs" }, made);
  const first = difference ? [el("p", {}, "They differ first in ", link(`cycle ${difference.t}`, null, difference.t), ":"), el("ul", {}, ...lines, more > 0 && el("li", { className: "faint" }, `and ${more} more in that cycle`))]
    : [el("p", {}, "Nothing differs in the cycles of both.")];
  return [el("h2", {}, "A and B"), ...first, el("h3", {}, `Latency in cycles: ${differ} of ${worms.length} worms differ${worms.length > MOST ? `, here the ${MOST} that differ most` : ""}`), scroll];
}
