/** The terminals of a session whose agent releases none. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { SessionTerminals } from '../../../src/core/backends/acp/sessionTerminals.js';
import { nullLogger } from '../../../src/core/base/logger.js';

const ended = { command: 'true', args: [], env: {}, cwd: tmpdir(), outputByteLimit: undefined };
const running = { ...ended, command: 'sleep', args: ['600'] };

it('the oldest that has ended makes room for another one, and none that runs does', {
  skip: process.platform === 'win32' && 'uses POSIX programs',
}, async (t) => {
  const terminals = new SessionTerminals(process.env, nullLogger, () => {}, 3);
  t.after(async () => {
    terminals.dispose();
    await terminals.settled();
  });
  const [first, second, third] = [await terminals.create(running), await terminals.create(ended), await terminals.create(running)];
  await terminals.get(second)?.exited;
  const fourth = await terminals.create(running);
  assert.deepEqual(
    [first, second, third, fourth].map((id) => terminals.get(id) !== undefined),
    [true, false, true, true],
  );
  await assert.rejects(terminals.create(ended), { code: 'queue_full' });
});
