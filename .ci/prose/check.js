// `make prose`: checks the pages of pages.txt with the rule of plain-words.js. markdownlint checks
// the lengths of lines (.markdownlint-cli2.jsonc).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TextlintKernelDescriptor } from '@textlint/kernel';
import { moduleInterop } from '@textlint/module-interop';
import markdown from '@textlint/textlint-plugin-markdown';
import { createLinter, loadLinterFormatter } from 'textlint';
import plainWords from './plain-words.js';

export const linter = createLinter({
  descriptor: new TextlintKernelDescriptor({
    rules: [{ ruleId: 'plain-words', rule: plainWords, options: { longest: 30, mean: 16 } }],
    filterRules: [],
    plugins: [{ pluginId: 'markdown', plugin: moduleInterop(markdown) }],
  }),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = readFileSync(new URL('pages.txt', import.meta.url), 'utf8').trim().split('\n');
  const results = await linter.lintFiles(pages);
  const formatter = await loadLinterFormatter({ formatterName: 'unix' });
  console.log(formatter.format(results) || `${results.length} pages read as plain words`);
  if (results.length !== pages.length) throw new Error(`${pages.length} pages, ${results.length} read`);
  process.exitCode = results.some((page) => page.messages.length > 0) ? 1 : 0;
}
