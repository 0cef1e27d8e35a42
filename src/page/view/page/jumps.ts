// Moments that are worth a look.

import { byId, el } from "./dom";
import { BLOCKED } from "./format";
import { Page } from "./page";
import { Selection } from "./selection";
import { Store } from "./store";

export interface Moment { name: string; title: string; t: number; to: Selection; run?: number }

/** The first failure whose cycle is known. It is the begin of the wait that made its worm late, if the page has that cycle. */
function failure(store: Store): Moment | null {
  const { from, until, failures } = store.meta, shown = (t: number | null): t is number => t !== null && t >= from && t < until;
  const known = failures.flatMap((of) => (shown(of.cycle) ? [{ ...of, cycle: of.cycle }] : []));
  if (!known.length) return null;
  const { cycle, since, worm } = known.reduce((a, b) => (b.cycle < a.cycle ? b : a));
  const title = shown(since) ? `Where the wait began that led to the first failure, in cycle ${cycle}` : "Where something is not as the testbench expects";
  return { name: "First failure", title, t: shown(since) ? since : cycle, to: worm === null ? null : { kind: "worm", worm } };
}

/** The cycle in which a deadlock is final, and its first worm. A page that begins later shows it from its first cycle on. */
export function knot({ meta }: Store): { t: number; to: Selection } | null {
  if (!meta.deadlock || meta.deadlock.cycle >= meta.until) return null;
  const [entry] = meta.deadlock.circle;
  return { t: Math.max(meta.from, meta.deadlock.cycle), to: entry ? { kind: "worm", worm: entry.worm } : null };
}

export function moments(store: Store): Moment[] {
  const { meta } = store, found: Moment[] = [];
  const worm = (id: number): Selection => ({ kind: "worm", worm: id });
  const failed = failure(store);
  if (failed) found.push(failed);
  const stuck = knot(store);
  if (stuck) found.push({ name: "Deadlock", title: "Where the deadlock is final", ...stuck });
  if (store.firstBranch >= 0) found.push({ name: "First branching", title: "The first worm that is copied", t: store.firstBranch, to: worm(store.firstBranchWorm) });
  const blocked = store.waitsList.find((w) => w.state === BLOCKED) ?? store.waitsList[0];
  if (blocked) found.push({ name: "First without credit", title: "The first worm with a branch without credit", t: blocked.from, to: worm(blocked.worm) });
  const longest = store.waitsList.reduce<Store["waitsList"][number] | null>((a, b) => (a && a.until - a.from >= b.until - b.from ? a : b), null);
  if (longest) found.push({ name: "Longest wait", title: `${longest.until - longest.from} cycles`, t: longest.from, to: worm(longest.worm) });
  let slowest: Store["meta"]["worms"][number] | null = null, most = -1;
  for (const w of meta.worms) {
    if (w.to.length < 2 || w.delivered.length < w.to.length) continue;
    const took = Math.max(...w.delivered.map((d) => d[3])) - w.created;
    if (took > most) [slowest, most] = [w, took];
  }
  if (slowest) found.push({ name: "Slowest multicast", title: `${most} cycles from creation to the last tail`, t: Math.max(meta.from, slowest.created), to: worm(slowest.id) });
  return found;
}

/** The first difference of two runs. */
function parting({ difference }: Page): Moment[] {
  if (!difference) return [];
  const [{ text, to, run }] = difference.all;
  return [{ name: "First difference", title: text, t: difference.t, to, run }];
}

/** The first moment that the page shows: the difference of two runs, else a failure, a deadlock, a worm that branches, or one that moves. */
export function first(page: Page): { t: number; to: Selection } {
  const { store } = page.runs[0], { meta } = store, [differs] = parting(page);
  if (differs) return { t: differs.t, to: differs.run ? null : differs.to };
  const failed = failure(store);
  if (failed) return failed;
  const stuck = knot(store);
  if (stuck) return stuck;
  if (store.firstBranch >= 0) return { t: store.firstBranch, to: { kind: "worm", worm: store.firstBranchWorm } };
  if (store.firstFlit >= 0) return { t: store.firstFlit, to: { kind: "worm", worm: store.firstFlitWorm } };
  return { t: meta.from, to: null };
}

export function writeJumps(page: Page): void {
  const known = new Map<Store, Moment[]>();
  const whole = el("button", { type: "button", textContent: "Summary", title: "The run as a whole: choose nothing (Esc)" });
  whole.onclick = () => page.select(null);
  byId("jumps").replaceChildren(...[...parting(page), ...moments(page.runs[0].store)].map((moment) => {
    const button = el("button", { type: "button", textContent: moment.name, title: moment.title });
    button.onclick = () => {
      const { store } = page.runs[page.active];
      if (!known.has(store)) known.set(store, moments(store));
      const there = known.get(store)?.find((m) => m.name === moment.name) ?? moment;
      page.player.pause();
      page.seek(there.t);
      page.select(there.to, there.run);
      page.reveal(there.to);
    };
    return button;
  }), whole);
}
