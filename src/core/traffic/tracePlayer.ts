import type { FrameDescriber, FrameDescription, FrameId } from './frameDescriber.js';
import type { TraceLine } from './traceFile.js';

export type FrameName = Pick<FrameDescription, 'kind' | 'id' | 'method'>;

/** Where a replay is not what was recorded. `sent`: what the client sent; `awaited`: what the trace goes on with, absent at its end. */
export type Deviation =
  | { readonly code: 'line_unreadable'; readonly params: { readonly line: string } }
  /** `line` of `lines` of this process, 1-based. */
  | {
      readonly code: 'client_left';
      readonly params: { readonly awaited: FrameName | undefined; readonly line: number; readonly lines: number };
    }
  /** `left_out`: the client need not have sent it; `too_early`: it waits for its place. */
  | { readonly code: 'left_out' | 'too_early'; readonly params: { readonly sent: FrameName; readonly awaited: FrameName | undefined } }
  | { readonly code: 'not_in_trace'; readonly params: { readonly sent: FrameName } }
  | { readonly code: 'trace_gap'; readonly params: { readonly messages: number } }
  /** A response to a request that the trace does not have. */
  | { readonly code: 'request_missing'; readonly params: { readonly id: FrameId } };

export interface PlayerPorts {
  /** One line to the client, without its end. */
  readonly write: (line: string) => void;
  /** A line that the recorded agent wrote to stderr. */
  readonly writeStderr: (line: string) => void;
  /** Where the client does something else than the recorded one. */
  readonly tell: (deviation: Deviation) => void;
  /** The recorded agent ended by itself here. */
  readonly exit: (code: number) => void;
}

/** A frame with what it is. */
interface Described extends FrameDescription {
  readonly frame: unknown;
}

/**
 * Plays one recorded process as an agent. What the agent said is said in the recorded order; at what the client had said it waits until the
 * client says the like: a request or notification of the same method, or a response to the same request. Ids of responses become those of the
 * client's own requests. What comes too early waits for its place, and what the trace has no place for is answered with an error, where the
 * protocol has errors.
 */
export class TracePlayer {
  readonly #steps: readonly TraceLine[];
  readonly #describer: FrameDescriber;
  readonly #ports: PlayerPorts;
  /** Recorded id of a request of the client → its id now. */
  readonly #ids = new Map<FrameId, FrameId>();
  readonly #early: Described[] = [];
  #position = 0;

  /** @param describer of the protocol that was recorded */
  constructor(steps: readonly TraceLine[], describer: FrameDescriber, ports: PlayerPorts) {
    this.#steps = steps;
    this.#describer = describer;
    this.#ports = ports;
  }

  /** Says what the agent said before it was spoken to. */
  start(): void {
    this.#play();
  }

  /** A line of the client. */
  receive(line: string): void {
    const frame = this.#describer.parse(line);
    const message = frame === undefined ? undefined : this.#describe(frame, 'sent');
    const awaited = this.#awaited;
    if (message !== undefined && (message.kind !== 'other' || awaited?.kind === 'other')) this.#take(message, awaited);
    else this.#ports.tell({ code: 'line_unreadable', params: { line: line.slice(0, 200) } });
  }

  /** The client closed its end. @returns whether the trace was played to its end */
  end(): boolean {
    const missing = this.#steps.slice(this.#position).find((step) => 'frame' in step);
    if (missing === undefined) return true;
    const params = { awaited: nameOf(this.#awaited), line: this.#position + 1, lines: this.#steps.length };
    this.#ports.tell({ code: 'client_left', params });
    return false;
  }

  get #awaited(): Described | undefined {
    return this.#clientFrame(this.#steps[this.#position]);
  }

  #clientFrame(step: TraceLine | undefined): Described | undefined {
    return step !== undefined && 'frame' in step && step.dir === 'out' ? this.#describe(step.frame, 'sent') : undefined;
  }

  #describe(frame: unknown, direction: 'sent' | 'received'): Described {
    return { ...this.#describer.describe(frame, direction), frame };
  }

  #take(message: Described, awaited: Described | undefined): void {
    if (awaited !== undefined && isLike(message, awaited)) {
      this.#meet(message, awaited);
      this.#play();
    } else if (message.kind === 'notification') {
      // A cancel may be repeated, so one that is not awaited is not kept for later.
      this.#ports.tell({ code: 'left_out', params: { sent: nameOf(message), awaited: nameOf(awaited) } });
    } else if (this.#comesLater(message)) {
      this.#ports.tell({ code: 'too_early', params: { sent: nameOf(message), awaited: nameOf(awaited) } });
      this.#early.push(message);
    } else this.#refuse(message);
  }

  #refuse(message: Described): void {
    this.#ports.tell({ code: 'not_in_trace', params: { sent: nameOf(message) } });
    if (message.kind !== 'request') return;
    const refusal = this.#describer.refuse?.(message.frame, `The trace has no response to ${message.method} here`);
    if (refusal !== undefined) this.#ports.write(this.#describer.format(refusal));
  }

  /** As often as it waits already, it must still be to come. */
  #comesLater(message: Described): boolean {
    const waiting = this.#early.filter((other) => isLike(message, other)).length;
    const coming = this.#steps.slice(this.#position).filter((step) => {
      const recorded = this.#clientFrame(step);
      return recorded !== undefined && isLike(message, recorded);
    }).length;
    return coming > waiting;
  }

  #play(): void {
    for (let step = this.#steps[this.#position]; step !== undefined; step = this.#steps[this.#position]) {
      const recorded = this.#clientFrame(step);
      if (recorded === undefined) {
        this.#position++;
        this.#say(step);
        continue;
      }
      const index = this.#early.findIndex((message) => isLike(message, recorded));
      const [met] = index === -1 ? [] : this.#early.splice(index, 1);
      if (met === undefined) return;
      this.#meet(met, recorded);
    }
  }

  #say(step: TraceLine): void {
    const { write, writeStderr, tell, exit } = this.#ports;
    if ('frame' in step) this.#write(this.#describe(step.frame, 'received'));
    else if ('noise' in step) write(step.noise);
    else if ('stderr' in step) writeStderr(step.stderr);
    else if ('gap' in step) tell({ code: 'trace_gap', params: { messages: step.gap } });
    else if (step.process === 'ended' && step.requested !== true) exit(step.code ?? 1);
  }

  #write({ kind, id, frame }: Described): void {
    const { write, tell } = this.#ports;
    if (kind !== 'response' || id === undefined) return write(this.#describer.format(frame));
    const now = this.#ids.get(id);
    if (now === undefined) tell({ code: 'request_missing', params: { id } });
    else write(this.#describer.format(this.#describer.withId?.(frame, now) ?? frame));
  }

  #meet(message: Described, recorded: Described): void {
    this.#position++;
    if (recorded.kind === 'request' && recorded.id !== undefined && message.id !== undefined) this.#ids.set(recorded.id, message.id);
  }
}

function isLike(message: Described, recorded: Described): boolean {
  if (message.kind !== recorded.kind) return false;
  return recorded.kind === 'response' ? message.id === recorded.id : message.method === recorded.method;
}

function nameOf(frame: Described): FrameName;
function nameOf(frame: Described | undefined): FrameName | undefined;
function nameOf(frame: Described | undefined): FrameName | undefined {
  if (frame === undefined) return undefined;
  const { kind, id, method } = frame;
  return { kind, ...(id === undefined ? {} : { id }), ...(method === undefined ? {} : { method }) };
}
