// Colours, told apart by the colour-blind (Okabe and Ito, Tol); vermilion is kept for what is blocked.

export interface Theme {
  ground: string; panel: string; box: string; boxLine: string; wire: string; ink: string; faint: string; line: string; cell: string;
  blocked: string; token: string; lanes: string; load: string; select: string; worms: string[]; onWorm: string;
}
export const LIGHT: Theme = {
  ground: "#ffffff", panel: "#f5f6fa", box: "#f1f3f8", boxLine: "#8b95aa", wire: "#c9cfdc", ink: "#1d2433", faint: "#5c657b", line: "#d8dde8",
  cell: "#dde2ec", blocked: "#d1350f", token: "#7a3fd0", lanes: "#a86a00", load: "#5b8bb8", select: "#111827", onWorm: "#ffffff",
  worms: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#999933", "#882255", "#44aa99", "#332288", "#b58b5a"],
};
export const DARK: Theme = {
  ground: "#12161f", panel: "#1a202c", box: "#202836", boxLine: "#5d6a82", wire: "#3a4456", ink: "#e8ecf4", faint: "#9aa6bd", line: "#313b4d",
  cell: "#2d3748", blocked: "#ff6a45", token: "#b794f6", lanes: "#f0b429", load: "#6f9fd0", select: "#ffffff", onWorm: "#0b0e14",
  worms: ["#4da3e0", "#e69f00", "#2fc495", "#e394bf", "#8fd0f7", "#c2c255", "#d0608f", "#6fd6c6", "#9a8cf0", "#d9b280"],
};
/** Colour of a state in waveforms: by number of state. */
export function stateColour(theme: Theme, state: number): string {
  return [theme.line, "#8aa0b8", "#56b4e9", theme.token, theme.lanes, "#2a9d6f", theme.blocked, "#aa4499"][state] ?? theme.faint;
}
/** Colour of a cause, by its number in src/account: waits in the colours of the states that they show as. */
export function causeColour(theme: Theme, cause: number): string {
  const queue = theme.faint, work = "#56b4e9", moves = stateColour(theme, 5);
  return [queue, work, work, work, theme.token, theme.lanes, "#8aa0b8", theme.blocked, "#cc79a7", "#e69f00", "#aa4499", moves, moves, "#882255", moves][cause] ?? theme.faint;
}
/** Marks of states beside their colours. */
export const STATE_MARK = ["", "H", "R", "T", "L", "", "B", "S"];
export const wormColour = (theme: Theme, worm: number): string => theme.worms[worm % theme.worms.length];
/** Every second round of colours has a stripe. */
export const striped = (theme: Theme, worm: number): boolean => Math.floor(worm / theme.worms.length) % 2 === 1;
