/** The other folders of a window, in which an agent that can be told of them may work. */
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { Session } from '../../../src/core/host/api.js';
import { hostOf, temporaryFolder, text } from './launch.js';

async function foldersIn(t: TestContext) {
  const root = await temporaryFolder(t);
  const [cwd, second, link] = [join(root, 'one'), join(root, 'two'), join(root, 'link')];
  await Promise.all([mkdir(cwd), mkdir(second), writeFile(join(root, 'file'), '')]);
  symlinkSync(second, link);
  // Relative, missing, no folder, the same twice, and the folder itself.
  return { root, cwd, second, given: [link, second, cwd, `${cwd}/../one`, 'two', join(root, 'missing'), join(root, 'file'), 'a\0b'] };
}

async function answerOf(session: Session, words: string): Promise<string> {
  await session.prompt(text(words));
  const answer = session.state.items.findLast((item) => item.kind === 'message' && item.role === 'agent');
  assert.ok(answer?.kind === 'message');
  return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

const requestsOf = (host: AgentHost): readonly unknown[] => [...host.sessions.values()].flatMap(({ state }) => state.requests);

it('it is told of all of them with each request for a session, once each and without links', async (t) => {
  const { cwd, second, given } = await foldersIn(t);
  const host = await hostOf(t, 'usesItsContext', { cwd, otherFolders: given, env: { ROOTS: '1' } });
  const { state } = await host.newSession();
  assert.deepEqual(state.context, { servers: [], leftOut: [], folders: [second] });
  await host.newSession({ fork: { sessionId: 's1' } });
  await host.loadSession('s3');
  const session = await host.newSession();
  assert.deepEqual(JSON.parse(await answerOf(session, 'told')), [
    ['new', [second]],
    ['fork', [second]],
    ['load', [second]],
    ['new', [second]],
  ]);
});

it('it writes in them without a question, but not beside them', async (t) => {
  const { root, cwd, second, given } = await foldersIn(t);
  const host = await hostOf(t, 'usesItsContext', {
    cwd,
    otherFolders: given,
    env: { ROOTS: '1' },
    requestDeadlines: { permissionMs: 1, questionMs: 1 },
  });
  const session = await host.newSession();
  assert.equal(await answerOf(session, `write ${join(second, 'new.txt')}`), 'done');
  assert.equal(readFileSync(join(second, 'new.txt'), 'utf8'), 'written');
  assert.equal(await answerOf(session, `write ${join(root, 'beside.txt')}`), 'refused: The user did not allow this');
  assert.deepEqual(requestsOf(host), []);
});

it('an agent that knows one folder is told of none, and may not write there', async (t) => {
  const { cwd, second, given } = await foldersIn(t);
  const host = await hostOf(t, 'usesItsContext', { cwd, otherFolders: given, requestDeadlines: { permissionMs: 1, questionMs: 1 } });
  const session = await host.newSession();
  assert.equal(session.state.context, undefined);
  assert.equal(await answerOf(session, 'told'), '[["new",null]]');
  assert.equal(await answerOf(session, `write ${join(second, 'new.txt')}`), 'refused: The user did not allow this');
});
