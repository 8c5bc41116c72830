import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { agentsLine } from '../../src/cli/output/reportSchema.js';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { CliProcess, eventsOf, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const json = ['run', '--agent', 'demo', '--format', 'json'];
const file = (name = 'a.txt'): Promise<string> => readFile(path.join(place.workspace, name), 'utf8');
const isRequest =
  (kind: 'permission' | 'question') =>
  (line: EventLine): boolean =>
    line.event === kind && line.phase === 'request';
const answers = (lines: readonly EventLine[]): readonly unknown[] =>
  lines.flatMap((line) =>
    (line.event === 'permission' || line.event === 'question') && line.phase === 'answer'
      ? [{ ...line, schemaVersion: 0, sessionId: '' }]
      : [],
  );
const said = (lines: readonly EventLine[]): string =>
  lines
    .map((line) => {
      if (line.event !== 'update' || line.update.sessionUpdate !== 'agent_message_chunk') return '';
      const { content } = line.update;
      return typeof content === 'object' && content !== null && 'text' in content ? String(content.text) : '';
    })
    .join('');

describe('--format json', () => {
  test('a run is reported from start to end, every line matches the schema, and stderr is empty', async () => {
    const { code, stdout, stderr } = await runHere(place, [...json, 'list']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const lines = eventsOf(stdout);
    const states = lines.flatMap((line) => (line.event === 'agent' ? [line.state] : []));
    assert.deepEqual([states[0], ...states.slice(-3)], ['starting', 'busy', 'ready', 'stopped']);
    const others = lines.filter(({ event }) => event !== 'agent' && event !== 'update');
    assert.deepEqual(
      others.map((line) => (line.event === 'turn' ? `turn ${line.phase}` : line.event)),
      ['session', 'turn start', 'turn end'],
    );
    const session = lines.find((line) => line.event === 'session');
    assert.equal(session?.how, 'new');
    assert.equal(session.capabilities['loadSession'], true);
    const end = lines.find((line) => line.event === 'turn' && line.phase === 'end');
    assert.deepEqual(end && { ...end, sessionId: '', turnId: '' }, {
      schemaVersion: 1,
      event: 'turn',
      phase: 'end',
      sessionId: '',
      turnId: '',
      outcome: 'ended',
      stopReason: 'end_turn',
      silent: false,
    });
    assert.match(said(lines), /`a\.txt`/);
  });

  test('updates are passed on as the agent sent them', async () => {
    const { stdout } = await runHere(place, [...json, 'plan']);
    const updates = eventsOf(stdout).flatMap((line) => (line.event === 'update' ? [line.update] : []));
    const plan = updates.find(({ sessionUpdate }) => sessionUpdate === 'plan');
    assert.deepEqual(plan, {
      sessionUpdate: 'plan',
      entries: [
        { content: 'Find the files of the workspace', priority: 'medium', status: 'in_progress' },
        { content: 'Measure them', priority: 'medium', status: 'pending' },
        { content: 'Report the largest', priority: 'high', status: 'pending' },
      ],
    });
    for (const kind of ['tool_call', 'tool_call_update', 'usage_update', 'session_info_update', 'available_commands_update']) {
      assert.ok(
        updates.some(({ sessionUpdate }) => sessionUpdate === kind),
        kind,
      );
    }
  });

  test('ids, raw input and output, _meta and updates of unknown kinds are kept', async () => {
    const { stdout } = await runHere(place, ['run', ...testAgent('attachesMuch'), '--format', 'json', 'go']);
    const updates = eventsOf(stdout).flatMap((line) => (line.event === 'update' ? [line.update] : []));
    const sent = (await readFile(path.join(place.workspace, 'sent.ndjson'), 'utf8')).trim().split('\n');
    assert.deepEqual(
      updates,
      sent.map((line): unknown => JSON.parse(line)),
    );
  });

  test("updates before the agent's answer with the session are reported", async () => {
    const { stdout } = await runHere(place, ['run', ...testAgent('obedient'), '--format', 'json', 'say hi']);
    const lines = eventsOf(stdout).filter(({ event }) => event === 'session' || event === 'update');
    assert.deepEqual(
      lines.map((line) => (line.event === 'update' ? line.update.sessionUpdate : line.event)),
      ['session', 'available_commands_update', 'agent_message_chunk'],
    );
  });

  test('the session is reported before the agent is ready', async () => {
    const { stdout } = await runHere(place, [...json, '--mode', 'auto', 'list']);
    const course = eventsOf(stdout).flatMap((line) =>
      line.event === 'agent' ? [line.state] : line.event === 'session' || line.event === 'turn' ? [line.event] : [],
    );
    assert.equal(course[0], 'starting');
    assert.deepEqual(course.slice(course.indexOf('session')), ['session', 'ready', 'turn', 'busy', 'turn', 'ready', 'stopped']);
  });

  test('an answer is passed on while it arrives', async () => {
    const { stdout } = await runHere(place, [...json, 'long 2']);
    const pieces = eventsOf(stdout).filter((line) => line.event === 'update' && line.update.sessionUpdate === 'agent_message_chunk');
    assert.ok(pieces.length > 2, `${pieces.length} pieces`);
  });

  test('a permission is answered on stdin by its id', async () => {
    const cli = new CliProcess(place, [...json, 'edit a.txt one => two']);
    const asked = await cli.event('permission', isRequest('permission'));
    assert.ok(asked.event === 'permission' && asked.phase === 'request');
    assert.equal(asked.toolCall.title, 'Edit a.txt');
    cli.writeLine({ permission: asked.id, optionId: 'allow_once' });
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.equal(await file(), 'two\n');
    assert.deepEqual(answers(eventsOf(stdout)), [
      {
        schemaVersion: 0,
        event: 'permission',
        phase: 'answer',
        sessionId: '',
        id: asked.id,
        outcome: 'selected',
        optionId: 'allow_once',
        by: 'terminal',
      },
    ]);
  });

  test('the agent gets what it is to do instead of what was rejected', async () => {
    const cli = new CliProcess(place, [...json, 'edit a.txt one => two']);
    const asked = await cli.event('permission', isRequest('permission'));
    assert.ok(asked.event === 'permission' && asked.phase === 'request');
    cli.writeLine({ permission: asked.id, cancelled: true, feedback: 'write b.txt instead' });
    const other = await cli.event('permission', (line) => isRequest('permission')(line) && 'id' in line && line.id !== asked.id);
    assert.ok(other.event === 'permission' && other.phase === 'request');
    assert.equal(other.toolCall.title, 'Create b.txt');
    cli.writeLine({ permission: other.id, optionId: 'allow_once' });
    const { code } = await cli.ended();
    assert.equal(code, 0);
    assert.deepEqual([await file(), await file('b.txt')], ['one\n', 'instead\n']);
  });

  test('an invalid answer is reported, and the request stays open', async () => {
    const cli = new CliProcess(place, [...json, 'edit a.txt one => two']);
    const asked = await cli.event('permission', isRequest('permission'));
    assert.ok(asked.event === 'permission' && asked.phase === 'request');
    cli.child.stdin.write('this is no JSON\n');
    cli.writeLine({ permission: asked.id, optionId: 'never offered' });
    cli.writeLine({ question: asked.id, text: 'allow_once' });
    cli.writeLine({ permission: asked.id, optionId: 'reject_once' });
    const { stdout } = await cli.ended();
    assert.equal(await file(), 'one\n');
    const errors = eventsOf(stdout).flatMap((line) => (line.event === 'error' ? [line] : []));
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['usage', 'usage', 'usage'],
    );
    assert.match(errors[0]?.message ?? '', /this is no JSON/);
  });

  test("after the end of stdin, requests are refused with the agent's own option", async () => {
    const { code, stdout } = await runHere(place, [...json, 'edit a.txt one => two']);
    assert.equal(code, 0);
    assert.equal(await file(), 'one\n');
    assert.deepEqual(answers(eventsOf(stdout)), [
      {
        schemaVersion: 0,
        event: 'permission',
        phase: 'answer',
        sessionId: '',
        id: 'ask1',
        outcome: 'selected',
        optionId: 'reject_once',
        why: 'not_interactive',
      },
    ]);
  });

  test('--ask-timeout closes a request without an answer', async () => {
    const cli = new CliProcess(place, [...json, '--ask-timeout', '0.2', 'edit a.txt one => two']);
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.equal(await file(), 'one\n');
    assert.deepEqual(answers(eventsOf(stdout)), [
      {
        schemaVersion: 0,
        event: 'permission',
        phase: 'answer',
        sessionId: '',
        id: 'ask1',
        outcome: 'selected',
        optionId: 'reject_once',
        why: 'deadline',
      },
    ]);
    assert.equal((await runHere(place, [...json, '--ask-timeout', 'soon', 'list'])).code, 2);
  });

  test('an open request is closed at the end of stdin', async () => {
    const cli = new CliProcess(place, [...json, 'ask']);
    await cli.event('question', isRequest('question'));
    cli.child.stdin.end();
    const { stdout } = await cli.ended();
    assert.match(said(eventsOf(stdout)), /without an answer/);
  });

  test('an answer that precedes its request is accepted', async () => {
    const { stdout } = await runHere(place, [...json, 'edit a.txt one => two'], {
      stdin: '{"permission":"ask1","optionId":"allow_once"}\n{"question":"ask9","text":"x"}\n',
    });
    assert.equal(await file(), 'two\n');
    const errors = eventsOf(stdout).flatMap((line) => (line.event === 'error' ? [line.message] : []));
    assert.deepEqual(errors, ['No request has the ID "ask9"']);
  });

  test('a question is answered on stdin', async () => {
    const cli = new CliProcess(place, [...json, 'ask many']);
    const asked = await cli.event('question', isRequest('question'));
    assert.ok(asked.event === 'question' && asked.phase === 'request');
    assert.deepEqual(
      { options: asked.options, multiple: asked.multiple, allowCustom: asked.allowCustom },
      { options: ['Water', 'Tea', 'Coffee'], multiple: true, allowCustom: false },
    );
    cli.writeLine({ question: asked.id, text: 'Water, Coffee' });
    const { stdout } = await cli.ended();
    assert.match(said(eventsOf(stdout)), /\*\*Water, Coffee\*\*/);
  });

  test('if the prompt is read from stdin, stdin has no answers', async () => {
    const { stdout } = await runHere(place, [...json, '-'], { stdin: 'edit a.txt one => two' });
    assert.equal(await file(), 'one\n');
    assert.deepEqual(answers(eventsOf(stdout)).length, 1);
  });

  test('a lost agent is reported as an error, followed by the end of the turn', async () => {
    const { code, stdout } = await runHere(place, [...json, 'fail crash']);
    assert.equal(code, 6);
    const tail = eventsOf(stdout).filter((line) => line.event === 'error' || (line.event === 'turn' && line.phase === 'end'));
    assert.deepEqual(
      tail.map(({ event }) => event),
      ['error', 'turn'],
    );
    const [error, end] = tail;
    assert.ok(error?.event === 'error' && end?.event === 'turn' && end.phase === 'end');
    assert.equal(error.code, 'agent_exited');
    assert.match(error.stderrTail ?? '', /crashing because the user asked/);
    assert.equal(end.outcome, 'interrupted');
  });

  test('a failure before the agent started is reported as an error event', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', '--format', 'json', '--continue', 'hi']);
    assert.equal(code, 3);
    assert.equal(stderr, '');
    assert.deepEqual(
      eventsOf(stdout).map((line) => line.event === 'error' && line.code),
      ['session_unknown'],
    );
  });
});

