
// ---- front ----

// Points with a number beside them, at the most.
const MOST_NUMBERED = 60;
// If no value of the front depends on the load, one point of each hardware stands for all.
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
const objectives = () => ["x", "y", "z"].filter((axis) => byId(`front-${axis}`).value)
  .map((axis) => ({ column: named.get(byId(`front-${axis}`).value), more: byId(`front-${axis}-better`).value === "more" }));
const HOW = { front: "on the front", tie: "tie within noise", dominated: "dominated" };
const LOOKS = { dominated: { fill: GREY, opacity: 0.4 }, front: { fill: COLOURS[0], stroke: COLOURS[0] }, tie: { fill: "#fff", stroke: COLOURS[2], "stroke-width": 2 } };
const FORMS = { dominated: SHAPES[4], front: SHAPES[4], tie: SHAPES[2] };

function drawFront() {
  const place = byId("front"), asked = objectives(), list = byId("front-list");
  list.replaceChildren();
  if (new Set(asked.map(({ column }) => column)).size < asked.length) return nothing(place, "A front has different metrics. Choose another.");
  const valued = shown.map((point) => ({ point, values: asked.map(({ column }) => estimate(point, column)) })).filter((one) => one.values.every(Boolean))
    .map((one) => ({ ...one, flaws: one.values.map((value) => flaw([value])) }));
  const bad = valued.filter((one) => one.flaws.some((which) => which >= 0));
  const notes = asked.map(({ column }, i) => [bad.map((one) => one.flaws[i]).filter((which) => which >= 0), column]).filter(([found]) => found.length)
    .map(([found, column]) => note(found, valued.length, column.name));
  const candidates = collapsed(valued.filter((one) => !bad.includes(one)));
  if (!candidates.length) return nothing(place, notes.length ? `Nothing to compare: ${notes.join("; ")}.` : "No point has all values.");
  if (candidates.length > 5000) return nothing(place, `${candidates.length} points; filter to 5000 or fewer.`);
  const standing = standings(candidates, asked.map(({ more }) => more ? 1 : -1));
  const judgedPoints = candidates.map((one, i) => ({ ...one, standing: standing[i] })), best = judgedPoints.filter((one) => one.standing !== "dominated");
  best.sort((a, b) => (asked[0].more ? -1 : 1) * (a.values[0][0] - b.values[0][0]));
  // Points that are not judged stretch only the axis on which they have a place.
  const placed = bad.filter((one) => one.flaws[0] < 0), spans = asked.map((_, i) => {
    const means = [...judgedPoints, ...i === 0 ? placed : []].map((one) => one.values[i][0]), [low, high] = [Math.min(...means), Math.max(...means)];
    const log = low > 0 && high / low > 20 ? 10 : null, room = 0.6 * (high - low || Math.abs(high) || 1);
    // Very wide intervals end at the edge.
    const reach = best.flatMap((one) => ends(one.values[i], log)).map((end) => log ? Math.min(Math.max(end, low / 2), high * 2) : Math.min(Math.max(end, low >= 0 ? Math.max(0, low - room) : low - room), high + room));
    return range([...means, ...reach], { log, zero: true });
  });
  const texts = asked.map(({ column, more }, i) => axisTexts(column, spans[i], [`; ${more ? "more" : "less"} is better`, more ? " ↑" : " ↓"]));
  const picture = sheet(place, `${asked.slice(1).map(({ column }) => label(column)).join(" and ")} against ${label(asked[0].column)}`), spots = new Map();
  asked.slice(1).forEach((_, n) => {
    const height = asked.length > 2 ? 230 : 300, at = panel(picture, { left: 0, top: picture.height, width: picture.width, height, x: spans[0], y: spans[n + 1], across: texts[0], up: texts[n + 1] });
    picture.height += height;
    if (asked.length === 2) picture.svg.append(element("path", { class: "steps", d: staircase(judgedPoints, asked, at), stroke: COLOURS[0], fill: "none" }));
    // One mark for all points with the same flaw at one place; the note below counts them.
    const feet = new Map();
    for (const one of placed.filter(({ flaws }) => flaws[n + 1] >= 0)) {
      const px = at.x(one.values[0][0]), here = feet.get(px) ?? [], known = here.indexOf(one.flaws[n + 1]), level = known < 0 ? here.length : known, py = at.foot - 16 * level - 7;
      spots.set(one.point, [...spots.get(one.point) ?? [], [px, py]]);
      if (known >= 0) continue;
      feet.set(px, [...here, one.flaws[n + 1]]);
      mark(picture, one.point, px, py, flawMark(one.flaws[n + 1], px, at.foot, level, GREY), `point ${one.point.number}: not judged, ${flaws[one.flaws[n + 1]].name}\n${setting(one.point)}\n${asked[0].column.name} ${told(one.values[0])}\n${one.point.ended}`);
    }
    const labels = [];
    for (const wanted of ["dominated", "tie", "front"]) for (const one of judgedPoints.filter(({ standing }) => standing === wanted)) {
      const [px, py] = [at.x(one.values[0][0]), at.y(one.values[n + 1][0])];
      if (wanted !== "dominated") {
        whisker(picture, px, at, one.values[n + 1], LOOKS[wanted].stroke);
        labels.push({ text: one.point.number, x: px, y: py });
      }
      spots.set(one.point, [...spots.get(one.point) ?? [], [px, py]]);
      mark(picture, one.point, px, py, element("path", { d: FORMS[wanted](px, py), ...LOOKS[wanted], class: wanted }),
        `point ${one.point.number}: ${HOW[wanted]}\n${setting(one.point)}\n${asked.map(({ column }, i) => `${column.name} ${told(one.values[i])}`).join("\n")}${one.point.canDeadlock ? "\nCAN DEADLOCK" : ""}`);
      if (one.point.canDeadlock) picture.svg.append(cross(px, py));
    }
    if (best.length <= MOST_NUMBERED) numbers(picture, labels, judgedPoints.map((one) => [at.x(one.values[0][0]), at.y(one.values[n + 1][0])]), at.box);
  });
  const crossed = (key, x, y) => key.append(cross(x + 12, y));
  legend(picture, [...Object.keys(HOW).filter((how) => standing.includes(how)).map((how) => [HOW[how], shapeKey(how === "tie" ? COLOURS[2] : LOOKS[how].fill, FORMS[how], how === "tie")]),
    ...candidates.some((one) => one.point.canDeadlock) ? [["can deadlock", crossed]] : [],
    ...flaws.map((_, which) => which).filter((which) => placed.some((one) => one.flaws.slice(1).includes(which))).map((which) => [flaws[which].name, flawKey(which)])]);
  const ties = best.filter((one) => one.standing === "tie").length;
  remark(picture, `${best.length - ties} of ${candidates.length} ${candidates.length === 1 ? "point" : "points"} on the front${ties ? `, and ${ties} ${ties === 1 ? "tie" : "ties"}` : ""}; numbers as in the table below`);
  for (const text of notes) remark(picture, text);
  finish(picture);
  // A point of the same hardware stands for a point that has no own place.
  const isCollapsed = candidates.length < valued.length - bad.length, standsFor = new Map(isCollapsed ? candidates.map((one) => [hardware(one.point), one.point]) : []);
  views.set(place.id, { picture, locate: (point, kind) => {
    for (const spot of spots.get(point) ?? spots.get(standsFor.get(hardware(point))) ?? []) ring(picture, ...spot, kind);
  } });
  listFront(list, best, asked);
}
// The best value for each price, by means.
function staircase(judgedPoints, [x, y], at) {
  const sign = ({ more }) => more ? 1 : -1;
  const sorted = judgedPoints.filter((one) => !one.point.canDeadlock).sort((a, b) => sign(x) * (b.values[0][0] - a.values[0][0]) || sign(y) * (b.values[1][0] - a.values[1][0]));
  let path = "", most = -Infinity;
  for (const { values: [[px], [py]] } of sorted) {
    const gain = sign(y) * py;
    if (gain <= most) continue;
    path += path ? `H${at.x(px)}V${at.y(py)}` : `M${at.x(px)},${at.y(py)}`;
    most = gain;
  }
  return path || null;
}
// Numbers beside points: each covers no other number, and as few marks as possible. A line leads to a number that is a step away.
function numbers(picture, labels, marks, [x0, y0, x1, y1]) {
  const taken = [], high = 11;
  for (const { text, x, y } of labels) {
    const wide = textWidth(text), places = [];
    for (let away = 0; away < 9; away++) {
      const [below, above] = [y + 4 + away * (high + 3), y - 4 - high - away * (high + 3)];
      for (const [left, top] of [[x + 7, above], [x + 7, below], [x - 7 - wide, above], [x - 7 - wide, below], [x - wide / 2, above - 4], [x - wide / 2, below + 4]])
        places.push({ away, left: Math.min(Math.max(left, x0 + 2), x1 - wide), top: Math.min(Math.max(top, y0), y1 - high) });
    }
    const covers = ({ away, left, top }) => 1000 * taken.filter(([l, t, r, b]) => left < r + 2 && l < left + wide + 2 && top < b && t < top + high).length
      + 10 * marks.filter(([mx, my]) => left - 5 < mx && mx < left + wide + 5 && top - 5 < my && my < top + high + 5).length + 3 * away;
    const { away, left, top } = places.reduce((best, one) => covers(one) < covers(best) ? one : best);
    taken.push([left, top, left + wide, top + high]);
    if (away) picture.svg.append(element("path", { class: "leader", d: `M${x},${y}L${Math.min(Math.max(x, left), left + wide)},${top > y ? top : top + high}`, fill: "none" }));
    picture.svg.append(element("text", { class: "number", x: left, y: top + high - 2, "pointer-events": "none" }, text));
  }
}
// The points of the front with the numbers of the chart.
function listFront(list, best, asked) {
  const fields = differing(best.map((one) => one.point)).filter((i) => !asked.some(({ column }) => column.axis === i));
  const head = ["point", ...fields.map((i) => axes[i].name), ...asked.map(({ column }) => column.name), "standing"];
  const rows = best.slice(0, FIRST_ROWS).map(({ point, values, standing }) => {
    const row = element("tr", { "data-point": point.number, tabindex: 0 }, element("td", {}, point.number), ...fields.map((i) => element("td", { class: axes[i].numeric ? null : "text" }, point.axes[i])),
      ...values.map((value) => element("td", {}, told(value))), element("td", { class: point.canDeadlock ? "text bad" : "text" }, standing + (point.canDeadlock ? ", can deadlock" : "")));
    return chooses(row, point);
  });
  list.append(element("thead", {}, element("tr", {}, ...head.map((name, i) => element("th", { scope: "col", class: i === head.length - 1 ? "text" : null }, name.replaceAll("_", "_\u200b"))))), element("tbody", {}, ...rows));
}
