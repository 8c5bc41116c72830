/** Passes recorded frames through the real schemas and mapping without a process, and collects the events that the host would create. */
import { readFileSync } from 'node:fs';
import { Redactor } from '../../../src/core/base/redact.js';
import type { InitializeResponse } from '@agentclientprotocol/sdk';
import type { AgentInfo, BackendSession, OpenRequest } from '../../../src/core/backends/agentBackend.js';
import { type HostError, toHostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { toCallError } from '../../../src/core/backends/acp/acpCalls.js';
import { toAgentInfo, toSessionAbilities } from '../../../src/core/backends/acp/acpHandshake.js';
import { mapPermission } from '../../../src/core/backends/acp/features/permission.js';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { parseAskUserRequest, parsePermissionRequest } from '../../../src/core/backends/acp/schema/requests.js';
import { parseSessionNotification } from '../../../src/core/backends/acp/schema/updates.js';
import { AcpSessions } from '../../../src/core/backends/acp/acpSessions.js';
import { toRequestError } from '../../../src/core/rpc/failureReason.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { ContentBlock, SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { type AskedOfAgent, callsOf, scriptedPeer } from './scriptedPeer.js';

interface Frame {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly prompt?: readonly ContentBlock[];
    readonly modeId?: string;
    readonly update?: unknown;
  };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Entry {
  readonly t: number;
  readonly dir: 'in' | 'out';
  readonly frame: Frame;
}

export interface Replayed {
  readonly agent: AgentInfo | undefined;
  readonly sessions: readonly SessionState[];
  readonly requests: readonly unknown[];
  readonly errors: readonly unknown[];
  readonly problems: readonly string[];
}

const setup = { cwd: '/workspace', mcpServers: [] };

export const recordings = new URL('../../fixtures/agentao-0.5.17/', import.meta.url);

export function readRecording(name: string): readonly Entry[] {
  return readFileSync(new URL(`${name}.ndjson`, recordings), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Entry => JSON.parse(line));
}

export function replay(entries: readonly Entry[]): Promise<Replayed> {
  return new Replay().run(entries);
}

/** A session and all of its events. */
export interface Told {
  readonly session: BackendSession;
  readonly events: readonly SessionEvent[];
}

export async function replayEvents(entries: readonly Entry[]): Promise<readonly Told[]> {
  const replayed = new Replay();
  await replayed.run(entries);
  return replayed.told;
}

class Replay {
  #now = 0;
  #turns = 0;
  #agent: AgentInfo | undefined;
  #quirks: AcpQuirks = acpQuirksOf(undefined);
  #sessions: AcpSessions | undefined;
  readonly #wire = scriptedPeer();
  /** Pending requests of the recorded client by their recorded ids. */
  readonly #sent = new Map<string | number, Frame>();
  /** The corresponding requests of the adapter, and their results. */
  readonly #asked = new Map<string | number, { readonly call: AskedOfAgent; readonly done: Promise<unknown> }>();
  readonly #told = new Map<string, { readonly session: BackendSession; readonly events: SessionEvent[] }>();
  readonly #requests: unknown[] = [];
  readonly #errors: unknown[] = [];
  readonly #problems: string[] = [];

  get told(): readonly Told[] {
    return [...this.#told.values()];
  }

  async run(entries: readonly Entry[]): Promise<Replayed> {
    for (const { t, dir, frame } of entries) {
      this.#now = t;
      // The recorded client waited for this, too.
      if (frame.method === 'session/prompt') await this.#told.get(frame.params?.sessionId ?? '')?.session.replayed;
      if (dir === 'out') this.#send(frame);
      else if (frame.method !== undefined) this.#receive(frame);
      else await this.#answered(frame);
    }
    const sessions = [...this.#told].map(([id, { events }]) => reduceAll(emptySession(id, '/workspace', 0), events));
    return { agent: this.#agent, sessions, requests: this.#requests, errors: this.#errors, problems: this.#problems };
  }

  /** Does what the recorded client did. */
  #send(frame: Frame): void {
    if (frame.id == null || frame.method === undefined) return;
    this.#sent.set(frame.id, frame);
    const before = this.#wire.open.length;
    const done = this.#act(frame);
    const call = this.#wire.open[before];
    if (done !== undefined && call?.method === frame.method) this.#asked.set(frame.id, { call, done });
  }

  #act({ method, params }: Frame): Promise<unknown> | undefined {
    const { session, events } = this.#told.get(params?.sessionId ?? '') ?? {};
    switch (method) {
      case 'session/new':
        return this.#open({ method: 'new', ...setup });
      case 'session/load':
        return this.#open({ method: 'load', sessionId: params?.sessionId ?? '', knownOptions: [], ...setup });
      case 'session/prompt':
        return session === undefined || events === undefined || !Array.isArray(params?.prompt)
          ? undefined
          : this.#prompt(session, events, params.prompt);
      case 'session/set_mode':
        return typeof params?.modeId === 'string' ? session?.setOption(MODE_OPTION_ID, params.modeId) : undefined;
      default:
        return undefined;
    }
  }

  #open(request: OpenRequest): Promise<unknown> | undefined {
    const events: SessionEvent[] = [];
    const tell = (event: SessionEvent): void => void events.push(event);
    const opening = this.#sessions?.open(request, {
      begin: (session) => {
        // Loading a session that is already open has no effect.
        if (!this.#told.has(session.id)) this.#told.set(session.id, { session, events });
      },
      history: tell,
      event: tell,
    });
    return opening?.then((session) => tell({ type: 'options', at: this.#now, options: session.options }));
  }

  async #prompt(session: BackendSession, events: SessionEvent[], content: readonly ContentBlock[]): Promise<void> {
    const turnId = `t${this.#turns + 1}`;
    const before = this.#wire.open.length;
    const turn = session.prompt(turnId, content, 'turn');
    // The host refuses a second prompt during a turn.
    const isRefused = this.#wire.open.length === before;
    if (!isRefused) {
      this.#turns++;
      events.push({ type: 'turn_started', at: this.#now, turnId, content });
    }
    const outcome = await turn.then(
      ({ stopReason }) => ({ type: 'ended', stopReason, silent: false }) as const,
      (error: unknown) => ({ type: 'failed', error: toHostError(error).toData() }) as const,
    );
    if (!isRefused) events.push({ type: 'turn_ended', at: this.#now, turnId, outcome });
  }

  #receive({ method, params }: Frame): void {
    if (method === 'session/update') {
      const notification = parseSessionNotification(params);
      if (notification !== undefined) this.#sessions?.receive(notification.sessionId, notification.update);
    } else if (method === 'session/request_permission') {
      const request = parsePermissionRequest(params);
      const session = [...(this.#sessions ?? [])].find(({ id }) => id === request?.sessionId);
      if (request === undefined || session === undefined) return;
      const { request: asked, events, unseenEdit } = mapPermission(session.map, request, this.#now);
      for (const event of events) session.emit(event);
      this.#requests.push({ ...asked, ...(unseenEdit === undefined ? {} : { unseenEdit }) });
    } else {
      this.#requests.push(parseAskUserRequest(params));
    }
  }

  async #answered({ id, result, error }: Frame): Promise<void> {
    const sent = id == null ? undefined : this.#sent.get(id);
    if (id == null || sent === undefined) return;
    const asked = this.#asked.get(id);
    if (error === undefined) {
      if (sent.method === 'initialize') this.#begin(requests.initialize.parseResult(result));
      asked?.call.answer(result);
    } else {
      this.#errors.push(this.#toError(sent.method ?? '', error).toData());
      asked?.call.fail(error);
    }
    await asked?.done.catch(() => {});
  }

  #begin(result: InitializeResponse): void {
    this.#agent = toAgentInfo(result, 'configured');
    if (this.#sessions !== undefined) return;
    this.#quirks = acpQuirksOf(result.agentInfo);
    const quirks = this.#quirks;
    this.#sessions = new AcpSessions({
      calls: callsOf(this.#wire, { quirks, authMethods: this.#agent.authMethods }),
      // The recorded client sent its content unchanged, whatever the agent supports.
      info: { ...this.#agent, promptContent: ['image', 'audio', 'resource'] },
      quirks,
      resumeMethods: toSessionAbilities(result, quirks).resumeMethods,
      clock: { now: () => this.#now },
      log: nullLogger,
      isClosable: false,
      steers: undefined,
      takesOtherFolders: false,
      report: (problem) => this.#problems.push(problem),
    });
  }

  #toError(method: string, wire: NonNullable<Frame['error']>): HostError {
    return toCallError(toRequestError(method, wire), {
      quirks: this.#quirks,
      redactor: new Redactor(),
      authMethods: this.#agent?.authMethods ?? [],
    });
  }
}
