// `make prose`: holds the pages of pages.txt, the texts of `--help` and the comments of the folders
// of sources.txt to the rule of plain-words.js. Line lengths are markdownlint's
// (.markdownlint-cli2.jsonc).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TextlintKernelDescriptor } from '@textlint/kernel';
import { moduleInterop } from '@textlint/module-interop';
import markdown from '@textlint/textlint-plugin-markdown';
import { createLinter, loadLinterFormatter } from 'textlint';
import { comments, help } from './extract.js';
import plainWords from './plain-words.js';

const HELP = 'docs/reference/help.md';

const linterWith = (options) => createLinter({
  descriptor: new TextlintKernelDescriptor({
    rules: [{ ruleId: 'plain-words', rule: plainWords, options }],
    filterRules: [],
    plugins: [{ pluginId: 'markdown', plugin: moduleInterop(markdown) }],
  }),
});

export const linter = linterWith({ longest: 30, mean: 16 });
// A file has few comments, and a mean of few sentences says little.
const commentLinter = linterWith({ longest: 25, mean: Infinity, named: true });
// Comments of the command line are the texts of `--help`, which have the limit of pages.
const helpLinter = linterWith({ longest: 30, mean: Infinity, named: true });

/** The errors of the help texts in the code blocks of a page. */
export const lintHelp = async (page) => ({ ...await linter.lintText(help(page), 'help.md'), filePath: HELP });

/** The errors of the comments of a source in Rust or TypeScript. */
export const lintComments = async (source, file) => ({
  ...await (file.startsWith('src/cli/') ? helpLinter : commentLinter).lintText(
    comments(source, file.endsWith('.ts') ? 'ts' : 'rs'), 'comments.md'),
  filePath: file,
});

const read = (file) => readFileSync(file, 'utf8');
const lines = (name) => read(new URL(name, import.meta.url)).trim().split('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = lines('pages.txt');
  const sources = lines('sources.txt').flatMap((folder) => {
    const names = execFileSync('git', ['ls-files', '-z', `${folder}/*.rs`, `${folder}/*.ts`], { encoding: 'utf8' });
    const files = names.split('\0').slice(0, -1);
    if (files.length === 0) throw new Error(`${folder} has no source`);
    return files;
  });
  const results = [
    ...await linter.lintFiles(pages),
    await lintHelp(read(HELP)),
    ...await Promise.all(sources.map((file) => lintComments(read(file), file))),
  ];
  const formatter = await loadLinterFormatter({ formatterName: 'unix' });
  const done = `${pages.length} pages, the help and the comments of ${sources.length} sources read as plain words`;
  console.log(formatter.format(results) || done);
  if (results.length !== pages.length + 1 + sources.length) throw new Error('a page was not read');
  process.exitCode = results.some((page) => page.messages.length > 0) ? 1 : 0;
}
