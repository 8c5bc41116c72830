/** Where the engine of a state folder runs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { watch, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { Engine, EngineAccess, EngineClient, type EnginePlace } from '../../../src/core/index.js';
import type { EngineSummary } from '../../../src/core/engine/contract.js';
import { openStoreLab } from '../store/storeLab.js';

const attaching = { program: 'editor', use: 'share', keepAliveMs: 0 } as const;

function accessTo(t: TestContext, stateFolder: string, place: EnginePlace, version = '1.0.0'): EngineAccess {
  const access = new EngineAccess({ stateFolder, version, program: 'editor', env: process.env }, place);
  t.after(() => access.end());
  return access;
}

/** Attaches a front end. */
async function attach(access: EngineAccess): Promise<EngineSummary> {
  return (await (await access.connect()).call('attach', attaching)) as EngineSummary;
}

it('an engine in this process is found by others, and the next one of them takes over when it ends', async (t) => {
  const { state } = await openStoreLab(t);
  const [first, second] = [accessTo(t, state, 'here'), accessTo(t, state, 'here')];
  assert.deepEqual([(await attach(first)).frontEnds, (await attach(second)).frontEnds], [1, 2]);
  await first.end();
  assert.equal((await attach(second)).frontEnds, 1);
});

it('an engine in this process gives up the folder when a newer version asks', async (t) => {
  const { state } = await openStoreLab(t);
  const old = accessTo(t, state, 'here');
  await (await old.connect()).call('attach', { ...attaching, use: 'look' });
  const wire = await accessTo(t, state, 'process', '1.1.0').connect();
  t.after(() => wire.dispose());
  const { pid, location } = (await wire.call('attach', attaching)) as EngineSummary;
  assert.deepEqual([pid === process.pid, location], [false, 'process']);
  const again = await old.connect();
  assert.equal(((await again.call('attach', { ...attaching, use: 'look' })) as EngineSummary).pid, pid);
  again.dispose();
});

it('an engine in this process that gives up the folder ends its agents in order, and whoever connects meanwhile gets the next one', async (t) => {
  const { state, workspace } = await openStoreLab(t);
  const old = accessTo(t, state, 'here');
  const [saves, saved] = ['saves', 'saved'].map((name) => path.join(workspace, name)) as [string, string];
  // An agent that takes a moment to save what it knows.
  const script = `import { writeFileSync } from 'node:fs';
    const { exit } = process;
    process.exit = () => {
      writeFileSync(${JSON.stringify(saves)}, '');
      setTimeout(() => exit(writeFileSync(${JSON.stringify(saved)}, '')), 500);
    };`;
  const agent = path.resolve(import.meta.dirname, '../../agents/obedient.mjs');
  const definition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: ['--import', `data:text/javascript,${encodeURIComponent(script)}`, agent],
    env: {},
    protocol: 'acp',
  };
  const client = new EngineClient({
    connect: () => old.connect(),
    attaching,
    services: {
      peek_agent: async () => ({ id: definition.id, label: definition.label, isFallback: false }),
      choose_agent: async () => ({
        definition,
        isFallback: false,
        baseEnv: process.env,
        clientInfo: { name: 't', title: 'T', version: '0' },
        optionDefaults: [],
      }),
    },
  });
  t.after(() => client.dispose());
  await client.connected();
  assert.deepEqual(await client.open({ cwd: workspace }).execute({ type: 'open' }), { ok: true });
  const changes = watch(workspace);
  const newer = accessTo(t, state, 'process', '1.1.0').connect();
  for await (const { filename } of changes) if (filename === path.basename(saves)) break;
  const meanwhile = await old.connect();
  const wire = await newer;
  t.after(() => wire.dispose());
  assert.ok(existsSync(saved));
  const { pid } = (await meanwhile.call('attach', { ...attaching, use: 'look' })) as EngineSummary;
  meanwhile.dispose();
  // The engine ends with its last front end.
  assert.equal(((await wire.call('attach', attaching)) as EngineSummary).pid, pid);
});

for (const place of ['here', 'process'] as const)
  it(`front ends follow from an engine of an older version to that of a newer one, ${place}`, async (t) => {
    const { state } = await openStoreLab(t);
    const old = accessTo(t, state, place);
    const client = new EngineClient({ connect: () => old.connect(), attaching, services: {} });
    t.after(() => client.dispose());
    await client.connected();
    const next = new Promise<string>((resolve) => client.onConnection((now) => now.state === 'connected' && resolve(now.engine.version)));
    const wire = await accessTo(t, state, 'process', '1.1.0').connect();
    t.after(() => wire.dispose());
    assert.equal(((await wire.call('attach', attaching)) as EngineSummary).version, '1.1.0');
    assert.equal(await next, '1.1.0');
  });

it('an engine that is alone is found by no one', async (t) => {
  const { state } = await openStoreLab(t);
  assert.equal((await attach(accessTo(t, state, 'alone'))).frontEnds, 1);
  assert.equal((await attach(accessTo(t, state, 'here'))).frontEnds, 1);
});

it('without a folder to save in, the engine works in this process', async (t) => {
  const file = path.join((await openStoreLab(t)).workspace, 'file');
  await writeFile(file, '');
  for (const place of ['process', 'here'] as const) {
    const { pid, location } = await attach(accessTo(t, path.join(file, 'state'), place));
    assert.deepEqual([pid, location], [process.pid, 'window']);
  }
});

it('when an engine leaves a front end, the next one may already have the folder', async (t) => {
  const { state } = await openStoreLab(t);
  const access = accessTo(t, state, 'here');
  const wire = await access.connect();
  await wire.call('attach', attaching);
  const isStillNamed = new Promise<boolean>((resolve) => wire.onClosed(() => resolve(existsSync(path.join(state, 'engine.json')))));
  await access.end();
  assert.equal(await isStillNamed, false);
});

it('front ends are left, and nothing rejects, if a conversation cannot be ended', async (t) => {
  const { state } = await openStoreLab(t);
  const engine = new Engine({ stateFolder: state, version: '1.0.0', location: 'process', onIdle: () => {} });
  await engine.load();
  const wire = engine.connect();
  const left = new Promise<void>((resolve) => wire.onClosed(() => resolve()));
  await wire.call('attach', attaching);
  t.mock.method(engine.conversations, 'end', () => Promise.reject(new Error('The disk is gone')));
  await engine.close();
  await left;
});
