
// ---- drawing ----

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#8b4513", "#101010"], GREY = "#6b6b6b";
// Largest number of curves in a panel, so that each has its own colour.
const MOST_IN_PANEL = 8;
// Panels beyond which curves are divided in their order, and curves beyond which a filter must choose.
const MOST_PANELS = 6, MOST_CURVES = 48;
const FONT = "\"DejaVu Sans\", Verdana, system-ui, sans-serif";
const SVG_TAGS = ["svg", "g", "path", "line", "circle", "rect", "text", "title", "style"];
function element(tag, attributes, ...children) {
  const made = SVG_TAGS.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, size = 11) {
  ruler.font = `${size}px ${FONT}`;
  return ruler.measureText(text).width;
}
function fitted(text, room, size = 11) {
  if (textWidth(text, size) <= room) return text;
  let most = text.length;
  while (most > 1 && textWidth(`${text.slice(0, most)}…`, size) > room) most--;
  return `${text.slice(0, most)}…`;
}
// A text with its whole as a tooltip, if a part of it is cut. Of several texts it is the first that fits.
function textIn(texts, room, size, attributes) {
  const [text] = [texts].flat(), fits = [texts].flat().find((one) => textWidth(one, size) <= room);
  const part = fits ?? fitted([texts].flat().at(-1), room, size), made = element("text", attributes, part);
  if (part !== text) made.append(element("title", {}, text));
  return made;
}

// Ticks of a linear axis that are at most `most`, in round steps.
function ticks(low, high, most) {
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9)), found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
// Ticks of a logarithmic axis: powers of its base, else 1, 2 and 5 times them, else 1 to 9 times them, else equal steps.
function logTicks(low, high, base) {
  const powers = [];
  for (let power = Math.floor(Math.log(low) / Math.log(base)); base ** power <= high; power++) powers.push(base ** power);
  const kinds = base < 10 ? [[1]] : [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]];
  const inside = (value) => value >= low && value <= high;
  const found = kinds.map((digits) => powers.flatMap((power) => digits.map((digit) => digit * power)).filter(inside)).find((all) => all.length >= 4);
  return found ?? ticks(low, high, 8).filter(inside);
}
// A range of values, as an axis has it. `log` is the base of a logarithmic axis.
function range(values, { log, zero }) {
  let low = Math.min(...values), high = Math.max(...values);
  if (log) return { low: low / 1.25, high: high * 1.25, log };
  if (zero && low > 0 && low < 0.5 * high) low = 0;
  const blank = (high - low || Math.abs(high) || 1) * 0.06;
  return { low: low === 0 ? 0 : low - blank, high: high + blank };
}
function scale({ low, high, log }, from, to) {
  const part = log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return (value) => from + part(value) * (to - from);
}
// As many ticks of a range as have room for their labels: [value, label].
function labelled(span, room, extent) {
  const at = scale(span, 0, room);
  const fits = (found) => found.every(([value, name], i) => i === 0 || Math.abs(at(value) - at(found[i - 1][0])) >= (extent(name) + extent(found[i - 1][1])) / 2 + 8);
  const all = span.log ? logTicks(span.low, span.high, span.log) : null;
  for (let most = span.log ? all.length : 10; most > 1; most--) {
    const values = all ? all.filter((_, i) => i % Math.ceil(all.length / most) === 0) : ticks(span.low, span.high, most);
    const found = values.map((value) => [value, brief(value)]);
    if (fits(found) && new Set(found.map(([, name]) => name)).size === found.length) return found;
  }
  const middle = all ? all[Math.floor(all.length / 2)] : ticks(span.low, span.high, 2)[0];
  return [[middle, brief(middle)]];
}
// Both ends of an interval, as far as a logarithm has them. No measured value is below 0.
const ends = ([middle, half], log) => [log && middle <= half ? middle : middle >= 0 ? Math.max(0, middle - half) : middle - half, middle + half];
// Texts of an axis, the longest first. A logarithmic axis says so.
const axisTexts = (column, span, more = []) => [...more, ""].map((text) => label(column) + text).concat(column.name).map((text) => span.log ? `${text}, log scale` : text);

