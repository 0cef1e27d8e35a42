// Prose that does not stand in Markdown: of help texts and of doc comments. Each function yields a
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

// The doc comments of Rust sources.
export const comments = (source) =>
  source.split('\n').map((line) => line.match(/^\s*\/\/[/!](?: (.*))?$/)?.[1] ?? '').join('\n');
