import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { HostError, toHostError, unsent } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import { type AgentWait, type ContentBlock, hostCommand, type SessionOption, type StopReason } from '../../session/model.js';
import type { BackendSession, Delivery, PromptResult, SessionSink } from '../agentBackend.js';
import { choose } from '../choose.js';
import { toAcceptedContent } from '../promptContent.js';
import { codeTaskKinds, readTask } from '../../session/codeTask.js';
import { languages, type Task } from './schema/messages.js';
import type { ServiceLine } from './serviceLine.js';
import { firstStep, parseSymbols, secondStep, type TaskSettings } from './taskSteps.js';

const modelOption = 'model';
const languageOption = 'language';
/** The form of the selection for optimize and fix, for which the document contradicts its other commands. */
const selectionOption = 'selected_text';
const asText = 'string';

export interface ServiceSessionParts {
  readonly line: ServiceLine;
  readonly cwd: string;
  readonly sink: SessionSink;
  readonly clock: Clock;
  /** The options as last seen, for a resumed session. */
  readonly knownOptions: readonly SessionOption[];
  /** The session is resumed, so notices about the service were shown before. */
  readonly isResumed: boolean;
  /** Called when the session is closed. */
  readonly onClosed: () => void;
  /** Returns why the backend ended; undefined if it has not. */
  readonly endedBy: () => HostError | undefined;
}

/** The session only exists in the host: the service knows single prompts and nothing about earlier ones. */
export class ServiceSession implements BackendSession {
  readonly id: string;
  readonly deliveries: readonly Delivery[] = ['turn'];
  readonly unstated: ReadonlySet<string> = new Set();
  readonly #parts: ServiceSessionParts;
  #options: readonly SessionOption[];
  #turn: AbortController | undefined;
  #isDisposed = false;
  #isWarned: boolean;

  constructor(id: string, parts: ServiceSessionParts) {
    this.id = id;
    this.#parts = parts;
    this.#isWarned = parts.isResumed;
    this.#options = optionsFor(parts.line.models, parts.knownOptions);
  }

  get options(): readonly SessionOption[] {
    return this.#options;
  }

  /** Emits the service's tasks on code as commands, once the session has begun. */
  tellCommands(): void {
    const commands = codeTaskKinds.map((name) => hostCommand(name));
    this.#emit({ type: 'commands', at: this.#parts.clock.now(), commands });
  }

  /** Only a running turn can wait. */
  emitWait(wait: AgentWait | null): void {
    if (this.#turn !== undefined) this.#emit({ type: 'wait', at: this.#parts.clock.now(), wait });
  }

  async prompt(_turnId: string, content: readonly ContentBlock[], delivery: Delivery): Promise<PromptResult> {
    const { line, clock } = this.#parts;
    if (delivery !== 'turn') throw new HostError('unsupported', { reason: 'delivery', delivery });
    this.#check();
    if (this.#turn !== undefined) throw new HostError('session_busy');
    const steps = this.#stepsOf(content);
    if (!this.#isWarned) this.#emit({ type: 'host_notice', at: clock.now(), severity: 'info', code: 'agent_keeps_no_context', params: {} });
    this.#isWarned = true;
    const turn = new AbortController();
    this.#turn = turn;
    try {
      const answer = await line.run(steps.first, turn.signal);
      this.#say(answer);
      const second = steps.second(answer);
      if (second !== undefined) this.#say(await line.run(second, turn.signal));
      return { stopReason: 'end_turn' };
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#isDisposed) throw new HostError('disposed', { reason: 'conversation' });
      if (error.code === 'cancelled' && turn.signal.aborted) return { stopReason: 'cancelled' satisfies StopReason };
      throw error;
    } finally {
      this.#turn = undefined;
    }
  }

  cancel(): void {
    this.#turn?.abort();
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    this.#check();
    this.#options = choose(this.#options, id, value);
    this.#emit({ type: 'options', at: this.#parts.clock.now(), options: this.#options });
  }

  readonly close = async (): Promise<void> => {
    this.#isDisposed = true;
    this.#turn?.abort();
    this.#parts.onClosed();
  };

  /** Returns a message, or a task on code, which may take two steps in one turn. */
  #stepsOf(content: readonly ContentBlock[]): { readonly first: Task; readonly second: (answer: string) => Task | undefined } {
    const model = this.#valueOf(modelOption);
    const task = readTask(content, parseSymbols);
    if (task === undefined) return { first: { cmd: 'exec_chat', msg: toText(content), model }, second: () => undefined };
    const language = languages.find((one) => one === this.#valueOf(languageOption)) ?? 'en';
    const selectedAsText = this.#valueOf(selectionOption) === asText;
    const settings: TaskSettings = { cwd: this.#parts.cwd, model, language, selectedAsText };
    return { first: firstStep(task, settings), second: (answer) => secondStep(task, settings, answer) };
  }

  #check(): void {
    const error = this.#parts.endedBy();
    if (error !== undefined) throw unsent(error);
  }

  #valueOf(id: string): string {
    return String(this.#options.find((option) => option.id === id)?.currentValue ?? '');
  }

  /** Each answer is a separate message. */
  #say(text: string): void {
    if (text === '') return;
    this.#emit({ type: 'message', at: this.#parts.clock.now(), role: 'agent', messageId: randomUUID(), content: { type: 'text', text } });
  }

  #emit(event: SessionEvent): void {
    this.#parts.sink.event(event);
  }
}

function toText(content: readonly ContentBlock[]): string {
  const texts = toAcceptedContent(content, []).map((block) =>
    block.type === 'text' ? block.text : 'uri' in block ? (block.uri ?? '') : '',
  );
  return texts.join('\n\n');
}

/** The defaults are the first model in the list, and the language that the service uses if none is given. */
function optionsFor(models: readonly string[], known: readonly SessionOption[]): readonly SessionOption[] {
  const select = (id: string, name: string, choices: readonly string[]): readonly SessionOption[] => {
    const [first] = choices;
    if (first === undefined) return [];
    const before = known.find((option) => option.id === id)?.currentValue;
    const currentValue = typeof before === 'string' && choices.includes(before) ? before : first;
    const category = id === modelOption ? { category: 'model' } : {};
    return [{ type: 'select', id, name, ...category, currentValue, choices: choices.map((value) => ({ value, name: value })) }];
  };
  return [
    ...select(modelOption, 'Model', models),
    ...select(languageOption, 'Language', languages),
    ...select(selectionOption, 'Selection Format', [asText, 'object']),
  ];
}