describe('--permission', () => {
  test('allow selects the option that allows once', async () => {
    const { stdout } = await runHere(place, [...json, '--permission', 'allow', 'edit a.txt one => two']);
    assert.equal(await file(), 'two\n');
    assert.equal(
      eventsOf(stdout).find((line) => line.event === 'permission' && line.phase === 'answer' && line.optionId === 'allow_once')?.event,
      'permission',
    );
  });

  test('a request that the options answer does not wait', async () => {
    const { stdout } = await runHere(place, [...json, '--permission', 'allow', 'edit a.txt one => two']);
    assert.equal(
      eventsOf(stdout).some((line) => line.event === 'agent' && line.state === 'waiting'),
      false,
    );
  });

  test('reject selects the option that rejects once', async () => {
    const { stdout } = await runHere(place, [...json, '--permission', 'reject', 'edit a.txt one => two']);
    assert.equal(await file(), 'one\n');
    assert.match(said(eventsOf(stdout)), /you rejected it/);
  });

  for (const policy of ['allow', 'reject', 'ask']) {
    test(`${policy} never selects a permanent option`, async () => {
      const { code, stdout } = await runHere(place, ['run', ...testAgent('offersOnlyForEver'), '--permission', policy, 'go']);
      assert.equal(code, 0);
      assert.equal(stdout, 'cancelled\n');
    });
  }
});

