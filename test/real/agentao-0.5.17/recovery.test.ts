import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectOf } from '../../../src/core/index.js';
import { contextBlock } from '../../../src/core/conversation/context.js';
import { statusReached, within } from '../deadline.js';
import { lastFirst } from '../lastFirst.js';
import { type Agentao, launchAgentao, makeRooms, missing } from '../launch.js';
import { descendants } from '../processes.js';
import { agentText, prompt, say } from '../reading.js';

const skip = missing('0.5.17');

describe('agentao 0.5.17: continuing a session', { skip }, () => {
  test('a loaded session gets its model back, which agentao forgets and lists only on request, and lacks nothing', async (t) => {
    const atEnd = lastFirst(t);
    const rooms = await makeRooms();
    atEnd(() => rooms.remove());
    const launch = async (): Promise<Agentao> => {
      const agentao = await launchAgentao({ rooms });
      atEnd(() => agentao.stop());
      return agentao;
    };
    const first = await launch();
    const session = await first.newSession();
    await session.setOption('model', 'openai/mock-b');
    await say(session, 'text');
    await say(session, 'echo-model');
    await first.stop();
    const loaded = await within((await launch()).host.loadSession(session.id, session.state), 'loaded session');
    assert.equal(selectOf(loaded.state.options, 'model')?.currentValue, 'openai/mock-b');
    assert.deepEqual(
      loaded.state.items.filter(({ kind }) => kind === 'notice'),
      [],
    );
    await say(loaded, 'echo-model');
    assert.equal(agentText(loaded.state).endsWith('I am mock-b.'), true);
  });

  test('after a kill agentao no longer knows the session, and a new one gets the earlier conversation', async (t) => {
    const atEnd = lastFirst(t);
    const agentao = await launchAgentao();
    atEnd(() => agentao.stop());
    const session = await agentao.newSession();
    await say(session, 'text');
    // Killed directly, because a stop by the host lets it save.
    for (const { pid } of await descendants('--acp')) process.kill(pid, 'SIGKILL');
    await statusReached(agentao.host, 'failed');
    await assert.rejects(within(agentao.host.loadSession(session.id, session.state), 'refusal'), { code: 'session_unknown' });
    const fresh = await within(agentao.host.newSession({ continues: session.id }), 'new session');
    const block = contextBlock([session.state]);
    assert.ok(block);
    const outcome = await within(fresh.prompt([block, ...prompt('SC:text')]), 'turn');
    assert.equal(outcome.type, 'ended');
    assert.match(JSON.stringify(agentao.model.requests.at(-1)), /acp-host:conversation[^]*Record of an earlier conversation[^]*> SC:text/);
  });
});
