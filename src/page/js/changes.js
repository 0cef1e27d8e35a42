
// ---- two sweeps: what changes between points with the same settings ----

const isPair = data.sweeps.length > 1;
// The change of a metric of a pair, if both values are sound: [per cent, half the width of its interval or null].
function changeOf(pair, metric) {
  const values = pair.points.map((at) => points[at].values[metric]);
  return values.every(Boolean) && flaw(values) < 0 ? pair.changes[metric] : null;
}
const isSure = ([percent, half]) => half !== null && Math.abs(percent) > half;
function tellChange([percent, half]) {
  const sign = (value, digits) => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
  if (half === null) return `${sign(percent, 2)} %`;
  const digits = half > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 2;
  return `${sign(percent, digits)} ± ${half.toFixed(digits)} %`;
}
// A bar of a change on an axis that all rows have in common.
function changeBar([percent, half], most, good) {
  const wide = 150, at = (value) => wide / 2 + Math.max(-1, Math.min(1, value / most)) * (wide / 2 - 6), reach = half ?? 0;
  const colour = !isSure([percent, half]) ? GREY : good === null ? COLOURS[0] : good ? COLOURS[2] : COLOURS[1];
  return element("svg", { width: wide, height: 16, viewBox: `0 0 ${wide} 16`, role: "img", "aria-label": tellChange([percent, half]) },
    element("path", { d: `M${wide / 2},0V16`, stroke: "#b9c1d2" }), element("path", { d: `M${at(percent - reach)},8H${at(percent + reach)}`, stroke: colour, "stroke-width": 2 }),
    element("circle", { cx: at(percent), cy: 8, r: 4, fill: colour }));
}
function drawChanges() {
  if (!isPair) return;
  const metric = metrics.findIndex(({ name }) => name === byId("change-metric").value), of = metrics[metric], table = byId("changes"), seen = new Set(shown);
  const both = data.changes.filter((pair) => pair.points.every((at) => seen.has(points[at])));
  const rows = both.map((pair) => ({ pair, change: metric < 0 ? null : changeOf(pair, metric) }));
  if (byId("change-order").value === "change") rows.sort((a, b) => (a.change === null) - (b.change === null) || Math.abs(b.change?.[0] ?? 0) - Math.abs(a.change?.[0] ?? 0));
  const known = rows.map(({ change }) => change).filter(Boolean), sure = known.filter(isSure);
  const isGood = ([percent]) => of.better === null ? null : (percent < 0) === (of.better === "less"), counted = (good) => sure.filter((change) => isGood(change) === good).length;
  const sides = ["A", "B"].map((side) => points.filter((point) => seen.has(point) && point.number.startsWith(side)).length - rows.length);
  const judgement = of?.better === null || !of ? `${sure.length} differ beyond noise` : `${counted(true)} better in B, ${counted(false)} worse, beyond noise`;
  byId("change-count").textContent = `${rows.length} ${rows.length === 1 ? "pair" : "pairs"} with the same settings: ${judgement}. Without a partner: ${sides[0]} of A, ${sides[1]} of B.`;
  const fields = differing(rows.map(({ pair }) => points[pair.points[0]])).filter((i) => i > 0), most = Math.max(1e-9, ...known.map(([percent, half]) => Math.abs(percent) + (half ?? 0)));
  const head = ["A", "B", ...fields.map((i) => axes[i].name), `${of?.name ?? ""} in A`, "in B", "change from A to B", ""];
  table.replaceChildren(element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))), element("tbody", {}, ...rows.slice(0, FIRST_ROWS).map(({ pair, change }) => {
    const [one, other] = pair.points.map((at) => points[at]), tell = (point) => { const found = point.values[metric]; return found ? valueCell(found) : element("td", {}, "none"); };
    const row = element("tr", { "data-point": other.number, "data-other": one.number, tabindex: 0 }, element("td", {}, one.number), element("td", {}, other.number), ...fields.map((i) => element("td", { class: axes[i].numeric ? null : "text" }, one.axes[i])), tell(one), tell(other),
      element("td", { class: change && isSure(change) ? "sure" : null }, change ? tellChange(change) : "not valid"), element("td", {}, ...change ? [changeBar(change, most, isGood(change))] : []));
    return chooses(row, other);
  })));
  const left = rows.length - FIRST_ROWS;
  byId("change-more").textContent = left > 0 ? `${left} more pairs; choose some with the filter.` : "";
}
