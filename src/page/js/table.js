
// ---- table ----

const heads = [{ name: "point" }, ...axes.map((axis, i) => ({ ...axis, axis: i })), { name: "ended" }, ...metrics.map((metric, i) => ({ ...metric, metric: i }))];
const cell = (point, head) => head.name === "point" && head.axis === undefined ? (isPair ? point.place : Number(point.number)) : head.name === "ended" && head.axis === undefined ? point.ended
  : head.axis !== undefined && !head.numeric ? point.axes[head.axis] : sound(point, head);
function drawHead() {
  const row = element("tr");
  for (const head of heads) {
    const button = element("button", { type: "button", title: [label(head), head.path, head.doc].filter(Boolean).join(": ") }, head.name);
    button.addEventListener("click", () => {
      sorted = { column: head.name, down: sorted.column === head.name && !sorted.down };
      drawHead();
      drawTable();
      keepState();
    });
    const sort = sorted.column === head.name ? (sorted.down ? "descending" : "ascending") : null;
    if (sort) button.append(sorted.down ? " ▼" : " ▲");
    row.append(element("th", { class: isText(head) ? "text" : null, "aria-sort": sort, scope: "col" }, button));
  }
  byId("table").tHead.replaceChildren(row);
}
const isText = (head) => head.name === "ended" || head.axis !== undefined && !head.numeric;
// A value of a metric. A value that is not sound is struck out.
function valueCell(found) {
  const why = found ? flaw([found]) : -1, td = element("td", why < 0 ? {} : { class: "unsound", title: `not valid: ${flaws[why].name}` });
  const [middle, half] = told(found).split(" ± ");
  td.append(middle);
  if (half) td.append(element("span", { class: "noise" }, ` ± ${half}`));
  return td;
}
function chooses(row, point) {
  row.addEventListener("click", (event) => choose(point, event));
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(point, event); });
  row.addEventListener("pointerenter", () => hover(point));
  row.addEventListener("pointerleave", () => hover(null));
  return row;
}
function drawTable() {
  const head = heads.find((one) => one.name === sorted.column) ?? heads[0], sign = sorted.down ? -1 : 1;
  const compare = (a, b) => {
    const [one, other] = [cell(a, head), cell(b, head)];
    // A point without a sound value comes last either way.
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other);
  };
  const rows = [...shown].sort(compare).slice(0, limit).map((point) => {
    const row = element("tr", { "data-point": point.number, "aria-selected": point === chosen, tabindex: 0 });
    for (const one of heads) {
      if (one.metric !== undefined) { row.append(valueCell(point.values[one.metric])); continue; }
      const td = element("td", { class: isText(one) ? "text" : null });
      if (one.axis !== undefined) td.append(point.axes[one.axis]);
      else if (one.name === "point") td.append(point.number);
      else td.append(element("span", { class: point.canDeadlock ? "bad" : null }, point.canDeadlock ? `${point.ended} (can deadlock)` : point.ended));
      row.append(td);
    }
    return chooses(row, point);
  });
  byId("table").tBodies[0].replaceChildren(...rows);
  const more = byId("more");
  more.hidden = shown.length <= limit;
  more.textContent = `Show ${Math.min(1000, shown.length - limit)} more of ${shown.length}`;
}

// ---- the chosen point: its details stand beside the charts ----

function choose(point, event) {
  const box = event.currentTarget.getBoundingClientRect();
  const y = event.type === "click" && (event.clientX || event.clientY) ? event.clientY : box.y + box.height / 2;
  // In a narrow window the details are on the half that was not clicked.
  byId("side").classList.toggle("up", y >= innerHeight / 2);
  show(point);
}
function show(point) {
  chosen = point;
  const detail = byId("detail");
  detail.hidden = false;
  byId("hint").hidden = true;
  detail.scrollTop = 0;
  byId("tip").hidden = true;
  byId("chosen").textContent = `Point ${point.number}: ${axes.map((axis, i) => `${axis.name} ${point.axes[i]}`).join(", ")}`;
  byId("ended").textContent = point.ended + (point.canDeadlock ? " (can deadlock)" : "");
  byId("ended").className = point.canDeadlock ? "bad" : "";
  byId("command").textContent = point.command;
  byId("config").textContent = point.config ?? "Too many points for the page to hold every configuration; the command runs it.";
  const which = flaw(point.values.filter(Boolean));
  byId("not-sound").textContent = which < 0 ? "" : `Values that are struck out are not valid: ${flaws[which].name}.`;
  byId("values").replaceChildren(...metrics.map((metric, i) => element("tr", {}, element("td", { class: "text", title: metric.doc ?? "" }, label(metric)),
    point.values[i] ? valueCell(point.values[i]) : element("td", {}, "none"))));
  select();
}
// Marks the chosen point everywhere.
function select() {
  keepState();
  for (const row of document.querySelectorAll("#table tbody tr")) row.setAttribute("aria-selected", row.dataset.point === chosen?.number);
  rings();
}
function close() {
  const before = chosen;
  chosen = null;
  byId("detail").hidden = true;
  byId("hint").hidden = false;
  select();
  // The keyboard goes on where it was.
  if (before) document.querySelector(`#table [data-point="${CSS.escape(before.number)}"]`)?.focus({ preventScroll: true });
}
byId("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && chosen) close(); });
async function copy(button, source) {
  const selection = getSelection(), area = document.createRange(), name = button.textContent;
  area.selectNodeContents(source);
  selection.removeAllRanges();
  selection.addRange(area);
  // A page from a file may not reach the clipboard: then the text is at least selected.
  const copied = await (navigator.clipboard?.writeText(source.textContent) ?? Promise.reject()).then(() => true, () => document.execCommand("copy"));
  button.textContent = copied ? "Copied" : "Selected";
  setTimeout(() => { button.textContent = name; }, 1500);
}
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button, byId(button.dataset.copy)));