// A picture of the width of its place. It grows downwards with its parts.
function sheet(place, title) {
  const width = Math.max(260, Math.floor(place.clientWidth));
  const svg = element("svg", { role: "img", "aria-label": title });
  place.replaceChildren(svg);
  return { svg, width, height: 0, spots: [] };
}
function finish(picture) {
  picture.svg.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  picture.svg.setAttribute("width", picture.width);
  picture.svg.setAttribute("height", picture.height);
  // A click anywhere shows the nearest point.
  picture.svg.addEventListener("click", (event) => {
    if (picture.dragged) { picture.dragged = false; return; }
    const box = picture.svg.getBoundingClientRect(), point = picture.near?.(event.clientX - box.left, event.clientY - box.top) ?? nearestSpot(picture, event)?.point;
    if (point) choose(point, event);
  });
}
function nearestSpot(picture, event) {
  const box = picture.svg.getBoundingClientRect(), far = ({ x, y }) => Math.hypot(box.left + x - event.clientX, box.top + y - event.clientY);
  return picture.spots.reduce((best, spot) => best && far(best) <= far(spot) ? best : spot, null);
}
// Axes of a panel with its upper left corner at (left, top). `x` is a range, or names of places; `y` is a range.
function panel(picture, { left, top, width, height, x, y, across, up, title }) {
  const svg = picture.svg, head = title ? 18 : 6, names = Array.isArray(x) ? x : null;
  const yTicks = labelled(y, height - head - 44, () => 11);
  const side = 8 + Math.max(...yTicks.map(([, name]) => textWidth(name))) + (up ? 20 : 0), wide = width - side - 12;
  let foot = across ? 38 : 22, turned = false;
  if (names) {
    turned = names.some((name) => textWidth(name) > wide / names.length - 8);
    if (turned) foot += Math.min(90, Math.max(...names.map((name) => textWidth(name)))) - 8;
  }
  const [x0, x1, y0, y1] = [left + side, left + width - 12, top + height - foot, top + head];
  const atX = names ? (value) => x0 + (value + 0.5) / names.length * (x1 - x0) : scale(x, x0, x1), atY = scale(y, y0, y1);
  for (const [value, name] of yTicks) svg.append(element("line", { class: "grid", x1: x0, x2: x1, y1: atY(value), y2: atY(value) }),
    element("text", { class: "tick", x: x0 - 6, y: atY(value) + 4, "text-anchor": "end" }, name));
  if (names) {
    const every = turned ? Math.ceil(14 * names.length / wide) : 1;
    names.forEach((name, i) => {
      if (i % every) return;
      const at = atX(i), looks = turned ? { transform: `translate(${at + 4} ${y0 + 6}) rotate(-90)`, "text-anchor": "end" } : { x: at, y: y0 + 16, "text-anchor": "middle" };
      svg.append(textIn(name, turned ? 90 : wide / names.length, 11, { class: "tick", ...looks }));
    });
  } else for (const [value, name] of labelled(x, wide, (text) => textWidth(text))) {
    // A label that has no room at the end of its axis is left out.
    if (atX(value) + textWidth(name) / 2 > left + width) continue;
    svg.append(element("line", { class: "grid", x1: atX(value), x2: atX(value), y1, y2: y0 }), element("text", { class: "tick", x: atX(value), y: y0 + 16, "text-anchor": "middle" }, name));
  }
  svg.append(element("path", { class: "axis", fill: "none", d: `M${x0},${y1}V${y0}H${x1}` }));
  if (title) svg.append(textIn(title, width, 12, { class: "title", x: (x0 + x1) / 2, y: top + 12, "text-anchor": "middle" }));
  if (across) svg.append(textIn(across, x1 - left, 12, { class: "across", x: (left + x1) / 2 + (up ? 10 : 0), y: top + height - 4, "text-anchor": "middle" }));
  if (up) svg.append(textIn(up, y0 + y1 - 2 * top, 12, { class: "up", x: 0, y: 0, "text-anchor": "middle", transform: `translate(${left + 12} ${(y0 + y1) / 2}) rotate(-90)` }));
  return { x: atX, y: atY, foot: y0, box: [x0, y1, x1, y0] };
}
const SHAPES = [
  (x, y) => `M${x - 4},${y - 4}h8v8h-8Z`, (x, y) => `M${x},${y - 5.5}l5.5,9.5h-11Z`, (x, y) => `M${x},${y - 5.5}l5.5,5.5l-5.5,5.5l-5.5,-5.5Z`,
  (x, y) => `M${x},${y + 5.5}l5.5,-9.5h-11Z`, (x, y) => `M${x - 4.5},${y}a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0Z`,
  (x, y) => `M${x - 5},${y}l10,-5.5v11Z`, (x, y) => `M${x + 5},${y}l-10,-5.5v11Z`, (x, y) => `M${x - 5},${y - 2}h3.5v-3.5h3v3.5h3.5v3.5h-3.5v3.5h-3v-3.5h-3.5Z`,
];
const cross = (x, y) => element("path", { d: `M${x - 6},${y - 6}l12,12M${x - 6},${y + 6}l12,-12`, stroke: "#d55e00", "stroke-width": 2.2, fill: "none", class: "deadlock", "pointer-events": "none" });
function whisker(picture, x, at, found, colour) {
  if (!found[1]) return;
  const [low, high] = [found[0] - found[1], found[0] + found[1]].map((end) => Math.min(at.foot, Math.max(at.box[1], Number.isFinite(at.y(end)) ? at.y(end) : at.foot)));
  picture.svg.append(element("path", { class: "whisker", d: `M${x - 3},${low}h6M${x - 3},${high}h6M${x},${low}V${high}`, stroke: colour, fill: "none" }));
}
// A mark of a point that can be chosen.
function mark(picture, point, x, y, made, text) {
  made.setAttribute("data-point", point.number);
  made.setAttribute("tabindex", 0);
  made.classList.add("point");
  made.addEventListener("pointerenter", (event) => { hover(point); tip(event, text); });
  made.addEventListener("pointermove", (event) => tip(event, text));
  made.addEventListener("pointerleave", () => { hover(null); byId("tip").hidden = true; });
  made.addEventListener("click", (event) => { event.stopPropagation(); choose(point, event); });
  made.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(point, event); });
  picture.svg.append(made);
  picture.spots.push({ point, x, y });
}
// The mark of a flaw at the foot of a panel, on `level` others, as `wormscope plot` draws it.
function flawMark(which, x, foot, level, colour) {
  const group = element("g", { class: "foot", "data-flaw": flaws[which].name, stroke: colour, fill: "none" });
  const base = foot - 16 * Math.min(level, 6);
  for (const [x1, y1, x2, y2, width] of flaws[which].strokes) group.append(element("path", { d: `M${x + x1},${base + y1}L${x + x2},${base + y2}`, "stroke-width": width }));
  group.append(element("rect", { x: x - 6, y: base - 15, width: 12, height: 16, fill: "transparent", stroke: "none" }));
  return group;
}
function tip(event, text) {
  const box = byId("tip");
  box.textContent = text;
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  // Not over the details.
  const side = byId("side").getBoundingClientRect(), end = side.left > innerWidth / 2 ? side.left : innerWidth;
  box.style.left = `${Math.max(6, Math.min(event.clientX + 14, end - width - 6))}px`;
  box.style.top = `${Math.max(6, event.clientY - height - 10)}px`;
}
function nothing(place, why) {
  views.delete(place.id);
  place.replaceChildren(element("p", {}, why));
}
// Keys of a legend below each other or beside each other, as they have room: [name, draw].
function legend(picture, entries, left = 4, right = picture.width) {
  let x = left, y = picture.height + 14;
  for (const [name, draw] of entries) {
    const text = fitted(name, right - left - 34, 12), wide = 32 + textWidth(text, 12) + 12;
    if (x > left && x + wide > right) [x, y] = [left, y + 17];
    const key = element("g", { class: "key" });
    draw(key, x, y - 4);
    key.append(element("text", { x: x + 30, y }, text));
    picture.svg.append(key);
    x += wide;
  }
  if (entries.length) picture.height = y + 6;
}
const lineKey = (colour, dash, shape, open) => (key, x, y) => key.append(element("path", { d: `M${x},${y}h24`, stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dash ?? null }),
  element("path", { d: shape(x + 12, y), fill: open ? "#fff" : colour, stroke: colour, "stroke-width": 1.5 }));
