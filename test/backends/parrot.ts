/**
 * A wire protocol that exists only in these tests (test/agents/parrot.mjs implements the agent): JSON lines without JSON-RPC, no earlier
 * sessions, and the agent's own queue. `addProtocol('parrot', parrot)` adds it, and everything above the seam works with it unchanged.
 */
import * as z from 'zod/mini';
import type { BackendSession, ConnectAgent, ConnectOptions, PromptResult, SessionSink } from '../../src/core/backends/agentBackend.js';
import { AgentConnection } from '../../src/core/backends/agentConnection.js';
import { toAcceptedContent } from '../../src/core/backends/promptContent.js';
import type { Protocol } from '../../src/core/backends/protocols.js';
import { startDeadline } from '../../src/core/base/deadline.js';
import { HostError, unsent } from '../../src/core/base/errors.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import type { SessionOption } from '../../src/core/session/model.js';
import { parrotFrames } from './parrotFrames.js';

const text = z._default(z.string(), '');
const saidSchema = z.object({
  is: z.enum(['hello', 'opened', 'options', 'word', 'queued', 'unqueued', 'ask', 'oops', 'done']),
  session: text,
  id: text,
  text,
  taken: z.optional(z.string()),
  stopped: z._default(z.boolean(), false),
  options: z._default(z.array(z.object({ key: z.string(), values: z.array(z.string()), value: z.string() })), []),
  name: text,
  version: text,
});
type Said = z.infer<typeof saidSchema>;

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: HostError) => void;
}

interface Line {
  readonly send: (message: object) => void;
  /** Sends a message, and passes on what settles the promise. @param limitMs if absent, there is no time limit */
  readonly call: <T>(message: object, listen: (waiting: Waiting<T>) => void, limitMs?: number) => Promise<T>;
}

interface Nest {
  readonly session: BackendSession;
  receive(said: Said): void;
  lose(error: HostError): void;
}

const connect: ConnectAgent = async (o) => {
  const connection = await AgentConnection.open(o);
  const nests = new Map<string, Nest>();
  /** Unanswered requests to open a session, in order, because the protocol has no ids for them. */
  const opening: (Waiting<BackendSession> & { readonly sink: SessionSink })[] = [];
  /** Messages for a session that arrived before the answer that names it. */
  const early: Said[] = [];
  const pending = new Set<(error: HostError) => void>();
  let gone: HostError | undefined;
  let greeting: Waiting<Said> | undefined;
  let [invalidMessages, timeouts] = [0, 0];
  const send = (message: object): void => connection.channel.send(message, () => {});
  const call: Line['call'] = <T>(message: object, listen: (waiting: Waiting<T>) => void, limitMs?: number): Promise<T> => {
    let forget = (): void => {};
    const answer = new Promise<T>((resolve, reject) => {
      if (gone !== undefined) return reject(unsent(gone));
      const late = (): void => reject(new HostError('request_timeout', { timeouts: ++timeouts }));
      const stopDeadline = limitMs === undefined ? undefined : startDeadline(limitMs, late);
      pending.add(reject);
      forget = () => pending.delete(reject) && stopDeadline?.();
      listen({ resolve, reject });
      send(message);
    });
    return answer.finally(() => forget());
  };
  const lose = (error: HostError): void => {
    gone = error;
    for (const nest of nests.values()) nest.lose(error);
    for (const reject of pending) reject(error);
    connection.lost(error);
  };
  const open = (said: Said): void => {
    const waiting = opening.shift();
    if (waiting === undefined || !pending.has(waiting.reject)) return;
    const nest = hatch(said, waiting.sink, { send, call }, o);
    nests.set(said.session, nest);
    waiting.sink.begin(nest.session);
    for (const one of early.splice(0)) if (one.session === said.session) nest.receive(one);
    waiting.resolve(nest.session);
  };
  const receive = (said: Said | undefined): void => {
    if (said === undefined) invalidMessages++;
    else if (said.is === 'hello') greeting?.resolve(said);
    else if (said.is === 'opened') open(said);
    else if (nests.has(said.session)) nests.get(said.session)?.receive(said);
    else if (opening.length > 0) early.push(said);
  };
  connection.channel.listen({
    onValue: (value) => receive(saidSchema.safeParse(value).data),
    onLineTooLong: () => invalidMessages++,
    onEnd: (cause) => lose(new HostError('agent_exited', { reason: 'output_closed' }, { cause })),
  });
  o.signal.addEventListener('abort', () => greeting?.reject(new HostError('cancelled', { reason: 'start' })));
  const { name, version } = await connection.handshake(
    call<Said>({ do: 'hello' }, (waiting) => (greeting = waiting), o.deadlines.initializeMs),
  );
  return {
    info: { name, version, title: undefined, protocolVersion: 1, promptContent: [], mcpTransports: [], authMethods: [], capabilities: {} },
    sessions: {
      resumeMethods: [],
      async open({ method }, sink) {
        if (method !== 'new') throw new HostError('unsupported', { reason: 'resume' });
        return call({ do: 'open' }, (waiting) => opening.push({ ...waiting, sink }), o.deadlines.sessionMs);
      },
    },
    onClosed: connection.onClosed,
    get stats() {
      return { timeouts, noiseLines: connection.channel.noiseLines, invalidMessages, unknownResponses: 0, leftOut: 0, pauses: 0 };
    },
    close: (how) => connection.close(how),
  };
};

