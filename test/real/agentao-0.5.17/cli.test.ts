import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type EventLine, eventLine } from '../../../src/cli/output/eventSchema.js';
import { cliProgram } from '../../cli/programs.js';
import { type MockModel, startMockModel } from '../../model/mockModel.js';
import { within } from '../deadline.js';
import { type Rooms, executableOf, makeRooms, minimalEnv, missing, providerEnv } from '../launch.js';

const readLine = (line: string): EventLine => eventLine.parse(JSON.parse(line));

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
    return spawn(process.execPath, [cliProgram, 'run', '--command', command, '--cwd', rooms.cwd, ...args], { env });
  }

  async function run(
    args: readonly string[],
    o: { readonly provider?: boolean } = {},
  ): Promise<{ stdout: string; stderr: string; code: number | null }> {
    const child = start(args, o);
    child.stdin.end();
    const ended = once(child, 'close');
    const [stdout, stderr] = await within(Promise.all([readText(child.stdout), readText(child.stderr)]), 'end of the command');
    await ended;
    return { stdout, stderr, code: child.exitCode };
  }

  test('text: the answer is on stdout, and the exit code is 0', async () => {
    const { stdout, stderr, code } = await run(['SC:text']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Hello there\./);
  });

  test('text: a tool call is shown, and a permission request is rejected if nobody can be asked', async () => {
    const { stdout, stderr, code } = await run(['SC:shell']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /run_shell_command/);
    assert.match(stdout, /not approved/);
  });

  test('json: each line is one event, and the updates of the agent are unchanged', async () => {
    const { stdout, stderr, code } = await run(['--format', 'json', '--permission', 'allow', 'SC:shell']);
    assert.equal(code, 0, stderr);
    const events = stdout.trimEnd().split('\n').map(readLine);
    const names = new Set(events.map(({ event }) => event));
    assert.deepEqual([...names].sort(), ['agent', 'changes', 'permission', 'session', 'turn', 'update']);
    assert.ok(stdout.includes('"sessionUpdate":"tool_call"'));
    const end = events.findLast((event) => event.event === 'turn');
    assert.equal(end?.phase === 'end' && end.stopReason, 'end_turn');
  });

  test('json: a permission and a question are answered over stdin', async () => {
    for (const [scenario, answerTo] of [
      ['shell', (id: string) => ({ permission: id, optionId: 'allow_once' })],
      ['ask-single', (id: string) => ({ question: id, text: 'B' })],
    ] as const) {
      const child = start(['--format', 'json', '--permission', 'ask', `SC:${scenario}`]);
      const ended = once(child, 'close');
      const said: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => {
        const event = readLine(line);
        if (event.event === 'update' && event.update.sessionUpdate === 'agent_message_chunk')
          said.push(JSON.stringify(event.update['content']));
        if ((event.event === 'permission' || event.event === 'question') && event.phase === 'request')
          child.stdin.write(`${JSON.stringify(answerTo(event.id))}\n`);
      });
      await within(ended, 'end of the command');
      assert.equal(child.exitCode, 0);
      assert.match(said.join(''), scenario === 'shell' ? /Exit code: 3/ : /The tool said: B/);
    }
  });

  test('json: the end of stdin answers an open permission request with an option of the agent', async () => {
    const { stdout, code } = await run(['--format', 'json', '--permission', 'ask', 'SC:shell']);
    assert.equal(code, 0);
    const answer = stdout
      .trimEnd()
      .split('\n')
      .map(readLine)
      .find((event) => event.event === 'permission' && event.phase === 'answer');
    assert.deepEqual(answer !== undefined && 'outcome' in answer && [answer.outcome, answer.why], ['selected', 'not_interactive']);
  });

  test('--mode applies, and --continue resumes the conversation in a new process', async () => {
    const first = await run(['--mode', 'read-only', 'SC:write']);
    assert.equal(first.code, 0, first.stderr);
    await assert.rejects(access(path.join(rooms.cwd, 'out.txt')));
    const second = await run(['--continue', 'SC:text']);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stdout, /Hello there\./);
    assert.match(JSON.stringify(model.requests.at(-1)?.request.messages), /SC:write/);
  });

  for (const [scenario, expected] of [
    ['http-401', 1],
    ['length', 5],
  ] as const) {
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
