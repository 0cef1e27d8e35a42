// The contents of the page as values, for tests and for scripts.

import { root, sums, waitsAt } from "./account";
import { moment, span } from "./export";
import { Page } from "./page";
import { inputName } from "./reason";
import { stripe, wormColour } from "./palette";
import { Selection } from "./selection";
import { ChannelTracks } from "./tracks";
import { WormLanes } from "./worms";

function channels(tracks: ChannelTracks, t: number, depth: (k: number) => number): { valid: boolean; worm: number; flit: number; credits: number; extra: number }[] {
  return Array.from({ length: tracks.count }, (_, k) => {
    const e = tracks.find(k, t);
    if (e < 0) return { valid: false, worm: -1, flit: -1, credits: depth(k), extra: -1 };
    const valid = tracks.valid[e] === 1;
    return { valid, worm: valid ? tracks.worm[e] : -1, flit: valid ? tracks.flit[e] + t - tracks.cycle[e] : -1, credits: tracks.credits[e], extra: tracks.extra[e] };
  });
}

export function publish(page: Page, lanes: WormLanes, frameTimes: number[]): void {
  const api = {
    /** Registers of all lanes in a cycle, of a run. */
    at(t: number, run = 0): object {
      const { store } = page.runs[run], { meta, inputs, stations } = store, cells: number[] = [], here = store.t;
      store.seek(t);
      const wire = (feeder: number): number[][] => {
        store.onWire(feeder, cells);
        return Array.from({ length: cells.length / 3 }, (_, i) => cells.slice(3 * i, 3 * i + 3));
      };
      const shown = {
        inputs: meta.inputs.map((input, k) => {
          const e = inputs.find(k, t), count = e < 0 ? 0 : inputs.held[e];
          store.cells(k, t, count, cells);
          const pairs = Array.from({ length: count }, (_, c) => [cells[2 * c], cells[2 * c + 1]]);
          const masks = (list: Uint32Array): number[] => (e < 0 ? [] : store.masks.list[list[e]]);
          return { name: `${meta.switches[input.switch].name}.${input.name}`, exists: input.exists, count, state: e < 0 ? 0 : inputs.state[e], worm: e < 0 ? -1 : inputs.worm[e],
            branches: masks(inputs.branches), taken: masks(inputs.taken), cells: pairs };
        }),
        outputs: channels(store.outputs, t, (k) => store.outputDepth(k)).map(({ extra, ...rest }, k) => ({ name: `${meta.switches[meta.outputs[k].switch].name}.${meta.outputs[k].name}`, exists: meta.outputs[k].points.length > 0, ...rest, owner: extra, wire: wire(k) })),
        injections: channels(store.injections, t, (k) => store.injectionDepth(k)).map(({ extra, ...rest }, k) => ({ name: `${meta.injections[k].node}.${meta.injections[k].name}`, ...rest, queue: Math.max(0, extra), wire: wire(-1 - k) })),
        consumptions: channels(store.consumptions, t, () => 0).map(({ valid, worm, flit }, k) => ({ name: `${meta.consumptions[k].node}.${meta.consumptions[k].name}`, valid, worm, flit })),
        tokens: meta.stations.map((station, k) => {
          const e = stations.find(k, t);
          return { name: meta.switches[station.switch].name, here: e >= 0 && stations.here[e] === 1, holder: e < 0 ? -1 : stations.holder[e], request: e < 0 ? [] : store.masks.list[stations.request[e]] };
        }),
      };
      store.seek(here);
      return shown;
    },
    seek: (t: number): void => page.seek(t),
    select: (selection: Selection | { worm: number }, run = page.active): void => {
      page.select(selection && !("kind" in selection) ? { kind: "worm", worm: selection.worm } : selection, run);
    },
    selection: (run = page.active): Selection => page.runs[run].selection,
    now: (): number => page.player.t,
    playing: (): boolean => page.player.playing,
    span: (run = 0): [number, number] => [page.runs[run].store.meta.from, page.runs[run].store.meta.until],
    meta: (run = 0): object => page.runs[run].store.meta,
    summary: (run = 0): object => { const { crossing, blocked, underWay } = page.runs[run].store; return { crossing: [...crossing], blocked: [...blocked], underWay: [...underWay] }; },
    /** Cycles of each cause, for each worm. */
    accounts: (run = 0): object => {
      const { meta, accounts } = page.runs[run].store;
      return meta.worms.map((worm, k) => ({ worm: worm.id, cycles: Object.fromEntries(sums(accounts[k]).map(([cause, n]) => [meta.causes[cause], n])) }));
    },
    /** Input lanes and worms from where a worm waits in a cycle to the root. */
    root: (worm: number, t: number, run = 0): { lane: string; worm: number }[] => {
      const { store } = page.runs[run], k = store.wormIndex.get(worm) ?? -1, here = store.t;
      store.seek(t);
      const input = k < 0 ? -1 : waitsAt(store, k), found = input < 0 ? [] : root(store, input).chain.map((step) => ({ lane: inputName(store, step.input), worm: step.worm }));
      store.seek(here);
      return found;
    },
    /** Worms that have a lane by time, from top to bottom. */
    lanes: (): number[] => lanes.worms(),
    colours: (): object => page.theme,
    /** Load of links and fill of FIFOs over the brushed span, in the order of `meta`. */
    heat: (): object | null => page.heat,
    /** Colour and stripes of a worm's flits. */
    look: (worm: number): string => JSON.stringify([wormColour(page.theme, worm), stripe(page.theme, worm)]),
    /** Place on the screen of a place in the picture. */
    screen: (x: number, y: number, run = 0): [number, number] => {
      const view = page.views[run], box = view.element.getBoundingClientRect();
      return [box.left + view.x + x * view.scale, box.top + view.y + y * view.scale];
    },
    /** Place of a cycle in the band. */
    band: (t: number): [number, number] => {
      const box = page.timeline.canvas.getBoundingClientRect();
      return [box.left + page.timeline.place(t), box.top + box.height / 2];
    },
    geometry: (run = 0): object => page.runs[run].geometry,
    view: (run = 0): object => page.views[run],
    /** A moment as SVG. With cycles from..until, an SVG that moves. */
    svg: (run = page.active): string => moment(page, page.runs[run]),
    animation: (from: number, until: number, speed = 10, run = page.active): string => span(page, page.runs[run], from, until, speed),
    /** Milliseconds from frame to frame, for the last frames while playing, and the milliseconds that drawing took. */
    frameTimes: (): number[] => [...frameTimes],
  };
  (window as unknown as { wormscope: typeof api }).wormscope = api;
}
