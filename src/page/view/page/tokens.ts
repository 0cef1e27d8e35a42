// Tokens: at their stations, held by an input, or on their way along the ring.

import { Geometry } from "./geometry";
import { Theme } from "./palette";
import { Pen } from "./pen";
import { Frame } from "./frame";
import { Store } from "./store";

/** Stations of each ring, in its order. */
function rings(store: Store): number[][] {
  const found = new Map<number, number[]>();
  store.meta.stations.forEach((station, k) => {
    const ring = found.get(station.ring);
    if (ring) ring.push(k); else found.set(station.ring, [k]);
  });
  return [...found.values()].filter((ring) => ring.length > 1);
}

/** The token on its way from one station to the next: its last cycle at the first, and the cycle of its arrival. */
function wayBetween(store: Store, from: number, to: number): [number, number] | null {
  const { stations: tracks, t } = store;
  const has = (e: number): boolean => e >= 0 && (tracks.here[e] === 1 || tracks.holder[e] >= 0);
  let left = tracks.now[from];
  if (has(left)) left++;
  else while (left > tracks.start[from] && !has(left - 1)) left--;
  if (left <= tracks.start[from] || left >= tracks.start[from + 1] || has(left)) return null;
  const leaves = tracks.cycle[left] - 1;
  for (let e = tracks.now[to]; e >= tracks.start[to] && tracks.cycle[e] > leaves; e--) if (has(e)) return null;
  let e = Math.max(tracks.now[to] + 1, tracks.start[to]);
  while (e < tracks.start[to + 1] && !has(e)) e++;
  return leaves <= t && e < tracks.start[to + 1] ? [leaves, tracks.cycle[e]] : null;
}

export function drawTokens(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
  const { meta } = store;
  if (!meta.stations.length) return;
  const place = (k: number): [number, number] => {
    const s = meta.switches[meta.stations[k].switch];
    return [s.at[0] + s.size[0] / 2 - 5, s.at[1] - s.size[1] / 2 + 5];
  };
  const dot = (x: number, y: number, r: number): void => { pen.beginPath(); pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI); };
  pen.strokeStyle = pen.fillStyle = only < 0 ? theme.token : theme.faint;
  pen.lineWidth = Math.max(0.8, 0.6 / frame.scale);
  /** Place of the token that leaves a station. */
  const moving = new Map<number, [number, number]>();
  for (const ring of rings(store)) {
    pen.globalAlpha = 0.4;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    ring.forEach((k, i) => { const [x, y] = place(k); if (i) pen.lineTo(x, y); else pen.moveTo(x, y); });
    pen.stroke();
    pen.setLineDash([]);
    ring.forEach((k, i) => {
      const next = ring[(i + 1) % ring.length], way = wayBetween(store, k, next);
      if (!way) return;
      const part = (store.t + (frame.flows ? frame.phase : 0) - way[0]) / (way[1] - way[0]), [[x, y], [u, v]] = [place(k), place(next)];
      moving.set(k, [x + (u - x) * part, y + (v - y) * part]);
    });
  }
  meta.stations.forEach((station, k) => {
    const [x, y] = place(k), way = moving.get(k);
    const e = store.stations.now[k], at = e >= 0 && store.stations.here[e] === 1, holder = e >= 0 ? store.stations.holder[e] : -1;
    if (only >= 0) pen.strokeStyle = pen.fillStyle = holder >= 0 && store.wormAt(meta.laneBase[station.switch][0] + holder) === only ? theme.token : theme.faint;
    pen.globalAlpha = at || holder >= 0 ? 1 : 0.35;
    dot(x, y, 3.2);
    pen.stroke();
    if (!at && holder < 0 && !way) return;
    pen.globalAlpha = 1;
    if (way) dot(...way, 3.2 + frame.pulse);
    else dot(x, y, holder >= 0 ? 3.8 : 3.2 + frame.pulse);
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
