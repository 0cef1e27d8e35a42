// Stages move apart in a window that is wider than they need. The space between their switches is
// stretched, and switches a little.

import { Meta } from "./format";

/** Usual width of a window, over its height. */
const ASPECT = 1.75;

/** Changes the places of a network of stages. */
export function stretch(meta: Meta): void {
  const columns = new Map<number, [number, number]>();
  let [top, bottom] = [Infinity, -Infinity];
  for (const s of meta.switches) {
    columns.set(s.at[0], [s.at[0] - s.size[0] / 2, s.at[0] + s.size[0] / 2]);
    top = Math.min(top, s.at[1] - s.size[1] / 2);
    bottom = Math.max(bottom, s.at[1] + s.size[1] / 2);
  }
  const boxes = [...columns.values()].sort((a, b) => a[0] - b[0]);
  if (boxes.length < 2 || boxes.some((box, i) => i > 0 && box[0] <= boxes[i - 1][1])) return;
  const width = boxes[boxes.length - 1][1] - boxes[0][0], wanted = ASPECT * (bottom - top);
  if (wanted <= 1.05 * width) return;
  const inside = boxes.reduce((sum, box) => sum + box[1] - box[0], 0), wider = Math.min(2.2, wanted / width);
  const apart = Math.max(1, Math.min(6, (wanted - wider * inside) / (width - inside)));
  const move = (x: number): number => {
    let [from, to] = [boxes[0][0], boxes[0][0]];
    if (x <= from) return x;
    for (const [i, box] of boxes.entries()) {
      const behind = i + 1 < boxes.length ? boxes[i + 1][0] : Infinity;
      if (x <= box[1]) return to + (x - from) * wider;
      to += (box[1] - from) * wider;
      if (x <= behind) return to + (x - box[1]) * (behind === Infinity ? 1 : apart);
      to += (behind - box[1]) * apart;
      from = behind;
    }
    return x;
  };
  for (const s of meta.switches) { s.at[0] = move(s.at[0]); s.size[0] *= wider; }
  for (const n of meta.nodes) {
    n.send = [move(n.send[0]), n.send[1]];
    n.receive = [move(n.receive[0]), n.receive[1]];
  }
  for (const i of meta.inputs) i.at[0] = move(i.at[0]);
  for (const { points } of [...meta.outputs, ...meta.injections]) for (let i = 0; i < points.length; i += 2) points[i] = move(points[i]);
}
