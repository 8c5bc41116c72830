/** `acp-host replay`: a saved trace acts as an agent. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createAgentHost, formatTrace, selectOption } from '../../src/core/index.js';
import { eventsOf, makePlace, type Place, runCli } from './cliProcess.js';
import { cliProgram, demoAgentProgram } from './programs.js';

let place: Place;
let trace: string;

/** A turn of the demo agent with a permission, as exported by "Show Traffic". */
async function recordTurn(): Promise<string> {
  const host = createAgentHost({
    agent: { id: 'demo', label: 'Demo agent', command: process.execPath, args: [demoAgentProgram], env: {}, protocol: 'acp' },
    cwd: place.workspace,
    baseEnv: place.env,
    clientInfo: { name: 'test', title: 'Test', version: '0' },
    terminalAuth: false,
  });
  const session = await host.newSession();
  session.onEvent((event) => {
    if (event.type === 'request_opened' && event.request.kind === 'permission')
      session.answer(event.request.id, selectOption(event.request.options[0]?.optionId ?? ''));
  });
  await session.prompt([{ type: 'text', text: 'run echo from-the-recording' }]);
  await host.stop();
  const text = formatTrace({ host: '0', agent: { id: 'demo', label: 'Demo agent' } }, host.readTraffic());
  host.dispose();
  return text;
}

before(async () => {
  place = await makePlace({ 'README.md': 'hello\n' });
  trace = path.join(place.workspace, 'demo.trace.ndjson');
  await writeFile(trace, await recordTurn());
  const [header = '{}', ...lines] = (await readFile(trace, 'utf8')).split('\n');
  const elsewhere = { ...(JSON.parse(header) as object), protocol: 'elsewhere' };
  await writeFile(path.join(place.workspace, 'elsewhere.trace.ndjson'), [JSON.stringify(elsewhere), ...lines].join('\n'));
});
after(() => place.remove());

const replaying = (...more: readonly string[]): string =>
  [process.execPath, cliProgram, 'replay', ...more].map((word) => `"${word}"`).join(' ');

describe('acp-host replay', () => {
  it('it is the recorded agent for acp-host run, including a permission', async () => {
    const { code, stdout, stderr } = await runCli(place, [
      'run',
      '--format',
      'json',
      '--permission',
      'allow',
      '--command',
      replaying(trace),
      'run echo from-the-recording',
    ]);
    assert.equal(code, 0, stderr);
    const events = eventsOf(stdout);
    assert.ok(stdout.includes('from-the-recording'));
    assert.ok(events.some(({ event }) => event === 'permission'));
    assert.deepEqual(
      events.flatMap((event) => (event.event === 'turn' && event.phase === 'end' ? [event.stopReason] : [])),
      ['end_turn'],
    );
  });

  it('it reports where its client differs from the trace', async () => {
    const client = [
      { id: 1, method: 'initialize' },
      { id: 2, method: 'session/fork' },
    ]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join('');
    const { code, stdout, stderr } = await runCli(place, ['replay', trace], { stdin: client });
    assert.equal(code, 1);
    assert.match(stderr, /^acp-host replay: The client sent the request session\/fork, which the trace does not contain here$/m);
    assert.match(stderr, /^acp-host replay: The client left before the end of the trace, which continues with the request session\/new/m);
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object).at(-1)),
      ['result', 'error'],
    );
  });

  for (const [what, args, words] of [
    ['a file that is not there', ['nothing.ndjson'], /^acp-host: The trace can't be read: there is no such file \(.*nothing\.ndjson\)$/m],
    ['a file that is no trace', ['README.md'], /Line 1 is not JSON/],
    ['a protocol that it does not know', ['elsewhere.trace.ndjson'], /protocol elsewhere, which this acp-host does not know/],
    ['a process that is not in it', ['demo.trace.ndjson', '--process', '3'], /has no process 3; it contains 1/],
    ['no file at all', [], /takes one trace file/],
    ['a number that is none', ['demo.trace.ndjson', '--process', 'two'], /must be a number from 1/],
  ] as const) {
    it(`it refuses ${what}`, async () => {
      const { code, stderr } = await runCli(place, ['replay', ...args]);
      assert.equal(code, 2);
      assert.match(stderr, words);
    });
  }
});
