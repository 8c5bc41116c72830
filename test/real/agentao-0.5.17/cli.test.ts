import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { type MockModel, startMockModel } from '../../model/mockModel.js';
import { within } from '../deadline.js';
import { type Rooms, executableOf, makeRooms, minimalEnv, missing, providerEnv } from '../launch.js';

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const cliEvent = z.looseObject({ schemaVersion: z.literal(1), event: z.string() });

describe('agentao 0.5.17 on the command line', { skip: missing('0.5.17') }, () => {
  let rooms: Rooms;
  let model: MockModel;
  before(async () => {
    rooms = await makeRooms();
    model = await startMockModel();
  });
  after(async () => {
    await model.close();
    await rooms.remove();
  });

  function start(args: readonly string[], o: { readonly provider?: boolean } = {}): ChildProcessWithoutNullStreams {
    const command = `${executableOf('0.5.17')} --acp --stdio`;
    const env = { ...minimalEnv(rooms.home), ...(o.provider === false ? {} : providerEnv(model)) };
    return spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main, 'run', '--command', command, '--cwd', rooms.cwd, ...args], { env });
  }

  async function run(args: readonly string[], o: { readonly provider?: boolean } = {}): Promise<{ stdout: string; stderr: string; code: number | null }> {
    const child = start(args, o);
    child.stdin.end();
    const ended = once(child, 'close');
    const [stdout, stderr] = await within(Promise.all([readText(child.stdout), readText(child.stderr)]), 'end of the command');
    await ended;
    return { stdout, stderr, code: child.exitCode };
  }

  test('text: the answer on stdout, exit code 0', async () => {
    const { stdout, stderr, code } = await run(['SC:text']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Hello there\./);
  });

  test('text: a tool call is a line, and what needs permission is refused where nobody can be asked', async () => {
    const { stdout, stderr, code } = await run(['SC:shell']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /run_shell_command/);
    assert.match(stdout, /not approved/);
  });

  test('json: one event a line, with the updates of the agent unchanged', async () => {
    const { stdout, stderr, code } = await run(['--format', 'json', '--permission', 'allow', 'SC:shell']);
    assert.equal(code, 0, stderr);
    const events = stdout.trimEnd().split('\n').map((line) => cliEvent.parse(JSON.parse(line)));
    const names = events.map(({ event }) => event);
    for (const name of ['agent', 'session', 'update', 'permission', 'turn']) assert.ok(names.includes(name), `no event ${name} in ${names.join(' ')}`);
    assert.ok(stdout.includes('"sessionUpdate":"tool_call"'));
    assert.match(JSON.stringify(events.findLast(({ event }) => event === 'turn')), /"stopReason":"end_turn"/);
  });

  for (const [scenario, expected] of [['http-401', 1], ['length', 5]] as const) {
    test(`exit code ${expected} after ${scenario}`, async () => {
      const { stderr, code } = await run([`SC:${scenario}`]);
      assert.equal(code, expected, stderr);
    });
  }

  test('exit code 4 without a key', async () => {
    const { stderr, code } = await run(['SC:text'], { provider: false });
    assert.equal(code, 4, stderr);
  });

  test('SIGINT cancels the turn, waits for its end and exits with 130', async () => {
    const child = start(['SC:long']);
    child.stdin.end();
    child.stdout.resume();
    const ended = once(child, 'close');
    const gate = await within(model.held('long'), 'request to the model');
    child.kill('SIGINT');
    gate.release();
    await within(ended, 'end of the command');
    assert.equal(child.exitCode, 130);
  });
});
