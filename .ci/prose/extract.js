// Prose that does not stand in Markdown: of help texts and of comments. Each function yields a
// Markdown page with as many lines as its input, so that errors have the right line.

// A list of names behind a colon is no sentence.
const NAMES = /: (?:[^\s,;]+, ){4,}[^\s,;]+/g;
const escape = (text) => text.replace(/[\\`*_<>[\]#|~]/g, '\\$&');

// The texts of clap's help in the code blocks of a page: of commands, arguments, values and examples.
export const help = (page) => {
  let fence = false, examples = false, before = 0;
  const lines = page.split('\n').map((line) => {
    if (line.startsWith('```')) {
      [fence, examples, before] = [!fence, false, 0];
      return '';
    }
    if (!fence || line.trim() === '') return '';
    if (line === 'Examples:') examples = true;
    if (/^(Usage:|\s*[A-Z][a-z ]*:$)/.test(line)) return '';
    if (examples) return line.startsWith('  # ') ? `- ${escape(line.slice(4))}` : '';
    // The text stands behind the name of an option, or below it.
    const name = /^\s+(?:-[\w<,-]|<|\[|- [\w-]+:|[a-z-]+ {2})/.test(line);
    const text = (name ? line.trim().split(/ {2,}/).slice(1).join(' ') : line.trim()).replace(/\[(default|possible values):.*$/, '');
    return text.trim() === '' ? '' : `- ${escape(text.replace(NAMES, ': names'))}`;
  });
  return lines.join('\n');
};

// Strings and comments of a source. A string may have `//` in it.
const STRINGS = { rs: String.raw`r(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\.[^'\n]*|[^'\\\n])'`,
  ts: String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'` };
const COMMENTS = String.raw`\/\/[^\n]*|\/\*\*[^\n]*?\*\/`;

// The comments of a source in Rust (`rs`) or TypeScript (`ts`). A comment behind code, and one in
// `/** */`, is an item for itself. Lines of comments that follow each other are one text.
export const comments = (source, language) => {
  const lines = source.split('\n').map(() => '');
  let line = 0, last = 0;
  for (const { 0: text, index } of source.matchAll(new RegExp(`${STRINGS[language]}|${COMMENTS}`, 'g'))) {
    line += source.slice(last, index).split('\n').length - 1;
    last = index;
    const words = text.match(/^(?:\/\/[/!]?|\/\*\*) ?(.*?)(?:\*\/)?$/)?.[1];
    if (words === undefined) continue;
    const isAlone = /^\s*$/.test(source.slice(source.lastIndexOf('\n', index) + 1, index));
    lines[line] = isAlone && text.startsWith('//') ? words : `- ${words}`;
  }
  return lines.join('\n');
};
