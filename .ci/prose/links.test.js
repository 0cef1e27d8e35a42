// Tests of the checker of links: run `node --test`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { broken } from './links.js';

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
