/** A request that closes without an answer from here while a user is typing. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseArguments } from '../../src/cli/arguments/parseArguments.js';
import type { ChatCommands, ChatFrontEnd } from '../../src/cli/frontEnds/frontEnd.js';
import { terminalFrontEnd } from '../../src/cli/frontEnds/terminalChat.js';
import type { CloseReason, PermissionRequest, UserAnswer } from '../../src/core/index.js';

const request: PermissionRequest = {
  kind: 'permission',
  id: 'ask1',
  sessionId: 's1',
  at: 0,
  subject: { itemId: undefined, toolCallId: 'c1', title: 'Do it', toolKind: 'execute', rawInput: {}, content: [], locations: [] },
  options: [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
};

interface Chat {
  readonly frontEnd: ChatFrontEnd;
  readonly prompts: readonly string[];
  readonly answers: readonly UserAnswer[];
  type(text: string): Promise<void>;
  ask(): void;
  /** Waits while nothing is typed. */
  pause(): Promise<void>;
}

const terminal = (): PassThrough => Object.assign(new PassThrough(), { isTTY: true, columns: 80, setRawMode() {} });

/** Returns the other object with the type of the stream. */
function standingFor<T extends object>(stream: T, by: object): T {
  return new Proxy(stream, { get: (_, name) => Reflect.get(by, name), set: (_, name, value) => Reflect.set(by, name, value) });
}

function chatIn(t: TestContext): Chat {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = mkdtempSync(path.join(tmpdir(), 'acp-host-withdrawn-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const keyboard = terminal();
  const io = {
    stdin: standingFor(process.stdin, keyboard),
    stdout: standingFor(process.stdout, terminal().resume()),
    stderr: standingFor(process.stderr, terminal().resume()),
    env: { NO_COLOR: '1' },
    platform: 'linux',
  } as const;
  const chat = parseArguments(['chat', '--state', folder], 'linux');
  assert.ok(chat.type === 'chat');
  const agent = { id: 'a', label: 'A', command: 'a', args: [], env: {}, protocol: 'acp' };
  const frontEnd = terminalFrontEnd(chat, agent, folder, io);
  t.after(() => frontEnd.answerer.dispose());
  const prompts: string[] = [];
  const answers: UserAnswer[] = [];
  const commands: Partial<ChatCommands> = { agentCommands: () => [], prompt: (text) => void prompts.push(text) };
  frontEnd.listen(commands as ChatCommands);
  frontEnd.show({ type: 'running' });
  // Each part of the input takes a few turns of the event loop.
  const read = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  };
  return {
    frontEnd,
    prompts,
    answers,
    async type(text) {
      keyboard.write(text);
      await read();
    },
    ask: () => frontEnd.answerer.ask(request, (answer) => answers.push(answer) > 0),
    async pause() {
      t.mock.timers.tick(400);
      await read();
    },
  };
}

for (const why of ['withdrawn', 'deadline', 'answered'] satisfies readonly (CloseReason | 'answered')[]) {
  test(`${why}: Enter does not send the unfinished prompt behind the question`, async (t) => {
    const { frontEnd, prompts, answers, type, ask, pause } = chatIn(t);
    await type('delete all');
    ask();
    await pause();
    await type('3');
    frontEnd.answerer.closed(request.id, why);
    await type('\r');
    assert.deepEqual([prompts, answers], [[], []]);
    await pause();
    await type(' old logs\r');
    assert.deepEqual([prompts, answers], [['delete all old logs'], []]);
  });

  test(`${why}: an answer is not sent as a prompt`, async (t) => {
    const { frontEnd, prompts, type, ask, pause } = chatIn(t);
    ask();
    await pause();
    frontEnd.answerer.closed(request.id, why);
    await type('1\r');
    assert.deepEqual(prompts, []);
    await pause();
    await type('go\r');
    assert.deepEqual(prompts, ['go']);
  });
}

test('input after an answer counts at once', async (t) => {
  const { frontEnd, prompts, answers, type, ask, pause } = chatIn(t);
  ask();
  await pause();
  await type('3\r');
  assert.equal(answers.length, 1);
  frontEnd.answerer.closed(request.id);
  await type('next\r');
  assert.deepEqual(prompts, ['next']);
});
