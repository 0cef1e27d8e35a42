
// ---- all together ----

function draw() {
  drawTable();
  drawCharts();
}
function drawCharts() {
  drawCurves();
  drawFront();
  drawParallel();
  drawChanges();
  tellCommands();
  select();
}
function refilter() {
  try {
    terms = parse(byId("filter").value);
    shown = points.filter((point) => terms.every(({ holds }) => holds(point)));
    byId("wrong").textContent = "";
  } catch (error) {
    // Not the points of the filter before, which the field shows no more.
    [terms, shown] = [[], points];
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
  const select = byId(`front-${axis}-better`), column = named.get(byId(`front-${axis}`).value);
  if (!select.options.length) select.append(element("option", { value: "less" }, "less is better"), element("option", { value: "more" }, "more is better"));
  select.value = column?.better ?? (axis === "y" ? "more" : "less");
  select.hidden = !column;
}
let terms = [];
const numeric = columns.filter(isNumber);
const has = (column) => column.metric === undefined || points.some((point) => point.values[column.metric]);
byId("origin").textContent = data.origin;
byId("origin").title = data.origin;
byId("outcomes").textContent = data.outcomes;
if (data.reload !== null) byId("live").textContent = `The sweep runs. This page loads itself again every ${data.reload} s.`;
if (isPair) {
  byId("change-section").hidden = false;
  byId("different").textContent = data.different.length ? `Fields that differ between the sweeps: ${data.different.map(([path, one, other]) => `${path} ${one} in A, ${other} in B`).join("; ")}` : "";
}
if (numeric.some(has) && metrics.length) {
  options("curve-y", metrics.map((metric, i) => ({ ...metric, metric: i })).filter(has), ["latency_last_mean", "saturation", "accepted"]);
  // Along the load, else along a field of numbers, else by category.
  const varies = (axis) => axis.numeric && new Set(points.map((point) => point.axes[axes.indexOf(axis)])).size > 1;
  const first = axes[data.load ?? -1] ?? axes.find(varies) ?? axes[0];
  options("curve-x", columns, [first?.name ?? ""]);
  options("front-y", numeric.filter(has), ["saturation", "accepted", "latency_last_mean"]);
  options("front-x", numeric.filter(has), ["area_ge", "fifo_bits", axes[0]?.name ?? ""]);
  options("front-z", numeric.filter(has), []);
  byId("front-z").prepend(element("option", { value: "" }, "none"));
  byId("front-z").value = "";
  ["x", "y", "z"].forEach(better);
  options("change-metric", metrics.map((metric, i) => ({ ...metric, metric: i })).filter((column) => data.changes.some((pair) => pair.changes[column.metric])), ["latency_last_mean", "accepted"]);
  const before = restoreState();
  for (const id of ["curve-x", "curve-y", "curve-log", "curve-unsound"]) byId(id).addEventListener("change", drawCharts);
  for (const axis of ["x", "y", "z"]) {
    byId(`front-${axis}`).addEventListener("change", () => { better(axis); drawCharts(); });
    byId(`front-${axis}-better`).addEventListener("change", drawCharts);
  }
  byId("filter").addEventListener("input", refilter);
  byId("more").addEventListener("click", () => { limit += 1000; drawTable(); select(); });
  for (const id of ["change-metric", "change-order"]) byId(id).addEventListener("change", () => { drawChanges(); keepState(); });
  drawHead();
  refilter();
  if (before) show(before);
  restoreScroll();
  // Charts have the width of the window.
  let width = byId("charts").clientWidth;
  new ResizeObserver(() => {
    if (byId("charts").clientWidth === width) return;
    width = byId("charts").clientWidth;
    draw();
  }).observe(byId("charts"));
} else {
  byId("wrong").textContent = "This sweep has no metrics.";
}
follow();
