/** An engine that does not answer. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { EngineAccess, EngineClient, type EngineConnection } from '../../../src/core/index.js';
import { openStoreLab } from '../store/storeLab.js';

/** A front end of an engine in a process of its own, which is ended with the test. */
async function connect(t: TestContext): Promise<{ readonly client: EngineClient; readonly pid: () => number }> {
  const { state } = await openStoreLab(t);
  const access = new EngineAccess({ stateFolder: state, version: '0', program: 'terminal', env: process.env }, 'process');
  const client = new EngineClient({
    connect: () => access.connect(),
    attaching: { program: 'terminal', use: 'share' },
    services: {},
    patienceMs: 500,
  });
  t.after(() => client.leave());
  await client.connected();
  const pid = (): number => ('engine' in client.connection ? client.connection.engine.pid : assert.fail('not connected'));
  return { client, pid };
}

const reached = (client: EngineClient, state: EngineConnection['state']): Promise<void> =>
  new Promise((resolve) => {
    if (client.connection.state === state) return resolve();
    client.onConnection((connection) => connection.state === state && resolve());
  });

it('is noticed when it is asked for something, and forgotten when it answers', async (t) => {
  const { client, pid } = await connect(t);
  process.kill(pid(), 'SIGSTOP');
  const asked = client.call('saved', {});
  await reached(client, 'hanging');
  process.kill(pid(), 'SIGCONT');
  assert.deepEqual((await asked).conversations, []);
  await reached(client, 'connected');
});

it('is killed by a restart, after which another one answers', async (t) => {
  const { client, pid } = await connect(t);
  const hanging = pid();
  process.kill(hanging, 'SIGSTOP');
  const asked = assert.rejects(client.call('saved', {}));
  await reached(client, 'hanging');
  await client.restart();
  await asked;
  assert.notEqual((await client.call('summary', {})).pid, hanging);
});

it('ends in order in a restart if it answers', async (t) => {
  const { client, pid } = await connect(t);
  const before = pid();
  await client.restart();
  assert.notEqual((await client.call('summary', {})).pid, before);
});
