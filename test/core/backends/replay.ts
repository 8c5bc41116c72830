/** Recorded frames through the real schemas and the real mapping, without a process: what the host would have made of them. */
import { readFileSync } from 'node:fs';
import { Redactor } from '../../../src/core/base/redact.js';
import type { AgentInfo, BackendEvent } from '../../../src/core/backends/agentBackend.js';
import { toCallError } from '../../../src/core/backends/acp/callErrors.js';
import { toAgentInfo } from '../../../src/core/doctor/handshake.js';
import { toSessionOffer } from '../../../src/core/backends/acp/sessionOffer.js';
import { mapPermission } from '../../../src/core/backends/acp/permission.js';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { parseAskUserRequest, parsePermissionRequest } from '../../../src/core/backends/acp/schema/requests.js';
import { parseSessionNotification } from '../../../src/core/backends/acp/schema/updates.js';
import { AcpSession } from '../../../src/core/backends/acp/acpSession.js';
import { toRequestError } from '../../../src/core/rpc/rpcErrors.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { ContentBlock, SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

interface Frame {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly ContentBlock[] };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Entry {
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

export const recordings = new URL('../../fixtures/agentao-0.5.17/', import.meta.url);

export function readRecording(name: string): readonly Entry[] {
  return readFileSync(new URL(`${name}.ndjson`, recordings), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Entry => JSON.parse(line));
}

export function replay(entries: readonly Entry[]): Replayed {
  return new Replay().run(entries);
}

class Replay {
  #now = 0;
  #turns = 0;
  #agent: AgentInfo | undefined;
  #quirks: AcpQuirks = acpQuirksOf(undefined);
  readonly #sent = new Map<string | number, Frame>();
  readonly #sessions = new Map<string, { readonly session: AcpSession; readonly events: SessionEvent[]; turnId?: string }>();
  readonly #requests: unknown[] = [];
  readonly #errors: unknown[] = [];
  readonly #problems: string[] = [];

  run(entries: readonly Entry[]): Replayed {
    for (const { t, dir, frame } of entries) {
      this.#now = t;
      if (dir === 'out') this.#send(frame);
      else if (frame.method !== undefined) this.#receive(frame);
      else this.#answered(frame);
    }
    const sessions = [...this.#sessions].map(([id, { events }]) => reduceAll(emptySession(id, '/workspace', 0), events));
    return { agent: this.#agent, sessions, requests: this.#requests, errors: this.#errors, problems: this.#problems };
  }

  #send(frame: Frame): void {
    if (frame.id != null && frame.method !== undefined) this.#sent.set(frame.id, frame);
    const sessionId = frame.params?.sessionId ?? '';
    if (frame.method === 'session/load' && !this.#sessions.has(sessionId)) this.#open(sessionId);
    const open = this.#sessions.get(sessionId);
    if (frame.method !== 'session/prompt' || open === undefined || open.session.busy || !Array.isArray(frame.params?.prompt)) return;
    const turnId = `t${++this.#turns}`;
    open.turnId = turnId;
    open.events.push({ type: 'turn_started', at: this.#now, turnId, content: frame.params.prompt });
    void open.session.beginTurn(turnId, frame.params.prompt);
  }

  #receive({ method, params }: Frame): void {
    if (method === 'session/update') {
      const notification = parseSessionNotification(params);
      if (notification !== undefined) this.#sessions.get(notification.sessionId)?.session.receive(notification.update);
    } else if (method === 'session/request_permission') {
      const request = parsePermissionRequest(params);
      const session = this.#sessions.get(request?.sessionId ?? '')?.session;
      if (request === undefined || session === undefined) return;
      const { request: asked, events, unseenEdit } = mapPermission(session.map, request, this.#now);
      for (const event of events) session.emit(event);
      this.#requests.push({ ...asked, ...(unseenEdit === undefined ? {} : { unseenEdit }) });
    } else {
      this.#requests.push(parseAskUserRequest(params));
    }
  }

  #answered({ id, result, error }: Frame): void {
    const call = id == null ? undefined : this.#sent.get(id);
    if (call === undefined) return;
    if (error !== undefined) return this.#failed(call, error);
    if (call.method === 'initialize') {
      const parsed = requests.initialize.parseResult(result);
      this.#agent = toAgentInfo(parsed, 'configured');
      this.#quirks = acpQuirksOf(parsed.agentInfo);
    } else if (call.method === 'session/new') {
      const parsed = requests.newSession.parseResult(result);
      this.#open(parsed.sessionId);
      this.#offer(parsed.sessionId, toSessionOffer(parsed));
    } else if (call.method === 'session/load') {
      const sessionId = call.params?.sessionId ?? '';
      this.#sessions.get(sessionId)?.session.endTurn();
      this.#offer(sessionId, toSessionOffer(requests.loadSession.parseResult(result)));
    } else if (call.method === 'session/prompt') {
      this.#endTurn(call, { type: 'ended', stopReason: requests.prompt.parseResult(result).stopReason, silent: false });
    }
  }

  #failed(call: Frame, wire: NonNullable<Frame['error']>): void {
    const error = toCallError(toRequestError(call.method ?? '', wire), {
      quirks: this.#quirks,
      redactor: new Redactor(),
      authMethods: this.#agent?.authMethods ?? [],
    });
    this.#errors.push(error.toData());
    if (call.method === 'session/prompt') this.#endTurn(call, { type: 'failed', error: error.toData() });
  }

  #endTurn(call: Frame, outcome: Extract<SessionEvent, { type: 'turn_ended' }>['outcome']): void {
    const open = this.#sessions.get(call.params?.sessionId ?? '');
    if (open?.turnId === undefined) return;
    open.session.endTurn();
    open.events.push({ type: 'turn_ended', at: this.#now, turnId: open.turnId, outcome });
    delete open.turnId;
  }

  #open(sessionId: string): void {
    const events: SessionEvent[] = [];
    const session = new AcpSession({
      sessionId,
      cwd: '/workspace',
      quirks: this.#quirks,
      clock: { now: () => this.#now },
      fire: (event: BackendEvent) => void (event.type === 'event' && events.push(event.event)),
      onProblem: (problem) => this.#problems.push(problem),
    });
    this.#sessions.set(sessionId, { session, events });
  }

  #offer(sessionId: string, { modes, configOptions }: ReturnType<typeof toSessionOffer>): void {
    const events = this.#sessions.get(sessionId)?.events;
    events?.push({ type: 'config_options', at: this.#now, configOptions });
    const described = this.#quirks.modes(modes);
    if (described !== undefined) events?.push({ type: 'modes', at: this.#now, modes: described });
  }
}
