// Exits when it gets a prompt or is asked to load a session.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const results = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'dies on load', version: '1.0.0' }, agentCapabilities: { loadSession: true } },
  'session/new': { sessionId: 's1' },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'session/prompt' || method === 'session/load') process.exit(7);
    if (id !== undefined) send({ id, result: results[method] ?? {} });
  })
  .on('close', () => process.exit(0));
