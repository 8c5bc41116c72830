/** An agent behind this host, ACP and `acp-host serve`. */
import { fileURLToPath } from 'node:url';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import type { BackendSessions, ConnectAgent } from '../../src/core/backends/agentBackend.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import type { Peer } from '../backends/peer.js';
import { cliProgram } from '../cli/programs.js';
import { typescriptProgram } from '../typescriptProgram.js';

export const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const parrotProgram = typescriptProgram(here('../backends/parrotMain.ts'));

/** Two of the agents send a greeting as soon as they are asked to open a session. `serve` forwards it once its client knows the session, so it may arrive after `open`. */
const connectAndHearGreeting: ConnectAgent = async (o) => {
  const backend = await connectAcp(o);
  const sessions: BackendSessions = {
    resumeMethods: backend.sessions.resumeMethods,
    async open(request, sink) {
      if (request.method !== 'new') return backend.sessions.open(request, sink);
      let greeted = (): void => {};
      const greeting = new Promise<void>((resolve) => (greeted = resolve));
      const event = (told: SessionEvent): void => {
        sink.event(told);
        if (told.type === 'message') greeted();
      };
      const session = await backend.sessions.open(request, {
        begin: (begun) => sink.begin(begun),
        history: (told) => sink.history(told),
        event,
      });
      await Promise.race([greeting, new Promise((resolve) => backend.onClosed(resolve))]);
      return session;
    },
  };
  const { info, authenticate, onClosed } = backend;
  return {
    info,
    sessions,
    onClosed,
    ...(authenticate && { authenticate }),
    get stats() {
      return backend.stats;
    },
    close: (how) => backend.close(how),
  };
};

export function served(name: string, protocol: string, argv: readonly string[]): Pick<Peer, 'name' | 'connect' | 'agent' | 'endsTurns'> {
  const command = argv.map((word) => `"${word}"`).join(' ');
  const program = protocol === 'parrot' ? parrotProgram : [cliProgram];
  return {
    name,
    connect: connectAndHearGreeting,
    endsTurns: true,
    agent: { label: name, command: process.execPath, args: [...program, 'serve', '--protocol', protocol, '--command', command], env: {} },
  };
}
