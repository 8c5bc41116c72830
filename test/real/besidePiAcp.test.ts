/**
 * The same prompts to the same Pi through `acp-host serve` and through pi-acp: ours reports everything to an editor that pi-acp reports.
 */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { said } from '../realAgents/model/script.js';
import type { SdkClient } from '../serve/sdkClient.js';
import { lostIn, missingPiAcp, type Report, reportOf, type Served, serveOurs, serveTheirs } from './besidePi.js';
import { missingPi } from './pi.js';

/** Asks before Pi writes, so that both have time to read the unchanged file. */
const gate = fileURLToPath(new URL('../../media/pi/askFirst.js', import.meta.url));
const notices = fileURLToPath(new URL('./piNotices.mjs', import.meta.url));

interface Open {
  readonly client: SdkClient;
  readonly sessionId: string;
  /** Runs `act`, and reports the updates that arrive meanwhile. */
  during(act: () => Promise<{ readonly stopReason?: string } | void>): Promise<Report>;
}

async function open(served: Served, sessionId?: string): Promise<Open> {
  const client = served.connect();
  await client.initialize();
  const id = sessionId ?? (await client.open()).sessionId;
  if (sessionId !== undefined) await client.load(sessionId);
  let told = 0;
  return {
    client,
    sessionId: id,
    async during(act) {
      const { stopReason } = (await act()) ?? {};
      const updates = client.updates.all.slice(told);
      told = client.updates.all.length;
      return reportOf(updates, served.pi, stopReason);
    },
  };
}

const both = async (t: TestContext, args: readonly string[] = []): Promise<readonly [Served, Served]> =>
  Promise.all([serveOurs(t, args), serveTheirs(t, args)]);

/** Runs `act` with both. @param o.ownWords the answer is not text from Pi */
async function beside(
  name: string,
  [ours, theirs]: readonly [Open, Open],
  act: (open: Open) => ReturnType<Parameters<Open['during']>[0]>,
  o: { readonly ownWords?: boolean } = {},
): Promise<void> {
  const [our, their] = await Promise.all([ours.during(() => act(ours)), theirs.during(() => act(theirs))]);
  assert.deepEqual(lostIn(our, o.ownWords === true ? { ...their, agent: '' } : their), [], name);
}

const say = (served: readonly [Served, Served], opened: readonly [Open, Open], name: string) =>
  beside(name, opened, async (one) => {
    const { pi } = served[opened.indexOf(one)] ?? assert.fail();
    return one.client.prompt(one.sessionId, pi.prompt(name)[0]?.text ?? '');
  });

const usage = async ({ client }: Open): Promise<void> => {
  await client.updates.until('usage', ({ sessionUpdate }) => sessionUpdate === 'usage_update');
};

describe('`acp-host serve` compared with pi-acp', { skip: missingPiAcp() || missingPi('pi 1.6.0') }, () => {
  test('an editor gets everything of a conversation that pi-acp reports, also when it loads the session again', async (t) => {
    const served = await both(t, ['--extension', gate]);
    const opened = await Promise.all([open(served[0]), open(served[1])]);
    await beside('opened', opened, usage);
    for (const name of ['text', 'thinking', 'read', 'shell', 'shell-fails', 'edit', 'overwrite', 'write']) await say(served, opened, name);
    await beside('endless', opened, async ({ client, sessionId }) => {
      const { pi } = served[client === opened[0].client ? 0 : 1];
      const turn = client.prompt(sessionId, pi.prompt('endless')[0]?.text ?? '');
      await client.updates.until('beginning', (update) => JSON.stringify(update).includes(said.beginning.trim()));
      client.cancel(sessionId);
      return turn;
    });
    await beside('name', opened, ({ client, sessionId }) => client.prompt(sessionId, '/name Seven words'), { ownWords: true });
    await beside('model', opened, async ({ client, sessionId }) => {
      const before = client.updates.all.length;
      await client.setOption(sessionId, 'model', 'mock/mock-2');
      const since = (update: SessionUpdate): boolean => client.updates.all.indexOf(update) >= before;
      await client.updates.until('usage', (update) => update.sessionUpdate === 'usage_update' && since(update));
    });
    for (const { client } of opened) client.leave();
    await Promise.all(opened.map(({ client }) => client.ended()));
    const again = await Promise.all([open(served[0], opened[0].sessionId), open(served[1], opened[1].sessionId)]);
    await beside('loaded', again, usage);
    await say(served, again, 'recall');
  });

  test('an editor gets the warnings of an extension and the retries of the provider', async (t) => {
    const served = await both(t, ['--extension', notices]);
    const [ours, theirs] = await Promise.all([open(served[0]), open(served[1])]);
    const texts = async (one: Open, of: Served): Promise<string> => {
      const { agent } = await one.during(() => one.client.prompt(one.sessionId, of.pi.prompt('overloaded')[0]?.text ?? '').catch(() => {}));
      return agent;
    };
    const [our, their] = await Promise.all([texts(ours, served[0]), texts(theirs, served[1])]);
    assert.match(their, /Check the disk\..*Retrying \(attempt 1\/1/s);
    assert.match(our, /^> \*\*Warning:\*\* Check the disk\.$/m);
    assert.match(our, /^> .*is retrying its provider.*attempt 1 of 1/m);
  });

  test('an editor lists the saved sessions and deletes one', async (t) => {
    const served = await both(t);
    const facts = await Promise.all(
      served.map(async (one, index) => {
        const { client, sessionId } = await open(one);
        for (const name of ['text', 'read']) await client.prompt(sessionId, one.pi.prompt(name)[0]?.text ?? '');
        const list = async (): Promise<readonly { readonly sessionId: string; readonly updatedAt: string }[]> => {
          const { sessions } = (await client.request('session/list', { cwd: one.pi.rooms.cwd })) as {
            readonly sessions: readonly { readonly sessionId: string; readonly updatedAt: string }[];
          };
          return sessions;
        };
        const [saved, ...others] = await list();
        assert.equal(saved?.sessionId, sessionId);
        assert.ok(Math.abs(Date.parse(saved?.updatedAt ?? '') - Date.now()) < 60_000);
        await client.request('session/delete', { sessionId });
        assert.deepEqual(await list(), []);
        await client.request('session/delete', { sessionId });
        if (index === 0) await assert.rejects(client.load(sessionId), { code: -32002 });
        const { sessionId: _, updatedAt: _at, ...rest } = saved ?? assert.fail();
        return JSON.stringify([rest, others]).replaceAll(one.pi.rooms.cwd, '/work');
      }),
    );
    assert.equal(facts[0], facts[1]);
  });
});
