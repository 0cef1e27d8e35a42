// Tests of the checker: run `node --test`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { linter } from './check.js';

const found = async (page) => (await linter.lintText(page, 'page.md')).messages.map((message) => message.message);
const sentence = (words) => `${Array(words).fill('word').join(' ')}.`;

test('a sentence of 30 words passes, one of 31 does not', async () => {
  const short = Array(9).fill(sentence(3)).join(' ');
  assert.deepEqual(await found(`${sentence(30)} ${short}\n`), []);
  assert.match((await found(`${sentence(31)} ${short}\n`)).join(), /^31 words in a sentence, more than 30/);
});

test('a cell of a table is a sentence, and counts not for the mean', async () => {
  const table = (words) => `Short.\n\n| a | b |\n|---|---|\n| x | ${sentence(words)} |\n`;
  assert.deepEqual(await found(table(30)), []);
  assert.equal((await found(table(31))).length, 1);
});

test('a mean above 16 words is one error', async () => {
  assert.deepEqual(await found(`${sentence(16)}\n\n- ${sentence(16)}\n`), []);
  assert.deepEqual(await found(`${sentence(16)}\n\n- ${sentence(17)}\n`), [
    '2 sentences have 16.5 words on the mean, more than 16',
  ]);
});

test('code is one word, and its words are not banned', async () => {
  assert.deepEqual(await found(`${sentence(15).slice(0, -1)} \`hence a b c d\`.\n\n\`\`\`text\nhence\n\`\`\`\n`), []);
});

test('words of the glossary are found whole, whatever their case', async () => {
  assert.deepEqual(await found('Hence it moves.\n'), ['"hence": write so']);
  assert.deepEqual(await found('It moves, e.g. a flit. The other one waits.\n'), ['"e.g.": write for example']);
  assert.deepEqual(await found('The shell moves henceforth.\n'), []);
});
