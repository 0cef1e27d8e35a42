// `make prose`: follows the links of all Markdown pages of the repository. The file must exist and
// be in git, and the page must have the anchor, as GitHub makes it from the heading. Every page of
// docs/ must have its place in the contents and in the book of `make book`, which CI does not build.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@textlint/markdown-to-ast';
import GithubSlugger from 'github-slugger';

const nodes = (node) => [node, ...(node.children ?? []).flatMap(nodes)];
const words = (node) => node.value ?? (node.children ?? []).map(words).join('');

// The anchors of a page, and its links with their lines.
export const read = (text) => {
  const slugger = new GithubSlugger();
  const all = nodes(parse(text));
  const html = all.filter((node) => node.type === 'Html' || node.type === 'HtmlBlock');
  const marked = (pattern) => html.flatMap((node) =>
    [...node.value.matchAll(pattern)].map((match) => ({ value: match[1], line: node.loc.start.line })));
  return {
    hasTitle: all.some((node) => node.type === 'Header' && node.depth === 1),
    anchors: new Set([
      ...all.filter((node) => node.type === 'Header').map((node) => slugger.slug(words(node))),
      ...marked(/\b(?:id|name)="([^"]+)"/g).map((anchor) => anchor.value),
    ]),
    links: [
      ...all.filter((node) => node.url !== undefined).map((node) => ({ value: node.url, line: node.loc.start.line })),
      ...marked(/\b(?:href|src)="([^"]+)"/g),
    ],
  };
};

// Broken links. `pages` maps the path of a page to its text, and `exists` knows files and folders.
export const broken = (pages, exists) => {
  const known = new Map([...pages].map(([page, text]) => [page, read(text)]));
  return [...known].flatMap(([page, { links }]) => links.flatMap(({ value, line }) => {
    if (/^[a-z][a-z+.-]*:/i.test(value)) return [];
    const [file, anchor] = decodeURI(value).split('#');
    const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file).replace(/\/$/, '');
    if (file.startsWith('/') || !exists(target)) return [`${page}:${line}: no file ${value}`];
    // A file that is no page has no anchors in the book.
    const missing = anchor !== undefined && !known.get(target)?.anchors.has(anchor);
    return missing ? [`${page}:${line}: no anchor ${value}`] : [];
  }));
};

// Pages of docs/ without a place in the contents, in a folder of the book or without a title.
// `folders` are those of the book.
export const unlisted = (pages, folders) => {
  const contents = pages.get('docs/README.md');
  if (contents === undefined) return ['no file docs/README.md'];
  const listed = new Set(read(contents).links.map(({ value }) => path.posix.join('docs', value)));
  return [...pages].filter(([page]) => page.startsWith('docs/') && page !== 'docs/README.md').flatMap(([page, text]) => [
    ...listed.has(page) ? [] : [`${page}: not in the contents, docs/README.md`],
    ...folders.includes(page.split('/')[1]) ? [] : [`${page}: in no folder of the book, PARTS of .ci/book/build.py`],
    ...read(text).hasTitle ? [] : [`${page}: no heading, which is the title in the book`],
  ]);
};

// The folders of the book, from the list in .ci/book/build.py.
export const folders = (build) => [...(build.match(/^PARTS = .*$/m)?.[0] ?? '').matchAll(/\("([\w-]+)"/g)].map((match) => match[1]);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').slice(0, -1);
  const paths = new Set(['.']);
  for (let file of files) for (; file !== '.'; file = path.posix.dirname(file)) paths.add(file);
  const names = files.filter((file) => file.endsWith('.md'));
  const pages = new Map(names.map((name) => [name, readFileSync(name, 'utf8')]));
  const found = [
    ...broken(pages, (target) => paths.has(target)),
    ...unlisted(pages, folders(readFileSync('.ci/book/build.py', 'utf8'))),
  ];
  console.log(found.join('\n') || `the links of ${pages.size} pages lead somewhere, and the book has all pages of docs/`);
  process.exitCode = found.length > 0 || pages.size === 0 ? 1 : 0;
}
