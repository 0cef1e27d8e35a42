"use strict";
// The page of a sweep. `data` has all that wormscope wrote. It has the columns, and points with an estimate for each metric: [mean, half
// width, runs, squared error] or null. If the estimate is not sound, the name of its flaw follows. No text from `data` is parsed as HTML:
// every text goes through textContent.
const data = JSON.parse(document.getElementById("data").textContent);
const { axes, metrics, points, flaws } = data;
const byId = (id) => document.getElementById(id);
const FIRST_ROWS = 200;
let chosen = null, hovered = null, shown = points, sorted = { column: "point", down: false }, limit = FIRST_ROWS;

points.forEach((point, i) => { point.place = i; });

// ---- values ----

const columns = [...axes.map((axis, i) => ({ ...axis, axis: i })), ...metrics.map((metric, i) => ({ ...metric, metric: i }))];
const named = new Map(columns.map((column) => [column.name, column]));
const label = (column) => {
  const unit = [column.unit, column.estimate ? "estimate" : ""].filter(Boolean).join(", ");
  return unit ? `${column.name} (${unit})` : column.name;
};
const isNumber = (column) => column.metric !== undefined || column.numeric;
// The estimate of a column for a point; the value of an axis is exact.
function estimate(point, column) {
  if (column.metric !== undefined) return point.values[column.metric];
  const value = Number(point.axes[column.axis]);
  return column.numeric && Number.isFinite(value) ? [value, 0, 1, 0] : null;
}
// Number of the gravest flaw of some estimates, as `wormscope explore` judges them. It is -1 if all are sound.
const flaw = (estimates) => flaws.findIndex(({ name }) => estimates.some((found) => found?.[4] === name));
// The mean of a value that is sound.
function sound(point, column) {
  const found = estimate(point, column);
  return found && flaw([found]) < 0 ? found[0] : null;
}
// How many of some points have no valid value, and why, in the words of `wormscope explore` and `wormscope plot`.
function note(found, all, name) {
  const counts = flaws.map(({ one, many }, i) => [found.filter((at) => at === i).length, one, many]).filter(([count]) => count);
  const told = counts.map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(", ");
  return `${found.length} of ${all} ${all === 1 ? "point" : "points"} have no valid ${name}: ${told}`;
}
function short(value) {
  if (value === null) return "";
  if (value === 0) return "0";
  const digits = Math.abs(value) >= 1e5 ? 7 : 5;
  return String(Number(value.toPrecision(digits)));
}
// A number of at most four digits with k, M or G, for charts. A power of two below 100000 stays whole.
function brief(value) {
  const thousands = value % 100 === 0 ? 1e4 : 1e5, units = [[1e9, 1e9, "G"], [1e6, 1e6, "M"], [thousands, 1e3, "k"]];
  const [, unit, letter] = units.find(([least]) => Math.abs(value) >= least) ?? [0, 1, ""];
  return `${Number((value / unit).toPrecision(letter ? 4 : 5))}${letter}`;
}
function told(found) {
  if (!found) return "";
  const [middle, half] = found;
  if (!half) return short(middle);
  const decimals = Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(half))));
  return `${middle.toFixed(decimals)} ± ${half.toFixed(decimals)}`;
}
// The same for a reader who must not take a value for sound.
function judged(found) {
  const why = found ? flaw([found]) : -1;
  return why < 0 ? told(found) : `${told(found)} (not valid: ${flaws[why].name})`;
}
const setting = (point) => axes.map((axis, i) => `${axis.name} ${point.axes[i]}`).join("\n");
const hardware = (point) => JSON.stringify(data.hardware.map((i) => point.axes[i]));
const differing = (some) => axes.map((_, i) => i).filter((i) => new Set(some.map((point) => point.axes[i])).size > 1);
