import {
  AcpProjection,
  toAcpOffer,
  type AgentInfo,
  type AgentStatus,
  type HostError,
  type HostErrorData,
  type SessionEvent,
  type UserRequest,
} from '../core/index.js';
import { flushed, type Io } from './io.js';
import type { Output } from './output.js';
import type { RecoveryOffer } from './recovery.js';
import { answeredLine, requestLine } from './requestLines.js';
import { type EventLine, schemaVersion, type Unversioned } from './schema.js';

/** One JSON object a line on stdout; stderr stays empty but for our own mistakes. */
export function createJsonOutput(io: Io, agentId: string): Output {
  const write = (line: Unversioned<EventLine>): void => writeLine(io, line);
  const requests = new Map<string, UserRequest>();
  const projections = new Map<string, AcpProjection>();
  let lastStatus = '';
  return {
    status(status, info) {
      const line = {
        event: 'agent',
        state: status.state,
        agent: agentId,
        ...statusFacts(status),
        ...(status.state === 'ready' && info && { info: infoFacts(info) }),
      } as const;
      const text = JSON.stringify(line);
      // The core may tell the same state twice when only its age changed.
      if (text !== lastStatus) write(line);
      lastStatus = text;
    },
    opened(session, info) {
      const { options, cwd, continues } = session.state;
      projections.set(session.id, new AcpProjection(options));
      const { modes, configOptions } = toAcpOffer(options);
      write({
        event: 'session',
        sessionId: session.id,
        cwd,
        how: session.openedBy === 'replacement' ? 'fresh' : session.openedBy,
        ...(continues !== undefined && { continues }),
        capabilities: { ...info.capabilities },
        ...(modes && { modes: { ...modes } }),
        configOptions: configOptions.map((option) => ({ ...option })),
      });
    },
    recovery: (offer) => write(recoveryLine(offer)),
    event(session, event) {
      // What comes while the session is not live is told again, from before.
      const updates = session.live ? (projections.get(session.id)?.project(event) ?? []) : [];
      for (const update of updates) write({ event: 'update', sessionId: session.id, update: { ...update } });
      if (event.type === 'request_opened') requests.set(event.request.id, event.request);
      for (const line of linesOf(session.id, event, requests)) write(line);
      if (event.type === 'request_closed') requests.delete(event.requestId);
    },
    error: (error, stderrTail) => write(errorLine(error, stderrTail)),
    note: () => {},
    end: () => flushed(io.stdout),
  };
}

/** For what goes wrong before there is an agent. */
export function writeJsonError(io: Io, error: HostErrorData): void {
  writeLine(io, errorLine(error));
}

function writeLine(io: Io, line: Unversioned<EventLine>): void {
  io.stdout.write(`${JSON.stringify({ schemaVersion, ...line })}\n`);
}

type StatusFacts = Partial<
  Pick<Extract<EventLine, { event: 'agent' }>, 'awaiting' | 'asks' | 'exit' | 'attempt' | 'of' | 'retryInMs' | 'reason'>
>;

function statusFacts(status: AgentStatus): StatusFacts {
  switch (status.state) {
    case 'starting':
      return { awaiting: status.awaiting };
    case 'waiting':
      return { asks: status.requests };
    case 'stopped':
      return status.exit ? { exit: { code: status.exit.code, signal: status.exit.signal } } : {};
    case 'reconnecting': {
      const { attempt, of, retryAt, reason } = status;
      return {
        ...(attempt !== undefined && { attempt }),
        ...(of !== undefined && { of }),
        ...(retryAt !== undefined && { retryInMs: Math.max(0, retryAt - Date.now()) }),
        ...(reason && { reason: reason.message, ...exitFacts(reason) }),
      };
    }
    case 'failed':
      return { reason: status.error.message, ...exitFacts(status.error) };
    default:
      return {};
  }
}

/** How the process ended, where the error of its loss knows it. */
function exitFacts({ data }: HostError): Pick<StatusFacts, 'exit'> {
  const { exitCode: code, signal } = data;
  if (typeof code !== 'number' && typeof signal !== 'string') return {};
  return { exit: { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null } };
}

function infoFacts({ name, title, version, protocolVersion }: AgentInfo): NonNullable<Extract<EventLine, { event: 'agent' }>['info']> {
  return { name, protocolVersion, ...(title !== undefined && { title }), ...(version !== undefined && { version }) };
}

/** What ACP's own updates do not tell: the turn and the agent's requests. */
function linesOf(sessionId: string, event: SessionEvent, requests: ReadonlyMap<string, UserRequest>): readonly Unversioned<EventLine>[] {
  switch (event.type) {
    case 'turn_started':
      return [{ event: 'turn', phase: 'start', sessionId, turnId: event.turnId }];
    case 'turn_ended': {
      const { outcome, turnId } = event;
      const end = { event: 'turn', phase: 'end', sessionId, turnId, outcome: outcome.type } as const;
      if (outcome.type === 'ended') return [{ ...end, stopReason: outcome.stopReason, silent: outcome.silent }];
      return [errorLine(outcome.error, outcome.stderrTail), outcome.type === 'interrupted' ? { ...end, stopReason: 'interrupted' } : end];
    }
    case 'request_opened':
      return [requestLine(event.request)];
    case 'request_closed': {
      const request = requests.get(event.requestId);
      return request === undefined ? [] : [answeredLine(request, event.answer)];
    }
    default:
      return [];
  }
}

function errorLine({ code, message, data }: HostErrorData, stderrTail?: string): Unversioned<EventLine> {
  return { event: 'error', code, message, ...(Object.keys(data).length > 0 && { data: { ...data } }), ...(stderrTail && { stderrTail }) };
}

function recoveryLine({ sessionId, reason, context: { text, turns, omittedTurns } }: RecoveryOffer): Unversioned<EventLine> {
  const told = { event: 'recovery', sessionId, code: reason.code, reason: reason.message } as const;
  return turns === 0
    ? { ...told, choices: ['fresh'] }
    : { ...told, choices: ['context', 'fresh'], context: { text, length: text.length, turns, omittedTurns } };
}
