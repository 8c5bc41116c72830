/** Runs the host against an agent with all of ACP, and records what it declares, calls, answers and refuses. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { BackendSession, OpenRequest } from '../../src/core/backends/agentBackend.js';
import { HostError } from '../../src/core/base/errors.js';
import { createAgentFiles } from '../../src/core/services/agentFiles.js';
import { createFileAccess } from '../../src/core/services/files.js';
import type { HostServices } from '../../src/core/services/hostServices.js';
import type { ContentBlock } from '../../src/core/session/model.js';
import { MODE_OPTION_ID } from '../../src/core/session/sessionOption.js';
import { selectOption } from '../../src/core/session/userRequest.js';
import { agentScript, type Launched, launch } from '../core/backends/launch.js';

/** What the agent declares and offers, and the methods that it refuses. */
export interface Offered {
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly authMethods?: boolean;
  readonly modes?: boolean;
  readonly configOptions?: boolean;
  readonly refuses?: readonly string[];
}

/** A message that went over the wire. */
export interface Frame {
  readonly direction: 'sent' | 'received';
  readonly method?: string;
  readonly id?: string | number;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

const services: HostServices = {
  requestUser: async ({ kind }) => (kind === 'permission' ? selectOption('yes') : { type: 'accept', values: {} }),
  filesIn: createFileAccess,
  agentFiles: (sessionId, folder) =>
    createAgentFiles({ sessionId, folder, editor: undefined, requestUser: async () => ({ type: 'cancel' }), onWritten: () => {} }),
};

export function launchWith(t: TestContext, agent: string, offered: Offered): Promise<Launched> {
  const env = { ALL_OF_ACP: JSON.stringify(offered) };
  return launch(t, agent, [], { agent: { label: agent, command: process.execPath, args: [agentScript(agent)], env }, services });
}

export function framesOf({ traffic }: Launched): readonly Frame[] {
  return traffic.flatMap((entry) =>
    entry.kind === 'message' ? [{ ...(entry.message as Omit<Frame, 'direction'>), direction: entry.direction }] : [],
  );
}

/** A step of the agent in a turn. */
export type Step = { readonly params: unknown } & ({ readonly request: string } | { readonly notify: string });

export function play(agent: Launched, session: BackendSession, steps: readonly Step[]): Promise<unknown> {
  return agent.prompt(session, JSON.stringify(steps));
}

interface Calling {
  readonly agent: Launched;
  readonly session: BackendSession;
  open(request: 'new' | 'load' | 'resume' | 'fork'): Promise<BackendSession>;
}

const header = [{ name: 'x', value: 'y' }];
const everyContent: readonly ContentBlock[] = [
  { type: 'text', text: '' },
  { type: 'resource_link', uri: 'file:///a', name: 'a' },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
];

/**
 * How the host is brought to call each method, through the seam. Nothing happens if the agent lacks the capability: the member is then
 * absent. `initialize` and the first `session/new` precede.
 */
const calls: Readonly<Record<string, (calling: Calling) => Promise<unknown> | undefined>> = {
  authenticate: ({ agent }) => agent.backend.authenticate?.('in'),
  '$/cancel_request': ({ agent }) => {
    if (agent.backend.authenticate === undefined) return undefined;
    const stop = new AbortController();
    const asked = agent.backend.authenticate('slow', { signal: stop.signal });
    void agent.untilSent('sign-in', ({ params }) => JSON.stringify(params).includes('slow')).then(() => stop.abort());
    return asked;
  },
  logout: ({ agent }) => agent.backend.signOut?.(),
  'session/new': ({ open }) => open('new'),
  'session/load': ({ open }) => open('load'),
  'session/resume': ({ open }) => open('resume'),
  'session/fork': ({ open }) => open('fork'),
  'session/set_mode': ({ session }) => (isOffered(session, MODE_OPTION_ID) ? session.setOption(MODE_OPTION_ID, 'free') : undefined),
  'session/set_config_option': ({ session }) => (isOffered(session, 'depth') ? session.setOption('depth', 'high') : undefined),
  'session/prompt': ({ session }) => session.prompt('content', [...everyContent, { type: 'text', text: '[]' }], 'turn'),
  'session/cancel': async ({ agent, session }) => {
    const turn = session.prompt('cancel', [{ type: 'text', text: 'wait' }], 'turn');
    await agent.untilSent('prompt', ({ params }) => JSON.stringify(params).includes('"wait"'));
    session.cancel();
    await turn;
  },
  'session/list': ({ agent }) => agent.backend.sessions.saved?.list(),
  'session/delete': ({ agent }) => agent.backend.sessions.saved?.remove?.('earlier'),
  'session/close': ({ session }) => session.close?.(),
};

const isOffered = ({ options }: BackendSession, id: string): boolean => options.some((option) => option.id === id);

/** Calls everything once. @returns what came of each method: nothing, or the code of the error */
export async function callAll(agent: Launched): Promise<ReadonlyMap<string, string | undefined>> {
  const { cwd } = agent;
  const mcpServers: OpenRequest['mcpServers'] = [
    { name: 'stdio', command: process.execPath, args: ['a'], env: [] },
    { type: 'http', name: 'http', url: 'http://127.0.0.1:1/', headers: header },
    { type: 'sse', name: 'sse', url: 'http://127.0.0.1:1/', headers: header },
  ];
  const open: Calling['open'] = (method) => {
    const setup = { cwd, mcpServers, otherFolders: [path.dirname(cwd)], systemPrompt: 'Be brief.' };
    const { sessions } = agent.backend;
    const sink = { begin: () => {}, history: () => {}, event: () => {} };
    return method === 'new' ||
      (method === 'fork' && sessions.forks === undefined) ||
      (method !== 'fork' && !sessions.resumeMethods.includes(method))
      ? sessions.open({ ...setup, method: 'new' }, sink)
      : sessions.open({ ...setup, method, sessionId: 'earlier', knownOptions: [] }, sink);
  };
  const session = await open('new');
  const ends = new Map<string, string | undefined>();
  for (const [method, call] of Object.entries(calls)) {
    try {
      await call({ agent, session, open });
      ends.set(method, undefined);
    } catch (error) {
      assert.ok(error instanceof HostError, String(error));
      ends.set(method, error.code);
    }
  }
  return ends;
}
