/** The unchanged command line with an agent of a protocol that it does not know, which is loaded next to it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAgentHost, formatTrace } from '../../src/core/index.js';
import { typescriptProgram } from '../typescriptProgram.js';
import { CliProcess, type CliResult, eventsOf, makePlace, type Place, runCli } from '../cli/cliProcess.js';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { parrotAgent } from './addParrot.js';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const program = typescriptProgram(here('parrotMain.ts'));

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const cli = (args: readonly string[], stdin = ''): Promise<CliResult> => runCli(place, args, { stdin, program });
const input = (...commands: readonly unknown[]): string => commands.map((command) => `${JSON.stringify(command)}\n`).join('');

/** Describes each event of a run in one word. */
function courseOf(stdout: string): readonly string[] {
  return eventsOf(stdout).flatMap((line) => {
    switch (line.event) {
      case 'session':
        return [line.how];
      case 'turn':
        return [line.phase === 'start' ? 'turn' : `end ${line.stopReason}`];
      case 'update': {
        const { content } = line.update;
        return typeof content === 'object' && content !== null && 'text' in content
          ? [`${line.update.sessionUpdate}: ${String(content.text)}`]
          : [];
      }
      case 'permission':
        return [`permission ${line.phase}`];
      default:
        return [];
    }
  });
}

test('the list of agents has it', async () => {
  const { stdout } = await cli(['agents']);
  assert.match(stdout, /^[* ] parrot +\//m);
});

test('run: sends a prompt, prints the answer, and saves the session', async () => {
  const { code, stdout, stderr } = await cli(['run', '--agent', 'parrot', 'hello there']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /hello there/);
  const sessions = await cli(['sessions']);
  assert.match(sessions.stdout, /parrot .*hello there/);
  const shown = await cli(['show', sessions.stdout.split(' ')[0] ?? '']);
  assert.match(shown.stdout, /> hello there[\s\S]*hello there/);
  const again = await cli(['run', '--agent', 'parrot', '--continue', 'more']);
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /parrot|Parrot/);
  const recovered = await cli(['run', '--agent', 'parrot', '--continue', '--recover', 'context', 'more']);
  assert.equal(recovered.code, 0, recovered.stderr);
  assert.match(recovered.stdout, /> hello there[\s\S]*more/);
});

test('run --format json: a policy answers a yes-or-no question', async () => {
  const { code, stdout, stderr } = await cli(['run', '--agent', 'parrot', '--format', 'json', '--permission', 'allow', 'ask']);
  assert.equal(code, 0, stderr);
  const course = courseOf(stdout);
  assert.deepEqual(course.slice(0, 3), ['new', 'agent_message_chunk: Ahoy. ', 'turn']);
  assert.ok(
    course.includes('permission request') && course.some((word) => word.startsWith('agent_message_chunk: Squawk! ')),
    course.join('\n'),
  );
  assert.equal(course.at(-1), 'end end_turn');
});

test('run: if the agent crashes, the run ends with 6, and nothing is sent twice', async () => {
  const { code, stdout } = await cli(['run', '--agent', 'parrot', '--format', 'json', 'die']);
  assert.equal(code, 6);
  assert.deepEqual(
    courseOf(stdout).filter((word) => word === 'turn'),
    ['turn'],
  );
});

test('chat --format json: takes turns one by one', async () => {
  const { code, stdout, stderr } = await cli(
    ['chat', '--agent', 'parrot', '--format', 'json'],
    input({ prompt: 'one' }, { prompt: 'two' }),
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual(courseOf(stdout), [
    'new',
    'agent_message_chunk: Ahoy. ',
    'turn',
    'agent_message_chunk: one ',
    'end end_turn',
    'turn',
    'agent_message_chunk: two ',
    'end end_turn',
  ]);
});

test("chat --format json: shows the agent's queue, and steers the running turn if the agent supports it", async () => {
  const chat = new CliProcess(place, ['chat', '--agent', 'parrot', '--format', 'json'], {}, { program });
  const events = (): readonly EventLine[] => eventsOf(chat.stdout.slice(0, chat.stdout.lastIndexOf('\n') + 1));
  const until = (what: string, holds: (all: readonly EventLine[]) => boolean): Promise<void> => chat.until(what, () => holds(events()));
  const queue = (all: readonly EventLine[]): readonly { readonly id: string; readonly text: string }[] =>
    all.flatMap((line) => (line.event === 'queue' ? [line.prompts] : [])).at(-1) ?? [];
  const say = (command: unknown): void => void chat.child.stdin.write(input(command));
  say({ prompt: 'hang' });
  await until('turn', (all) => all.some((line) => line.event === 'turn'));
  say({ prompt: 'first', delivery: 'followUp' });
  say({ prompt: 'second', delivery: 'followUp' });
  await until('both queued', (all) => queue(all).length === 2);
  say({ unqueue: queue(events())[0]?.id });
  await until('one taken out', (all) => queue(all).length === 1);
  assert.equal(queue(events())[0]?.text, 'second');
  say({ prompt: 'now', delivery: 'steer' });
  say({ unqueue: 'nothing' });
  await until('refusals', (all) => all.filter((line) => line.event === 'error').length === 2);
  assert.deepEqual(
    // The agent's own refusal may come later.
    events()
      .flatMap((line) => (line.event === 'error' ? [line.code] : []))
      .toSorted(),
    ['unsupported', 'usage'],
  );
  say({ cancel: true });
  await until('the rest', (all) => all.some((line) => line.event === 'turn' && line.phase === 'end'));
  chat.child.stdin.end();
  const { code, stdout } = await chat.ended();
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /"text":"(?:first|now) /);
  assert.equal(courseOf(stdout).filter((word) => word === 'turn').length, 1);
});

test('doctor: finds no problems', async () => {
  const { code, stdout } = await cli(['doctor', '--agent', 'parrot']);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^✓ Parrot 1\.0 responded after/m);
});

test('replay: a trace of it replays as a parrot', async () => {
  const clientInfo = { name: 'test', title: 'Test', version: '0' };
  const host = createAgentHost({ agent: parrotAgent, cwd: place.workspace, clientInfo, terminalAuth: false });
  const session = await host.newSession();
  await session.prompt([{ type: 'text', text: 'one two' }]);
  await host.stop();
  const trace = path.join(place.workspace, 'parrot.trace.ndjson');
  await writeFile(trace, formatTrace({ protocol: 'parrot', host: '0', agent: { id: 'parrot', label: 'Parrot' } }, host.readTraffic()));
  host.dispose();
  const { code, stdout, stderr } = await cli(
    ['replay', trace],
    input({ do: 'hello' }, { do: 'open' }, { do: 'say', session: 'p1', text: 'one two' }),
  );
  assert.deepEqual([code, stderr], [0, '']);
  const words = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).is]));
  assert.deepEqual(words, ['hello', 'word', 'opened', 'word', 'word', 'done']);
});
