/** The real Pi behind `acp-host serve`: for this program's own host, and for an editor based on the SDK. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CreateElicitationRequest, ElicitationSchema, SessionUpdate } from '@agentclientprotocol/sdk';
import type { ProcessDefinition, Session, SessionState, TranscriptItem } from '../../src/core/index.js';
import { describeCommands } from '../../src/text/commandText.js';
import { cliProgram } from '../cli/programs.js';
import { files, said, shellOutput } from '../realAgents/model/script.js';
import { connectSdkClient, type SdkClient, type SdkClientOptions, wordsOf } from '../serve/sdkClient.js';
import { everything } from '../serve/wired.js';
import { nextRequest, until, within } from './deadline.js';
import { launchPi, missingPi, type Pi, piVersions } from './pi.js';
import { descendants } from './processes.js';

const gate = fileURLToPath(new URL('../../media/pi/askFirst.js', import.meta.url));
const dialogs = fileURLToPath(new URL('./piDialogs.mjs', import.meta.url));

const argumentsOf = ({ agent }: Pi): readonly string[] => {
  const command = [agent.command, ...agent.args].map((word) => `"${word}"`).join(' ');
  return [cliProgram, 'serve', '--protocol', agent.protocol, '--command', command];
};

/** Pi as an ACP agent. */
const served = (pi: Pi): ProcessDefinition => ({
  id: 'served',
  label: 'Pi',
  protocol: 'acp',
  command: process.execPath,
  args: argumentsOf(pi),
  env: {},
});

const connect = (t: TestContext, pi: Pi, o: Partial<SdkClientOptions> = {}): SdkClient =>
  connectSdkClient(t, { command: process.execPath, args: argumentsOf(pi), cwd: pi.rooms.cwd, env: pi.env, ...o });

/** Returns an item without what differs each time, and without `gate`: only the host of Pi itself knows that Pi has a gate extension. */
function shapeOf(item: TranscriptItem): object {
  const { id: _, at: __, ...rest } = { at: 0, ...item };
  return JSON.parse(
    JSON.stringify(rest, (key, value: unknown) =>
      /^(at|.*At|turnId|messageId|toolCallId|durationMs|waitedMs|meta|gate)$/.test(key) ? undefined : value,
    ),
  ) as object;
}

const words = ({ items }: SessionState): string =>
  items
    .flatMap((item) => (item.kind === 'message' && item.role === 'agent' ? item.content : []))
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('|');

async function turns(session: Session, pi: Pi): Promise<SessionState> {
  await writeFile(path.join(pi.rooms.cwd, files.existing), files.before);
  for (const name of ['text', 'thinking', 'shell', 'edit']) await within(session.prompt(pi.prompt(name)), name);
  return session.state;
}

const textOf = (pi: Pi, name: string): string => pi.prompt(name)[0]?.text ?? '';

/** Answers the questions of piDialogs.mjs. */
function answerTo(request: CreateElicitationRequest): object {
  const { properties = {} } = 'requestedSchema' in request ? (request.requestedSchema as ElicitationSchema) : {};
  const fields = Object.keys(properties);
  const answers: Readonly<Record<string, string>> = { 'Which?': 'Block', 'Name?': 'Ada', Edit: 'Line 3' };
  return Object.fromEntries(fields.map((name) => [name, answers[request.message] ?? '']));
}

