/** Reports what an agent does without asking: once in each of its runs, by the same rule for all agents. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { Session } from '../../../src/core/host/api.js';
import type { NoticeItem } from '../../../src/core/session/model.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { hostNoticeText } from '../../../src/text/noticeText.js';
import { hostOf, lines, text, until } from './launch.js';

const actor = (t: TestContext, o: { readonly name?: string; readonly mode?: string } = {}): Promise<AgentHost> =>
  hostOf(t, 'actsUnasked', {
    env: { ...(o.name !== undefined && { ACTS_UNASKED_NAME: o.name }), ...(o.mode !== undefined && { ACTS_UNASKED_MODE: o.mode }) },
  });

/** Accepts every request of the agent. */
function consenting(session: Session): Session {
  session.onBatch(({ state }) => {
    const [request] = state.requests;
    if (request !== undefined)
      session.answer(request.id, { type: 'accept', values: request.kind === 'form' ? { go: 'yes' } : { option: 'yes' } });
  });
  return session;
}

type Notices = Pick<Session, 'state'>;
const noticesOf = ({ state }: Notices): readonly NoticeItem[] =>
  state.items.filter((item) => item.kind === 'notice' && 'code' in item && item.code === 'agent_acted_unasked');

function paramsOf(session: Notices): unknown {
  const [notice, ...others] = noticesOf(session);
  assert.deepEqual(others, []);
  assert.ok(notice !== undefined && 'code' in notice && notice.code === 'agent_acted_unasked');
  assert.equal(notice.severity, 'warning');
  return notice.params;
}

describe('an agent that acts without permission', () => {
  test('it is reported once, at the end of the turn', async (t) => {
    const session = await (await actor(t)).newSession();
    await session.prompt(text('read done'));
    await session.prompt(text('read execute edit done'));
    await session.prompt(text('execute done'));
    assert.deepEqual(lines(session.state), [
      'user: read done',
      'tool Read a.txt (completed)',
      'agent: done',
      'end end_turn',
      'user: read execute edit done',
      'tool Read a.txt (completed)',
      'tool ls -la (completed)',
      'tool Edit a.txt (completed)',
      'agent: done',
      'notice agent_acted_unasked',
      'end end_turn',
      'user: execute done',
      'tool ls -la (completed)',
      'agent: done',
      'end end_turn',
    ]);
    assert.deepEqual(paramsOf(session), { act: 'execute', title: 'ls -la' });
  });

  for (const act of ['edit', 'delete', 'move'])
    test(`${act} counts`, async (t) => {
      const session = await (await actor(t)).newSession();
      await session.prompt(text(act));
      assert.deepEqual(paramsOf(session), { act, title: { edit: 'Edit a.txt', delete: 'Delete a.txt', move: 'Move a.txt' }[act] });
    });

  test('a command that failed counts, because it ran', async (t) => {
    const session = await (await actor(t)).newSession();
    await session.prompt(text('fail'));
    assert.deepEqual(paramsOf(session), { act: 'execute', title: 'ls -la' });
  });

  test('it is reported once for all its sessions, and again after a restart', async (t) => {
    const host = await actor(t);
    const [one, other] = [await host.newSession(), await host.newSession()];
    await one.prompt(text('execute'));
    await other.prompt(text('execute'));
    assert.deepEqual([noticesOf(one).length, noticesOf(other).length], [1, 0]);
    await host.stop();
    const again = await host.newSession();
    await again.prompt(text('execute'));
    assert.equal(noticesOf(again).length, 1);
  });

  test('it is reported also if the agent exits during the turn', async (t) => {
    const session = await (await actor(t)).newSession();
    const outcome = await session.prompt(text('execute die'));
    assert.equal(outcome.type, 'interrupted');
    assert.equal(noticesOf(session).length, 1);
  });

  for (const how of ['new', 'resumed'] as const)
    test(`it is reported after the turn too, in a ${how} session`, async (t) => {
      const host = await actor(t);
      const session = how === 'new' ? await host.newSession() : await host.loadSession('s9');
      await session.prompt(text('withMode done'));
      await session.setOption(MODE_OPTION_ID, 'workspace-write');
      assert.deepEqual(paramsOf(session), { act: 'execute', title: 'ls -la' });
    });

  test('replayed acts are not reported', async (t) => {
    const host = await actor(t);
    const session = await host.loadSession('s9');
    await session.prompt(text('read done'));
    assert.deepEqual(noticesOf(session), []);
  });
});

