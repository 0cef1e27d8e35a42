// The moment and the selection as the part of the address behind #: t=542&worm=7.

import { isSame } from "./difference";
import { Page } from "./page";
import { inputName, outputName } from "./reason";
import { Run, Selection } from "./selection";
import { Store } from "./store";

/** The selection, by kind and name. */
function named(store: Store, selection: Selection): [string, string | number] | null {
  const { meta } = store;
  switch (selection?.kind) {
    case "worm": return ["worm", selection.worm];
    case "switch": return ["switch", meta.switches[selection.switch]?.name];
    case "node": return ["node", meta.nodes[selection.node]?.name];
    case "link": return meta.outputs[selection.output] ? ["link", outputName(store, selection.output)] : null;
    case "input": return meta.inputs[selection.input] ? ["fifo", inputName(store, selection.input)] : null;
    default: return null;
  }
}

/** The same selection in another run: the same worm, or the thing in the same place with the same name. */
export function counterpart(store: Store, other: Store, selection: Selection): Selection {
  const [mine, theirs] = [store, other].map((of) => named(of, selection));
  if (!mine || !theirs || mine[1] !== theirs[1]) return null;
  if (selection?.kind !== "worm") return selection;
  const [worm, twin] = [store.worm(selection.worm), other.worm(selection.worm)];
  return worm && twin && isSame(worm, twin) ? selection : null;
}

export function written(t: number, run: Run, active: number): string {
  const chosen = named(run.store, run.selection);
  return `#t=${t}${chosen ? `&${chosen[0]}=${encodeURIComponent(chosen[1])}` : ""}${active ? `&run=${active + 1}` : ""}`;
}

/** Keys that change one name into another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
const nearest = (names: string[], asked: string): string => names.reduce((a, b) => (distance(b, asked) < distance(a, asked) ? b : a), names[0] ?? "");
const KINDS = ["worm", "switch", "node", "link", "fifo"] as const;
const KEYS = ["t", ...KINDS, "run"];

/** Things of a kind that can be chosen, by name. */
function choices(store: Store, kind: (typeof KINDS)[number]): [string, Selection][] {
  const { meta } = store;
  switch (kind) {
    case "worm": return meta.worms.map(({ id }) => [String(id), { kind: "worm", worm: id }]);
    case "switch": return meta.switches.map(({ name }, k) => [name, { kind: "switch", switch: k }]);
    case "node": return meta.nodes.map(({ name }, k) => [name, { kind: "node", node: k }]);
    case "link": return meta.outputs.flatMap((o, k): [string, Selection][] => (o.points.length ? [[outputName(store, k), { kind: "link", output: k }]] : []));
    case "fifo": return meta.inputs.flatMap((i, k): [string, Selection][] => (i.exists ? [[inputName(store, k), { kind: "input", input: k, cell: 0 }]] : []));
  }
}

/** Goes where an address leads, and names the parts of it that lead nowhere. */
export function follow(page: Page, hash: string): string {
  const asked = new URLSearchParams(hash.replace(/^#/, "")), wrong: string[] = [], runs = page.runs.length;
  /** A whole number from a to b. For another number the nearest, and a word about it. */
  const number = (key: string, a: number, b: number, what: string): number => {
    const text = asked.get(key) ?? "", value = /^\s*\d+\s*$/.test(text) ? Number(text) : NaN, near = Number.isNaN(value) ? a : Math.max(a, Math.min(b, value));
    if (near !== value) wrong.push(`${key}=${text} is no ${what}; allowed: ${a} to ${b}${Number.isNaN(value) ? "" : `; nearest: ${near}`}`);
    return near;
  };
  for (const key of asked.keys()) if (!KEYS.includes(key)) wrong.push(`${key} is nothing that an address takes; allowed: ${KEYS.join(", ")}; nearest: ${nearest(KEYS, key)}`);
  const run = asked.has("run") ? number("run", 1, runs, "run of this page") - 1 : 0;
  const { store } = page.runs[run], { meta } = store, [first, last] = [Math.min(...page.runs.map((r) => r.store.meta.from)), Math.max(...page.runs.map((r) => r.store.meta.until)) - 1];
  const before = wrong.length, t = asked.has("t") ? number("t", first, last, "cycle of this page") : NaN, isCycle = asked.has("t") && (wrong.length === before || /\d/.test(asked.get("t") ?? ""));
  if (isCycle) page.seek(t);
  let to: Selection = null;
  for (const kind of KINDS) {
    const name = asked.get(kind);
    if (name === null) continue;
    const all = choices(store, kind), found = all.find(([of]) => of === name);
    if (found) { to = found[1]; continue; }
    const ids = kind === "worm" ? meta.worms.map((w) => w.id) : [];
    const near = ids.length && /^\d+$/.test(name) ? ids.reduce((a, b) => (Math.abs(b - Number(name)) < Math.abs(a - Number(name)) ? b : a)) : nearest(all.map(([of]) => of), name);
    const allowed = ids.length ? `${Math.min(...ids)} to ${Math.max(...ids)}` : all.length ? `${all[0][0]} to ${all[all.length - 1][0]}` : "none";
    wrong.push(`${kind}=${name} is no ${kind} of this page; allowed: ${allowed}${all.length ? `; nearest: ${near}` : ""}`);
  }
  if (to) {
    page.select(to, run);
    if (!isCycle && to.kind === "worm") page.seek(Math.max(meta.from, store.worm(to.worm)?.created ?? meta.from));
  }
  return wrong.join(". ");
}
