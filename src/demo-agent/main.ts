import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { createDemoAgent } from './demoAgent.js';
import { defaultStateFolder, openSessionStore } from './store.js';

const DEFAULT_PACE_MS = 15;
const LONGEST_GOODBYE_MS = 2000;

const store = await openSessionStore(defaultStateFolder(process.env, process.platform), (error) => {
  console.error('demo agent: sessions are not kept, because their folder cannot be written:', error);
});
const configuredPaceMs = Number(process.env['ACP_HOST_DEMO_PACE_MS'] ?? DEFAULT_PACE_MS);
const app = createDemoAgent({
  store,
  paceMs: Number.isFinite(configuredPaceMs) ? configuredPaceMs : DEFAULT_PACE_MS,
});
const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

// The end of stdin ends the agent: the connection aborts what is running, which saves itself, and then nothing keeps the process alive.
await connection.closed;
setTimeout(() => process.exit(0), LONGEST_GOODBYE_MS).unref();