describe('--answer', () => {
  test('it answers every question', async () => {
    const { stdout } = await runHere(place, ['run', '--agent', 'demo', '--answer', 'something else', 'ask one']);
    assert.match(stdout, /You answered: \*\*something else\*\*/);
  });

  test('an answer that the agent does not allow is reported, and the question closed', async () => {
    const { stdout, stderr } = await runHere(place, ['run', '--agent', 'demo', '--answer', 'Wine', 'ask many']);
    assert.match(stdout, /without an answer/);
    assert.match(stderr, /--answer is not an option for/);
  });
});

describe('agents --format json', () => {
  test('each agent is one line that matches its schema, with the default marked', async () => {
    const { code, stdout } = await runHere(place, ['agents', '--format', 'json']);
    assert.equal(code, 0);
    const { agents } = agentsLine.parse(JSON.parse(stdout));
    assert.deepEqual(
      agents.map(({ id, default: isDefault }) => [id, isDefault]),
      [
        ['agentao', false],
        ['demo', true],
        ['claude-agent-acp', false],
        ['gemini-cli', false],
        ['codex-acp', false],
        ['opencode', false],
        ['qwen-code', false],
        ['pi', false],
        ['xcsh', false],
        ['omp', false],
      ],
    );
    assert.equal(agents[0]?.path, null);
  });

  test('agents that other applications have in their settings are listed without secrets', async () => {
    const token = 'k3Xw9vQ2pLr7TzB4';
    const settings = { 'acp.agents': { Mine: { command: 'mine', args: ['--acp', '--token', token], env: { MINE_TOKEN: token } } } };
    const folder = path.join(place.env['HOME'] ?? '', '.config/Code/User');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'settings.json'), JSON.stringify(settings));
    const { stdout } = await runHere(place, ['agents', '--format', 'json']);
    assert.deepEqual(agentsLine.parse(JSON.parse(stdout)).elsewhere, [
      { name: 'Mine', host: 'vscode', command: 'mine', args: ['--acp', '--token', '[redacted]'], variables: ['MINE_TOKEN'] },
    ]);
    const { stdout: table } = await runHere(place, ['agents']);
    assert.match(table, /^ {2}Mine \(from VS Code settings\) · mine --acp --token \[redacted\] · sets MINE_TOKEN$/m);
    assert.ok(!(stdout + table).includes(token));
  });

  test('agentao is the default if it is on the PATH', {
    skip: process.platform === 'win32' && 'an executable of Windows is more than a file with a mode',
  }, async () => {
    const agentao = path.join(place.workspace, 'agentao');
    await writeFile(agentao, '#!/bin/sh\n', { mode: 0o755 });
    const { stdout } = await runHere(place, ['agents', '--format', 'json'], { env: { PATH: place.workspace } });
    const { agents } = agentsLine.parse(JSON.parse(stdout));
    assert.deepEqual(
      agents.map(({ id, path: found, default: isDefault }) => [id, found, isDefault]),
      [
        ['agentao', agentao, true],
        ['demo', process.execPath, false],
        ['claude-agent-acp', null, false],
        ['gemini-cli', null, false],
        ['codex-acp', null, false],
        ['opencode', null, false],
        ['qwen-code', null, false],
        ['pi', null, false],
        ['xcsh', null, false],
        ['omp', null, false],
      ],
    );
  });
});
