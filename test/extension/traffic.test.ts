/** From a real agent to the page of the inspector. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  type TrafficHostMessage,
  trafficHostMessageSchema,
  type TrafficPageMessage,
  trafficPageMessageSchema,
  type TrafficRow,
  trafficRowLimit,
} from '../../src/contract/traffic.js';
import { type AgentHost, Emitter, nullLogger } from '../../src/core/index.js';
import { openPort } from '../../src/extension/pages/pagePort.js';
import { TrafficSources } from '../../src/extension/traffic/sources.js';
import { type TrafficIntent, TrafficLink } from '../../src/extension/traffic/trafficLink.js';
import { TrafficLog } from '../../src/extension/traffic/trafficLog.js';
import { hostOf, text } from '../core/host/launch.js';

interface Inspector {
  readonly posted: TrafficHostMessage[];
  readonly intents: TrafficIntent[];
  readonly trafficLog: TrafficLog;
  say(message: unknown): void;
  /** Resolves once a posted message fits. */
  until(fits: (rows: readonly TrafficRow[]) => boolean): Promise<readonly TrafficRow[]>;
}

function inspect(t: TestContext, sources: TrafficSources): Inspector {
  const [posted, intents]: [TrafficHostMessage[], TrafficIntent[]] = [[], []];
  const fromPage = new Emitter<unknown>();
  const onPost = new Emitter<void>();
  const trafficLog = new TrafficLog(sources);
  const wire = {
    postMessage: (message: unknown) => {
      posted.push(trafficHostMessageSchema.parse(message));
      onPost.fire();
      return Promise.resolve(true);
    },
    onDidReceiveMessage: fromPage.event,
  };
  const link = new TrafficLink({
    port: openPort<TrafficHostMessage, TrafficPageMessage>(wire, trafficPageMessageSchema, nullLogger),
    trafficLog,
    onIntent: (intent) => intents.push(intent),
  });
  // The traffic does not keep the process alive, which would end without the agent before the next message is posted.
  const alive = setInterval(() => {}, 60_000);
  t.after(() => {
    clearInterval(alive);
    link.dispose();
    trafficLog.dispose();
  });
  return {
    posted,
    intents,
    trafficLog,
    say: (message) => fromPage.fire(message),
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const rows = pageRows(posted);
          if (!fits(rows)) return;
          subscription.dispose();
          resolve(rows);
        };
        const subscription = onPost.event(look);
        look();
      }),
  };
}

/** The state of a page that received these messages. */
function pageRows(posted: readonly TrafficHostMessage[]): readonly TrafficRow[] {
  let rows = new Map<number, TrafficRow>();
  for (const message of posted) {
    if (message.type === 'all') rows = new Map(message.rows.map((row) => [row.key, row]));
    if (message.type !== 'more') continue;
    for (const row of message.rows) rows.set(row.key, row);
    for (const { key, ...change } of message.changes) {
      const row = rows.get(key);
      if (row !== undefined) rows.set(key, { ...row, ...change });
    }
  }
  return [...rows.values()];
}

function attach(t: TestContext, sources: TrafficSources, host: AgentHost): void {
  const attached = sources.attach(host, host.agent.label);
  t.after(() => attached.dispose());
}

const responseTo =
  (method: string) =>
  (rows: readonly TrafficRow[]): boolean =>
    rows.some((row) => row.kind === 'response' && row.method === method);

