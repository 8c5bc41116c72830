import type { AgentName } from '../system/agents.js';
import { changedFileFacts } from './changeText.js';
import { withCommandTexts } from '../../text/commandText.js';
import { textOf } from '../../text/plainText.js';
import { errorMessage } from '../../text/errorText.js';
import { type CliError, toCliError } from './errorText.js';
import type { EventLine, Unversioned } from './eventSchema.js';
import { waitText } from '../../text/hintText.js';
import {
  AcpProjection,
  type AgentInfo,
  type AgentStatus,
  type ChangeSet,
  closeReasonOf,
  type FrontEndIdentity,
  type HostErrorData,
  type LateWork,
  type PermissionSubject,
  type SessionEvent,
  SubagentTasks,
  toAcpOffer,
  type UserAnswer,
  type UserRequest,
  withoutAbsent,
} from '../../core/index.js';
import { flushed, type Io, writeJson } from '../system/io.js';
import { hostNoticeText } from '../../text/noticeText.js';
import type { Output, RecoveryOffer, Silence } from './output.js';
import {
  isOptionRequest,
  onlyField,
  optionFromAnswer,
  type OptionRequest,
  optionsOf,
  type QuestionRequest,
  questionText,
  textFromAnswer,
} from './requestText.js';
import { schemaVersion } from './reportSchema.js';

/** One JSON object per line on stdout. stderr stays empty, except for internal errors. */
export function createJsonOutput(io: Io, agentId: string, agent: AgentName): Output {
  const write = (line: Unversioned<EventLine>): void => writeLine(io, line);
  const requests = new Map<string, UserRequest>();
  const shown = new Map<string, { readonly projection: AcpProjection; readonly tasks: SubagentTasks }>();
  const queues = new AgentQueues();
  let lastStatus = '';
  /** The sessions in which a turn is running. */
  const inTurn = new Set<string>();
  return {
    status(status, info) {
      const line = {
        event: 'agent',
        state: status.state,
        agent: agentId,
        ...statusFacts(status, agent.label),
        ...(status.state === 'ready' && info && { info: infoFacts(info) }),
      } as const;
      const text = JSON.stringify(line);
      // The core may report the same state twice if only its age changed.
      if (text !== lastStatus) write(line);
      lastStatus = text;
    },
    opened({ state, options, openedBy }, info) {
      const { sessionId, cwd, continues } = state;
      shown.set(sessionId, { projection: new AcpProjection(options), tasks: new SubagentTasks() });
      const { modes, configOptions } = toAcpOffer(options);
      write({
        event: 'session',
        sessionId,
        cwd,
        how: openedBy === 'replacement' ? 'fresh' : openedBy,
        ...(continues !== undefined && { continues }),
        capabilities: { ...info?.capabilities },
        ...(modes && { modes: { ...modes } }),
        configOptions: configOptions.map((option) => ({ ...option })),
      });
    },
    detached: (id) => write({ event: 'detached', id }),
    recovery: (offer) => write(recoveryLine(offer)),
    event(sessionId, event, isReplay) {
      const session = isReplay ? undefined : shown.get(sessionId);
      const call = event.type === 'tool' ? { item: event.id } : {};
      if (event.type === 'turn_started') inTurn.add(sessionId);
      if (event.type === 'turn_ended') inTurn.delete(sessionId);
      const late = isWork.has(event.type) && !inTurn.has(sessionId) ? { late: true as const } : {};
      for (const one of session?.tasks.pass(event) ?? []) {
        const from = 'subagentId' in one && one.subagentId !== undefined ? { subagent: one.subagentId } : {};
        for (const update of session?.projection.project(withCommandTexts(one)) ?? [])
          write({ event: 'update', sessionId, ...from, ...call, ...late, update: { ...update } });
      }
      if (event.type === 'request_opened') requests.set(event.request.id, event.request);
      for (const line of linesOf(sessionId, event, requests, agent.label)) write(line);
      const queue = queues.after(sessionId, event);
      if (queue !== undefined) write({ event: 'queue', sessionId, prompts: [...queue] });
      if (event.type === 'request_closed') requests.delete(event.requestId);
    },
    late: (sessionId, works) => write({ event: 'late', sessionId, running: works.map(lateFacts) }),
    changed: (sessionId, changes) => write(changesLine(sessionId, changes)),
    unrecorded: (error) => write({ event: 'notice', severity: 'info', code: 'changes_unknown', message: errorMessage(error, agent.label) }),
    error: (error, stderrTail) => write(errorLine(error, stderrTail)),
    silence: (silence) => write(silenceLine(silence, agent.label)),
    notice: (notice) => write({ event: 'notice', ...notice }),
    note: () => {},
    end: () => flushed(io.stdout),
  };
}

