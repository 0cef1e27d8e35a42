// The page: its parts, and the messages between them.

import { counterpart, follow, written } from "./address";
import { publish } from "./api";
import { byId, el } from "./dom";
import { exportDialog } from "./export";
import { firstDifference } from "./difference";
import { Geometry, Hit } from "./geometry";
import { first, writeJumps } from "./jumps";
import { By, heatKey, heatOf } from "./heat";
import { help, listen, nextSpeed } from "./keys";
import { strip } from "./legend";
import { nanoseconds, Page } from "./page";
import { DARK, LIGHT } from "./palette";
import { Panel } from "./panel";
import { Player, SPEEDS } from "./player";
import { Search } from "./search";
import { Run, Selection, wormOf } from "./selection";
import { Store } from "./store";
import { Timeline } from "./timeline";
import { tip } from "./tip";
import { View } from "./view";
import { WormLanes } from "./worms";

const WAITS = ["for the token", "for a lane", "without credit"] as const;

async function read(): Promise<Run[]> {
  const runs: Run[] = [];
  for (const id of ["data", "data2"]) {
    const block = document.getElementById(id);
    if (!block) continue;
    const store = await Store.read(block.textContent ?? "");
    block.textContent = "";
    runs.push({ store, geometry: new Geometry(store.meta), selection: null });
  }
  return runs;
}

/** The page, and its changes. */
function assemble(runs: Run[], changed: () => void): Page {
  const from = Math.min(...runs.map((r) => r.store.meta.from)), until = Math.max(...runs.map((r) => r.store.meta.until));
  const player = new Player(from, Math.max(until, from + 1)), timeline = new Timeline(runs.map((r) => r.store)), views = runs.map((run) => new View(run));
  player.onchange = () => { page.wrong = ""; changed(); };
  timeline.onchange = changed;
  const page: Page = {
    runs, views, difference: runs.length > 1 ? firstDifference(runs[0].store, runs[1].store) : null, active: 0, player, timeline, theme: matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT, alone: false, wrong: "", heat: null,
    seek(t) {
      page.wrong = "";
      player.seek(t);
      timeline.follow(player.t);
      for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
    },
    select(selection, run = page.active) {
      page.wrong = "";
      page.active = run;
      runs[run].selection = selection;
      runs.forEach((other, k) => { if (k !== run) other.selection = counterpart(runs[run].store, other.store, selection); });
      changed();
    },
    reveal(selection) {
      const { store } = runs[page.active], view = views[page.active], { meta } = store;
      if (!selection) return;
      const input = selection.kind === "input" ? selection.input : selection.kind === "worm" ? placeOf(store, selection.worm) : -1;
      const at = input >= 0 ? meta.inputs[input].at : selection.kind === "switch" ? meta.switches[selection.switch].at : selection.kind === "node" ? meta.nodes[selection.node].send
        : selection.kind === "link" ? (meta.outputs[selection.output].points.slice(0, 2) as [number, number]) : null;
      if (at) view.reveal(at[0], at[1]);
    },
    changed,
  };
  timeline.onseek = (t) => page.seek(t);
  views.forEach((view, k) => {
    view.onuser = () => { for (const other of views) if (other !== view) other.like(view); };
    view.onmove = changed;
    view.onpick = (hit) => page.select(picked(runs[k], hit), k);
    view.onhover = (hit, x, y) => tip(runs[k], hit, x, y);
  });
  return page;
}

/** An input lane where a worm is served now. */
function placeOf(store: Store, worm: number): number {
  const k = store.wormIndex.get(worm);
  const visits = k === undefined ? [] : store.visitsOf[k];
  return (visits.find((v) => v.from <= store.t && v.until > store.t) ?? visits[0])?.input ?? -1;
}

/** Chooses a flit's worm at a click on the flit, and the cell at a second click. */
function picked(run: Run, hit: Hit | null): Selection {
  if (hit?.kind !== "input") return hit;
  const worm = wormOf({ ...run, selection: hit });
  return worm >= 0 && !(run.selection?.kind === "worm" && run.selection.worm === worm) ? { kind: "worm", worm } : hit;
}

function names(page: Page): void {
  byId("title").textContent = page.runs.map((r) => r.store.meta.title).join(" | ");
  byId("title").title = byId("title").textContent ?? "";
  page.views.forEach((view, k) => {
    const { meta } = page.runs[k].store;
    if (page.runs.length > 1) {
      view.room = 34;
      const about = `${meta.network}; seed ${meta.seed}; ${meta.ended} after ${meta.cycles} cycles`;
      view.element.append(el("p", { className: "name", title: about }, el("b", {}, `${"AB"[k]}  ${meta.title}`), el("span", { className: "told" })));
      return;
    }
    const warned = meta.warnings.length;
    view.element.append(el("p", { className: "name" }, `${meta.network}; seed ${meta.seed}; ${meta.ended} after ${meta.cycles} cycles`,
      warned > 0 && el("b", {}, `; ${warned} warning${warned === 1 ? "" : "s"}, in the summary`)));
  });
}

