// The selection, and the messages between the parts of the page.

import { Geometry } from "./geometry";
import { Store } from "./store";

export type Selection = { kind: "worm"; worm: number } | { kind: "switch"; switch: number } | { kind: "link"; output: number }
  | { kind: "injection"; channel: number } | { kind: "input"; input: number; cell: number } | { kind: "node"; node: number } | null;

/** A run as it is shown. */
export interface Run { store: Store; geometry: Geometry; selection: Selection }

/** The worm that a selection is about now; -1: none. */
export function wormOf(run: Run): number {
  const { selection, store } = run;
  if (!selection) return -1;
  if (selection.kind === "worm") return selection.worm;
  if (selection.kind === "input") {
    const cells: number[] = [], held = store.heldAt(selection.input);
    if (selection.cell < held) {
      store.cells(selection.input, store.t, held, cells);
      return cells[2 * selection.cell];
    }
    return store.wormAt(selection.input);
  }
  return -1;
}
