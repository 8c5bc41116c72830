/**
 * A wire protocol that nobody has (test/agents/parrot.mjs speaks it): JSON lines, no JSON-RPC, no earlier sessions, a queue of the agent's own.
 * It is plugged in by `addProtocol('parrot', parrot)`, and everything above the seam works with it unchanged.
 */
import * as z from 'zod/mini';
import type {
  AgentInfo,
  BackendSession,
  ConnectAgent,
  ConnectOptions,
  PromptResult,
  SessionSink,
} from '../../src/core/backends/agentBackend.js';
import { AgentConnection } from '../../src/core/backends/agentConnection.js';
import type { Protocol } from '../../src/core/backends/protocols.js';
import { HostError } from '../../src/core/base/errors.js';
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

interface Nest {
  readonly session: BackendSession;
  receive(said: Said): void;
  lose(error: HostError): void;
}

const connect: ConnectAgent = async (o) => {
  const connection = await AgentConnection.open(o);
  const nests = new Map<string, Nest>();
  /** Asked to open and not answered yet, in order: the protocol has no ids for it. */
  const opening: (Waiting<BackendSession> & { readonly sink: SessionSink })[] = [];
  /** Said of a session before the answer that names it. */
  const early: Said[] = [];
  let greeting: Waiting<Said> | undefined;
  let invalidMessages = 0;
  const send = (message: object): void => connection.channel.send(message, () => {});
  const lose = (error: HostError): void => {
    for (const nest of nests.values()) nest.lose(error);
    for (const waiting of opening.splice(0)) waiting.reject(error);
    greeting?.reject(error);
    connection.lost(error);
  };
  const open = (said: Said): void => {
    const waiting = opening.shift();
    if (waiting === undefined) return;
    const nest = hatch(said, waiting.sink, send, o);
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
    onEnd: (error) => lose(error ?? new HostError('agent_exited', 'The parrot is gone')),
  });
  const { name, version } = await connection.handshake(
    new Promise<Said>((resolve, reject) => {
      greeting = { resolve, reject };
      o.signal.addEventListener('abort', () => reject(new HostError('cancelled', 'The start was cancelled')));
      setTimeout(() => reject(new HostError('request_timeout', 'No hello')), o.deadlines.initializeMs).unref();
      send({ do: 'hello' });
    }),
  );
  const nothing = { promptContent: [], mcpTransports: [], authMethods: [], capabilities: {} };
  const info: AgentInfo = { name, version, title: undefined, protocolVersion: 1, ...nothing };
  return {
    info,
    sessions: {
      resumeMethods: [],
      async open({ method }, sink) {
        if (method !== 'new') throw new HostError('unsupported', 'A parrot knows new sessions only');
        if (connection.isEnded) throw new HostError('agent_exited', 'The parrot is gone');
        return new Promise((resolve, reject) => {
          opening.push({ sink, resolve, reject });
          send({ do: 'open' });
        });
      },
    },
    onClosed: connection.onClosed,
    get stats() {
      const { noiseLines } = connection.channel;
      return { timeouts: 0, noiseLines, invalidMessages, unknownResponses: 0, leftOut: 0, pauses: 0 };
    },
    close: (how) => connection.close(how),
  };
};

function hatch(opened: Said, sink: SessionSink, send: (message: object) => void, { clock, services }: ConnectOptions): Nest {
  const { session: id } = opened;
  let options = toOptions(opened);
  let turn: (Waiting<PromptResult> & { readonly over: AbortController }) | undefined;
  let optionSet = (): void => {};
  const tell = (said: Said): readonly SessionEvent[] => {
    const at = clock.now();
    const words = (more: string) => ({ type: 'text', text: more }) as const;
    const events: SessionEvent[] = [];
    if (said.is === 'word') events.push({ type: 'message', at, role: 'agent', content: words(`${said.text} `) });
    if (said.is === 'queued') events.push({ type: 'queued', at, prompt: { id: said.id, at, content: [words(said.text)] } });
    if (said.is === 'unqueued') events.push({ type: 'unqueued', at, promptId: said.id });
    if (said.taken !== undefined) events.push({ type: 'message', at, role: 'user', content: words(said.taken) });
    if (said.is === 'options') events.push({ type: 'options', at, options: (options = toOptions(said)) });
    return events;
  };
  const ask = async ({ id: question, text: title }: Said): Promise<void> => {
    const signal = turn?.over.signal ?? new AbortController().signal;
    const answer = await services.requestUser({ kind: 'confirm', sessionId: id, title }, signal);
    send({ do: 'answer', session: id, id: question, yes: answer.type === 'accept' });
  };
  const end = (): typeof turn => {
    const ended = turn;
    turn = undefined;
    return ended;
  };
  const session: BackendSession = {
    id,
    get options() {
      return options;
    },
    unstated: new Set(),
    deliveries: ['turn', 'followUp'],
    queue: { remove: (prompt) => send({ do: 'forget', session: id, id: prompt }) },
    async prompt(_turnId, content, delivery) {
      const words = content.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
      send({ do: delivery === 'followUp' ? 'later' : 'say', session: id, text: words });
      if (delivery === 'followUp') return { stopReason: 'end_turn' };
      return new Promise((resolve, reject) => (turn = { over: new AbortController(), resolve, reject }));
    },
    cancel() {
      turn?.over.abort();
      send({ do: 'stop', session: id });
    },
    setOption(key, value) {
      send({ do: 'set', session: id, key, value });
      return new Promise((resolve) => (optionSet = resolve));
    },
  };
  return {
    session,
    receive(said) {
      for (const event of tell(said)) sink.event(event);
      if (said.is === 'options') optionSet();
      if (said.is === 'ask') void ask(said);
      if (said.is === 'oops') end()?.reject(new HostError('request_failed', said.text));
      if (said.is === 'done') end()?.resolve({ stopReason: said.stopped ? 'cancelled' : 'end_turn' });
    },
    lose(error) {
      turn?.over.abort(error);
      end()?.reject(error);
    },
  };
}

function toOptions({ options }: Said): readonly SessionOption[] {
  return options.map(({ key: id, values, value: currentValue }) => {
    const choices = values.map((value) => ({ value, name: value }));
    return { type: 'select', id, name: id, currentValue, choices };
  });
}

export const parrot: Protocol = { connect, frames: parrotFrames };
