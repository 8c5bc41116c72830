import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { agentsLine } from '../../src/cli/output/reportSchema.js';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { CliProcess, eventsOf, makePlace, type Place, runCli, testAgent } from './cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const json = ['run', '--agent', 'demo', '--format', 'json'];
const file = (): Promise<string> => readFile(path.join(place.workspace, 'a.txt'), 'utf8');
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
  test('tells a run from the start of the agent to its end, every line known to the schema, stderr empty', async () => {
    const { code, stdout, stderr } = await runCli(place, [...json, 'list']);
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
    assert.deepEqual(end && { ...end, sessionId: '' }, {
      schemaVersion: 1,
      event: 'turn',
      phase: 'end',
      sessionId: '',
      turnId: 't1',
      outcome: 'ended',
      stopReason: 'end_turn',
      silent: false,
    });
    assert.match(said(lines), /`a\.txt`/);
  });

  test('passes updates on as the agent sent them', async () => {
    const { stdout } = await runCli(place, [...json, 'plan']);
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

  test('keeps ids, raw input and output, _meta and updates of unknown kinds', async () => {
    const { stdout } = await runCli(place, ['run', ...testAgent('attachesMuch'), '--format', 'json', 'go']);
    const updates = eventsOf(stdout).flatMap((line) => (line.event === 'update' ? [line.update] : []));
    const sent = (await readFile(path.join(place.workspace, 'sent.ndjson'), 'utf8')).trim().split('\n');
    assert.deepEqual(
      updates,
      sent.map((line): unknown => JSON.parse(line)),
    );
  });

  test('tells also what the agent said before it answered with the session', async () => {
    const { stdout } = await runCli(place, ['run', ...testAgent('obedient'), '--format', 'json', 'say hi']);
    const lines = eventsOf(stdout).filter(({ event }) => event === 'session' || event === 'update');
    assert.deepEqual(
      lines.map((line) => (line.event === 'update' ? line.update.sessionUpdate : line.event)),
      ['session', 'available_commands_update', 'agent_message_chunk'],
    );
  });

  test('reports the session before the agent that is ready for it', async () => {
    const { stdout } = await runCli(place, [...json, '--mode', 'auto', 'list']);
    const course = eventsOf(stdout).flatMap((line) =>
      line.event === 'agent' ? [line.state] : line.event === 'session' || line.event === 'turn' ? [line.event] : [],
    );
    assert.deepEqual(course, ['starting', 'ready', 'starting', 'session', 'ready', 'turn', 'busy', 'turn', 'ready', 'stopped']);
  });

  test('passes each piece of an answer on as it came', async () => {
    const { stdout } = await runCli(place, [...json, 'long 2']);
    const pieces = eventsOf(stdout).filter((line) => line.event === 'update' && line.update.sessionUpdate === 'agent_message_chunk');
    assert.ok(pieces.length > 20, `${pieces.length} pieces`);
  });

  test('takes a permission from stdin, by its id', async () => {
    const cli = new CliProcess(place, [...json, 'edit a.txt one => two']);
    const asked = await cli.event('permission', isRequest('permission'));
    assert.ok(asked.event === 'permission' && asked.phase === 'request');
    assert.equal(asked.toolCall.title, 'Edit a.txt');
    cli.writeLine({ permission: asked.id, optionId: 'allow_once' });
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.equal(await file(), 'two\n');
    assert.deepEqual(answers(eventsOf(stdout)), [
      { schemaVersion: 0, event: 'permission', phase: 'answer', sessionId: '', id: asked.id, outcome: 'selected', optionId: 'allow_once' },
    ]);
  });

  test('reports an invalid answer, and keeps waiting', async () => {
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

  test("answers no once stdin has ended, with the agent's own option", async () => {
    const { code, stdout } = await runCli(place, [...json, 'edit a.txt one => two']);
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

  test('--ask-timeout closes a request that nobody answers', async () => {
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
    assert.equal((await runCli(place, [...json, '--ask-timeout', 'soon', 'list'])).code, 2);
  });

  test('closes an open request at the end of stdin', async () => {
    const cli = new CliProcess(place, [...json, 'ask']);
    await cli.event('question', isRequest('question'));
    cli.child.stdin.end();
    const { stdout } = await cli.ended();
    assert.match(said(eventsOf(stdout)), /without an answer/);
  });

  test('accepts an answer that precedes its request', async () => {
    const { stdout } = await runCli(place, [...json, 'edit a.txt one => two'], {
      stdin: '{"permission":"ask1","optionId":"allow_once"}\n{"question":"ask9","text":"x"}\n',
    });
    assert.equal(await file(), 'two\n');
    const errors = eventsOf(stdout).flatMap((line) => (line.event === 'error' ? [line.message] : []));
    assert.deepEqual(errors, ['No request has the ID "ask9"']);
  });

  test('takes the answer to a question from stdin', async () => {
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

  test('a prompt from stdin leaves no stdin for answers', async () => {
    const { stdout } = await runCli(place, [...json, '-'], { stdin: 'edit a.txt one => two' });
    assert.equal(await file(), 'one\n');
    assert.deepEqual(answers(eventsOf(stdout)).length, 1);
  });

  test('an agent that is lost is an error, then the end of the turn', async () => {
    const { code, stdout } = await runCli(place, [...json, 'fail crash']);
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

  test('what goes wrong before there is an agent is an error event', async () => {
    const { code, stdout, stderr } = await runCli(place, ['run', '--format', 'json', '--continue', 'hi']);
    assert.equal(code, 3);
    assert.equal(stderr, '');
    assert.deepEqual(
      eventsOf(stdout).map((line) => line.event === 'error' && line.code),
      ['session_unknown'],
    );
  });
});

describe('--permission', () => {
  test('allow takes the option that allows once', async () => {
    const { stdout } = await runCli(place, [...json, '--permission', 'allow', 'edit a.txt one => two']);
    assert.equal(await file(), 'two\n');
    assert.equal(
      eventsOf(stdout).find((line) => line.event === 'permission' && line.phase === 'answer' && line.optionId === 'allow_once')?.event,
      'permission',
    );
  });

  test('a request that the options answer waits for nobody', async () => {
    const { stdout } = await runCli(place, [...json, '--permission', 'allow', 'edit a.txt one => two']);
    assert.equal(
      eventsOf(stdout).some((line) => line.event === 'agent' && line.state === 'waiting'),
      false,
    );
  });

  test('reject takes the option that rejects once', async () => {
    const { stdout } = await runCli(place, [...json, '--permission', 'reject', 'edit a.txt one => two']);
    assert.equal(await file(), 'one\n');
    assert.match(said(eventsOf(stdout)), /you rejected it/);
  });

  for (const policy of ['allow', 'reject', 'ask']) {
    test(`${policy} never takes an option that lasts for ever`, async () => {
      const { code, stdout } = await runCli(place, ['run', ...testAgent('offersOnlyForEver'), '--permission', policy, 'go']);
      assert.equal(code, 0);
      assert.equal(stdout, 'cancelled\n');
    });
  }
});

describe('--answer', () => {
  test('answers every question', async () => {
    const { stdout } = await runCli(place, ['run', '--agent', 'demo', '--answer', 'something else', 'ask one']);
    assert.match(stdout, /You answered: \*\*something else\*\*/);
  });

  test('that the agent does not allow is said, and the question closed', async () => {
    const { stdout, stderr } = await runCli(place, ['run', '--agent', 'demo', '--answer', 'Wine', 'ask many']);
    assert.match(stdout, /without an answer/);
    assert.match(stderr, /--answer is not an option for/);
  });
});

describe('agents --format json', () => {
  test('is one line of its schema, with the default', async () => {
    const { code, stdout } = await runCli(place, ['agents', '--format', 'json']);
    assert.equal(code, 0);
    const { agents } = agentsLine.parse(JSON.parse(stdout));
    assert.deepEqual(
      agents.map(({ id, default: isDefault }) => [id, isDefault]),
      [
        ['agentao', false],
        ['demo', true],
        ['pi', false],
        ['xcsh', false],
        ['omp', false],
      ],
    );
    assert.equal(agents[0]?.path, null);
  });

  test('agentao is the default where it is on the PATH', {
    skip: process.platform === 'win32' && 'an executable of Windows is more than a file with a mode',
  }, async () => {
    const agentao = path.join(place.workspace, 'agentao');
    await writeFile(agentao, '#!/bin/sh\n', { mode: 0o755 });
    const { stdout } = await runCli(place, ['agents', '--format', 'json'], { env: { PATH: place.workspace } });
    const { agents } = agentsLine.parse(JSON.parse(stdout));
    assert.deepEqual(
      agents.map(({ id, path: found, default: isDefault }) => [id, found, isDefault]),
      [
        ['agentao', agentao, true],
        ['demo', process.execPath, false],
        ['pi', null, false],
        ['xcsh', null, false],
        ['omp', null, false],
      ],
    );
  });
});
