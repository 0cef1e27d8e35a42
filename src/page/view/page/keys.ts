// The keyboard, and the help that lists its keys.

import { byId, el } from "./dom";
import { Page } from "./page";
import { SPEEDS } from "./player";

const KEYS: [string, string][] = [["space", "play or pause"], ["\u2190 \u2192", "a cycle back or on; with shift, or by page up and down, 10"], ["Home End", "first and last cycle"], [", .", "slower, faster"],
  ["+ \u2212", "zoom the network; the wheel and dragging do as well"], ["h j k l", "move the network left, down, up, right"], ["0", "the whole network"], ["[ ]", "zoom the time line"], ["{ }", "move the time line; shift and drag does as well"], ["f", "only the chosen worm in colour"], ["w", "worms by time: a lane for each, below the network"], ["m", "heat over a span of cycles: brush it on the time line"],
  ["n p", "next and previous wait of the chosen worm"], ["/", "search"], ["d", "dark or light"], ["Esc", "close, choose nothing"], ["?", "this page"]];

export interface Actions { search(): void; theme(): void; alone(): void; heat(): void; lanes(): void; help(): void; speed(by: number): void }

export function help(): void {
  const dialog = byId<HTMLDialogElement>("keys");
  const close = el("button", { type: "button", textContent: "Close" });
  close.onclick = () => dialog.close();
  dialog.replaceChildren(el("h2", {}, "Keys"), el("table", {}, ...KEYS.map(([key, what]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, what)))),
    el("p", {}, "Click a flit for its worm, a switch for its blocks, a wire for who uses it, a node for its messages. Search takes worm 7, multicast 7 (worm 7 if it is a multicast, else the 7th multicast), n3, rt_1_2, rt_1_2.out0, an encoding. The band below shows flits that cross (up), lanes that wait (down) and worms under way (line)."), close);
  if (!dialog.open) dialog.showModal();
}

export function listen(page: Page, actions: Actions): void {
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = e.target;
    const typing = at instanceof HTMLInputElement && at.type !== "checkbox" || at instanceof HTMLSelectElement;
    if (e.key === "Escape") {
      if (document.querySelector("dialog[open]")) return;
      if (typing) (at as HTMLElement).blur(); else page.select(null);
      return;
    }
    if (typing || document.querySelector("dialog[open]")) return;
    const { player } = page, by = e.shiftKey ? 10 : 1, around = player.t + 0.5;
    const does: Record<string, () => void> = {
      " ": () => player.toggle(), ArrowLeft: () => player.step(-by), ArrowRight: () => player.step(by), Home: () => player.step(-Infinity), End: () => player.step(Infinity),
      "+": () => page.views[0].zoom(1.25), "=": () => page.views[0].zoom(1.25), "-": () => page.views[0].zoom(0.8),
      "0": () => page.views.forEach((v) => v.fit()), "[": () => page.timeline.zoom(1.4, around), "]": () => page.timeline.zoom(1 / 1.4, around),
      f: actions.alone, m: actions.heat, w: actions.lanes, d: actions.theme, "/": actions.search, "?": actions.help, ",": () => actions.speed(-1), ".": () => actions.speed(1), n: () => wait(page, 1), p: () => wait(page, -1),
      PageUp: () => player.step(-10), PageDown: () => player.step(10), "{": () => page.timeline.shift(-0.2), "}": () => page.timeline.shift(0.2),
      h: () => page.views[0].pan(60, 0), l: () => page.views[0].pan(-60, 0), k: () => page.views[0].pan(0, 60), j: () => page.views[0].pan(0, -60),
    };
    const act = does[e.key];
    // The focused element gets the keys that it uses itself.
    const own = at instanceof HTMLElement && (e.key === " " ? at.matches("button, input, summary, [role=link]") : e.key.startsWith("Arrow") && at.matches(".scroll, .wide"));
    if (!act || own) return;
    e.preventDefault();
    act();
  });
}

/** The next wait of the chosen worm, or of any. */
function wait(page: Page, by: number): void {
  const { store, selection } = page.runs[page.active], t = page.player.t;
  const all = store.waitsList.filter((w) => selection?.kind !== "worm" || w.worm === selection.worm);
  const next = by > 0 ? all.find((w) => w.from > t) : all.filter((w) => w.from < t).pop();
  if (next) { page.player.pause(); page.seek(next.from); }
}

export const nextSpeed = (speed: number, by: number): number => SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + by))];
