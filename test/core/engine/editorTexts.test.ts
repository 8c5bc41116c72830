/** Which front end changes the files that an agent writes: one in which they may be open, and only while the agent waits for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import type { EngineClient, FrontEndServices } from '../../../src/core/index.js';
import { reached, run, said, say } from '../conversation/frontEnd.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

/** Two windows. The agent is told in the first one to write a file, and that window does not finish changing it. */
async function start(t: TestContext) {
  const lab = await openStoreLab(t);
  const engine = await openEngine(t, lab.state, {}, undefined, 'worksThroughHost.mjs');
  let onAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (onAsked = resolve));
  const edited: string[] = [];
  const windowThat = (edit: FrontEndServices['edit_texts']): Promise<EngineClient> =>
    engine.attach('editor', { unsaved_texts: () => Promise.resolve({}), ...(edit && { edit_texts: edit }) });
  const first = await windowThat(() => {
    onAsked();
    return new Promise(() => {});
  });
  const second = await windowThat(async ({ texts }) => {
    edited.push(...Object.values(texts));
    return [];
  });
  const one = { cwd: lab.workspace, id: 'one' };
  await run(first.open(one), { type: 'open' });
  const conversation = second.open(one);
  await reached(conversation, ({ live }) => live);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await run(first.open(one), send('write a.txt mine'));
  await asked;
  return { first, conversation, edited, file: path.join(lab.workspace, 'a.txt') };
}

it('a window that is closed while it changes a file is replaced by another one', async (t) => {
  const { first, conversation, edited, file } = await start(t);
  t.mock.timers.reset();
  first.dispose();
  await reached(conversation, (state) => said(state).includes('agent: It has: what I wrote'));
  assert.deepEqual([edited, readFileSync(file, 'utf8')], [['mine'], 'mine']);
});

it('a window that is closed after the write was refused is replaced by none', async (t) => {
  const { first, conversation, edited } = await start(t);
  t.mock.timers.tick(60_000);
  t.mock.timers.reset();
  await reached(conversation, (state) => said(state).some((line) => line.startsWith('agent: Refused: The editor does not respond')));
  first.dispose();
  await say(conversation, 'read a.txt');
  assert.deepEqual(edited, []);
});