/** The first difference of two runs, in a line. */
function whereTheyDiffer({ difference }: Page): string {
  if (!difference) return "The runs do not differ";
  const { t, all } = difference, more = all.length - 1;
  return `First difference in cycle ${t}: ${all[0].text}${more ? `, and ${more} more` : ""}`;
}

/** Heat over a span: its controls, and the meaning of its colours. */
function heater(page: Page, changed: () => void): () => void {
  const { timeline } = page, bar = byId("heatbar"), key = el("span", { className: "keys" }), by = el("select", { ariaLabel: "Links by" }, new Option("use", "use"), new Option("blocked share", "blocked"));
  const [from, until] = ["First cycle of the span", "Last cycle of the span"].map((ariaLabel) => el("input", { inputMode: "numeric", size: 6, ariaLabel }));
  const over = (a: number, b: number): void => {
    const [low, high] = [timeline.first, timeline.last];
    a = Math.max(low, Math.min(high - 1, Math.floor(a) || low));
    b = Math.max(a + 1, Math.min(high, Math.floor(b) || high));
    page.heat = heatOf(page.runs, by.value as By, a, b);
    timeline.brush = page.heat;
    [from.value, until.value] = [String(a), String(b - 1)];
    key.replaceChildren(...heatKey(page, page.heat));
    changed();
  };
  timeline.onbrush = over;
  from.onchange = until.onchange = by.onchange = () => over(Number(from.value), Number(until.value) + 1);
  bar.append("links by ", by, " cycles ", from, " to ", until, key);
  return () => {
    const on = !page.heat;
    byId<HTMLInputElement>("heat").checked = on;
    bar.hidden = !on;
    byId("strip").hidden = on;
    if (on) over(Math.floor(timeline.from), Math.ceil(timeline.until)); else { page.heat = timeline.brush = null; changed(); }
  };
}

/** The events of the current cycle, in words. */
function tell(page: Page): void {
  const t = page.player.t;
  const parts = page.runs.map(({ store }) => {
    const { meta } = store, i = Math.min(t, meta.until - 1) - meta.from, waiting = store.nowWaiting(), told = [waiting.token, waiting.lanes, waiting.blocked];
    const many = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
    const reasons = told.map((n, w) => (n ? `${n} ${WAITS[w]}` : "")).filter(Boolean).join(", ");
    const total = told[0] + told[1] + told[2], stuck = meta.deadlock && t >= meta.deadlock.cycle;
    const over = t < meta.until ? "" : `its last cycle is ${meta.until - 1}: `;
    return el("span", {}, `${over}${many(store.underWay[i] ?? 0, "worm")} under way, ${many(store.crossing[i] ?? 0, "flit")} crossing; `,
      el("b", { className: total ? "bad" : "" }, total ? `${total} waiting: ${reasons}` : "none waiting"), stuck ? el("b", { className: "bad" }, "; DEADLOCK") : null);
  });
  // With two runs, each picture has its own text, and the line above says where they differ.
  if (parts.length > 1) page.views.forEach((view, k) => view.element.querySelector(".told")?.replaceChildren(parts[k]));
  byId("now").replaceChildren(...(page.wrong ? [el("b", { className: "bad" }, `In the address ${page.wrong}.`)] : parts.length > 1 ? [whereTheyDiffer(page)] : parts));
  const shown = byId<HTMLInputElement>("cycle");
  if (document.activeElement !== shown) shown.value = String(t);
  byId("time").textContent = nanoseconds(t, page.runs[page.active].store.meta.clockNs);
  byId("play").textContent = page.player.playing ? "Pause" : "Play";
}

function wire(page: Page, lanes: WormLanes, changed: () => void): void {
  const { player, views } = page, search = new Search(page);
  const speed = byId<HTMLSelectElement>("speed"), alone = byId<HTMLInputElement>("alone"), cycle = byId<HTMLInputElement>("cycle");
  for (const s of SPEEDS) speed.add(new Option(`${s} cycles/s`, String(s)));
  const setSpeed = (s: number): void => { player.speed = s; speed.value = String(s); };
  setSpeed(5);
  speed.onchange = () => setSpeed(Number(speed.value));
  cycle.onchange = () => { const t = Number(cycle.value); if (Number.isFinite(t)) { player.pause(); page.seek(t); } cycle.value = String(player.t); };
  const setTheme = (dark: boolean): void => {
    page.theme = dark ? DARK : LIGHT;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").textContent = dark ? "Light" : "Dark";
    for (const view of views) view.changed();
    page.timeline.stale();
    if (page.heat) byId("heatbar").querySelector(".keys")?.replaceChildren(...heatKey(page, page.heat));
  };
  setTheme(page.theme === DARK);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches));
  const actions = { search: () => search.focus(), theme: () => setTheme(page.theme !== DARK), help, speed: (by: number) => setSpeed(nextSpeed(player.speed, by)),
    heat: heater(page, changed), lanes: () => { lanes.toggle(); byId<HTMLInputElement>("lanes").checked = !lanes.element.hidden; }, alone: () => { page.alone = alone.checked = !page.alone; changed(); } };
  byId("heat").onchange = actions.heat;
  byId("lanes").onchange = actions.lanes;
  alone.onchange = () => { page.alone = alone.checked; changed(); };
  const buttons: Record<string, () => void> = { play: () => player.toggle(), step: () => player.step(1), back: () => player.step(-1), start: () => player.step(-Infinity), end: () => player.step(Infinity),
    in: () => views[0].zoom(1.25), out: () => views[0].zoom(0.8), fit: () => views.forEach((v) => v.fit()), theme: actions.theme, help, save: () => exportDialog(page) };
  for (const [id, act] of Object.entries(buttons)) byId(id).onclick = act;
  listen(page, actions);
}