describe('an agent that asks for permission', () => {
  test('it is not reported for a command that was allowed before', async (t) => {
    const session = consenting(await (await actor(t)).newSession());
    await session.prompt(text('ask execute'));
    await session.prompt(text('execute edit'));
    assert.deepEqual(noticesOf(session), []);
  });

  test('it is not reported if it asked with a form', async (t) => {
    const session = consenting(await (await actor(t)).newSession());
    await session.prompt(text('question execute'));
    assert.deepEqual(noticesOf(session), []);
  });

  test('it is not reported if the request was answered in an earlier process', async (t) => {
    const host = await actor(t);
    const session = consenting(await host.newSession());
    await session.prompt(text('ask'));
    const known = session.state;
    const resumed = await (await actor(t)).loadSession(session.id, known);
    await resumed.prompt(text('execute'));
    assert.deepEqual(noticesOf(resumed), []);
  });
});

describe('a mode', () => {
  const setMode = async (session: Session, mode: string): Promise<void> => {
    await session.setOption(MODE_OPTION_ID, mode);
    await until(session, ({ options }) => options.some(({ currentValue }) => currentValue === mode));
  };

  test('a mode whose name permits it explains the act, whoever set it', async (t) => {
    const session = await (await actor(t, { mode: 'yolo' })).newSession();
    await session.prompt(text('execute'));
    assert.deepEqual(noticesOf(session), []);
  });

  test('a mode named "auto" explains the act only if a person chose it', async (t) => {
    const begun = await (await actor(t, { mode: 'auto' })).newSession();
    await begun.prompt(text('execute'));
    assert.equal(noticesOf(begun).length, 1);
    const chosen = await (await actor(t)).newSession();
    await setMode(chosen, 'auto');
    await chosen.prompt(text('execute'));
    assert.deepEqual(noticesOf(chosen), []);
    await setMode(chosen, 'default');
    await chosen.prompt(text('execute'));
    assert.equal(noticesOf(chosen).length, 1);
  });

  test('a mode that is known to permit edits explains edits, but no commands', async (t) => {
    const session = await (await actor(t, { name: 'agentao', mode: 'workspace-write' })).newSession();
    await session.prompt(text('edit'));
    assert.deepEqual(noticesOf(session), []);
    await session.prompt(text('execute'));
    assert.equal(noticesOf(session).length, 1);
  });

  test('for a known agent, the report names the mode that makes it ask', async (t) => {
    const session = await (await actor(t, { name: 'gemini-cli', mode: 'autoEdit' })).newSession();
    await session.prompt(text('edit'));
    const params = { act: 'edit', title: 'Edit a.txt', gate: { by: 'mode', mode: 'Default' } } as const;
    assert.deepEqual(paramsOf(session), params);
    assert.deepEqual(hostNoticeText({ code: 'agent_acted_unasked', params }, 'Gemini'), {
      title: 'Gemini changed a file without asking',
      description:
        'It didn\'t request permission for "Edit a.txt", so you had no chance to reject it, and it may act like this again. To prevent that, choose the mode "Default".',
    });
  });

  test('that mode is not named if it is already set', async (t) => {
    const session = await (await actor(t, { name: 'gemini-cli' })).newSession();
    await session.prompt(text('execute'));
    assert.deepEqual(paramsOf(session), { act: 'execute', title: 'ls -la' });
  });
});
