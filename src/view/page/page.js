// Built by make page of the TypeScript beside it, sha256 5d5533dc4851d7ea2d9d6983a9fc494458e51add294e91581b4284fe327ecaf5
"use strict";
(() => {
  // format.ts
  var HEADER = 1;
  var ROUTE = 2;
  var TOKEN = 3;
  var LANES = 4;
  var MOVE = 5;
  var BLOCKED = 6;
  var waits = (state) => state === TOKEN || state === LANES || state === BLOCKED;
  async function unpack(text2) {
    const binary = atob(text2.trim());
    const packed = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    return { meta, streams: bytes.subarray(4 + length) };
  }

  // reason.ts
  var wormPart = (worm) => ({ text: `worm ${worm}`, to: { kind: "worm", worm } });
  var inputPart = (store, input) => ({ text: inputName(store, input), to: { kind: "input", input, cell: 0 } });
  var outputPart = (store, output) => ({ text: outputName(store, output), to: { kind: "link", output } });
  var switchPart = (store, k) => ({ text: store.meta.switches[k].name, to: { kind: "switch", switch: k } });
  var nodePart = (store, node) => ({ text: store.meta.nodes[node]?.name ?? `n${node}`, to: { kind: "node", node } });
  var full = (name, owner) => name.startsWith(`${owner}.`) ? name : `${owner}.${name}`;
  var inputName = (store, k) => full(store.meta.inputs[k].name, store.meta.switches[store.meta.inputs[k].switch].name);
  var outputName = (store, k) => full(store.meta.outputs[k].name, store.meta.switches[store.meta.outputs[k].switch].name);
  function lanesOf(store, k, port) {
    const { meta } = store, all = store.outputsOf[k];
    const own = all.filter((o) => meta.outputs[o].port === port);
    const sides = /^two-?sided/i.test(meta.network) ? 4 : /^bidirectional/i.test(meta.network) ? 2 : 0;
    if (!sides) return own;
    const b = Math.max(1, Math.round(meta.ports.length / sides));
    if (port % (2 * b) !== b) return own;
    return all.filter((o) => meta.outputs[o].port >= port && meta.outputs[o].port < port + b);
  }
  function unowned(store, input) {
    const { meta } = store, k = meta.inputs[input].switch;
    return store.branchesAt(input).map((port) => ({ port, lanes: lanesOf(store, k, port) })).filter(({ lanes }) => !lanes.some((o) => store.ownerInput(o) === input));
  }
  function reason(store, input) {
    const { meta } = store, state = store.stateAt(input), k = meta.inputs[input].switch;
    if (state === TOKEN) return tokenReason(store, input);
    if (state === LANES) {
      const parts = [];
      for (const { lanes } of unowned(store, input)) {
        const owned = lanes.filter((o) => store.ownerInput(o) >= 0);
        if (parts.length) parts.push("; ");
        if (!owned.length) {
          parts.push("asks for ", ...lanes.slice(0, 1).map((o) => outputPart(store, o)), ", which is free: an arbiter grants it");
          continue;
        }
        owned.slice(0, 3).forEach((o, i) => parts.push(i ? ", " : "waits for ", outputPart(store, o), " owned by ", wormPart(store.ownerWorm(o))));
        if (owned.length > 3) parts.push(` and ${owned.length - 3} more`);
      }
      const held = store.outputsOf[k].filter((o) => store.ownerInput(o) === input);
      if (held.length) parts.push("; meanwhile holds ", ...list(held.map((o) => outputPart(store, o))));
      return parts.length ? parts : ["has its lanes, and may use them from the next cycle on"];
    }
    if (state === BLOCKED) return blockedReason(store, input);
    if (state === HEADER) return ["waits for the rest of its header, or strips a part of it"];
    if (state === ROUTE) return ["the routing decision is under way"];
    if (state === MOVE) return store.heldAt(input) ? ["moves"] : ["would move, but the FIFO is empty: a bubble"];
    return ["no worm is in service"];
  }
  function tokenReason(store, input) {
    const { meta } = store, k = meta.inputs[input].switch;
    const ring = ringOf(store, k);
    for (const station of ring) {
      const e = store.stations.now[station];
      const holder = e < 0 ? -1 : store.stations.holder[e], at = meta.stations[station].switch;
      if (holder >= 0) {
        const lane = meta.laneBase[at][0] + holder;
        return ["waits for the token, which ", wormPart(store.wormAt(lane)), " holds at ", inputPart(store, lane)];
      }
    }
    const here = ring.find((station) => store.stations.now[station] >= 0 && store.stations.here[store.stations.now[station]]);
    if (here !== void 0) return ["waits for the token, which is at ", switchPart(store, meta.stations[here].switch)];
    return ["waits for the token, which is on its way to the next station"];
  }
  function ringOf(store, k) {
    const { stations, switches } = store.meta;
    const own = stations.find((s) => s.switch === k);
    const same2 = (s) => own?.ring !== void 0 ? s.ring === own.ring : switches[s.switch].at[0] === switches[k].at[0];
    return stations.map((s, i) => same2(s) ? i : -1).filter((i) => i >= 0);
  }
  function blockedReason(store, input) {
    const { meta } = store, k = meta.inputs[input].switch, taken = store.takenAt(input);
    const held = store.outputsOf[k].filter((o) => store.ownerInput(o) === input);
    const stuck = held.filter((o) => store.creditsAt(o) === 0 && !store.crossesAt(o));
    const parts = [];
    if (stuck.length) {
      parts.push("no credit on ", ...list(stuck.map((o) => outputPart(store, o))));
      for (const o of stuck.slice(0, 2)) {
        const behind = meta.outputs[o].input;
        if (behind === null) continue;
        const worm = store.wormAt(behind);
        parts.push(": the FIFO behind, ", inputPart(store, behind), ", is full");
        if (worm >= 0) parts.push(" and serves ", wormPart(worm));
      }
    } else {
      const beside = held.flatMap((o) => store.outputsOf[k].filter((other) => other !== o && meta.outputs[other].port === meta.outputs[o].port && store.crossesAt(other)));
      if (beside.length) parts.push("the link carries a flit of ", wormPart(store.outputs.worm[store.outputs.now[beside[0]]]), " on ", outputPart(store, beside[0]), " in this cycle");
      else parts.push("its lanes have credits, but cannot send in this cycle");
    }
    const siblings = held.filter((o) => taken.some((port) => lanesOf(store, k, port).includes(o)));
    if (siblings.length) parts.push("; the siblings ", ...list(siblings.map((o) => outputPart(store, o))), " have the flit and hold");
    return parts;
  }
  function list(parts) {
    return parts.flatMap((part, i) => i === 0 ? [part] : [i === parts.length - 1 ? " and " : ", ", part]);
  }
  var plain = (parts) => parts.map((part) => typeof part === "string" ? part : part.text).join("");

  // address.ts
  function written(t, run, active) {
    const { selection, store } = run, { meta } = store;
    const chosen = !selection ? null : selection.kind === "worm" ? ["worm", selection.worm] : selection.kind === "switch" ? ["switch", meta.switches[selection.switch].name] : selection.kind === "node" ? ["node", meta.nodes[selection.node].name] : selection.kind === "link" ? ["link", outputName(store, selection.output)] : selection.kind === "input" ? ["fifo", inputName(store, selection.input)] : null;
    return `#t=${t}${chosen ? `&${chosen[0]}=${encodeURIComponent(chosen[1])}` : ""}${active ? `&run=${active + 1}` : ""}`;
  }
  function follow(page, hash) {
    const asked = new URLSearchParams(hash.replace(/^#/, ""));
    const run = Math.max(0, Math.min(page.runs.length, Number(asked.get("run") ?? 1)) - 1);
    const { store } = page.runs[run], { meta } = store;
    const t = asked.has("t") ? Number(asked.get("t")) : NaN;
    if (Number.isFinite(t)) page.seek(t);
    let to = null;
    const index = (k, make) => {
      if (k >= 0) to = make(k);
    };
    if (asked.has("worm")) {
      const worm = Number(asked.get("worm"));
      if (store.worm(worm)) to = { kind: "worm", worm };
    }
    if (asked.has("switch")) index(meta.switches.findIndex((s) => s.name === asked.get("switch")), (k) => ({ kind: "switch", switch: k }));
    if (asked.has("node")) index(meta.nodes.findIndex((n) => n.name === asked.get("node")), (k) => ({ kind: "node", node: k }));
    if (asked.has("link")) index(meta.outputs.findIndex((_, k) => outputName(store, k) === asked.get("link")), (k) => ({ kind: "link", output: k }));
    if (asked.has("fifo")) index(meta.inputs.findIndex((_, k) => inputName(store, k) === asked.get("fifo")), (k) => ({ kind: "input", input: k, cell: 0 }));
    if (to) {
      page.select(to, run);
      if (!Number.isFinite(t) && asked.has("worm")) page.seek(Math.max(meta.from, store.worm(Number(asked.get("worm")))?.created ?? meta.from));
    }
    return Number.isFinite(t) || to !== null;
  }

  // dom.ts
  var byId = (id) => {
    const found = document.getElementById(id);
    if (!found) throw new Error(`no element ${id}`);
    return found;
  };
  function el(tag, props = {}, ...children) {
    const made = Object.assign(document.createElement(tag), props);
    for (const child of children) if (child !== null && child !== void 0 && child !== false) made.append(child);
    return made;
  }
  function svg(tag, attributes, text2) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    if (text2 !== void 0) made.textContent = text2;
    return made;
  }
  function table(heads, rows, numbers = []) {
    const cell = (tag) => (child, i) => el(tag, { className: numbers.includes(i) ? "number" : "" }, child);
    return el("table", {}, el("thead", {}, el("tr", {}, ...heads.map(cell("th")))), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell("td"))))));
  }
  function copy(text2, shown) {
    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(shown);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      document.execCommand("copy");
    };
    select();
    if (navigator.clipboard) navigator.clipboard.writeText(text2).catch(() => {
    });
  }
  function save(name, text2, type) {
    const url = URL.createObjectURL(new Blob([text2], { type }));
    el("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1e4);
  }

  // pen.ts
  var escape = (text2) => text2.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
  var short = (value) => String(Math.round(value * 100) / 100);
  var SvgPen = class {
    constructor() {
      this.fillStyle = "#000";
      this.strokeStyle = "#000";
      this.lineWidth = 1;
      this.globalAlpha = 1;
      this.font = "10px sans-serif";
      this.textAlign = "start";
      this.textBaseline = "alphabetic";
      this.lineCap = "butt";
      this.lineJoin = "miter";
      this.parts = [];
      this.path = "";
      this.dash = [];
    }
    beginPath() {
      this.path = "";
    }
    closePath() {
      this.path += "Z";
    }
    moveTo(x, y) {
      this.path += `M${short(x)} ${short(y)}`;
    }
    lineTo(x, y) {
      this.path += `L${short(x)} ${short(y)}`;
    }
    /** Whole circles only. */
    arc(x, y, r) {
      this.path += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0`;
    }
    fill() {
      if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.opacity()}/>`);
    }
    stroke() {
      if (this.path) this.parts.push(`<path d="${this.path}" fill="none"${this.line()}/>`);
    }
    fillRect(x, y, w, h) {
      this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${this.fillStyle}"${this.opacity()}/>`);
    }
    strokeRect(x, y, w, h) {
      this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="none"${this.line()}/>`);
    }
    fillText(text2, x, y) {
      const anchor = { start: "start", left: "start", center: "middle", right: "end", end: "end" }[this.textAlign];
      const [, weight, size] = /^(bold )?([\d.]+)px/.exec(this.font) ?? ["", "", "10"];
      const down = this.textBaseline === "middle" ? 0.35 * Number(size) : 0;
      this.parts.push(`<text x="${short(x)}" y="${short(y + down)}" font-size="${short(Number(size))}"${weight ? ' font-weight="bold"' : ""} text-anchor="${anchor}" fill="${this.fillStyle}"${this.opacity()}>${escape(text2)}</text>`);
    }
    setLineDash(dash) {
      this.dash = [...dash];
    }
    take() {
      const parts = this.parts.join("\n");
      this.parts = [];
      return parts;
    }
    opacity() {
      return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
    }
    line() {
      const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(short).join(" ")}"` : "";
      return ` stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"${dash}${this.opacity()}`;
    }
  };

  // frame.ts
  var FONT = `"DejaVu Sans", Verdana, sans-serif`;
  function seen(frame, x, y, r) {
    const v = frame.view;
    return x + r >= v.left && x - r <= v.right && y + r >= v.top && y - r <= v.bottom;
  }
  var round = (d) => Math.abs(d) < 1e-3 ? 0 : Math.abs(d) > 0.999 ? Math.sign(d) : d;
  function unit(dx, dy) {
    const length = Math.max(Math.hypot(dx, dy), 1e-9);
    return [dx / length, dy / length];
  }
  function arrow(pen, x, y, u, v, head) {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(u, v);
    pen.stroke();
    if (!head) return;
    const [dx, dy] = unit(u - x, v - y);
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(u - 4 * dx - 2.4 * dy, v - 4 * dy + 2.4 * dx);
    pen.lineTo(u, v);
    pen.lineTo(u - 4 * dx + 2.4 * dy, v - 4 * dy - 2.4 * dx);
    pen.stroke();
    pen.setLineDash([2, 2]);
  }

  // palette.ts
  var LIGHT = {
    ground: "#ffffff",
    panel: "#f5f6fa",
    box: "#f1f3f8",
    boxLine: "#8b95aa",
    wire: "#c9cfdc",
    ink: "#1d2433",
    faint: "#5c657b",
    line: "#d8dde8",
    cell: "#dde2ec",
    blocked: "#d1350f",
    token: "#7a3fd0",
    lanes: "#a86a00",
    load: "#5b8bb8",
    select: "#111827",
    onWorm: "#ffffff",
    worms: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#999933", "#882255", "#44aa99", "#332288", "#b58b5a"]
  };
  var DARK = {
    ground: "#12161f",
    panel: "#1a202c",
    box: "#202836",
    boxLine: "#5d6a82",
    wire: "#3a4456",
    ink: "#e8ecf4",
    faint: "#9aa6bd",
    line: "#313b4d",
    cell: "#2d3748",
    blocked: "#ff6a45",
    token: "#b794f6",
    lanes: "#f0b429",
    load: "#6f9fd0",
    select: "#ffffff",
    onWorm: "#0b0e14",
    worms: ["#4da3e0", "#e69f00", "#2fc495", "#e394bf", "#8fd0f7", "#c2c255", "#d0608f", "#6fd6c6", "#9a8cf0", "#d9b280"]
  };
  function stateColour(theme, state) {
    return [theme.line, "#8aa0b8", "#56b4e9", theme.token, theme.lanes, "#2a9d6f", theme.blocked][state] ?? theme.faint;
  }
  var STATE_MARK = ["", "H", "R", "T", "L", "", "B"];
  var wormColour = (theme, worm) => theme.worms[worm % theme.worms.length];
  var striped = (theme, worm) => Math.floor(worm / theme.worms.length) % 2 === 1;

  // still.ts
  function drawStill(pen, geometry, theme, scale) {
    const { meta } = geometry;
    const thin = (width) => Math.max(width, 0.6 / scale);
    pen.lineJoin = "round";
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.wire;
    pen.lineWidth = thin(1);
    pen.beginPath();
    for (const points of geometry.wires) trace(pen, points);
    pen.stroke();
    pen.fillStyle = theme.box;
    pen.strokeStyle = theme.boxLine;
    pen.lineWidth = thin(0.9);
    for (const s of meta.switches) {
      const [x, y] = [s.at[0] - s.size[0] / 2, s.at[1] - s.size[1] / 2];
      pen.fillRect(x, y, s.size[0], s.size[1]);
      pen.strokeRect(x, y, s.size[0], s.size[1]);
    }
    pen.fillStyle = theme.cell;
    const gap = scale > 2 ? 0.9 : 1;
    meta.inputs.forEach((input, k) => {
      const width = geometry.width[k], cell = geometry.cell[k];
      if (!input.exists || width * scale < 1.2) return;
      if (cell * scale < 4) {
        bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], 0, cell * input.depth, width);
        return;
      }
      for (let c = 0; c < input.depth; c++) bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], c * cell, (c + gap) * cell, width);
    });
    pen.fillStyle = theme.ground;
    pen.strokeStyle = theme.boxLine;
    pen.beginPath();
    for (const n of meta.nodes) for (const at of same(n.send, n.receive) ? [n.send] : [n.send, n.receive]) {
      pen.moveTo(at[0] + n.radius, at[1]);
      pen.arc(at[0], at[1], n.radius, 0, 7);
    }
    pen.fill();
    pen.stroke();
    pen.textBaseline = "middle";
    pen.fillStyle = theme.faint;
    meta.switches.forEach((s, k) => {
      const place = geometry.namePlace[k];
      if (place.size * scale < 5.5) return;
      pen.font = `${place.size}px "DejaVu Sans", Verdana, sans-serif`;
      pen.textAlign = place.align;
      pen.fillText(s.name, place.x, place.y);
    });
    pen.fillStyle = theme.ink;
    for (const n of meta.nodes) {
      for (const at of same(n.send, n.receive) ? [n.send] : [n.send, n.receive]) nodeName(pen, n, at, geometry, scale);
    }
    if (scale > 2.2) ports(pen, geometry, theme);
  }
  var same = (a, b) => a[0] === b[0] && a[1] === b[1];
  function nodeName(pen, n, at, geometry, scale) {
    const fits = n.radius >= 8, size = fits ? Math.min(8, 2.6 * n.radius / n.name.length) : Math.min(10, 2.2 * n.radius);
    if (size * scale < 5) return;
    pen.font = `bold ${size}px "DejaVu Sans", Verdana, sans-serif`;
    const right = at[0] > (geometry.bounds.left + geometry.bounds.right) / 2;
    pen.textAlign = fits ? "center" : right ? "left" : "right";
    pen.fillText(n.name, fits ? at[0] : at[0] + (right ? 1 : -1) * (n.radius + 3), at[1]);
  }
  function ports(pen, geometry, theme) {
    const { meta } = geometry;
    pen.fillStyle = theme.faint;
    pen.textAlign = "center";
    let [u, v] = [NaN, NaN];
    meta.outputs.forEach((o) => {
      if (!o.points.length || o.points[0] === u && o.points[1] === v) return;
      [u, v] = o.points;
      const s = meta.switches[o.switch], [x, y] = o.points;
      const size = Math.min(3.6, 0.06 * Math.min(...s.size));
      pen.font = `${size}px "DejaVu Sans", Verdana, sans-serif`;
      const [dx, dy] = [Math.abs(x - s.at[0]) / s.size[0], Math.abs(y - s.at[1]) / s.size[1]];
      const text2 = o.name;
      const in_x = 1.5 * size, in_y = 0.9 * size;
      pen.fillText(text2, x - (dx >= dy ? Math.sign(x - s.at[0]) * in_x : 0), y - (dy > dx ? Math.sign(y - s.at[1]) * in_y : 0));
    });
  }
  function trace(pen, points) {
    if (points.length < 4) return;
    pen.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 2) pen.lineTo(points[i], points[i + 1]);
  }
  function bar(pen, x, y, dx, dy, a, b, width) {
    if (dx === 0 || dy === 0) {
      const [w, h] = [dx ? b - a : width, dy ? b - a : width];
      pen.fillRect(dx ? x + (dx > 0 ? a : -b) : x - width / 2, dy ? y + (dy > 0 ? a : -b) : y - width / 2, w, h);
      return;
    }
    const [px, py] = [-dy * width / 2, dx * width / 2];
    pen.beginPath();
    pen.moveTo(x + dx * a + px, y + dy * a + py);
    pen.lineTo(x + dx * b + px, y + dy * b + py);
    pen.lineTo(x + dx * b - px, y + dy * b - py);
    pen.lineTo(x + dx * a - px, y + dy * a - py);
    pen.closePath();
    pen.fill();
  }

  // flits.ts
  var Flits = class {
    constructor() {
      /** For each colour: numbers of what is drawn in it. */
      this.lists = Array.from({ length: 10 }, () => []);
      this.cells = [];
      this.point = { x: 0, y: 0, dx: 0, dy: 0 };
    }
    clear() {
      for (const list2 of this.lists) list2.length = 0;
      return this.lists;
    }
    /** Wires that worms hold. */
    held(pen, store, geometry, theme, frame, only) {
      const lists = this.clear(), n = theme.worms.length;
      for (let k = 0; k < store.outputs.count; k++) {
        const worm = store.ownerWorm(k);
        if (worm >= 0) lists[worm % n].push(k, worm);
      }
      pen.lineWidth = Math.max(1.3, 1.1 / frame.scale);
      this.strokes(pen, lists, geometry, theme, only, 0.75);
    }
    strokes(pen, lists, geometry, theme, only, alpha) {
      for (let colour = 0; colour < lists.length; colour++) {
        const list2 = lists[colour];
        for (const faint of only >= 0 ? [true, false] : [false]) {
          let any = false;
          for (let i = 0; i < list2.length; i += 2) {
            if (only >= 0 && list2[i + 1] !== only !== faint) continue;
            if (!any) pen.beginPath();
            any = true;
            trace(pen, geometry.wires[list2[i]]);
          }
          if (!any) continue;
          pen.globalAlpha = faint ? 0.15 : alpha;
          pen.strokeStyle = theme.worms[colour];
          pen.stroke();
        }
      }
      pen.globalAlpha = 1;
    }
    /** Flits on wires. */
    crossings(pen, store, geometry, theme, frame, only) {
      const lists = this.clear(), { meta, t } = store, n = theme.worms.length, outputs = meta.outputs.length;
      for (let wire2 = 0; wire2 < geometry.wires.length; wire2++) {
        const tracks = wire2 < outputs ? store.outputs : store.injections, track = wire2 < outputs ? wire2 : wire2 - outputs;
        const arrival = Math.max(1, store.arrival(wire2 < outputs ? wire2 : outputs - 1 - wire2));
        for (let back = 0; back < arrival; back++) {
          const e = back ? tracks.find(track, t - back) : tracks.now[track];
          if (e < 0 || !tracks.valid[e]) continue;
          const list2 = lists[tracks.worm[e] % n];
          if (frame.moving) list2.push(wire2, tracks.worm[e], tracks.flit[e] + t - back - tracks.cycle[e], (back + frame.phase) / arrival);
          else list2.push(wire2, tracks.worm[e]);
        }
      }
      if (!frame.moving) {
        pen.lineWidth = Math.max(3.2, 2 / frame.scale);
        this.strokes(pen, lists, geometry, theme, only, 1);
        return;
      }
      const p = this.point, long = Math.max(9, 5 / frame.scale), wide = Math.max(5.5, 3.5 / frame.scale);
      lists.forEach((list2, colour) => {
        pen.fillStyle = theme.worms[colour];
        for (let i = 0; i < list2.length; i += 4) {
          geometry.along(list2[i], list2[i + 3], p);
          if (!seen(frame, p.x, p.y, long)) continue;
          pen.globalAlpha = only >= 0 && only !== list2[i + 1] ? 0.15 : 1;
          bar(pen, p.x, p.y, round(p.dx), round(p.dy), -long / 2, long / 2, wide);
          const worm = store.worm(list2[i + 1]);
          if (worm) this.marks(pen, theme, list2[i + 1], list2[i + 2], worm.header, worm.header + worm.payload, p.x, p.y, round(p.dx), round(p.dy), long, wide, frame.scale);
          pen.fillStyle = theme.worms[colour];
        }
      });
      pen.globalAlpha = 1;
    }
    /** What tells flits apart: a bar at a head, a notch at a tail, hollow where header; numbers where there is room. */
    marks(pen, theme, worm, flit, header, flits, x, y, dx, dy, long, wide, scale) {
      if (long * scale < 5) return;
      pen.fillStyle = theme.onWorm;
      if (striped(theme, worm)) bar(pen, x, y, dx, dy, -long / 2, long / 2, wide * 0.16);
      const label = long * scale >= 13 && wide * scale >= 10;
      if (flit < header) {
        bar(pen, x, y, dx, dy, long * 0.32, long * 0.5, wide);
        if (!label) bar(pen, x, y, dx, dy, -long * 0.22, long * 0.14, wide * 0.4);
      }
      if (flit === flits - 1) bar(pen, x, y, dx, dy, -long * 0.4, -long * 0.24, wide);
      if (label) {
        pen.font = `bold ${Math.min(0.62 * wide, 0.42 * long)}px ${FONT}`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(String(flit), x, y);
      }
    }
    /** What stands in FIFOs. */
    fifos(pen, store, geometry, theme, frame, only) {
      const lists = this.clear(), { meta } = store, n = theme.worms.length, cells = this.cells, tracks = store.inputs;
      for (let k = 0; k < tracks.count; k++) {
        const e = tracks.now[k];
        if (e < 0 || !tracks.held[e]) continue;
        const at = meta.inputs[k].at;
        if (!seen(frame, at[0], at[1], 60)) continue;
        const held = tracks.held[e];
        store.cells(k, store.t, held, cells);
        const apart = geometry.cell[k] * frame.scale >= 4;
        for (let c = 0; c < held; ) {
          const worm = cells[2 * c];
          let run = 1;
          while (!apart && c + run < held && cells[2 * (c + run)] === worm) run++;
          if (worm >= 0) lists[worm % n].push(k, c, run, worm, cells[2 * c + 1]);
          c += run;
        }
      }
      lists.forEach((list2, colour) => {
        pen.fillStyle = theme.worms[colour];
        for (let i = 0; i < list2.length; i += 5) {
          const k = list2[i], input = meta.inputs[k], cell = geometry.cell[k], width = geometry.width[k];
          pen.globalAlpha = only >= 0 && only !== list2[i + 3] ? 0.15 : 1;
          const apart = cell * frame.scale >= 4, b = input.depth - list2[i + 1];
          bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], (b - list2[i + 2]) * cell, (apart ? b - 0.1 : b) * cell, width);
          if (!apart) continue;
          const worm = store.worm(list2[i + 3]);
          if (worm) {
            const by = (b - 0.55) * cell, x = input.at[0] + input.inward[0] * by, y = input.at[1] + input.inward[1] * by;
            this.marks(pen, theme, list2[i + 3], list2[i + 4], worm.header, worm.header + worm.payload, x, y, input.inward[0], input.inward[1], 0.9 * cell, width, frame.scale);
            pen.fillStyle = theme.worms[colour];
          }
        }
      });
      pen.globalAlpha = 1;
    }
  };

  // overlay.ts
  function halo(pen, store, geometry, theme, frame, worm) {
    const index = store.wormIndex.get(worm);
    pen.lineCap = "round";
    pen.lineJoin = "round";
    pen.strokeStyle = wormColour(theme, worm);
    if (index !== void 0) {
      pen.globalAlpha = store.ended[index] > store.t ? 0.25 : 0.12;
      pen.lineWidth = Math.max(4, 3 / frame.scale);
      pen.beginPath();
      for (const visit of store.visitsOf[index]) {
        const feeder = store.feeder[visit.input];
        const wire2 = feeder >= 0 ? feeder : store.meta.outputs.length - 1 - feeder;
        if (visit.from <= store.t && wire2 < geometry.wires.length) trace(pen, geometry.wires[wire2]);
      }
      pen.stroke();
    }
    pen.globalAlpha = 0.4;
    pen.lineWidth = Math.max(7, 5 / frame.scale);
    pen.beginPath();
    store.meta.outputs.forEach((_, k) => {
      if (store.ownerWorm(k) === worm) trace(pen, geometry.wires[k]);
    });
    pen.stroke();
    pen.globalAlpha = 1;
    pen.lineCap = "butt";
  }
  function chosenThing(pen, run, theme, frame) {
    const { selection, store, geometry } = run, { meta } = store;
    if (!selection) return;
    pen.strokeStyle = theme.select;
    pen.globalAlpha = 1;
    pen.lineWidth = Math.max(1.2, 1.8 / frame.scale);
    pen.beginPath();
    if (selection.kind === "switch") {
      const s = meta.switches[selection.switch];
      pen.strokeRect(s.at[0] - s.size[0] / 2 - 1, s.at[1] - s.size[1] / 2 - 1, s.size[0] + 2, s.size[1] + 2);
    } else if (selection.kind === "node") {
      const n = meta.nodes[selection.node];
      for (const at of [n.send, n.receive]) {
        pen.moveTo(at[0] + n.radius + 1, at[1]);
        pen.arc(at[0], at[1], n.radius + 1, 0, 2 * Math.PI);
      }
      pen.stroke();
    } else if (selection.kind === "link" || selection.kind === "injection") {
      trace(pen, geometry.wires[selection.kind === "link" ? selection.output : meta.outputs.length + selection.channel]);
      pen.stroke();
    } else if (selection.kind === "input") {
      const [x, y] = geometry.cellAt(selection.input, selection.cell), r = 0.5 * Math.max(geometry.width[selection.input], geometry.cell[selection.input]) + 1;
      pen.strokeRect(x - r, y - r, 2 * r, 2 * r);
    }
  }
  function circle(pen, store, geometry, theme, frame) {
    const { meta } = store;
    pen.lineCap = "round";
    meta.deadlock?.circle.forEach((entry, i) => {
      const [x, y] = geometry.front(entry.input);
      const width = Math.max(2.2, 1.8 / frame.scale);
      pen.strokeStyle = theme.blocked;
      pen.globalAlpha = 0.55 + 0.45 * frame.pulse;
      pen.lineWidth = width;
      pen.setLineDash([]);
      pen.beginPath();
      for (const output of entry.outputs) trace(pen, meta.outputs[output].points);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.lineWidth = width * 1.3;
      for (const output of entry.outputs) {
        pen.setLineDash([]);
        arrow(pen, x, y, meta.outputs[output].points[0], meta.outputs[output].points[1], true);
      }
      pen.setLineDash([]);
      const r = Math.max(4, 6 / frame.scale);
      pen.fillStyle = theme.blocked;
      pen.beginPath();
      pen.arc(x, y, r, 0, 2 * Math.PI);
      pen.fill();
      pen.fillStyle = "#ffffff";
      pen.font = `bold ${1.3 * r}px ${FONT}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(String(i + 1), x, y);
    });
    pen.lineCap = "butt";
    pen.globalAlpha = 1;
  }

  // selection.ts
  function wormOf(run) {
    const { selection, store } = run;
    if (!selection) return -1;
    if (selection.kind === "worm") return selection.worm;
    if (selection.kind === "input") {
      const cells = [], held = store.heldAt(selection.input);
      if (selection.cell < held) {
        store.cells(selection.input, store.t, held, cells);
        return cells[2 * selection.cell];
      }
      return store.wormAt(selection.input);
    }
    return -1;
  }

  // tokens.ts
  function rings(store) {
    const found = /* @__PURE__ */ new Map();
    store.meta.stations.forEach((station, k) => {
      if (station.ring === void 0) return;
      const ring = found.get(station.ring);
      if (ring) ring.push(k);
      else found.set(station.ring, [k]);
    });
    return [...found.values()].filter((ring) => ring.length > 1);
  }
  function drawTokens(pen, store, geometry, theme, frame) {
    const { meta } = store;
    if (!meta.stations.length) return;
    const place = (k) => {
      const s = meta.switches[meta.stations[k].switch];
      return [s.at[0] + s.size[0] / 2 - 5, s.at[1] - s.size[1] / 2 + 5];
    };
    const here = (k, t) => {
      const e = store.stations.find(k, t);
      return e >= 0 && store.stations.here[e] === 1;
    };
    const dot = (x, y, r) => {
      pen.beginPath();
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 2 * Math.PI);
    };
    pen.strokeStyle = theme.token;
    pen.fillStyle = theme.token;
    pen.lineWidth = Math.max(0.8, 0.6 / frame.scale);
    const leaves = /* @__PURE__ */ new Map();
    for (const ring of rings(store)) {
      pen.globalAlpha = 0.4;
      pen.setLineDash([3, 3]);
      pen.beginPath();
      ring.forEach((k, i) => {
        const [x, y] = place(k);
        if (i) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      });
      pen.stroke();
      pen.setLineDash([]);
      if (frame.flows) ring.forEach((k, i) => {
        const next = ring[(i + 1) % ring.length];
        if (here(k, store.t) && !here(k, store.t + 1) && here(next, store.t + 1)) leaves.set(k, next);
      });
    }
    meta.stations.forEach((station, k) => {
      let [x, y] = place(k);
      const e = store.stations.now[k], at = e >= 0 && store.stations.here[e] === 1, holder = e >= 0 ? store.stations.holder[e] : -1;
      pen.globalAlpha = at || holder >= 0 ? 1 : 0.35;
      dot(x, y, 3.2);
      pen.stroke();
      if (!at && holder < 0) return;
      const next = leaves.get(k);
      if (next !== void 0) {
        const [u2, v2] = place(next);
        x += (u2 - x) * frame.phase;
        y += (v2 - y) * frame.phase;
      }
      dot(x, y, holder >= 0 ? 3.8 : 3.2 + frame.pulse);
      pen.fill();
      if (holder < 0) return;
      const [u, v] = geometry.front(meta.laneBase[station.switch][0] + holder);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(u, v);
      pen.stroke();
    });
    pen.globalAlpha = 1;
  }

  // scene.ts
  var Scene = class {
    constructor() {
      this.flits = new Flits();
      /** Whether anything pulses. */
      this.pulses = false;
    }
    /** What is the same for the whole cycle: the chosen worm's tree, held wires, FIFOs, nodes, waits. */
    settled(pen, run, theme, frame) {
      const { store, geometry } = run, chosen = wormOf(run), only = frame.alone && chosen >= 0 ? chosen : -1;
      if (chosen >= 0) halo(pen, store, geometry, theme, frame, chosen);
      this.flits.held(pen, store, geometry, theme, frame, only);
      this.flits.fifos(pen, store, geometry, theme, frame, only);
      this.nodes(pen, store, theme, frame, only);
      this.waits(pen, store, geometry, theme, frame);
    }
    /** What moves or pulses within it. */
    moving(pen, run, theme, frame) {
      this.pulses = false;
      const { store, geometry } = run, chosen = wormOf(run), only = frame.alone && chosen >= 0 ? chosen : -1;
      this.flits.crossings(pen, store, geometry, theme, frame, only);
      this.inside(pen, store, geometry, theme, frame, chosen);
      drawTokens(pen, store, geometry, theme, frame);
      chosenThing(pen, run, theme, frame);
      const deadlock = store.meta.deadlock;
      if (deadlock && store.t >= deadlock.cycle) {
        this.pulses = true;
        circle(pen, store, geometry, theme, frame);
      }
    }
    /** Branches through the crossbars. */
    inside(pen, store, geometry, theme, frame, chosen) {
      const { meta } = store, tracks = store.inputs;
      for (let k = 0; k < tracks.count; k++) {
        const e = tracks.now[k];
        if (e < 0 || tracks.worm[e] < 0) continue;
        const s = meta.switches[meta.inputs[k].switch], worm = tracks.worm[e];
        if (worm !== chosen && Math.min(...s.size) * frame.scale < 34) continue;
        if (!seen(frame, s.at[0], s.at[1], Math.max(...s.size))) continue;
        const [x, y] = geometry.front(k);
        this.branches(pen, store, theme, frame, k, worm, tracks.state[e], x, y);
      }
      pen.globalAlpha = 1;
      pen.setLineDash([]);
    }
    branches(pen, store, theme, frame, k, worm, state, x, y) {
      const { meta } = store, input = meta.inputs[k], lane = k - meta.laneBase[input.switch][0];
      for (const o of store.outputsOf[input.switch]) {
        const e = store.outputs.now[o];
        if (e < 0 || store.outputs.extra[e] !== lane) continue;
        const crosses = store.outputs.valid[e] === 1, points = meta.outputs[o].points;
        const stuck = state === BLOCKED && store.outputs.credits[e] === 0 && meta.outputs[o].input !== null;
        pen.globalAlpha = crosses ? 1 : 0.7;
        pen.strokeStyle = stuck ? theme.blocked : wormColour(theme, worm);
        pen.lineWidth = Math.max(crosses ? 2 : 1, 0.8 / frame.scale) * (stuck ? 1 + 0.9 * frame.pulse : 1);
        pen.setLineDash(crosses || stuck ? [] : [2.5, 2]);
        arrow(pen, x, y, points[0], points[1], false);
        if (stuck) {
          this.pulses = true;
          pen.setLineDash([]);
          pen.globalAlpha = 0.35 + 0.65 * frame.pulse;
          pen.lineWidth = 2.2;
          const [dx, dy] = unit(points[2] - points[0], points[3] - points[1]);
          pen.beginPath();
          pen.moveTo(points[0] + 3 * dx - 4.5 * dy, points[1] + 3 * dy + 4.5 * dx);
          pen.lineTo(points[0] + 3 * dx + 4.5 * dy, points[1] + 3 * dy - 4.5 * dx);
          pen.stroke();
        }
      }
      if (state !== LANES) return;
      pen.globalAlpha = 0.5 + 0.5 * frame.pulse;
      pen.strokeStyle = theme.lanes;
      pen.setLineDash([2, 2]);
      pen.lineWidth = Math.max(1.3, 1 / frame.scale);
      this.pulses = true;
      for (const { lanes } of unowned(store, k)) {
        for (const o of lanes.slice(0, 2)) arrow(pen, x, y, meta.outputs[o].points[0], meta.outputs[o].points[1], true);
      }
    }
    /** Marks at the fronts of FIFOs whose worms wait: a shape and a colour for each reason. */
    waits(pen, store, geometry, theme, frame) {
      const { meta } = store, tracks = store.inputs;
      pen.setLineDash([]);
      pen.globalAlpha = 1;
      for (const [state, colour, text2] of [[TOKEN, theme.token, "token"], [LANES, theme.lanes, "lane"], [BLOCKED, theme.blocked, "credit"]]) {
        pen.fillStyle = colour;
        pen.beginPath();
        for (let k = 0; k < tracks.count; k++) {
          const e = tracks.now[k];
          if (e < 0 || tracks.state[e] !== state) continue;
          const { at, inward } = meta.inputs[k], r = Math.min(Math.max(2.4, 2.6 / frame.scale), Math.max(2.4, geometry.width[k]));
          if (!seen(frame, at[0], at[1], 80)) continue;
          let [x, y] = geometry.front(k);
          x += 0.8 * r * inward[0];
          y += 0.8 * r * inward[1];
          if (state === TOKEN) {
            pen.moveTo(x, y - r * 1.2);
            pen.lineTo(x + r * 1.2, y);
            pen.lineTo(x, y + r * 1.2);
            pen.lineTo(x - r * 1.2, y);
          } else if (state === LANES) {
            pen.moveTo(x, y - r * 1.1);
            pen.lineTo(x + r * 1.1, y + r * 0.9);
            pen.lineTo(x - r * 1.1, y + r * 0.9);
          } else {
            pen.moveTo(x - r, y - r);
            pen.lineTo(x + r, y - r);
            pen.lineTo(x + r, y + r);
            pen.lineTo(x - r, y + r);
          }
          pen.closePath();
          if (frame.scale < 2) continue;
          pen.font = `bold 4px ${FONT}`;
          pen.textAlign = "center";
          pen.textBaseline = "middle";
          pen.fillText(`w${tracks.worm[e]} ${text2}`, x, y + r + 3);
        }
        pen.fill();
      }
    }
    nodes(pen, store, theme, frame, only) {
      const { meta } = store, c = store.consumptions;
      for (let k = 0; k < c.count; k++) {
        const e = c.now[k];
        if (e < 0 || !c.valid[e]) continue;
        const node = meta.nodes[meta.consumptions[k].node];
        if (!seen(frame, node.receive[0], node.receive[1], node.radius)) continue;
        pen.globalAlpha = only >= 0 && only !== c.worm[e] ? 0.15 : 1;
        pen.strokeStyle = wormColour(theme, c.worm[e]);
        pen.lineWidth = Math.max(3, 2 / frame.scale);
        pen.beginPath();
        pen.moveTo(node.receive[0] + node.radius, node.receive[1]);
        pen.arc(node.receive[0], node.receive[1], node.radius, 0, 2 * Math.PI);
        pen.stroke();
      }
      pen.globalAlpha = 1;
      for (let k = 0; k < store.injections.count; k++) {
        const e = store.injections.now[k];
        if (e < 0) continue;
        const queue = store.injections.extra[e], node = meta.nodes[meta.injections[k].node];
        if (!queue && !store.injections.valid[e]) continue;
        if (!seen(frame, node.send[0], node.send[1], node.radius)) continue;
        if (store.injections.valid[e]) {
          pen.fillStyle = wormColour(theme, store.injections.worm[e]);
          pen.globalAlpha = only >= 0 && only !== store.injections.worm[e] ? 0.1 : 0.4;
          pen.beginPath();
          pen.moveTo(node.send[0] + node.radius, node.send[1]);
          pen.arc(node.send[0], node.send[1], node.radius * 0.92, 0, 2 * Math.PI);
          pen.fill();
          pen.globalAlpha = 1;
        }
        if (queue > 1 && node.radius * frame.scale > 7) {
          pen.fillStyle = theme.faint;
          pen.font = `${Math.min(6, 0.8 * node.radius)}px ${FONT}`;
          pen.textAlign = "left";
          pen.textBaseline = "middle";
          pen.fillText(`+${queue - (store.injections.valid[e] ? 1 : 0)}`, node.send[0] + 0.75 * node.radius, node.send[1] + 1.1 * node.radius);
        }
      }
    }
  };

  // export.ts
  var MOST_FRAMES = 400;
  var STYLE = '<style>text{font-family:"DejaVu Sans",Verdana,sans-serif}</style>';
  function drawn(page, run, pen, scale) {
    const { left, top, right, bottom } = run.geometry.bounds;
    const frame = { phase: 0.5, moving: true, flows: false, scale, pulse: 1, alone: page.alone, view: { left, top, right, bottom } }, scene = new Scene();
    scene.settled(pen, run, page.theme, frame);
    scene.moving(pen, run, page.theme, frame);
    return pen.take();
  }
  function around(page, run, title, inside) {
    const { left, top, right, bottom } = run.geometry.bounds, margin = 26, head = 26;
    const [x, y, w, h] = [left - margin, top - margin - head, right - left + 2 * margin, bottom - top + 2 * margin + head];
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${w} ${h}" width="${Math.round(Math.max(w, 600))}" height="${Math.round(Math.max(w, 600) * h / w)}">
${STYLE}<title>${escape(title)}</title>
<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${page.theme.ground}"/>
<text x="${x + w / 2}" y="${y + 20}" font-size="12" font-weight="bold" text-anchor="middle" fill="${page.theme.ink}">${escape(title)}</text>
${inside}
</svg>
`;
  }
  var scaleOf = (run) => Math.max(1, Math.min(2.5, 3e3 / (run.geometry.bounds.right - run.geometry.bounds.left)));
  function moment(page, run) {
    const pen = new SvgPen(), scale = scaleOf(run);
    drawStill(pen, run.geometry, page.theme, scale);
    return around(page, run, `${run.store.meta.title}, cycle ${run.store.t}`, pen.take() + drawn(page, run, pen, scale));
  }
  function span(page, run, from, until, speed) {
    const pen = new SvgPen(), scale = scaleOf(run), here = run.store.t, frames = until - from, seconds = frames / speed;
    drawStill(pen, run.geometry, page.theme, scale);
    const { left, bottom } = run.geometry.bounds;
    let inside = pen.take();
    for (let i = 0; i < frames; i++) {
      run.store.seek(from + i);
      const [a, b] = [i / frames, (i + 1) / frames].map((part) => part.toFixed(5));
      const times = i === 0 ? `values="visible;hidden" keyTimes="0;${b}"` : i === frames - 1 ? `values="hidden;visible" keyTimes="0;${a}"` : `values="hidden;visible;hidden" keyTimes="0;${a};${b}"`;
      inside += `
<g visibility="${i ? "hidden" : "visible"}">${frames > 1 ? `<animate attributeName="visibility" calcMode="discrete" ${times} dur="${seconds}s" repeatCount="indefinite"/>` : ""}<text x="${left}" y="${bottom + 20}" font-size="12" fill="${page.theme.ink}">cycle ${from + i}</text>
${drawn(page, run, pen, scale)}</g>`;
    }
    run.store.seek(here);
    return around(page, run, `${run.store.meta.title}, cycles ${from} to ${until - 1}`, inside);
  }
  function exportDialog(page) {
    const dialog = byId("export"), run = page.runs[page.active], { meta, t } = run.store;
    const number = (value, label) => {
      const input = el("input", { type: "number", value: String(value), min: "0" });
      return [input, el("label", {}, `${label} `, input)];
    };
    const [from, fromLabel] = number(Math.max(meta.from, t), "from cycle"), [until, untilLabel] = number(Math.min(meta.until, t + 40), "until before");
    const [speed, speedLabel] = number(Math.min(20, Math.max(1, page.player.speed)), "cycles a second");
    const wrong = el("p", { className: "bad", role: "alert" });
    const name = (meta.title.split("/").pop() ?? "run").replace(/\.[a-z]+$/, "").replace(/[^\w.-]+/g, "_");
    const button = (text2, act) => {
      const made = el("button", { type: "button", textContent: text2 });
      made.onclick = act;
      return made;
    };
    dialog.replaceChildren(
      el("h2", {}, "Save as a picture"),
      el("div", { className: "row" }, button(`SVG of cycle ${t}`, () => {
        save(`${name}_${t}.svg`, moment(page, run), "image/svg+xml");
        dialog.close();
      })),
      el("h3", {}, "SVG that moves"),
      el("div", { className: "row" }, fromLabel, untilLabel, speedLabel),
      el("div", { className: "row" }, button("SVG of these cycles", () => {
        const [a, b, s] = [Math.floor(Number(from.value)), Math.floor(Number(until.value)), Number(speed.value)];
        if (!(a >= meta.from && b > a && b <= meta.until)) {
          wrong.textContent = `The page has cycles ${meta.from} to ${meta.until - 1}.`;
          return;
        }
        if (b - a > MOST_FRAMES) {
          wrong.textContent = `${b - a} cycles are too many for one picture: up to ${MOST_FRAMES}.`;
          return;
        }
        if (!(s > 0)) {
          wrong.textContent = "The speed must be above 0.";
          return;
        }
        save(`${name}_${a}_${b}.svg`, span(page, run, a, b, s), "image/svg+xml");
        dialog.close();
      }), button("Close", () => dialog.close())),
      wrong
    );
    if (!dialog.open) dialog.showModal();
  }

  // api.ts
  function channels(tracks, t, depth) {
    return Array.from({ length: tracks.count }, (_, k) => {
      const e = tracks.find(k, t);
      if (e < 0) return { valid: false, worm: -1, flit: -1, credits: depth(k), extra: -1 };
      const valid = tracks.valid[e] === 1;
      return { valid, worm: valid ? tracks.worm[e] : -1, flit: valid ? tracks.flit[e] + t - tracks.cycle[e] : -1, credits: tracks.credits[e], extra: tracks.extra[e] };
    });
  }
  function publish(page, frameTimes) {
    const api = {
      /** Registers of all lanes in a cycle, of a run. */
      at(t, run = 0) {
        const { store } = page.runs[run], { meta, inputs, stations } = store, cells = [];
        return {
          inputs: meta.inputs.map((input, k) => {
            const e = inputs.find(k, t), count = e < 0 ? 0 : inputs.held[e];
            store.cells(k, t, count, cells);
            const pairs = Array.from({ length: count }, (_, c) => [cells[2 * c], cells[2 * c + 1]]);
            const masks = (list2) => e < 0 ? [] : store.masks.list[list2[e]];
            return {
              name: `${meta.switches[input.switch].name}.${input.name}`,
              exists: input.exists,
              count,
              state: e < 0 ? 0 : inputs.state[e],
              worm: e < 0 ? -1 : inputs.worm[e],
              branches: masks(inputs.branches),
              taken: masks(inputs.taken),
              cells: pairs
            };
          }),
          outputs: channels(store.outputs, t, (k) => store.depthBehind(meta.outputs[k].input)).map(({ extra, ...rest }, k) => ({ name: `${meta.switches[meta.outputs[k].switch].name}.${meta.outputs[k].name}`, exists: meta.outputs[k].points.length > 0, ...rest, owner: extra })),
          injections: channels(store.injections, t, (k) => store.depthBehind(meta.injections[k].input)).map(({ extra, ...rest }, k) => ({ name: `${meta.injections[k].node}.${meta.injections[k].name}`, ...rest, queue: Math.max(0, extra) })),
          consumptions: channels(store.consumptions, t, () => 0).map(({ valid, worm, flit }, k) => ({ name: `${meta.consumptions[k].node}.${meta.consumptions[k].name}`, valid, worm, flit })),
          tokens: meta.stations.map((station, k) => {
            const e = stations.find(k, t);
            return { name: meta.switches[station.switch].name, here: e >= 0 && stations.here[e] === 1, holder: e < 0 ? -1 : stations.holder[e], request: e < 0 ? [] : store.masks.list[stations.request[e]] };
          })
        };
      },
      seek: (t) => page.seek(t),
      select: (selection, run = page.active) => {
        page.select(selection && !("kind" in selection) ? { kind: "worm", worm: selection.worm } : selection, run);
      },
      selection: (run = page.active) => page.runs[run].selection,
      now: () => page.player.t,
      playing: () => page.player.playing,
      span: (run = 0) => [page.runs[run].store.meta.from, page.runs[run].store.meta.until],
      meta: (run = 0) => page.runs[run].store.meta,
      summary: (run = 0) => {
        const { crossing, blocked, underWay } = page.runs[run].store;
        return { crossing: [...crossing], blocked: [...blocked], underWay: [...underWay] };
      },
      /** Where a place of the picture is on the screen. */
      screen: (x, y, run = 0) => {
        const view = page.views[run], box = view.element.getBoundingClientRect();
        return [box.left + view.x + x * view.scale, box.top + view.y + y * view.scale];
      },
      /** Where a cycle is in the band. */
      band: (t) => {
        const box = page.timeline.canvas.getBoundingClientRect();
        return [box.left + page.timeline.place(t), box.top + box.height / 2];
      },
      geometry: (run = 0) => page.runs[run].geometry,
      view: (run = 0) => page.views[run],
      /** A moment as SVG; cycles from..until as one that moves. */
      svg: (run = page.active) => moment(page, page.runs[run]),
      animation: (from, until, speed = 10, run = page.active) => span(page, page.runs[run], from, until, speed),
      /** Milliseconds from frame to frame, of the last frames while playing, and that drawing took. */
      frameTimes: () => [...frameTimes]
    };
    window.wormscope = api;
  }

  // stretch.ts
  var ASPECT = 1.75;
  function stretch(meta) {
    const columns = /* @__PURE__ */ new Map();
    let [top, bottom] = [Infinity, -Infinity];
    for (const s of meta.switches) {
      columns.set(s.at[0], [s.at[0] - s.size[0] / 2, s.at[0] + s.size[0] / 2]);
      top = Math.min(top, s.at[1] - s.size[1] / 2);
      bottom = Math.max(bottom, s.at[1] + s.size[1] / 2);
    }
    const boxes = [...columns.values()].sort((a, b) => a[0] - b[0]);
    if (boxes.length < 2 || boxes.some((box, i) => i > 0 && box[0] <= boxes[i - 1][1])) return;
    const width = boxes[boxes.length - 1][1] - boxes[0][0], wanted = ASPECT * (bottom - top);
    if (wanted <= 1.05 * width) return;
    const inside = boxes.reduce((sum, box) => sum + box[1] - box[0], 0), wider = Math.min(2.2, wanted / width);
    const apart = Math.max(1, Math.min(6, (wanted - wider * inside) / (width - inside)));
    const move = (x) => {
      let [from, to] = [boxes[0][0], boxes[0][0]];
      if (x <= from) return x;
      for (const [i, box] of boxes.entries()) {
        const behind = i + 1 < boxes.length ? boxes[i + 1][0] : Infinity;
        if (x <= box[1]) return to + (x - from) * wider;
        to += (box[1] - from) * wider;
        if (x <= behind) return to + (x - box[1]) * (behind === Infinity ? 1 : apart);
        to += (behind - box[1]) * apart;
        from = behind;
      }
      return x;
    };
    for (const s of meta.switches) {
      s.at[0] = move(s.at[0]);
      s.size[0] *= wider;
    }
    for (const n of meta.nodes) {
      n.send = [move(n.send[0]), n.send[1]];
      n.receive = [move(n.receive[0]), n.receive[1]];
    }
    for (const i of meta.inputs) i.at[0] = move(i.at[0]);
    for (const { points } of [...meta.outputs, ...meta.injections]) for (let i = 0; i < points.length; i += 2) points[i] = move(points[i]);
  }

  // geometry.ts
  var Geometry = class {
    constructor(meta) {
      this.meta = meta;
      this.grid = /* @__PURE__ */ new Map();
      this.stages = meta.inputs.length > 0 && meta.inputs.every((i) => !i.exists || Math.abs(i.inward[1]) < 0.01);
      if (this.stages) stretch(meta);
      this.wires = [...meta.outputs.map((o) => o.points), ...meta.injections.map((i) => i.points)];
      this.lengths = this.wires.map((points) => {
        const lengths = new Float64Array(points.length / 2);
        for (let i = 1; i < lengths.length; i++) {
          lengths[i] = lengths[i - 1] + Math.hypot(points[2 * i] - points[2 * i - 2], points[2 * i + 1] - points[2 * i - 1]);
        }
        return lengths;
      });
      const ends = meta.switches.map(() => []);
      const outs = meta.switches.map(() => []);
      meta.inputs.forEach((i) => {
        if (i.exists) ends[i.switch].push(i.at);
      });
      meta.outputs.forEach((o) => {
        if (o.points.length) outs[o.switch].push([o.points[0], o.points[1]]);
      });
      this.width = new Float64Array(meta.inputs.length);
      this.cell = new Float64Array(meta.inputs.length);
      meta.inputs.forEach((input, k) => {
        const box = meta.switches[input.switch].size, [dx, dy] = input.inward;
        let near = Infinity;
        const beside = (places, part) => {
          for (const [x, y] of places) {
            const across = Math.abs((x - input.at[0]) * dy - (y - input.at[1]) * dx), along = Math.abs((x - input.at[0]) * dx + (y - input.at[1]) * dy);
            if (across > 0.3 && along < 0.25 * Math.min(...box)) near = Math.min(near, part * across);
          }
        };
        beside(ends[input.switch], 1);
        beside(outs[input.switch], 1.7);
        const least = Math.min(...box);
        this.width[k] = Math.min(0.86 * near, 0.16 * least, 10);
        const room = Math.abs(dx) > 0.9 ? (this.stages ? 0.36 : 0.33) * box[0] : Math.abs(dy) > 0.9 ? 0.33 * box[1] : 0.36 * Math.min(...box);
        this.cell[k] = Math.min((this.stages ? 1.8 : 1.15) * this.width[k], room / input.depth);
      });
      this.namePlace = meta.switches.map((s, k) => this.name(s, k));
      this.bounds = this.bound();
      this.tile = Math.max(20, (this.bounds.right - this.bounds.left) / 200);
      this.wires.forEach((points, wire2) => this.register(points, wire2));
    }
    name(s, k) {
      if (!this.stages) return { x: s.at[0] - s.size[0] / 2 + 3, y: s.at[1] - s.size[1] / 2 + 6, size: Math.min(8, 1.5 * 0.42 * s.size[0] / s.name.length), align: "left" };
      let [left, right] = [0, 0];
      this.meta.inputs.forEach((input, i) => {
        if (input.switch !== k || !input.exists) return;
        const reach = this.cell[i] * input.depth;
        if (input.inward[0] > 0) left = Math.max(left, reach);
        else right = Math.max(right, reach);
      });
      const free = s.size[0] - left - right - 4;
      return { x: s.at[0] + (left - right) / 2, y: s.at[1], size: Math.min(Math.max(8, Math.min(13, 0.1 * s.size[1])), free / (0.62 * s.name.length), 0.4 * s.size[1]), align: "center" };
    }
    bound() {
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
      const reach = (x, y, r) => {
        left = Math.min(left, x - r);
        right = Math.max(right, x + r);
        top = Math.min(top, y - r);
        bottom = Math.max(bottom, y + r);
      };
      for (const s of this.meta.switches) {
        reach(s.at[0] - s.size[0] / 2, s.at[1] - s.size[1] / 2, 0);
        reach(s.at[0] + s.size[0] / 2, s.at[1] + s.size[1] / 2, 0);
      }
      for (const n of this.meta.nodes) {
        const name = n.radius >= 8 ? 0 : 0.7 * Math.min(10, 2.2 * n.radius) * n.name.length + 4;
        for (const [x, y] of [n.send, n.receive]) {
          reach(x, y, n.radius);
          reach(x - name, y, n.radius);
          reach(x + name, y, n.radius);
        }
      }
      for (const points of this.wires) for (let i = 0; i < points.length; i += 2) reach(points[i], points[i + 1], 0);
      return left <= right ? { left, top, right, bottom } : { left: 0, top: 0, right: 100, bottom: 100 };
    }
    register(points, wire2) {
      for (let i = 2; i < points.length; i += 2) {
        const [x, y, u, v] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
        const steps = Math.max(1, Math.ceil(Math.hypot(u - x, v - y) / this.tile * 2));
        for (let s = 0; s <= steps; s++) {
          const key2 = `${Math.floor((x + (u - x) * s / steps) / this.tile)},${Math.floor((y + (v - y) * s / steps) / this.tile)}`;
          const list2 = this.grid.get(key2);
          if (!list2) this.grid.set(key2, [wire2]);
          else if (list2[list2.length - 1] !== wire2) list2.push(wire2);
        }
      }
    }
    /** The place so far along a wire, 0 to 1, and its direction. */
    along(wire2, part, to) {
      const points = this.wires[wire2], lengths = this.lengths[wire2], n = lengths.length;
      if (n < 2) {
        to.x = points[0];
        to.y = points[1];
        to.dx = 1;
        to.dy = 0;
        return;
      }
      const at = part * lengths[n - 1];
      let i = 1;
      while (i < n - 1 && lengths[i] < at) i++;
      const length = Math.max(lengths[i] - lengths[i - 1], 1e-6), f = (at - lengths[i - 1]) / length;
      const [x, y, u, v] = [points[2 * i - 2], points[2 * i - 1], points[2 * i], points[2 * i + 1]];
      to.x = x + (u - x) * f;
      to.y = y + (v - y) * f;
      to.dx = (u - x) / length;
      to.dy = (v - y) / length;
    }
    /** The middle of a FIFO's cell, 0 the front: the one deepest in the switch. */
    cellAt(input, cell) {
      const { at, inward, depth } = this.meta.inputs[input], by = (depth - cell - 0.5) * this.cell[input];
      return [at[0] + inward[0] * by, at[1] + inward[1] * by];
    }
    /** Where flits leave a FIFO. */
    front(input) {
      const { at, inward, depth } = this.meta.inputs[input], by = depth * this.cell[input] + 1;
      return [at[0] + inward[0] * by, at[1] + inward[1] * by];
    }
    /** What is at a place, `near` away at most. */
    hit(x, y, near) {
      const { meta } = this;
      for (let k = 0; k < meta.inputs.length; k++) {
        if (!meta.inputs[k].exists) continue;
        const { at, inward, depth } = meta.inputs[k], [u, v] = [x - at[0], y - at[1]];
        const along = u * inward[0] + v * inward[1], across = Math.abs(u * inward[1] - v * inward[0]);
        if (along >= 0 && along <= depth * this.cell[k] && across <= this.width[k] / 2) {
          return { kind: "input", input: k, cell: depth - 1 - Math.min(depth - 1, Math.floor(along / this.cell[k])) };
        }
      }
      const node = meta.nodes.findIndex((n) => Math.min(Math.hypot(x - n.send[0], y - n.send[1]), Math.hypot(x - n.receive[0], y - n.receive[1])) <= n.radius);
      if (node >= 0) return { kind: "node", node };
      const inside = meta.switches.findIndex((s) => Math.abs(x - s.at[0]) <= s.size[0] / 2 && Math.abs(y - s.at[1]) <= s.size[1] / 2);
      if (inside >= 0) return { kind: "switch", switch: inside };
      let [best, apart] = [-1, near];
      const [tx, ty] = [Math.floor(x / this.tile), Math.floor(y / this.tile)];
      for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) for (const wire2 of this.grid.get(`${tx + i},${ty + j}`) ?? []) {
        const d = this.distance(wire2, x, y);
        if (d < apart) [best, apart] = [wire2, d];
      }
      if (best < 0) return null;
      return best < meta.outputs.length ? { kind: "link", output: best } : { kind: "injection", channel: best - meta.outputs.length };
    }
    distance(wire2, x, y) {
      const points = this.wires[wire2];
      let least = Infinity;
      for (let i = 2; i < points.length; i += 2) {
        const [px, py, dx, dy] = [points[i - 2], points[i - 1], points[i] - points[i - 2], points[i + 1] - points[i - 1]];
        const f = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / Math.max(dx * dx + dy * dy, 1e-9)));
        least = Math.min(least, Math.hypot(x - px - f * dx, y - py - f * dy));
      }
      return least;
    }
  };

  // jumps.ts
  function moments(store) {
    const { meta } = store, found = [];
    const worm = (id) => ({ kind: "worm", worm: id });
    if (meta.deadlock) found.push({ name: "Deadlock", title: "Where the deadlock is final", t: meta.deadlock.cycle, to: worm(meta.deadlock.circle[0]?.worm ?? -1) });
    if (store.firstBranch >= 0) found.push({ name: "First branching", title: "The first worm that is copied", t: store.firstBranch, to: worm(store.firstBranchWorm) });
    const blocked = store.waitsList.find((w) => w.state === BLOCKED) ?? store.waitsList[0];
    if (blocked) found.push({ name: "First blocked", title: "The first worm whose branch has no credit", t: blocked.from, to: worm(blocked.worm) });
    const longest = store.waitsList.reduce((a, b) => a && a.until - a.from >= b.until - b.from ? a : b, null);
    if (longest) found.push({ name: "Longest wait", title: `${longest.until - longest.from} cycles`, t: longest.from, to: worm(longest.worm) });
    let slowest = null, most = -1;
    for (const w of meta.worms) {
      if (w.to.length < 2 || w.delivered.length < w.to.length) continue;
      const took = Math.max(...w.delivered.map((d) => d[3])) - w.created;
      if (took > most) [slowest, most] = [w, took];
    }
    if (slowest) found.push({ name: "Slowest multicast", title: `${most} cycles from creation to the last tail`, t: Math.max(meta.from, slowest.created), to: worm(slowest.id) });
    return found;
  }
  function first(store) {
    const { meta } = store;
    if (meta.deadlock && meta.deadlock.cycle < meta.until) return { t: meta.deadlock.cycle, to: { kind: "worm", worm: meta.deadlock.circle[0]?.worm ?? -1 } };
    if (store.firstBranch >= 0) return { t: store.firstBranch, to: { kind: "worm", worm: store.firstBranchWorm } };
    if (store.firstFlit >= 0) return { t: store.firstFlit, to: { kind: "worm", worm: store.firstFlitWorm } };
    return { t: meta.from, to: null };
  }
  function writeJumps(page) {
    const known2 = /* @__PURE__ */ new Map();
    byId("jumps").replaceChildren(...moments(page.runs[0].store).map((moment2) => {
      const button = el("button", { type: "button", textContent: moment2.name, title: moment2.title });
      button.onclick = () => {
        const { store } = page.runs[page.active];
        if (!known2.has(store)) known2.set(store, moments(store));
        const there = known2.get(store)?.find((m) => m.name === moment2.name) ?? moment2;
        page.player.pause();
        page.seek(there.t);
        page.select(there.to);
        page.reveal(there.to);
      };
      return button;
    }));
  }

  // player.ts
  var SPEEDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3];
  var Player = class {
    constructor(from, until) {
      this.from = from;
      this.until = until;
      this.playing = false;
      this.speed = 5;
      this.onchange = () => {
      };
      this.before = 0;
      this.time = from;
    }
    get t() {
      return Math.min(this.until - 1, Math.floor(this.time));
    }
    /** Still pictures show flits half way. */
    get phase() {
      return this.playing ? this.time - Math.floor(this.time) : 0.5;
    }
    /** Slow enough to see flits on their way. */
    get moving() {
      return !this.playing || this.speed <= 10;
    }
    seek(t) {
      this.time = Math.max(this.from, Math.min(this.until - 1, Math.floor(t)));
      this.onchange();
    }
    step(by) {
      this.pause();
      this.seek(this.t + by);
    }
    play() {
      if (this.t >= this.until - 1) this.time = this.from;
      this.playing = true;
      this.before = 0;
      this.onchange();
    }
    pause() {
      this.playing = false;
      this.onchange();
    }
    toggle() {
      if (this.playing) this.pause();
      else this.play();
    }
    /** Moves on to the moment of a frame. */
    tick(now2) {
      if (!this.playing) return;
      if (this.before) this.time += Math.min(now2 - this.before, 200) / 1e3 * this.speed;
      this.before = now2;
      if (this.time >= this.until - 1) {
        this.time = this.until - 1;
        this.pause();
      }
    }
  };

  // keys.ts
  var KEYS = [
    ["space", "play or pause"],
    ["\u2190 \u2192", "a cycle back or on; with shift 10"],
    ["Home End", "first and last cycle"],
    [", .", "slower, faster"],
    ["+ \u2212", "zoom the network; the wheel and dragging do as well"],
    ["0", "the whole network"],
    ["[ ]", "zoom the time line; shift and drag moves it"],
    ["f", "only the chosen worm in colour"],
    ["n p", "next and previous wait of the chosen worm"],
    ["/", "search"],
    ["d", "dark or light"],
    ["Esc", "close, choose nothing"],
    ["?", "this page"]
  ];
  function help() {
    const dialog = byId("keys");
    const close = el("button", { type: "button", textContent: "Close" });
    close.onclick = () => dialog.close();
    dialog.replaceChildren(
      el("h2", {}, "Keys"),
      el("table", {}, ...KEYS.map(([key2, what]) => el("tr", {}, el("td", {}, el("kbd", {}, key2)), el("td", {}, what)))),
      el("p", {}, "Click a flit for its worm, a switch for its blocks, a wire for who uses it, a node for its messages. The band below shows flits that cross (up), lanes that wait (down) and worms under way (line)."),
      close
    );
    if (!dialog.open) dialog.showModal();
  }
  function listen(page, actions) {
    addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const at = e.target;
      const typing = at instanceof HTMLInputElement && at.type !== "checkbox" || at instanceof HTMLSelectElement;
      if (e.key === "Escape") {
        if (document.querySelector("dialog[open]")) return;
        if (typing) at.blur();
        else page.select(null);
        return;
      }
      if (typing || document.querySelector("dialog[open]")) return;
      const { player } = page, by = e.shiftKey ? 10 : 1, around2 = player.t + 0.5;
      const does = {
        " ": () => player.toggle(),
        ArrowLeft: () => player.step(-by),
        ArrowRight: () => player.step(by),
        Home: () => player.step(-Infinity),
        End: () => player.step(Infinity),
        "+": () => page.views.forEach((v) => v.zoom(1.25)),
        "=": () => page.views.forEach((v) => v.zoom(1.25)),
        "-": () => page.views.forEach((v) => v.zoom(0.8)),
        "0": () => page.views.forEach((v) => v.fit()),
        "[": () => page.timeline.zoom(1.4, around2),
        "]": () => page.timeline.zoom(1 / 1.4, around2),
        f: actions.alone,
        d: actions.theme,
        "/": actions.search,
        "?": actions.help,
        ",": () => actions.speed(-1),
        ".": () => actions.speed(1),
        n: () => wait(page, 1),
        p: () => wait(page, -1)
      };
      const act = does[e.key];
      if (!act) return;
      e.preventDefault();
      if (at instanceof HTMLButtonElement) at.blur();
      act();
    });
  }
  function wait(page, by) {
    const { store, selection } = page.runs[page.active], t = page.player.t;
    const all = store.waitsList.filter((w) => selection?.kind !== "worm" || w.worm === selection.worm);
    const next = by > 0 ? all.find((w) => w.from > t) : all.filter((w) => w.from < t).pop();
    if (next) {
      page.player.pause();
      page.seek(next.from);
    }
  }
  var nextSpeed = (speed, by) => SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + by))];

  // legend.ts
  function strip(tokens) {
    const entry = (kind, text2) => el("span", {}, el("i", { className: `key ${kind}` }), text2);
    return el(
      "p",
      { id: "strip" },
      entry("flit", "flit, in its worm's colour"),
      entry("header", "header flit"),
      entry("held", "lane held"),
      entry("holds", "branch that waits for its siblings"),
      entry("blocked", "no credit"),
      entry("lanes", "waits for lane"),
      tokens ? entry("token", "waits for token") : null,
      tokens ? entry("dot", "token") : null
    );
  }
  function legend(theme, tokens) {
    const entry = (draw, text2) => {
      const canvas = el("canvas", { width: 60, height: 32 }), pen = canvas.getContext("2d");
      if (pen) {
        pen.scale(2, 2);
        draw(pen);
      }
      return [canvas, el("span", {}, text2)];
    };
    const fill = (pen, colour, x, y, w, h) => {
      pen.fillStyle = colour;
      pen.fillRect(x, y, w, h);
    };
    const shape = (pen, colour, ...points) => {
      pen.fillStyle = colour;
      pen.beginPath();
      for (let i = 0; i < points.length; i += 2) pen.lineTo(points[i], points[i + 1]);
      pen.fill();
    };
    const [a, b] = [theme.worms[0], theme.worms[2]];
    const line = (pen, colour, width, dash) => {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.moveTo(2, 8);
      pen.lineTo(28, 8);
      pen.stroke();
    };
    return [el("h2", {}, "What is what"), el(
      "div",
      { className: "legend" },
      ...entry((p) => {
        fill(p, theme.cell, 1, 4, 28, 8);
        fill(p, a, 15, 4, 6, 8);
        fill(p, a, 22, 4, 6, 8);
      }, "FIFO; its front is inside, each flit in its worm's colour"),
      ...entry((p) => {
        fill(p, a, 6, 3, 18, 10);
        fill(p, theme.onWorm, 20, 3, 4, 10);
        fill(p, theme.onWorm, 11, 6, 6, 4);
      }, "header flit; the bar points ahead. They shrink away as headers are stripped"),
      ...entry((p) => {
        fill(p, a, 6, 3, 18, 10);
        fill(p, theme.onWorm, 8, 3, 3, 10);
      }, "the worm's tail"),
      ...entry((p) => line(p, a, 1.5, []), "wire that a worm holds"),
      ...entry((p) => {
        line(p, b, 1.5, []);
        fill(p, b, 11, 4, 8, 8);
      }, "flit that crosses in this cycle"),
      ...entry((p) => line(p, a, 1.5, [3, 2]), "branch that takes no flit in this cycle: it holds"),
      ...entry((p) => shape(p, theme.blocked, 11, 4, 19, 4, 19, 12, 11, 12), "blocked: a branch has no credit (bar across its wire)"),
      ...entry((p) => shape(p, theme.lanes, 15, 3, 20, 12, 10, 12), "waits for an output lane that another worm owns"),
      ...tokens ? [
        ...entry((p) => shape(p, theme.token, 15, 3, 20, 8, 15, 13, 10, 8), "waits for the token"),
        ...entry((p) => {
          p.fillStyle = theme.token;
          p.beginPath();
          p.arc(15, 8, 4, 0, 7);
          p.fill();
        }, "token: here, or held by the input it is joined to")
      ] : []
    )];
  }

  // page.ts
  function nodes(parts) {
    return parts.map((part) => typeof part === "string" ? document.createTextNode(part) : link(part.text, part.to));
  }
  var targets = /* @__PURE__ */ new WeakMap();
  var acts = null;
  var acting = (page) => {
    acts = page;
  };
  function link(text2, to, t) {
    const made = el("a", { textContent: text2, tabIndex: 0 });
    targets.set(made, () => {
      if (!acts) return;
      if (t !== void 0) acts.seek(t);
      if (to) {
        acts.select(to);
        acts.reveal(to);
      }
    });
    return made;
  }
  function follow2(event) {
    const act = event.target instanceof Element ? targets.get(event.target) : void 0;
    if (act && (!(event instanceof KeyboardEvent) || event.key === "Enter")) {
      event.preventDefault();
      act();
    }
  }
  function nanoseconds(cycles, clock) {
    if (!clock) return "";
    const ns = cycles * clock;
    return ns >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` : ns >= 1e4 ? `${(ns / 1e3).toFixed(2)} \xB5s` : `${Math.round(ns * 100) / 100} ns`;
  }

  // details.ts
  function users(store, tracks, track, from, until) {
    const found = /* @__PURE__ */ new Map();
    for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
      if (!tracks.valid[e]) continue;
      const cycles = Math.min(tracks.until(track, e, store.meta.until), until) - Math.max(tracks.cycle[e], from);
      if (cycles > 0) found.set(tracks.worm[e], (found.get(tracks.worm[e]) ?? 0) + cycles);
    }
    return found;
  }
  function chip(page, worm) {
    const made = el("span", { className: "chip" });
    made.style.background = wormColour(page.theme, worm);
    return made;
  }
  function use(page, store, tracks, track) {
    const { meta } = store, all = users(store, tracks, track, meta.from, meta.until);
    const total = [...all.values()].reduce((a2, b2) => a2 + b2, 0);
    const [a, b] = [Math.max(meta.from, Math.floor(page.timeline.from)), Math.min(meta.until, Math.ceil(page.timeline.until))];
    const part = [...users(store, tracks, track, a, b).values()].reduce((x, y) => x + y, 0);
    const percent = (flits, cycles) => `${(100 * flits / Math.max(1, cycles)).toFixed(1)} %`;
    const rows = [...all].sort((x, y) => y[1] - x[1]).slice(0, 20).map(([worm, flits]) => [el("span", {}, chip(page, worm), link(`worm ${worm}`, { kind: "worm", worm })), String(flits), percent(flits, total)]);
    return [
      el(
        "p",
        {},
        `${percent(total, meta.until - meta.from)} of the cycles a flit crosses: ${total} in all`,
        b - a < meta.until - meta.from ? `; in the ${b - a} cycles of the time line ${percent(part, b - a)}` : null
      ),
      sparkline(page, store, tracks, track),
      el("h3", {}, all.size > 20 ? `Who crosses: the 20 of most flits, of ${all.size}` : "Who crosses"),
      table(["worm", "flits", "share"], rows, [1, 2])
    ];
  }
  function sparkline(page, store, tracks, track) {
    const { meta } = store, bins = 147, span2 = meta.until - meta.from, busy = new Float64Array(bins);
    for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
      if (!tracks.valid[e]) continue;
      const [a, b] = [(tracks.cycle[e] - meta.from) / span2 * bins, (tracks.until(track, e, meta.until) - meta.from) / span2 * bins];
      for (let i = Math.floor(a); i < Math.min(bins, b); i++) busy[i] += Math.min(b, i + 1) - Math.max(a, i);
    }
    const canvas = el("canvas", { width: 588, height: 80 });
    canvas.style.height = "40px";
    const pen = canvas.getContext("2d");
    if (!pen) return canvas;
    pen.fillStyle = page.theme.line;
    pen.fillRect(0, 79, 588, 1);
    pen.fillStyle = page.theme.load;
    busy.forEach((part, i) => pen.fillRect(i * 4, 80 - 78 * part, 3.4, 78 * part));
    pen.fillStyle = page.theme.select;
    pen.fillRect((store.t - meta.from + 0.5) / span2 * 588 - 1, 0, 2, 80);
    canvas.addEventListener("pointerdown", (e) => page.seek(meta.from + Math.floor(e.offsetX / canvas.clientWidth * span2)));
    return canvas;
  }
  function linkDetail(page, run, k) {
    const { store } = run, { meta } = store, output = meta.outputs[k], e = store.outputs.now[k], owner = store.ownerInput(k);
    const end = output.input !== null ? inputPart(store, output.input) : nodePart(store, output.node ?? 0);
    const state = [
      el("tr", {}, el("th", {}, "owner"), el("td", {}, ...owner >= 0 ? nodes([inputPart(store, owner), ", ", wormPart(store.wormAt(owner))]) : ["none: free"])),
      el("tr", {}, el("th", {}, "crosses"), el("td", {}, ...store.crossesAt(k) ? nodes([wormPart(store.outputs.worm[e]), `, flit ${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}`]) : ["nothing"])),
      el("tr", {}, el("th", {}, "credits"), el("td", {}, String(store.creditsAt(k)), output.input !== null ? ` of ${meta.inputs[output.input].depth}` : null))
    ];
    return [
      el("h2", {}, `Link ${outputName(store, k)}`),
      el("p", {}, ...nodes(["from ", switchPart(store, output.switch), " to ", end])),
      el("h3", {}, `Now, cycle ${store.t}`),
      el("table", {}, ...state),
      el("h3", {}, "Utilisation"),
      ...use(page, store, store.outputs, k)
    ];
  }
  function channelDetail(page, run, k) {
    const { store } = run, channel = store.meta.injections[k], e = store.injections.now[k];
    return [
      el("h2", {}, `Injection ${store.meta.nodes[channel.node].name}.${channel.name}`),
      el("p", {}, ...nodes(["from ", nodePart(store, channel.node), " to ", inputPart(store, channel.input)])),
      el("p", {}, e >= 0 ? `${store.injections.credits[e]} credits; ${messages(store.injections.extra[e])}` : "idle"),
      el("h3", {}, "Utilisation"),
      ...use(page, store, store.injections, k)
    ];
  }
  function inputDetail(page, run, k, chosen) {
    const { store } = run, { meta } = store, input = meta.inputs[k], held = store.heldAt(k), cells = [];
    store.cells(k, store.t, held, cells);
    const rows = [];
    for (let c = 0; c < Math.min(held, 40); c++) {
      const worm2 = store.worm(cells[2 * c]), flit = cells[2 * c + 1];
      const kind = !worm2 ? "" : flit < worm2.header ? "header" : flit === worm2.header + worm2.payload - 1 ? "tail" : "payload";
      rows.push([c === chosen ? el("b", {}, `${c} \u2190`) : String(c), el("span", {}, chip(page, cells[2 * c]), link(`worm ${cells[2 * c]}`, { kind: "worm", worm: cells[2 * c] })), String(flit), kind]);
    }
    const feeder = store.feeder[k], state = store.stateAt(k), worm = store.wormAt(k), ports2 = (list2) => list2.map((p) => portName(store, k, p)).join(", ") || "none";
    const from = feeder >= 0 ? outputPart(store, feeder) : -1 - feeder < meta.injections.length ? nodePart(store, meta.injections[-1 - feeder].node) : "nowhere";
    return [
      el("h2", {}, `FIFO ${inputPart(store, k) && meta.switches[input.switch].name}.${input.name}`),
      el("p", {}, ...nodes(["of ", switchPart(store, input.switch), ", fed by ", from])),
      el("p", {}, el("b", {}, meta.states[state]), ...worm >= 0 ? nodes([", serves ", wormPart(worm)]) : []),
      el("p", {}, ...nodes(reason(store, k))),
      el("table", {}, el("tr", {}, el("th", {}, "branches"), el("td", {}, ports2(store.branchesAt(k)))), el("tr", {}, el("th", {}, "taken"), el("td", {}, ports2(store.takenAt(k))))),
      el("h3", {}, `Flits: ${held} of ${input.depth}, front first`),
      held ? table(["cell", "worm", "flit", ""], rows, [2]) : el("p", { className: "faint" }, "empty")
    ];
  }
  var messages = (n) => `${n} message${n === 1 ? "" : "s"} at the node`;
  function portName(store, input, port) {
    const found = store.outputsOf[store.meta.inputs[input].switch].find((o) => store.meta.outputs[o].port === port);
    return found === void 0 ? `port ${port}` : store.meta.outputs[found].name.split(".")[0];
  }
  function nodeDetail(page, run, k) {
    const { store } = run, { meta } = store;
    const busy = [];
    meta.injections.forEach((channel, i) => {
      const e = store.injections.now[i];
      if (channel.node !== k || e < 0) return;
      busy.push(el("p", {}, `${channel.name}: `, ...store.injections.valid[e] ? nodes(["sends ", wormPart(store.injections.worm[e])]) : ["sends nothing"], `; ${messages(store.injections.extra[e])}`));
    });
    meta.consumptions.forEach((channel, i) => {
      const e = store.consumptions.now[i];
      if (channel.node === k && e >= 0 && store.consumptions.valid[e]) busy.push(el("p", {}, `${channel.name}: `, ...nodes(["takes ", wormPart(store.consumptions.worm[e])])));
    });
    const sent = meta.worms.filter((w) => w.source === k), got = meta.worms.filter((w) => w.to.includes(k));
    const list2 = (worms) => table(["worm", "created", "to", "latency"], worms.slice(0, 40).map((w) => [
      el("span", {}, chip(page, w.id), link(`worm ${w.id}`, { kind: "worm", worm: w.id })),
      link(String(w.created), null, w.created),
      w.to.length > 1 ? `${w.to.length} nodes` : meta.nodes[w.to[0]]?.name ?? "",
      w.delivered.length ? String(Math.max(...w.delivered.map((d) => d[3])) - w.created) : ""
    ]), [1, 3]);
    return [
      el("h2", {}, `Node ${meta.nodes[k].name}`),
      el("h3", {}, `Now, cycle ${store.t}`),
      ...busy.length ? busy : [el("p", { className: "faint" }, "idle")],
      el("h3", {}, `Sends ${sent.length}${sent.length > 40 ? "; the first 40" : ""}`),
      list2(sent),
      el("h3", {}, `Receives ${got.length}${got.length > 40 ? "; the first 40" : ""}`),
      list2(got)
    ];
  }

  // switchdetail.ts
  function switchDetail(page, run, k) {
    const { store } = run, { meta } = store, inputs = store.inputsOf[k], outputs = store.outputsOf[k];
    const ports2 = (list2, i) => list2.map((p) => portName(store, i, p)).join(" ") || "\u2013";
    const lanes = inputs.map((i) => {
      const worm = store.wormAt(i);
      return [
        link(meta.inputs[i].name, { kind: "input", input: i, cell: 0 }),
        `${store.heldAt(i)}/${meta.inputs[i].depth}`,
        meta.states[store.stateAt(i)],
        worm >= 0 ? link(`w${worm}`, { kind: "worm", worm }) : "\u2013",
        ports2(store.branchesAt(i), i),
        ports2(store.takenAt(i), i)
      ];
    });
    const outs = outputs.map((o) => {
      const e = store.outputs.now[o], owner = store.ownerInput(o), crosses = store.crossesAt(o);
      return [
        link(meta.outputs[o].name, { kind: "link", output: o }),
        owner >= 0 ? meta.inputs[owner].name : "\u2013",
        String(store.creditsAt(o)),
        crosses ? el("span", {}, link(`w${store.outputs.worm[e]}`, { kind: "worm", worm: store.outputs.worm[e] }), `.${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}`) : "\u2013"
      ];
    });
    return [
      el("h2", {}, `Switch ${meta.switches[k].name}, cycle ${store.t}`),
      diagram(page.theme, store, inputs, outputs),
      ...token(store, k),
      el("h3", {}, "Input lanes: FIFO, decoder, replication unit"),
      table(["lane", "flits", "state", "worm", "branches", "taken"], lanes),
      el("h3", {}, "Output lanes: arbiter, crossbar, credits"),
      table(["lane", "owner", "credits", "crosses"], outs)
    ];
  }
  function token(store, k) {
    const found = store.meta.stations.findIndex((s) => s.switch === k);
    if (found < 0) return [];
    const e = store.stations.now[found], base = store.meta.laneBase[k][0];
    if (e < 0) return [el("h3", {}, "Token station"), el("p", {}, "nobody wants the token")];
    const holder = store.stations.holder[e], wants = store.masks.list[store.stations.request[e]];
    return [el("h3", {}, "Token station"), el("p", {}, ...nodes([
      store.stations.here[e] ? "the token is here" : "the token is elsewhere",
      ...holder >= 0 ? [", held by ", inputPart(store, base + holder), " for ", wormPart(store.wormAt(base + holder))] : [],
      ...wants.length ? ["; it is wanted by ", ...wants.flatMap((w, i) => [i ? ", " : "", inputPart(store, base + w)])] : []
    ]))];
  }
  function diagram(theme, store, inputs, outputs) {
    const { meta } = store, width = 296, row = inputs.length > 12 ? 15 : 22, top = 24, left = 158;
    const column = Math.min(30, (width - left - 4) / Math.max(1, outputs.length)), bottom = top + row * inputs.length + 4, height = bottom + 58;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "Blocks of the switch" });
    const text2 = (x, y, what, extra = {}) => {
      picture.append(svg("text", { x, y, "font-size": 9, fill: theme.faint, ...extra }, what));
    };
    const box = (x, y, w, h, fill, stroke = theme.boxLine) => {
      picture.append(svg("rect", { x, y, width: w, height: h, fill, stroke, "stroke-width": 0.8 }));
    };
    text2(34, 12, "FIFO");
    text2(96, 12, "decode");
    text2(left + column * outputs.length / 2, 12, "crossbar", { "text-anchor": "middle" });
    const cells = [];
    inputs.forEach((i, r) => {
      const y = top + r * row, input = meta.inputs[i], held = store.heldAt(i), state = store.stateAt(i), worm = store.wormAt(i), size = Math.min(14, 60 / input.depth), high = row - 7;
      text2(0, y + high - 2, input.name);
      store.cells(i, store.t, held, cells);
      for (let c = 0; c < input.depth; c++) {
        const x = 32 + (input.depth - 1 - c) * size, flit = c < held ? cells[2 * c + 1] : -1;
        box(x, y, size, high, c < held ? wormColour(theme, cells[2 * c]) : theme.cell, theme.ground);
        if (flit >= 0 && size >= 11) text2(x + size / 2, y + high - 4, String(flit), { "text-anchor": "middle", fill: theme.onWorm, "font-size": 8 });
      }
      box(96, y, 52, high, state ? stateColour(theme, state) : theme.box);
      const said = state ? meta.states[state] : "";
      text2(122, y + high - (row > 16 ? 4 : 1), worm >= 0 ? `${said.length > 5 ? STATE_MARK[state] || said : said} w${worm}` : said, { "text-anchor": "middle", fill: state ? theme.onWorm : theme.faint, "font-size": 8.5 });
      picture.append(svg("path", { d: `M148 ${y + high / 2}H${left + column * outputs.length}`, stroke: worm >= 0 ? wormColour(theme, worm) : theme.line, "stroke-width": worm >= 0 ? 1.4 : 0.8, fill: "none" }));
      const wanted = state === 4 ? unowned(store, i).flatMap((u) => u.lanes) : [];
      outputs.forEach((o, c) => {
        const x = left + (c + 0.5) * column, mine = store.ownerInput(o) === i;
        if (mine) picture.append(svg("circle", { cx: x, cy: y + high / 2, r: store.crossesAt(o) ? 4.2 : 3.2, fill: store.crossesAt(o) ? wormColour(theme, worm) : theme.ground, stroke: wormColour(theme, worm), "stroke-width": 1.6 }));
        else if (wanted.includes(o)) picture.append(svg("path", { d: `M${x} ${y + high / 2 - 4}l4 7h-8z`, fill: theme.lanes }));
      });
    });
    outputs.forEach((o, c) => {
      const x = left + (c + 0.5) * column, owner = store.ownerInput(o), worm = owner >= 0 ? store.wormAt(owner) : -1, output = meta.outputs[o];
      const line = svg("path", { d: `M${x} ${top - 4}V${bottom}`, stroke: worm >= 0 ? wormColour(theme, worm) : theme.line, "stroke-width": worm >= 0 ? 1.4 : 0.8, fill: "none" });
      picture.insertBefore(line, picture.firstChild);
      const w = column - 2;
      box(x - w / 2, bottom, w, 14, worm >= 0 ? wormColour(theme, worm) : theme.box);
      if (w >= 13) text2(x, bottom + 10, worm >= 0 ? `w${worm}` : "\u2013", { "text-anchor": "middle", fill: worm >= 0 ? theme.onWorm : theme.faint, "font-size": 8 });
      const depth = output.input !== null ? meta.inputs[output.input].depth : Math.max(1, store.creditsAt(o)), credits = store.creditsAt(o);
      box(x - w / 2, bottom + 16, w, 14, theme.cell);
      box(x - w / 2, bottom + 16, w * Math.min(1, credits / Math.max(1, depth)), 14, credits ? theme.load : theme.cell, "none");
      if (w >= 8) text2(x, bottom + 26, String(credits), { "text-anchor": "middle", fill: credits ? theme.ink : theme.blocked, "font-size": 8, "font-weight": "bold" });
      text2(x, bottom + 41, output.name.replace(/^out/, ""), { "text-anchor": "middle", "font-size": w < 14 ? 7 : 8.5 });
    });
    text2(left - 6, bottom + 10, "lane owner", { "text-anchor": "end" });
    text2(left - 6, bottom + 26, "credits", { "text-anchor": "end" });
    text2(left - 6, bottom + 41, "out", { "text-anchor": "end" });
    return picture;
  }

  // wave.ts
  var ROW = 15;
  var LABEL = 96;
  var MOST = 60;
  function tree(store, worm) {
    const k = store.wormIndex.get(worm);
    if (k === void 0) return [];
    const left = [...store.visitsOf[k]], found = [];
    const from = (visit) => {
      const f = store.feeder[visit.input];
      return f >= 0 ? store.meta.outputs[f].switch : -1;
    };
    const add = (visit, depth) => {
      found.push({ visit, depth });
      const at = store.meta.inputs[visit.input].switch;
      for (const child of left.filter((v) => from(v) === at && v.from >= visit.from)) {
        const i = left.indexOf(child);
        if (i < 0) continue;
        left.splice(i, 1);
        add(child, depth + 1);
      }
    };
    while (left.length) add(left.splice(0, 1)[0], 0);
    return found;
  }
  function waveform(page, store, worm) {
    const rows = tree(store, worm).slice(0, MOST), width = 294, height = rows.length * ROW + 14, ratio = devicePixelRatio || 1;
    const canvas = el("canvas", { width: width * ratio, height: height * ratio, title: "States at each input lane; a click goes to the cycle" });
    canvas.style.height = `${height}px`;
    canvas.style.cursor = "pointer";
    const pen = canvas.getContext("2d");
    const from = Math.min(...rows.map((r) => r.visit.from)), until = Math.max(...rows.map((r) => r.visit.until), from + 1);
    const x = (t) => LABEL + (t - from) / (until - from) * (width - LABEL);
    canvas.addEventListener("pointerdown", (e) => {
      const at = e.offsetX / canvas.clientWidth * width;
      if (at >= LABEL) page.seek(Math.floor(from + (at - LABEL) / (width - LABEL) * (until - from)));
      else {
        const row = rows[Math.floor(e.offsetY / ROW)];
        if (row) page.select({ kind: "input", input: row.visit.input, cell: 0 });
      }
    });
    if (!pen || !rows.length) return canvas;
    const { theme } = page, tracks = store.inputs;
    pen.scale(ratio, ratio);
    pen.textBaseline = "middle";
    rows.forEach(({ visit, depth }, i) => {
      const y = i * ROW;
      pen.font = '10px "DejaVu Sans", Verdana, sans-serif';
      pen.fillStyle = theme.faint;
      pen.textAlign = "left";
      pen.fillText(inputName(store, visit.input), Math.min(depth, 7) * 4, y + ROW / 2, LABEL - 4 - Math.min(depth, 7) * 4);
      for (let e = visit.first; e <= visit.last; e++) {
        const state = tracks.state[e], begin = tracks.cycle[e];
        while (e < visit.last && tracks.state[e + 1] === state) e++;
        const end = Math.min(tracks.until(visit.input, e, store.meta.until), visit.until);
        const [a, b] = [x(begin), x(end)];
        pen.fillStyle = stateColour(theme, state);
        const tall = state ? ROW - 4 : 2;
        pen.fillRect(a, y + ROW - 2 - tall, Math.max(0.7, b - a - (b - a > 3 ? 0.5 : 0)), tall);
        if (b - a > 9 && STATE_MARK[state]) {
          pen.fillStyle = theme.onWorm;
          pen.font = 'bold 9px "DejaVu Sans", Verdana, sans-serif';
          pen.textAlign = "center";
          pen.fillText(STATE_MARK[state], (a + b) / 2, y + ROW - 2 - tall / 2);
        }
      }
    });
    pen.fillStyle = theme.faint;
    pen.font = '9px "DejaVu Sans", Verdana, sans-serif';
    pen.textAlign = "left";
    pen.fillText(String(from), LABEL, height - 6);
    pen.textAlign = "right";
    pen.fillText(String(until), width, height - 6);
    if (store.t >= from && store.t <= until) {
      pen.fillStyle = theme.select;
      pen.fillRect(x(store.t + 0.5) - 0.75, 0, 1.5, height - 12);
    }
    return canvas;
  }

  // wormdetail.ts
  var MOST_WAITS = 24;
  var known = null;
  function waitsOf(store, worm) {
    if (known?.store === store && known.worm === worm) return known;
    const all = store.waitsList.filter((wait2) => wait2.worm === worm);
    const shown = all.length > MOST_WAITS ? [...all].sort((a, b) => b.until - b.from - (a.until - a.from)).slice(0, MOST_WAITS).sort((a, b) => a.from - b.from) : all;
    const here = store.t;
    const waits3 = shown.map((wait2) => {
      store.seek(wait2.from);
      return { wait: wait2, why: reason(store, wait2.input) };
    });
    store.seek(here);
    return known = { store, worm, waits: waits3, more: all.length - shown.length };
  }
  function wormDetail(page, run, id) {
    const { store } = run, { meta } = store, worm = store.worm(id), k = store.wormIndex.get(id);
    if (!worm || k === void 0) return [el("h2", {}, `Worm ${id}`), el("p", {}, "is not in the cycles of this page.")];
    const chip2 = el("span", { className: "chip" });
    chip2.style.background = wormColour(page.theme, id);
    const many = worm.to.length > 1;
    const to = worm.to.slice(0, 24).map((n) => link(meta.nodes[n]?.name ?? `n${n}`, { kind: "node", node: n }));
    const seen2 = store.began[k] < store.ended[k];
    return [
      el("h2", {}, chip2, `Worm ${id}`),
      el(
        "p",
        {},
        many ? `Multicast to ${worm.to.length} nodes, ${meta.encodings[worm.encoding]}: ` : `${worm.encoding ? `One destination, ${meta.encodings[worm.encoding]}` : "Unicast"}: `,
        link(meta.nodes[worm.source]?.name ?? `n${worm.source}`, { kind: "node", node: worm.source }),
        " to ",
        ...to.flatMap((a, i) => i ? [", ", a] : [a]),
        worm.to.length > 24 ? ` and ${worm.to.length - 24} more` : null
      ),
      el("p", {}, `${worm.header} header and ${worm.payload} payload flits of ${meta.flitBits} bits`, worm.class ? `, class ${worm.class}` : null),
      el(
        "p",
        {},
        "Created ",
        link(String(worm.created), null, worm.created),
        ...seen2 ? [
          ", in the network from ",
          link(String(store.began[k]), null, store.began[k]),
          worm.delivered.length < worm.to.length ? " on, not wholly delivered; last seen in " : " until ",
          link(String(store.ended[k]), null, store.ended[k] - 1),
          ` (${store.ended[k] - worm.created} cycles${meta.clockNs ? `, ${nanoseconds(store.ended[k] - worm.created, meta.clockNs)}` : ""})`
        ] : []
      ),
      ...now(store, id),
      ...seen2 ? [el("h3", {}, "States at its input lanes"), waveform(page, store, id), key(page)] : [],
      ...waits2(store, id),
      ...headerBits(worm.headerBits),
      ...deliveries(run, id)
    ];
  }
  function key(page) {
    const entries = [];
    for (const [state, text2] of [[1, "H header"], [2, "R route"], [3, "T token"], [4, "L lane"], [5, "move"], [6, "B blocked"]]) {
      const chip2 = el("span", { className: "chip" });
      chip2.style.background = stateColour(page.theme, state);
      entries.push(chip2, `${text2}  `);
    }
    return el("p", { className: "faint" }, ...entries);
  }
  function now(store, id) {
    const rows = [], moving = [], bubbles = [];
    const index = store.wormIndex.get(id);
    for (const visit of index === void 0 ? [] : store.visitsOf[index]) {
      if (visit.from > store.t || visit.until <= store.t) continue;
      const state = store.stateAt(visit.input);
      if (state === MOVE) {
        (store.heldAt(visit.input) ? moving : bubbles).push(visit.input);
        continue;
      }
      if (rows.length < 16) rows.push(el(
        "div",
        { className: `wait ${state === TOKEN ? "token" : state === BLOCKED ? "blocked" : state === LANES ? "" : "goes"}` },
        el("b", {}, store.meta.states[state]),
        " at ",
        ...nodes([inputPart(store, visit.input), ": ", ...reason(store, visit.input)])
      ));
    }
    for (const [what, lanes] of [["", moving], ["with an empty FIFO, a bubble,", bubbles]]) {
      if (!lanes.length) continue;
      const shown = lanes.slice(0, 12).flatMap((k, i) => [i ? ", " : "", inputPart(store, k)]);
      rows.push(el("div", { className: "wait goes" }, el("b", {}, "MOVE"), what ? ` ${what} at ` : " at ", ...nodes(shown), lanes.length > 12 ? ` and ${lanes.length - 12} more` : null));
    }
    return rows.length ? [el("h3", {}, `Now, cycle ${store.t}`), ...rows] : [];
  }
  function waits2(store, id) {
    const { waits: found, more } = waitsOf(store, id);
    if (!found.length) return [el("p", { className: "faint" }, "It never waits.")];
    return [el("h3", {}, more ? `Its ${found.length} longest waits, of ${found.length + more}` : "Its waits"), ...found.map(({ wait: wait2, why }) => el(
      "div",
      { className: `wait ${wait2.state === TOKEN ? "token" : wait2.state === BLOCKED ? "blocked" : ""}` },
      link(`${wait2.from}..${wait2.until}`, null, wait2.from),
      ` ${store.meta.states[wait2.state]}, ${wait2.until - wait2.from} cycle${wait2.until - wait2.from === 1 ? "" : "s"}, at `,
      ...nodes([inputPart(store, wait2.input), ": ", ...why])
    ))];
  }
  function headerBits(bits) {
    if (!bits.length) return [];
    const shown = bits.slice(0, 8).map((b, i) => `${i}  ${b}`).join("\n") + (bits.length > 8 ? `
... ${bits.length - 8} more` : "");
    return [el("h3", {}, "Header flits, as injected"), el("code", { textContent: shown })];
  }
  function deliveries(run, id) {
    const { meta } = run.store, worm = run.store.worm(id);
    if (!worm?.delivered.length) return [];
    const rows = worm.delivered.slice(0, 64).map(([node, injected, head, tail, flits]) => [
      link(meta.nodes[node]?.name ?? `n${node}`, { kind: "node", node }),
      String(injected),
      String(head),
      link(String(tail), null, tail),
      String(flits),
      String(tail - worm.created)
    ]);
    return [el("h3", {}, "Arrivals"), table(["node", "injected", "head", "tail", "flits", "latency"], rows, [1, 2, 3, 4, 5])];
  }

  // panel.ts
  var Panel = class {
    constructor(page) {
      this.page = page;
      this.element = byId("panel");
      this.detail = el("section");
      this.wave = el("section");
      this.knot = el("section", { hidden: true });
      this.command = el("code");
      this.text = "";
      this.drawn = { t: -1, key: "", at: 0, theme: "" };
      acting(page);
      const button = el("button", { type: "button", textContent: "Copy" });
      button.onclick = () => {
        copy(this.text, this.command);
        button.textContent = "Copied";
        setTimeout(() => {
          button.textContent = "Copy";
        }, 1200);
      };
      button.id = "copy";
      this.command.id = "command";
      this.detail.id = "detail";
      this.knot.id = "knot";
      this.keys = el("section", { id: "legend" });
      this.wave.append(
        el("h2", {}, "In a waveform viewer"),
        el("p", { className: "faint", textContent: "The same cycles as a waveform, with the chosen worm followed:" }),
        this.command,
        el("div", { className: "row" }, button)
      );
      this.element.append(this.knot, this.detail, this.wave, this.keys);
      this.element.addEventListener("pointerdown", follow2);
      this.element.addEventListener("keydown", follow2);
    }
    /** Writes it anew where something changed; while playing some times a second. */
    update(now2, force = false) {
      const { page } = this, run = page.runs[page.active];
      const key2 = `${page.active} ${JSON.stringify(run.selection)}`, theme = page.theme.ground;
      const same2 = key2 === this.drawn.key && theme === this.drawn.theme;
      if (same2 && !force && (run.store.t === this.drawn.t || page.player.playing && now2 - this.drawn.at < 160)) return;
      if (theme !== this.drawn.theme) this.keys.replaceChildren(...legend(page.theme, run.store.meta.stations.length > 0));
      this.drawn = { t: run.store.t, key: key2, at: now2, theme };
      const scroll = same2 ? this.element.scrollTop : 0;
      this.detail.replaceChildren(...this.about(run));
      this.writeKnot(run);
      this.writeCommand(run);
      this.element.scrollTop = scroll;
    }
    about(run) {
      const { selection } = run, { page } = this;
      if (!selection) {
        return [
          el("h2", {}, "Nothing chosen"),
          el("p", { className: "faint" }, "Click a worm's flits, a switch, a link or a node; or search."),
          ...this.waiting(run)
        ];
      }
      switch (selection.kind) {
        case "worm":
          return wormDetail(page, run, selection.worm);
        case "switch":
          return switchDetail(page, run, selection.switch);
        case "link":
          return linkDetail(page, run, selection.output);
        case "injection":
          return channelDetail(page, run, selection.channel);
        case "input":
          return inputDetail(page, run, selection.input, selection.cell);
        case "node":
          return nodeDetail(page, run, selection.node);
      }
    }
    /** Who waits now. */
    waiting(run) {
      const { store } = run, found = [];
      for (let k = 0; k < store.inputs.count && found.length < 30; k++) {
        const state = store.stateAt(k);
        if (state !== 3 && state !== 4 && state !== 6) continue;
        found.push(el("li", {}, ...nodes([wormPart(store.wormAt(k)), ` ${store.meta.states[state]} at `, inputPart(store, k)])));
      }
      return found.length ? [el("h3", {}, "Waiting now"), el("ul", {}, ...found)] : [];
    }
    /** The circle of a deadlock in words. */
    writeKnot(run) {
      const { store } = run, deadlock = store.meta.deadlock;
      this.knot.hidden = !deadlock || store.t < deadlock.cycle;
      if (!deadlock || this.knot.hidden) return;
      const items = deadlock.circle.map((entry) => el("li", {}, ...nodes([
        wormPart(entry.worm),
        " at ",
        inputPart(store, entry.input),
        " waits for ",
        ...entry.outputs.flatMap((o, i) => [i ? " or " : "", outputPart(store, o), " owned by ", wormPart(entry.owners[i] ?? entry.owners[0])])
      ])));
      const text2 = el("details", {}, el("summary", {}, "Who holds what"), el("code", { textContent: deadlock.text }));
      text2.open = this.knot.querySelector("details")?.open ?? false;
      this.knot.replaceChildren(el("h2", { className: "bad" }, "Deadlock"), el(
        "p",
        {},
        "Final at ",
        link(`cycle ${deadlock.cycle}`, null, deadlock.cycle),
        `, detected at ${deadlock.detected}. Each waits for what the next one holds; no arbiter can free them:`
      ), el("ol", {}, ...items), text2);
    }
    writeCommand(run) {
      const { meta } = run.store, { selection, store } = run;
      this.wave.hidden = !meta.rerun;
      let [from, until] = [Math.max(meta.from, store.t - 50), Math.min(meta.until, store.t + 50)];
      let follows = "";
      if (selection?.kind === "worm") {
        const k = store.wormIndex.get(selection.worm);
        follows = ` --follow ${selection.worm}`;
        if (k !== void 0 && store.began[k] < store.ended[k]) {
          [from, until] = [Math.max(meta.from, Math.min(store.began[k], meta.worms[k].created)), Math.min(meta.until, store.ended[k] + 2)];
        }
      }
      this.text = `${meta.rerun} --wave waves/view.fst --wave-window ${from}..${until}${follows}`;
      this.command.textContent = this.text;
    }
  };

  // search.ts
  var MOST2 = 40;
  function find(store, asked) {
    const { meta } = store, text2 = asked.trim().toLowerCase(), found = [];
    if (!text2) return found;
    const worm = /^(?:worm|w)?\s*(\d+)$/.exec(text2);
    const add = (entry) => {
      if (found.length < MOST2) found.push(entry);
    };
    const described = (w) => ({
      to: { kind: "worm", worm: w.id },
      t: Math.min(meta.until - 1, Math.max(meta.from, w.created)),
      text: `worm ${w.id}: ${meta.nodes[w.source]?.name} to ${w.to.length > 1 ? `${w.to.length} nodes` : meta.nodes[w.to[0]]?.name}, ${meta.encodings[w.encoding]}, cycle ${w.created}`
    });
    if (worm) {
      const exact = store.worm(Number(worm[1]));
      if (exact) add(described(exact));
    }
    if ("deadlock".startsWith(text2) && text2.length > 2 && meta.deadlock) add({ text: `deadlock, final at ${meta.deadlock.cycle}`, to: { kind: "worm", worm: meta.deadlock.circle[0]?.worm ?? 0 }, t: meta.deadlock.cycle });
    const node = text2.replace(/^node\s*/, "n");
    meta.nodes.forEach((n, k) => {
      if (n.name.toLowerCase() === node) add({ text: `node ${n.name}`, to: { kind: "node", node: k } });
    });
    const plain2 = text2.replace(/^(?:switch|link|fifo)\s+/, "");
    meta.switches.forEach((s, k) => {
      if (s.name.toLowerCase().includes(plain2)) add({ text: `switch ${s.name}`, to: { kind: "switch", switch: k } });
    });
    if (plain2.includes("in") || plain2.includes("out")) {
      meta.outputs.forEach((o, k) => {
        if (o.points.length && outputName(store, k).toLowerCase().includes(plain2)) add({ text: `link ${outputName(store, k)}`, to: { kind: "link", output: k } });
      });
      meta.inputs.forEach((i, k) => {
        if (i.exists && inputName(store, k).toLowerCase().includes(plain2)) add({ text: `FIFO ${inputName(store, k)}`, to: { kind: "input", input: k, cell: 0 } });
      });
    }
    if (text2.length > 2) {
      const encodings = meta.encodings.map((e, k) => e.includes(text2.replace(/[ -]/g, "_")) ? k : -1);
      for (const w of meta.worms) if (encodings.includes(w.encoding)) add(described(w));
      if ("multicast".startsWith(text2)) {
        for (const w of meta.worms) if (w.to.length > 1) add(described(w));
      }
    }
    if (/^n\d+$/.test(node)) {
      const k = meta.nodes.findIndex((n) => n.name.toLowerCase() === node);
      for (const w of meta.worms) if (k >= 0 && (w.source === k || w.to.includes(k))) add(described(w));
    }
    return found;
  }
  var Search = class {
    constructor(page) {
      this.page = page;
      this.input = byId("search");
      this.list = byId("found");
      this.found = [];
      this.at = 0;
      this.input.addEventListener("input", () => this.write());
      this.input.addEventListener("focus", () => this.write());
      this.input.addEventListener("blur", () => {
        this.list.hidden = true;
      });
      this.input.addEventListener("keydown", (e) => {
        if (e.key === "ArrowDown" || e.key === "ArrowUp") {
          this.at = Math.max(0, Math.min(this.found.length - 1, this.at + (e.key === "ArrowDown" ? 1 : -1)));
          this.mark();
          e.preventDefault();
        } else if (e.key === "Enter") this.take(this.at);
        else if (e.key === "Escape") {
          this.input.value = "";
          this.input.blur();
        }
        e.stopPropagation();
      });
    }
    focus() {
      this.input.focus();
      this.input.select();
    }
    write() {
      this.found = find(this.page.runs[this.page.active].store, this.input.value);
      this.at = 0;
      const items = this.found.map((entry, i) => {
        const item = el("li", { textContent: entry.text });
        item.setAttribute("role", "option");
        item.addEventListener("pointerdown", (e) => {
          e.preventDefault();
          this.take(i);
        });
        return item;
      });
      this.list.replaceChildren(...items.length ? items : [el("li", { className: "none", textContent: "nothing found: worm 7, n3, a switch, a link or an encoding" })]);
      this.list.hidden = !this.input.value.trim();
      this.mark();
    }
    mark() {
      [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === this.at && this.found.length > 0)));
      this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
    }
    take(i) {
      const entry = this.found[i];
      if (!entry) return;
      this.page.player.pause();
      if (entry.t !== void 0) this.page.seek(entry.t);
      this.page.select(entry.to);
      this.page.reveal(entry.to);
      this.input.blur();
    }
  };

  // tracks.ts
  var Column = class {
    constructor(data) {
      this.data = data;
      this.length = 0;
    }
    push(value) {
      if (this.length === this.data.length) {
        const larger = new this.data.constructor(this.data.length * 2);
        larger.set(this.data);
        this.data = larger;
      }
      this.data[this.length++] = value;
    }
    done() {
      return this.data.slice(0, this.length);
    }
  };
  var u8 = () => new Column(new Uint8Array(4096));
  var u16 = () => new Column(new Uint16Array(4096));
  var i32 = () => new Column(new Int32Array(4096));
  var u32 = () => new Column(new Uint32Array(4096));
  var Reader = class {
    constructor(bytes) {
      this.bytes = bytes;
      this.at = 0;
    }
    varint() {
      let value = 0, scale = 1;
      for (; ; ) {
        const byte = this.bytes[this.at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
        scale *= 128;
      }
    }
    /** The numbers of the bits that are set, however many bits there are. */
    mask() {
      const bits = [];
      for (let base = 0; ; base += 7) {
        const byte = this.bytes[this.at++];
        for (let i = 0; i < 7; i++) if (byte >> i & 1) bits.push(base + i);
        if (byte < 128) return bits;
      }
    }
  };
  var Masks = class {
    constructor() {
      this.list = [[]];
      this.numbers = /* @__PURE__ */ new Map([["", 0]]);
    }
    number(bits) {
      const key2 = bits.join();
      let found = this.numbers.get(key2);
      if (found === void 0) this.numbers.set(key2, found = this.list.push(bits) - 1);
      return found;
    }
  };
  var Tracks = class {
    constructor(start2, cycle) {
      this.start = start2;
      this.cycle = cycle;
      this.now = new Int32Array(start2.length - 1).fill(-1);
    }
    get count() {
      return this.now.length;
    }
    /** The event of a track that holds in a cycle; -1 before the first. */
    find(track, t) {
      let low = this.start[track], high = this.start[track + 1];
      while (low < high) {
        const middle = low + high >> 1;
        if (this.cycle[middle] <= t) low = middle + 1;
        else high = middle;
      }
      return low > this.start[track] ? low - 1 : -1;
    }
    /** Moves `now` to a cycle: a few steps on where it is near, else by halving. */
    seek(t) {
      const { now: now2, start: start2, cycle } = this;
      for (let track = 0; track < now2.length; track++) {
        let e = now2[track];
        if (e >= 0 && cycle[e] > t) {
          now2[track] = this.find(track, t);
          continue;
        }
        const end = start2[track + 1];
        if (e < 0) e = start2[track] - 1;
        for (let steps = 0; e + 1 < end && cycle[e + 1] <= t; e++) {
          if (++steps > 16) {
            e = this.find(track, t);
            break;
          }
        }
        now2[track] = e < start2[track] ? -1 : e;
      }
    }
    /** The first cycle in which an event no longer holds. */
    until(track, e, end) {
      return e + 1 < this.start[track + 1] ? this.cycle[e + 1] : end;
    }
  };
  var InputTracks = class extends Tracks {
    constructor(start2, cycle, state, worm, branches, taken, held) {
      super(start2, cycle);
      this.state = state;
      this.worm = worm;
      this.branches = branches;
      this.taken = taken;
      this.held = held;
    }
  };
  var ChannelTracks = class extends Tracks {
    constructor(start2, cycle, valid, worm, flit, credits, extra) {
      super(start2, cycle);
      this.valid = valid;
      this.worm = worm;
      this.flit = flit;
      this.credits = credits;
      this.extra = extra;
    }
  };
  var StationTracks = class extends Tracks {
    constructor(start2, cycle, here, holder, request) {
      super(start2, cycle);
      this.here = here;
      this.holder = holder;
      this.request = request;
    }
  };
  function walk(reader, lengths, from, begin, event) {
    const start2 = new Uint32Array(lengths.length + 1);
    let events = 0;
    lengths.forEach((length, track) => {
      const end = reader.at + length;
      let cycle = from;
      start2[track] = events;
      begin(track);
      while (reader.at < end) {
        cycle += reader.varint();
        event(cycle);
        events++;
      }
      if (reader.at !== end) throw new Error("a track's stream does not end where it should");
    });
    start2[lengths.length] = events;
    return start2;
  }
  function inputTracks(reader, lengths, from, masks) {
    const [cycle, state, worm, branches, taken, held] = [u32(), u8(), i32(), u32(), u32(), u16()];
    let [w, b, t, h] = [-1, 0, 0, 0];
    const start2 = walk(reader, lengths, from, () => [w, b, t, h] = [-1, 0, 0, 0], (at) => {
      const flags = reader.bytes[reader.at++];
      if (flags & 8) w = reader.varint() - 1;
      if (flags & 16) b = masks.number(reader.mask());
      if (flags & 32) t = masks.number(reader.mask());
      const change = flags >> 6;
      if (change === 3) h = reader.varint();
      else if (change) h += change === 1 ? 1 : -1;
      cycle.push(at);
      state.push(flags & 7);
      worm.push(w);
      branches.push(b);
      taken.push(t);
      held.push(h);
    });
    return new InputTracks(start2, cycle.done(), state.done(), worm.done(), branches.done(), taken.done(), held.done());
  }
  function channelTracks(reader, lengths, from, kind, depth) {
    const [cycle, valid, worm, flit, credits, extra] = [u32(), u8(), i32(), i32(), u16(), i32()];
    let [v, w, f, c, x, since] = [0, -1, 0, 0, 0, from];
    const start2 = walk(reader, lengths, from, (track) => {
      [v, w, f, c, x, since] = [0, -1, 0, depth(track), kind === "output" ? -1 : 0, from];
    }, (at) => {
      if (v) f += at - since;
      const flags = reader.bytes[reader.at++];
      v = flags & 1;
      if (kind === "output" && flags & 2) x = reader.varint() - 1;
      if (flags & 4) {
        w = reader.varint();
        f = reader.varint();
      }
      const change = flags >> 3 & 3;
      if (kind !== "consumption" && change) {
        if (change === 3) c = reader.varint();
        else c += change === 1 ? 1 : -1;
      }
      if (kind === "injection" && flags & 32) x = reader.varint();
      since = at;
      cycle.push(at);
      valid.push(v);
      worm.push(w);
      flit.push(f);
      credits.push(c);
      extra.push(x);
    });
    return new ChannelTracks(start2, cycle.done(), valid.done(), worm.done(), flit.done(), credits.done(), extra.done());
  }
  function stationTracks(reader, lengths, from, masks) {
    const [cycle, here, holder, request] = [u32(), u8(), i32(), u32()];
    let [h, r] = [-1, 0];
    const start2 = walk(reader, lengths, from, () => [h, r] = [-1, 0], (at) => {
      const flags = reader.bytes[reader.at++];
      if (flags & 2) h = reader.varint() - 1;
      if (flags & 4) r = masks.number(reader.mask());
      cycle.push(at);
      here.push(flags & 1);
      holder.push(h);
      request.push(r);
    });
    return new StationTracks(start2, cycle.done(), here.done(), holder.done(), request.done());
  }

  // store.ts
  var Store = class _Store {
    constructor(meta, streams) {
      this.meta = meta;
      this.t = -1;
      this.masks = new Masks();
      /** Index of a worm of a number. */
      this.wormIndex = /* @__PURE__ */ new Map();
      this.waitsList = [];
      this.firstBranch = -1;
      this.firstBranchWorm = -1;
      this.firstFlit = -1;
      this.firstFlitWorm = -1;
      const { from, bytes } = meta;
      const reader = new Reader(streams);
      this.inputs = inputTracks(reader, bytes.inputs, from, this.masks);
      this.outputs = channelTracks(reader, bytes.outputs, from, "output", (k) => this.depthBehind(meta.outputs[k].input));
      this.injections = channelTracks(reader, bytes.injections, from, "injection", (k) => this.depthBehind(meta.injections[k].input));
      this.consumptions = channelTracks(reader, bytes.consumptions, from, "consumption", () => 0);
      this.stations = stationTracks(reader, bytes.stations, from, this.masks);
      this.feeder = new Int32Array(meta.inputs.length).fill(-1 << 30);
      meta.outputs.forEach((output, k) => {
        if (output.input !== null) this.feeder[output.input] = k;
      });
      meta.injections.forEach((channel, k) => {
        this.feeder[channel.input] = -1 - k;
      });
      this.outputsOf = meta.switches.map(() => []);
      this.inputsOf = meta.switches.map(() => []);
      meta.outputs.forEach((lane, k) => {
        if (lane.points.length) this.outputsOf[lane.switch].push(k);
      });
      meta.inputs.forEach((lane, k) => {
        if (lane.exists) this.inputsOf[lane.switch].push(k);
      });
      meta.worms.forEach((worm, k) => this.wormIndex.set(worm.id, k));
      const span2 = meta.until - from;
      [this.crossing, this.blocked, this.underWay] = [new Uint32Array(span2 + 1), new Uint32Array(span2 + 1), new Uint32Array(span2 + 1)];
      this.began = new Float64Array(meta.worms.length).fill(Infinity);
      this.ended = new Float64Array(meta.worms.length).fill(-Infinity);
      this.visitsOf = meta.worms.map(() => []);
      this.summarise();
    }
    static async read(text2) {
      const { meta, streams } = await unpack(text2);
      return new _Store(meta, streams);
    }
    /** Passes once over all events. */
    summarise() {
      const { from, until } = this.meta;
      const crossing = new Int32Array(until - from + 2), blocked = new Int32Array(until - from + 2), under = new Int32Array(until - from + 2);
      for (const tracks of [this.outputs, this.injections]) {
        for (let track = 0; track < tracks.count; track++) {
          for (let e = tracks.start[track]; e < tracks.start[track + 1]; e++) {
            if (!tracks.valid[e]) continue;
            const begin = tracks.cycle[e], end = tracks.until(track, e, until);
            crossing[begin - from]++;
            crossing[end - from]--;
            this.live(tracks.worm[e], begin, end);
          }
        }
      }
      for (let k = 0; k < this.consumptions.count; k++) {
        const c2 = this.consumptions;
        for (let e = c2.start[k]; e < c2.start[k + 1]; e++) if (c2.valid[e]) this.live(c2.worm[e], c2.cycle[e], c2.until(k, e, until));
      }
      const inputs = this.inputs;
      for (let track = 0; track < inputs.count; track++) {
        let visit = null, serves = -1, wait2 = null;
        for (let e = inputs.start[track]; e < inputs.start[track + 1]; e++) {
          const worm = inputs.worm[e], state = inputs.state[e], begin = inputs.cycle[e], end = inputs.until(track, e, until);
          if (worm !== serves) {
            visit = null;
            serves = worm;
          }
          if (worm >= 0) {
            const index = this.wormIndex.get(worm);
            if (index !== void 0) {
              if (visit) {
                visit.last = e;
                visit.until = end;
              } else this.visitsOf[index].push(visit = { input: track, from: begin, until: end, first: e, last: e });
              this.live(worm, begin, end);
            }
          }
          if (waits(state)) {
            blocked[begin - from]++;
            blocked[end - from]--;
            if (wait2 && wait2.worm === worm && wait2.until === begin && wait2.state === state) wait2.until = end;
            else this.waitsList.push(wait2 = { worm, input: track, state, from: begin, until: end });
          } else wait2 = null;
          if (state === MOVE && this.masks.list[inputs.branches[e]].length > 1 && (this.firstBranch < 0 || begin < this.firstBranch)) {
            [this.firstBranch, this.firstBranchWorm] = [begin, worm];
          }
        }
      }
      this.meta.worms.forEach((worm, k) => {
        for (const [, injected, , tail] of worm.delivered) {
          this.began[k] = Math.min(this.began[k], injected);
          this.ended[k] = Math.max(this.ended[k], tail + 1);
        }
        if (this.began[k] > this.ended[k]) return;
        if (this.firstFlit < 0 || this.began[k] < this.firstFlit) [this.firstFlit, this.firstFlitWorm] = [Math.max(this.began[k], from), worm.id];
        under[Math.min(Math.max(this.began[k], from), until) - from]++;
        under[Math.min(Math.max(this.ended[k], from), until) - from]--;
      });
      let [a, b, c] = [0, 0, 0];
      for (let i = 0; i < this.crossing.length; i++) {
        this.crossing[i] = a += crossing[i];
        this.blocked[i] = b += blocked[i];
        this.underWay[i] = c += under[i];
      }
      for (const visits of this.visitsOf) visits.sort((x, y) => x.from - y.from || x.input - y.input);
      this.waitsList.sort((x, y) => x.from - y.from);
    }
    live(worm, begin, end) {
      const k = this.wormIndex.get(worm);
      if (k === void 0) return;
      if (begin < this.began[k]) this.began[k] = begin;
      if (end > this.ended[k]) this.ended[k] = end;
    }
    /** Flits of the FIFO behind a channel; nodes have as many by default. */
    depthBehind(input) {
      return this.meta.inputs[input ?? 0]?.depth ?? 0;
    }
    /** Moves the cursors of all tracks to a cycle. */
    seek(t) {
      if (t === this.t) return;
      this.t = t;
      for (const tracks of [this.inputs, this.outputs, this.injections, this.consumptions, this.stations]) tracks.seek(t);
    }
    /** Cycles from crossing a lane to standing in the FIFO behind it. */
    arrival(feeder) {
      return feeder < 0 ? this.meta.injectionArrival ?? this.meta.arrival : this.meta.arrival;
    }
    /** Writes the `count` flits of an input's FIFO at the start of cycle t into `cells`, front first: worm, flit, worm, flit, ... */
    cells(input, t, count, cells, event) {
      cells.length = 2 * count;
      const feeder = this.feeder[input];
      const tracks = feeder >= 0 ? this.outputs : this.injections, track = feeder >= 0 ? feeder : -1 - feeder;
      if (track >= tracks.count) {
        cells.fill(-1);
        return;
      }
      const last = t - this.arrival(feeder);
      let e = event ?? tracks.find(track, last), left = count;
      let end = last + 1;
      while (left > 0 && e >= tracks.start[track]) {
        const begin = tracks.cycle[e];
        if (tracks.valid[e]) {
          for (let c = end - 1; c >= begin && left > 0; c--) {
            left--;
            cells[2 * left] = tracks.worm[e];
            cells[2 * left + 1] = tracks.flit[e] + c - begin;
          }
        }
        end = begin;
        e--;
      }
      const before = (feeder >= 0 ? this.meta.outputs[track] : this.meta.injections[track]).before;
      for (let i = before.length - 1; i >= 0 && left > 0; i--) {
        if (before[i][0] > last) continue;
        left--;
        cells[2 * left] = before[i][1][0];
        cells[2 * left + 1] = before[i][1][1];
      }
      while (left > 0) {
        left--;
        cells[2 * left] = cells[2 * left + 1] = -1;
      }
    }
    /** The worm that an output lane belongs to now; -1: none. */
    ownerWorm(output) {
      const e = this.outputs.now[output];
      if (e < 0 || this.outputs.extra[e] < 0) return -1;
      return this.wormAt(this.ownerInput(output));
    }
    /** The input lane that an output lane belongs to now; -1: none. */
    ownerInput(output) {
      const e = this.outputs.now[output];
      return e < 0 || this.outputs.extra[e] < 0 ? -1 : this.meta.laneBase[this.meta.outputs[output].switch][0] + this.outputs.extra[e];
    }
    wormAt(input) {
      const e = this.inputs.now[input];
      return e < 0 ? -1 : this.inputs.worm[e];
    }
    stateAt(input) {
      const e = this.inputs.now[input];
      return e < 0 ? 0 : this.inputs.state[e];
    }
    branchesAt(input) {
      const e = this.inputs.now[input];
      return e < 0 ? [] : this.masks.list[this.inputs.branches[e]];
    }
    takenAt(input) {
      const e = this.inputs.now[input];
      return e < 0 ? [] : this.masks.list[this.inputs.taken[e]];
    }
    heldAt(input) {
      const e = this.inputs.now[input];
      return e < 0 ? 0 : this.inputs.held[e];
    }
    creditsAt(output) {
      const e = this.outputs.now[output];
      return e >= 0 ? this.outputs.credits[e] : this.depthBehind(this.meta.outputs[output].input);
    }
    crossesAt(output) {
      const e = this.outputs.now[output];
      return e >= 0 && this.outputs.valid[e] === 1;
    }
    worm(id) {
      const k = this.wormIndex.get(id);
      return k === void 0 ? void 0 : this.meta.worms[k];
    }
    /** Waits that hold in the cycle that the cursors are at, as numbers by state. */
    nowWaiting() {
      const found = { token: 0, lanes: 0, blocked: 0 };
      for (let k = 0; k < this.inputs.count; k++) {
        const state = this.stateAt(k);
        if (state === TOKEN) found.token++;
        else if (state === LANES) found.lanes++;
        else if (state === BLOCKED) found.blocked++;
      }
      return found;
    }
  };

  // timeline.ts
  var GUTTER = 136;
  var Timeline = class {
    constructor(stores) {
      this.stores = stores;
      this.canvas = document.createElement("canvas");
      this.onseek = () => {
      };
      this.onchange = () => {
      };
      this.still = null;
      this.first = this.from = Math.min(...stores.map((s) => s.meta.from));
      this.last = this.until = Math.max(...stores.map((s) => s.meta.until), this.first + 1);
      this.canvas.className = "band";
      this.canvas.setAttribute("role", "slider");
      this.canvas.setAttribute("aria-label", "cycle");
      new ResizeObserver(() => this.resize()).observe(this.canvas);
      let down = false, pan = null;
      this.canvas.addEventListener("pointerdown", (e) => {
        this.canvas.setPointerCapture(e.pointerId);
        if (e.shiftKey || e.button === 1) pan = e.offsetX;
        else {
          down = true;
          this.onseek(this.cycle(e.offsetX));
        }
      });
      this.canvas.addEventListener("pointermove", (e) => {
        if (down) this.onseek(this.cycle(e.offsetX));
        if (pan !== null) {
          this.pan((pan - e.offsetX) / this.wide() * (this.until - this.from));
          pan = e.offsetX;
        }
      });
      this.canvas.addEventListener("pointerup", () => {
        down = false;
        pan = null;
      });
      this.canvas.addEventListener("wheel", (e) => {
        e.preventDefault();
        if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan((e.deltaX || e.deltaY) / this.wide() * (this.until - this.from));
        else this.zoom(Math.exp(e.deltaY * 16e-4), this.at(e.offsetX));
      }, { passive: false });
    }
    at(x) {
      return this.from + (x - GUTTER) / this.wide() * (this.until - this.from);
    }
    wide() {
      return Math.max(1, this.canvas.clientWidth - GUTTER);
    }
    /** Where the middle of a cycle is. */
    place(t) {
      return GUTTER + (t + 0.5 - this.from) / (this.until - this.from) * this.wide();
    }
    cycle(x) {
      return Math.max(this.first, Math.min(this.last - 1, Math.floor(this.at(x))));
    }
    zoom(factor, around2) {
      const span2 = Math.max(10, Math.min(this.last - this.first, (this.until - this.from) * factor));
      this.from = around2 - (around2 - this.from) * span2 / (this.until - this.from);
      this.until = this.from + span2;
      this.pan(0);
    }
    pan(by) {
      const span2 = this.until - this.from;
      this.from = Math.max(this.first, Math.min(this.last - span2, this.from + by));
      this.until = this.from + span2;
      this.stale();
    }
    /** Keeps a cycle in sight. */
    follow(t) {
      const span2 = this.until - this.from;
      if (t < this.from || t >= this.until) this.pan(t - this.from - 0.1 * span2);
    }
    stale() {
      this.still = null;
      this.onchange();
    }
    resize() {
      const ratio = devicePixelRatio || 1;
      this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
      this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
      this.stale();
    }
    draw(theme, time) {
      const pen = this.canvas.getContext("2d");
      if (!pen) return;
      const ratio = devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
      if (!this.still) {
        this.still = document.createElement("canvas");
        [this.still.width, this.still.height] = [this.canvas.width, this.canvas.height];
        const below = this.still.getContext("2d");
        if (below) {
          below.setTransform(ratio, 0, 0, ratio, 0, 0);
          this.band(below, theme, width, height);
        }
      }
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.drawImage(this.still, 0, 0);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const x = GUTTER + (time - this.from) / (this.until - this.from) * this.wide(), one = Math.max(1.5, this.wide() / (this.until - this.from));
      pen.fillStyle = theme.select;
      pen.globalAlpha = 0.14;
      pen.fillRect(x, 0, one, height);
      pen.globalAlpha = 1;
      pen.fillRect(x - 0.75, 0, 1.5, height);
      pen.beginPath();
      pen.moveTo(x - 5, 0);
      pen.lineTo(x + 5, 0);
      pen.lineTo(x, 7);
      pen.fill();
      this.canvas.setAttribute("aria-valuenow", String(Math.floor(time)));
    }
    band(pen, theme, width, height) {
      pen.fillStyle = theme.panel;
      pen.fillRect(0, 0, width, height);
      this.ruler(pen, theme, height);
      const rows = this.stores.length, top = 18, each = (height - top) / rows;
      this.stores.forEach((store, k) => this.row(pen, theme, store, width, top + k * each, each, rows > 1 ? `${"AB"[k]} ` : ""));
    }
    ruler(pen, theme, height) {
      const span2 = this.until - this.from, rough = span2 / Math.max(2, this.wide() / 90), ten = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
      const step = [1, 2, 5, 10].map((f) => f * ten).find((s) => s >= rough) ?? 10 * ten;
      pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
      pen.textAlign = "left";
      pen.textBaseline = "top";
      for (let t = Math.ceil(this.from / step) * step; t < this.until; t += step) {
        const x = GUTTER + (t - this.from) / span2 * this.wide();
        pen.fillStyle = theme.line;
        pen.fillRect(x, 0, 1, height);
        pen.fillStyle = theme.faint;
        pen.fillText(t.toLocaleString("en").replace(/,/g, "\u202F"), x + 3, 3);
      }
    }
    row(pen, theme, store, width, top, height, name) {
      const { meta } = store, span2 = this.until - this.from, events = 13, plot = height - events - 4, base = top + plot * 0.62;
      const columns = Math.max(1, Math.floor(this.wide()));
      const peak = (values) => {
        let most2 = 1;
        for (const v of values) if (v > most2) most2 = v;
        return most2;
      };
      const most = peak(store.crossing), worst = peak(store.blocked), lively = peak(store.underWay);
      const at = (values, x, mean) => {
        const a = Math.max(0, Math.floor(this.from + x / columns * span2) - meta.from);
        const b = Math.min(meta.until - meta.from, Math.max(a + 1, Math.floor(this.from + (x + 1) / columns * span2) - meta.from));
        let [sum, found] = [0, 0];
        for (let i = a; i < b; i++) {
          sum += values[i];
          if (values[i] > found) found = values[i];
        }
        return b <= a ? 0 : mean ? sum / (b - a) : found;
      };
      pen.fillStyle = theme.load;
      for (let x = 0; x < columns; x++) {
        const h = at(store.crossing, x, true) / most * (base - top - 2);
        if (h > 0) pen.fillRect(GUTTER + x, base - h, 1, h);
      }
      pen.fillStyle = theme.blocked;
      for (let x = 0; x < columns; x++) {
        const h = at(store.blocked, x, false) / worst * (top + plot - base - 1);
        if (h > 0) pen.fillRect(GUTTER + x, base + 1, 1, Math.max(1, h));
      }
      pen.strokeStyle = theme.ink;
      pen.globalAlpha = 0.65;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let x = 0; x < columns; x++) {
        const y2 = base - at(store.underWay, x, false) / lively * (base - top - 2);
        if (x) pen.lineTo(GUTTER + x, y2);
        else pen.moveTo(GUTTER, y2);
      }
      pen.stroke();
      pen.globalAlpha = 1;
      pen.fillStyle = theme.line;
      pen.fillRect(GUTTER, base, width, 1);
      const mark = (t) => GUTTER + (t + 0.5 - this.from) / span2 * this.wide();
      const y = top + height - events / 2 - 1;
      pen.fillStyle = theme.faint;
      let before = -9;
      for (const worm of meta.worms) {
        const x = mark(worm.created);
        if (worm.to.length < 2 || x - before < 1 || x < GUTTER) continue;
        pen.fillRect(x - 0.5, y - 4, 1, 8);
        before = x;
      }
      for (const [t, text2, colour] of this.events(store, theme)) {
        const x = mark(t);
        pen.fillStyle = colour;
        pen.fillRect(x - 0.75, top, 1.5, height - 2);
        pen.font = 'bold 10px "DejaVu Sans", Verdana, sans-serif';
        pen.textBaseline = "middle";
        pen.textAlign = x > width - 90 ? "right" : "left";
        pen.fillText(text2, x + (x > width - 90 ? -4 : 4), y);
      }
      pen.fillStyle = theme.panel;
      pen.fillRect(0, top, GUTTER - 1, height);
      pen.font = '10px "DejaVu Sans", Verdana, sans-serif';
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      const label = (text2, colour, at2) => {
        pen.fillStyle = colour;
        pen.fillText(text2, GUTTER - 8, at2);
      };
      label(`${name}flits crossing, \u2264 ${most}`, theme.load, top + 9);
      label(`worms under way, \u2264 ${lively}`, theme.ink, top + 23);
      label(`lanes waiting, \u2264 ${store.blocked.some((v) => v > 0) ? worst : 0}`, theme.blocked, base + (top + plot - base) / 2);
      if (meta.worms.some((w) => w.to.length > 1) || meta.deadlock) label("multicasts, events", theme.faint, y);
    }
    events(store, theme) {
      const { meta } = store;
      const events = (meta.failures ?? []).slice(0, 40).map((f) => [f.cycle, "failure", theme.blocked]);
      if (meta.deadlock) events.push([meta.deadlock.cycle, "deadlock final", theme.blocked], [meta.deadlock.detected, "detected", theme.blocked]);
      return events.filter(([t]) => t >= this.from && t <= this.until);
    }
  };

  // tip.ts
  function tip(run, hit, x, y) {
    const element = byId("tip");
    element.hidden = !hit;
    if (!hit) return;
    element.textContent = text(run, hit);
    const box = element.getBoundingClientRect();
    element.style.left = `${Math.min(x + 14, innerWidth - box.width - 6)}px`;
    element.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 8 : y + 18}px`;
  }
  function text({ store }, hit) {
    const { meta } = store;
    switch (hit.kind) {
      case "input": {
        const held = store.heldAt(hit.input), cells = [], worm = store.wormAt(hit.input);
        store.cells(hit.input, store.t, held, cells);
        const cell = hit.cell < held ? `
worm ${cells[2 * hit.cell]}, flit ${cells[2 * hit.cell + 1]}` : "";
        const why = worm >= 0 ? `
${meta.states[store.stateAt(hit.input)]} w${worm}: ${plain(reason(store, hit.input))}` : "";
        return `${inputName(store, hit.input)}  ${held} of ${meta.inputs[hit.input].depth} flits${cell}${fold(why)}`;
      }
      case "link": {
        const owner = store.ownerWorm(hit.output), e = store.outputs.now[hit.output];
        const crosses = store.crossesAt(hit.output) ? `
crosses: worm ${store.outputs.worm[e]}, flit ${store.outputs.flit[e] + store.t - store.outputs.cycle[e]}` : "";
        return `${outputName(store, hit.output)}
${owner >= 0 ? `owned by worm ${owner}` : "free"}, ${store.creditsAt(hit.output)} credits${crosses}`;
      }
      case "injection":
        return `injection channel of ${meta.nodes[meta.injections[hit.channel].node].name}`;
      case "switch":
        return meta.switches[hit.switch].name;
      case "node":
        return `node ${meta.nodes[hit.node].name}`;
    }
  }
  function fold(line) {
    let [folded, at] = ["", 0];
    for (const word of line.split(" ")) {
      at += word.length + 1;
      if (at > 60) {
        folded += "\n  ";
        at = word.length;
      } else if (folded) folded += " ";
      folded += word;
    }
    return folded;
  }

  // view.ts
  var View = class {
    constructor(run) {
      this.run = run;
      this.element = document.createElement("div");
      this.below = document.createElement("canvas");
      this.between = document.createElement("canvas");
      this.above = document.createElement("canvas");
      this.scene = new Scene();
      this.scale = 1;
      this.x = 0;
      this.y = 0;
      /** Pixels that are kept free above the network. */
      this.room = 0;
      this.fitted = true;
      this.stale = true;
      /** What is on the canvas between. */
      this.settled = "";
      this.ratio = 0;
      this.width = 0;
      this.height = 0;
      this.drag = null;
      this.onpick = () => {
      };
      this.onhover = () => {
      };
      this.onmove = () => {
      };
      /** It has become blank. */
      this.onblank = () => {
      };
      this.element.className = "view";
      this.element.append(this.below, this.between, this.above);
      this.above.tabIndex = -1;
      new ResizeObserver(() => this.resize()).observe(this.element);
      this.above.addEventListener("pointerdown", (e) => {
        this.drag = { x: e.offsetX, y: e.offsetY, far: false };
        this.above.setPointerCapture(e.pointerId);
      });
      this.above.addEventListener("pointermove", (e) => this.moved(e));
      this.above.addEventListener("pointerup", (e) => {
        const drag = this.drag;
        this.drag = null;
        if (drag && !drag.far) this.onpick(this.hit(e.offsetX, e.offsetY));
      });
      this.above.addEventListener("pointerleave", () => this.onhover(null, 0, 0));
      this.above.addEventListener("dblclick", () => this.fit());
      this.above.addEventListener("wheel", (e) => {
        e.preventDefault();
        this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 16e-4)), e.offsetX, e.offsetY);
      }, { passive: false });
    }
    moved(e) {
      const drag = this.drag;
      if (!drag) {
        this.onhover(this.hit(e.offsetX, e.offsetY), e.clientX, e.clientY);
        return;
      }
      const [dx, dy] = [e.offsetX - drag.x, e.offsetY - drag.y];
      if (!drag.far && Math.hypot(dx, dy) < 4) return;
      drag.far = true;
      [drag.x, drag.y] = [e.offsetX, e.offsetY];
      this.x += dx;
      this.y += dy;
      this.fitted = false;
      this.changed();
    }
    hit(px, py) {
      return this.run.geometry.hit((px - this.x) / this.scale, (py - this.y) / this.scale, 7 / this.scale);
    }
    changed() {
      this.stale = true;
      this.onmove();
    }
    /** Takes the size of its element. */
    resize() {
      if (this.width === this.element.clientWidth && this.height === this.element.clientHeight && this.ratio === devicePixelRatio) return;
      this.ratio = devicePixelRatio;
      const ratio = devicePixelRatio || 1;
      this.width = this.element.clientWidth;
      this.height = this.element.clientHeight;
      this.settled = "";
      for (const canvas of [this.below, this.between, this.above]) {
        canvas.width = Math.max(1, Math.round(this.width * ratio));
        canvas.height = Math.max(1, Math.round(this.height * ratio));
      }
      if (this.fitted) this.fit();
      else this.changed();
      this.onblank();
    }
    /** Shows the whole network. */
    fit() {
      const { left, top, right, bottom } = this.run.geometry.bounds, margin = 16, head = 30 + this.room, foot = 24;
      this.scale = Math.max(0.01, Math.min((this.width - 2 * margin) / (right - left), (this.height - 2 * margin - head - foot) / (bottom - top), 4));
      this.x = this.width / 2 - this.scale * (left + right) / 2;
      this.y = this.height / 2 + (head - foot) / 2 - this.scale * (top + bottom) / 2;
      this.fitted = true;
      this.changed();
    }
    /** Zooms around a place on the screen, by default the middle. */
    zoom(factor, px = this.width / 2, py = this.height / 2) {
      const scale = Math.max(0.02, Math.min(60, this.scale * factor));
      this.x = px - (px - this.x) * scale / this.scale;
      this.y = py - (py - this.y) * scale / this.scale;
      this.scale = scale;
      this.fitted = false;
      this.changed();
    }
    /** Brings a place into view, if it is not there. */
    reveal(x, y) {
      const [px, py] = [x * this.scale + this.x, y * this.scale + this.y];
      if (px > 40 && py > 40 && px < this.width - 40 && py < this.height - 40) return;
      this.x += this.width / 2 - px;
      this.y += this.height / 2 - py;
      this.fitted = false;
      this.changed();
    }
    /** Shows a switch large. */
    closeUp(x, y, size) {
      this.scale = Math.min(60, 0.5 * Math.min(this.width, this.height) / size);
      this.x = this.width / 2 - x * this.scale;
      this.y = this.height / 2 - y * this.scale;
      this.fitted = false;
      this.changed();
    }
    box() {
      return { left: -this.x / this.scale, top: -this.y / this.scale, right: (this.width - this.x) / this.scale, bottom: (this.height - this.y) / this.scale };
    }
    /** Draws a moment; whether it pulses. */
    draw(theme, frame) {
      const ratio = devicePixelRatio || 1;
      const [below, between, above] = [this.below, this.between, this.above].map((canvas) => canvas.getContext("2d"));
      if (!below || !between || !above) return false;
      if (this.stale) {
        below.setTransform(1, 0, 0, 1, 0, 0);
        below.fillStyle = theme.ground;
        below.fillRect(0, 0, this.below.width, this.below.height);
        below.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
        drawStill(below, this.run.geometry, theme, this.scale);
        this.stale = false;
      }
      const whole = { ...frame, scale: this.scale, view: this.box() };
      const clear = (pen) => {
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(0, 0, this.above.width, this.above.height);
        pen.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
      };
      const settled = [this.run.store.t, this.x, this.y, this.scale, frame.alone, theme.ground, JSON.stringify(this.run.selection)].join();
      if (settled !== this.settled) {
        this.settled = settled;
        clear(between);
        this.scene.settled(between, this.run, theme, whole);
      }
      clear(above);
      this.scene.moving(above, this.run, theme, whole);
      return this.scene.pulses;
    }
  };

  // main.ts
  var WAITS = ["token", "lane", "blocked"];
  async function read() {
    const runs = [];
    for (const id of ["data", "data2"]) {
      const block = document.getElementById(id);
      if (!block) continue;
      const store = await Store.read(block.textContent ?? "");
      block.textContent = "";
      runs.push({ store, geometry: new Geometry(store.meta), selection: null });
    }
    return runs;
  }
  function assemble(runs, changed) {
    const from = Math.min(...runs.map((r) => r.store.meta.from)), until = Math.max(...runs.map((r) => r.store.meta.until));
    const player = new Player(from, Math.max(until, from + 1)), timeline = new Timeline(runs.map((r) => r.store)), views = runs.map((run) => new View(run));
    player.onchange = changed;
    timeline.onchange = changed;
    const page = {
      runs,
      views,
      active: 0,
      player,
      timeline,
      theme: matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT,
      alone: false,
      seek(t) {
        player.seek(t);
        timeline.follow(player.t);
        for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
      },
      select(selection, run = page.active) {
        page.active = run;
        runs[run].selection = selection;
        const worm = selection?.kind === "worm" ? selection.worm : -1;
        runs.forEach((other, k) => {
          if (k !== run) other.selection = worm >= 0 && other.store.worm(worm)?.source === runs[run].store.worm(worm)?.source ? { kind: "worm", worm } : null;
        });
        changed();
      },
      reveal(selection) {
        const { store } = runs[page.active], view = views[page.active], { meta } = store;
        if (!selection) return;
        const input = selection.kind === "input" ? selection.input : selection.kind === "worm" ? placeOf(store, selection.worm) : -1;
        const at = input >= 0 ? meta.inputs[input].at : selection.kind === "switch" ? meta.switches[selection.switch].at : selection.kind === "node" ? meta.nodes[selection.node].send : selection.kind === "link" ? meta.outputs[selection.output].points.slice(0, 2) : null;
        if (at) view.reveal(at[0], at[1]);
      },
      changed
    };
    timeline.onseek = (t) => page.seek(t);
    views.forEach((view, k) => {
      view.onmove = changed;
      view.onpick = (hit) => page.select(picked(runs[k], hit), k);
      view.onhover = (hit, x, y) => tip(runs[k], hit, x, y);
    });
    return page;
  }
  function placeOf(store, worm) {
    const k = store.wormIndex.get(worm);
    const visits = k === void 0 ? [] : store.visitsOf[k];
    return (visits.find((v) => v.from <= store.t && v.until > store.t) ?? visits[0])?.input ?? -1;
  }
  function picked(run, hit) {
    if (hit?.kind !== "input") return hit;
    const worm = wormOf({ ...run, selection: hit });
    return worm >= 0 && !(run.selection?.kind === "worm" && run.selection.worm === worm) ? { kind: "worm", worm } : hit;
  }
  function names(page) {
    byId("title").textContent = page.runs.map((r) => r.store.meta.title).join(" | ");
    byId("title").title = byId("title").textContent ?? "";
    page.views.forEach((view, k) => {
      const { meta } = page.runs[k].store;
      if (page.runs.length > 1) {
        view.room = 34;
        const about = `${meta.network}; seed ${meta.seed}; ${meta.ended} after ${meta.cycles} cycles`;
        view.element.append(el("p", { className: "name", title: about }, el("b", {}, `${"AB"[k]}  ${meta.title}`), el("span", { className: "told" })));
        return;
      }
      view.element.append(el("p", { className: "name" }, `${meta.network}; seed ${meta.seed}; ${meta.ended} after ${meta.cycles} cycles`));
    });
  }
  function tell(page) {
    const t = page.player.t;
    const parts = page.runs.map(({ store }) => {
      const { meta } = store, i = Math.min(t, meta.until - 1) - meta.from, waiting = store.nowWaiting(), told = [waiting.token, waiting.lanes, waiting.blocked];
      const many = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
      const reasons = told.map((n, w) => n ? `${n} ${WAITS[w]}` : "").filter(Boolean).join(", ");
      const total = told[0] + told[1] + told[2], stuck = meta.deadlock && t >= meta.deadlock.cycle;
      return el(
        "span",
        {},
        `${many(store.underWay[i] ?? 0, "worm")} under way, ${many(store.crossing[i] ?? 0, "flit")} crossing; `,
        el("b", { className: total ? "bad" : "" }, total ? `${total} waiting: ${reasons}` : "none waiting"),
        stuck ? el("b", { className: "bad" }, "; DEADLOCK") : null
      );
    });
    if (parts.length === 1) byId("now").replaceChildren(...parts);
    else page.views.forEach((view, k) => view.element.querySelector(".told")?.replaceChildren(parts[k]));
    const shown = byId("cycle");
    if (document.activeElement !== shown) shown.value = String(t);
    byId("time").textContent = nanoseconds(t, page.runs[page.active].store.meta.clockNs);
    byId("play").textContent = page.player.playing ? "Pause" : "Play";
  }
  function wire(page, changed) {
    const { player, views } = page, search = new Search(page);
    const speed = byId("speed"), alone = byId("alone"), cycle = byId("cycle");
    for (const s of SPEEDS) speed.add(new Option(`${s} cycles/s`, String(s)));
    const setSpeed = (s) => {
      player.speed = s;
      speed.value = String(s);
    };
    setSpeed(5);
    speed.onchange = () => {
      setSpeed(Number(speed.value));
      speed.blur();
    };
    cycle.onchange = () => {
      const t = Number(cycle.value);
      if (Number.isFinite(t)) {
        player.pause();
        page.seek(t);
      }
      cycle.blur();
    };
    const setTheme = (dark) => {
      page.theme = dark ? DARK : LIGHT;
      document.documentElement.dataset.theme = dark ? "dark" : "light";
      byId("theme").textContent = dark ? "Light" : "Dark";
      for (const view of views) view.changed();
      page.timeline.stale();
    };
    setTheme(page.theme === DARK);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches));
    const actions = {
      search: () => search.focus(),
      theme: () => setTheme(page.theme !== DARK),
      help,
      speed: (by) => setSpeed(nextSpeed(player.speed, by)),
      alone: () => {
        page.alone = alone.checked = !page.alone;
        changed();
      }
    };
    alone.onchange = () => {
      page.alone = alone.checked;
      changed();
    };
    const buttons = {
      play: () => player.toggle(),
      step: () => player.step(1),
      back: () => player.step(-1),
      start: () => player.step(-Infinity),
      end: () => player.step(Infinity),
      in: () => views.forEach((v) => v.zoom(1.25)),
      out: () => views.forEach((v) => v.zoom(0.8)),
      fit: () => views.forEach((v) => v.fit()),
      theme: actions.theme,
      help,
      save: () => exportDialog(page)
    };
    for (const [id, act] of Object.entries(buttons)) byId(id).onclick = act;
    listen(page, actions);
  }
  async function start() {
    const runs = await read();
    let dirty = true, address = "", addressed = 0, drawn2 = 0, pulsing = false, toldOf = -1;
    const changed = () => {
      dirty = true;
    };
    const page = assemble(runs, changed), times = [];
    byId("band").append(page.timeline.canvas);
    byId("views").append(...page.views.map((v) => v.element));
    document.body.classList.toggle("two", runs.length > 1);
    names(page);
    byId("views").append(strip(page.runs.some((run) => run.store.meta.stations.length > 0)));
    wire(page, changed);
    writeJumps(page);
    const panel = new Panel(page);
    const begin = first(runs[0].store);
    page.seek(begin.t);
    page.select(begin.to);
    follow(page, location.hash);
    addEventListener("hashchange", () => {
      if (location.hash !== address) {
        page.player.pause();
        follow(page, location.hash);
      }
    });
    publish(page, times);
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const frame = (now2) => {
      requestAnimationFrame(frame);
      render(now2);
    };
    const render = (now2) => {
      const { player } = page;
      player.tick(now2);
      if (player.playing) {
        if (drawn2) {
          times.push(now2 - drawn2);
          if (times.length > 600) times.shift();
        }
      }
      if (!dirty && !player.playing && !(pulsing && !still.matches && now2 - drawn2 > 70)) {
        if (!player.playing && !pulsing) drawn2 = 0;
        return;
      }
      const redrawn = dirty;
      dirty = false;
      drawn2 = now2;
      for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
      const pulse = still.matches ? 1 : 0.5 + 0.5 * Math.sin(now2 / 220);
      pulsing = false;
      for (const view of page.views) pulsing = view.draw(page.theme, { phase: player.phase, moving: player.moving, flows: player.playing && player.moving, pulse, alone: page.alone }) || pulsing;
      if (!redrawn && !player.playing) return;
      if (player.playing) page.timeline.follow(player.t);
      page.timeline.draw(page.theme, player.time);
      if (redrawn || player.t !== toldOf) tell(page);
      toldOf = player.t;
      panel.update(now2, redrawn && !player.playing);
      const here = written(player.t, runs[page.active], page.active);
      if (here !== address && (!player.playing || now2 - addressed > 500)) {
        address = here;
        addressed = now2;
        try {
          history.replaceState(null, "", here);
        } catch {
        }
      }
    };
    page.timeline.resize();
    for (const view of page.views) {
      view.resize();
      view.onblank = () => render(performance.now());
    }
    render(performance.now());
    requestAnimationFrame(frame);
  }
  start().catch((error) => {
    byId("views").replaceChildren(el("p", { id: "wrong", textContent: `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}` }));
  });
})();
