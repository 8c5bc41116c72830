/** Conversations that several front ends show, or none. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import {
  type ConversationClient,
  type ConversationCommand,
  type ConversationState,
  Engine,
  isSettled,
  selectOption,
  signsOfWork,
} from '../../../src/core/index.js';
import { reached, run, say } from '../conversation/frontEnd.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

const asks = ({ session }: ConversationState): boolean => (session?.requests.length ?? 0) > 0;
const works = ({ session }: ConversationState): boolean => session?.turn.type === 'running';
const hasEnded = (state: ConversationState): boolean => isSettled(state) && state.session?.turn.type === 'idle';

const shows =
  (words: string) =>
  (state: ConversationState): boolean =>
    JSON.stringify(state.session?.items ?? []).includes(words);

/** Resolves when both show the same again. */
const agree = (one: ConversationClient, other: ConversationClient): Promise<void> =>
  reached(other, (state) => state.revision === one.state.revision);

it('only a front end that reads the traffic of an agent is told that there is more', async (t) => {
  const lab = await openStoreLab(t);
  const { engine, client } = await openEngine(t, lab.state);
  const look = async () => {
    const wire = engine.connect();
    t.after(() => wire.dispose());
    wire.serve(() => Promise.resolve(undefined));
    const told: string[] = [];
    let onNext = (): void => {};
    wire.onTold(({ channel }) => {
      if (channel !== 'traffic') return;
      told.push(channel);
      onNext();
    });
    await wire.call('attach', { program: 'editor', use: 'look' });
    return { wire, told, next: () => new Promise<void>((resolve) => (onNext = resolve)) };
  };
  const [other, reader] = [await look(), await look()];
  const here = client.open({ cwd: lab.workspace });
  await say(here, 'say first');
  for (const prompt of ['second', 'third']) {
    const [process] = client.facts.state.processes;
    const next = reader.next();
    await reader.wire.call('read_traffic', { process: process?.id ?? 0 });
    await say(here, `say ${prompt}`);
    await next;
  }
  assert.deepEqual([other.told.length, reader.told.length], [0, 2]);
});

/** Collects the IDs of the front ends that answer. */
function answerers(conversation: ConversationClient): readonly (string | undefined)[] {
  const ids: (string | undefined)[] = [];
  conversation.onChange(({ events = [] }) => {
    for (const told of events)
      if (told.type === 'session') for (const event of told.events) if (event.type === 'request_closed') ids.push(event.by?.id);
  });
  return ids;
}

describe('a conversation with two front ends', () => {
  it('one that vanishes before it names the agent leaves the conversation to the other', async (t) => {
    const lab = await openStoreLab(t);
    const { engine, client } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const vanishing = engine.connect();
    const isAsked = new Promise<void>((resolve) =>
      vanishing.serve(() => {
        resolve();
        return new Promise(() => {});
      }),
    );
    await vanishing.call('attach', { program: 'editor', use: 'share' });
    await vanishing.call('open', where);
    await isAsked;
    const here = client.open(where);
    await client.call('summary', {});
    vanishing.dispose();
    await reached(here, ({ agent, blocker }) => agent !== undefined || blocker !== undefined);
    assert.equal(here.state.blocker, undefined);
    await say(here, 'say hello');
    assert.ok(shows('hello')(here.state));
  });

  it('each sees what the other sends, in order', async (t) => {
    const lab = await openStoreLab(t);
    const { client, attach } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const [here, there] = [client.open(where), (await attach()).open(where)];
    await say(here, 'say first');
    await reached(there, shows('first'));
    await say(there, 'say second');
    await reached(here, shows('second'));
    await agree(here, there);
    assert.deepEqual(there.state, here.state);
  });

  it('the first answer to a request counts, the second is refused, and both are told who answered', async (t) => {
    const lab = await openStoreLab(t);
    const { client, attach } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const other = await attach();
    const [here, there] = [client.open(where), other.open(where)];
    const told = [here, there].map(answerers);
    await run(here, send('ask'));
    await Promise.all([reached(here, asks), reached(there, asks)]);
    const [request = assert.fail()] = there.state.session?.requests ?? [];
    const answer = (optionId: string): ConversationCommand => ({
      type: 'answer_request',
      requestId: request.id,
      answer: selectOption(optionId),
    });
    const results = await Promise.all([there.execute(answer('no')), here.execute(answer('yes'))]);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false],
    );
    await Promise.all([reached(here, hasEnded), reached(there, hasEnded)]);
    assert.ok(shows('"no"')(here.state), 'the agent got another answer');
    assert.notEqual(other.id, client.id);
    assert.deepEqual(told, [[other.id], [other.id]]);
  });

  it('a front end that stops a turn stops it for the other one', async (t) => {
    const lab = await openStoreLab(t);
    const { client, attach } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const [here, there] = [client.open(where), (await attach()).open(where)];
    await run(here, send('drip drop'));
    await reached(there, shows('drop drop'));
    await run(there, { type: 'cancel', scope: 'turn' });
    await Promise.all([reached(here, hasEnded), reached(there, hasEnded)]);
    await agree(here, there);
    assert.deepEqual(there.state, here.state);
  });
});

