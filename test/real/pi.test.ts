/** The real Pi with its own protocol. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Session, SessionState, TranscriptItem, UserAnswer, UserRequest } from '../../src/core/index.js';
import { eventsOf, runCli } from '../cli/cliProcess.js';
import { files, said, shellOutput } from '../realAgents/model/script.js';
import { within } from './deadline.js';
import { launchPi, missingPi, type PiVersion, piVersions } from './pi.js';

const gate = fileURLToPath(new URL('../../media/pi/askFirst.js', import.meta.url));
const dialogs = fileURLToPath(new URL('./piDialogs.mjs', import.meta.url));

const words = ({ items }: SessionState, role: 'agent' | 'thought' | 'user'): string =>
  items
    .flatMap((item) => (item.kind === 'message' && item.role === role ? item.content : []))
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('|');

const isUnasked = (item: TranscriptItem): boolean => item.kind === 'notice' && 'code' in item && item.code === 'agent_acted_unasked';
const tools = ({ items }: SessionState) => items.filter((item) => item.kind === 'tool');

const isOmp = (version: PiVersion): boolean => version.startsWith('omp');

/** Answers each request when it opens. */
function answerAll(session: Session, answer: (request: UserRequest) => UserAnswer | undefined): void {
  session.onEvent((event) => {
    if (event.type !== 'request_opened') return;
    const given = answer(event.request);
    if (given !== undefined) queueMicrotask(() => session.answer(event.request.id, given));
  });
}

const until = (session: Session, fits: (state: SessionState) => boolean): Promise<void> =>
  within(
    new Promise<void>((resolve) => {
      if (fits(session.state)) return resolve();
      const subscription = session.onBatch(({ state }) => {
        if (!fits(state)) return;
        subscription.dispose();
        resolve();
      });
    }),
    'state',
  );

