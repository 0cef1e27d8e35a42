// Tests of the checker of links: run `node --test`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { readFileSync } from 'node:fs';
import { broken, folders, unlisted } from './links.js';

const found = (text) => {
  const pages = new Map([['docs/a.md', text], ['docs/b/c.md', '# A `code` heading, twice\n\n# A `code` heading, twice\n\n```\n# no heading\n```\n']]);
  return broken(pages, (target) => pages.has(target) || ['docs/b', 'docs/p.png'].includes(target));
};

test('links that lead somewhere pass', () => {
  assert.deepEqual(found('# Own\n\n[a](b/c.md#a-code-heading-twice-1) [b](#own) [c](b/) ![p](p.png) [w](https://x.org/#y)\n'), []);
  assert.deepEqual(found('`[a](gone.md)`\n\n```\n[a](gone.md)\n```\n'), []);
});

test('a link to no file, picture or anchor is found with its line', () => {
  assert.deepEqual(found('one\n\n[a](gone.md)\n'), ['docs/a.md:3: no file gone.md']);
  assert.deepEqual(found('![p](gone.png)\n'), ['docs/a.md:1: no file gone.png']);
  assert.deepEqual(found('<img src="gone.png">\n'), ['docs/a.md:1: no file gone.png']);
  assert.deepEqual(found('[a][r]\n\n[r]: b/c.md#no-heading\n'), ['docs/a.md:3: no anchor b/c.md#no-heading']);
  assert.deepEqual(found('[a](#gone)\n'), ['docs/a.md:1: no anchor #gone']);
});

test('an anchor of a file that is no page is found', () => {
  assert.deepEqual(found('[p](p.png#L1)\n'), ['docs/a.md:1: no anchor p.png#L1']);
  assert.deepEqual(found('[b](b/#x)\n'), ['docs/a.md:1: no anchor b/#x']);
});

test('a path from the root of the disk is no file', () => {
  assert.deepEqual(found('[c](/b/c.md)\n'), ['docs/a.md:1: no file /b/c.md']);
});

test('every page of docs is in the contents and in the book, with a title', () => {
  const of = (page, text) => unlisted(new Map([
    ['README.md', 'No title.\n'], ['docs/README.md', '[a](learn/a.md)\n'], ['docs/learn/a.md', '# A\n'], [page, text],
  ]), ['learn']);
  assert.deepEqual(of('docs/learn/a.md', '# A\n'), []);
  assert.deepEqual(of('docs/learn/a.md', '## A\n'), ['docs/learn/a.md: no heading, which is the title in the book']);
  assert.deepEqual(of('docs/learn/b.md', '# B\n'), ['docs/learn/b.md: not in the contents, docs/README.md']);
  assert.deepEqual(of('docs/c/c.md', '# C\n'), [
    'docs/c/c.md: not in the contents, docs/README.md', 'docs/c/c.md: in no folder of the book, PARTS of .ci/book/build.py',
  ]);
  assert.deepEqual(unlisted(new Map(), ['learn']), ['no file docs/README.md']);
});

test('the folders of the book are read from its program', () => {
  const build = readFileSync(new URL('../book/build.py', import.meta.url), 'utf8');
  assert.deepEqual(folders(build), ['learn', 'how-to', 'explain', 'reference']);
});
