/** From a real agent to the page of the inspector. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  type TrafficHostMessage,
  trafficHostMessageSchema,
  type TrafficPageMessage,
  trafficPageMessageSchema,
  type TrafficRow,
  trafficRowLimit,
} from '../../src/contract/traffic.js';
import { Emitter, type Event, type Logger, nullLogger } from '../../src/core/index.js';
import { openPort } from '../../src/extension/pages/webviewPage.js';
import { TrafficSources } from '../../src/extension/traffic/sources.js';
import { type TrafficIntent, TrafficLink } from '../../src/extension/traffic/trafficPanel.js';
import { TrafficLog } from '../../src/extension/traffic/trafficLog.js';
import { run, say, text } from '../core/conversation/frontEnd.js';
import { openWindow as open, type WindowOptions } from './openWindow.js';

interface Inspector {
  readonly posted: TrafficHostMessage[];
  readonly intents: TrafficIntent[];
  readonly trafficLog: TrafficLog;
  readonly onPost: Event<void>;
  say(message: unknown): void;
  /** Resolves once a posted message fits. */
  until(fits: (rows: readonly TrafficRow[]) => boolean): Promise<readonly TrafficRow[]>;
}

function inspect(t: TestContext, sources: TrafficSources): Inspector {
  const [posted, intents]: [TrafficHostMessage[], TrafficIntent[]] = [[], []];
  const fromPage = new Emitter<unknown>();
  const onPost = new Emitter<void>();
  const trafficLog = new TrafficLog(sources, nullLogger);
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
    onPost: onPost.event,
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

/** A window with one conversation. */
async function openWindow(t: TestContext, options: WindowOptions = {}, log: Logger = nullLogger) {
  const { lab, client, conversations, folder } = await open(t, options);
  const sources = new TrafficSources({ engine: client, folders: () => [folder], log });
  t.after(() => sources.dispose());
  const { conversation } = conversations.open(folder);
  return { lab, client, conversations, folder, sources, conversation };
}

const responseTo =
  (method: string) =>
  (rows: readonly TrafficRow[]): boolean =>
    rows.some((row) => row.kind === 'response' && row.method === method);

/** Resolves with the next message of this type. */
function posted<T extends TrafficHostMessage['type']>(
  { posted: all, onPost }: Inspector,
  type: T,
): Promise<Extract<TrafficHostMessage, { type: T }>> {
  const before = all.length;
  return new Promise((resolve) => {
    const subscription = onPost(() => {
      const found = all.slice(before).find((message): message is Extract<TrafficHostMessage, { type: T }> => message.type === type);
      if (found === undefined) return;
      subscription.dispose();
      resolve(found);
    });
  });
}

describe('the traffic of an agent', () => {
  it('it is shown live and from its start, also if the panel is opened later', async (t) => {
    const { sources, conversation } = await openWindow(t);
    await run(conversation, { type: 'open' });
    const inspector = inspect(t, sources);
    assert.equal(inspector.posted.length, 0, 'nothing before ready');
    inspector.say({ type: 'ready' });
    const before = await inspector.until(responseTo('session/new'));
    assert.equal(before[0]?.kind, 'process');
    const [initialize, initialized] = before.filter(({ method }) => method === 'initialize');
    assert.deepEqual([initialize?.kind, initialize?.outcome, initialize?.partner], ['request', 'ok', initialized?.key]);
    assert.equal(initialized?.partner, initialize?.key);
    assert.equal(typeof initialize?.durationMs, 'number');
    await say(conversation, 'say hi');
    const after = await inspector.until(responseTo('session/prompt'));
    const prompt = after.find(({ kind, method }) => kind === 'request' && method === 'session/prompt');
    assert.deepEqual([prompt?.outcome, prompt?.session], ['ok', conversation.state.session?.sessionId]);
    const detail = posted(inspector, 'detail');
    inspector.say({ type: 'detail', key: prompt?.key });
    assert.ok((await detail).text.includes('  "method": "session/prompt"'));
  });

  it('it can be paused and cleared, and the actions of the panel are executed', async (t) => {
    const { sources, conversation } = await openWindow(t);
    const inspector = inspect(t, sources);
    inspector.say({ type: 'ready' });
    await inspector.trafficLog.ready;
    inspector.say({ type: 'pause', paused: true });
    const before = inspector.posted.length;
    const kept = new Promise<void>((resolve) =>
      inspector.trafficLog.onUpdate(({ rows }) => {
        if (responseTo('session/new')(rows)) resolve();
      }),
    );
    await run(conversation, { type: 'open' });
    await kept;
    assert.equal(inspector.posted.length, before);
    inspector.say({ type: 'pause', paused: false });
    const rows = await inspector.until(responseTo('session/new'));
    assert.equal((await inspector.trafficLog.find(rows.map(({ key }) => key))).length, rows.length);
    inspector.say({ type: 'copy', keys: [1] });
    assert.deepEqual(inspector.intents, [{ type: 'copy', keys: [1] }]);
    inspector.say({ type: 'clear' });
    assert.deepEqual(inspector.posted.at(-1), { type: 'all', rows: [] });
    inspector.say({ type: 'nonsense' });
    assert.deepEqual(inspector.intents.length, 1);
  });

  it('it remains after the agent crashed, with lost requests, and after its conversation was closed', async (t) => {
    const { lab, sources, conversation } = await openWindow(t);
    const inspector = inspect(t, sources);
    inspector.say({ type: 'ready' });
    await run(conversation, { type: 'send', content: text('die 9') });
    const rows = await inspector.until((all) => all.some(({ text: words }) => /exited unexpectedly \(code 9\)/.test(words)));
    assert.deepEqual(
      rows.filter(({ kind, method }) => kind === 'request' && method === 'session/prompt').map(({ outcome }) => outcome),
      ['lost'],
    );
    await lab.engine.conversations.close(conversation.state.id);
    const [gone = assert.fail('nothing is left')] = sources.all;
    const { counters, requests } = await gone.diagnostics();
    assert.ok(counters.starts >= 1);
    assert.equal((await gone.read({ limit: 1 })).length, 1);
    assert.ok(requests.some(({ method, outcome }) => method === 'session/prompt' && outcome === 'lost'));
  });

  it('it is bounded, and says what was dropped', async (t) => {
    const { sources, conversation } = await openWindow(t, { agent: 'spamsUpdates' });
    await say(conversation, 'go');
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

  it('it contains no secret known to the engine', async (t) => {
    const { sources, conversation } = await openWindow(t, { env: { MY_API_KEY: 'quite-secret-value' } });
    const inspector = inspect(t, sources);
    await say(conversation, 'env MY_API_KEY');
    inspector.say({ type: 'ready' });
    const rows = await inspector.until(responseTo('session/prompt'));
    for (const { key } of rows) {
      const detail = posted(inspector, 'detail');
      inspector.say({ type: 'detail', key });
      await detail;
    }
    assert.ok(!JSON.stringify(inspector.posted).includes('quite-secret-value'));
  });

  it('it is only that of the folders of the window, named if there are several', async (t) => {
    const { client, conversations, folder, conversation, sources } = await openWindow(t);
    const other = { path: join(folder.path, 'other'), name: 'other' };
    await mkdir(other.path);
    await run(conversation, { type: 'open' });
    await run(conversations.open(other).conversation, { type: 'open' });
    assert.deepEqual(
      sources.all.map(({ label }) => label),
      ['Obedient'],
    );
    const both = new TrafficSources({ engine: client, folders: () => [folder, other], log: nullLogger });
    assert.deepEqual(
      both.all.map(({ label }) => label),
      ['Obedient · folder', 'Obedient · other'],
    );
  });

  it('that of another engine is told apart', async (t) => {
    const { lab, client, sources, conversation } = await openWindow(t);
    await run(conversation, { type: 'open' });
    const [before = assert.fail('no agent')] = sources.all;
    await lab.lose(() => Promise.resolve());
    await client.connected();
    await run(conversation, { type: 'open' });
    const [after = assert.fail('no agent')] = sources.all;
    assert.notEqual(after.id, before.id);
    assert.deepEqual([await before.read(), (await after.read()).length > 0], [[], true]);
  });

  it('it is logged from the moment at which the user wants that', async (t) => {
    const lines: string[] = [];
    const onLine = new Emitter<void>();
    const trace = (line: string): void => {
      lines.push(line);
      onLine.fire();
    };
    const { sources, conversation } = await openWindow(t, {}, { ...nullLogger, trace });
    await run(conversation, { type: 'open' });
    sources.trace();
    await run(conversation, { type: 'send', content: text('say hi') });
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (lines.some((line) => /^← .*"stopReason"/.test(line))) resolve();
      };
      onLine.event(look);
      look();
    });
    assert.ok(lines.some((line) => /^→ .*"session\/prompt"/.test(line)));
    assert.ok(!lines.some((line) => line.includes('"initialize"')));
  });
});
