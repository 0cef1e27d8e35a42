// Parts that do not move: wires, switches, nodes and names.

import { FONT, Frame, seen } from "./frame";
import { Geometry } from "./geometry";
import { Theme } from "./palette";
import { Pen } from "./pen";

/** Opacity of parts that are not shown. */
const OUTSIDE = 0.3;

/** Draws them in picture units; `scale` is pixels for each. */
export function drawStill(pen: Pen, geometry: Geometry, theme: Theme, scale: number): void {
  const { meta } = geometry;
  const thin = (width: number): number => Math.max(width, 0.6 / scale);
  pen.lineJoin = "round";
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.wire;
  pen.lineWidth = thin(1);
  pen.beginPath();
  for (const points of geometry.wires) trace(pen, points);
  pen.stroke();
  pen.fillStyle = theme.box;
  pen.strokeStyle = theme.boxLine;
  pen.lineWidth = thin(0.9);
  for (const s of meta.switches) {
    pen.globalAlpha = s.shown ? 1 : OUTSIDE;
    const [x, y] = [s.at[0] - s.size[0] / 2, s.at[1] - s.size[1] / 2];
    pen.fillRect(x, y, s.size[0], s.size[1]);
    pen.strokeRect(x, y, s.size[0], s.size[1]);
  }
  pen.globalAlpha = 1;
  pen.fillStyle = theme.cell;
  const gap = scale > 2 ? 0.9 : 1;
  meta.inputs.forEach((input, k) => {
    const width = geometry.width[k], cell = geometry.cell[k];
    if (!input.exists || !meta.switches[input.switch].shown || width * scale < 1.2) return;
    if (cell * scale < 4) {
      bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], 0, cell * input.depth, width);
      return;
    }
    for (let c = 0; c < input.depth; c++) bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], c * cell, (c + gap) * cell, width);
  });
  pen.fillStyle = theme.ground;
  pen.strokeStyle = theme.boxLine;
  pen.beginPath();
  for (const n of meta.nodes) for (const at of same(n.send, n.receive) ? [n.send] : [n.send, n.receive]) { pen.moveTo(at[0] + n.radius, at[1]); pen.arc(at[0], at[1], n.radius, 0, 7); }
  pen.fill();
  pen.stroke();
  pen.textBaseline = "middle";
  pen.fillStyle = theme.faint;
  // Where names are too small, short names take their place if all of them have room.
  const small = 7 / scale, fits = meta.switches.every((s) => 0.66 * small * short(s.name).length < s.size[0] - 2 / scale && s.size[1] > 2 * small);
  meta.switches.forEach((s, k) => {
    const place = geometry.namePlace[k], isWhole = place.size * scale >= 5.5;
    if (!isWhole && !fits) return;
    pen.globalAlpha = s.shown ? 1 : OUTSIDE;
    pen.font = `${isWhole ? place.size : small}px ${FONT}`;
    pen.textAlign = isWhole ? place.align : "left";
    if (isWhole) pen.fillText(s.name, place.x, place.y); else pen.fillText(short(s.name), s.at[0] - s.size[0] / 2 + 1 / scale, s.at[1] - s.size[1] / 2 + 0.7 * small);
  });
  pen.globalAlpha = 1;
  pen.fillStyle = theme.ink;
  for (const n of meta.nodes) {
    for (const at of same(n.send, n.receive) ? [n.send] : [n.send, n.receive]) nodeName(pen, n, at, geometry, scale);
  }
  if (scale > 2.2) ports(pen, geometry, theme);
}

/** Turns rt_5_3 into 5,3 and sw_s1_r2 into 1.2. */
const short = (name: string): string => name.replace(/^rt_/, "").replace(/^sw_s(\d+)_r/, "$1.").replace(/_/g, ",");

