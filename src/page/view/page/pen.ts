// Pen for pictures, on a canvas or in SVG. It has the part of CanvasRenderingContext2D that both
// share.

export type Pen = Pick<CanvasRenderingContext2D, "beginPath" | "closePath" | "moveTo" | "lineTo" | "arc" | "fill" | "stroke" | "fillRect" | "strokeRect"
  | "fillText" | "setLineDash" | "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha" | "font" | "textAlign" | "textBaseline" | "lineCap" | "lineJoin">;

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
const short = (value: number): string => String(Math.round(value * 100) / 100);

/** Draws into SVG. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  lineWidth = 1; globalAlpha = 1; font = "10px sans-serif";
  textAlign: CanvasTextAlign = "start"; textBaseline: CanvasTextBaseline = "alphabetic";
  lineCap: CanvasLineCap = "butt"; lineJoin: CanvasLineJoin = "miter";
  parts: string[] = [];
  private path = "";
  private dash: number[] = [];
  beginPath(): void { this.path = ""; }
  closePath(): void { this.path += "Z"; }
  moveTo(x: number, y: number): void { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x: number, y: number): void { this.path += `L${short(x)} ${short(y)}`; }
  /** Whole circles only. */
  arc(x: number, y: number, r: number): void {
    this.path += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0`;
  }
  fill(): void {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.opacity()}/>`);
  }
  stroke(): void {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="none"${this.line()}/>`);
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${this.fillStyle}"${this.opacity()}/>`);
  }
  strokeRect(x: number, y: number, w: number, h: number): void {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="none"${this.line()}/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = { start: "start", left: "start", center: "middle", right: "end", end: "end" }[this.textAlign];
    const [, weight, size] = /^(bold )?([\d.]+)px/.exec(this.font) ?? ["", "", "10"];
    const down = this.textBaseline === "middle" ? 0.35 * Number(size) : 0;
    this.parts.push(`<text x="${short(x)}" y="${short(y + down)}" font-size="${short(Number(size))}"${weight ? ' font-weight="bold"' : ""} ` +
      `text-anchor="${anchor}" fill="${this.fillStyle}"${this.opacity()}>${escape(text)}</text>`);
  }
  setLineDash(dash: Iterable<number>): void { this.dash = [...dash]; }
  take(): string {
    const parts = this.parts.join("\n");
    this.parts = [];
    return parts;
  }
  private opacity(): string { return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ""; }
  private line(): string {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(short).join(" ")}"` : "";
    return ` stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"${dash}${this.opacity()}`;
  }
}
export { escape as escapeXml };
