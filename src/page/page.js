"use strict";
// The page of a sweep. `data` is what wormscope wrote: columns, points with an estimate [mean, half width, runs, squared error] or null
// for each metric; of one that is not sound the estimate ends with why: ["saturated"], ["stopped by max_cycles"] or ["a run deadlocks"]. Nothing from it is ever parsed as HTML: every text goes through textContent.
const data = JSON.parse(document.getElementById("data").textContent);
const { axes, metrics, points } = data;
const byId = (id) => document.getElementById(id);
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#6b6b6b", "#8b4513"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
const FIRST_ROWS = 200;
let chosen = null, shown = points, sorted = { column: "point", down: false }, limit = FIRST_ROWS;

// ---- values ----

const columns = [...axes.map((axis, i) => ({ ...axis, axis: i })), ...metrics.map((metric, i) => ({ ...metric, metric: i }))];
const named = new Map(columns.map((column) => [column.name, column]));
const label = (column) => {
  const unit = [column.unit, column.estimate ? "estimate" : ""].filter(Boolean).join(", ");
  return unit ? `${column.name} (${unit})` : column.name;
};
const isNumber = (column) => column.metric !== undefined || column.numeric;
// The estimate of a column for a point; what an axis is set to is exact.
function estimate(point, column) {
  if (column.metric !== undefined) return point.values[column.metric];
  const value = Number(point.axes[column.axis]);
  return column.numeric && Number.isFinite(value) ? [value, 0, 1, 0] : null;
}
// Why an estimate is not sound, as `wormscope explore` judges it, if it is not.
const flaw = (estimates) => estimates.map((found) => found[4]).find(Boolean);
const isStuck = (why) => why === "a run deadlocks";
const mean = (point, column) => estimate(point, column)?.[0] ?? null;
function short(value) {
  if (value === null) return "";
  if (value === 0) return "0";
  const digits = Math.abs(value) >= 1e5 ? 7 : 5;
  return String(Number(value.toPrecision(digits)));
}
function told(found) {
  if (!found) return "";
  const [middle, half] = found;
  if (!half) return short(middle);
  const decimals = Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(half))));
  return `${middle.toFixed(decimals)} ± ${half.toFixed(decimals)}`;
}
const setting = (point) => axes.map((axis, i) => `${axis.name} ${point.axes[i]}`).join("\n");
const hardware = (point) => JSON.stringify(data.hardware.map((i) => point.axes[i]));

// ---- noise: as `wormscope explore` has it ----

// Student's quantile for 95 %, two-sided, after Hill (Algorithm 396 of the ACM).
function student(n) {
  const p = 0.05;
  if (n < 1.000001) return 1 / Math.tan(p * Math.PI / 2);
  if (Math.abs(n - 2) < 1e-9) return Math.sqrt(2 / (p * (2 - p)) - 2);
  const a = 1 / (n - 0.5), b = 48 / (a * a);
  let c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt(a * Math.PI / 2) * n;
  let y = Math.pow(d * p, 2 / n);
  if (y > 0.05 + a) {
    const x = -1.959963984540054;
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) + 1 / y;
  }
  return Math.sqrt(n * y);
}
function differs(one, other) {
  const error = one[3] + other[3], difference = Math.abs(one[0] - other[0]);
  if (error === 0) return difference > 0;
  if (difference <= 1.95 * Math.sqrt(error)) return false;
  const part = (e) => e[3] * e[3] / (Math.max(e[2], 2) - 1);
  return difference > student(error * error / (part(one) + part(other))) * Math.sqrt(error);
}
function relation(one, other, signs) {
  let worse = false, better = false, clearly = false;
  for (let i = 0; i < signs.length; i++) {
    const gain = signs[i] * (one[i][0] - other[i][0]);
    if (gain === 0) continue;
    const clear = differs(one[i], other[i]);
    if (gain < 0 && clear) return "";
    if (gain < 0) worse = true; else better = true;
    if (gain > 0 && clear) clearly = true;
  }
  if (!worse && clearly) return "dominated";
  return (worse && clearly) || (!worse && better && !clearly) ? "tie" : "";
}
// Standing of each of some points: "front", "tie" or "dominated". What can deadlock dominates nobody.
function standings(candidates, signs) {
  return candidates.map((one) => {
    let standing = "front";
    for (const other of candidates) {
      if (other === one || other.point.canDeadlock) continue;
      const found = relation(other.values, one.values, signs);
      if (found === "dominated") return found;
      if (found) standing = found;
    }
    return standing;
  });
}

