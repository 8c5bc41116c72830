/** However many files a turn changed, the engine answers others while they are recorded, compared and taken back. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { changesLab, filesIn } from './changesLab.js';

const files = 1_500;
/** Each file is named several times where it is looked at. */
const namedAtOnce = 2_000;

it('lets others run while thousands of files are recorded and taken back', async (t) => {
  const lab = await changesLab(t);
  const worker = lab.worker();
  // Whatever is done with a file makes its name from bytes.
  const naming = t.mock.method(Buffer, 'from').mock;
  let most = 0;
  let isDone = false;
  const othersRun = (): void => {
    most = Math.max(most, naming.callCount());
    naming.resetCalls();
    if (!isDone) setImmediate(othersRun);
  };
  const write = (): void => {
    for (let index = 0; index < files; index++) writeFileSync(path.join(lab.folder, `${index}`), `${index}\n`);
    naming.resetCalls();
  };
  othersRun();
  const set = await worker.turn(write);
  const { id = '', undone } = await worker.undo();
  assert.equal(undone.length, files);
  assert.equal((await worker.undo([id])).undone.length, files);
  await worker.changes.files(set?.id ?? '');
  await worker.changes.patch([set?.id ?? '']);
  isDone = true;
  assert.ok(most <= namedAtOnce, `${most} names were made while nobody else could run`);
  naming.restore();
  assert.equal((await filesIn(lab.folder)).size, files);
});
