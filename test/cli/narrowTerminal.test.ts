/** A conversation in a terminal that is narrower than a question. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { CliProcess, makePlace, noTerminal } from './cliProcess.js';

const cursorUp = /\x1b\[\d+A/;
const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);

async function open(t: TestContext): Promise<CliProcess> {
  const place = await makePlace();
  t.after(() => place.remove());
  const cli = new CliProcess(place, ['chat', '--agent', 'demo'], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true, columns: 20 });
  await cli.until('line', isAsked);
  return cli;
}

test('an answer to a question of two lines erases nothing above it', { skip: noTerminal() ?? false }, async (t) => {
  const cli = await open(t);
  cli.child.stdin.write('ask\r');
  await cli.until('question', (text) => text.includes('Enter to cancel'));
  cli.child.stdin.write('1');
  await cli.until('what is typed', (text) => /1(?:\x1b\[\d+G)?$/.test(text));
  const before = cli.stdout.length;
  cli.child.stdin.write('\r');
  await cli.until('line', (text) => isAsked(text.slice(before)));
  const after = cli.stdout.slice(before);
  assert.match(after, /You answered/);
  assert.doesNotMatch(after, cursorUp);
  cli.child.stdin.write('\x04');
  assert.equal((await cli.ended()).code, 0);
});

test('a long line typed during a turn erases nothing of the answer', { skip: noTerminal() ?? false }, async (t) => {
  const cli = await open(t);
  const typed = 'this line has more than twenty characters';
  cli.child.stdin.write(`list\r${typed}`);
  await cli.until('the line', (text) => text.includes(`> ${typed}`));
  const shown = cli.stdout.slice(cli.stdout.indexOf('is empty.'));
  assert.ok(shown.includes(typed));
  assert.doesNotMatch(shown, cursorUp);
  cli.child.stdin.write('\x15\x04');
  assert.equal((await cli.ended()).code, 0);
});
