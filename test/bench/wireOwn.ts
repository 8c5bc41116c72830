/** This project: the path of the goals, up to the batches for the reducer, and the whole host with its state. */
import { tmpdir } from 'node:os';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import { createAgentHost } from '../../src/core/host/agentHost.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { EventBatcher } from '../../src/core/session/eventBatcher.js';
import { MODE_OPTION_ID } from '../../src/core/session/sessionOption.js';
import { benchContext } from './benchContext.js';
import type { Client } from './wireClient.js';

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