/** What an agent says or does; the rest are facts about its session. */
const isWork: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'subagent']);

function lateFacts(work: LateWork): Extract<EventLine, { event: 'late' }>['running'][number] {
  const { title } = work;
  if (work.kind === 'subagent') return { kind: 'subagent', id: work.agentId, title, canStop: work.canStop };
  const canStop = work.content.some((part) => part.type === 'terminal' && part.runs === true);
  return { kind: 'command', id: work.id, title, canStop };
}

/** Reports an error before there is an agent. */
export function writeJsonError(io: Io, error: CliError): void {
  writeLine(io, errorLine(error));
}

function writeLine(io: Io, line: Unversioned<EventLine>): void {
  writeJson(io.stdout, { schemaVersion, ...line });
}

type StatusFacts = Partial<
  Pick<Extract<EventLine, { event: 'agent' }>, 'awaiting' | 'asks' | 'exit' | 'attempt' | 'of' | 'retryInMs' | 'reason'>
>;

function statusFacts(status: AgentStatus, agentLabel: string): StatusFacts {
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
        ...withoutAbsent({ attempt, of, retryInMs: retryAt && Math.max(0, retryAt - Date.now()) }),
        ...(reason && { reason: errorMessage(reason, agentLabel), ...exitFacts(reason) }),
      };
    }
    case 'failed':
      return { reason: errorMessage(status.error, agentLabel), ...exitFacts(status.error) };
    default:
      return {};
  }
}

/** Returns how the process ended, if the error says it. */
function exitFacts({ params }: HostErrorData): Pick<StatusFacts, 'exit'> {
  const { exitCode: code, signal } = params;
  if (typeof code !== 'number' && typeof signal !== 'string') return {};
  return { exit: { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null } };
}

function infoFacts({ name, title, version, protocolVersion }: AgentInfo): NonNullable<Extract<EventLine, { event: 'agent' }>['info']> {
  return { name, protocolVersion, ...withoutAbsent({ title, version }) };
}

/** Returns lines for what ACP's updates do not report: turns and the agent's requests. */
function linesOf(
  sessionId: string,
  event: SessionEvent,
  requests: ReadonlyMap<string, UserRequest>,
  agentLabel: string,
): readonly Unversioned<EventLine>[] {
  switch (event.type) {
    case 'turn_started':
      return [{ event: 'turn', phase: 'start', sessionId, turnId: event.turnId }];
    case 'turn_ended': {
      const { outcome, turnId } = event;
      const end = { event: 'turn', phase: 'end', sessionId, turnId, outcome: outcome.type } as const;
      if (outcome.type === 'ended') {
        const { stopReason, silent, usage } = outcome;
        return [{ ...end, stopReason, silent, ...(usage && { usage: { ...usage } }) }];
      }
      return [
        errorLine(toCliError(outcome.error, agentLabel), outcome.stderrTail),
        outcome.type === 'interrupted' ? { ...end, stopReason: 'interrupted' } : end,
      ];
    }
    case 'host_notice': {
      const { severity, code } = event;
      const { title, description } = hostNoticeText(event, agentLabel);
      const message = description === undefined ? title : `${title}: ${description}`;
      return [{ event: 'notice', sessionId, severity, code, message }];
    }
    case 'request_opened':
      return [requestLine(event.request)];
    case 'request_closed': {
      const request = requests.get(event.requestId);
      return request === undefined ? [] : [answeredLine(request, event.answer, event.by)];
    }
    default:
      return [];
  }
}

function changesLine(sessionId: string, { id, fileCount, added, removed, files, problems }: ChangeSet): Unversioned<EventLine> {
  const line = { event: 'changes', sessionId, turnId: id, fileCount, added, removed, files: files.map(changedFileFacts) } as const;
  return problems.length === 0 ? line : { ...line, problems: [...problems] };
}

function errorLine({ code, message, data }: CliError, stderrTail?: string): Unversioned<EventLine> {
  return { event: 'error', code, message, ...(Object.keys(data).length > 0 && { data: { ...data } }), ...(stderrTail && { stderrTail }) };
}

function silenceLine({ wait, ...silence }: Silence, agentLabel: string): Unversioned<EventLine> {
  const line = { event: 'silence', ...silence } as const;
  if (wait === undefined) return line;
  const reason = waitText(wait, agentLabel, Date.now());
  if (wait.kind !== 'retry') return { ...line, reason };
  const { attempt, attempts, status } = wait.reason.params;
  const retryInMs = Math.max(0, wait.until - Date.now());
  return { ...line, reason, retry: { ...withoutAbsent({ attempt, of: attempts }), retryInMs, ...withoutAbsent({ status }) } };
}

