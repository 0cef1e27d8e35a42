// Tests of the checker: run `node --test`.
import assert from 'node:assert/strict';
import test from 'node:test';
import { linter, lintComments, lintHelp } from './check.js';

const found = async (page) => (await linter.lintText(page, 'page.md')).messages.map((message) => message.message);
const sentence = (words) => `${Array(words).fill('word').join(' ')}.`;

test('a number can end a sentence', async () => {
  const half = `Word ${Array(14).fill('word').join(' ')}`;
  assert.deepEqual(await found(`${half} 2. ${half}.\n`), []);
  assert.deepEqual(await found(`${half} 2.5. ${half}.\n`), []);
  assert.equal((await found(`${half} 2.5 ${half} word.\n`)).length, 2);
});

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

const helpOf = (texts) => `# Help\n\n\`\`\`text\n${texts}\n\`\`\`\n`;
const foundInHelp = async (texts) => (await lintHelp(helpOf(texts))).messages.map(({ line, message }) => `${line}: ${message}`);

test('every text of a help is checked, with its line', async () => {
  const all = (words, text) => [
    `${sentence(words)}`,
    '',
    'Usage: wormscope hence',
    '',
    'Commands:',
    `  run          ${text}`,
    'Options:',
    `  -h, --help <FILE>  ${text} [default: hence]`,
    '',
    '      --long',
    `          ${text}`,
    '          - value: hence',
    '          - longer:  ' + text,
    '',
    'Examples:',
    `  # ${text}`,
    '  wormscope run hence',
  ].join('\n');
  assert.deepEqual(await foundInHelp(all(16, 'It moves')), []);
  const rows = [9, 11, 14, 16, 19];
  assert.deepEqual(await foundInHelp(all(16, 'Hence it moves')), rows.map((row) => `${row}: "hence": write so`));
  assert.match((await foundInHelp(all(31, 'It moves'))).join(), /^4: 31 words in a sentence, more than 30/);
});

test('help has a mean, and a list of names is one word of it', async () => {
  const texts = (words) => `  -a  ${sentence(words)}\n  -b  ${sentence(words)}`;
  assert.deepEqual(await foundInHelp(texts(16)), []);
  assert.match((await foundInHelp(texts(17))).join(), /2 sentences have 17.0 words on the mean/);
  const names = Array(40).fill('name').join(', ');
  assert.deepEqual(await foundInHelp(`  -a  Take a name: ${names}`), []);
});

const foundInComments = async (source, file = 'x.rs') =>
  (await lintComments(source, file)).messages.map(({ line, message }) => `${line}: ${message}`);

test('comments are checked, and code is not', async () => {
  const source = (text) => `//! It moves.\n\n/// ${text}\n/// \`hence\`\nfn hence() {} // ${text}\n\n/// It\n/// waits.\n`;
  assert.deepEqual(await foundInComments(source('It moves.')), []);
  assert.deepEqual(await foundInComments(source('Hence it moves.')), ['3: "hence": write so', '5: "hence": write so']);
  assert.match((await foundInComments(`\n// ${Array(25).fill('word').join(' ')}\n// ${sentence(1)}`)).join(), /^2: 26 words in a sentence/);
  assert.deepEqual(await foundInComments(`// ${sentence(25)}`), []);
});

test('comments behind code are texts of their own', async () => {
  assert.deepEqual(await foundInComments(`f(); // ${Array(20).fill('word').join(' ')}\ng(); // ${sentence(20)}\n`), []);
});

test('strings are no comments', async () => {
  assert.deepEqual(await foundInComments('f("// hence", r#"\n// "hence"\n"#, \'"\', "\\"// hence"); // It moves.\n'), []);
  assert.deepEqual(await foundInComments("fn f<'a>(x: &'a str) {} // Hence it moves.\n"), ['1: "hence": write so']);
  assert.deepEqual(await foundInComments('f("// hence", \'// hence\');\n', 'x.ts'), []);
});

test('comments of TypeScript are checked', async () => {
  const found = await foundInComments('/** Hence it moves. */\nf(); // Hence it waits.\n// Hence it ends.\n', 'x.ts');
  assert.deepEqual(found, ['1: "hence": write so', '2: "hence": write so', '3: "hence": write so']);
});

test('a comment begins with no clause in place of a name', async () => {
  assert.deepEqual(await foundInComments('// What it waits for.\n'), ['1: begins with "What": name the thing']);
  assert.deepEqual(await foundInComments('// Whatever it is, it waits.\n\n// What does it wait for?\n'), []);
});

test('the comments of the command line have the limit of help', async () => {
  assert.deepEqual(await foundInComments(`/// ${sentence(30)}`, 'src/cli/x.rs'), []);
  assert.equal((await foundInComments(`/// ${sentence(31)}`, 'src/cli/x.rs')).length, 1);
});

test('a quotation in double quotes is one word, and its words are not banned', async () => {
  const quotation = (words) => `"Hence ${sentence(words).slice(0, -1)}"`;
  assert.deepEqual(await found(`Short.\n\n| a |\n|---|\n| 1. ${quotation(40)} (alone) |\n`), []);
  assert.deepEqual(await found(`They say ${quotation(40)}. ${quotation(40)} is it.\n`), []);
  assert.equal((await found(`One " stays: ${sentence(31)}\n`)).length, 2);
  assert.deepEqual(await found('They say "so", and hence it is.\n'), ['"hence": write so']);
});
