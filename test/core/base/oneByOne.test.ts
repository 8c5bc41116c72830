import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OneByOne } from '../../../src/core/base/oneByOne.js';

test('whoever waits goes on before a later work begins', async () => {
  const works = new OneByOne();
  const order: string[] = [];
  const told = (what: string): void => void order.push(what);
  const whenOver = async (): Promise<void> => {
    await works.settled();
    told('went on');
  };
  const failed = works.run(() => Promise.reject(new Error('first')));
  await Promise.all([assert.rejects(failed, /first/), whenOver(), works.run(async () => told('later'))]);
  assert.deepEqual(order, ['went on', 'later']);
  assert.equal(works.isIdle, true);
});