/** Texts beside wires, each on the side of its direction. A text without room is left out. */
export function labels(pen: Pen, geometry: Geometry, theme: Theme, frame: Frame, texts: [number, string][]): void {
  const size = 10 / frame.scale, taken: [number, number, number][] = [], p = { x: 0, y: 0, dx: 0, dy: 0 };
  pen.globalAlpha = 1;
  pen.font = `bold ${size}px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = theme.ink;
  for (const [wire, text] of texts) {
    if (geometry.length(wire) * frame.scale < 44) continue;
    geometry.along(wire, 0.5, p);
    const half = 0.36 * size * text.length, lies = Math.abs(p.dx) >= Math.abs(p.dy), side = (lies ? -p.dx : p.dy) < 0 ? 1 : -1;
    const x = lies ? p.x : p.x + side * (half + 0.7 * size), y = lies ? p.y + side * 0.9 * size : p.y;
    if (!seen(frame, x, y, half) || taken.some(([u, v, w]) => Math.abs(x - u) < half + w && Math.abs(y - v) < size)) continue;
    taken.push([x, y, half]);
    pen.fillText(text, x, y);
  }
}

/** Numbers of columns and rows along the edges of the visible part of a mesh. */
export function coordinates(pen: Pen, geometry: Geometry, theme: Theme, scale: number, view: Geometry["bounds"] = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }): void {
  const { bounds, axes } = geometry, size = 10 / scale;
  pen.globalAlpha = 1;
  pen.font = `${size}px ${FONT}`;
  pen.textBaseline = "middle";
  axes.forEach((places, axis) => {
    let free = -Infinity;
    for (const [value, at] of places) {
      if (at < free || at < (axis ? view.top + 2 * size : view.left + 2 * size)) continue;
      free = at + 1.8 * size;
      // The number has its own ground, because a zoomed network lies below it.
      const [x, y] = axis ? [Math.max(bounds.left - 0.4 * size, view.left + 1.6 * size), at] : [at, Math.max(bounds.top - 0.8 * size, view.top + 0.8 * size)];
      pen.fillStyle = theme.ground;
      if (axis ? x > bounds.left : y > bounds.top) pen.fillRect(axis ? x - 1.5 * size : x - 0.8 * size, y - 0.6 * size, 1.6 * size, 1.2 * size);
      pen.fillStyle = theme.faint;
      pen.textAlign = axis ? "right" : "center";
      pen.fillText(String(value), x, y);
    }
  });
}

const same = (a: [number, number], b: [number, number]): boolean => a[0] === b[0] && a[1] === b[1];

/** The name stands in the circle where it fits, else outside, away from the picture's middle. */
function nodeName(pen: Pen, n: { name: string; radius: number }, at: [number, number], geometry: Geometry, scale: number): void {
  const fits = n.radius >= 8, size = fits ? Math.min(8, 2.6 * n.radius / n.name.length) : Math.min(10, 2.2 * n.radius);
  if (size * scale < 5) return;
  pen.font = `bold ${size}px ${FONT}`;
  const right = at[0] > (geometry.bounds.left + geometry.bounds.right) / 2;
  pen.textAlign = fits ? "center" : right ? "left" : "right";
  pen.fillText(n.name, fits ? at[0] : at[0] + (right ? 1 : -1) * (n.radius + 3), at[1]);
}

function ports(pen: Pen, geometry: Geometry, theme: Theme): void {
  const { meta } = geometry;
  pen.fillStyle = theme.faint;
  pen.textAlign = "center";
  let [u, v] = [NaN, NaN];
  meta.outputs.forEach((o) => {
    // Of several lanes that leave at one place, only the first is named.
    if (!o.points.length || (o.points[0] === u && o.points[1] === v)) return;
    [u, v] = o.points;
    const s = meta.switches[o.switch], [x, y] = o.points;
    const size = Math.min(3.6, 0.06 * Math.min(...s.size));
    pen.font = `${size}px ${FONT}`;
    // The name stands a little inside of the place where the wire leaves.
    const [dx, dy] = [Math.abs(x - s.at[0]) / s.size[0], Math.abs(y - s.at[1]) / s.size[1]];
    const text = o.name;
    const in_x = 1.5 * size, in_y = 0.9 * size;
    pen.fillText(text, x - (dx >= dy ? Math.sign(x - s.at[0]) * in_x : 0), y - (dy > dx ? Math.sign(y - s.at[1]) * in_y : 0));
  });
}

export function trace(pen: Pen, points: number[]): void {
  if (points.length < 4) return;
  pen.moveTo(points[0], points[1]);
  for (let i = 2; i < points.length; i += 2) pen.lineTo(points[i], points[i + 1]);
}

/** A bar along a direction from a place, from `a` to `b` along it. */
export function bar(pen: Pen, x: number, y: number, dx: number, dy: number, a: number, b: number, width: number): void {
  if (dx === 0 || dy === 0) {
    const [w, h] = [dx ? b - a : width, dy ? b - a : width];
    pen.fillRect(dx ? x + (dx > 0 ? a : -b) : x - width / 2, dy ? y + (dy > 0 ? a : -b) : y - width / 2, w, h);
    return;
  }
  const [px, py] = [-dy * width / 2, dx * width / 2];
  pen.beginPath();
  pen.moveTo(x + dx * a + px, y + dy * a + py);
  pen.lineTo(x + dx * b + px, y + dy * b + py);
  pen.lineTo(x + dx * b - px, y + dy * b - py);
  pen.lineTo(x + dx * a - px, y + dy * a - py);
  pen.closePath();
  pen.fill();
}
