// The page: its parts, and what they tell each other.

import { Geometry, Hit } from "./geometry";
import { DARK, LIGHT, Theme } from "./palette";
import { Player, SPEEDS } from "./player";
import { Run, Selection } from "./selection";
import { Store } from "./store";
import { Timeline } from "./timeline";
import { View } from "./view";

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

async function start(): Promise<void> {
  const blocks = ["data", "data2"].map((id) => document.getElementById(id)).filter((found) => found !== null);
  const runs: Run[] = [];
  for (const block of blocks) {
    const store = await Store.read(block.textContent ?? "");
    block.textContent = "";
    runs.push({ store, geometry: new Geometry(store.meta), selection: null });
  }
  const player = new Player(Math.min(...runs.map((r) => r.store.meta.from)), Math.max(...runs.map((r) => r.store.meta.until)));
  const timeline = new Timeline(runs.map((r) => r.store));
  const views = runs.map((run) => new View(run));
  element("band").append(timeline.canvas);
  element("views").append(...views.map((v) => v.element));
  let theme: Theme = matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
  let dirty = true;
  const changed = (): void => { dirty = true; };
  player.onchange = changed;
  timeline.onchange = changed;
  timeline.onseek = (t) => player.seek(t);
  views.forEach((view) => {
    view.onmove = changed;
    view.onpick = (hit: Hit | null) => { view.run.selection = hit as Selection; changed(); };
  });
  element("title").textContent = runs[0].store.meta.title;
  element("play").onclick = () => player.toggle();
  const speed = element<HTMLSelectElement>("speed");
  for (const s of SPEEDS) speed.add(new Option(`${s} cycles/s`, String(s), s === 5, s === 5));
  speed.onchange = () => { player.speed = Number(speed.value); };
  const frame = (now: number): void => {
    player.tick(now);
    if (dirty || player.playing) {
      dirty = false;
      for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
      for (const view of views) view.draw(theme, { phase: player.phase, moving: player.moving, pulse: 0.5 + 0.5 * Math.sin(now / 200), alone: false });
      timeline.draw(theme, player.time);
      element("play").textContent = player.playing ? "Pause" : "Play";
      element<HTMLInputElement>("cycle").value = String(player.t);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
void start();
(window as unknown as { wormscope: object }).wormscope = {};
