/** What an agent gets when it reads and writes files through the host, on the wire. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { createAgentFiles } from '../../../src/core/services/agentFiles.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { launch } from './launch.js';

/** @returns the outcomes of these requests, in order */
async function outcomesOf(
  t: TestContext,
  name: string,
  requests: (folder: string) => readonly (readonly [string, object])[],
): Promise<unknown> {
  const agent = await launch(t, 'asksFor', [], {
    baseEnv: { ...process.env, NAME: name },
    services: {
      requestUser: async () => ({ type: 'cancel' }),
      filesIn: createFileAccess,
      agentFiles: (sessionId, folder) =>
        createAgentFiles({ sessionId, folder, editor: undefined, requestUser: async () => ({ type: 'cancel' }), onWritten: () => {} }),
    },
  });
  await agent.start();
  await writeFile(path.join(agent.cwd, 'a.txt'), 'one\ntwo\n');
  await agent.prompt(await agent.newSession(), JSON.stringify(requests(agent.cwd)));
  const outcomes: readonly (readonly [string, unknown])[] = JSON.parse(agent.text());
  return outcomes.map(([, outcome]) => outcome);
}

const [read, write] = ['fs/read_text_file', 'fs/write_text_file'] as const;

test('lines are read, files are written, and what is wrong gets an error with a code that fits', async (t) => {
  const outcomes = await outcomesOf(t, 'test-agent', (folder) => {
    const at = (name: string): string => path.join(folder, name);
    return [
      [read, { path: at('a.txt'), line: 2, limit: null }],
      [write, { path: at('b/c.txt'), content: 'new' }],
      [read, { path: at('b/c.txt') }],
      [read, { path: at('none.txt') }],
      [read, { path: 'a.txt' }],
      [read, { path: at('a.txt'), line: -1 }],
      [read, { path: at('a.txt'), limit: '1' }],
      [read, { path: 1 }],
      [write, { path: at('a.txt') }],
      [write, { path: at('a\0.txt'), content: '' }],
      [write, { path: at('x'.repeat(300)), content: '' }],
      [read, { path: at('x/'.repeat(4000)) }],
      [write, { path: at('a.txt/b.txt'), content: '' }],
      [read, { path: '//server/share/a.txt' }],
      [write, { path: path.join(folder, '..', 'outside.txt'), content: '' }],
      [read, { path: at('a.txt'), sessionId: 'another' }],
    ];
  });
  const [missing, invalid, refused] = [{ code: -32002 }, { code: -32602 }, { code: -32603 }];
  assert.deepEqual(outcomes, [
    { result: { content: 'two\n' } },
    { result: {} },
    { result: { content: 'new' } },
    missing,
    ...Array(10).fill(invalid),
    refused,
    missing,
  ]);
});

test('a missing file is empty only for an agent that takes the error for a failure', async (t) => {
  const ask = (folder: string): readonly (readonly [string, object])[] => [[read, { path: path.join(folder, 'none.txt') }]];
  assert.deepEqual(await outcomesOf(t, 'gemini-cli', ask), [{ result: { content: '' } }]);
  assert.deepEqual(await outcomesOf(t, 'another-agent', ask), [{ code: -32002 }]);
});
