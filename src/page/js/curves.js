
// ---- curves ----

const isStuck = (which) => which === 0;
function grouped(some, key) {
  const found = new Map();
  for (const one of some) {
    const name = key(one);
    if (found.has(name)) found.get(name).push(one); else found.set(name, [one]);
  }
  return found;
}
const settingOf = (point, fields) => fields.map((i) => `${axes[i].name} ${point.axes[i]}`).join(", ");

// The curves of some fields in panels of at most eight, as `wormscope plot` divides them: [{ name, curves: [{ name, number, at }] }], and whether
// panels differ in their curves.
function panelsOf(all, fields) {
  const curves = [...grouped(all, (at) => settingOf(at.point, fields))].slice(0, MOST_CURVES);
  const inOrder = (some) => ({ name: "", curves: some.map(([name, at], number) => ({ name, number, at })) });
  // Two sweeps stand side by side, if each has few curves.
  const sides = isPair && fields.includes(0) && fields.length > 1 ? [[0]] : [];
  if (curves.length <= MOST_IN_PANEL && !sides.length) return { panels: [inOrder(curves)], differ: false };
  const first = curves.map(([, at]) => at[0].point), distinct = (some) => new Set(first.map((point) => settingOf(point, some))).size;
  const rest = (across) => fields.filter((i) => !across.includes(i)), choices = [];
  for (let bits = 1; bits < 2 ** Math.min(fields.length, 10) - 1; bits++) {
    const across = fields.filter((_, at) => bits >> at & 1);
    if (distinct(across) <= MOST_PANELS && distinct(rest(across)) <= MOST_IN_PANEL) choices.push(across);
  }
  const beside = sides.filter((across) => distinct(rest(across)) <= MOST_IN_PANEL);
  if (choices.length || beside.length) {
    const [across] = beside.length ? beside : choices.sort((a, b) => a.length - b.length || distinct(a) - distinct(b));
    const numbers = [...new Set(first.map((point) => settingOf(point, rest(across))))];
    const panels = [...grouped(curves, ([, at]) => settingOf(at[0].point, across))];
    return { differ: false, panels: panels.map(([name, some]) => ({ name, curves: some.map(([, at]) => {
      const own = settingOf(at[0].point, rest(across));
      return { name: own, number: numbers.indexOf(own), at };
    }) })) };
  }
  const count = Math.ceil(curves.length / MOST_IN_PANEL), parted = Array.from({ length: count }, () => []);
  curves.forEach((curve, i) => parted[Math.floor(i * count / curves.length)].push(curve));
  return { panels: parted.map(inOrder), differ: true };
}
// Sound pieces of a curve and its flaws. Along the load it ends where the first point is saturated or stopped, as in `wormscope plot`.
function course(at, isLoad) {
  const pieces = [[]], foot = [];
  let ended = false;
  for (const one of [...at].sort((a, b) => a.x - b.x)) {
    if (one.why >= 0) {
      if (isLoad && ended && !isStuck(one.why)) continue;
      ended ||= isLoad && !isStuck(one.why);
      foot.push(one);
      pieces.push([]);
    } else if (!ended) pieces[pieces.length - 1].push(one);
  }
  return { pieces: pieces.filter((piece) => piece.length), foot };
}
// Base of the logarithm of a varied field whose values rise by factors.
function factor(values) {
  const all = [...new Set(values)].sort((a, b) => a - b);
  return all.length > 2 && all[0] > 0 && all.every((value, i) => i === 0 || value / all[i - 1] > 1.4) ? 2 : null;
}

