// Reads no more once it has made a session: its end of the pipe is closed, and it lives on.
import { closeSync, readSync } from 'node:fs';
import { send } from './wire.mjs';

const answers = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'closes stdin', version: '1.0.0' }, agentCapabilities: { loadSession: true } },
  'session/new': { sessionId: 's1' },
  'session/load': {},
};

// By hand: a stream would be waited for.
const buffer = Buffer.alloc(64 * 1024);
for (let method; method !== 'session/new'; ) {
  const message = JSON.parse(buffer.toString('utf8', 0, readSync(0, buffer)));
  method = message.method;
  if (method === 'session/new') closeSync(0);
  send({ id: message.id, result: answers[method] });
}
setInterval(() => {}, 60_000);
