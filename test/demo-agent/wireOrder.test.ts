/**
 * Lines that arrive together, as a fast client sends them. They are written by hand, because a client library would spread them over time.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { demoAgentProgram } from '../cli/programs.js';
import { type DemoPlace, makeDemoPlace } from './demoClient.js';

let place: DemoPlace;
before(async () => {
  place = await makeDemoPlace();
});
after(() => place.remove());

test('a cancel that arrives in the same chunk as its prompt ends the turn', async () => {
  const child = spawn(process.execPath, [demoAgentProgram], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ACP_HOST_DEMO_STATE: place.state },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const result = async (id: number): Promise<Record<string, unknown>> => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, 'the agent ended');
      const message = JSON.parse(value) as { id?: number; result?: Record<string, unknown> };
      if (message.id === id) return message.result ?? {};
    }
  };
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

  child.stdin.write(line({ id: 1, method: 'initialize', params: { protocolVersion: 1 } }));
  await result(1);
  child.stdin.write(line({ id: 2, method: 'session/new', params: { cwd: place.workspace, mcpServers: [] } }));
  const { sessionId } = await result(2);
  child.stdin.write(
    line({ id: 3, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'fail hang' }] } }) +
      line({ method: 'session/cancel', params: { sessionId } }),
  );
  assert.deepEqual(await result(3), { stopReason: 'cancelled' });

  child.stdin.end();
  await once(child, 'exit');
});
