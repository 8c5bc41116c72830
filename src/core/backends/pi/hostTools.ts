/** Offers what an editor knows about the code as tools that an agent may call. They only read, and only in the folder of the session. */
import { messageOf } from '../../base/errors.js';
import type { ConfinedNavigation } from '../../services/codeNavigation.js';
import { answerTool, hostTools, type HostTool, ToolRefusal } from './hostToolAnswers.js';
import type { PiEvent } from './schema/frames.js';

export type HostToolCall = Extract<PiEvent, { type: 'host_tool_call' }>;

/** Language servers answer within seconds or not at all. */
const answerMs = 30_000;
const atOnce = 8;

export interface PiHostToolsParts {
  readonly cwd: string;
  /** Undefined if the agent may not ask. */
  readonly navigation: ConfinedNavigation | undefined;
  readonly tell: (message: object) => void;
}

export class PiHostTools {
  readonly #parts: PiHostToolsParts;
  /** The tools that are registered with the agent. */
  #offered: readonly HostTool[] = [];
  readonly #running = new Map<string, AbortController>();

  constructor(parts: PiHostToolsParts) {
    this.#parts = parts;
  }

  /** Returns the tools to register; undefined if there are none to offer. */
  get definitions(): readonly object[] | undefined {
    if (this.#parts.navigation === undefined) return undefined;
    return hostTools.map(({ name, label, description, parameters }) => ({ name, label, description, parameters }));
  }

  /** Call this when the agent has registered the tools with these names. */
  registered(names: readonly string[]): void {
    this.#offered = hostTools.filter(({ name }) => names.includes(name));
  }

  /** Answers with a result, unless the call is canceled first. Never rejects. */
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

  /** @param id the id of the call */
  cancel(id: string): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  /** Cancels all lookups, because their results are no longer needed. */
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
    // The agent has canceled the call, and may reuse its id.
    if (this.#running.get(id) !== call) return;
    this.#running.delete(id);
    const result = { content: [{ type: 'text', text }] };
    this.#parts.tell({ type: 'host_tool_result', id, result, ...(isError ? { isError } : {}) });
  }
}

/** @throws ToolRefusal if it takes too long or was aborted */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new ToolRefusal({ error: 'no_answer' }));
    over.addEventListener('abort', onAbort, { once: true });
  });
  return Promise.race([answer, aborted]).finally(() => over.removeEventListener('abort', onAbort));
}
