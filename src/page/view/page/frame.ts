// Frames, and the values that drawing one needs.

import { Heat } from "./heat";
import { Pen } from "./pen";

export interface Frame {
  /** Part of the cycle that has passed, 0 to 1. */
  phase: number;
  /** Whether time passes, slowly enough to see tokens on their way. */
  flows: boolean;
  /** Whether flits are drawn on their way, or the wires that they cross. */
  moving: boolean;
  /** Pixels for each picture unit. */
  scale: number;
  /** From 0 to 1 and back, for parts that pulse. */
  pulse: number;
  /** Only the chosen worm in colour. */
  alone: boolean;
  /** Drawing in place of a moment, and the number of the run. */
  heat?: Heat | null;
  run?: number;
  /** Visible part of the picture. */
  view: { left: number; top: number; right: number; bottom: number };
}

/** Opacity of the other worms where one worm alone is in colour. They are grey then. */
export const OTHERS = 0.25;
export const FONT = `"DejaVu Sans", Verdana, sans-serif`;

/** Whether something so large around a place is in view. */
export function seen(frame: Frame, x: number, y: number, r: number): boolean {
  const v = frame.view;
  return x + r >= v.left && x - r <= v.right && y + r >= v.top && y - r <= v.bottom;
}

/** Directions that are nearly along an axis, because bars along it are drawn faster. */
export const round = (d: number): number => (Math.abs(d) < 0.001 ? 0 : Math.abs(d) > 0.999 ? Math.sign(d) : d);

export function unit(dx: number, dy: number): [number, number] {
  const length = Math.max(Math.hypot(dx, dy), 1e-9);
  return [dx / length, dy / length];
}

/** A line, with a head or without. */
export function arrow(pen: Pen, x: number, y: number, u: number, v: number, head: boolean): void {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(u, v);
  pen.stroke();
  if (!head) return;
  const [dx, dy] = unit(u - x, v - y);
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(u - 4 * dx - 2.4 * dy, v - 4 * dy + 2.4 * dx);
  pen.lineTo(u, v);
  pen.lineTo(u - 4 * dx + 2.4 * dy, v - 4 * dy - 2.4 * dx);
  pen.stroke();
  pen.setLineDash([2, 2]);
}
