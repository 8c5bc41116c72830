/** This project: the path of the goals, up to the batches for the reducer; the whole host with its state; and the peer alone. */
import { tmpdir } from 'node:os';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import { createAgentHost } from '../../src/core/host/agentHost.js';
import { createRpcPeer } from '../../src/core/rpc/connection.js';
import type { MethodSpec } from '../../src/core/rpc/peer.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { EventBatcher } from '../../src/core/session/eventBatcher.js';
import { MODE_OPTION_ID } from '../../src/core/session/sessionOption.js';
import { NdjsonChannel } from '../../src/core/transport/ndjsonChannel.js';
import { benchContext } from './benchContext.js';
import type { Client } from './wireClient.js';
import { startAgent } from './wirePlain.js';

export const ownPath: Client = {
  async open([command = '', ...args], onUpdate) {
    const backend = await connectAcp({
      agent: { label: 'Flood', command, args, env: {} },
      ...benchContext(),
    });
    const intake = new EventBatcher(() => {});
    const event = (event: SessionEvent): void => {
      intake.push(event);
      void onUpdate();
    };
    const session = await backend.sessions.open(
      { method: 'new', cwd: tmpdir(), mcpServers: [] },
      { begin: () => {}, history: event, event },
    );
    return {
      prompt: (text) => session.prompt('t1', [{ type: 'text', text }], 'turn'),
      probe: (n) => session.setOption(MODE_OPTION_ID, n % 2 === 0 ? 'a' : 'b'),
      close: () => void backend.close({ force: true }),
    };
  },
};

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
      probe: (n) => session.setOption(MODE_OPTION_ID, n % 2 === 0 ? 'a' : 'b'),
      close: () => host.dispose(),
    };
  },
};

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
