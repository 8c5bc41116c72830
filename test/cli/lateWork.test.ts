/** What an agent does after its turn, in a terminal and for a program. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CliProcess, eventsOf, makePlace, noTerminal, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({});
});
afterEach(() => place.remove());

const agent = testAgent('goesOnAfterItsTurn');
const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);

test('a terminal says what still works and what is said after the turn, asks before it ends that, and stops it', {
  skip: noTerminal() ?? false,
}, async () => {
  const cli = new CliProcess(place, ['chat', ...agent], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });
  await cli.until('line', isAsked);
  cli.child.stdin.write('child\r');
  await cli.until('note', (text) => text.includes('Sub-agent · Explore still works. Press Ctrl+C to stop it.') && isAsked(text));
  cli.child.stdin.write('/set step speak\r');
  await cli.until('heading', (text) => /After the turn:\s+One more thing\./.test(text) && isAsked(text));
  cli.child.stdin.write('/exit\r');
  await cli.until('question', (text) => text.includes('Sub-agent · Explore still works, and ends with this chat.') && isAsked(text));
  cli.child.stdin.write('\x03');
  await cli.until('end', (text) => /Explore │ stopped/.test(text));
  cli.child.stdin.write('/exit\r');
  const { code, stdout } = await cli.ended();
  assert.equal(code, 0, stdout);
});

test('Ctrl+D in a terminal, and a run, say what ends with them', { skip: noTerminal() ?? false }, async () => {
  const cli = new CliProcess(place, ['chat', ...agent], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });
  await cli.until('line', isAsked);
  cli.child.stdin.write('child\r');
  await cli.until('note', (text) => text.includes('Press Ctrl+C to stop it.') && isAsked(text));
  cli.child.stdin.write('\x04');
  const { code, stdout } = await cli.ended();
  assert.deepEqual([code, /Explore still works, and ends with this chat\./.test(stdout)], [0, true], stdout);
  const run = await runHere(place, ['run', ...agent, 'child']);
  assert.deepEqual([run.code, /Explore still works, and ends with this run/.test(run.stderr)], [0, true], run.stderr);
});

test('a program gets what still works, and which updates belong to no turn', async () => {
  const cli = new CliProcess(place, ['chat', '--format', 'json', ...agent]);
  const write = (line: object): void => void cli.child.stdin.write(`${JSON.stringify(line)}\n`);
  write({ prompt: 'child' });
  await cli.until('late work', (text) => text.includes('"event":"late"'));
  write({ option: 'step', value: 'speak' });
  await cli.until('message', (text) => text.includes('One more thing.'));
  write({ stopSubagent: 'child' });
  await cli.until('end of it', (text) => text.includes('"running":[]'));
  cli.child.stdin.end();
  const { code, stdout } = await cli.ended();
  assert.equal(code, 0, stdout);
  const events = eventsOf(stdout);
  assert.deepEqual(
    events.flatMap((event) => (event.event === 'late' ? [event.running] : [])),
    [[{ kind: 'subagent', id: 'child', title: 'Explore', canStop: true }], []],
  );
  const late = events.flatMap((event) => (event.event === 'update' && event.late === true ? [event.update.sessionUpdate] : []));
  assert.deepEqual([...new Set(late)], ['agent_message_chunk', 'subagent_update']);
  const inTurn = events.flatMap((event) => (event.event === 'update' && event.late !== true ? [event.update.sessionUpdate] : []));
  assert.ok(inTurn.includes('subagent_update'));
});
