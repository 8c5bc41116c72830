// Exits when it gets a prompt or is asked to load a session.
import { readLines } from './lines.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const results = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'dies on load', version: '1.0.0' }, agentCapabilities: { loadSession: true } },
  'session/new': { sessionId: 's1' },
};

readLines(
  process.stdin,
  (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'session/prompt' || method === 'session/load') process.exit(7);
    if (id !== undefined) send({ id, result: results[method] ?? {} });
  },
  () => process.exit(0),
);
