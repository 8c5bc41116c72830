/** Diagnostics in the editor include what the conversation shows. The agents are real processes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Finding, nullLogger } from '../../src/core/index.js';
import { Doctor, doctorDocument } from '../../src/extension/doctor/doctor.js';
import { say } from '../core/conversation/frontEnd.js';
import { openWindow } from './openWindow.js';

interface Agents {
  /** The agent of the conversation, and its environment. */
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The agent that diagnostics start; that of the conversation if absent. */
  readonly examined?: string;
  /** As a problem report does. */
  readonly withoutStart?: boolean;
}

/** @returns what diagnostics find after a message was written */
async function findings(
  t: TestContext,
  { agent = 'obedient', env = {}, examined = agent, withoutStart = false }: Agents,
): Promise<readonly Finding[]> {
  const { conversations, folder, lab } = await openWindow(t, { agent, env });
  const entry = conversations.open(folder);
  await say(entry.conversation, 'say hi');
  const definition = { ...lab.definition, args: [join(import.meta.dirname, `../agents/${examined}.mjs`)] };
  const host = { agent: definition, cwd: folder.path, clientInfo: { name: 't', title: 'T', version: '0' }, terminalAuth: true };
  const examination = { host, storageDirectory: join(folder.path, 'saved'), trusted: true };
  const doctor = new Doctor({ conversations, log: nullLogger, examinationOf: () => Promise.resolve(examination) });
  t.after(() => doctor.dispose());
  const found: Finding[] = [];
  for await (const finding of doctor.examine(entry, new AbortController().signal, withoutStart)) found.push(finding);
  return found;
}

const problems = (found: readonly Finding[]): readonly string[] => found.filter(({ state }) => state === 'problem').map(({ code }) => code);

test('a conversation that needs a sign-in is a problem, and the advice is what the chat offers', async (t) => {
  const found = await findings(t, { env: { OBEDIENT_SIGNED_OUT: '1' } });
  assert.deepEqual(problems(found), ['session_needs_sign_in']);
  const text = doctorDocument('Obedient', found);
  assert.match(text, /^1 problem found\.$/m);
  assert.match(text, /^→ Choose Sign In in the chat, or set an API key\.$/m);
  assert.doesNotMatch(text, /acp-host login/);
});

test('a conversation that works adds no finding', async (t) => {
  const found = await findings(t, {});
  assert.deepEqual([problems(found), found.filter(({ check }) => check === 'session')], [[], []]);
});

test('a conversation whose agent could not start is a problem, although diagnostics could start the agent', async (t) => {
  const found = await findings(t, { agent: 'isNoAgent', examined: 'obedient' });
  assert.deepEqual(problems(found), ['conversation_blocked']);
  assert.match(doctorDocument('Obedient', found), /^## ✗ Obedient started but did not answer properly$/m);
});

test('a failed start is reported once', async (t) => {
  assert.deepEqual(problems(await findings(t, { agent: 'isNoAgent' })), ['handshake_failed']);
});

test('a problem report, which starts no agent, has what prevents the conversation from continuing', async (t) => {
  const found = await findings(t, { agent: 'isNoAgent', withoutStart: true });
  assert.deepEqual(problems(found), ['conversation_blocked']);
  assert.deepEqual(
    found.filter(({ check }) => check === 'handshake'),
    [],
  );
  assert.deepEqual(problems(await findings(t, { env: { OBEDIENT_SIGNED_OUT: '1' }, withoutStart: true })), ['session_needs_sign_in']);
  assert.deepEqual(problems(await findings(t, { withoutStart: true })), []);
});
