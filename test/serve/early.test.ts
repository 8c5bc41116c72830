/** What an agent sends about a session before it has named it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { cliProgram } from '../cli/programs.js';
import { agentScript } from '../core/backends/launch.js';
import { within } from '../real/deadline.js';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: { readonly sessionId?: string };
}

/** Opens a session of the agent through `serve`. @returns what the client gets until a request of the agent, in order */
async function open(t: TestContext, agent: string): Promise<readonly string[]> {
  const command = [process.execPath, agentScript(agent)].map((word) => `"${word}"`).join(' ');
  const child = spawn(process.execPath, [cliProgram, 'serve', '--command', command], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => void child.kill('SIGKILL'));
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 'first', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Message;
    if (message.id === 'first') say({ id: 'second', method: 'session/new', params: { cwd: process.cwd(), mcpServers: [] } });
    else seen.push(message.method ?? `session ${message.result?.sessionId}`);
    if (message.method === 'session/request_permission') break;
  }
  return seen;
}

test('its updates and requests follow the response that names the session', async (t) => {
  const [first, ...others] = await within(open(t, 'speaksBeforeSession'), 'permission request');
  assert.equal(first, 'session early');
  assert.ok(others.includes('session/update') && others.includes('session/request_permission'), String(others));
});