function hatch(opened: Said, sink: SessionSink, { send, call }: Line, { clock, services, deadlines }: ConnectOptions): Nest {
  const { session: id } = opened;
  let options = toOptions(opened);
  let turn: (Waiting<PromptResult> & { readonly over: AbortController }) | undefined;
  const setting: Waiting<void>[] = [];
  const queueing: (Waiting<PromptResult> & { readonly id: string })[] = [];
  const queue = new Map<string, string>();
  const tell = (said: Said): readonly SessionEvent[] => {
    const at = clock.now();
    const words = (more: string) => ({ type: 'text', text: more }) as const;
    const events: SessionEvent[] = [];
    if (said.is === 'word') events.push({ type: 'message', at, role: 'agent', content: words(`${said.text} `) });
    if (said.is === 'queued') queue.set(said.id, queueing[0]?.id ?? said.id);
    const promptId = queue.get(said.id) ?? said.id;
    if (said.is === 'queued') events.push({ type: 'queued', at, prompt: { id: promptId, at, content: [words(said.text)] } });
    if (said.is === 'unqueued') events.push({ type: 'unqueued', at, promptId });
    if (said.taken !== undefined) events.push({ type: 'message', at, role: 'user', promptId, content: words(said.taken) });
    if (said.is === 'options') events.push({ type: 'options', at, options: (options = toOptions(said)) });
    return events;
  };
  const ask = async ({ id: question, text: title }: Said): Promise<void> => {
    const signal = turn?.over.signal ?? new AbortController().signal;
    const answer = await services.requestUser({ kind: 'confirm', sessionId: id, title }, signal);
    send({ do: 'answer', session: id, id: question, yes: answer.type === 'accept' });
  };
  const end = (error?: HostError): typeof turn => {
    const ended = turn;
    turn = undefined;
    ended?.over.abort(error);
    return ended;
  };
  const session: BackendSession = {
    id,
    get options() {
      return options;
    },
    unstated: new Set(),
    deliveries: ['turn', 'followUp'],
    queue: {
      remove: async (prompt) => {
        for (const [own, promptId] of queue) if (promptId === prompt) send({ do: 'forget', session: id, id: own });
        return [];
      },
    },
    async prompt(promptId, content, delivery) {
      if (delivery === 'steer') throw new HostError('unsupported', { reason: 'delivery', delivery });
      const said = toAcceptedContent(content, []).map((block) => (block.type === 'text' ? block.text : 'uri' in block ? block.uri : ''));
      const message = { session: id, text: said.join(' ') };
      if (delivery === 'followUp')
        return call({ do: 'later', ...message }, (waiting) => queueing.push({ ...waiting, id: promptId }), deadlines.queryMs);
      if (turn !== undefined) throw new HostError('session_busy');
      return call({ do: 'say', ...message }, (waiting) => (turn = { over: new AbortController(), ...waiting }));
    },
    cancel() {
      turn?.over.abort();
      if (turn !== undefined) send({ do: 'stop', session: id });
    },
    setOption: (key, value) => call({ do: 'set', session: id, key, value }, (waiting) => setting.push(waiting), deadlines.queryMs),
  };
  return {
    session,
    receive(said) {
      for (const event of tell(said)) sink.event(event);
      if (said.is === 'queued') queueing.shift()?.resolve({ stopReason: 'end_turn' });
      if (said.is === 'options') setting.shift()?.resolve();
      if (said.is === 'ask') void ask(said);
      if (said.is === 'oops') end()?.reject(new HostError('request_failed', { detail: said.text }));
      if (said.is === 'done') end()?.resolve({ stopReason: said.stopped ? 'cancelled' : 'end_turn' });
    },
    lose: end,
  };
}

function toOptions({ options }: Said): readonly SessionOption[] {
  return options.map(({ key: id, values, value: currentValue }) => {
    const choices = values.map((value) => ({ value, name: value }));
    return { type: 'select', id, name: id, currentValue, choices };
  });
}

export const parrot: Protocol & { readonly peer: 'process' } = { peer: 'process', connect, frames: parrotFrames };
