/** An agent that begins a session and then fails to open it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addProtocol, type ConnectOptions, HostError } from '../../../src/core/index.js';
import { parrotAgent } from '../../backends/addParrot.js';
import { parrot } from '../../backends/parrot.js';
import { hostOf } from './launch.js';

assert.ok(parrot.peer === 'process');
addProtocol('parrot-half', {
  ...parrot,
  async connect(o: ConnectOptions) {
    const backend = await parrot.connect(o);
    const { sessions } = backend;
    return Object.assign(backend, {
      sessions: {
        ...sessions,
        async open(...opening: Parameters<typeof sessions.open>) {
          await sessions.open(...opening);
          throw new HostError('request_failed', { detail: 'no tools' });
        },
      },
    });
  },
});

it('a session that could not be opened is not known any more', async (t) => {
  const host = await hostOf(t, 'parrot', { agent: { ...parrotAgent, protocol: 'parrot-half' } });
  await assert.rejects(host.newSession(), { code: 'request_failed' });
  assert.equal(host.sessions.size, 0);
});
