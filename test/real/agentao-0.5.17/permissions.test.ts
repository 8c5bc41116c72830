import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { shellOutput } from '../../model/scenarios.js';
import { type UserAnswer, type PermissionRequest, type Session, selectOf, selectOption } from '../../../src/core/index.js';
import { nextRequest } from '../deadline.js';
import { type Agentao, launchAgentao, missing, writeAll } from '../launch.js';
import { agentText, diffsOf, onlyTool, say, toolText, tools } from '../reading.js';

const allowOnce: UserAnswer = selectOption('allow_once');
const skip = missing('0.5.17');

async function nextPermission(session: Session, after?: PermissionRequest): Promise<PermissionRequest> {
  const ask = await nextRequest(session, after);
  assert.equal(ask.kind, 'permission');
  return ask;
}

describe('agentao 0.5.17: permission for commands', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('allow once: the request has the command and the four options of the agent, and then the command runs', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell');
    const ask = await nextPermission(session);
    assert.equal(ask.subject.toolKind, 'execute');
    assert.match(JSON.stringify(ask.subject.rawInput), /printf 'one/);
    assert.equal(ask.subject.itemId, onlyTool(session.state).id);
    assert.deepEqual(
      ask.options.map(({ optionId, name }) => [optionId, name]),
      [
        ['allow_once', 'Allow once'],
        ['allow_always', 'Always allow'],
        ['reject_once', 'Reject once'],
        ['reject_always', 'Always reject'],
      ],
    );
    assert.equal(ask.alwaysScope?.code, 'session_tool');
    assert.equal(onlyTool(session.state).status, 'pending');
    assert.equal(session.answer(ask.id, allowOnce), true);
    await running;
    assert.equal(onlyTool(session.state).status, 'completed');
    assert.equal(toolText(onlyTool(session.state)), shellOutput.all);
    assert.match(agentText(session.state), /Exit code: 3/);
    assert.deepEqual(session.state.requests, []);
  });

  test('an answer that was not offered has no effect, and neither has a second answer', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell');
    const ask = await nextPermission(session);
    assert.equal(session.answer(ask.id, selectOption('yes')), false);
    assert.equal(session.answer('no-such-ask', allowOnce), false);
    assert.deepEqual(
      session.state.requests.map(({ id }) => id),
      [ask.id],
    );
    assert.equal(session.answer(ask.id, allowOnce), true);
    assert.equal(session.answer(ask.id, selectOption('reject_once')), false);
    await running;
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('allow always: the second command runs without a request', async () => {
    const session = await agentao.newSession();
    const opened: string[] = [];
    session.onEvent((event) => {
      if (event.type === 'request_opened') opened.push(event.request.id);
    });
    const running = say(session, 'shell-twice');
    session.answer((await nextPermission(session)).id, selectOption('allow_always'));
    await running;
    assert.equal(opened.length, 1);
    assert.deepEqual(
      tools(session.state).map((tool) => [toolText(tool), tool.status]),
      [
        ['first\n', 'completed'],
        ['second\n', 'completed'],
      ],
    );
  });

  test('allow once: the second command asks again', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-twice');
    const first = await nextPermission(session);
    session.answer(first.id, allowOnce);
    const second = await nextPermission(session, first);
    assert.match(JSON.stringify(second.subject.rawInput), /second/);
    session.answer(second.id, allowOnce);
    await running;
  });

  const refusals: readonly [string, UserAnswer][] = [
    ['reject', selectOption('reject_once')],
    ['dismissed', { type: 'cancel' }],
  ];
  for (const [name, answer] of refusals) {
    test(`${name}: the command does not run, its card is rejected, and the turn continues`, async () => {
      const session = await agentao.newSession();
      const running = say(session, 'shell');
      session.answer((await nextPermission(session)).id, answer);
      assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
      const tool = onlyTool(session.state);
      assert.equal(tool.status, 'rejected');
      assert.doesNotMatch(toolText(tool), /one/);
      assert.match(agentText(session.state), /not approved/);
    });
  }

  test('reject always: the second command is refused without a request', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-twice');
    session.answer((await nextPermission(session)).id, selectOption('reject_always'));
    await running;
    assert.deepEqual(
      tools(session.state).map((tool) => tool.status),
      ['rejected', 'failed'],
    );
  });
});

