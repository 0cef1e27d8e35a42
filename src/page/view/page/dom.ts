// Elements that hold text, never HTML, because names come from files.

export const byId = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found as T;
};

type Child = Node | string | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Partial<HTMLElementTagNameMap[K]> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), props);
  for (const child of children) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

export function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

export function table(heads: string[], rows: Child[][], numbers: number[] = []): HTMLTableElement {
  const cell = (tag: "td" | "th") => (child: Child, i: number): HTMLElement => el(tag, { className: numbers.includes(i) ? "number" : "" }, child);
  return el("table", {}, heads.length > 0 && el("thead", {}, el("tr", {}, ...heads.map(cell("th")))), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell("td"))))));
}

/** Copies a text, by a selection where the clipboard is out of reach. */
export function copy(text: string, shown: HTMLElement): void {
  const select = (): void => {
    const range = document.createRange();
    range.selectNodeContents(shown);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    document.execCommand("copy");
  };
  select();
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
}

export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
