// Closes its stdin when it opens a session, and keeps running.
import { closeSync, readSync } from 'node:fs';
import { send } from './wire.mjs';

const answers = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'closes stdin', version: '1.0.0' }, agentCapabilities: { loadSession: true } },
  'session/new': { sessionId: 's1' },
  'session/load': {},
};

// Reads synchronously, because closing a stream would wait for a pending read.
const buffer = Buffer.alloc(64 * 1024);
for (let method; method !== 'session/new'; ) {
  const message = JSON.parse(buffer.toString('utf8', 0, readSync(0, buffer)));
  method = message.method;
  if (method === 'session/new') closeSync(0);
  send({ id: message.id, result: answers[method] });
}
setInterval(() => {}, 60_000);
