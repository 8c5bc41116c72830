import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { nullLogger } from '../../../src/core/index.js';
import { createAgentMemory, factName } from '../../../src/core/store/factMemory.js';

test('the options of an agent are known the next time, and an unused agent has none', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'acp-host-agents-'));
  t.after(() => rm(directory, { recursive: true }));
  const facts = {
    agentVersion: '1.2.3',
    options: [
      { type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: 'ask', choices: [{ value: 'ask', name: 'Ask' }] },
    ],
    commands: [{ name: 'compact', description: 'Shorten the context' }],
  } as const;
  const [used, other] = [factName('../any id'), factName('other')];
  const first = createAgentMemory({ directory, log: nullLogger });
  assert.equal(first.get(used)?.facts, undefined);
  first.update(used, () => ({ key: '../any id', facts }));
  first.dispose();
  const second = createAgentMemory({ directory, log: nullLogger });
  assert.deepEqual(second.get(used)?.facts, facts);
  assert.equal(second.get(other), undefined);
  second.dispose();
  const [name = ''] = await readdir(directory);
  await writeFile(path.join(directory, name), '{"format":"acp-host-agent","version":1,"agentId":"../any id","options":[{"type":"lever"}]');
  const third = createAgentMemory({ directory, log: nullLogger });
  assert.equal(third.get(used)?.facts, undefined);
  third.dispose();
});
