// Meaning of colours and marks, as small pictures.

import { el } from "./dom";
import { Theme } from "./palette";

/** The most important signs, in a line below the network. */
export function strip(tokens: boolean): HTMLElement {
  const entry = (kind: string, text: string): HTMLElement => el("span", {}, el("i", { className: `key ${kind}` }), text);
  return el("p", { id: "strip" }, entry("flit", "flit, in its worm's colour"), entry("header", "header flit"), entry("held", "lane held"), entry("holds", "branch that waits for its siblings"),
    entry("blocked", "without credit"), entry("lanes", "waits for lane"), tokens ? entry("token", "waits for token") : null, tokens ? entry("dot", "token") : null);
}

export function legend(theme: Theme, tokens: boolean): Node[] {
  const entry = (draw: (pen: CanvasRenderingContext2D) => void, text: string): Node[] => {
    const canvas = el("canvas", { width: 60, height: 32, ariaHidden: "true" }), pen = canvas.getContext("2d");
    if (pen) { pen.scale(2, 2); draw(pen); }
    return [canvas, el("span", {}, text)];
  };
  const fill = (pen: CanvasRenderingContext2D, colour: string, x: number, y: number, w: number, h: number): void => { pen.fillStyle = colour; pen.fillRect(x, y, w, h); };
  const shape = (pen: CanvasRenderingContext2D, colour: string, ...points: number[]): void => {
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = 0; i < points.length; i += 2) pen.lineTo(points[i], points[i + 1]);
    pen.fill();
  };
  const [a, b] = [theme.worms[0], theme.worms[2]];
  const line = (pen: CanvasRenderingContext2D, colour: string, width: number, dash: number[]): void => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(2, 8);
    pen.lineTo(28, 8);
    pen.stroke();
  };
  return [el("h2", {}, "What is what"), el("div", { className: "legend" },
    ...entry((p) => { fill(p, theme.cell, 1, 4, 28, 8); fill(p, a, 15, 4, 6, 8); fill(p, a, 22, 4, 6, 8); }, "FIFO; its front is inside, each flit in its worm's colour"),
    ...entry((p) => { fill(p, a, 6, 3, 18, 10); fill(p, theme.onWorm, 20, 3, 4, 10); fill(p, theme.onWorm, 11, 6, 6, 4); }, "header flit; the bar points ahead. They shrink away as headers are stripped"),
    ...entry((p) => { fill(p, a, 6, 3, 18, 10); fill(p, theme.onWorm, 8, 3, 3, 10); }, "the worm's tail"),
    ...entry((p) => { fill(p, b, 2, 3, 12, 10); fill(p, theme.onWorm, 2, 7, 12, 3); fill(p, b, 17, 3, 12, 10); fill(p, theme.select, 17, 7, 12, 3); }, "stripes tell worms of one colour apart; near, wires have their worms' numbers"),
    ...entry((p) => line(p, a, 1.5, []), "wire that a worm holds"),
    ...entry((p) => { line(p, b, 1.5, []); fill(p, b, 11, 4, 8, 8); }, "flit that crosses in this cycle"),
    ...entry((p) => line(p, a, 1.5, [3, 2]), "branch that takes no flit in this cycle: it holds"),
    ...entry((p) => shape(p, theme.blocked, 11, 4, 19, 4, 19, 12, 11, 12), "without credit: a branch owns its lane and the FIFO behind has no room (bar across its wire)"),
    ...entry((p) => shape(p, theme.lanes, 15, 3, 20, 12, 10, 12), "waits for an output lane: another worm owns it, goes first, or the other heads of its synchronous worm are not ready"),
    ...(tokens ? [...entry((p) => shape(p, theme.token, 15, 3, 20, 8, 15, 13, 10, 8), "waits for the token"),
      ...entry((p) => { p.fillStyle = theme.token; p.beginPath(); p.arc(15, 8, 4, 0, 7); p.fill(); }, "token: here, or held by the input it is joined to")] : []))];
}
