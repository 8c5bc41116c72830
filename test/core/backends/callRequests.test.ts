/** What an agent asks because of a request of the host that opens a session or signs the user in. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { isFields } from '../../../src/core/base/fields.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { launch, type Launched, rejects } from './launch.js';

describe('elicitation/create with the id of a request that opens a session or signs in', () => {
  const calls: Readonly<Record<string, (agent: Launched) => Promise<unknown>>> = {
    authenticate: ({ backend, requestUser }) => backend.authenticate?.('browser', { requestUser }) ?? assert.fail(),
    'session/new': (agent) => agent.newSession(),
    'session/load': (agent) => agent.resume('load', 's1'),
    'session/resume': (agent) => agent.resume('resume', 's1'),
    'session/fork': (agent) => agent.fork('s1'),
    'session/set_mode': async (agent) => (await agent.newSession()).setOption(MODE_OPTION_ID, 'b'),
  };
  const asking = async (t: TestContext, method: string, what = 'form'): Promise<Launched> => {
    const agent = await launch(t, 'asksToOpen', [], { baseEnv: { ...process.env, ASKS_AT: method, ASKS_FOR: what } });
    await agent.start();
    return agent;
  };

  for (const [method, call] of Object.entries(calls)) {
    const sessionId = method === 'session/set_mode' ? 's1' : '';
    test(`${method}: it is shown, and the call goes on with the answer`, async (t) => {
      const agent = await asking(t, method);
      const called = call(agent);
      const { request, answer } = await agent.nextRequest();
      assert.deepEqual([request.sessionId, request.kind === 'form' && request.message], [sessionId, `Before ${method}`]);
      assert.ok(answer({ type: 'accept', values: { code: '42' } }));
      await called;
      await agent.prompt(await agent.resume(method === 'session/load' ? 'resume' : 'load', 's1'), 'told?');
      assert.equal(agent.text(), '{"action":"accept","content":{"code":"42"}}');
    });

    test(`${method}: a user who declines is not asked again`, async (t) => {
      const agent = await asking(t, method);
      const called = rejects(call(agent), 'auth_required');
      const asked = await agent.nextRequest();
      asked.answer({ type: 'decline' });
      await called;
      assert.equal(agent.traffic.filter((entry) => isCreate(entry)).length, 1);
    });

    test(`${method}: it is withdrawn when the agent answers the call without waiting`, async (t) => {
      const agent = await asking(t, method, 'nothing more');
      const called = call(agent);
      const { signal } = await agent.nextRequest();
      await called;
      if (!signal.aborted) await once(signal, 'abort');
      assert.ok(!(signal.reason instanceof HostError), 'the agent is not gone');
    });
  }

  test('a page is opened with consent, and waited for until the call ends', async (t) => {
    const agent = await asking(t, 'session/new', 'url');
    const called = agent.newSession();
    const first = await agent.nextRequest();
    assert.ok(first.request.kind === 'url' && first.request.url === 'https://example.com/sign-in');
    first.answer({ type: 'accept', values: {} });
    const opened = await agent.nextRequest();
    assert.ok(opened.request.kind === 'url' && opened.request.isOpened === true);
    await called;
    if (!opened.signal.aborted) await once(opened.signal, 'abort');
  });

  test('while nobody can be asked, it is canceled', async (t) => {
    const agent = await asking(t, 'authenticate');
    await rejects(agent.backend.authenticate?.('browser') ?? assert.fail(), 'auth_required');
  });
});

const isCreate = (entry: TrafficEntry): boolean =>
  'message' in entry && isFields(entry.message) && entry.message['method'] === 'elicitation/create';