for (const version of piVersions)
  describe(version, { skip: missingPi(version) }, () => {
    test('answers, thinks, reads and edits a file, and runs a command', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      for (const name of ['text', 'thinking', 'shell', 'edit']) {
        const outcome = await within(session.prompt(pi.prompt(name)), name);
        assert.deepEqual([name, outcome.type], [name, 'ended']);
      }
      const { state } = session;
      assert.ok(words(state, 'agent').startsWith(said.text));
      assert.equal(words(state, 'thought'), said.thought);
      const [shell, , edit] = tools(state);
      assert.deepEqual([shell?.toolKind, shell?.status, shell?.exit], ['execute', 'completed', { code: 0 }]);
      assert.ok(JSON.stringify(shell?.content).includes(shellOutput));
      assert.ok(edit?.content.some(({ type }) => type === 'diff'));
      assert.equal(await readFile(path.join(pi.rooms.cwd, files.existing), 'utf8'), files.edited);
      assert.equal(state.usage?.size, 128_000);
      assert.equal(words(state, 'user').split('|').length, 4);
      assert.equal(state.items.filter(isUnasked).length, 1);
    });

    test('changes its model, thinking level and steering', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      const valueOf = (id: string) => session.state.options.find((option) => option.id === id)?.currentValue;
      assert.equal(valueOf('model'), 'mock/mock-1');
      await within(session.setOption('thought_level', 'high'), 'answer');
      assert.equal(valueOf('thought_level'), 'high');
      await within(session.setOption('model', 'mock/mock-2'), 'answer');
      // omp reports no thinking level for a model that cannot think.
      assert.deepEqual([valueOf('model'), valueOf('thought_level') ?? 'off'], ['mock/mock-2', 'off']);
      await within(session.setOption('steering', 'all'), 'answer');
      assert.equal(valueOf('steering'), 'all');
    });

    test('stops a turn, and answers the next prompt', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      const turn = session.prompt(pi.prompt('endless'));
      await until(session, (state) => words(state, 'agent').includes(said.beginning));
      session.cancel();
      const outcome = await within(turn, 'end');
      assert.deepEqual(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
      assert.equal((await within(session.prompt(pi.prompt('text')), 'end')).type, 'ended');
    });

    test('accepts a steering message and a follow-up in one turn, and shows them in the queue', async (t) => {
      const pi = await launchPi(t, version, ['--extension', gate]);
      const session = await pi.newSession();
      const requests: UserRequest[] = [];
      answerAll(session, (request) => (requests.push(request), undefined));
      const turn = session.prompt(pi.prompt('shell'));
      await until(session, ({ requests: open }) => open.length === 1);
      const [steer, followUp] = [{ type: 'text', text: 'Steer.' } as const, { type: 'text', text: 'Follow up.' } as const];
      void session.prompt([steer], { delivery: 'steer' });
      void session.prompt([followUp], { delivery: 'followUp' });
      await until(session, ({ queue }) => queue.length === 2);
      session.answer(requests[0]?.id ?? '', { type: 'accept', values: {} });
      assert.equal((await within(turn, 'end')).type, 'ended');
      assert.ok(words(session.state, 'user').endsWith('Steer.|Follow up.'));
      assert.deepEqual([session.state.queue, session.state.items.filter(({ kind }) => kind === 'turn_end').length], [[], 1]);
    });

    test('asks before it acts with the gate extension, and does not run a rejected command', async (t) => {
      const pi = await launchPi(t, version, ['--extension', gate]);
      const session = await pi.newSession();
      const asked: UserRequest[] = [];
      answerAll(session, (request) => (asked.push(request), { type: asked.length === 1 ? 'decline' : 'accept', values: {} }));
      await within(session.prompt(pi.prompt('shell')), 'end');
      const isRun = (): Promise<boolean> =>
        readFile(path.join(pi.rooms.cwd, 'ran.txt')).then(
          () => true,
          () => false,
        );
      assert.equal(await isRun(), false);
      assert.equal(tools(session.state)[0]?.status, 'failed');
      await within(session.prompt(pi.prompt('shell')), 'end');
      assert.equal(await isRun(), true);
      await within(session.prompt(pi.prompt('edit')), 'end');
      assert.deepEqual(
        asked.map((request) => request.kind === 'confirm' && request.title.split(' ')[0]),
        ['Run', 'Run', isOmp(version) ? 'Use' : 'Edit'],
      );
      // The whole change. omp describes it in its own form.
      assert.ok(asked[2]?.kind === 'confirm' && /- alpha\n\+ ALPHA|"alpha"[^]*"ALPHA"/.test(asked[2].message ?? ''));
      assert.ok(!session.state.items.some(isUnasked));
    });

    test('opens every kind of dialog, and closes the one that times out', async (t) => {
      const pi = await launchPi(t, version, ['--extension', dialogs]);
      const session = await pi.newSession();
      const isListed = session.state.commands.some(({ name }) => name === 'dialogs');
      assert.equal(isListed, !isOmp(version));
      answerAll(session, (request) => {
        if (request.kind === 'confirm') return request.title === 'Sure?' ? { type: 'accept', values: {} } : undefined;
        if (request.kind === 'editor') return { type: 'accept', values: { text: 'Line 3' } };
        return { type: 'accept', values: { answer: request.kind === 'form' && request.message === 'Which?' ? 'Block' : 'Ada' } };
      });
      const outcome = await within(session.prompt([{ type: 'text', text: '/dialogs' }]), 'end');
      assert.equal(outcome.type, 'ended');
      const notice = session.state.items.find(
        (item) => item.kind === 'notice' && 'title' in item && item.severity === 'warning' && item.title.startsWith('['),
      );
      assert.ok(notice !== undefined && 'title' in notice);
      assert.deepEqual(JSON.parse(notice.title), ['Block', true, 'Ada', 'Line 3', false]);
      assert.deepEqual(session.state.requests, []);
    });

    test('stops while a dialog is open', async (t) => {
      const pi = await launchPi(t, version, ['--extension', dialogs]);
      const session = await pi.newSession();
      const turn = session.prompt([{ type: 'text', text: '/dialogs' }]);
      await until(session, ({ requests }) => requests.length === 1);
      session.cancel();
      const outcome = await within(turn, 'end');
      assert.deepEqual(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    });

    test('runs two conversations side by side, each in its own process', async (t) => {
      const pi = await launchPi(t, version);
      const [one, other] = [await pi.newSession(), await pi.newSession()];
      const endless = one.prompt(pi.prompt('endless'));
      await until(one, (state) => words(state, 'agent').includes(said.beginning));
      await within(other.prompt(pi.prompt('text')), 'end');
      assert.equal(words(other.state, 'agent'), said.text);
      one.cancel();
      await within(endless, 'end');
      assert.notEqual(one.id, other.id);
    });

    test('resumes a session with its history in another process, and refuses a missing session', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      await within(session.prompt(pi.prompt('shell')), 'end');
      await pi.host.stop();
      const another = pi.another();
      const again = await within(another.loadSession(session.id), 'resume');
      assert.deepEqual([words(again.state, 'agent'), tools(again.state).length], [said.done, 1]);
      await within(again.prompt(pi.prompt('recall')), 'end');
      assert.ok(words(again.state, 'agent').endsWith(said.recall(2)));
      await assert.rejects(another.loadSession(path.join(pi.rooms.home, 'nothing.jsonl')), { code: 'session_unknown' });
    });

    test('runs the host commands /name, /bash, /export and /compact, and stops a running /bash', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      await within(session.prompt(pi.prompt('text')), 'end');
      for (const text of ['/name My work', '/bash echo printed; exit 7', '/export page.html']) {
        assert.equal((await within(session.prompt([{ type: 'text', text }]), text)).type, 'ended');
      }
      assert.equal(session.state.title, 'My work');
      const [shell] = tools(session.state);
      assert.deepEqual([shell?.exit, JSON.stringify(shell?.content).includes('printed')], [{ code: 7 }, true]);
      assert.ok((await readFile(path.join(pi.rooms.cwd, 'page.html'), 'utf8')).length > 1000);
      const compacted = await within(session.prompt([{ type: 'text', text: '/compact' }]), 'compaction');
      const compaction = session.state.items.find((item) => item.kind === 'compaction');
      // The agent decides whether there is anything to compact. The outcome is shown either way.
      assert.equal(compaction?.kind === 'compaction' && compaction.status, compacted.type === 'ended' ? 'completed' : 'failed');
      // omp reads no input while a shell command runs.
      if (isOmp(version)) return;
      const stopped = session.prompt([{ type: 'text', text: '/bash sleep 60' }]);
      await until(session, (state) => tools(state).length === 2);
      session.cancel();
      const outcome = await within(stopped, 'end');
      assert.deepEqual(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    });

    test('forks and clones a session, which continues unchanged', async (t) => {
      const pi = await launchPi(t, version);
      const session = await pi.newSession();
      for (const name of ['text', 'shell']) await within(session.prompt(pi.prompt(name)), name);
      const made = async (text: string): Promise<string> => {
        const outcome = await within(session.prompt([{ type: 'text', text }]), text);
        assert.equal(outcome.type, 'ended', JSON.stringify(outcome));
        return /`([^`]+)`[^`]*$/.exec(words(session.state, 'agent'))?.[1] ?? '';
      };
      const forked = await made('/fork 2');
      const cloned = isOmp(version) ? undefined : await made('/clone');
      await within(session.prompt(pi.prompt('recall')), 'recall');
      assert.ok(words(session.state, 'agent').endsWith(said.recall(3)));
      const opened = await within(pi.host.loadSession(forked), 'load');
      assert.deepEqual([words(opened.state, 'agent'), tools(opened.state).length], [said.text, 0]);
      await within(opened.prompt(pi.prompt('recall')), 'recall');
      assert.ok(words(opened.state, 'agent').endsWith(said.recall(2)));
      if (cloned === undefined) return;
      const copy = await within(pi.host.loadSession(cloned), 'load');
      assert.deepEqual([words(copy.state, 'agent'), tools(copy.state).length], [`${said.text}|${said.done}`, 1]);
    });

    test('says why its provider failed', async (t) => {
      const pi = await launchPi(t, version);
      const outcome = await within((await pi.newSession()).prompt(pi.prompt('error')), 'end');
      assert.ok(outcome.type === 'failed' && outcome.error.code === 'provider_failed');
      assert.ok(outcome.error.params.detail?.includes(said.failure));
    });

    test('works on the command line, where a permission rule answers its requests', async (t) => {
      const pi = await launchPi(t, version, ['--extension', gate]);
      const command = [pi.agent.command, ...pi.agent.args].map((word) => `"${word}"`).join(' ');
      const place = {
        workspace: pi.rooms.cwd,
        env: { ...pi.env, ACP_HOST_STATE: path.join(pi.rooms.home, 'state') },
        remove: async () => {},
      };
      const args = ['run', '--protocol', pi.agent.protocol, '--command', command, '--format', 'json', '--permission', 'reject'];
      const result = await runCli(place, [...args, pi.prompt('shell')[0]?.text ?? '']);
      assert.equal(result.code, 0, result.stderr);
      const events = eventsOf(result.stdout);
      const permissions = events.filter(({ event }) => event === 'permission');
      assert.equal(permissions.length, 2);
      const missing = await runCli(place, [...args, '--session', 'nothing.jsonl', 'hello']);
      assert.equal(missing.code, 3, missing.stdout);
    });
  });

