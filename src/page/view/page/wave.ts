// A worm's states at its input lanes as a small waveform.

import { el } from "./dom";
import { FONT } from "./frame";
import { Page } from "./page";
import { STATE_MARK, stateColour } from "./palette";
import { inputName } from "./reason";
import { Store, Visit } from "./store";

const ROW = 15, LABEL = 96, MOST = 60;

/** Visits of a worm as a tree: each behind the one it came from, with its depth. */
export function tree(store: Store, worm: number): { visit: Visit; depth: number }[] {
  const k = store.wormIndex.get(worm);
  if (k === undefined) return [];
  const left = [...store.visitsOf[k]], found: { visit: Visit; depth: number }[] = [];
  const from = (visit: Visit): number => { const f = store.feeder[visit.input]; return f >= 0 ? store.meta.outputs[f].switch : -1; };
  const add = (visit: Visit, depth: number): void => {
    found.push({ visit, depth });
    const at = store.meta.inputs[visit.input].switch;
    for (const child of left.filter((v) => from(v) === at && v.from >= visit.from)) {
      const i = left.indexOf(child);
      if (i < 0) continue;
      left.splice(i, 1);
      add(child, depth + 1);
    }
  };
  while (left.length) add(left.splice(0, 1)[0], 0);
  return found;
}

/** The waveform: a row for each input lane, a click goes to its cycle. */
export function waveform(page: Page, store: Store, worm: number): HTMLCanvasElement {
  const rows = tree(store, worm).slice(0, MOST), width = 294, height = rows.length * ROW + 14, ratio = devicePixelRatio || 1;
  const canvas = el("canvas", { width: width * ratio, height: height * ratio, title: "States at each input lane; a click goes to the cycle" });
  canvas.role = "img";
  canvas.ariaLabel = `States of worm ${worm} at its ${rows.length} input lanes, cycle by cycle; n and p go from wait to wait`;
  canvas.style.height = `${height}px`;
  canvas.style.cursor = "pointer";
  const pen = canvas.getContext("2d");
  const from = Math.min(...rows.map((r) => r.visit.from)), until = Math.max(...rows.map((r) => r.visit.until), from + 1);
  const x = (t: number): number => LABEL + (t - from) / (until - from) * (width - LABEL);
  canvas.addEventListener("pointerdown", (e) => {
    const at = e.offsetX / canvas.clientWidth * width;
    if (at >= LABEL) page.seek(Math.floor(from + (at - LABEL) / (width - LABEL) * (until - from)));
    else {
      const row = rows[Math.floor(e.offsetY / ROW)];
      if (row) page.select({ kind: "input", input: row.visit.input, cell: 0 });
    }
  });
  if (!pen || !rows.length) return canvas;
  const { theme } = page, tracks = store.inputs;
  pen.scale(ratio, ratio);
  pen.textBaseline = "middle";
  rows.forEach(({ visit, depth }, i) => {
    const y = i * ROW;
    pen.font = `10px ${FONT}`;
    pen.fillStyle = theme.faint;
    pen.textAlign = "left";
    pen.fillText(inputName(store, visit.input), Math.min(depth, 7) * 4, y + ROW / 2, LABEL - 4 - Math.min(depth, 7) * 4);
    for (let e = visit.first; e <= visit.last; e++) {
      const state = tracks.state[e], begin = tracks.cycle[e];
      while (e < visit.last && tracks.state[e + 1] === state) e++;
      const end = Math.min(tracks.until(visit.input, e, store.meta.until), visit.until);
      const [a, b] = [x(begin), x(end)];
      pen.fillStyle = stateColour(theme, state);
      const tall = state ? ROW - 4 : 2;
      pen.fillRect(a, y + ROW - 2 - tall, Math.max(0.7, b - a - (b - a > 3 ? 0.5 : 0)), tall);
      if (b - a > 9 && STATE_MARK[state]) {
        pen.fillStyle = theme.onWorm;
        pen.font = `bold 9px ${FONT}`;
        pen.textAlign = "center";
        pen.fillText(STATE_MARK[state], (a + b) / 2, y + ROW - 2 - tall / 2);
      }
    }
  });
  pen.fillStyle = theme.faint;
  pen.font = `9px ${FONT}`;
  pen.textAlign = "left";
  pen.fillText(String(from), LABEL, height - 6);
  pen.textAlign = "right";
  pen.fillText(String(until), width, height - 6);
  if (store.t >= from && store.t <= until) {
    pen.fillStyle = theme.select;
    pen.fillRect(x(store.t + 0.5) - 0.75, 0, 1.5, height - 12);
  }
  return canvas;
}
