// Moving parts: flits on wires and in FIFOs, branches through crossbars, waits, tokens.

import { Flits } from "./flits";
import { BLOCKED, HEADS, LANES, TOKEN } from "./format";
import { arrow, FONT, Frame, OTHERS, seen, unit } from "./frame";
import { Geometry } from "./geometry";
import { drawHeat } from "./heat";
import { chain, chosenThing, circle, halo } from "./overlay";
import { Theme, wormColour } from "./palette";
import { Pen } from "./pen";
import { unowned } from "./reason";
import { Run, wormOf } from "./selection";
import { Store } from "./store";
import { drawTokens } from "./tokens";

/** Draws the cycle that the cursors of the store are at. */
export class Scene {
  private readonly flits = new Flits();
  /** Whether anything pulses. */
  pulses = false;

  /** Parts that stay for the whole cycle: the chosen worm's tree, held wires, FIFOs, nodes, waits. */
  settled(pen: Pen, run: Run, theme: Theme, frame: Frame): void {
    const { store, geometry } = run, chosen = wormOf(run), only = frame.alone && chosen >= 0 ? chosen : -1;
    if (frame.heat) { drawHeat(pen, run, theme, frame, frame.heat.maps[frame.run ?? 0], frame.heat); return; }
    if (chosen >= 0) halo(pen, store, geometry, theme, frame, chosen);
    this.flits.held(pen, store, geometry, theme, frame, only);
    this.flits.fifos(pen, store, geometry, theme, frame, only);
    this.flits.names(pen, store, geometry, theme, frame, only);
    this.nodes(pen, store, theme, frame, only);
    this.waits(pen, store, geometry, theme, frame, only);
  }

  /** Parts that move or pulse within the cycle. */
  moving(pen: Pen, run: Run, theme: Theme, frame: Frame): void {
    this.pulses = false;
    const { store, geometry } = run, chosen = wormOf(run), only = frame.alone && chosen >= 0 ? chosen : -1;
    if (frame.heat) { chosenThing(pen, run, theme, frame); return; }
    this.flits.crossings(pen, store, geometry, theme, frame, only);
    this.inside(pen, store, geometry, theme, frame, chosen, only);
    drawTokens(pen, store, geometry, theme, frame, only);
    chosenThing(pen, run, theme, frame);
    const deadlock = store.meta.deadlock;
    if (deadlock && store.t >= deadlock.cycle) {
      this.pulses = true;
      circle(pen, store, geometry, theme, frame, only);
    } else if (chosen >= 0 && !frame.flows) chain(pen, store, geometry, theme, frame, chosen);
  }

