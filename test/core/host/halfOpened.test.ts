/** Agents that begin to open something and then fail, or are not wanted any more. */
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

const signal = () => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
};

it('a session that could not be opened is not known any more', async (t) => {
  const host = await hostOf(t, 'parrot', { agent: { ...parrotAgent, protocol: 'parrot-half' } });
  await assert.rejects(host.newSession(), { code: 'request_failed' });
  assert.equal(host.sessions.size, 0);
});

it('an agent that is connected only after it was stopped is ended, too', async (t) => {
  const found = signal();
  const goOn = signal();
  const ended = signal();
  assert.ok(parrot.peer === 'process');
  addProtocol('parrot-late', {
    ...parrot,
    async connect(o: ConnectOptions) {
      const backend = await parrot.connect(o);
      backend.onClosed(() => ended.resolve());
      found.resolve();
      await goOn.promise;
      return backend;
    },
  });
  const host = await hostOf(t, 'parrot', { agent: { ...parrotAgent, protocol: 'parrot-late' } });
  const started = assert.rejects(host.start(), { code: 'cancelled' });
  await found.promise;
  const stopped = host.stop();
  goOn.resolve();
  await started;
  await stopped;
  await ended.promise;
  assert.equal(host.status.state, 'stopped');
});
