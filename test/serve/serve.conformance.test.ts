/** The seam's promises, kept once around the loop: this host, ACP, `acp-host serve`, and the agent behind it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import type { BackendSessions, ConnectAgent } from '../../src/core/backends/agentBackend.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import type { Peer } from '../backends/peer.js';
import { parrotAgent } from '../backends/addParrot.js';
import { piStandIn } from '../backends/piPeers.js';
import { conformance } from '../backends/conformance.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));
const piAgent = piStandIn('pi087', sessions);

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const program = ['--import', import.meta.resolve('tsx'), '--import', here('../backends/addParrot.ts'), here('../../src/cli/main.ts')];

/** Two of the agents greet as soon as they are asked to open a session. `serve` tells that when its client knows the session, so that it may come behind `open`. */
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

function served(name: string, protocol: string, argv: readonly string[]): Pick<Peer, 'name' | 'connect' | 'agent'> {
  const command = argv.map((word) => `"${word}"`).join(' ');
  return {
    name,
    connect: connectAndHearGreeting,
    agent: { label: name, command: process.execPath, args: [...program, 'serve', '--protocol', protocol, '--command', command], env: {} },
  };
}

conformance([
  {
    ...served('serve, of acp', 'acp', [process.execPath, here('../agents/conforms.mjs')]),
    agent: {
      ...served('', 'acp', [process.execPath, here('../agents/conforms.mjs')]).agent,
      env: { CONFORMS_CAN: 'load resume close signIn' },
    },
    prompts: {
      echo: (words) => ({ prompt: words, said: words }),
      ask: 'ask',
      askAgain: 'askAgain',
      form: 'form',
      hang: 'hang',
      fail: 'oops',
      tool: 'tool',
    },
    option: { id: 'depth', value: 'high' },
    earlier: { sessionId: 'earlier', said: 'old answer' },
    signIn: 'in',
  },
  {
    ...served('serve, of the parrot', 'parrot', [parrotAgent.command, ...parrotAgent.args]),
    prompts: {
      echo: (words) => ({ prompt: words, said: `${words} ` }),
      ask: 'ask',
      askAgain: 'askAgain',
      hang: 'hang',
      fail: 'oops',
    },
    option: { id: 'mood', value: 'loud' },
  },
  {
    ...served('serve, of the stand-in for Pi', 'pi', [piAgent.command, ...piAgent.args]),
    connect: connectAcp,
    prompts: { echo: (words) => ({ prompt: words, said: words }), ask: 'ask', hang: 'hang', fail: 'oops', tool: 'tool' },
    option: { id: 'steering', value: 'all' },
  },
]);
