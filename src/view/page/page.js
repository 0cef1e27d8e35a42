"use strict";
(() => {
  // geometry.ts
  var Geometry = class {
    constructor(meta) {
      this.meta = meta;
      this.grid = /* @__PURE__ */ new Map();
      this.wires = [...meta.outputs.map((o) => o.points), ...meta.injections.map((i) => i.points)];
      this.lengths = this.wires.map((points) => {
        const lengths = new Float64Array(points.length / 2);
        for (let i = 1; i < lengths.length; i++) {
          lengths[i] = lengths[i - 1] + Math.hypot(points[2 * i] - points[2 * i - 2], points[2 * i + 1] - points[2 * i - 1]);
        }
        return lengths;
      });
      this.stages = meta.inputs.length > 0 && meta.inputs.every((i) => !i.exists || Math.abs(i.inward[1]) < 0.01);
      const ends = meta.switches.map(() => []);
      meta.inputs.forEach((i) => {
        if (i.exists) ends[i.switch].push(i.at);
      });
      meta.outputs.forEach((o) => {
        if (o.points.length) ends[o.switch].push([o.points[0], o.points[1]]);
      });
      this.width = new Float64Array(meta.inputs.length);
      this.cell = new Float64Array(meta.inputs.length);
      meta.inputs.forEach((input, k) => {
        const box = meta.switches[input.switch].size, [dx, dy] = input.inward;
        let near = Infinity;
        for (const [x, y] of ends[input.switch]) {
          const across = Math.abs((x - input.at[0]) * dy - (y - input.at[1]) * dx), along = Math.abs((x - input.at[0]) * dx + (y - input.at[1]) * dy);
          if (across > 0.3 && along < 0.25 * Math.min(...box)) near = Math.min(near, across);
        }
        const least = Math.min(...box);
        this.width[k] = Math.min(0.86 * near, 0.16 * least, 10);
        const room = Math.abs(dx) > 0.9 ? (this.stages ? 0.36 : 0.33) * box[0] : Math.abs(dy) > 0.9 ? 0.33 * box[1] : 0.36 * Math.min(...box);
        this.cell[k] = Math.min(1.15 * this.width[k], room / input.depth);
      });
      this.namePlace = meta.switches.map((s, k) => this.name(s, k));
      this.bounds = this.bound();
      this.tile = Math.max(20, (this.bounds.right - this.bounds.left) / 200);
      this.wires.forEach((points, wire) => this.register(points, wire));
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
      return { x: s.at[0] + (left - right) / 2, y: s.at[1], size: Math.min(10, free / (0.62 * s.name.length), 0.4 * s.size[1]), align: "center" };
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
        reach(...n.send, n.radius);
        reach(...n.receive, n.radius);
      }
      for (const points of this.wires) for (let i = 0; i < points.length; i += 2) reach(points[i], points[i + 1], 0);
      return left <= right ? { left, top, right, bottom } : { left: 0, top: 0, right: 100, bottom: 100 };
    }
    register(points, wire) {
      for (let i = 2; i < points.length; i += 2) {
        const [x, y, u, v] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
        const steps = Math.max(1, Math.ceil(Math.hypot(u - x, v - y) / this.tile * 2));
        for (let s = 0; s <= steps; s++) {
          const key = `${Math.floor((x + (u - x) * s / steps) / this.tile)},${Math.floor((y + (v - y) * s / steps) / this.tile)}`;
          const list = this.grid.get(key);
          if (!list) this.grid.set(key, [wire]);
          else if (list[list.length - 1] !== wire) list.push(wire);
        }
      }
    }
    /** The place so far along a wire, 0 to 1, and its direction. */
    along(wire, part, to) {
      const points = this.wires[wire], lengths = this.lengths[wire], n = lengths.length;
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
      for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) for (const wire of this.grid.get(`${tx + i},${ty + j}`) ?? []) {
        const d = this.distance(wire, x, y);
        if (d < apart) [best, apart] = [wire, d];
      }
      if (best < 0) return null;
      return best < meta.outputs.length ? { kind: "link", output: best } : { kind: "injection", channel: best - meta.outputs.length };
    }
    distance(wire, x, y) {
      const points = this.wires[wire];
      let least = Infinity;
      for (let i = 2; i < points.length; i += 2) {
        const [px, py, dx, dy] = [points[i - 2], points[i - 1], points[i] - points[i - 2], points[i + 1] - points[i - 1]];
        const f = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / Math.max(dx * dx + dy * dy, 1e-9)));
        least = Math.min(least, Math.hypot(x - px - f * dx, y - py - f * dy));
      }
      return least;
    }
  };

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
  var wormColour = (theme, worm) => theme.worms[worm % theme.worms.length];
  var striped = (theme, worm) => Math.floor(worm / theme.worms.length) % 2 === 1;

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
    tick(now) {
      if (!this.playing) return;
      if (this.before) this.time += Math.min(now - this.before, 200) / 1e3 * this.speed;
      this.before = now;
      if (this.time >= this.until - 1) {
        this.time = this.until - 1;
        this.pause();
      }
    }
  };

  // format.ts
  var TOKEN = 3;
  var LANES = 4;
  var MOVE = 5;
  var BLOCKED = 6;
  var waits = (state) => state === TOKEN || state === LANES || state === BLOCKED;
  async function unpack(text) {
    const binary = atob(text.trim());
    const packed = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    return { meta, streams: bytes.subarray(4 + length) };
  }

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
      const key = bits.join();
      let found = this.numbers.get(key);
      if (found === void 0) this.numbers.set(key, found = this.list.push(bits) - 1);
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
      const { now, start: start2, cycle } = this;
      for (let track = 0; track < now.length; track++) {
        let e = now[track];
        if (e >= 0 && cycle[e] > t) {
          now[track] = this.find(track, t);
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
        now[track] = e < start2[track] ? -1 : e;
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
      const behind = (k) => meta.inputs[k ?? 0]?.depth ?? 0;
      this.inputs = inputTracks(reader, bytes.inputs, from, this.masks);
      this.outputs = channelTracks(reader, bytes.outputs, from, "output", (k) => behind(meta.outputs[k].input));
      this.injections = channelTracks(reader, bytes.injections, from, "injection", (k) => behind(meta.injections[k].input));
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
      const span = meta.until - from;
      [this.crossing, this.blocked, this.underWay] = [new Uint32Array(span + 1), new Uint32Array(span + 1), new Uint32Array(span + 1)];
      this.began = new Float64Array(meta.worms.length).fill(Infinity);
      this.ended = new Float64Array(meta.worms.length).fill(-Infinity);
      this.visitsOf = meta.worms.map(() => []);
      this.summarise();
    }
    static async read(text) {
      const { meta, streams } = await unpack(text);
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
        let visit = null, serves = -1, wait = null;
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
            if (wait && wait.worm === worm && wait.until === begin && wait.state === state) wait.until = end;
            else this.waitsList.push(wait = { worm, input: track, state, from: begin, until: end });
          } else wait = null;
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
      const e = this.outputs.now[output], input = this.meta.outputs[output].input;
      return e >= 0 ? this.outputs.credits[e] : input === null ? 0 : this.meta.inputs[input].depth;
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
          this.pan((pan - e.offsetX) / this.canvas.clientWidth * (this.until - this.from));
          pan = e.offsetX;
        }
      });
      this.canvas.addEventListener("pointerup", () => {
        down = false;
        pan = null;
      });
      this.canvas.addEventListener("wheel", (e) => {
        e.preventDefault();
        if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan((e.deltaX || e.deltaY) / this.canvas.clientWidth * (this.until - this.from));
        else this.zoom(Math.exp(e.deltaY * 16e-4), this.at(e.offsetX));
      }, { passive: false });
    }
    at(x) {
      return this.from + x / Math.max(1, this.canvas.clientWidth) * (this.until - this.from);
    }
    cycle(x) {
      return Math.max(this.first, Math.min(this.last - 1, Math.floor(this.at(x))));
    }
    zoom(factor, around) {
      const span = Math.max(10, Math.min(this.last - this.first, (this.until - this.from) * factor));
      this.from = around - (around - this.from) * span / (this.until - this.from);
      this.until = this.from + span;
      this.pan(0);
    }
    pan(by) {
      const span = this.until - this.from;
      this.from = Math.max(this.first, Math.min(this.last - span, this.from + by));
      this.until = this.from + span;
      this.stale();
    }
    /** Keeps a cycle in sight. */
    follow(t) {
      const span = this.until - this.from;
      if (t < this.from || t >= this.until) this.pan(t - this.from - 0.1 * span);
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
      const x = (time - this.from) / (this.until - this.from) * width, one = Math.max(1.5, width / (this.until - this.from));
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
      this.ruler(pen, theme, width, height);
      const rows = this.stores.length, top = 18, each = (height - top) / rows;
      this.stores.forEach((store, k) => this.row(pen, theme, store, width, top + k * each, each, rows > 1 ? `${"AB"[k]} ` : ""));
    }
    ruler(pen, theme, width, height) {
      const span = this.until - this.from, rough = span / Math.max(2, width / 90), ten = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
      const step = [1, 2, 5, 10].map((f) => f * ten).find((s) => s >= rough) ?? 10 * ten;
      pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
      pen.textAlign = "left";
      pen.textBaseline = "top";
      for (let t = Math.ceil(this.from / step) * step; t < this.until; t += step) {
        const x = (t - this.from) / span * width;
        pen.fillStyle = theme.line;
        pen.fillRect(x, 0, 1, height);
        pen.fillStyle = theme.faint;
        pen.fillText(t.toLocaleString("en").replace(/,/g, "\u202F"), x + 3, 3);
      }
    }
    row(pen, theme, store, width, top, height, name) {
      const { meta } = store, span = this.until - this.from, events = 13, plot = height - events - 4, base = top + plot * 0.62;
      const columns = Math.max(1, Math.floor(width));
      const peak = (values) => {
        let most2 = 1;
        for (const v of values) if (v > most2) most2 = v;
        return most2;
      };
      const most = peak(store.crossing), worst = peak(store.blocked), lively = peak(store.underWay);
      const at = (values, x, mean) => {
        const a = Math.max(0, Math.floor(this.from + x / columns * span) - meta.from);
        const b = Math.min(meta.until - meta.from, Math.max(a + 1, Math.floor(this.from + (x + 1) / columns * span) - meta.from));
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
        if (h > 0) pen.fillRect(x, base - h, 1, h);
      }
      pen.fillStyle = theme.blocked;
      for (let x = 0; x < columns; x++) {
        const h = at(store.blocked, x, false) / worst * (top + plot - base - 1);
        if (h > 0) pen.fillRect(x, base + 1, 1, Math.max(1, h));
      }
      pen.strokeStyle = theme.ink;
      pen.globalAlpha = 0.65;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let x = 0; x < columns; x++) {
        const y2 = base - at(store.underWay, x, false) / lively * (base - top - 2);
        if (x) pen.lineTo(x, y2);
        else pen.moveTo(x, y2);
      }
      pen.stroke();
      pen.globalAlpha = 1;
      pen.fillStyle = theme.line;
      pen.fillRect(0, base, width, 1);
      const mark = (t) => (t + 0.5 - this.from) / span * width;
      const y = top + height - events / 2 - 1;
      pen.fillStyle = theme.faint;
      let before = -9;
      for (const worm of meta.worms) {
        const x = mark(worm.created);
        if (worm.to.length < 2 || x - before < 1) continue;
        pen.fillRect(x - 0.5, y - 4, 1, 8);
        before = x;
      }
      for (const [t, text, colour] of this.events(store, theme)) {
        const x = mark(t);
        pen.fillStyle = colour;
        pen.fillRect(x - 0.75, top, 1.5, height - 2);
        pen.font = 'bold 10px "DejaVu Sans", Verdana, sans-serif';
        pen.textBaseline = "middle";
        pen.textAlign = x > width - 90 ? "right" : "left";
        pen.fillText(text, x + (x > width - 90 ? -4 : 4), y);
      }
      pen.font = '10px "DejaVu Sans", Verdana, sans-serif';
      pen.textAlign = "left";
      pen.textBaseline = "top";
      const label = (text, colour, x, at2) => {
        const size = pen.measureText(text).width;
        pen.globalAlpha = 0.8;
        pen.fillStyle = theme.panel;
        pen.fillRect(x - 2, at2 - 1, size + 4, 12);
        pen.globalAlpha = 1;
        pen.fillStyle = colour;
        pen.fillText(text, x, at2);
      };
      label(`${name}flits crossing, at most ${most}`, theme.load, 4, top + 1);
      label(`worms under way, at most ${lively}`, theme.ink, 190, top + 1);
      label(`lanes waiting, at most ${store.blocked.some((v) => v > 0) ? worst : 0}`, theme.blocked, 4, top + plot - 12);
    }
    events(store, theme) {
      const { meta } = store;
      const events = (meta.failures ?? []).slice(0, 40).map((f) => [f.cycle, "failure", theme.blocked]);
      if (meta.deadlock) events.push([meta.deadlock.cycle, "deadlock final", theme.blocked], [meta.deadlock.detected, "detected", theme.blocked]);
      return events.filter(([t]) => t >= this.from - 1 && t <= this.until);
    }
  };

  // reason.ts
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
    meta.outputs.forEach((o) => {
      if (!o.points.length) return;
      const s = meta.switches[o.switch], [x, y] = o.points;
      const size = Math.min(3.6, 0.06 * Math.min(...s.size));
      pen.font = `${size}px "DejaVu Sans", Verdana, sans-serif`;
      const [dx, dy] = [Math.abs(x - s.at[0]) / s.size[0], Math.abs(y - s.at[1]) / s.size[1]];
      const text = o.name.split(".").pop() ?? o.name;
      const in_x = 1.5 * size, in_y = 0.9 * size;
      pen.fillText(text, x - (dx >= dy ? Math.sign(x - s.at[0]) * in_x : 0), y - (dy > dx ? Math.sign(y - s.at[1]) * in_y : 0));
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

  // scene.ts
  var FONT = `"DejaVu Sans", Verdana, sans-serif`;
  var Scene = class {
    constructor() {
      /** For each colour: numbers of what is drawn in it. */
      this.lists = Array.from({ length: 10 }, () => []);
      this.cells = [];
      this.point = { x: 0, y: 0, dx: 0, dy: 0 };
      this.pulses = false;
    }
    draw(pen, run, theme, frame) {
      this.pulses = false;
      const { store, geometry } = run;
      const chosen = wormOf(run);
      if (chosen >= 0) this.halo(pen, store, geometry, theme, frame, chosen);
      const only = frame.alone && chosen >= 0 ? chosen : -1;
      this.heldWires(pen, store, geometry, theme, frame, only);
      this.fifos(pen, store, geometry, theme, frame, only);
      this.crossings(pen, store, geometry, theme, frame, only);
      this.inside(pen, store, geometry, theme, frame, chosen);
      this.nodes(pen, store, theme, frame, only);
      this.tokens(pen, store, geometry, theme, frame);
      this.chosenThing(pen, run, theme, frame);
      const deadlock = store.meta.deadlock;
      if (deadlock && store.t >= deadlock.cycle) this.circle(pen, store, geometry, theme, frame);
    }
    clear() {
      for (const list of this.lists) list.length = 0;
      return this.lists;
    }
    seen(frame, x, y, r) {
      const v = frame.view;
      return x + r >= v.left && x - r <= v.right && y + r >= v.top && y - r <= v.bottom;
    }
    /** The chosen worm's tree, wide and faint: what it holds, and where it has been. */
    halo(pen, store, geometry, theme, frame, worm) {
      const index = store.wormIndex.get(worm);
      pen.lineCap = "round";
      pen.lineJoin = "round";
      pen.strokeStyle = wormColour(theme, worm);
      if (index !== void 0) {
        pen.globalAlpha = 0.25;
        pen.lineWidth = Math.max(4, 3 / frame.scale);
        pen.beginPath();
        for (const visit of store.visitsOf[index]) {
          const feeder = store.feeder[visit.input];
          const wire = feeder >= 0 ? feeder : store.meta.outputs.length - 1 - feeder;
          if (visit.from <= store.t && wire < geometry.wires.length) trace(pen, geometry.wires[wire]);
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
    heldWires(pen, store, geometry, theme, frame, only) {
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
        const list = lists[colour];
        for (const faint of only >= 0 ? [true, false] : [false]) {
          let any = false;
          for (let i = 0; i < list.length; i += 2) {
            if (only >= 0 && list[i + 1] !== only !== faint) continue;
            if (!any) pen.beginPath();
            any = true;
            trace(pen, geometry.wires[list[i]]);
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
      for (let wire = 0; wire < geometry.wires.length; wire++) {
        const tracks = wire < outputs ? store.outputs : store.injections, track = wire < outputs ? wire : wire - outputs;
        const arrival = Math.max(1, store.arrival(wire < outputs ? wire : outputs - 1 - wire));
        for (let back = 0; back < arrival; back++) {
          const e = back ? tracks.find(track, t - back) : tracks.now[track];
          if (e < 0 || !tracks.valid[e]) continue;
          const list = lists[tracks.worm[e] % n];
          if (frame.moving) list.push(wire, tracks.worm[e], tracks.flit[e] + t - back - tracks.cycle[e], (back + frame.phase) / arrival);
          else list.push(wire, tracks.worm[e]);
        }
      }
      if (!frame.moving) {
        pen.lineWidth = Math.max(3.2, 2 / frame.scale);
        this.strokes(pen, lists, geometry, theme, only, 1);
        return;
      }
      const p = this.point, long = Math.max(9, 5 / frame.scale), wide = Math.max(5.5, 3.5 / frame.scale);
      lists.forEach((list, colour) => {
        pen.fillStyle = theme.worms[colour];
        for (let i = 0; i < list.length; i += 4) {
          geometry.along(list[i], list[i + 3], p);
          if (!this.seen(frame, p.x, p.y, long)) continue;
          pen.globalAlpha = only >= 0 && only !== list[i + 1] ? 0.15 : 1;
          bar(pen, p.x, p.y, round(p.dx), round(p.dy), -long / 2, long / 2, wide);
          const worm = store.worm(list[i + 1]);
          if (worm) this.marks(pen, theme, list[i + 1], list[i + 2], worm.header, worm.header + worm.payload, p.x, p.y, round(p.dx), round(p.dy), long, wide, frame.scale);
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
    fifos(pen, store, geometry, theme, frame, only) {
      const lists = this.clear(), { meta } = store, n = theme.worms.length, cells = this.cells, tracks = store.inputs;
      for (let k = 0; k < tracks.count; k++) {
        const e = tracks.now[k];
        if (e < 0 || !tracks.held[e]) continue;
        const at = meta.inputs[k].at;
        if (!this.seen(frame, at[0], at[1], 60)) continue;
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
      lists.forEach((list, colour) => {
        pen.fillStyle = theme.worms[colour];
        for (let i = 0; i < list.length; i += 5) {
          const k = list[i], input = meta.inputs[k], cell = geometry.cell[k], width = geometry.width[k];
          pen.globalAlpha = only >= 0 && only !== list[i + 3] ? 0.15 : 1;
          const apart = cell * frame.scale >= 4, b = input.depth - list[i + 1];
          bar(pen, input.at[0], input.at[1], input.inward[0], input.inward[1], (b - list[i + 2]) * cell, (apart ? b - 0.1 : b) * cell, width);
          if (!apart) continue;
          const worm = store.worm(list[i + 3]);
          if (worm) {
            const by = (b - 0.55) * cell, x = input.at[0] + input.inward[0] * by, y = input.at[1] + input.inward[1] * by;
            this.marks(pen, theme, list[i + 3], list[i + 4], worm.header, worm.header + worm.payload, x, y, input.inward[0], input.inward[1], 0.9 * cell, width, frame.scale);
            pen.fillStyle = theme.worms[colour];
          }
        }
      });
      pen.globalAlpha = 1;
    }
    /** Branches through the crossbars, and the marks of those that wait. */
    inside(pen, store, geometry, theme, frame, chosen) {
      const { meta } = store, tracks = store.inputs;
      for (let k = 0; k < tracks.count; k++) {
        const e = tracks.now[k];
        if (e < 0 || tracks.worm[e] < 0) continue;
        const input = meta.inputs[k], s = meta.switches[input.switch];
        if (!this.seen(frame, s.at[0], s.at[1], Math.max(...s.size))) continue;
        const state = tracks.state[e], [x, y] = geometry.front(k), worm = tracks.worm[e];
        const near = Math.min(...s.size) * frame.scale >= 34;
        if (near || worm === chosen) this.branches(pen, store, theme, frame, k, worm, state, x, y);
        if (state === TOKEN || state === LANES || state === BLOCKED) this.wait(pen, geometry, theme, frame, k, worm, state, x, y);
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
        this.arrow(pen, x, y, points[0], points[1], false);
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
        for (const o of lanes.slice(0, 2)) this.arrow(pen, x, y, meta.outputs[o].points[0], meta.outputs[o].points[1], true);
      }
    }
    arrow(pen, x, y, u, v, head) {
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
    /** A mark at the front of a FIFO whose worm waits: a shape for each reason. */
    wait(pen, geometry, theme, frame, k, worm, state, x, y) {
      const r = Math.min(Math.max(2.4, 2.6 / frame.scale), Math.max(2.4, geometry.width[k]));
      pen.setLineDash([]);
      pen.globalAlpha = 1;
      pen.fillStyle = state === TOKEN ? theme.token : state === LANES ? theme.lanes : theme.blocked;
      pen.beginPath();
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
      pen.fill();
      if (frame.scale < 2) return;
      pen.font = `bold 4px ${FONT}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(`w${worm} ${["", "", "", "token", "lane", "", "credit"][state]}`, x, y + r + 3);
    }
    nodes(pen, store, theme, frame, only) {
      const { meta } = store, c = store.consumptions;
      for (let k = 0; k < c.count; k++) {
        const e = c.now[k];
        if (e < 0 || !c.valid[e]) continue;
        const node = meta.nodes[meta.consumptions[k].node];
        if (!this.seen(frame, node.receive[0], node.receive[1], node.radius)) continue;
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
        if (!this.seen(frame, node.send[0], node.send[1], node.radius)) continue;
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
    /** Tokens, at their stations or walking. */
    tokens(pen, store, geometry, theme, frame) {
      const { meta } = store;
      if (!meta.stations.length) return;
      pen.lineWidth = Math.max(0.8, 0.6 / frame.scale);
      pen.strokeStyle = theme.token;
      meta.stations.forEach((station, k) => {
        const s = meta.switches[station.switch], x = s.at[0] + s.size[0] / 2 - 5, y = s.at[1] - s.size[1] / 2 + 5;
        const e = store.stations.now[k], here = e >= 0 && store.stations.here[e] === 1, holder = e >= 0 ? store.stations.holder[e] : -1;
        pen.globalAlpha = here || holder >= 0 ? 1 : 0.35;
        pen.beginPath();
        pen.moveTo(x + 3.2, y);
        pen.arc(x, y, 3.2, 0, 2 * Math.PI);
        pen.stroke();
        if (!here && holder < 0) return;
        pen.fillStyle = theme.token;
        const r = holder >= 0 ? 3.8 : 3 + frame.pulse;
        pen.beginPath();
        pen.moveTo(x + r, y);
        pen.arc(x, y, r, 0, 2 * Math.PI);
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
    chosenThing(pen, run, theme, frame) {
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
    /** The circle of a deadlock, in place: who waits for what. */
    circle(pen, store, geometry, theme, frame) {
      const { meta } = store;
      this.pulses = true;
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
          this.arrow(pen, x, y, meta.outputs[output].points[0], meta.outputs[output].points[1], true);
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
  };
  var round = (d) => Math.abs(d) < 1e-3 ? 0 : Math.abs(d) > 0.999 ? Math.sign(d) : d;
  function unit(dx, dy) {
    const length = Math.max(Math.hypot(dx, dy), 1e-9);
    return [dx / length, dy / length];
  }

  // view.ts
  var View = class {
    constructor(run) {
      this.run = run;
      this.element = document.createElement("div");
      this.below = document.createElement("canvas");
      this.above = document.createElement("canvas");
      this.scene = new Scene();
      this.scale = 1;
      this.x = 0;
      this.y = 0;
      this.fitted = true;
      this.stale = true;
      this.width = 0;
      this.height = 0;
      this.drag = null;
      this.onpick = () => {
      };
      this.onhover = () => {
      };
      this.onmove = () => {
      };
      this.element.className = "view";
      this.element.append(this.below, this.above);
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
    resize() {
      const ratio = devicePixelRatio || 1;
      this.width = this.element.clientWidth;
      this.height = this.element.clientHeight;
      for (const canvas of [this.below, this.above]) {
        canvas.width = Math.max(1, Math.round(this.width * ratio));
        canvas.height = Math.max(1, Math.round(this.height * ratio));
      }
      if (this.fitted) this.fit();
      else this.changed();
    }
    /** Shows the whole network. */
    fit() {
      const { left, top, right, bottom } = this.run.geometry.bounds, margin = 34;
      this.scale = Math.max(0.01, Math.min((this.width - 2 * margin) / (right - left), (this.height - 2 * margin - 20) / (bottom - top), 4));
      this.x = this.width / 2 - this.scale * (left + right) / 2;
      this.y = this.height / 2 + 10 - this.scale * (top + bottom) / 2;
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
      const [below, above] = [this.below.getContext("2d"), this.above.getContext("2d")];
      if (!below || !above) return false;
      if (this.stale) {
        below.setTransform(1, 0, 0, 1, 0, 0);
        below.fillStyle = theme.ground;
        below.fillRect(0, 0, this.below.width, this.below.height);
        below.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
        drawStill(below, this.run.geometry, theme, this.scale);
        this.stale = false;
      }
      above.setTransform(1, 0, 0, 1, 0, 0);
      above.clearRect(0, 0, this.above.width, this.above.height);
      above.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
      this.scene.draw(above, this.run, theme, { ...frame, scale: this.scale, view: this.box() });
      return this.scene.pulses;
    }
  };

  // main.ts
  var element = (id) => document.getElementById(id);
  async function start() {
    const blocks = ["data", "data2"].map((id) => document.getElementById(id)).filter((found) => found !== null);
    const runs = [];
    for (const block of blocks) {
      const store = await Store.read(block.textContent ?? "");
      block.textContent = "";
      runs.push({ store, geometry: new Geometry(store.meta), selection: null });
    }
    const player = new Player(Math.min(...runs.map((r) => r.store.meta.from)), Math.max(...runs.map((r) => r.store.meta.until)));
    const timeline = new Timeline(runs.map((r) => r.store));
    const views = runs.map((run) => new View(run));
    element("band").append(timeline.canvas);
    element("views").append(...views.map((v) => v.element));
    let theme = matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
    let dirty = true;
    const changed = () => {
      dirty = true;
    };
    player.onchange = changed;
    timeline.onchange = changed;
    timeline.onseek = (t) => player.seek(t);
    views.forEach((view) => {
      view.onmove = changed;
      view.onpick = (hit) => {
        view.run.selection = hit;
        changed();
      };
    });
    element("title").textContent = runs[0].store.meta.title;
    element("play").onclick = () => player.toggle();
    const speed = element("speed");
    for (const s of SPEEDS) speed.add(new Option(`${s} cycles/s`, String(s), s === 5, s === 5));
    speed.onchange = () => {
      player.speed = Number(speed.value);
    };
    const frame = (now) => {
      player.tick(now);
      if (dirty || player.playing) {
        dirty = false;
        for (const run of runs) run.store.seek(Math.min(player.t, run.store.meta.until - 1));
        for (const view of views) view.draw(theme, { phase: player.phase, moving: player.moving, pulse: 0.5 + 0.5 * Math.sin(now / 200), alone: false });
        timeline.draw(theme, player.time);
        element("play").textContent = player.playing ? "Pause" : "Play";
        element("cycle").value = String(player.t);
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
  void start();
  window.wormscope = {};
})();
