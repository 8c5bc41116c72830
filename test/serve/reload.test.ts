/** A client that loads a session that is already open. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostError } from '../../src/core/index.js';
import { wire, type Wired, type Wiring } from './wired.js';

const untilCancelled: Wiring['turn'] = (_, { cancelled }) =>
  new Promise((resolve) => cancelled.addEventListener('abort', () => resolve({ stopReason: 'cancelled' })));
const load = ({ request }: Wired): Promise<unknown> => request('session/load', { sessionId: 'one', cwd: '/', mcpServers: [] });
const nothing = (): Promise<void> => Promise.resolve();

describe('a session that is loaded again', () => {
  test('is closed first: its turn ends as cancelled, and a later cancel reaches the new turn', async (t) => {
    const wired = await wire(t, { turn: untilCancelled, backend: { load: nothing } });
    const before = wired.prompt('one');
    await load(wired);
    assert.deepEqual(await before, { stopReason: 'cancelled' });
    const after = wired.prompt('two');
    wired.cancel();
    assert.deepEqual(await after, { stopReason: 'cancelled' });
    assert.equal(wired.scripted().openCount, 1);
    await wired.request('session/close', { sessionId: 'one' });
    assert.equal(wired.scripted().openCount, 0);
  });

  test('stays open if the agent supports no such request', async (t) => {
    const wired = await wire(t, { backend: { load: nothing } });
    await assert.rejects(wired.request('session/resume', { sessionId: 'one', cwd: '/' }), {
      data: { code: 'unsupported', reason: 'resume' },
    });
    assert.deepEqual(await wired.prompt('go'), { stopReason: 'end_turn' });
  });

  test('is open only once, even if several loads arrive at the same time', async (t) => {
    const counts: number[] = [];
    const wired: Wired = await wire(t, { backend: { load: async () => void counts.push(wired.scripted().openCount) } });
    await Promise.all([load(wired), load(wired), load(wired)]);
    assert.deepEqual(counts, [1, 1, 1]);
    assert.deepEqual(await wired.prompt('go'), { stopReason: 'end_turn' });
  });

  test('is not open after a failed load, and can be loaded again', async (t) => {
    let fails = true;
    const failing = (): Promise<void> => (fails ? Promise.reject(new HostError('session_unknown', { reason: 'refused' })) : nothing());
    const wired = await wire(t, { backend: { load: failing } });
    await assert.rejects(load(wired));
    await assert.rejects(wired.prompt('go'), { code: -32002 });
    fails = false;
    await load(wired);
    assert.deepEqual(await wired.prompt('go'), { stopReason: 'end_turn' });
  });
});
