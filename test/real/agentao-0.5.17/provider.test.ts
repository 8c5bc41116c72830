import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MockModel } from '../../model/mockModel.js';
import { providerError } from '../../model/scenarios.js';
import { type Agentao, launchAgentao, missing, providerEnv, testKey, writeAll } from '../launch.js';
import { until } from '../deadline.js';
import { agentText, say } from '../reading.js';
import { retryText } from '../../../src/text/hintText.js';

const skip = missing('0.5.17');

describe('agentao 0.5.17: a model that fails', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  for (const [scenario, words] of [
    ['http-401', /401 - bad key/],
    ['http-429', /429 - slow down/],
    ['bad-json', /Expecting property name/],
  ] as const) {
    test(`${scenario}: the turn fails with the message of the provider, and the session continues`, async () => {
      const session = await agentao.newSession();
      const outcome = await say(session, scenario);
      assert.equal(outcome.type, 'failed');
      assert.equal(outcome.type === 'failed' && outcome.error.code, 'provider_failed');
      assert.match(outcome.type === 'failed' ? (outcome.error.params.detail ?? '') : '', words);
      assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
      assert.equal(agentText(session.state), 'Hello there.');
    });
  }

  test('a key that the provider quotes is redacted everywhere', async () => {
    const session = await agentao.newSession();
    const outcome = await say(session, 'http-401-quotes-key');
    assert.match(outcome.type === 'failed' ? (outcome.error.params.detail ?? '') : '', /Incorrect API key provided/);
    assert.equal(agentao.model.requests.at(-1)?.authorization, `Bearer ${testKey}`);
    assert.ok(!JSON.stringify([outcome, session.state]).includes(testKey));
    assert.ok(!agentao.host.stderrTail(1000).includes(testKey));
  });

  test('a prompt works when it is sent again after a failure', async () => {
    const session = await agentao.newSession();
    agentao.model.interject(providerError(401, 'bad key'));
    assert.equal((await say(session, 'text')).type, 'failed');
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
  });

  test('a short outage of the provider is retried without an error', async () => {
    const session = await agentao.newSession();
    const before = agentao.model.requests.length;
    for (let attempt = 0; attempt < 2; attempt++) agentao.model.interject(providerError(429, 'slow down', { 'Retry-After': '0' }));
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.equal(agentao.model.requests.length - before, 3);
  });

  test('a turn that waits to retry the provider says why and until when', async () => {
    const session = await agentao.newSession();
    agentao.model.interject(providerError(429, 'slow down', { 'Retry-After': '1' }));
    const startedAt = Date.now();
    const running = say(session, 'text');
    const { turn } = await until(session, 'a wait', (state) => state.turn.type === 'running' && state.turn.wait !== undefined);
    const wait = turn.type === 'running' ? turn.wait : undefined;
    assert.equal(wait?.kind === 'retry' && retryText(wait.reason), 'the provider returned 429, attempt 1 of 5');
    assert.ok(wait?.kind === 'retry' && wait.until >= startedAt + 1_000 && wait.until < Date.now() + 60_000);
    assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(session.state.turn, { type: 'idle' });
  });

  test('a connection that is reset during a stream fails the turn, and the text so far stays', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'reset');
    const gate = await agentao.model.held('reset');
    await until(session, 'partial text', (state) => agentText(state) === 'partial ');
    gate.release();
    const outcome = await running;
    assert.equal(outcome.type === 'failed' && outcome.error.code, 'provider_failed');
    assert.equal(agentText(session.state), 'partial ');
  });

  test('a stream that closes early ends like any other turn, because agentao does not report it', async () => {
    const session = await agentao.newSession();
    assert.deepEqual(await say(session, 'clean-close'), { type: 'ended', stopReason: 'end_turn', silent: false });
  });

  for (const scenario of ['empty', 'refusal', 'close-at-once']) {
    test(`${scenario}: a turn without output is marked as silent, with the end of stderr`, async () => {
      const session = await agentao.newSession();
      const outcome = await say(session, scenario);
      assert.equal(outcome.type === 'ended' && outcome.silent, true);
      assert.ok(outcome.stderrTail !== undefined && outcome.stderrTail !== '');
      assert.ok(!outcome.stderrTail.includes(testKey));
    });
  }
});

describe('agentao 0.5.17: no key', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao({ provider: false });
  });
  after(() => agentao.stop());

  test('requires a sign-in, offers its login in a terminal, and then works in the same process', async () => {
    const { host } = agentao;
    await assert.rejects(host.newSession(), { name: 'HostError', code: 'auth_required' });
    const login = host.info?.authMethods.find((method) => method.id === 'agentao-login');
    assert.deepEqual(login !== undefined && 'type' in login && login.type === 'terminal' && login.args, ['--login']);
    await writeAll(agentao.rooms.home, { '.agentao/llm.json': savedLogin(agentao.model) });
    const session = await agentao.newSession();
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.equal(agentao.model.requests[0]?.authorization, `Bearer ${testKey}`);
  });

  test('a session of an earlier process cannot be loaded without a key either', async () => {
    const other = await launchAgentao({ provider: false });
    try {
      await assert.rejects(other.host.loadSession('sess_00000000000000000000000000000000'), { code: 'auth_required' });
    } finally {
      await other.stop();
    }
  });
});

/** What agentao's own login writes. */
function savedLogin(model: MockModel): string {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = providerEnv(model);
  return JSON.stringify({ provider: 'OPENAI', api_key: OPENAI_API_KEY, base_url: OPENAI_BASE_URL, model: OPENAI_MODEL });
}
