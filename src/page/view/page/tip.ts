// A word about the thing under the pointer.

import { byId } from "./dom";
import { Hit } from "./geometry";
import { inputName, outputName, plain, reason } from "./reason";
import { Run } from "./selection";

export function tip(run: Run, hit: Hit | null, x: number, y: number): void {
  const element = byId("tip");
  element.hidden = !hit;
  if (!hit) return;
  element.textContent = text(run, hit);
  const box = element.getBoundingClientRect();
  element.style.left = `${Math.min(x + 14, innerWidth - box.width - 6)}px`;
  element.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 8 : y + 18}px`;
}

function text({ store }: Run, hit: Hit): string {
  const { meta } = store;
  switch (hit.kind) {
    case "input": {
      const held = store.heldAt(hit.input), cells: number[] = [], worm = store.wormAt(hit.input);
      store.cells(hit.input, store.t, held, cells);
      const cell = hit.cell < held ? `\nworm ${cells[2 * hit.cell]}, flit ${cells[2 * hit.cell + 1]}` : "";
      const why = worm >= 0 ? `\n${meta.states[store.stateAt(hit.input)]} w${worm}: ${plain(reason(store, hit.input))}` : "";
      return `${inputName(store, hit.input)}  ${held} of ${meta.inputs[hit.input].depth} flits${cell}${fold(why)}`;
    }
    case "link": {
      const owner = store.ownerWorm(hit.output), e = store.outputs.now[hit.output];
      const crosses = store.crossesAt(hit.output) ? `\ncrosses: worm ${store.outputs.worm[e]}, flit ${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}` : "";
      return `${outputName(store, hit.output)}\n${owner >= 0 ? `owned by worm ${owner}` : "free"}, ${store.creditsAt(hit.output)} credits${crosses}`;
    }
    case "injection": return `injection channel of ${meta.nodes[meta.injections[hit.channel].node].name}`;
    case "switch": return meta.switches[hit.switch].name;
    case "node": return `node ${meta.nodes[hit.node].name}`;
  }
}

/** Lines that are not too long. */
function fold(line: string): string {
  let [folded, at] = ["", 0];
  for (const word of line.split(" ")) {
    at += word.length + 1;
    if (at > 60) { folded += "\n  "; at = word.length; }
    else if (folded) folded += " ";
    folded += word;
  }
  return folded;
}
