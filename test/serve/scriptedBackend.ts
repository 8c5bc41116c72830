/** A backend without an agent: its only session does what the test says. */
import type {
  AgentBackend,
  AgentInfo,
  BackendEnd,
  BackendSession,
  Delivery,
  PromptResult,
  SessionSink,
} from '../../src/core/backends/agentBackend.js';
import { HostError } from '../../src/core/base/errors.js';
import { Emitter } from '../../src/core/base/event.js';
import type { HostServices, NewRequest } from '../../src/core/services/hostServices.js';
import type { ContentBlock, SessionOption } from '../../src/core/session/model.js';
import type { UserAnswer } from '../../src/core/session/userRequest.js';

type Unsessioned<R> = R extends NewRequest ? Omit<R, 'sessionId'> : never;

export interface Script {
  readonly sink: SessionSink;
  readonly cancelled: AbortSignal;
  ask(request: Unsessioned<NewRequest>): Promise<UserAnswer>;
}

export interface Scripted {
  readonly backend: AgentBackend;
  /** Asks the user outside of a turn. */
  ask(request: Unsessioned<NewRequest>): Promise<UserAnswer>;
  /** Of the session that was opened last. */
  sink(): SessionSink;
  /** How many sessions the agent has open. */
  readonly openCount: number;
  /** Ends the agent, as a crash does. */
  lose(): void;
}

export const nothingSpecial: AgentInfo = {
  name: 'scripted',
  title: undefined,
  version: '1',
  protocolVersion: 1,
  promptContent: [],
  mcpTransports: [],
  authMethods: [],
  capabilities: {},
};

/**
 * @param turn what a prompt does, with the text of the prompt
 * @param o.load called when a loaded session has begun. Without it, no session can be loaded or closed
 */
export function scriptedBackend(
  services: HostServices,
  turn: (words: string, script: Script) => Promise<PromptResult>,
  o: {
    readonly info?: Partial<AgentInfo>;
    readonly options?: readonly SessionOption[];
    readonly deliveries?: readonly Delivery[];
    readonly load?: () => Promise<void>;
    readonly stopSubagent?: (subagentId: string) => void;
  } = {},
): Scripted {
  const closed = new Emitter<BackendEnd>();
  const running = new Set<(error: HostError) => void>();
  const gone = new AbortController();
  let openCount = 0;
  let lastSink: SessionSink | undefined;
  const open = (sink: SessionSink): BackendSession => {
    openCount++;
    lastSink = sink;
    let endTurn = (_: HostError): void => {};
    let options = o.options ?? [];
    let stop = new AbortController();
    // Accepted at once, and reported as a user message.
    const join = async (promptId: string, [block]: readonly ContentBlock[], delivery: Delivery): Promise<PromptResult> => {
      const text = `${delivery} ${block?.type === 'text' ? block.text : ''}`;
      sink.event({ type: 'message', at: 0, role: 'user', promptId, content: { type: 'text', text } });
      return { stopReason: 'end_turn' };
    };
    const session: BackendSession = {
      id: 'one',
      get options() {
        return options;
      },
      unstated: new Set(),
      deliveries: o.deliveries ?? ['turn'],
      prompt(id, content, delivery) {
        if (delivery !== 'turn') return join(id, content, delivery);
        stop = new AbortController();
        const until = AbortSignal.any([stop.signal, gone.signal]);
        const [block] = content;
        const script: Script = {
          sink,
          cancelled: stop.signal,
          ask: (request) => services.requestUser({ ...request, sessionId: 'one' }, until),
        };
        return new Promise((resolve, reject) => {
          running.add(reject);
          endTurn = reject;
          turn(block?.type === 'text' ? block.text : '', script).then(resolve, reject);
        });
      },
      cancel: () => stop.abort(),
      ...(o.stopSubagent && { stopSubagent: o.stopSubagent }),
      ...(o.load && {
        async close() {
          openCount--;
          endTurn(new HostError('disposed', { reason: 'connection' }));
        },
      }),
      async setOption(id, value) {
        options = options.map((option) => (option.id === id ? ({ ...option, currentValue: value } as SessionOption) : option));
        sink.event({ type: 'options', at: 0, options });
      },
    };
    sink.begin(session);
    return session;
  };
  const end = (error: HostError): void => {
    gone.abort(error);
    for (const reject of running) reject(error);
    closed.fire({ error, exit: undefined });
  };
  return {
    backend: {
      info: { ...nothingSpecial, ...o.info },
      sessions: {
        resumeMethods: o.load === undefined ? [] : ['load'],
        async open({ method }, sink) {
          if (method === 'new') return open(sink);
          if (o.load === undefined) throw new HostError('unsupported', { reason: 'resume' });
          const session = open(sink);
          await o.load();
          return session;
        },
      },
      onClosed: closed.event,
      stats: { timeouts: 0, noiseLines: 0, invalidMessages: 0, unknownResponses: 0, leftOut: 0, pauses: 0 },
      async close() {
        end(new HostError('agent_exited', { reason: 'stopped' }));
        return undefined;
      },
    },
    ask: (request) => services.requestUser({ ...request, sessionId: 'one' }, gone.signal),
    sink() {
      if (lastSink === undefined) throw new Error('There is no session.');
      return lastSink;
    },
    get openCount() {
      return openCount;
    },
    lose: () => end(new HostError('agent_exited', { reason: 'process_ended', exitCode: 9 })),
  };
}
