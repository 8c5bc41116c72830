/** Where a new conversation begins. The editor is a fake. */
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { test } from 'node:test';
import { HostError } from '../../src/core/index.js';

const fake = new URL('../fakes/vscodeFake.ts', import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name === 'vscode' ? { url: ${JSON.stringify(fake)}, format: 'module', shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { createNewConversationActions } = await import('../../src/extension/actions/newConversation.js');

test('without an open folder, the user learns why no conversation begins', async () => {
  const scope = { target: () => undefined, ask: <T>(question: () => T) => question() };
  const { newSession, newSessionWithAgent } = createNewConversationActions(scope as never);
  for (const begin of [newSession, newSessionWithAgent])
    await assert.rejects(begin(), (error) => error instanceof HostError && error.code === 'usage');
});
