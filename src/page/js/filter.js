
// ---- filter: words, comparisons such as load<=0.2 or fifo_depth=4,8, and the options of `wormscope explore` ----

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

// The most similar name after Jaro and Winkler, if one is near, as `wormscope` suggests it.
function likeness(one, other) {
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1), taken = [], matches = [];
  for (let i = 0; i < one.length; i++) {
    for (let j = Math.max(0, i - reach); j <= Math.min(other.length - 1, i + reach); j++) {
      if (taken[j] || one[i] !== other[j]) continue;
      taken[j] = true;
      matches.push(one[i]);
      break;
    }
  }
  if (!matches.length) return 0;
  const ordered = [...other].filter((_, j) => taken[j]), swapped = matches.filter((c, i) => c !== ordered[i]).length / 2;
  const jaro = (matches.length / one.length + matches.length / other.length + (matches.length - swapped) / matches.length) / 3;
  let same = 0;
  while (same < 4 && same < one.length && one[same] === other[same]) same++;
  return jaro + same * 0.1 * (1 - jaro);
}
// The end of a message: the nearest name, if one is near, then all that is allowed.
function suggested(name, names, rest) {
  const best = names.map((other) => [likeness(name.toLowerCase(), other), other]).sort((a, b) => b[0] - a[0])[0];
  return name.length <= 64 && best?.[0] >= 0.75 ? `; did you mean "${best[1]}"? ${rest}` : `; ${rest}`;
}

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
  const known = `fields: ${few(axes.map((axis) => axis.name))}; metrics: those of the table`;
  throw new Error(`no column is called "${cut(name)}"${suggested(name, [...named.keys(), ...data.short.map(([short]) => short)], known)}`);
}
const bare = (text) => text.replace(/^"+|"+$/g, "").replace(/\s+/g, "");
// What a term asks of a point: `holds`. `column` and `bound` tell the command line the same.
function condition(term) {
  const found = /^([^<>=!"([]*)(<=|>=|!=|=|<|>)(.*)$/s.exec(term);
  if (!found) {
    if (/[<>=!]/.test(term) && !/["([]/.test(term)) throw new Error(`"${cut(term)}" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER`);
    const word = term.toLowerCase(), holds = (point) => [point.number, point.ended, ...point.axes].some((cell) => cell.toLowerCase().includes(word));
    if (points.some(holds)) return { holds };
    const outcomes = points.flatMap((point) => point.ended.split(/[, ]+/)).filter((text) => /[a-z]/.test(text));
    const rest = `write FIELD=VALUE,VALUE, FIELD<=NUMBER or a word such as ${outcomes[0]}`;
    throw new Error(`no point has "${cut(term)}"${suggested(term, [...new Set([...outcomes, ...named.keys()])], rest)}`);
  }
  const [, name, operator, right] = found;
  if (!name || !right) throw new Error(`"${cut(term)}" is no condition; write FIELD=VALUE,VALUE or FIELD<=NUMBER`);
  const column = columnOf(name);
  if (operator === "=" || operator === "!=") {
    const same = (point, value) => {
      const number = value.trim() === "" ? NaN : Number(value);
      return column.axis !== undefined && bare(point.axes[column.axis]) === bare(value) || sound(point, column) === number;
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
    return { column, holds: (point) => wanted.some((value) => same(point, value)) === (operator === "=") };
  }
  const bound = Number(right);
  if (right.trim() === "" || !Number.isFinite(bound)) throw new Error(`"${cut(right)}" is no number`);
  if (!isNumber(column)) throw new Error(`${column.name} is no number; write ${column.name}=VALUE,VALUE`);
  const compare = { "<": (v) => v < bound, "<=": (v) => v <= bound, ">": (v) => v > bound, ">=": (v) => v >= bound }[operator];
  const option = { "<=": "--at-most", ">=": "--at-least" }[operator];
  // A value that is not sound meets no bound.
  return { column, bound: option && `${option} ${column.name}=${bound}`, holds: (point) => { const value = sound(point, column); return value !== null && compare(value); } };
}
// A condition as an option of `wormscope explore` has it.
const OPTIONS = {
  "--where": (term) => {
    const found = condition(term);
    if (!found.column || found.column.axis === undefined || !/^[^<>!]*=/.test(term)) throw new Error(`--where takes FIELD=VALUE,VALUE, not "${cut(term)}"; fields: ${few(axes.map((axis) => axis.name))}`);
    return found;
  },
  "--at-most": (term) => bounded("--at-most", term, "<="),
  "--at-least": (term) => bounded("--at-least", term, ">="),
};
function bounded(option, term, operator) {
  if (!/^[^<>=!]+=[^<>=!]+$/.test(term)) throw new Error(`${option} takes METRIC=NUMBER, not "${cut(term)}"`);
  return condition(term.replace("=", operator));
}
function parse(text) {
  // Blanks around operators and commas separate nothing.
  const tight = text.trim().replace(/\s*(<=|>=|!=|[<>=,])\s*/g, "$1"), words = parts(tight, /\s/).filter(Boolean), found = [];
  while (words.length) {
    const word = words.shift();
    if (!word.startsWith("--")) { found.push(condition(word)); continue; }
    const [, name, joined] = /^(--[a-z-]*)=?(.*)$/s.exec(word), read = OPTIONS[name], value = joined || words.shift();
    if (!read) throw new Error(`unknown option "${cut(name)}"${suggested(name, Object.keys(OPTIONS), `allowed: ${Object.keys(OPTIONS).join(", ")}`)}`);
    if (!value) throw new Error(`${name} needs ${name === "--where" ? "FIELD=VALUES" : "METRIC=NUMBER"}`);
    found.push(read(value));
  }
  return found;
}
