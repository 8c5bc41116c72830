/** What a window wants to be recorded applies to the engine, whoever started it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { Engine, EngineClient, type RecordingOptions } from '../../../src/core/index.js';
import { noEditor, posixOnly, rows } from '../services/changes/changesLab.js';
import { openEngine } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

it('the front end that attached last decides what is recorded, and one without a wish changes nothing', { skip: posixOnly }, async (t) => {
  const { state, workspace } = await openStoreLab(t);
  const engine = new Engine({ stateFolder: state, version: '0', location: 'process', onIdle: () => {} });
  await engine.load();
  t.after(() => engine.close());
  const attach = async (recording?: RecordingOptions): Promise<void> => {
    const client = new EngineClient({
      connect: () => Promise.resolve(engine.connect()),
      attaching: { program: recording === undefined ? 'terminal' : 'editor', use: 'share', ...(recording && { recording }) },
      services: {},
    });
    t.after(() => client.dispose());
    await client.connected();
  };
  const names = ['a.csv', 'b.log', 'c.txt'];
  const changes = engine.changes.of('one', workspace, noEditor);
  const turn = async (id: string): Promise<readonly string[]> => {
    await changes.begin(id, []);
    // An agent waits for the state before its turn only for a while.
    await engine.changes.settled();
    for (const name of names) writeFileSync(path.join(workspace, name), id);
    await changes.end(id, new Set());
    return rows(changes.sets.find((set) => set.id === id)).map((row) => row.replace(/^\w+ /, ''));
  };
  assert.deepEqual(await turn('turn1'), names);
  await attach({ limitBytes: 1_000_000, exclude: ['*.csv'] });
  assert.deepEqual(await turn('turn2'), ['b.log', 'c.txt']);
  await attach();
  assert.deepEqual(await turn('turn3'), ['b.log', 'c.txt']);
  await attach({ limitBytes: 10, exclude: ['*.log'] });
  assert.deepEqual(await turn('turn4'), ['a.csv', 'c.txt']);
  await changes.settled();
  await engine.changes.settled();
  assert.deepEqual(
    changes.sets.map(({ id }) => id),
    ['turn4'],
    'there is no space for more',
  );
  await engine.close();
  // A terminal starts the next one, and has no wish.
  const next = new Engine({ stateFolder: state, version: '0', location: 'process', onIdle: () => {} });
  await next.load();
  t.after(() => next.close());
  const others = next.changes.of('two', workspace, noEditor);
  await others.begin('turn5', []);
  await next.changes.settled();
  for (const name of names) writeFileSync(path.join(workspace, name), 'turn5');
  await others.end('turn5', new Set());
  assert.deepEqual(rows(others.sets[0]), ['modified a.csv', 'modified c.txt']);
  const known = await Promise.all([...names, 'none'].map((name) => next.changes.isChanged(workspace, name)));
  assert.deepEqual(known, [true, false, true, false]);
});

it('an engine that nobody uses ends once all is recorded', { skip: posixOnly }, async (t) => {
  const { state, workspace } = await openStoreLab(t);
  const { engine, client, idle } = await openEngine(t, state, {}, 0);
  let answer = (): void => {};
  const answered = new Promise<Record<string, string>>((resolve) => (answer = () => resolve({})));
  const changes = engine.changes.of('one', workspace, { ...noEditor, unsaved: () => answered });
  await changes.begin('turn', []);
  await engine.changes.settled();
  writeFileSync(path.join(workspace, 'a.txt'), 'a');
  await changes.end('turn', new Set());
  const order: string[] = [];
  const undone = changes.undo({ ids: ['turn'] }).then(() => order.push('undone'));
  client.dispose();
  // Later than the engine would end.
  setTimeout(answer, 100);
  await Promise.all([undone, idle.then(() => order.push('idle'))]);
  assert.deepEqual(order, ['undone', 'idle']);
});
