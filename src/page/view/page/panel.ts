// The panel at the side: the selection, the reason of its wait, the command of its waveform, and
// the meaning of the marks.

import { byId, el } from "./dom";
import { Wait, waits } from "./format";
import { legend } from "./legend";
import { compared } from "./compare";
import { acting, follow, inRun, link, nodes, Page } from "./page";
import { inputPart, outputPart, Part, wormPart } from "./reason";
import { channelDetail, inputDetail, linkDetail, nodeDetail } from "./details";
import { Run, Selection } from "./selection";
import { command, summary } from "./summary";
import { switchDetail } from "./switchdetail";
import { wormDetail } from "./wormdetail";

const MOST_FAILURES = 12;
const title = (run: Run, k: number): Node => el("h2", { className: "run" }, el("b", {}, "AB"[k]), ` ${run.store.meta.title}`);

export class Panel {
  private readonly element = byId("panel");
  private readonly detail = el("section");
  private readonly wave = el("section");
  private readonly knot = el("section", { hidden: true });
  private readonly failed = el("section", { hidden: true });
  private readonly summaries = new Map<Run, Node[]>();
  private readonly both = el("section", { id: "both", hidden: true });
  private drawn = { t: -1, key: "", at: 0, theme: "" };
  private readonly keys: HTMLElement;

  constructor(private readonly page: Page) {
    acting(page);
    this.detail.id = "detail";
    this.knot.id = "knot";
    this.failed.id = "failed";
    this.keys = el("section", { id: "legend" });
    this.element.append(this.failed, this.knot, this.both, this.detail, this.wave, this.keys);
    this.element.addEventListener("pointerdown", follow);
    this.element.addEventListener("keydown", follow);
  }

  /** Writes the panel anew where something changed, and some times a second while a run plays. */
  update(now: number, force = false): void {
    const { page } = this, run = page.runs[page.active];
    const key = `${page.active} ${JSON.stringify(run.selection)}`, theme = page.theme.ground;
    const same = key === this.drawn.key && theme === this.drawn.theme;
    if (same && !force && (run.store.t === this.drawn.t || (page.player.playing && now - this.drawn.at < 160))) return;
    if (theme !== this.drawn.theme && page.runs.length > 1) {
      this.both.hidden = false;
      this.both.replaceChildren(...compared(page));
    }
    if (theme !== this.drawn.theme) this.keys.replaceChildren(...legend(page.theme, run.store.meta.stations.length > 0));
    this.drawn = { t: run.store.t, key, at: now, theme };
    const scroll = same ? this.element.scrollTop : 0, focus = this.focused();
    this.detail.replaceChildren(...(page.runs.length > 1 && run.selection?.kind === "worm" ? this.inBoth(run.selection.worm) : inRun(page.active, () => this.about(run))));
    this.writeKnot(run);
    this.writeFailed(run);
    this.writeCommand(run);
    this.element.scrollTop = scroll;
    focus();
  }

  /** The focused element is written anew. This gives the focus to the element that then has its place. */
  private focused(): () => void {
    const at = document.activeElement, able = "a, button, summary, [tabindex]";
    if (!(at instanceof HTMLElement) || at === this.element || !this.element.contains(at)) return () => {};
    const before = [...this.element.querySelectorAll(able)], place = before.indexOf(at), text = at.textContent;
    return () => {
      if (at.isConnected) return;
      const now = [...this.element.querySelectorAll<HTMLElement>(able)];
      (now.slice(Math.max(0, place - 3), place + 4).find((of) => of.textContent === text) ?? now[Math.min(place, now.length - 1)] ?? this.element).focus({ preventScroll: true });
    };
  }

  /** The summary of a run, which does not change. */
  private whole(run: Run): Node[] {
    if (!this.summaries.has(run)) this.summaries.set(run, summary(run));
    return this.summaries.get(run) ?? [];
  }

  /** A worm that is chosen, in each run that has it. */
  private inBoth(worm: number): Node[] {
    const took = this.page.runs.map(({ store }) => {
      const of = store.worm(worm);
      return of && of.delivered.length === of.to.length ? `${Math.max(...of.delivered.map((d) => d[3])) - of.created} cycles` : "not wholly arrived";
    });
    const verdict = el("p", {}, el("b", {}, `Worm ${worm}: A ${took[0]}, B ${took[1]}${took[0] === took[1] ? ", alike" : ""}`));
    return [verdict, ...this.page.runs.flatMap((run, k) => {
      const page = { ...this.page, select: (to: Selection) => this.page.select(to, k) };
      return inRun(k, () => [title(run, k),
        ...(run.selection?.kind === "worm" ? wormDetail(page, run, worm) : [el("p", {}, `The same worm ${worm} is not in this run.`)])]);
    })];
  }