describe('agentao 0.5.17: file changes', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    const rules = { rules: ['write_file', 'replace'].map((tool) => ({ tool, action: 'ask' })) };
    agentao = await launchAgentao({ files: { home: { '.agentao/permissions.json': JSON.stringify(rules) } } });
  });
  beforeEach(() => writeAll(agentao.rooms.cwd, { 'a.txt': 'alpha\nbeta\n', 'out.txt': 'old content\n' }));
  after(() => agentao.stop());

  test('a write asks with a diff from the host, and writes when allowed', async () => {
    const session = await agentao.newSession();
    const file = path.join(agentao.rooms.cwd, 'out.txt');
    const running = say(session, 'write');
    const ask = await nextPermission(session);
    assert.equal(ask.subject.toolKind, 'edit');
    assert.deepEqual(diffsOf(ask.subject.content), [{ path: file, oldText: 'old content\n', newText: 'new content\n' }]);
    session.answer(ask.id, allowOnce);
    await running;
    assert.equal(await readFile(file, 'utf8'), 'new content\n');
    assert.deepEqual(diffsOf(onlyTool(session.state).content), [{ path: file, oldText: 'old content\n', newText: 'new content\n' }]);
  });

  test('a rejected write changes nothing', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'write');
    session.answer((await nextPermission(session)).id, selectOption('reject_once'));
    await running;
    assert.equal(await readFile(path.join(agentao.rooms.cwd, 'out.txt'), 'utf8'), 'old content\n');
    assert.equal(onlyTool(session.state).status, 'rejected');
  });

  test("a replacement asks with the agent's own diff, without the description that is meant for the model", async () => {
    const session = await agentao.newSession();
    const file = path.join(agentao.rooms.cwd, 'a.txt');
    const running = say(session, 'replace');
    const ask = await nextPermission(session);
    assert.deepEqual(diffsOf(ask.subject.content), [{ path: file, oldText: 'alpha', newText: 'ALPHA' }]);
    session.answer(ask.id, allowOnce);
    await running;
    assert.equal(await readFile(file, 'utf8'), 'ALPHA\nbeta\n');
    assert.deepEqual(
      onlyTool(session.state).content.map((piece) => piece.type),
      ['diff'],
    );
  });

  test('an append shows only the added text', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'append');
    const ask = await nextPermission(session);
    assert.deepEqual(
      diffsOf(ask.subject.content).map(({ oldText, newText }) => [oldText, newText]),
      [[undefined, 'omega\n']],
    );
    session.answer(ask.id, allowOnce);
    await running;
    assert.equal(await readFile(path.join(agentao.rooms.cwd, 'a.txt'), 'utf8'), 'alpha\nbeta\nomega\n');
  });
});

describe('agentao 0.5.17: file changes in the default mode', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('writes without asking', async () => {
    const session = await agentao.newSession();
    assert.equal(selectOf(session.state.options, 'mode')?.currentValue, 'workspace-write');
    await say(session, 'write');
    assert.equal(await readFile(path.join(agentao.rooms.cwd, 'out.txt'), 'utf8'), 'new content\n');
    assert.deepEqual(session.state.requests, []);
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('an edit that changed nothing ends as `completed`, and the card says that the change is unconfirmed', async () => {
    const session = await agentao.newSession();
    const before = await readFile(path.join(agentao.rooms.cwd, 'a.txt'), 'utf8');
    await say(session, 'failed-edit');
    const tool = onlyTool(session.state);
    assert.equal(tool.status, 'completed');
    assert.equal(tool.caveat, 'change_unconfirmed');
    assert.equal(await readFile(path.join(agentao.rooms.cwd, 'a.txt'), 'utf8'), before);
  });

  test('a write outside the folder ends as `completed` without a file, and the card says that the change is unconfirmed', async () => {
    const session = await agentao.newSession();
    await say(session, 'write-outside');
    const tool = onlyTool(session.state);
    assert.equal(tool.status, 'completed');
    assert.equal(tool.caveat, 'change_unconfirmed');
    await assert.rejects(access(path.join(agentao.rooms.cwd, '..', 'outside.txt')));
  });
});
