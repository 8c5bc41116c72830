/** Errors refer users to the log, which contains what their texts promise. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import type { Logger } from '../../src/core/index.js';
import { logFailures } from '../../src/extension/agent/agentLog.js';
import { describeError } from '../../src/text/errorText.js';
import { hostOf, text } from '../core/host/launch.js';

function keptLog(): { readonly log: Logger; read(): string } {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  return { log: { error: keep, warn: keep, info: keep, debug: keep, trace: keep }, read: () => lines.join('\n') };
}

function agentWith(name: string, ...args: readonly string[]) {
  const script = fileURLToPath(new URL(`../agents/${name}.mjs`, import.meta.url));
  return { agent: { id: name, label: name, command: process.execPath, args: [script, ...args], env: {}, protocol: 'acp' } };
}

test('an invalid response is logged with its method and location', async (t) => {
  const host = await hostOf(t, 'misshapesResults', agentWith('misshapesResults', 'session/prompt', '"no"'));
  const { log, read } = keptLog();
  logFailures(host, log);
  const outcome = await (await host.newSession()).prompt(text('go'));
  assert.ok(outcome.type === 'failed');
  assert.match(describeError(outcome.error, { agent: 'It' }).text, /see the log for details/);
  assert.match(read(), /A turn failed: invalid_response\n.*session\/prompt/);
});

test('for a failed agent, its last stderr lines are logged', async (t) => {
  const host = await hostOf(t, 'asksOnStderr');
  const { log, read } = keptLog();
  logFailures(host, log);
  await (await host.newSession()).prompt(text('go'));
  assert.match(read(), /A turn failed: [\s\S]*first line\nEnter the passphrase/);
});

test('for an agent that does not start, its output is logged, as the error says', async (t) => {
  const host = await hostOf(t, 'isNoAgent');
  const { log, read } = keptLog();
  logFailures(host, log);
  await assert.rejects(host.newSession());
  assert.match(read(), /isNoAgent cannot be used: handshake_/);
});

test('for a turn without a reply, the stderr of the agent is logged', async (t) => {
  const host = await hostOf(t, 'obedient');
  const { log, read } = keptLog();
  logFailures(host, log);
  await (await host.newSession()).prompt(text('nothing'));
  assert.match(read(), /A turn ended without a reply\n.*the reason is on stderr/);
});