  /** Branches through the crossbars. */
  private inside(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, chosen: number, only: number): void {
    const { meta } = store, tracks = store.inputs;
    for (let k = 0; k < tracks.count; k++) {
      const e = tracks.now[k];
      if (e < 0 || tracks.worm[e] < 0 || (only >= 0 && tracks.worm[e] !== only)) continue;
      const s = meta.switches[meta.inputs[k].switch], worm = tracks.worm[e];
      if (worm !== chosen && Math.min(...s.size) * frame.scale < 34) continue;
      if (!seen(frame, s.at[0], s.at[1], Math.max(...s.size))) continue;
      const [x, y] = geometry.front(k);
      this.branches(pen, store, theme, frame, k, worm, tracks.state[e], x, y);
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }

  private branches(pen: Pen, store: Store, theme: Theme, frame: Frame, k: number, worm: number, state: number, x: number, y: number): void {
    const { meta } = store, input = meta.inputs[k], lane = k - meta.laneBase[input.switch][0];
    for (const o of store.outputsOf[input.switch]) {
      const e = store.outputs.now[o];
      if (e < 0 || store.outputs.extra[e] !== lane) continue;
      const crosses = store.outputs.valid[e] === 1, points = meta.outputs[o].points;
      const stuck = state === BLOCKED && store.outputs.credits[e] === 0 && !crosses;
      pen.globalAlpha = crosses ? 1 : 0.7;
      pen.strokeStyle = stuck ? theme.blocked : wormColour(theme, worm);
      pen.lineWidth = Math.max(crosses ? 2 : 1, 0.8 / frame.scale) * (stuck ? 1 + 0.9 * frame.pulse : 1);
      pen.setLineDash(crosses || stuck ? [] : [2.5, 2]);
      arrow(pen, x, y, points[0], points[1], false);
      if (stuck) {
        this.pulses = true;
        // A bar crosses the wire that is without credit.
        pen.setLineDash([]);
        pen.globalAlpha = 0.35 + 0.65 * frame.pulse;
        pen.lineWidth = 2.2;
        const [dx, dy] = unit(points[2] - points[0], points[3] - points[1]);
        pen.beginPath();
        pen.moveTo(points[0] + 3 * dx - 4.5 * dy, points[1] + 3 * dy + 4.5 * dx);
        pen.lineTo(points[0] + 3 * dx + 4.5 * dy, points[1] + 3 * dy - 4.5 * dx);
        pen.stroke();
      }
    }
    if (state !== LANES && state !== HEADS) return;
    pen.globalAlpha = 0.5 + 0.5 * frame.pulse;
    pen.strokeStyle = theme.lanes;
    pen.setLineDash([2, 2]);
    pen.lineWidth = Math.max(1.3, 1 / frame.scale);
    this.pulses = true;
    for (const { lanes } of unowned(store, k)) {
      for (const o of lanes.slice(0, 2)) arrow(pen, x, y, meta.outputs[o].points[0], meta.outputs[o].points[1], true);
    }
  }

  /** Marks at the fronts of FIFOs whose worms wait: a shape and a colour for each reason. */
  private waits(pen: Pen, store: Store, geometry: Geometry, theme: Theme, frame: Frame, only: number): void {
    const { meta } = store, tracks = store.inputs;
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    for (const [state, colour, text] of [[TOKEN, theme.token, "token"], [LANES, theme.lanes, "lane"], [HEADS, theme.lanes, "heads"], [BLOCKED, theme.blocked, "without credit"]] as [number, string, string][]) {
      pen.fillStyle = colour;
      pen.beginPath();
      for (let k = 0; k < tracks.count; k++) {
        const e = tracks.now[k];
        if (e < 0 || tracks.state[e] !== state || (only >= 0 && tracks.worm[e] !== only)) continue;
        const { at, inward } = meta.inputs[k], r = Math.min(Math.max(2.4, 2.6 / frame.scale), Math.max(2.4, geometry.width[k]));
        if (!seen(frame, at[0], at[1], 80)) continue;
        let [x, y] = geometry.front(k);
        x += 0.8 * r * inward[0];
        y += 0.8 * r * inward[1];
        if (state === TOKEN) {
          pen.moveTo(x, y - r * 1.2); pen.lineTo(x + r * 1.2, y); pen.lineTo(x, y + r * 1.2); pen.lineTo(x - r * 1.2, y);
        } else if (state === LANES || state === HEADS) {
          pen.moveTo(x, y - r * 1.1); pen.lineTo(x + r * 1.1, y + r * 0.9); pen.lineTo(x - r * 1.1, y + r * 0.9);
        } else {
          pen.moveTo(x - r, y - r); pen.lineTo(x + r, y - r); pen.lineTo(x + r, y + r); pen.lineTo(x - r, y + r);
        }
        pen.closePath();
        if (frame.scale < 2) continue;
        pen.font = `bold 4px ${FONT}`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(`w${tracks.worm[e]} ${text}`, x, y + r + 3);
      }
      pen.fill();
    }
  }

  private nodes(pen: Pen, store: Store, theme: Theme, frame: Frame, only: number): void {
    const { meta } = store, c = store.consumptions;
    for (let k = 0; k < c.count; k++) {
      const e = c.now[k];
      if (e < 0 || !c.valid[e]) continue;
      const node = meta.nodes[meta.consumptions[k].node];
      if (!seen(frame, node.receive[0], node.receive[1], node.radius)) continue;
      const other = only >= 0 && only !== c.worm[e];
      pen.globalAlpha = other ? OTHERS : 1;
      pen.strokeStyle = other ? theme.faint : wormColour(theme, c.worm[e]);
      pen.lineWidth = Math.max(3, 2 / frame.scale);
      pen.beginPath();
      pen.moveTo(node.receive[0] + node.radius, node.receive[1]);
      pen.arc(node.receive[0], node.receive[1], node.radius, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    // Marks show the nodes that send, and the number of messages that wait at each.
    for (let k = 0; k < store.injections.count; k++) {
      const e = store.injections.now[k];
      if (e < 0) continue;
      const queue = store.injections.extra[e], node = meta.nodes[meta.injections[k].node];
      if (!queue && !store.injections.valid[e]) continue;
      if (!seen(frame, node.send[0], node.send[1], node.radius)) continue;
      if (store.injections.valid[e]) {
        const other = only >= 0 && only !== store.injections.worm[e];
        pen.fillStyle = other ? theme.faint : wormColour(theme, store.injections.worm[e]);
        pen.globalAlpha = other ? 0.5 * OTHERS : 0.4;
        pen.beginPath();
        pen.moveTo(node.send[0] + node.radius, node.send[1]);
        pen.arc(node.send[0], node.send[1], node.radius * 0.92, 0, 2 * Math.PI);
        pen.fill();
        pen.globalAlpha = 1;
      }
      if (queue > 1 && node.radius * frame.scale > 7) {
        pen.fillStyle = theme.faint;
        pen.font = `${Math.min(6, 0.8 * node.radius)}px ${FONT}`;
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        pen.fillText(`+${queue - (store.injections.valid[e] ? 1 : 0)}`, node.send[0] + 0.75 * node.radius, node.send[1] + 1.1 * node.radius);
      }
    }
  }
}
