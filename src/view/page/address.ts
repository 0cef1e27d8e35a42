// The moment and what is chosen as the part of the address behind #: t=542&worm=7.

import { isSame } from "./difference";
import { Page } from "./page";
import { inputName, outputName } from "./reason";
import { Run, Selection } from "./selection";
import { Store } from "./store";

/** What is chosen, by kind and name. */
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

/** The same in another run: the same worm, or what stands in the same place under the same name. */
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

/** Goes where an address leads; whether it leads anywhere. */
export function follow(page: Page, hash: string): boolean {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const run = Math.max(0, Math.min(page.runs.length, Number(asked.get("run") ?? 1)) - 1);
  const { store } = page.runs[run], { meta } = store;
  const t = asked.has("t") ? Number(asked.get("t")) : NaN;
  if (Number.isFinite(t)) page.seek(t);
  let to: Selection = null;
  const index = (k: number, make: (k: number) => Selection): void => { if (k >= 0) to = make(k); };
  if (asked.has("worm")) { const worm = Number(asked.get("worm")); if (store.worm(worm)) to = { kind: "worm", worm }; }
  if (asked.has("switch")) index(meta.switches.findIndex((s) => s.name === asked.get("switch")), (k) => ({ kind: "switch", switch: k }));
  if (asked.has("node")) index(meta.nodes.findIndex((n) => n.name === asked.get("node")), (k) => ({ kind: "node", node: k }));
  if (asked.has("link")) index(meta.outputs.findIndex((o, k) => o.points.length > 0 && outputName(store, k) === asked.get("link")), (k) => ({ kind: "link", output: k }));
  if (asked.has("fifo")) index(meta.inputs.findIndex((i, k) => i.exists && inputName(store, k) === asked.get("fifo")), (k) => ({ kind: "input", input: k, cell: 0 }));
  if (to) {
    page.select(to, run);
    if (!Number.isFinite(t) && asked.has("worm")) page.seek(Math.max(meta.from, store.worm(Number(asked.get("worm")))?.created ?? meta.from));
  }
  return Number.isFinite(t) || to !== null;
}