/** Least milliseconds between two announcements to a screen reader while a run plays, and before the one when it stands still. */
const SPEAK_PLAYING = 5000, SPEAK_STILL = 600;

/** Tells a screen reader the events of the cycle, when the run stands still, or now and then. */
function speaker(page: Page): () => void {
  let spoken = 0, due = 0;
  const say = (): void => {
    due = 0;
    spoken = performance.now();
    const text = `Cycle ${page.player.t}: ${page.runs.length > 1 ? [...document.querySelectorAll(".told")].map((told, k) => `${"AB"[k]} ${told.textContent}`).join("; ") : byId("now").textContent}`;
    if (byId("spoken").textContent !== text) byId("spoken").textContent = text;
  };
  return () => {
    if (page.player.playing && due) return;
    clearTimeout(due);
    due = setTimeout(say, page.player.playing ? Math.max(SPEAK_STILL, spoken + SPEAK_PLAYING - performance.now()) : SPEAK_STILL);
  };
}

async function start(): Promise<void> {
  const runs = await read();
  let dirty = true, address = "", addressed = 0, drawn = 0, pulsing = false, toldOf = -1;
  const changed = (): void => { dirty = true; };
  const page = assemble(runs, changed), times: number[] = [];
  byId("band").append(page.timeline.canvas);
  const lanes = new WormLanes(page);
  byId("band").before(lanes.element);
  byId("views").append(...page.views.map((v) => v.element));
  document.body.classList.toggle("two", runs.length > 1);
  names(page);
  byId("views").append(strip(page.runs.some((run) => run.store.meta.stations.length > 0)));
  wire(page, lanes, changed);
  writeJumps(page);
  const panel = new Panel(page), speak = speaker(page);
  const begin = first(page);
  page.seek(begin.t);
  page.select(begin.to);
  const lead = (): void => { page.player.pause(); page.wrong = follow(page, location.hash); changed(); };
  lead();
  addEventListener("hashchange", () => { if (location.hash !== address) lead(); });
  publish(page, lanes, times);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const frame = (now: number): void => {
    requestAnimationFrame(frame);
    render(now);
  };
  const render = (now: number): void => {
    const { player } = page;
    player.tick(now);
    if (player.playing) { if (drawn) { times.push(now - drawn); if (times.length > 600) times.shift(); } }
    if (!dirty && !player.playing && !(pulsing && !still.matches && now - drawn > 70)) { if (!player.playing && !pulsing) drawn = 0; return; }
    const redrawn = dirty;
    dirty = false;
    drawn = now;
    for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
    const pulse = still.matches ? 1 : 0.5 + 0.5 * Math.sin(now / 220);
    pulsing = false;
    for (const view of page.views) pulsing = view.draw(page.theme, { phase: player.phase, moving: player.moving, flows: player.playing && player.moving, pulse, alone: page.alone, heat: page.heat, run: page.views.indexOf(view) }) || pulsing;
    if (!redrawn && !player.playing) return;
    if (player.playing) page.timeline.follow(player.t);
    page.timeline.draw(page.theme, player.time);
    lanes.draw();
    if (redrawn || player.t !== toldOf) { tell(page); speak(); }
    toldOf = player.t;
    panel.update(now, redrawn && !player.playing);
    const here = written(player.t, runs[page.active], page.active);
    if (here !== address && (!player.playing || now - addressed > 500)) {
      address = here;
      addressed = now;
      try { history.replaceState(null, "", here); } catch { /* Where pages may not, the address stays. */ }
    }
  };
  page.timeline.resize();
  for (const view of page.views) {
    view.resize();
    // The frame is drawn before the browser shows the blank canvas.
    view.onblank = () => render(performance.now());
  }
  render(performance.now());
  requestAnimationFrame(frame);
}

start().catch((error: unknown) => {
  byId("views").replaceChildren(el("p", { id: "wrong", textContent: `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}` }));
});
