/** This project's RPC peer alone, without the code that uses it. */
import { createRpcPeer } from '../../src/core/rpc/connection.js';
import type { MethodSpec } from '../../src/core/rpc/peer.js';
import { NdjsonChannel } from '../../src/core/transport/ndjsonChannel.js';
import type { Client } from './wireClient.js';
import { startAgent } from './wirePlain.js';

const method = (name: string): MethodSpec<object, unknown> => ({ method: name, parseResult: (result) => result });

export const ownPeer: Client = {
  async open(agent, onUpdate) {
    const child = startAgent(agent);
    const peer = createRpcPeer(new NdjsonChannel(child.stdout, child.stdin), {
      onRequest: async () => ({}),
      onNotification: () => onUpdate(),
    });
    peer.listen();
    await peer.request(method('initialize'), {});
    await peer.request(method('session/new'), {});
    return {
      prompt: (text) => peer.request(method('session/prompt'), { sessionId: 's1', prompt: [{ type: 'text', text }] }),
      probe: (n) => peer.request(method('session/set_mode'), { sessionId: 's1', modeId: n % 2 === 0 ? 'a' : 'b' }),
      request: (params) => peer.request(method('session/set_mode'), params),
      notify: (name, params) => void peer.notify(name, params),
      stdinBuffer: () => child.stdin.writableLength,
      close: () => child.kill(),
    };
  },
};
