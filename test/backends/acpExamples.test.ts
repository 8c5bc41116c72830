/** The host sends what agentao's guide for hosts shows (test/fixtures/acp), and what the guide leaves out. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import { selectOption } from '../../src/core/session/userRequest.js';
import { within } from '../real/deadline.js';
import { connectSeam } from './seam.js';

const examples: readonly object[] = readFileSync(new URL('../fixtures/acp/agentao-host-guide.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

/** Names and paths may differ, so only their types are compared. */
const named = new Set(['name', 'version', 'cwd', 'sessionId', 'optionId']);

/** Checks that everything in the example is sent with the same meaning. */
function says(own: unknown, shown: unknown, name = ''): boolean {
  if (typeof shown !== 'object' || shown === null) return named.has(name) ? typeof own === typeof shown : own === shown;
  if (typeof own !== 'object' || own === null || Array.isArray(own) !== Array.isArray(shown)) return false;
  const said = new Map<string, unknown>(Object.entries(own));
  return Object.entries(shown).every(([key, value]) => said.has(key) && says(said.get(key), value, key));
}

test("the host sends what agentao's guide shows, and more where the guide is wrong", async (t) => {
  const agent = fileURLToPath(new URL('../agents/conforms.mjs', import.meta.url));
  const seam = await connectSeam(t, connectAcp, { agent: { label: 'Agent', command: process.execPath, args: [agent], env: {} } });
  const { prompt, session } = await seam.open();
  await within(prompt('列出文件'), 'end');
  for (const [index, answer] of ['yes', 'no', undefined].entries()) {
    const turn = prompt('ask');
    await seam.asked.until('request', () => seam.asked.all.length > index);
    if (answer === undefined) session.cancel();
    else seam.answer(seam.asked.all[index] ?? assert.fail(), selectOption(answer));
    await within(turn, 'end');
  }
  const sent = seam.traffic.all.flatMap((entry) => (entry.kind === 'message' && entry.direction === 'sent' ? [entry.message] : []));
  for (const shown of examples)
    assert.ok(
      sent.some((own) => says(own, shown)),
      JSON.stringify(shown),
    );
  // The sample in the guide leaves it out, but the agent refuses that.
  assert.ok(sent.some((own) => says(own, { method: 'session/new', params: { mcpServers: [] } })));
  for (const answered of ['yes', 'no'])
    assert.ok(sent.some((own) => JSON.stringify(own).includes(`"result":{"outcome":{"outcome":"selected","optionId":"${answered}"}}`)));
});
