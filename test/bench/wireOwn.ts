/** This project: the whole host from the pipe to the reduced state of the session, and its peer alone where the scenario is below that. */
import { tmpdir } from 'node:os';
import { createAgentHost } from '../../src/core/host/agentHost.js';
import { createRpcPeer } from '../../src/core/rpc/connection.js';
import type { MethodSpec } from '../../src/core/rpc/peer.js';
import { NdjsonChannel } from '../../src/core/transport/ndjsonChannel.js';
import type { Client } from './wireClient.js';
import { startAgent } from './wirePlain.js';

export const ownHost: Client = {
  async open([command = '', ...args], onUpdate) {
    const host = createAgentHost({
      agent: { id: 'flood', label: 'Flood', command, args, env: {}, protocol: 'acp' },
      cwd: tmpdir(),
      clientInfo: { name: 'bench', title: 'Bench', version: '0.0.0' },
      terminalAuth: false,
    });
    const session = await host.newSession();
    session.onEvent(() => void onUpdate());
    return {
      prompt: (text) => session.prompt([{ type: 'text', text }]),
      probe: (n) => session.setMode(n % 2 === 0 ? 'a' : 'b'),
      close: () => host.dispose(),
    };
  },
};

const method = (name: string): MethodSpec<object, unknown> => ({ method: name, parseResult: (result) => result });

export const ownPeer: Client = {
  async open(agent, onUpdate) {
    const child = startAgent(agent);
    const peer = createRpcPeer(new NdjsonChannel(child.stdout, child.stdin), { onRequest: async () => ({}), onNotification: () => onUpdate() });
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
