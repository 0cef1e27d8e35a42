
// ---- all axes side by side: a line for each point ----

const MOST_LINES = 3000;
function drawParallel() {
  const place = byId("parallel"), names = new Set([...axes.map(({ name }) => name), ...["front-x", "front-y", "front-z", "curve-y"].map((id) => byId(id).value)].filter(Boolean));
  const dims = [...names].map((name) => named.get(name)), drawn = shown.slice(0, MOST_LINES);
  if (dims.length < 2 || !drawn.length) return nothing(place, "No point has values on two axes.");
  const picture = sheet(place, `all points along ${[...names].join(", ")}`), height = 236, [top, foot] = [44, 196], low = height - 20;
  const step = (picture.width - 110) / (dims.length - 1), xOf = (i) => 55 + i * step;
  const scales = dims.map((column) => {
    if (!isNumber(column)) {
      const all = [...new Set(drawn.map((point) => point.axes[column.axis]))];
      return { at: (point) => foot - (all.indexOf(point.axes[column.axis]) + 0.5) / all.length * (foot - top), ticks: all.map((name, i) => [foot - (i + 0.5) / all.length * (foot - top), name]) };
    }
    const values = drawn.map((point) => sound(point, column)).filter((value) => value !== null);
    if (!values.length) return { at: () => low, ticks: [] };
    const [least, most] = [Math.min(...values), Math.max(...values)], log = least > 0 && most / least > 20 ? 10 : null;
    const span = most > least ? { low: least, high: most, log } : range(values, {}), y = scale(span, foot, top);
    // A field has its own values as ticks, if they are few.
    const own = [...new Set(values)], marks = own.length === 1 || column.axis !== undefined && own.length <= 10 ? own.map((value) => [value, brief(value)]) : labelled(span, foot - top, () => 11);
    // A value that is not sound is below the axis.
    return { at: (point) => sound(point, column) === null ? low : y(sound(point, column)), log, span, ticks: marks.map(([value, name]) => [y(value), name]) };
  });
  const places = new Map(drawn.map((point) => [point, dims.map((_, i) => [xOf(i), scales[i].at(point)])]));
  const line = (point) => `M${places.get(point).map((at) => at.join(",")).join("L")}`;
  for (const point of drawn) picture.svg.append(element("path", { class: "line", "data-point": point.number, d: line(point), fill: "none" }));
  dims.forEach((column, i) => {
    const x = xOf(i), side = i === 0 ? 0 : i < dims.length - 1 ? 1 : 2, { ticks, log, span } = scales[i], room = i % 2 ? 2 : 18;
    picture.svg.append(element("path", { class: "axis", d: `M${x},${top}V${foot}` }), textIn(axisTexts(column, { log }), Math.min(2 * step - 12, picture.width - 8), 12, { class: "title", x: [4, x, picture.width - 4][side], y: room + 10, "text-anchor": ["start", "middle", "end"][side] }));
    let last = Infinity;
    for (const [y, name] of [...ticks].sort((a, b) => b[0] - a[0])) {
      if (last - y < 14) continue;
      last = y;
      picture.svg.append(textIn(name, step - 16, 11, { class: "tick beside", x: x - 5, y: y + 4, "text-anchor": "end" }));
    }
    if (span) {
      const strip = element("rect", { class: "strip", "data-column": column.name, x: x - 9, y: top - 4, width: 18, height: foot - top + 8, fill: "transparent" });
      strip.addEventListener("pointerdown", (down) => brush(picture, strip, down, column, (y) => {
        const part = (foot - y) / (foot - top);
        return log ? span.low * (span.high / span.low) ** part : span.low + part * (span.high - span.low);
      }));
      picture.svg.append(strip);
    }
  });
  picture.height = height;
  if (drawn.some((point) => dims.some((column) => estimate(point, column) && sound(point, column) === null))) picture.svg.append(element("text", { class: "left-out", x: 4, y: low + 14 }, "not sound, or no value"));
  if (shown.length > MOST_LINES) remark(picture, `Only the first ${MOST_LINES} points are drawn. Choose others with the filter.`);
  // The line that is nearest to a place, above or below it.
  picture.near = (x, y) => {
    const i = Math.min(dims.length - 2, Math.max(0, Math.floor((x - 55) / step))), part = Math.min(1, Math.max(0, (x - xOf(i)) / step));
    const far = (point) => Math.abs(places.get(point)[i][1] * (1 - part) + places.get(point)[i + 1][1] * part - y);
    return drawn.reduce((best, point) => far(point) < far(best) ? point : best);
  };
  picture.svg.addEventListener("pointermove", (event) => {
    const box = picture.svg.getBoundingClientRect(), point = picture.near(event.clientX - box.left, event.clientY - box.top);
    if (point !== hovered) hover(point);
    tip(event, `point ${point.number}\n${dims.map((column) => `${column.name} ${column.axis !== undefined ? point.axes[column.axis] : judged(estimate(point, column))}`).join("\n")}\n${point.ended}`);
  });
  picture.svg.addEventListener("pointerleave", () => { hover(null); byId("tip").hidden = true; });
  finish(picture);
  views.set(place.id, { picture, locate: (point, kind) => {
    if (places.has(point)) picture.svg.append(element("path", { class: `ring ${kind}`, d: line(point), fill: "none", "pointer-events": "none" }));
  } });
}
// A drag along an axis becomes two bounds of the filter.
function brush(picture, strip, down, column, value) {
  down.preventDefault();
  const box = picture.svg.getBoundingClientRect(), area = element("rect", { class: "brush", x: strip.getAttribute("x"), width: 18, "pointer-events": "none" });
  const between = (event) => [down.clientY, event.clientY].map((y) => y - box.top).sort((a, b) => a - b);
  const move = (event) => {
    const [y0, y1] = between(event);
    area.setAttribute("y", y0);
    area.setAttribute("height", y1 - y0);
    picture.svg.append(area);
  };
  const up = (event) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    area.remove();
    const [y0, y1] = between(event);
    if (y1 - y0 < 4) return;
    // The click at the end of a drag chooses no point.
    picture.dragged = true;
    const own = new RegExp(`(^|\\s)${column.name.replace(/[.[\]()]/g, "\\$&")}(>=|<=)\\S+`, "g"), [least, most] = [value(y1), value(y0)].map((bound) => Number(bound.toPrecision(4)));
    byId("filter").value = `${byId("filter").value.replace(own, "").trim()} ${column.name}>=${least} ${column.name}<=${most}`.trim();
    refilter();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
}

