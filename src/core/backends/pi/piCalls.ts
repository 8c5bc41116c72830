/**
 * Matches the commands of one process with their answers. Answers may arrive in any order; if the agent lost the id of a command, the
 * answer belongs to the oldest command that fits.
 */
import type * as z from 'zod/mini';
import { startDeadline } from '../../base/deadline.js';
import { HostError, redactError } from '../../base/errors.js';
import { keepLatest } from '../../base/keepLatest.js';
import type { Redactor } from '../../base/redact.js';
import { failureReason } from '../../rpc/failureReason.js';
import type { MessageChannel } from '../../transport/messageChannel.js';
import type { PiDialect } from './dialect.js';
import type { PiResponse } from './schema/frames.js';

export interface Command {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface CallOptions<T> {
  readonly command: Command;
  readonly answer: z.ZodMiniType<T>;
  /** If it is absent, the answer has no deadline. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Sends the command before those that wait. */
  readonly isUrgent?: boolean;
  /** Called if the agent first accepts the command and later reports that it failed. */
  readonly onLateFailure?: (error: HostError) => void;
}

interface Call {
  readonly id: string;
  readonly command: Command;
  readonly settle: (response: PiResponse | HostError) => void;
  readonly onLateFailure: ((error: HostError) => void) | undefined;
}

export interface PiCallsParts {
  readonly channel: MessageChannel;
  readonly dialect: PiDialect;
  readonly redactor: Redactor;
  /** Unique among the processes of one agent. */
  readonly nextId: () => string;
}

/** The number of answered prompts for which a second answer is expected. */
const rememberedPrompts = 16;

export class PiCalls {
  readonly #parts: PiCallsParts;
  /** Commands that were sent and have no answer yet, oldest first. */
  readonly #open = new Map<string, Call>();
  /** Commands that were not sent yet, because the agent reads one at a time. */
  readonly #waiting: Call[] = [];
  readonly #answered = new Map<string, Call>();
  #gone: HostError | undefined;
  timeouts = 0;
  unknownResponses = 0;

  constructor(parts: PiCallsParts) {
    this.#parts = parts;
  }

  /**
   * @throws HostError `request_failed`, `request_timeout`, `invalid_response`, `cancelled`, and the error with which the process was lost
   */
  request<T>({ command, answer, timeoutMs, signal, isUrgent = false, onLateFailure }: CallOptions<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#gone !== undefined) return reject(this.#gone);
      const method = command.type;
      if (signal?.aborted === true) return reject(new HostError('cancelled', { reason: 'request', method }));
      const id = this.#parts.nextId();
      const fail = (error: HostError): void => call.settle(error);
      const onTimeout = (): void => {
        this.timeouts++;
        fail(new HostError('request_timeout', { method, timeoutMs }));
      };
      const stopDeadline = timeoutMs === undefined ? undefined : startDeadline(timeoutMs, onTimeout);
      const onAbort = (): void => fail(new HostError('cancelled', { reason: 'request', method }));
      signal?.addEventListener('abort', onAbort, { once: true });
      const call: Call = {
        id,
        command,
        onLateFailure,
        settle: (outcome) => {
          stopDeadline?.();
          signal?.removeEventListener('abort', onAbort);
          this.#forget(call);
          if (outcome instanceof HostError) return reject(outcome);
          if (!outcome.success) return reject(this.#failure(method, outcome.error));
          const parsed = answer.safeParse(outcome.data);
          if (parsed.success) resolve(parsed.data);
          else reject(new HostError('invalid_response', { reason: 'wrong_shape', method }, { cause: parsed.error }));
        },
      };
      if (isUrgent) this.#waiting.unshift(call);
      else this.#waiting.push(call);
      this.#send();
    });
  }

  /** Sends a message that has no answer. */
  tell(message: object): void {
    // A failure means the end of the pipe, which the reader reports.
    if (this.#gone === undefined) this.#parts.channel.send(message, () => {});
  }

  receive(response: PiResponse): void {
    const call = response.id === undefined ? this.#meant(response) : this.#open.get(response.id);
    if (call !== undefined) {
      if (call.onLateFailure !== undefined) keepLatest(this.#answered, call.id, call, rememberedPrompts);
      return call.settle(response);
    }
    const before = response.id === undefined ? undefined : this.#answered.get(response.id);
    if (before === undefined) this.unknownResponses++;
    else if (!response.success) before.onLateFailure?.(this.#failure(before.command.type, response.error));
  }

  /**
   * Handles a line that was too long to be read.
   * @param head its beginning, which shows whose answer it is
   */
  receiveHead(head: string): void {
    const id = /^\s*\{[^{}[\]]{0,200}?"id"\s*:\s*"([^"\\]{1,100})"/.exec(head)?.[1];
    if (id !== undefined && /^\s*\{[^{}[\]]{0,300}?"type"\s*:\s*"response"/.test(head))
      this.#open.get(id)?.settle(new HostError('line_too_long', { reason: 'answer' }));
  }

  lose(error: HostError): void {
    this.#gone = error;
    for (const call of [...this.#open.values(), ...this.#waiting]) call.settle(error);
  }

  /** An agent refuses an unknown command by its name instead of an id, and a failed one as `parse`. */
  #meant({ command, success }: PiResponse): Call | undefined {
    if (success) return undefined;
    const open = [...this.#open.values()];
    return open.find((call) => call.command.type === command) ?? (command === 'parse' ? open[0] : undefined);
  }

  #send(): void {
    while (this.#gone === undefined && this.#waiting.length > 0 && !(this.#parts.dialect.isSerial && this.#open.size > 0)) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      this.#open.set(call.id, call);
      this.#parts.channel.send({ id: call.id, ...call.command }, (failure) => {
        // The end of the pipe follows, and its reader knows what that means: the agent may go on with other processes.
        if (failure !== undefined && failure.code !== 'agent_exited') call.settle(failure);
      });
    }
  }

  #forget(call: Call): void {
    this.#open.delete(call.id);
    const index = this.#waiting.indexOf(call);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#send();
  }

  /** Redacts the agent's own words, because providers quote the key that they reject. */
  #failure(method: string, words: string): HostError {
    return redactError(
      new HostError('request_failed', { method, detail: failureReason({ code: 0, message: words }) }),
      this.#parts.redactor,
    );
  }
}
