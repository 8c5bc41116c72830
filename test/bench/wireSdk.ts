/** (c) The official SDK's client, as its documentation shows it. */
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import type { Client } from './wireClient.js';
import { startAgent } from './wirePlain.js';

export const sdk: Client = {
  async open(command, onUpdate) {
    const child = startAgent(command);
    const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
    const { agent } = client({ name: 'bench' })
      .onNotification('session/update', () => onUpdate())
      .connect(stream);
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await agent.request('session/new', { cwd: '/', mcpServers: [] });
    return {
      prompt: (text) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
      probe: (n) => agent.request('session/set_mode', { sessionId, modeId: n % 2 === 0 ? 'a' : 'b' }),
      close: () => child.kill(),
    };
  },
};