for (const version of piVersions)
  describe(`${version}, served`, { skip: missingPi(version) }, () => {
    test('our own host sees the same conversation as with Pi itself', async (t) => {
      const pi = await launchPi(t, version);
      const direct = await turns(await pi.newSession(), pi);
      const looped = await turns(await within(pi.another(served(pi)).newSession(), 'session'), pi);
      assert.deepEqual(looped.items.map(shapeOf), direct.items.map(shapeOf));
      assert.deepEqual(looped.options, direct.options);
      assert.deepEqual(looped.commands, describeCommands(direct.commands));
      assert.deepEqual(looped.usage?.size, direct.usage?.size);
    });

    test('our own host answers requests, steers, stops turns, and resumes after the agent was killed', async (t) => {
      const pi = await launchPi(t, version, ['--extension', gate]);
      const host = pi.another(served(pi));
      const session = await within(host.newSession(), 'session');
      const turn = session.prompt(pi.prompt('shell'));
      const request = await nextRequest(session);
      void session.prompt([{ type: 'text', text: 'Steer.' }], { delivery: 'steer' });
      void session.prompt([{ type: 'text', text: 'Follow up.' }], { delivery: 'followUp' });
      await until(session, 'queue of the agent', ({ queue }) => queue.length === 2);
      session.answer(request.id, { type: 'accept', values: {} });
      assert.equal((await within(turn, 'end')).type, 'ended');
      assert.deepEqual(session.state.queue, []);
      const endless = session.prompt(pi.prompt('endless'));
      await until(session, 'beginning', (state) => words(state).includes(said.beginning));
      session.cancel();
      const stopped = await within(endless, 'end');
      assert.equal(stopped.type === 'ended' && stopped.stopReason, 'cancelled');
      const cut = session.prompt(pi.prompt('endless'));
      await until(session, 'beginning', (state) => words(state).split(said.beginning).length === 3);
      for (const { pid } of await descendants(`${cliProgram} serve`)) process.kill(pid, 'SIGKILL');
      assert.equal((await within(cut, 'end')).type, 'interrupted');
      const again = await within(pi.another(served(pi)).loadSession(session.id), 'resume');
      await within(again.prompt(pi.prompt('recall')), 'end');
      assert.match(words(again.state), /The scripted model saw \d prompts\.$/);
      assert.ok(JSON.stringify(again.state.items).includes(shellOutput));
    });

    test('an editor sees every message and tool call, gets permission requests, and loads the session again', async (t) => {
      const pi = await launchPi(t, version, ['--extension', gate]);
      const editor = connect(t, pi);
      const { agentCapabilities } = await editor.initialize();
      assert.equal(agentCapabilities?.loadSession, true);
      const { sessionId } = await editor.open();
      for (const name of ['text', 'thinking', 'shell', 'edit'])
        assert.equal((await editor.prompt(sessionId, textOf(pi, name))).stopReason, 'end_turn', name);
      const updates = editor.updates.all;
      assert.equal(wordsOf(updates), [said.text, ...Array<string>(3).fill(said.done)].join(''));
      assert.equal(wordsOf(updates, 'agent_thought'), said.thought);
      assert.deepEqual(
        editor.permissions.all.map(({ options }) => options.map(({ kind }) => kind)),
        Array(2).fill(['allow_once', 'reject_once']),
      );
      const calls = updates.filter((update) => update.sessionUpdate === 'tool_call_update');
      assert.ok(calls.some(({ content }) => JSON.stringify(content)?.includes(shellOutput)));
      assert.ok(calls.some(({ content }) => content?.some(({ type }) => type === 'diff')));
      assert.equal(await readFile(path.join(pi.rooms.cwd, files.existing), 'utf8'), files.edited);
      const options = await editor.setOption(sessionId, 'thought_level', 'high');
      assert.equal(options.find(({ id }) => id === 'thought_level')?.currentValue, 'high');
      editor.leave();
      const { code, stderr } = await editor.ended();
      assert.deepEqual([code, stderr], [0, '']);
      const again = connect(t, pi);
      await again.initialize();
      await again.load(sessionId);
      assert.equal(wordsOf(again.updates.all), wordsOf(updates));
      assert.ok(wordsOf(again.updates.all, 'user_message').includes('CASE:shell'));
      assert.deepEqual(await again.prompt(sessionId, textOf(pi, 'recall')).then(({ stopReason }) => stopReason), 'end_turn');
      assert.ok(wordsOf(again.updates.all).endsWith(said.recall(5)));
    });

    test('a session works in the folder that the editor names', async (t) => {
      const pi = await launchPi(t, version);
      const folder = path.join(pi.rooms.cwd, 'inside', 'of it');
      await mkdir(folder, { recursive: true });
      const editor = connect(t, pi);
      await editor.initialize();
      const { sessionId } = (await editor.request('session/new', { cwd: folder, mcpServers: [] })) as { readonly sessionId: string };
      await editor.prompt(sessionId, textOf(pi, 'shell'));
      assert.deepEqual(await readdir(folder), ['ran.txt']);
      // The other session works where the program was started.
      await editor.prompt((await editor.open()).sessionId, textOf(pi, 'shell'));
      assert.ok((await readdir(pi.rooms.cwd)).includes('ran.txt'));
    });

    test('an editor shows every dialog as a form or as options, and can stop a turn with an open dialog', async (t) => {
      const pi = await launchPi(t, version, ['--extension', dialogs]);
      const withForms = connect(t, pi, {
        capabilities: everything,
        elicit: (request) => ({ action: 'accept', content: answerTo(request) }),
      });
      await withForms.initialize();
      await withForms.prompt((await withForms.open()).sessionId, '/dialogs');
      const isWarning = (update: SessionUpdate): boolean => update.sessionUpdate === 'notice' && update.severity === 'warning';
      const told = await withForms.updates.until('answers', isWarning);
      assert.deepEqual(JSON.parse((told as { readonly title: string }).title).slice(0, 4), ['Block', true, 'Ada', 'Line 3']);
      const held = connect(t, pi, { choose: () => new Promise(() => {}) });
      await held.initialize();
      const { sessionId } = await held.open();
      const turn = held.prompt(sessionId, '/dialogs');
      const { options } = await held.permissions.until('question', () => true);
      assert.deepEqual(
        options.map(({ name }) => name),
        ['Dismiss', 'Allow', 'Block'],
      );
      held.cancel(sessionId);
      assert.equal((await turn).stopReason, 'cancelled');
    });

    test('an editor gets an error when Pi is killed, and `serve` exits with code 6', async (t) => {
      const pi = await launchPi(t, version);
      const editor = connect(t, pi);
      await editor.initialize();
      const { sessionId } = await editor.open();
      const turn = editor.prompt(sessionId, textOf(pi, 'endless'));
      await editor.updates.until('beginning', (update) => wordsOf([update]).includes(said.beginning.trim().slice(0, 3)));
      const children = (await descendants('')).filter(({ parent, command }) => parent === editor.pid && !command.includes('watchdog'));
      for (const { pid } of children) process.kill(pid, 'SIGKILL');
      await assert.rejects(turn, { code: -32603 });
      assert.equal((await editor.ended()).code, 6);
    });
  });
