/** A process of an agent in the Pi family that ends while the host is busy. Each session has its own process. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createAgentHost } from '../../src/core/host/agentHost.js';
import type { Session } from '../../src/core/host/api.js';
import { lines, temporaryFolder, text } from '../core/host/launch.js';
import { within } from '../real/deadline.js';
import { pidsIn } from './peer.js';
import { piStandIn } from './piPeers.js';

/** The process has ended, and this process does not know it yet. */
const isZombie = (pid: number): boolean => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

test('a prompt that cannot be written to a lost process ends its turn, and the other session works', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const folder = await temporaryFolder(t);
  const agent = piStandIn('pi087', folder);
  assert.ok('command' in agent);
  const host = createAgentHost({
    agent: { ...agent, id: 'pi', protocol: 'pi' },
    cwd: folder,
    clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
    terminalAuth: false,
  });
  t.after(async () => {
    await host.stop({ force: true });
    host.dispose();
  });
  const begin = async (): Promise<Session> => {
    const session = await host.newSession();
    await within(session.prompt(text('family')), 'end');
    return session;
  };
  const [other, lost] = [await begin(), await begin()];
  const [pid] = pidsIn(lines(lost.state).join(' '));
  process.kill(pid, 'SIGKILL');
  while (!isZombie(pid));
  const outcome = await within(lost.prompt(text('hello')), 'end of the turn');
  assert.ok(outcome.type === 'interrupted' && outcome.error.code === 'session_unknown', JSON.stringify(outcome));
  assert.equal((await within(other.prompt(text('hello')), 'end')).type, 'ended');
});