  private about(run: Run): Node[] {
    const { selection } = run, { page } = this;
    if (!selection) {
      return [...(page.runs.length > 1 ? page.runs.flatMap((of, k) => [title(of, k), ...inRun(k, () => this.whole(of))]) : this.whole(run)), ...this.waiting(run)];
    }
    switch (selection.kind) {
      case "worm": return wormDetail(page, run, selection.worm);
      case "switch": return switchDetail(page, run, selection.switch);
      case "link": return linkDetail(page, run, selection.output);
      case "injection": return channelDetail(page, run, selection.channel);
      case "input": return inputDetail(page, run, selection.input, selection.cell);
      case "node": return nodeDetail(page, run, selection.node);
    }
  }

  /** Worms that wait now. */
  private waiting(run: Run): Node[] {
    const { store } = run, found: Node[] = [];
    for (let k = 0; k < store.inputs.count && found.length < 30; k++) {
      const state = store.stateAt(k);
      if (!waits(state)) continue;
      found.push(el("li", {}, ...nodes([wormPart(store.wormAt(k)), ` ${store.meta.states[state]} at `, inputPart(store, k)])));
    }
    return found.length ? [el("h3", {}, "Waiting now"), el("ul", {}, ...found)] : [];
  }

  /** The circle of a deadlock in words. */
  private writeKnot(run: Run): void {
    const { store } = run, deadlock = store.meta.deadlock;
    this.knot.hidden = !deadlock || store.t < deadlock.cycle;
    if (!deadlock || this.knot.hidden) return;
    const wanted = ({ outputs, space, owners, token }: Wait): Part[][] => [
      ...outputs.map((o, i): Part[] => [space[i] ? "space behind " : "", outputPart(store, o), space[i] ? ", taken by " : " owned by ", wormPart(owners[i])]),
      ...(token === null ? [] : [["the token, held by ", wormPart(token)]])];
    const items = deadlock.circle.map((entry) => el("li", {}, ...nodes([wormPart(entry.worm), " at ", inputPart(store, entry.input), " waits for ",
      ...wanted(entry).flatMap((parts, i) => [i ? " or " : "", ...parts])])));
    const text = el("details", {}, el("summary", {}, store.meta.freed ? "All of it, as wormscope deadlock prints it" : "Who holds what"), el("code", { textContent: store.meta.freed?.text ?? deadlock.text, className: "wide", tabIndex: 0 }));
    text.open = this.knot.querySelector("details")?.open ?? false;
    this.knot.replaceChildren(el("h2", { className: "bad" }, "Deadlock"), el("p", {}, "Final at ", link(`cycle ${deadlock.cycle}`, null, deadlock.cycle),
      `, detected at ${deadlock.detected}. Each waits for what the next one holds; no arbiter can free them:`), el("ol", {}, ...items), text);
  }

  /** Differences from the expectations of a testbench. */
  private writeFailed(run: Run): void {
    const { failures } = run.store.meta;
    this.failed.hidden = !failures.length;
    const items = failures.slice(0, MOST_FAILURES).map(({ cycle, since, why, worm, text }) => el("li", {}, text,
      ...(cycle === null ? [] : [" ", link(`cycle ${cycle}`, null, cycle)]), ...(worm === null ? [] : [" ", ...nodes([wormPart(worm)])]),
      why === null ? null : el("p", {}, `Why: ${why} `, since === null ? null : link(`cycle ${since}`, null, since))));
    const more = failures.length > MOST_FAILURES ? el("p", { className: "faint" }, `and ${failures.length - MOST_FAILURES} more`) : null;
    this.failed.replaceChildren(el("h2", { className: "bad" }, "Not as expected"), el("ol", {}, ...items), ...(more ? [more] : []));
  }

  private writeCommand(run: Run): void {
    const { meta } = run.store, { selection, store } = run;
    this.wave.hidden = !meta.rerun;
    let [from, until] = [Math.max(meta.from, store.t - 50), Math.min(meta.until, store.t + 50)];
    let follows = "";
    if (selection?.kind === "worm") {
      const k = store.wormIndex.get(selection.worm);
      follows = ` --follow ${selection.worm}`;
      if (k !== undefined && store.began[k] < store.ended[k]) {
        [from, until] = [Math.max(meta.from, Math.min(store.began[k], meta.worms[k].created)), Math.min(meta.until, store.ended[k] + 2)];
      }
    }
    const made = command(`${meta.rerun} --wave view.fst --wave-window ${from}..${until}${follows}`, "The same cycles as a waveform, with the chosen worm followed:");
    made.id = "command";
    this.wave.replaceChildren(el("h2", {}, "In a waveform viewer"), made);
  }
}
