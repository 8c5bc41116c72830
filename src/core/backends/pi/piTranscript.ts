/** Maps Pi's messages to events: text and thoughts in pieces, completed by the message at their end, and tool calls as cards. */
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, MessageRole, TurnUsage } from '../../session/model.js';
import { toBlocks } from './piContent.js';
import { PiTools } from './piTools.js';
import type { PiDelta, PiEvent } from './schema/frames.js';
import { type PiAssistantMessage, type PiMessage, type PiUsage, toolCallSchema } from './schema/messages.js';

type Events = readonly SessionEvent[];
type Ended = Pick<PiAssistantMessage, 'stopReason' | 'errorMessage'>;

/** What a run has reported about itself. */
export interface RunFacts {
  readonly usage: TurnUsage | undefined;
  readonly last: Ended | undefined;
}

const nothing: Events = [];

export class PiTranscript {
  readonly tools: PiTools;
  readonly #period: string;
  #messages = 0;
  #messageId = '';
  /** The text so far of each part of the current message. */
  #said = new Map<number, string>();
  /** The next message of the user is the prompt of the turn, which the host already shows. */
  #awaitsEcho = false;
  #usage: TurnUsage | undefined;
  #last: Ended | undefined;

  /** @param period distinguishes the ids of this process from those of earlier ones */
  constructor(cwd: string, period: string, files?: ConstructorParameters<typeof PiTools>[2]) {
    this.#period = period;
    this.tools = new PiTools(cwd, period, files);
  }

