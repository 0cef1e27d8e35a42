// A rule of textlint. It checks the length of each sentence, the mean length on a page, and words
// that the glossary bans. With `named`, no paragraph may begin with a clause in place of a name. Code,
// pictures and front matter do not count. Table cells and headings are checked by themselves and do
// not count for the mean. A quotation in double quotes is one word.
import { readFileSync } from 'node:fs';
import { split, SentenceSplitterSyntax } from 'sentence-splitter';

const GLOSSARY = new URL('../../docs/reference/glossary.md', import.meta.url);
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’._/*=+-]*/gu;

/** The rows below "Words that we avoid": a banned word and its replacement. */
export function banned(page) {
  const section = page.split(/^## Words that we avoid$/m)[1];
  if (!section) throw new Error('docs/reference/glossary.md has no "Words that we avoid"');
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  if (rows.length === 0) throw new Error('docs/reference/glossary.md bans no word');
  return rows.map(([, avoid, write]) => ({
    avoid,
    write,
    // A name such as `e.g.` does not end in a letter, so no word boundary can follow it.
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])${avoid.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
  }));
}

/** The text with another word for each quotation in double quotes. */
function unquoted(text, other) {
  return text.replace(/"[^"]*"/g, other);
}

/** The text of a node for a reader. A piece of code counts as one word. */
function read(node) {
  if (node.type === 'Code') return 'Code';
  if (node.type === 'Image' || node.type === 'Html') return '';
  if (node.type === 'Break') return ' ';
  if (node.children) return node.children.map(read).join('');
  return node.value ?? '';
}

/** The words of each sentence. */
export function sentences(text) {
  // The splitter takes a number and a full stop for the begin of an item, not for the end of a sentence.
  const spaced = unquoted(text, 'Quotation').replace(/\s+/g, ' ').replace(/\b[\d.]*\d(?=\. \p{Lu})/gu, 'Number');
  const all = split(spaced);
  return all.filter((part) => part.type === SentenceSplitterSyntax.Sentence).map((part) => part.raw.match(WORD) ?? []);
}

export default function plainWords(context, { longest, mean, named }) {
  const { Syntax, RuleError, report, getSource } = context;
  const avoid = banned(readFileSync(GLOSSARY, 'utf8'));
  const lengths = [];
  const check = (node, counts) => {
    for (const words of sentences(read(node))) {
      if (words.length === 0) continue;
      if (counts) lengths.push(words.length);
      if (words.length > longest) {
        const begin = words.slice(0, 6).join(' ');
        report(node, new RuleError(`${words.length} words in a sentence, more than ${longest}: "${begin} ..."`));
      }
    }
  };
  return {
    [Syntax.Paragraph](node) {
      check(node, true);
      const clause = named && read(node).match(/^(?:What|Who|Whom|Whose)\b(?!.*\?$)/s);
      if (clause) report(node, new RuleError(`begins with "${clause[0]}": name the thing`));
    },
    [Syntax.Header]: (node) => check(node, false),
    TableCell: (node) => check(node, false),
    [Syntax.Str](node) {
      const text = unquoted(getSource(node), (quotation) => ' '.repeat(quotation.length));
      for (const { avoid: word, write, pattern } of avoid) {
        for (const found of text.matchAll(pattern)) {
          report(node, new RuleError(`"${word}": write ${write}`, { index: found.index }));
        }
      }
    },
    [Syntax.DocumentExit](node) {
      const words = lengths.reduce((sum, length) => sum + length, 0);
      if (words > mean * lengths.length) {
        const of = `${lengths.length} sentences have ${(words / lengths.length).toFixed(1)} words on the mean`;
        report(node, new RuleError(`${of}, more than ${mean}`));
      }
    },
  };
}