describe('an engine that has just started', () => {
  const start = async (t: TestContext) => {
    const lab = await openStoreLab(t);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isIdle = false;
    const engine = new Engine({ stateFolder: lab.state, version: '0', location: 'process', onIdle: () => (isIdle = true) });
    t.after(() => engine.dispose());
    await engine.load();
    return { engine, isIdle: () => isIdle };
  };

  it('ends if whoever started it is gone, whoever looks at it meanwhile', async (t) => {
    const { engine, isIdle } = await start(t);
    await engine.connect().call('attach', { program: 'terminal', use: 'look' });
    t.mock.timers.tick(29_000);
    assert.equal(isIdle(), false);
    t.mock.timers.tick(2_000);
    assert.equal(isIdle(), true);
  });

  it('stays as soon as it has a front end', async (t) => {
    const { engine, isIdle } = await start(t);
    await engine.connect().call('attach', { program: 'terminal', use: 'once' });
    t.mock.timers.tick(60_000);
    assert.equal(isIdle(), false);
  });
});

describe('a conversation without a front end', () => {
  it('its turn goes on, and the next front end sees all of it', async (t) => {
    const lab = await openStoreLab(t);
    const { engine, client, attach } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const here = client.open(where);
    await run(here, send('drip drop'));
    await reached(here, shows('drop'));
    client.dispose();
    assert.equal(engine.running, 1);
    const there = (await attach()).open(where);
    await reached(there, shows('drop drop drop drop'));
    await run(there, { type: 'cancel', scope: 'turn' });
    await reached(there, hasEnded);
  });

  it('its request waits, for as long as that takes, and can be answered by the next front end', async (t) => {
    const lab = await openStoreLab(t);
    const { engine, client, attach, idle } = await openEngine(t, lab.state, {}, 0);
    const where = { cwd: lab.workspace, id: 'one' };
    const here = client.open(where);
    await run(here, send('ask'));
    await reached(here, asks);
    client.dispose();
    assert.equal(await Promise.race([idle.then(() => 'ended'), new Promise((resolve) => setImmediate(resolve, 'waits'))]), 'waits');
    assert.equal(engine.running, 1);
    const next = await attach();
    const there = next.open(where);
    await reached(there, asks);
    const [request = assert.fail()] = there.state.session?.requests ?? [];
    await run(there, { type: 'answer_request', requestId: request.id, answer: selectOption('yes') });
    await reached(there, hasEnded);
    assert.ok(shows('"yes"')(there.state));
    next.dispose();
    // Only now nothing keeps it.
    await idle;
  });

  it('the engine ends after its turn', async (t) => {
    const lab = await openStoreLab(t);
    const { client, idle } = await openEngine(t, lab.state, {}, 0);
    const here = client.open({ cwd: lab.workspace, id: 'one' });
    const sent = run(here, send('say the end'));
    await reached(here, (state) => works(state) || hasEnded(state));
    await sent;
    client.dispose();
    await idle;
  });

  for (const [what, isUnread] of [
    ['ended', true],
    ['the user stopped', false],
  ] as const)
    it(`what ${what} is ${isUnread ? '' : 'not '}unread for the next front end`, async (t) => {
      const lab = await openStoreLab(t);
      const { engine, client, attach } = await openEngine(t, lab.state);
      const where = { cwd: lab.workspace, id: 'one' };
      const here = client.open(where);
      await run(here, send(isUnread ? 'ask' : 'drip drop'));
      await reached(here, isUnread ? asks : shows('drop'));
      const [request] = here.state.session?.requests ?? [];
      await client.release('one');
      // A command that shows nothing.
      const stopper = await attach();
      const command: ConversationCommand =
        request === undefined
          ? { type: 'cancel', scope: 'turn' }
          : { type: 'answer_request', requestId: request.id, answer: selectOption('yes') };
      const ended = new Promise<void>((resolve) => engine.conversations.onBatch(() => engine.running === 0 && setImmediate(resolve)));
      await stopper.call('execute', { id: 'one', command });
      await ended;
      const [, unseen = ''] = signsOfWork(lab.state);
      assert.equal(existsSync(unseen), isUnread);
      const next = await attach('editor');
      assert.equal(existsSync(unseen), false);
      assert.equal(next.list.state.conversations.find(({ id }) => id === 'one')?.isUnread, isUnread);
    });

  it('what ends is unread unless the user sees it in one of the front ends, and until then', async (t) => {
    const lab = await openStoreLab(t);
    const { client, attach } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const other = await attach('editor');
    const [here, there] = [client.open(where), other.open(where)];
    const marks = async (): Promise<boolean | undefined> => {
      await other.call('summary', {});
      return client.list.state.conversations.find(({ id }) => id === 'one')?.isUnread;
    };
    const isUnread = (unread: boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (client.list.state.conversations.find(({ id }) => id === 'one')?.isUnread !== unread) return;
          subscription.dispose();
          resolve();
        };
        const subscription = client.list.onChange(look);
        look();
      });
    other.see([]);
    await say(here, 'say seen here');
    await reached(there, hasEnded);
    assert.equal(await marks(), false);
    client.see([]);
    await say(here, 'say out of sight');
    await isUnread(true);
    other.see(['one']);
    await isUnread(false);
    other.see([]);
    await say(here, 'say out of sight');
    await isUnread(true);
    await run(here, send('ask'));
    await reached(here, asks);
    await isUnread(false);
  });

  it('a conversation is not unread because its agent was started again for another one', async (t) => {
    const lab = await openStoreLab(t);
    const { engine, client } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    await say(client.open(where), 'say first');
    await client.release('one');
    engine.conversations.mark('one', { isUnread: false });
    const isBack = new Promise<void>((resolve) => {
      let wasLost = false;
      engine.conversations.onConversation(({ id, state }) => {
        if (id !== 'one') return;
        wasLost ||= !state.live;
        if (wasLost && state.live) setImmediate(resolve);
      });
    });
    const other = client.open({ ...where, id: 'two' });
    await run(other, send('die 1'));
    await isBack;
    assert.equal(engine.conversations.state.conversations.find(({ id }) => id === 'one')?.isUnread, false);
  });

  it('an agent that is lost is started again as it was', async (t) => {
    const lab = await openStoreLab(t);
    const { engine, client } = await openEngine(t, lab.state);
    const here = client.open({ cwd: lab.workspace, id: 'one' });
    await say(here, 'say first');
    const isBack = new Promise<void>((resolve) => {
      let wasLost = false;
      engine.conversations.onConversation(({ state }) => {
        wasLost ||= state.interrupted !== undefined;
        if (wasLost && state.live) resolve();
      });
    });
    await run(here, send('die 1'));
    client.dispose();
    await isBack;
  });
});