// ---- a view as a file, with the command that draws it ----

const shellWord = (text) => /^[\w.,/:=+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
// The filter as options. `null` if an option lacks for a part of it.
function filterOptions(bounds) {
  const found = [];
  for (const i of new Set(terms.map(({ column }) => column?.axis))) {
    if (i === undefined) continue;
    const own = terms.filter(({ column }) => column?.axis === i), values = new Set(points.filter((point) => own.every(({ holds }) => holds(point))).map((point) => point.axes[i]));
    found.push("--where", shellWord(`${axes[i].name}=${[...values].join(",")}`));
  }
  for (const { column, bound } of terms) {
    if (column?.axis !== undefined) continue;
    if (!bound || !bounds) return null;
    found.push(bound);
  }
  return found;
}
// The command that draws a view, or the reason why there is none.
function commandOf(id) {
  if (isPair) return [null, "the page shows two sweeps"];
  const options = filterOptions(id === "front");
  if (!options) return [null, `no option of wormscope ${id === "front" ? "explore" : "plot"} has the filter "${byId("filter").value}"`];
  if (id === "front") {
    const asked = objectives().flatMap(({ column, more }) => [more ? "--most" : "--least", column.name]);
    return [["wormscope explore", data.directory, ...asked, ...options, "--svg front.svg"].join(" ")];
  }
  const x = named.get(byId("curve-x").value);
  if (x.axis === undefined) return [null, "wormscope plot draws a metric against varied fields only"];
  return [["wormscope plot", data.directory, "--y", byId("curve-y").value, "--x", x.name, ...options, "--svg curves.svg"].join(" ")];
}
// A chart as a file that needs nothing else.
function saved(id) {
  const { picture } = views.get(id), svg = picture.svg.cloneNode(true), copied = { svg, width: picture.width, height: picture.height };
  svg.querySelectorAll(".ring").forEach((ring) => ring.remove());
  const [command, why] = commandOf(id);
  for (const text of [command ? `command: ${command}` : `no command: ${why}`, data.origin]) remark(copied, text);
  const rules = [...document.styleSheets[0].cssRules].filter((rule) => rule.selectorText?.startsWith(".chart ")).map((rule) => rule.cssText.replaceAll(".chart ", ""));
  svg.prepend(element("style", {}, rules.join("\n")), element("rect", { width: "100%", height: "100%", fill: "#fff" }));
  for (const [name, value] of [["viewBox", `0 0 ${copied.width} ${copied.height + 8}`], ["width", copied.width], ["height", copied.height + 8]]) svg.setAttribute(name, value);
  return new XMLSerializer().serializeToString(svg);
}
for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => {
  if (!views.has(button.dataset.save)) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([saved(button.dataset.save)], { type: "image/svg+xml" }));
  link.download = `${button.dataset.save}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
// The command below each chart.
function tellCommands() {
  for (const id of ["curves", "front"]) {
    const [command, why] = commandOf(id);
    byId(`${id}-command`).textContent = command ?? `No command draws this view: ${why}.`;
  }
}
