import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { HostError, unsent } from '../../base/errors.js';
import type { Redactor } from '../../base/redact.js';
import type { HostServices } from '../../services/hostServices.js';
import type { SessionEvent } from '../../session/event.js';
import type { AgentWait, AvailableCommand, ContentBlock, SessionOption } from '../../session/model.js';
import type { BackendSession, Delivery, PromptResult, SessionSink } from '../agentBackend.js';
import { choose } from '../choose.js';
import type { AgentCliLine, SendOptions } from './agentCliLine.js';
import { AgentCliTurn } from './agentCliTurn.js';
import { toInput } from './promptInput.js';
import { ToolCards } from './toolCards.js';

export interface AgentCliSessionParts {
  readonly line: AgentCliLine;
  readonly sink: SessionSink;
  readonly commands: readonly AvailableCommand[];
  readonly services: HostServices;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Called when the session and its connection are closed. */
  readonly onClosed: () => void;
}

/** A session is a connection: the server has one conversation per connection, and forgets it with the connection. */
export class AgentCliSession implements BackendSession {
  readonly id = randomUUID();
  readonly deliveries: readonly Delivery[] = ['turn'];
  readonly unstated: ReadonlySet<string> = new Set();
  readonly #parts: AgentCliSessionParts;
  readonly #tools: ToolCards;
  #options: readonly SessionOption[] = requestOptions;
  #turn: AgentCliTurn | undefined;
  #isWarned = false;
  /** The connection was lost, but the backend continues. */
  #isLost = false;

  constructor(parts: AgentCliSessionParts) {
    this.#parts = parts;
    this.#tools = new ToolCards((event) => this.#emit(event), parts.clock);
  }

  get options(): readonly SessionOption[] {
    return this.#options;
  }

  /** Emits the commands once the session has begun. */
  tellCommands(): void {
    this.#emit({ type: 'commands', at: this.#parts.clock.now(), commands: this.#parts.commands });
  }

  /** Only a running turn can wait. */
  emitWait(wait: AgentWait | null): void {
    if (this.#turn !== undefined) this.#emit({ type: 'wait', at: this.#parts.clock.now(), wait });
  }

  async prompt(_turnId: string, content: readonly ContentBlock[], delivery: Delivery): Promise<PromptResult> {
    if (delivery !== 'turn') throw new HostError('unsupported', { reason: 'delivery', delivery });
    this.#check('refused');
    if (this.#turn !== undefined) throw new HostError('session_busy');
    const { line, commands, services, clock, redactor } = this.#parts;
    const input = toInput(content, commands);
    if (!this.#isWarned)
      this.#emit({ type: 'host_notice', at: clock.now(), severity: 'warning', code: 'server_unauthenticated', params: {} });
    this.#isWarned = true;
    const turn = new AgentCliTurn({
      sessionId: this.id,
      line,
      tools: this.#tools,
      services,
      clock,
      redactor,
      emit: (event) => this.#emit(event),
      send: sendOptionsOf(this.#options),
    });
    this.#turn = turn;
    try {
      return await turn.run(input);
    } finally {
      this.#turn = undefined;
    }
  }

  cancel(): void {
    this.#turn?.cancel();
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    this.#check('lost');
    this.#options = choose(this.#options, id, value);
    this.#emit({ type: 'options', at: this.#parts.clock.now(), options: this.#options });
  }

  readonly close = async (): Promise<void> => {
    this.#turn?.fail(new HostError('disposed', { reason: 'conversation' }));
    this.#parts.line.close();
    this.#parts.onClosed();
  };

  /**
   * Call this when the connection of the session is lost.
   * @param isAlone whether the backend ends with it
   */
  lose(error: HostError, isAlone: boolean): void {
    this.#isLost = !isAlone;
    this.#turn?.fail(isAlone ? error : new HostError('session_unknown', { reason: 'lost' }));
  }

  #check(reason: 'refused' | 'lost'): void {
    if (this.#isLost) throw new HostError('session_unknown', { reason });
    const { error } = this.#parts.line;
    if (error !== undefined) throw unsent(error);
  }

  #emit(event: SessionEvent): void {
    this.#parts.sink.event(event);
  }
}

/**
 * The settings of a request as options whose ids are the protocol's names. A setting at its default is not sent, so the server decides.
 */
const unset = 'default';

const requestOptions: readonly SessionOption[] = [
  { type: 'boolean', id: 'ask_before_tool_execution', name: 'Confirm Tools', currentValue: true },
  { type: 'boolean', id: 'use_tools', name: 'Use Tools', currentValue: true },
  selected('max_tokens', 'Max Tokens', 'count', ['1024', '4096', '16384']),
  selected('max_context_num', 'Max Messages', 'count', ['5', '10', '20']),
  selected('prompt', 'Prompt', 'text', []),
];

function sendOptionsOf(options: readonly SessionOption[]): SendOptions {
  const valueOf = (id: string): string | boolean | undefined => options.find((option) => option.id === id)?.currentValue;
  const given = (id: string): string | undefined => {
    const value = valueOf(id);
    return typeof value === 'string' && value !== unset ? value : undefined;
  };
  const [tokens, contexts, prompt] = [given('max_tokens'), given('max_context_num'), given('prompt')];
  return {
    config: {
      ask_before_tool_execution: valueOf('ask_before_tool_execution') === true,
      ...(tokens !== undefined && { max_tokens: Number(tokens) }),
      ...(contexts !== undefined && { max_context_num: Number(contexts) }),
      ...(prompt !== undefined && { prompt }),
    },
    useTools: valueOf('use_tools') === true,
  };
}

function selected(id: string, name: string, custom: 'text' | 'count', values: readonly string[]): SessionOption {
  const choices = [unset, ...values].map((value) => ({ value, name: value }));
  return { type: 'select', id, name, currentValue: unset, choices, custom };
}