const shapeKey = (colour, shape, open) => (key, x, y) => key.append(element("path", { d: shape(x + 12, y), fill: open ? "#fff" : colour, stroke: colour, "stroke-width": open ? 2 : 0 }));
const flawKey = (which, colour = GREY) => (key, x, y) => key.append(flawMark(which, x + 12, y + 7, 0, colour));
// Lines of text below a picture.
function remark(picture, text, kind = "left-out") {
  let line = "";
  const put = () => {
    picture.height += 15;
    picture.svg.append(element("text", { class: kind, x: 4, y: picture.height - 3 }, line));
  };
  const most = Math.floor((picture.width - 8) / textWidth("m", 11)), pieces = (word) => word.match(new RegExp(`.{1,${most}}`, "g")) ?? [""];
  for (const word of text.split(" ").flatMap((word) => textWidth(word, 11) > picture.width - 8 ? pieces(word) : [word])) {
    if (line && textWidth(`${line} ${word}`, 11) > picture.width - 8) { put(); line = word; } else line += (line ? " " : "") + word;
  }
  put();
}

// ---- linked views: a point that is chosen or hovered has a ring in every chart ----

// Charts by the id of their place: the picture, and where a point is in it.
const views = new Map();
function rings() {
  for (const { picture, locate } of views.values()) {
    picture.svg.querySelectorAll(".ring").forEach((ring) => ring.remove());
    for (const [point, kind] of [[hovered, "hovered"], [chosen, "picked"]]) if (point) locate(point, kind);
  }
  for (const [point, kind] of [[hovered, "hovered"], [chosen, "chosen"]]) {
    for (const before of document.querySelectorAll(`[data-point].${kind}`)) before.classList.remove(kind);
    if (point) for (const of of document.querySelectorAll(`[data-point="${CSS.escape(point.number)}"]`)) of.classList.add(kind);
  }
}
const ring = (picture, x, y, kind) => picture.svg.append(element("circle", { class: `ring ${kind}`, cx: x, cy: y, r: 9, fill: "none", "pointer-events": "none" }));
function hover(point) {
  hovered = point;
  rings();
}
