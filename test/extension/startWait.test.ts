/** What the chat shows while an agent has not answered yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitOf } from '../../src/extension/chat/waitView.js';

const start = 1_000_000;
const status = { state: 'starting', since: start, awaiting: 'initialize', protocol: 'pi' } as const;
const waitAt = (now: number) =>
  waitOf({ agent: 'Mine', status, session: undefined, requests: [], opening: undefined, live: false, quietAfterMs: 60_000, now });

test('a slow start shows what it is waiting for', () => {
  const early = waitAt(start + 1_000);
  assert.deepEqual([early.view?.text, early.wakeAt], ['Starting Mine', start + 5_000]);
  assert.equal(waitAt(start + 5_000).view?.text, 'Waiting for Mine to answer over the protocol "pi"');
});