function recoveryLine({ sessionId, reason, context }: RecoveryOffer): Unversioned<EventLine> {
  const line = { event: 'recovery', sessionId, code: reason.code, reason: reason.message } as const;
  if (context === undefined) return { ...line, choices: ['fresh'] };
  const { text, turns, omittedTurns } = context;
  return { ...line, choices: ['context', 'fresh'], context: { text, length: text.length, turns, omittedTurns } };
}

interface Queued {
  readonly id: string;
  readonly text: string;
}

/** The queues of the agents themselves, by session. */
class AgentQueues {
  readonly #queues = new Map<string, readonly Queued[]>();

  /** Returns the queue after the event; undefined if the event did not change it. */
  after(sessionId: string, event: SessionEvent): readonly Queued[] | undefined {
    const before = this.#queues.get(sessionId) ?? [];
    const now = queueAfter(before, event);
    if (now === before) return undefined;
    this.#queues.set(sessionId, now);
    return now;
  }
}

function queueAfter(queue: readonly Queued[], event: SessionEvent): readonly Queued[] {
  if (event.type === 'queued') return [...queue, { id: event.prompt.id, text: event.prompt.content.map(textOf).join('\n') }];
  if (event.type === 'unqueued')
    return queue.some(({ id }) => id === event.promptId) ? queue.filter(({ id }) => id !== event.promptId) : queue;
  return queue;
}

type Line = Unversioned<EventLine>;

export function requestLine(request: UserRequest): Line {
  const { id, sessionId, subagent } = request;
  const asked = { phase: 'request', sessionId, id, ...(subagent && { subagent: { ...subagent } }) } as const;
  if (!isOptionRequest(request)) return { event: 'question', ...asked, ...questionFacts(request) };
  const { calls, moreCalls } = request.kind === 'permission' ? request : {};
  return {
    event: 'permission',
    ...asked,
    toolCall: toolCallOf(request),
    ...(calls && { calls: calls.map(callOf) }),
    ...(moreCalls && { moreCalls }),
    options: optionsOf(request).map((option) => ({ ...option })),
  };
}

function questionFacts(request: QuestionRequest) {
  const { options, ...question } = questionText(request);
  const fields = request.kind === 'form' && !isOneText(request) ? request.fields : undefined;
  return {
    ...question,
    options: [...options],
    ...(fields && { fields: fields.map((field) => ({ ...field })) }),
    ...(request.kind === 'url' && { url: request.url }),
    ...(request.kind === 'editor' && { prefill: request.prefill }),
  };
}

/** Whether the form is one required field whose answer is a text, so that the event needs no `fields`. */
function isOneText({ fields }: Extract<UserRequest, { kind: 'form' }>): boolean {
  const field = onlyField(fields);
  if (field?.type === 'text') return field.required;
  if (field?.type !== 'select' && field?.type !== 'multiselect') return false;
  return field.required && field.choices.every(({ label, value }) => label === value);
}

type ToolCall = Extract<EventLine, { event: 'permission'; phase: 'request' }>['toolCall'];

function toolCallOf(request: OptionRequest): ToolCall {
  if (request.kind === 'confirm') {
    const { title, message } = request;
    const content = message === undefined ? [] : [{ type: 'content', content: { type: 'text', text: message } }];
    return { toolCallId: '', title, kind: 'other', content, locations: [] };
  }
  return callOf(request.subject);
}

function callOf({ toolCallId, title, toolKind, rawInput, content, locations }: PermissionSubject): ToolCall {
  return {
    toolCallId,
    title,
    kind: toolKind,
    ...(rawInput !== undefined && { rawInput }),
    content: content.map((part) => ({ ...part })),
    locations: locations.map((location) => ({ ...location })),
  };
}

export function answeredLine(request: UserRequest, answer: UserAnswer, by?: FrontEndIdentity): Line {
  const answered = { phase: 'answer', sessionId: request.sessionId, id: request.id, ...(by && { by: by.program }) } as const;
  const reason = closeReasonOf(answer);
  const why = reason === undefined ? {} : { why: reason };
  const cancelled = { outcome: 'cancelled', ...why } as const;
  if (isOptionRequest(request)) {
    const optionId = optionFromAnswer(request, answer);
    return { event: 'permission', ...answered, ...(optionId === undefined ? cancelled : { outcome: 'selected', optionId, ...why }) };
  }
  if (answer.type === 'cancel') return { event: 'question', ...answered, ...cancelled };
  const text = textFromAnswer(request, answer);
  if (text !== undefined) return { event: 'question', ...answered, outcome: 'answered', text };
  if (answer.type === 'decline') return { event: 'question', ...answered, outcome: 'declined' };
  const values = Object.fromEntries(
    Object.entries(answer.values).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
  return { event: 'question', ...answered, outcome: 'answered', values };
}
