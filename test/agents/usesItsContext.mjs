/**
 * Starts the MCP servers that it got and works in the folders that it was told of; ROOTS=1: it can be told of several folders; SYSTEM=1: it
 * takes a system prompt, and `instructions` says which it got with each request for a session.
 * `call NAME` calls the tool of a server. `told` says which folders each request for a session had. `write PATH` writes a file through the host.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { request, say, serve } from './wire.mjs';

const told = [];
const instructions = [];
let servers = [];
const opened =
  (method) =>
  ({ additionalDirectories, mcpServers, systemPrompt }) => {
    instructions.push([method, systemPrompt ?? null]);
    told.push([method, additionalDirectories ?? null]);
    servers = mcpServers;
    return { sessionId: method === 'fork' ? 's2' : 's1' };
  };

async function callTool(name) {
  const server = servers.find((one) => one.name === name);
  if (server === undefined) return `There is no server ${name}`;
  const env = { ...process.env, ...Object.fromEntries(server.env.map((one) => [one.name, one.value])) };
  const child = spawn(server.command, server.args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse((await lines.next()).value).result;
  };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  const [tool] = (await ask(2, 'tools/list', {})).tools;
  const { content } = await ask(3, 'tools/call', { name: tool.name, arguments: {} });
  child.stdin.end();
  return content[0].text;
}

const write = (sessionId, path) =>
  request('fs/write_text_file', { sessionId, path, content: 'written' }).then(
    () => 'done',
    ({ message }) => `refused: ${message}`,
  );

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'test-agent', version: '1.0.0' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: {
        resume: {},
        fork: {},
        ...(process.env.ROOTS === '1' && { additionalDirectories: {} }),
        ...(process.env.SYSTEM === '1' && { systemPrompt: {} }),
      },
    },
    authMethods: [],
  }),
  'session/new': opened('new'),
  'session/load': opened('load'),
  'session/resume': opened('resume'),
  'session/fork': opened('fork'),
  'session/prompt': async ({ sessionId, prompt }) => {
    const [verb, argument] = prompt.at(-1).text.split(' ');
    const answers = {
      call: () => callTool(argument),
      write: () => write(sessionId, argument),
      told: () => JSON.stringify(told),
      instructions: () => JSON.stringify(instructions),
    };
    say(sessionId, await answers[verb]());
    return { stopReason: 'end_turn' };
  },
});
