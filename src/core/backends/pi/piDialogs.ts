/** Handles requests of extensions to the user. The agent waits for each answer, and some versions answer nothing else in the meantime. */
import type { Clock } from '../../base/clock.js';
import type { HostServices, NewRequest } from '../../services/hostServices.js';
import { closeReasonOf, textKey, type UserAnswer } from '../../session/userRequest.js';
import type { PiDialect } from './dialect.js';
import type { PiDialog, PiUiRequest } from './schema/frames.js';

export interface PiDialogsParts {
  readonly sessionId: string;
  readonly dialect: PiDialect;
  readonly services: HostServices;
  readonly clock: Clock;
  readonly tell: (message: object) => void;
  /** Called before a request is shown to the user. */
  readonly onAsked: () => void;
  /** Called after a request was closed. */
  readonly onClosed: () => void;
}

/** The clocks of the agent and the host start at different times. */
const slackMs = 50;
const answerField = 'answer';

export class PiDialogs {
  readonly #parts: PiDialogsParts;
  readonly #open = new Map<string, AbortController>();
  /** The last choice from options of the host, about which the agent knows nothing. */
  #choosing: AbortController | undefined;
  /** True while the turn is being canceled: new requests are then answered without a decision at once. */
  #refuses = false;

  constructor(parts: PiDialogsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  receive(request: PiUiRequest): void {
    switch (request.method) {
      case 'select':
      case 'confirm':
      case 'input':
      case 'editor':
        this.#parts.onAsked();
        return void this.#ask(request);
      case 'cancel':
        return this.#withdraw(request.targetId);
      default:
        return;
    }
  }

  async #ask(dialog: PiDialog): Promise<void> {
    const { sessionId, services, clock, dialect, onClosed } = this.#parts;
    const { id } = dialog;
    const timeoutMs = 'timeout' in dialog ? dialog.timeout : undefined;
    if (timeoutMs === 0 && dialect.zeroIsTimeout) return;
    if (this.#refuses) return this.#answer(id, { cancelled: true });
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    const at = clock.now();
    const answer = await services.requestUser(toRequest(dialog, sessionId, timeoutMs), withdrawn.signal);
    // A cancel has answered the request, or the agent withdrew it.
    if (this.#open.get(id) !== withdrawn) return;
    this.#open.delete(id);
    // The agent has then closed the request itself, and accepts no answer.
    const isTooLate = closeReasonOf(answer) === 'deadline' && timeoutMs !== undefined && clock.now() - at >= timeoutMs - slackMs;
    if (!isTooLate) this.#answer(id, toAnswer(dialog, answer));
    onClosed();
  }

  /**
   * Lets the user choose from options of the host, in a command of the turn.
   * @returns undefined if the user chose nothing, for example because the turn was stopped
   */
  async choose(choices: readonly { readonly value: string; readonly label: string }[]): Promise<string | undefined> {
    if (choices.length === 0 || this.#refuses) return undefined;
    const { sessionId, services } = this.#parts;
    const stopped = new AbortController();
    this.#choosing = stopped;
    const field = { type: 'select', name: answerField, choices, allowCustom: false, required: true } as const;
    const request = { kind: 'form', sessionId, message: '/fork', question: 'fork_point', fields: [field] } as const;
    const answer = await services.requestUser(request, stopped.signal);
    const value = answer.type === 'accept' ? answer.values[answerField] : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  /** Handles a request that the agent has withdrawn. */
  #withdraw(id: string): void {
    const withdrawn = this.#open.get(id);
    if (withdrawn === undefined) return;
    this.#open.delete(id);
    withdrawn.abort();
    this.#parts.onClosed();
  }

  /** Refuses all requests until the end of the turn. Call this before you send anything else that the agent has to read. */
  cancelTurn(): void {
    this.#refuses = true;
    this.#cancelAll();
  }

  /** Closes what the turn has left open. Later requests belong to no turn, or to the next one. */
  endTurn(): void {
    this.#cancelAll();
    this.#refuses = false;
  }

  #cancelAll(): void {
    this.#choosing?.abort();
    for (const [id, withdrawn] of [...this.#open]) {
      this.#open.delete(id);
      this.#answer(id, { cancelled: true });
      withdrawn.abort();
    }
  }

  /** @param reason why the answer is no longer awaited */
  lose(reason: unknown): void {
    this.#choosing?.abort(reason);
    for (const [id, gone] of [...this.#open]) {
      this.#open.delete(id);
      gone.abort(reason);
    }
  }

  #answer(id: string, answer: object): void {
    this.#parts.tell({ type: 'extension_ui_response', id, ...answer });
  }
}

function toRequest(dialog: PiDialog, sessionId: string, timeoutMs: number | undefined): NewRequest {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  switch (dialog.method) {
    case 'confirm': {
      const { title, message } = dialog;
      return { kind: 'confirm', sessionId, title, ...(message === undefined ? {} : { message }), ...limit };
    }
    case 'editor':
      return { kind: 'editor', sessionId, title: dialog.title, prefill: dialog.prefill ?? '' };
    case 'select': {
      const choices = dialog.options.map((option) => ({ value: option, label: option }));
      const field = { type: 'select', name: answerField, choices, allowCustom: false, required: true } as const;
      return { kind: 'form', sessionId, message: dialog.title, fields: [field], ...limit };
    }
    case 'input': {
      const { title, placeholder } = dialog;
      const field = { type: 'text', name: answerField, required: true, ...(placeholder === undefined ? {} : { placeholder }) } as const;
      return { kind: 'form', sessionId, message: title, fields: [field], ...limit };
    }
  }
}

function toAnswer({ method }: PiDialog, answer: UserAnswer): object {
  if (method === 'confirm' && answer.type !== 'cancel') return { confirmed: answer.type === 'accept' };
  const value = answer.type === 'accept' ? answer.values[method === 'editor' ? textKey : answerField] : undefined;
  return typeof value === 'string' ? { value } : { cancelled: true };
}
