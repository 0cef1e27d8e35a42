
// ---- the state of the page in its address, so that it outlives a reload ----

const CHOICES = ["filter", "curve-y", "curve-x", "curve-log", "curve-unsound", "front-x", "front-x-better", "front-y", "front-y-better", "front-z", "front-z-better", "change-metric", "change-order"];
const stateOf = (id) => byId(id).type === "checkbox" ? (byId(id).checked ? "1" : "") : byId(id).value;
// Choices as the page begins. Only others are in its address.
let begun = null;
function keepState() {
  if (!begun) return;
  const state = new URLSearchParams();
  for (const id of CHOICES) if (stateOf(id) !== begun[id]) state.set(id, stateOf(id));
  if (sorted.column !== "point" || sorted.down) state.set("sort", `${sorted.down ? "-" : ""}${sorted.column}`);
  if (chosen) state.set("point", chosen.number);
  const hash = state.size ? `#${state}` : " ";
  // A page from a file may not change its address without an entry in the history.
  try { history.replaceState(null, "", hash === " " ? location.pathname + location.search : hash); } catch { location.hash = hash.trim(); }
}
function restoreState() {
  begun = Object.fromEntries(CHOICES.map((id) => [id, stateOf(id)]));
  const state = new URLSearchParams(location.hash.slice(1));
  for (const id of CHOICES) {
    const value = state.get(id), place = byId(id);
    if (value === null) continue;
    if (place.type === "checkbox") place.checked = value === "1"; else place.value = value;
    // An option that this page lacks.
    if (place.value === "" && value !== "") place.value = begun[id];
  }
  // Whether a front has a third metric, and whether its directions are shown, follows from its metrics.
  for (const axis of ["x", "y", "z"]) byId(`front-${axis}-better`).hidden = !byId(`front-${axis}`).value;
  const sort = state.get("sort");
  if (sort) sorted = { column: sort.replace(/^-/, ""), down: sort.startsWith("-") };
  return points.find((point) => point.number === state.get("point")) ?? null;
}
// A page of a sweep that runs loads itself again. What is typed or dragged comes first.
function follow() {
  if (data.reload === null) return;
  let busy = Date.now(), pressed = false;
  for (const kind of ["input", "change", "keydown", "wheel", "scroll"]) addEventListener(kind, () => { busy = Date.now(); }, { capture: true, passive: true });
  addEventListener("pointerdown", () => { pressed = true; }, true);
  addEventListener("pointerup", () => { pressed = false; busy = Date.now(); }, true);
  setInterval(() => {
    if (pressed || Date.now() - busy < 1000 * data.reload) return;
    keepState();
    try { sessionStorage.setItem("scroll", String(scrollY)); } catch { /* The page begins at its top. */ }
    location.reload();
  }, 500);
}
function restoreScroll() {
  try {
    const before = sessionStorage.getItem("scroll");
    sessionStorage.removeItem("scroll");
    if (before !== null) scrollTo(0, Number(before));
  } catch { /* The page begins at its top. */ }
}
