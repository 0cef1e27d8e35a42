// Colours that the colour-blind can tell apart (Okabe and Ito, Tol). Red is for lanes without
// credit alone.

export interface Theme {
  ground: string; panel: string; box: string; boxLine: string; wire: string; ink: string; faint: string; line: string; cell: string;
  blocked: string; token: string; lanes: string; header: string; route: string; move: string; heads: string; load: string; select: string; worms: string[]; onWorm: string;
  /** Colours of heat, from nothing to the most. */
  heat: string[];
}
export const LIGHT: Theme = {
  ground: "#ffffff", panel: "#f5f6fa", box: "#f1f3f8", boxLine: "#8b95aa", wire: "#c9cfdc", ink: "#1d2433", faint: "#5c657b", line: "#d8dde8",
  cell: "#dde2ec", blocked: "#990011", token: "#7733cc", lanes: "#bb8800", header: "#99aabb", route: "#22aaee", move: "#339966", heads: "#883388", load: "#5b8bb8", select: "#111827", onWorm: "#ffffff",
  heat: ["#dde2ec", "#f2c879", "#e8833a", "#b3261e", "#3d0d3a"],
  worms: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#999933", "#882255", "#44aa99", "#332288", "#b58b5a"],
};
export const DARK: Theme = {
  ground: "#12161f", panel: "#1a202c", box: "#202836", boxLine: "#5d6a82", wire: "#3a4456", ink: "#e8ecf4", faint: "#9aa6bd", line: "#313b4d",
  cell: "#2d3748", blocked: "#ee5533", token: "#bb99ff", lanes: "#ffbb22", header: "#6699aa", route: "#bbeeff", move: "#55cc99", heads: "#7744aa", load: "#6f9fd0", select: "#ffffff", onWorm: "#0b0e14",
  heat: ["#2d3748", "#7b2d5e", "#d0503f", "#f0a03c", "#fff3b0"],
  worms: ["#4da3e0", "#e69f00", "#2fc495", "#e394bf", "#8fd0f7", "#c2c255", "#d0608f", "#6fd6c6", "#9a8cf0", "#d9b280"],
};
/** Colour of a state in waveforms, by the number of the state. They are 25 apart in Lab, also for readers who see no red or no green. */
export function stateColour(theme: Theme, state: number): string {
  return [theme.line, theme.header, theme.route, theme.token, theme.lanes, theme.move, theme.blocked, theme.heads][state] ?? theme.faint;
}
/** Colour of a cause, by its number in src/observe/account. A wait has the colour of the state in which it shows. */
export function causeColour(theme: Theme, cause: number): string {
  const queue = theme.faint, work = "#56b4e9", moves = stateColour(theme, 5);
  return [queue, work, work, work, theme.token, theme.lanes, "#8aa0b8", theme.blocked, "#cc79a7", "#e69f00", "#aa4499", moves, moves, "#882255", "#994f00", moves][cause] ?? theme.faint;
}
/** Marks of states beside their colours. */
export const STATE_MARK = ["", "H", "R", "T", "L", "", "B", "S"];
export const wormColour = (theme: Theme, worm: number): string => theme.worms[worm % theme.worms.length];
/** The stripe along a worm's flits, which tells worms of one colour apart. It is none, light or dark, then one in each other colour, then two. */
export function stripe(theme: Theme, worm: number): { colour: string; two: boolean } | null {
  const n = theme.worms.length, round = Math.floor(worm / n) % (2 * (n + 2)), of = round % (n + 2);
  if (!round) return null;
  return { colour: of < 2 ? theme.onWorm : of === 2 ? theme.select : theme.worms[(worm + of - 2) % n], two: round >= n + 2 };
}
/** Draws a worm's look into a chip. */
export function dress(chip: HTMLElement, theme: Theme, worm: number): void {
  const fill = wormColour(theme, worm), of = stripe(theme, worm);
  chip.style.background = !of ? fill : of.two ? `linear-gradient(${fill} 20%, ${of.colour} 20% 40%, ${fill} 40% 60%, ${of.colour} 60% 80%, ${fill} 80%)` : `linear-gradient(${fill} 36%, ${of.colour} 36% 64%, ${fill} 64%)`;
}