  get facts(): RunFacts {
    return { usage: this.#usage, last: this.#last };
  }

  /**
   * Call this at the beginning of a turn.
   * @param isSent the agent gets the prompt of the turn, and will echo it
   */
  beginTurn(turnId: string, isSent: boolean): void {
    this.tools.beginPeriod(`${this.#period}.${turnId}`);
    this.#awaitsEcho = isSent;
    this.#usage = undefined;
    this.#last = undefined;
  }

  endTurn(at: number, isCancelled: boolean): Events {
    this.#awaitsEcho = false;
    return this.tools.closeOpen(at, isCancelled);
  }

  update(delta: PiDelta, at: number): Events {
    switch (delta.type) {
      case 'text_delta':
        return this.#say('agent', delta.contentIndex, delta.delta, at);
      case 'thinking_delta':
        return this.#say('thought', delta.contentIndex, delta.delta, at);
      case 'text_end':
        return this.#complete('agent', delta.contentIndex, delta.content, at);
      case 'thinking_end':
        return this.#complete('thought', delta.contentIndex, delta.content, at);
      case 'toolcall_start': {
        const { id, name } = begunCall(delta);
        return id === undefined || name === undefined ? nothing : this.tools.announce(this.#partOf(delta.contentIndex), id, name, at);
      }
      case 'toolcall_end':
        return this.tools.call(this.#partOf(delta.contentIndex), delta.toolCall, at);
    }
  }

  messageStart(message: PiMessage | undefined, at: number): Events {
    if (message?.role === 'user') return this.#user(toBlocks(message.content), at);
    if (message?.role === 'assistant') this.#beginMessage();
    return nothing;
  }

  messageEnd(message: PiMessage | undefined, at: number): Events {
    if (message?.role === 'assistant') return this.#assistantEnd(message, at);
    if (message?.role === 'custom' && message.display !== false) return this.#custom(toBlocks(message.content), at);
    if (message?.role === 'bashExecution') return this.#shell(message, at);
    return nothing;
  }

  tool(event: Extract<PiEvent, { type: 'tool_execution_start' | 'tool_execution_update' | 'tool_execution_end' }>, at: number): Events {
    switch (event.type) {
      case 'tool_execution_start':
        return this.tools.start(event, at);
      case 'tool_execution_update':
        return this.tools.progress(event, event.partialResult.content, at);
      case 'tool_execution_end':
        return this.tools.end(event.toolCallId, event.toolName, { ...event.result, isError: event.isError ?? false }, at);
    }
  }

  /** Maps messages from the past. */
  history(messages: readonly PiMessage[], at: number): Events {
    const events: SessionEvent[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role === 'user') {
        this.tools.beginPeriod(`${this.#period}.h${index}`);
        this.#beginMessage();
        events.push(...toBlocks(message.content).map((content) => this.#message('user', content, at)));
      } else if (message.role === 'assistant') {
        this.#beginMessage();
        events.push(...this.#assistantEnd(message, at));
        for (const [index, part] of message.content.entries())
          if (part.type === 'toolCall') events.push(...this.tools.call(this.#partOf(index), part, at, true));
      } else if (message.role === 'toolResult') {
        const { toolCallId, toolName, isError = false, ...result } = message;
        events.push(...this.tools.end(toolCallId, toolName, { ...result, isError }, at));
      } else events.push(...this.messageEnd(message, at));
    }
    events.push(...this.tools.closeOpen(at, false));
    this.#usage = undefined;
    this.#last = undefined;
    return events;
  }

  #user(content: readonly ContentBlock[], at: number): Events {
    if (this.#awaitsEcho) {
      this.#awaitsEcho = false;
      return nothing;
    }
    this.#beginMessage();
    return content.map((block) => this.#message('user', block, at));
  }

  #custom(content: readonly ContentBlock[], at: number): Events {
    this.#beginMessage();
    return content.map((block) => this.#message('agent', block, at));
  }

  #shell({ command, ...result }: Extract<PiMessage, { role: 'bashExecution' }>, at: number): Events {
    const id = `shell${++this.#messages}`;
    const started = this.tools.start({ toolCallId: id, toolName: 'bash', args: { command } }, at);
    return [...started, ...this.tools.endShell(id, result, at)];
  }

  #assistantEnd({ content, usage, stopReason, errorMessage }: PiAssistantMessage, at: number): Events {
    this.#last = { stopReason, errorMessage };
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
    return content.flatMap((part, index): Events => {
      if (part.type === 'text') return this.#complete('agent', index, part.text, at);
      return part.type === 'thinking' ? this.#complete('thought', index, part.thinking, at) : nothing;
    });
  }

  #partOf(contentIndex: number): string {
    return `${this.#messageId}.${contentIndex}`;
  }

  #beginMessage(): void {
    this.#messageId = `${this.#period}m${++this.#messages}`;
    this.#said = new Map();
  }

  #say(role: MessageRole, index: number, text: string, at: number): Events {
    if (this.#messageId === '') this.#beginMessage();
    if (text === '') return nothing;
    this.#said.set(index, (this.#said.get(index) ?? '') + text);
    return [this.#message(role, { type: 'text', text }, at)];
  }

  /** The end of a part contains all of it, so this adds what the pieces left out. */
  #complete(role: MessageRole, index: number, text: string | undefined, at: number): Events {
    const said = this.#said.get(index) ?? '';
    return text === undefined || !text.startsWith(said) ? nothing : this.#say(role, index, text.slice(said.length), at);
  }

  #message(role: MessageRole, content: ContentBlock, at: number): SessionEvent {
    return { type: 'message', at, role, messageId: this.#messageId, content };
  }
}

/** Up to 0.83, the message so far contains the call; later, the delta does. */
function begunCall({ id, toolName, partial, contentIndex }: Extract<PiDelta, { type: 'toolcall_start' }>): {
  readonly id: string | undefined;
  readonly name: string | undefined;
} {
  if (id !== undefined) return { id, name: toolName };
  const call = toolCallSchema.safeParse(partial?.content[contentIndex]).data;
  return { id: call?.id === '' ? undefined : call?.id, name: call?.name === '' ? undefined : call?.name };
}

function addUsage(before: TurnUsage | undefined, { input, output, cacheRead, cacheWrite, totalTokens }: PiUsage): TurnUsage {
  const sum = (one: number | undefined, other: number): number => (one ?? 0) + other;
  return {
    inputTokens: sum(before?.inputTokens, input),
    outputTokens: sum(before?.outputTokens, output),
    cachedReadTokens: sum(before?.cachedReadTokens, cacheRead),
    cachedWriteTokens: sum(before?.cachedWriteTokens, cacheWrite),
    totalTokens: sum(before?.totalTokens, totalTokens ?? input + output + cacheRead + cacheWrite),
  };
}
