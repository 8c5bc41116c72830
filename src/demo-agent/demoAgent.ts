/** The demo agent: an ACP agent based on the official SDK. It follows commands, without a model. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  agent,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk/unstable';
import { availableCommands } from './commands/help.js';
import { runTurn } from './runTurn.js';
import { DemoSession } from './session.js';
import { configOptions, modeState, withMode, withOption } from './settings.js';
import type { SessionStore } from './store.js';
import { openWorkspace } from './workspace.js';

/** The version of this agent; the package around it has its own. */
const VERSION = '1.0.0';
const PAGE_LENGTH = 20;

export interface DemoAgentOptions {
  readonly store: SessionStore;
  /** The time between two parts of a streamed text, in milliseconds. */
  readonly paceMs: number;
}

export function createDemoAgent({ store, paceMs }: DemoAgentOptions): AgentApp {
  const sessions = new Map<string, DemoSession>();
  let capabilities: ClientCapabilities = {};

  const sessionOf = (sessionId: string): DemoSession => {
    const session = sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  };
  const surroundings = async (client: AgentContext, cwd: string) => ({
    client,
    capabilities,
    store,
    workspace: await openWorkspace(await existingFolder(cwd)),
  });
  const opened = (session: DemoSession): Omit<NewSessionResponse, 'sessionId'> => {
    sessions.get(session.id)?.turn?.abort(); // loaded a second time: the newer one replaces it
    sessions.set(session.id, session);
    // After the response, because a client may only know the session from then on.
    setImmediate(
      () => void session.send({ sessionUpdate: 'available_commands_update', availableCommands: availableCommands() }).catch(() => {}),
    );
    return { modes: modeState(session.settings), configOptions: configOptions(session.settings, capabilities) };
  };

  // The SDK offers a message to the handlers one after another, one microtask each. `prompt` precedes `cancel`, so that a cancel
  // immediately after its prompt finds the turn.
  return agent({ name: 'acp-host-demo-agent' })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
      const session = sessionOf(params.sessionId);
      if (session.turn) throw RequestError.invalidRequest(undefined, 'A turn is running in this session');
      session.turn = new AbortController();
      try {
        return await runTurn(session, { prompt: params.prompt, signal: AbortSignal.any([session.turn.signal, signal]), paceMs });
      } finally {
        session.turn = undefined;
      }
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => {
      sessions.get(sessionId)?.turn?.abort();
      for (const { subagents } of sessions.values()) subagents.get(sessionId)?.abort();
    })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'acp-host-demo-agent', title: 'Demo agent', version: VERSION },
        agentCapabilities: {
          loadSession: store.keeps,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          ...(store.keeps && { sessionCapabilities: { list: {}, delete: {} } }),
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const session = await DemoSession.create(await surroundings(client, params.cwd));
      return { sessionId: session.id, ...opened(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const stored = await store.load(params.sessionId);
      if (!stored) throw RequestError.sessionNotFound(params.sessionId);
      return opened(await DemoSession.restore(await surroundings(client, params.cwd), stored));
    })
    .onRequest(methods.agent.session.list, async ({ params: { cwd, cursor } }) => {
      const all = await store.list(cwd == null ? undefined : (await openWorkspace(await existingFolder(cwd))).root);
      const after = cursor == null ? 0 : all.findIndex(({ sessionId }) => sessionId === cursor) + 1;
      const sessions = all.slice(after, after + PAGE_LENGTH);
      const last = sessions.at(-1);
      return { sessions, ...(last !== undefined && last !== all.at(-1) && { nextCursor: last.sessionId }) };
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      sessions.get(sessionId)?.turn?.abort();
      sessions.delete(sessionId);
      await store.remove(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      const session = sessionOf(params.sessionId);
      await session.changeSettings(withMode(session.settings, params.modeId));
      await session.announceSettings();
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const session = sessionOf(params.sessionId);
      await session.changeSettings(withOption(session.settings, params.configId, params.value));
      if (params.configId === 'mode') await session.send({ sessionUpdate: 'current_mode_update', currentModeId: session.settings.modeId });
      return { configOptions: configOptions(session.settings, capabilities) };
    });
}

/** @throws RequestError -32602 */
async function existingFolder(cwd: string): Promise<string> {
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path');
  const info = await stat(cwd).catch(() => undefined);
  if (!info?.isDirectory()) throw RequestError.invalidParams({ cwd }, 'cwd is not an existing folder');
  return cwd;
}
