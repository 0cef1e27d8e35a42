// A run as a whole in the panel: its warnings, its numbers, its configuration, the cures of its
// deadlock.

import { copy, el, table } from "./dom";
import { link } from "./page";
import { Run } from "./selection";

/** A command below its purpose, and a button that copies it. */
export function command(text: string, ...about: (Node | string)[]): HTMLElement {
  const code = el("code", { textContent: text }), button = el("button", { type: "button", textContent: "Copy", ariaLabel: `Copy ${text}` });
  button.onclick = () => { copy(text, code); button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1200); };
  return el("div", { className: "command" }, button, ...about, code);
}

function fields(rows: string[][], heads: string[]): Node {
  const made = table(heads, rows.map(([path, ...rest]) => [path.replace(/^network\./, ""), ...rest]));
  made.className = "fields";
  return made;
}

export function summary({ store: { meta } }: Run): Node[] {
  const found: Node[] = [el("h2", {}, "The run as a whole"), el("p", {}, `${meta.network}; seed ${meta.seed}; ${meta.ended} after ${meta.cycles} cycles`)];
  if (meta.warnings.length) found.push(el("h3", {}, `Warnings: ${meta.warnings.length}`), el("ul", { className: "warnings" }, ...meta.warnings.map((text) => el("li", {}, text))));
  if (meta.freed) found.push(...freed(meta.freed, meta.rerun));
  if (meta.advised) found.push(...advised(meta.advised, meta.rerun));
  found.push(el("h3", {}, "Report"), table([], meta.brief.map(([name, text]) => [el("span", { className: "faint" }, name), text])), folded("All of it, as wormscope run prints it", meta.report));
  found.push(el("h3", {}, "Configuration: what is not as by default"), meta.changed.length ? fields(meta.changed, ["field", "value", "default"]) : el("p", {}, "Only the topology and the workload are set."),
    fields(meta.workload, ["workload", "value"]));
  return found;
}

function advised({ about, header, rows, options, next, picture }: NonNullable<Run["store"]["meta"]["advised"]>, rerun: string): Node[] {
  // The panel is narrow: values and shares of the area are left out, and so is an empty column.
  const used = header.map((_, i) => i).filter((i) => header[i] !== "value" && header[i] !== "%" && rows.some((row) => row[i] !== "")), numbers = used.map((_, i) => i).filter((i) => i > 0 && used[i] < header.length - 1);
  const made = table(used.map((i) => header[i]), rows.map((row, n) => used.map((i) => i === 0 ? el("span", { title: rerun + options[n] }, row[i]) : row[i])), numbers);
  const shown = el("img", { src: picture, alt: "Gain of each change against its added area" });
  shown.onclick = () => { shown.classList.toggle("large"); };
  return [el("h3", {}, "What to enlarge next"), ...about.trim().split("\n").map((line) => el("p", {}, line)), el("div", { className: "picture", title: "Click to enlarge" }, shown), el("div", { className: "wide-table", tabIndex: 0, role: "region", ariaLabel: "Gains and costs of changes" }, made),
    next === null ? el("p", {}, "No change gains anything beyond noise.") : command(rerun + next, "The change with the most gain for each GE:")];
}

function folded(title: string, text: string): Node {
  const code = el("code", { className: "wide", textContent: text, tabIndex: 0, role: "region", ariaLabel: title });
  return el("details", {}, el("summary", {}, title), code);
}

function freed({ cures, command: explain, noReturn, wayOut }: NonNullable<Run["store"]["meta"]["freed"]>, rerun: string): Node[] {
  const [first, ...rest] = noReturn.trim().split("\n");
  return [el("h3", {}, cures.length ? "What frees the deadlock" : "Nothing that was tried frees the deadlock"),
    ...cures.map(({ change, told, ended, options }) => command((rerun || explain) + options, el("b", {}, change), `: ${told}, ${ended}`)),
    el("h3", {}, "Point of no return"), el("p", {}, first, " ", wayOut && link(`Cycle ${wayOut[0]}`, wayOut[1] === null ? null : { kind: "worm", worm: wayOut[1] }, wayOut[0])),
    el("p", { className: "faint" }, rest.join(" ")), command(explain, "The command that explains it:")];
}
