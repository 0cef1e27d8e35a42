// Tokens: at their stations, held by an input, or on their way along the ring.

import { Geometry } from "./geometry";
import { Theme } from "./palette";
import { Pen } from "./pen";
import { Frame } from "./frame";
import { Store } from "./store";

/** Stations of each ring, in its order; without rings in the data none is drawn. */
function rings(store: Store): number[][] {
  const found = new Map<number, number[]>();
  store.meta.stations.forEach((station, k) => {
    if (station.ring === undefined) return;
    const ring = found.get(station.ring);
    if (ring) ring.push(k); else found.set(station.ring, [k]);
  });
  return [...found.values()].filter((ring) => ring.length > 1);
}

export function drawTokens(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame): void {
  const { meta } = store;
  if (!meta.stations.length) return;
  const place = (k: number): [number, number] => {
    const s = meta.switches[meta.stations[k].switch];
    return [s.at[0] + s.size[0] / 2 - 5, s.at[1] - s.size[1] / 2 + 5];
  };
  const here = (k: number, t: number): boolean => { const e = store.stations.find(k, t); return e >= 0 && store.stations.here[e] === 1; };
  const dot = (x: number, y: number, r: number): void => { pen.beginPath(); pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI); };
  pen.strokeStyle = theme.token;
  pen.fillStyle = theme.token;
  pen.lineWidth = Math.max(0.8, 0.6 / frame.scale);
  const leaves = new Map<number, number>();
  for (const ring of rings(store)) {
    pen.globalAlpha = 0.4;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    ring.forEach((k, i) => { const [x, y] = place(k); if (i) pen.lineTo(x, y); else pen.moveTo(x, y); });
    pen.stroke();
    pen.setLineDash([]);
    if (frame.flows) ring.forEach((k, i) => { const next = ring[(i + 1) % ring.length]; if (here(k, store.t) && !here(k, store.t + 1) && here(next, store.t + 1)) leaves.set(k, next); });
  }
  meta.stations.forEach((station, k) => {
    let [x, y] = place(k);
    const e = store.stations.now[k], at = e >= 0 && store.stations.here[e] === 1, holder = e >= 0 ? store.stations.holder[e] : -1;
    pen.globalAlpha = at || holder >= 0 ? 1 : 0.35;
    dot(x, y, 3.2);
    pen.stroke();
    if (!at && holder < 0) return;
    const next = leaves.get(k);
    if (next !== undefined) {
      const [u, v] = place(next);
      x += (u - x) * frame.phase;
      y += (v - y) * frame.phase;
    }
    dot(x, y, holder >= 0 ? 3.8 : 3.2 + frame.pulse);
    pen.fill();
    if (holder < 0) return;
    const [u, v] = geometry.front(meta.laneBase[station.switch][0] + holder);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(u, v);
    pen.stroke();
  });
  pen.globalAlpha = 1;
}