describe('the traffic of an agent', () => {
  it('it is shown live and from its start, also if the panel is opened later', async (t) => {
    const sources = new TrafficSources(nullLogger);
    const host = await hostOf(t, 'obedient');
    attach(t, sources, host);
    const session = await host.newSession();
    const inspector = inspect(t, sources);
    assert.equal(inspector.posted.length, 0, 'nothing before ready');
    inspector.say({ type: 'ready' });
    const before = await inspector.until(responseTo('session/new'));
    assert.equal(before[0]?.kind, 'process');
    const [initialize, initialized] = before.filter(({ method }) => method === 'initialize');
    assert.deepEqual([initialize?.kind, initialize?.outcome, initialize?.partner], ['request', 'ok', initialized?.key]);
    assert.equal(initialized?.partner, initialize?.key);
    assert.equal(typeof initialize?.durationMs, 'number');
    await session.prompt(text('say hi'));
    const after = await inspector.until(responseTo('session/prompt'));
    const prompt = after.find(({ kind, method }) => kind === 'request' && method === 'session/prompt');
    assert.deepEqual([prompt?.outcome, prompt?.session], ['ok', session.id]);
    inspector.say({ type: 'detail', key: prompt?.key });
    const detail = inspector.posted.at(-1);
    assert.ok(detail?.type === 'detail' && detail.text.includes('  "method": "session/prompt"'));
  });

  it('it can be paused and cleared, and the actions of the panel are executed', async (t) => {
    const sources = new TrafficSources(nullLogger);
    const host = await hostOf(t, 'obedient');
    attach(t, sources, host);
    const inspector = inspect(t, sources);
    inspector.say({ type: 'ready' });
    inspector.say({ type: 'pause', paused: true });
    const kept = new Promise<void>((resolve) =>
      inspector.trafficLog.onUpdate(({ rows }) => {
        if (responseTo('session/new')(rows)) resolve();
      }),
    );
    await host.newSession();
    await kept;
    assert.equal(inspector.posted.length, 1);
    inspector.say({ type: 'pause', paused: false });
    const rows = await inspector.until(responseTo('session/new'));
    assert.equal(inspector.trafficLog.find(rows.map(({ key }) => key)).length, rows.length);
    inspector.say({ type: 'copy', keys: [1] });
    assert.deepEqual(inspector.intents, [{ type: 'copy', keys: [1] }]);
    inspector.say({ type: 'clear' });
    assert.deepEqual(inspector.posted.at(-1), { type: 'all', rows: [] });
    inspector.say({ type: 'nonsense' });
    assert.deepEqual(inspector.intents.length, 1);
  });

  it('it remains after the agent crashed, with lost requests, and after its host was disposed', async (t) => {
    const sources = new TrafficSources(nullLogger);
    const host = await hostOf(t, 'obedient');
    const attached = sources.attach(host, 'obedient');
    const inspector = inspect(t, sources);
    inspector.say({ type: 'ready' });
    const session = await host.newSession();
    await session.prompt(text('die 9'));
    const rows = await inspector.until((all) => all.some(({ text: words }) => /exited unexpectedly \(code 9\)/.test(words)));
    assert.deepEqual(
      rows.filter(({ kind, method }) => kind === 'request' && method === 'session/prompt').map(({ outcome }) => outcome),
      ['lost'],
    );
    attached.dispose();
    host.dispose();
    const [gone] = sources.all;
    assert.equal(gone?.diagnostics().counters.starts, 1);
    assert.equal(gone?.read({ limit: 1 }).length, 1);
    assert.ok(gone.diagnostics().requests.some(({ method, outcome }) => method === 'session/prompt' && outcome === 'lost'));
  });

  it('it is bounded, and says what was dropped', async (t) => {
    const sources = new TrafficSources(nullLogger);
    const host = await hostOf(t, 'spamsUpdates');
    attach(t, sources, host);
    const session = await host.newSession();
    await session.prompt(text('go'));
    const inspector = inspect(t, sources);
    inspector.say({ type: 'ready' });
    const rows = await inspector.until((all) => all.length > 0);
    assert.ok(rows.length < trafficRowLimit && rows.length > 100, String(rows.length));
    assert.ok(rows.some(({ kind, text: words }) => kind === 'gap' && /^\d+ messages are no longer available/.test(words)));
    assert.ok(
      rows.some(({ method }) => method === 'initialize'),
      'how it began is kept',
    );
  });

  it('it contains no secret known to the host', async (t) => {
    const sources = new TrafficSources(nullLogger);
    const host = await hostOf(t, 'obedient', { env: { MY_API_KEY: 'quite-secret-value' } });
    attach(t, sources, host);
    const inspector = inspect(t, sources);
    const session = await host.newSession();
    await session.prompt(text('env MY_API_KEY'));
    inspector.say({ type: 'ready' });
    const rows = await inspector.until(responseTo('session/prompt'));
    for (const { key } of rows) inspector.say({ type: 'detail', key });
    assert.ok(!JSON.stringify(inspector.posted).includes('quite-secret-value'));
  });
});