function drawCurves() {
  const place = byId("curves"), x = named.get(byId("curve-x").value), y = named.get(byId("curve-y").value);
  const log = byId("curve-log").checked ? 10 : null, unsound = byId("curve-unsound").checked;
  const names = isNumber(x) ? null : [...new Set(shown.map((point) => point.axes[x.axis]))];
  const position = (point) => names ? names.indexOf(point.axes[x.axis]) : estimate(point, x)?.[0] ?? null;
  const all = shown.map((point) => ({ point, x: position(point), y: estimate(point, y) }))
    .filter((at) => at.x !== null && at.y && (!log || at.y[0] > 0))
    .map((at) => ({ ...at, why: flaw([at.y, estimate(at.point, x)].filter(Boolean)) }));
  if (!all.length) return nothing(place, "No point has both values.");
  const bad = all.filter((at) => at.why >= 0), isLoad = x.axis !== undefined && x.axis === data.load;
  if (bad.length === all.length && !unsound) return nothing(place, `Nothing to draw: ${note(bad.map((at) => at.why), all.length, y.name)}.`);
  // A curve for each setting of the other fields, if x is a field. Fields that follow from the load differ along a curve. Points against a
  // metric belong to no curve.
  const others = x.axis === undefined ? [] : differing(all.map((at) => at.point)).filter((i) => i !== x.axis && (!isLoad || data.hardware.includes(i)));
  const lines = x.axis !== undefined && !names, { panels, differ } = panelsOf(all, others);
  const count = Math.max(...panels.flatMap(({ curves }) => curves.map(({ number }) => number + 1)));
  const drawn = panels.map(({ name, curves }) => ({ name, curves: curves.map((curve) => ({ ...curve, ...(lines ? course(curve.at, isLoad) : { pieces: curve.at.filter((one) => one.why < 0).map((one) => [one]), foot: curve.at.filter((one) => one.why >= 0) }) })) }));
  const visible = drawn.flatMap(({ curves }) => curves.flatMap(({ at, pieces }) => [...pieces.flat(), ...unsound ? at.filter((one) => one.why >= 0) : []]));
  const spanY = range(visible.flatMap((at) => ends(at.y, log)).filter((value) => !log || value > 0), { log, zero: true });
  // All points have a place along x, so that a chosen point has a ring.
  const xs = all.map((at) => at.x), spanX = names ?? range(xs, { log: x.axis === undefined || isLoad ? null : factor(xs), zero: true });
  const across = axisTexts(x, spanX), up = axisTexts(y, spanY), picture = sheet(place, `${up[0]} against ${across[0]}`);
  const inRow = panels.length === 1 ? 1 : Math.max(1, Math.min(panels.length, Math.floor(picture.width / 190)));
  const width = picture.width / inRow, height = panels.length === 1 ? 300 : 210, where = new Map();
  drawn.forEach(({ name, curves }, n) => {
    const [column, row] = [n % inRow, Math.floor(n / inRow)];
    const top = differ ? picture.height : row * height, left = differ ? 0 : column * width;
    const at = panel(picture, { left, top, width: differ ? picture.width : width, height, x: spanX, y: spanY, across, up, title: name });
    picture.height = Math.max(picture.height, top + height);
    const levels = new Map();
    // Points of one category stand side by side, and no line lies between two categories.
    const aside = (number) => names ? Math.min(14, 0.7 * (at.box[2] - at.box[0]) / names.length / count) * (number - (count - 1) / 2) : 0;
    const text = (one) => `point ${one.point.number}${one.why >= 0 ? `: not valid, ${flaws[one.why].name}` : ""}\n${setting(one.point)}\n${y.name} ${told(one.y)}${x.metric !== undefined ? `\n${x.name} ${told(estimate(one.point, x))}` : ""}\n${one.point.ended}`;
    for (const { number, at: whole, foot } of curves) {
      for (const one of whole) where.set(one.point, [at.x(one.x) + aside(number), at.foot - 7]);
      for (const one of foot) {
        const px = at.x(one.x) + aside(number), level = levels.get(px) ?? 0, made = flawMark(one.why, px, at.foot, level, COLOURS[number]);
        levels.set(px, level + 1);
        where.set(one.point, [px, at.foot - 16 * Math.min(level, 6) - 7]);
        mark(picture, one.point, px, at.foot - 16 * Math.min(level, 6) - 7, made, text(one));
      }
    }
    for (const { number, at: whole, pieces } of curves) {
      const colour = COLOURS[number], shape = x.axis === undefined ? SHAPES[4] : SHAPES[number];
      if (lines && pieces.length) picture.svg.append(element("path", { class: "curve", stroke: colour, fill: "none", d: pieces.map((piece) => "M" + piece.map((one) => `${at.x(one.x)},${at.y(one.y[0])}`).join("L")).join("") }));
      for (const one of [...pieces.flat(), ...unsound ? whole.filter((one) => one.why >= 0) : []]) {
        const [px, py] = [at.x(one.x) + aside(number), at.y(one.y[0])];
        whisker(picture, px, at, one.y, colour);
        where.set(one.point, [px, py]);
        mark(picture, one.point, px, py, element("path", { d: shape(px, py), fill: one.why >= 0 ? "#fff" : colour, stroke: colour, "stroke-width": 1.5, opacity: x.axis === undefined ? 0.5 : null, class: one.why >= 0 ? "hollow" : "sound" }), text(one));
      }
    }
    if (differ) legend(picture, keysOf(curves, lines));
  });
  if (!differ && others.length) {
    // The key of a curve has its line, if the curve has a line in any panel.
    const all = drawn.flatMap(({ curves }) => curves).sort((a, b) => a.pieces.length - b.pieces.length), seen = new Map(all.map((curve) => [curve.name, curve]));
    legend(picture, keysOf([...seen.values()].sort((a, b) => a.number - b.number), lines));
  }
  legend(picture, flaws.map((_, which) => which).filter((which) => drawn.some(({ curves }) => curves.some(({ foot }) => foot.some((one) => one.why === which))))
    .map((which) => [`${flaws[which].name}${isLoad && !isStuck(which) ? " from here" : ""}`, flawKey(which)]));
  if (bad.length) remark(picture, note(bad.map((at) => at.why), all.length, y.name));
  const left = new Set(all.map((at) => at.point)).size - panels.reduce((sum, { curves }) => sum + curves.reduce((n, { at }) => n + at.length, 0), 0);
  if (left) remark(picture, `Only the first ${MOST_CURVES} curves are drawn. Choose others with the filter.`);
  finish(picture);
  views.set(place.id, { picture, locate: (point, kind) => { if (where.has(point)) ring(picture, ...where.get(point), kind); } });
}
const keysOf = (curves, lines) => curves.map(({ name, number, pieces, foot }) => [name, pieces.length ? (lines ? lineKey(COLOURS[number], null, SHAPES[number]) : shapeKey(COLOURS[number], SHAPES[number])) : flawKey(foot[0].why, COLOURS[number])]);