// ---- filter: words, and comparisons such as load<=0.2 or fifo_depth=4,8 ----

// The texts between characters that `at` takes, outside of brackets and strings.
function parts(text, at) {
  const found = [""];
  let depth = 0, quoted = false;
  for (const c of text) {
    if (c === "\"") quoted = !quoted;
    else if (!quoted && (c === "(" || c === "[")) depth++;
    else if (!quoted && (c === ")" || c === "]")) depth--;
    if (depth <= 0 && !quoted && at.test(c)) found.push(""); else found[found.length - 1] += c;
  }
  return found;
}
const cut = (text) => text.length > 60 ? `${text.slice(0, 57)}...` : text;
const few = (names) => names.length > 12 ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more` : names.join(", ");
const isEnd = (path, name) => path === name || path?.endsWith(`.${name}`);
// The column of a name that may be short, as `wormscope explore` takes it.
function columnOf(name) {
  const [metric, ...rest] = name.split("."), whole = data.short.find(([short]) => short === metric)?.[1];
  const exact = named.get(name) ?? columns.find((column) => column.path === name) ?? (whole && named.get([whole, ...rest].join(".")));
  if (exact) return exact;
  const words = (text) => `_${text.replaceAll(".", "_")}_`;
  const ends = columns.filter((column) => isEnd(column.path, name));
  const found = ends.length ? ends : columns.filter((column) => words(column.name).includes(words(name)));
  if (found.length === 1) return found[0];
  if (found.length) throw new Error(`"${cut(name)}" is short for several; name one: ${few(found.map((column) => column.name))}`);
  const fixed = data.fixed.filter(([path]) => isEnd(path, name));
  if (fixed.length === 1) throw new Error(`${cut(name)} is fixed in this sweep, at ${fixed[0][1]}`);
  throw new Error(`no column is called "${cut(name)}"; fields: ${few(axes.map((axis) => axis.name))}; metrics: those of the table`);
}
const bare = (text) => text.replace(/^"+|"+$/g, "").replace(/\s+/g, "");
function condition(term) {
  const found = /^([^<>=!"([]*)(<=|>=|!=|=|<|>)(.*)$/s.exec(term);
  if (!found) {
    if (/[<>=!]/.test(term) && !/["([]/.test(term)) throw new Error(`"${cut(term)}" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER`);
    const word = term.toLowerCase();
    return (point) => [point.number, point.ended, ...point.axes].some((cell) => cell.toLowerCase().includes(word));
  }
  const [, name, operator, right] = found;
  if (!name || !right) throw new Error(`"${cut(term)}" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER`);
  const column = columnOf(name);
  if (operator === "=" || operator === "!=") {
    const same = (point, value) => {
      const number = value.trim() === "" ? NaN : Number(value);
      return column.axis !== undefined && bare(point.axes[column.axis]) === bare(value) || mean(point, column) === number;
    };
    // A value such as (hop_cycles: 1, ports: [2, 3]) is whole before it is a list.
    const wanted = points.some((point) => same(point, right)) ? [right] : parts(right, /,/);
    const never = column.axis === undefined ? undefined : wanted.find((value) => !points.some((point) => same(point, value)));
    if (never !== undefined) {
      const known = [...new Set(points.map((point) => point.axes[column.axis]))];
      throw new Error(`${column.name} is never ${cut(never) || "empty"} in this sweep; allowed: ${few(known)}`);
    }
    const noNumber = column.axis === undefined && wanted.find((value) => value.trim() === "" || !Number.isFinite(Number(value)));
    if (noNumber !== undefined && noNumber !== false) throw new Error(`"${cut(noNumber)}" is no number`);
    return (point) => wanted.some((value) => same(point, value)) === (operator === "=");
  }
  const bound = Number(right);
  if (right.trim() === "" || !Number.isFinite(bound)) throw new Error(`"${cut(right)}" is no number`);
  if (!isNumber(column)) throw new Error(`${column.name} is no number; write ${column.name}=VALUE,VALUE`);
  const holds = { "<": (v) => v < bound, "<=": (v) => v <= bound, ">": (v) => v > bound, ">=": (v) => v >= bound }[operator];
  return (point) => { const value = mean(point, column); return value !== null && holds(value); };
}
function parse(text) {
  // Blanks around operators and commas separate nothing.
  const tight = text.trim().replace(/\s*(<=|>=|!=|[<>=,])\s*/g, "$1");
  return parts(tight, /\s/).filter(Boolean).map(condition);
}

// ---- drawing ----

function element(tag, attributes, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "title", "polygon"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
// A scale from values to pixels: linear, of powers where `log`, of places where `names`.
function scaled(values, from, to, { log, names, zero }) {
  if (names) {
    const at = (value) => from + (value + 0.5) / names.length * (to - from);
    const fit = Math.max(3, Math.floor((to - from) / names.length / 7));
    return { at, ticks: names.map((name, i) => [i, name.length > fit ? `${name.slice(0, fit - 1)}…` : name, name]) };
  }
  let low = Math.min(...values), high = Math.max(...values);
  if (log) {
    [low, high] = [Math.log10(low) - 0.05, Math.log10(high) + 0.05];
    const at = (value) => from + (Math.log10(value) - low) / (high - low) * (to - from);
    const found = [];
    for (let power = Math.floor(low); power <= high; power++) for (const m of high - low > 2 ? [1] : [1, 2, 5]) {
      const value = m * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) found.push([value, short(value)]);
    }
    return { at, ticks: found };
  }
  if (zero && low > 0 && (zero === "always" || low < 0.5 * high)) low = 0;
  const blank = (high - low || Math.abs(high) || 1) * 0.05;
  const floor = low === 0 ? 0 : low - blank;
  const at = (value) => from + (value - floor) / (high + blank - floor) * (to - from);
  return { at, ticks: ticks(floor, high + blank, 6).map((value) => [value, short(value)]) };
}
// Both ends of an interval, as far as a logarithm has them.
const ends = ([middle, half], log) => [log && middle <= half ? middle : middle - half, middle + half];
const WIDTH = 600, HEIGHT = 350, LEFT = 66, RIGHT = 24, TOP = 10, BOTTOM = 46;
function frame(place, x, y, across, up) {
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${up} against ${across}` });
  for (const [value, name, whole] of x.ticks) {
    const at = x.at(value), text = element("text", { class: "tick", x: at, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, name);
    if (whole && whole !== name) text.append(element("title", {}, whole));
    svg.append(element("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }), text);
  }
  for (const [value, name] of y.ticks) {
    const at = y.at(value);
    svg.append(element("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }),
      element("text", { class: "tick", x: LEFT - 7, y: at + 4, "text-anchor": "end" }, name));
  }
  svg.append(element("path", { class: "axis", fill: "none", d: `M${LEFT},${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
    element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, across),
    element("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(13 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)` }, up));
  place.replaceChildren(svg);
  return svg;
}
const SHAPES = [
  (x, y) => `M${x - 4},${y - 4}h8v8h-8Z`, (x, y) => `M${x},${y - 5.5}l5.5,9.5h-11Z`, (x, y) => `M${x},${y - 5.5}l5.5,5.5l-5.5,5.5l-5.5,-5.5Z`,
  (x, y) => `M${x},${y + 5.5}l5.5,-9.5h-11Z`, (x, y) => `M${x - 4.5},${y}a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0Z`,
];
const cross = (x, y) => element("path", { d: `M${x - 6},${y - 6}l12,12M${x - 6},${y + 6}l12,-12`, stroke: "#d55e00", "stroke-width": 2.2, fill: "none", class: "deadlock", "pointer-events": "none" });
function whisker(svg, x, y, found, colour) {
  if (!found[1]) return;
  const low = y.at(found[0] - found[1]), high = y.at(found[0] + found[1]);
  if (Number.isFinite(low + high)) svg.append(element("path", { d: `M${x - 3},${low}h6M${x - 3},${high}h6M${x},${low}V${high}`, stroke: colour, fill: "none", opacity: 0.7 }));
}
function mark(svg, point, x, y, attributes, text) {
  const { crossed, ...looks } = attributes;
  const made = element("path", { ...looks, class: `point ${looks.class ?? ""}${point === chosen ? " chosen" : ""}`, "data-point": point.number, tabindex: 0 });
  made.addEventListener("pointerenter", (event) => tip(event, text));
  made.addEventListener("pointermove", (event) => tip(event, text));
  made.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
  made.addEventListener("click", (event) => choose(point, event));
  made.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(point, event); });
  svg.append(made);
  if (crossed) svg.append(cross(x, y));
}
function tip(event, text) {
  const box = byId("tip");
  box.textContent = text;
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 6)}px`;
  box.style.top = `${Math.max(6, event.clientY - height - 10)}px`;
}
const nothing = (place, why) => place.replaceChildren(element("p", {}, why));

function drawCurves() {
  const place = byId("curves"), x = named.get(byId("curve-x").value), y = named.get(byId("curve-y").value);
  const log = byId("curve-log").checked, unsound = byId("curve-unsound").checked;
  const names = isNumber(x) ? null : [...new Set(shown.map((point) => point.axes[x.axis]))];
  const position = (point) => names ? names.indexOf(point.axes[x.axis]) : mean(point, x);
  const all = shown.map((point) => ({ point, x: position(point), y: estimate(point, y) }))
    .filter((at) => at.x !== null && at.y && (!log || at.y[0] > 0))
    .map((at) => ({ ...at, why: flaw([at.y, estimate(at.point, x)].filter(Boolean)) }));
  if (!all.length) return nothing(place, "No point has both values.");
  // What is not sound is shown where asked for, joined to nothing; a deadlock always, for it may be at any load.
  const drawn = all.filter((at) => unsound || !at.why || isStuck(at.why)), left = all.length - drawn.length;
  if (!drawn.length) return nothing(place, `No point has both values sound: ${whys(all)}.`);
  // A curve for each setting of the other fields, if x is a field; else points alone.
  const others = axes.map((_, i) => i).filter((i) => i !== x.axis && new Set(drawn.map((at) => at.point.axes[i])).size > 1);
  const key = (point) => others.map((i) => `${axes[i].name} ${point.axes[i]}`).join(", ");
  const curves = Map.groupBy ? Map.groupBy(drawn, (at) => key(at.point)) : drawn.reduce((map, at) => map.set(key(at.point), [...map.get(key(at.point)) ?? [], at]), new Map());
  const scaleX = scaled(drawn.map((at) => at.x), LEFT, WIDTH - RIGHT, { names, zero: true });
  // What is not sound stretches no axis, unless it is asked for: a deadlock stands at the foot.
  const measured = drawn.filter((at) => unsound || !at.why);
  const scaleY = scaled((measured.length ? measured : drawn).flatMap((at) => ends(at.y, log)), HEIGHT - BOTTOM, TOP, { log, zero: true });
  const svg = frame(place, scaleX, scaleY, label(x), label(y));
  let number = 0;
  const legend = [];
  // Points of one category stand side by side; nothing lies between two categories, so no line does.
  const beside = names ? Math.min(14, 0.7 * (WIDTH - RIGHT - LEFT) / names.length / curves.size) : 0;
  for (const [name, curve] of curves) {
    const colour = COLOURS[number % COLOURS.length], shape = SHAPES[number % SHAPES.length], dash = DASHES[Math.floor(number / COLOURS.length) % DASHES.length];
    curve.sort((a, b) => a.x - b.x);
    const aside = beside * (number - (curves.size - 1) / 2);
    const at = curve.map((one) => [scaleX.at(one.x) + aside, one.why && !unsound ? HEIGHT - BOTTOM : scaleY.at(one.y[0])]);
    if (x.axis !== undefined && !names) {
      const pieces = joined(name, curve, all, key, x.axis === data.load).map((piece) => "M" + piece.map((one) => at[curve.indexOf(one)].join(",")).join("L"));
      svg.append(element("path", { d: pieces.join("") || null, stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dash || null, fill: "none", class: "curve" }));
    }
    curve.forEach((one, i) => {
      if (!one.why || unsound) whisker(svg, at[i][0], scaleY, one.y, colour);
      mark(svg, one.point, ...at[i], { d: shape(...at[i]), fill: one.why ? "#fff" : colour, stroke: colour, "stroke-width": 1.5, crossed: isStuck(one.why) },
        `point ${one.point.number}${one.why ? `: not sound, ${one.why}` : ""}\n${setting(one.point)}\n${y.name} ${told(one.y)}${isNumber(x) && x.metric !== undefined ? `\n${x.name} ${told(estimate(one.point, x))}` : ""}\n${one.point.ended}`);
    });
    legend.push([name, colour, shape]);
    number++;
  }
  if (x.axis !== undefined && others.length) place.append(keys(legend));
  if (left) place.append(element("p", { class: "left-out" }, `${left} points are left out, not sound: ${whys(all.filter((at) => !drawn.includes(at)))}`));
}
// Of a curve the points that a line joins: the sound ones that follow each other, along the load up to the first that is not, but for a deadlock.
function joined(name, curve, all, key, isLoad) {
  const whole = all.filter((at) => key(at.point) === name).sort((a, b) => a.x - b.x), pieces = [[]];
  for (const at of whole) {
    if (!at.why) pieces[pieces.length - 1].push(curve.find((one) => one.point === at.point));
    else if (isLoad && !isStuck(at.why)) break;
    else pieces.push([]);
  }
  return pieces.filter((piece) => piece.length);
}
// How many of some are not sound for which reason.
function whys(some) {
  const found = [...new Set(some.map((one) => one.why))].filter(Boolean);
  return found.map((why) => `${some.filter((one) => one.why === why).length} ${why}`).join(", ");
}
function keys(legend) {
  const list = element("div", { class: "pick keys" });
  for (const [name, colour, shape, open] of legend.slice(0, 24)) {
    const svg = element("svg", { viewBox: "0 0 14 14", width: 14, height: 14, style: "display:inline;width:14px;vertical-align:-2px" }, element("path", { d: shape(7, 7), fill: open ? "#fff" : colour, stroke: colour, "stroke-width": open ? 2 : 0 }));
    list.append(element("span", {}, svg, ` ${name}`));
  }
  if (legend.length > 24) list.append(element("span", {}, `and ${legend.length - 24} more`));
  return list;
}

// Where nothing that is looked at depends on the load, one point of each hardware stands for all.
function collapsed(candidates) {
  if (data.load === null) return candidates;
  const kept = new Map();
  for (const one of candidates) {
    const means = one.values.map((value) => value[0]), first = kept.get(hardware(one.point));
    if (!first) kept.set(hardware(one.point), one);
    else if (first.values.some((value, i) => value[0] !== means[i])) return candidates;
  }
  return [...kept.values()];
}
function drawFront() {
  const place = byId("front"), x = named.get(byId("front-x").value), y = named.get(byId("front-y").value);
  const signs = [byId("front-x-better").value, byId("front-y-better").value].map((better) => better === "more" ? 1 : -1);
  const valued = shown.map((point) => ({ point, values: [estimate(point, x), estimate(point, y)] })).filter((one) => one.values.every(Boolean))
    .map((one) => ({ ...one, why: flaw(one.values) }));
  const unsound = valued.filter((one) => one.why), candidates = collapsed(valued.filter((one) => !one.why));
  if (!candidates.length) return nothing(place, unsound.length ? `No point has both values sound: ${whys(unsound)}.` : "No point has both values.");
  if (candidates.length > 5000) return nothing(place, `${candidates.length} points; filter to 5000 or fewer.`);
  const standing = standings(candidates, signs);
  const scaleX = scaled(candidates.flatMap((one) => ends(one.values[0])), LEFT, WIDTH - RIGHT, { zero: true });
  const scaleY = scaled(candidates.flatMap((one) => ends(one.values[1])), HEIGHT - BOTTOM, TOP, { zero: true });
  const svg = frame(place, scaleX, scaleY, label(x), label(y));
  const best = candidates.filter((one) => !one.point.canDeadlock)
    .sort((a, b) => signs[0] * (b.values[0][0] - a.values[0][0]) || signs[1] * (b.values[1][0] - a.values[1][0]));
  let path = "", most = -Infinity;
  for (const one of best) {
    const gain = signs[1] * one.values[1][0];
    if (gain <= most) continue;
    path += path ? `H${scaleX.at(one.values[0][0])}V${scaleY.at(one.values[1][0])}` : `M${scaleX.at(one.values[0][0])},${scaleY.at(one.values[1][0])}`;
    most = gain;
  }
  if (path) svg.append(element("path", { d: path, stroke: COLOURS[0], "stroke-width": 1.8, fill: "none" }));
  const looks = { dominated: { fill: "#6b6b6b", opacity: 0.4 }, front: { fill: COLOURS[0], stroke: COLOURS[0] }, tie: { fill: "#fff", stroke: "#009e73", "stroke-width": 2 } };
  const shape = { dominated: SHAPES[4], front: SHAPES[4], tie: SHAPES[2] };
  for (const wanted of ["dominated", "tie", "front"]) candidates.forEach((one, i) => {
    if (standing[i] !== wanted) return;
    const at = [scaleX.at(one.values[0][0]), scaleY.at(one.values[1][0])];
    if (wanted !== "dominated") whisker(svg, at[0], scaleY, one.values[1], looks[wanted].stroke);
    const how = { front: "on the front", tie: "tie within noise", dominated: "dominated" }[wanted];
    mark(svg, one.point, ...at, { d: shape[wanted](...at), ...looks[wanted], class: wanted, crossed: one.point.canDeadlock },
      `point ${one.point.number}: ${how}\n${setting(one.point)}\n${x.name} ${told(one.values[0])}\n${y.name} ${told(one.values[1])}${one.point.canDeadlock ? "\nCAN DEADLOCK" : ""}`);
  });
  place.append(keys([["on the front", COLOURS[0], SHAPES[4]], ["tie within noise", "#009e73", SHAPES[2], true], ["dominated", "#b5b5b5", SHAPES[4]]]));
  if (candidates.some((one) => one.point.canDeadlock)) place.lastChild.append(element("span", { class: "bad" }, "× can deadlock"));
  if (unsound.length) place.lastChild.append(element("span", {}, `${unsound.length} not judged: ${whys(unsound)}`));
}

// ---- table ----

const heads = [{ name: "point" }, ...axes.map((axis, i) => ({ ...axis, axis: i })), { name: "ended" }, ...metrics.map((metric, i) => ({ ...metric, metric: i }))];
const cell = (point, head) => head.name === "point" && head.axis === undefined ? Number(point.number) : head.name === "ended" && head.axis === undefined ? point.ended
  : head.axis !== undefined && !head.numeric ? point.axes[head.axis] : mean(point, head);
function drawHead() {
  const row = element("tr");
  for (const head of heads) {
    const button = element("button", { type: "button", title: [label(head), head.doc].filter(Boolean).join(": ") }, head.name);
    button.addEventListener("click", () => {
      sorted = { column: head.name, down: sorted.column === head.name && !sorted.down };
      drawHead();
      drawTable();
    });
    const sort = sorted.column === head.name ? (sorted.down ? "descending" : "ascending") : null;
    if (sort) button.append(sorted.down ? " ▼" : " ▲");
    row.append(element("th", { class: isText(head) ? "text" : null, "aria-sort": sort, scope: "col" }, button));
  }
  byId("table").tHead.replaceChildren(row);
}
const isText = (head) => head.name === "ended" || head.axis !== undefined && !head.numeric;
function drawTable() {
  const head = heads.find((one) => one.name === sorted.column) ?? heads[0], sign = sorted.down ? -1 : 1;
  const compare = (a, b) => {
    const [one, other] = [cell(a, head), cell(b, head)];
    // What has no value comes last either way.
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other);
  };
  const rows = [...shown].sort(compare).slice(0, limit).map((point) => {
    const row = element("tr", { "data-point": point.number, "aria-selected": point === chosen, tabindex: 0 });
    for (const one of heads) {
      const td = element("td", { class: isText(one) ? "text" : null });
      if (one.metric !== undefined) {
        const [middle, half] = told(point.values[one.metric]).split(" ± ");
        td.append(middle);
        if (half) td.append(element("span", { class: "noise" }, ` ± ${half}`));
      } else if (one.axis !== undefined) td.append(point.axes[one.axis]);
      else if (one.name === "point") td.append(point.number);
      else td.append(element("span", { class: point.canDeadlock ? "bad" : null }, point.canDeadlock ? `${point.ended} (can deadlock)` : point.ended));
      row.append(td);
    }
    row.addEventListener("click", (event) => choose(point, event));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(point, event); });
    return row;
  });
  byId("table").tBodies[0].replaceChildren(...rows);
  const more = byId("more");
  more.hidden = shown.length <= limit;
  more.textContent = `Show ${Math.min(1000, shown.length - limit)} more of ${shown.length}`;
}

// ---- the chosen point ----

// Opens the panel on the half of the window that was not clicked into.
function choose(point, event) {
  chosen = point;
  const box = event.currentTarget.getBoundingClientRect(), detail = byId("detail");
  const [x, y] = event.type === "click" && (event.clientX || event.clientY) ? [event.clientX, event.clientY] : [box.x + box.width / 2, box.y + box.height / 2];
  detail.classList.toggle("left", x >= innerWidth / 2);
  detail.classList.toggle("up", y >= innerHeight / 2);
  detail.hidden = false;
  detail.scrollTop = 0;
  byId("tip").hidden = true;
  byId("chosen").textContent = `Point ${point.number}: ${axes.map((axis, i) => `${axis.name} ${point.axes[i]}`).join(", ")}`;
  byId("command").textContent = point.command;
  byId("config").textContent = point.config ?? "Too many points for the page to hold every configuration; the command runs it.";
  byId("values").replaceChildren(...metrics.map((metric, i) => element("tr", {}, element("td", { class: "text", title: metric.doc ?? "" }, label(metric)), element("td", {}, told(point.values[i]) || "none"))));
  draw();
}
function close() {
  const before = chosen;
  chosen = null;
  byId("detail").hidden = true;
  draw();
  // The keyboard goes on where it was.
  if (before) document.querySelector(`#table [data-point="${CSS.escape(before.number)}"]`)?.focus({ preventScroll: true });
}
byId("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && chosen) close(); });
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = byId(button.dataset.copy);
    const selection = getSelection(), range = document.createRange();
    range.selectNodeContents(source);
    selection.removeAllRanges();
    selection.addRange(range);
    // A page from a file may not reach the clipboard: then the text is at least selected.
    const copied = await (navigator.clipboard?.writeText(source.textContent) ?? Promise.reject()).then(() => true, () => document.execCommand("copy"));
    button.textContent = copied ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// ---- all together ----

function draw() {
  drawCurves();
  drawFront();
  drawTable();
}
function refilter() {
  try {
    const terms = parse(byId("filter").value);
    shown = points.filter((point) => terms.every((holds) => holds(point)));
    byId("wrong").textContent = "";
  } catch (error) {
    // Not the points of the filter before, which the field shows no more.
    shown = points;
    byId("wrong").textContent = `${error.message}. All points are shown.`;
  }
  byId("filter").setAttribute("aria-invalid", byId("wrong").textContent !== "");
  byId("count").textContent = `${shown.length} of ${points.length} points`;
  limit = FIRST_ROWS;
  draw();
}
function options(id, from, wanted) {
  const select = byId(id);
  select.replaceChildren(...from.map((column) => element("option", { value: column.name, title: column.doc ?? "" }, column.name)));
  const found = wanted.find((name) => from.some((column) => column.name === name));
  if (found) select.value = found;
}
function better(axis) {
  const select = byId(`front-${axis}-better`);
  if (!select.options.length) select.append(element("option", { value: "less" }, "↓ better"), element("option", { value: "more" }, "↑ better"));
  select.value = named.get(byId(`front-${axis}`).value)?.better ?? (axis === "x" ? "less" : "more");
}
const numbers = columns.filter(isNumber);
const has = (column) => column.metric === undefined || points.some((point) => point.values[column.metric]);
byId("origin").textContent = data.origin;
byId("outcomes").textContent = data.outcomes;
if (numbers.some(has) && metrics.length) {
  options("curve-y", metrics.map((metric, i) => ({ ...metric, metric: i })).filter(has), ["latency_last_mean", "saturation", "accepted"]);
  // Along the load, else along a field of numbers, else by category.
  const varies = (axis) => axis.numeric && new Set(points.map((point) => point.axes[axes.indexOf(axis)])).size > 1;
  const first = axes[data.load ?? -1] ?? axes.find(varies) ?? axes[0];
  options("curve-x", columns, [first?.name ?? ""]);
  options("front-y", numbers.filter(has), ["saturation", "accepted", "latency_last_mean"]);
  options("front-x", numbers.filter(has), ["area_ge", "fifo_bits", axes[0]?.name ?? ""]);
  ["x", "y"].forEach(better);
  for (const id of ["curve-x", "curve-y", "curve-log", "curve-unsound"]) byId(id).addEventListener("change", drawCurves);
  for (const axis of ["x", "y"]) {
    byId(`front-${axis}`).addEventListener("change", () => { better(axis); drawFront(); });
    byId(`front-${axis}-better`).addEventListener("change", drawFront);
  }
  byId("filter").addEventListener("input", refilter);
  byId("more").addEventListener("click", () => { limit += 1000; drawTable(); });
  drawHead();
  refilter();
} else {
  byId("wrong").textContent = "This sweep has no metrics.";
}
