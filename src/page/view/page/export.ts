// A moment as SVG, a span as an SVG that moves.

import { byId, el, save } from "./dom";
import { Page } from "./page";
import { escapeXml, SvgPen } from "./pen";
import { Scene } from "./scene";
import { Run } from "./selection";
import { coordinates, drawStill } from "./still";

/** Most cycles of an SVG that moves: each is drawn once. */
export const MOST_FRAMES = 400;
const STYLE = '<style>text{font-family:"DejaVu Sans",Verdana,sans-serif}</style>';

function drawn(page: Page, run: Run, pen: SvgPen, scale: number): string {
  const { left, top, right, bottom } = run.geometry.bounds;
  const frame = { phase: 0.5, moving: true, flows: false, scale, pulse: 1, alone: page.alone, heat: page.heat, run: page.runs.indexOf(run), view: { left, top, right, bottom } }, scene = new Scene();
  scene.settled(pen, run, page.theme, frame);
  scene.moving(pen, run, page.theme, frame);
  return pen.take();
}

function around(page: Page, run: Run, title: string, inside: string): string {
  const { left, top, right, bottom } = run.geometry.bounds, margin = 26, head = 26;
  const [x, y, w, h] = [left - margin, top - margin - head, right - left + 2 * margin, bottom - top + 2 * margin + head];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${w} ${h}" width="${Math.round(Math.max(w, 600))}" height="${Math.round(Math.max(w, 600) * h / w)}">
${STYLE}<title>${escapeXml(title)}</title>
<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${page.theme.ground}"/>
<text x="${x + w / 2}" y="${y + 20}" font-size="12" font-weight="bold" text-anchor="middle" fill="${page.theme.ink}">${escapeXml(title)}</text>
${inside}
</svg>
`;
}

/** The scale at which a picture has its details. */
const scaleOf = (run: Run): number => Math.max(1, Math.min(2.5, 3000 / (run.geometry.bounds.right - run.geometry.bounds.left)));

export function moment(page: Page, run: Run): string {
  const pen = new SvgPen(), scale = scaleOf(run);
  drawStill(pen, run.geometry, page.theme, scale);
  coordinates(pen, run.geometry, page.theme, scale);
  return around(page, run, `${run.store.meta.title}, ${page.heat ? `cycles ${page.heat.from} to ${page.heat.until - 1}` : `cycle ${run.store.t}`}`, pen.take() + drawn(page, run, pen, scale));
}

/** Plays the cycles from <= t < until, again and again, so many a second. */
export function span(page: Page, run: Run, from: number, until: number, speed: number): string {
  const pen = new SvgPen(), scale = scaleOf(run), here = run.store.t, frames = until - from, seconds = frames / speed;
  drawStill(pen, run.geometry, page.theme, scale);
  const { left, bottom } = run.geometry.bounds;
  let inside = pen.take();
  for (let i = 0; i < frames; i++) {
    run.store.seek(from + i);
    const [a, b] = [i / frames, (i + 1) / frames].map((part) => part.toFixed(5));
    const times = i === 0 ? `values="visible;hidden" keyTimes="0;${b}"` : i === frames - 1 ? `values="hidden;visible" keyTimes="0;${a}"` : `values="hidden;visible;hidden" keyTimes="0;${a};${b}"`;
    inside += `\n<g visibility="${i ? "hidden" : "visible"}">${frames > 1 ? `<animate attributeName="visibility" calcMode="discrete" ${times} dur="${seconds}s" repeatCount="indefinite"/>` : ""}` +
      `<text x="${left}" y="${bottom + 20}" font-size="12" fill="${page.theme.ink}">cycle ${from + i}</text>\n${drawn(page, run, pen, scale)}</g>`;
  }
  run.store.seek(here);
  return around(page, run, `${run.store.meta.title}, cycles ${from} to ${until - 1}`, inside);
}

/** The dialog that asks for the moment or the span. */
export function exportDialog(page: Page): void {
  const dialog = byId<HTMLDialogElement>("export"), run = page.runs[page.active], { meta, t } = run.store;
  const number = (value: number, label: string): [HTMLInputElement, HTMLElement] => {
    const input = el("input", { type: "number", value: String(value), min: "0" });
    return [input, el("label", {}, `${label} `, input)];
  };
  const [from, fromLabel] = number(Math.max(meta.from, t), "from cycle"), [until, untilLabel] = number(Math.min(meta.until, t + 40), "until before");
  const [speed, speedLabel] = number(Math.min(20, Math.max(1, page.player.speed)), "cycles a second");
  const wrong = el("p", { className: "bad", role: "alert" });
  const name = (meta.title.split("/").pop() ?? "run").replace(/\.[a-z]+$/, "").replace(/[^\w.-]+/g, "_");
  const button = (text: string, act: () => void): HTMLButtonElement => { const made = el("button", { type: "button", textContent: text }); made.onclick = act; return made; };
  dialog.replaceChildren(el("h2", {}, "Save as a picture"), el("div", { className: "row" }, button(`SVG of cycle ${t}`, () => { save(`${name}_${t}.svg`, moment(page, run), "image/svg+xml"); dialog.close(); })),
    el("h3", {}, "SVG that moves"), el("div", { className: "row" }, fromLabel, untilLabel, speedLabel), el("div", { className: "row" }, button("SVG of these cycles", () => {
      const [a, b, s] = [Math.floor(Number(from.value)), Math.floor(Number(until.value)), Number(speed.value)];
      if (!(a >= meta.from && b > a && b <= meta.until)) { wrong.textContent = `The page has cycles ${meta.from} to ${meta.until - 1}.`; return; }
      if (b - a > MOST_FRAMES) { wrong.textContent = `${b - a} cycles are too many for one picture: up to ${MOST_FRAMES}.`; return; }
      if (!(s > 0)) { wrong.textContent = "The speed must be above 0."; return; }
      save(`${name}_${a}_${b}.svg`, span(page, run, a, b, s), "image/svg+xml");
      dialog.close();
    }), button("Close", () => dialog.close())), wrong);
  if (!dialog.open) dialog.showModal();
}