describe('omp 14.9.9, features that Pi does not have', { skip: missingPi('omp 14.9.9') }, () => {
  test('its plan is shown while the turn runs', async (t) => {
    const pi = await launchPi(t, 'omp 14.9.9');
    const session = await pi.newSession();
    const plans: number[] = [];
    session.onEvent((event) => {
      if (event.type === 'plan') plans.push(event.entries.length);
    });
    const turn = session.prompt(pi.prompt('plan'));
    await until(session, ({ plans: [plan], turn: running }) => plan?.entries.length === 2 && running.type !== 'idle');
    await within(turn, 'end');
    assert.deepEqual(
      [plans[0], session.state.plans[0]?.entries.map(({ content, status }) => [content, status])],
      [
        2,
        [
          ['first', 'in_progress'],
          ['second', 'pending'],
        ],
      ],
    );
  });

  test('it gets the diagnostics of the editor only if the host allows it', async (t) => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
    const none = (): Promise<readonly never[]> => Promise.resolve([]);
    let folder = '';
    const diagnostics = () =>
      Promise.resolve([{ path: path.join(folder, 'a.txt'), range, severity: 'error', message: 'Not a word', source: 'test' } as const]);
    const navigation = {
      documentSymbols: none,
      definitions: none,
      typeDefinitions: none,
      references: none,
      openEditors: none,
      diagnostics,
    };
    for (const [mayAsk, answer] of [
      [navigation, 'a.txt:1:1 error Not a word (test)'],
      [undefined, undefined],
    ] as const) {
      const pi = await launchPi(t, 'omp 14.9.9', [], mayAsk);
      folder = pi.rooms.cwd;
      const session = await pi.newSession();
      await within(session.prompt(pi.prompt('diagnostics')), 'end');
      const [tool] = tools(session.state);
      const [content] = tool?.content ?? [];
      assert.equal(content?.type === 'content' && content.content.type === 'text' ? content.content.text : undefined, answer);
    }
  });
});
