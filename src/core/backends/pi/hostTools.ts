/** What an editor knows of the code, as tools that an agent may call. They read, and only what lies in the folder of the session. */
import { messageOf } from '../../base/errors.js';
import type { ConfinedNavigation } from '../../services/codeNavigation.js';
import { answerTool, hostTools, type HostTool, ToolRefusal } from './hostToolAnswers.js';
import type { PiEvent } from './schema/frames.js';

export type HostToolCall = Extract<PiEvent, { type: 'host_tool_call' }>;

/** Language servers answer in seconds, or are not going to. */
const answerMs = 30_000;
const atOnce = 8;

export interface PiHostToolsParts {
  readonly cwd: string;
  /** Absent: the agent may not ask. */
  readonly navigation: ConfinedNavigation | undefined;
  readonly tell: (message: object) => void;
}

export class PiHostTools {
  readonly #parts: PiHostToolsParts;
  /** Registered with the agent. */
  #offered: readonly HostTool[] = [];
  readonly #running = new Map<string, AbortController>();

  constructor(parts: PiHostToolsParts) {
    this.#parts = parts;
  }

  /** What is to be registered; undefined where there is nothing to offer. */
  get definitions(): readonly object[] | undefined {
    if (this.#parts.navigation === undefined) return undefined;
    return hostTools.map(({ name, label, description, parameters }) => ({ name, label, description, parameters }));
  }

  /** The agent registered those of these names. */
  registered(names: readonly string[]): void {
    this.#offered = hostTools.filter(({ name }) => names.includes(name));
  }

  /** Answers with a result, unless it is cancelled before. Never rejects. */
  async call({ id, toolName, arguments: input }: HostToolCall): Promise<void> {
    const cancelled = new AbortController();
    const before = this.#running.size;
    this.#running.set(id, cancelled);
    try {
      const text = await this.#answer(toolName, input, before, cancelled.signal);
      this.#tellResult(id, cancelled, text, false);
    } catch (error) {
      const reason = error instanceof ToolRefusal ? error.facts : { error: 'failed', detail: messageOf(error) };
      this.#tellResult(id, cancelled, JSON.stringify(reason), true);
    }
  }

  /** @param id of the call */
  cancel(id: string): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  /** Nobody waits for what is being looked up. */
  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  #answer(toolName: string, input: unknown, running: number, signal: AbortSignal): Promise<string> {
    const { navigation, cwd } = this.#parts;
    const tool = this.#offered.find(({ name }) => name === toolName);
    if (tool === undefined || navigation === undefined) throw new ToolRefusal({ error: 'unknown_host_tool', toolName });
    if (running >= atOnce) throw new ToolRefusal({ error: 'too_many_calls', limit: atOnce });
    return untilAborted(answerTool(tool, input, { navigation, cwd }), signal);
  }

  #tellResult(id: string, call: AbortController, text: string, isError: boolean): void {
    // The agent has given it up, and may use the id again.
    if (this.#running.get(id) !== call) return;
    this.#running.delete(id);
    const result = { content: [{ type: 'text', text }] };
    this.#parts.tell({ type: 'host_tool_result', id, result, ...(isError ? { isError } : {}) });
  }
}

/** @throws ToolRefusal when it takes too long, or was aborted */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new ToolRefusal({ error: 'no_answer' }));
    over.addEventListener('abort', onAbort, { once: true });
  });
  return Promise.race([answer, aborted]).finally(() => over.removeEventListener('abort', onAbort));
}
