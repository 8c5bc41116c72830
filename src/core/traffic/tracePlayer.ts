import type { FrameDescriber, FrameDescription, FrameId } from './frameDescriber.js';
import type { TraceLine } from './traceFile.js';

/** What identifies a frame in a report. */
export type FrameName = Pick<FrameDescription, 'kind' | 'id' | 'method'>;

/**
 * A difference between a replay and its recording. `sent` is what the client sent; `awaited` is what the trace continues with, undefined at
 * its end.
 */
export type Deviation =
  | { readonly code: 'line_unreadable'; readonly params: { readonly line: string } }
  /** `line` is 1-based, out of the `lines` of this process. */
  | {
      readonly code: 'client_left';
      readonly params: { readonly awaited: FrameName | undefined; readonly line: number; readonly lines: number };
    }
  /** `left_out`: the trace does not need the message here; `too_early`: the message waits for its place. */
  | { readonly code: 'left_out' | 'too_early'; readonly params: { readonly sent: FrameName; readonly awaited: FrameName | undefined } }
  | { readonly code: 'not_in_trace'; readonly params: { readonly sent: FrameName } }
  | { readonly code: 'trace_gap'; readonly params: { readonly messages: number } }
  /** The response to a request that is not in the trace. */
  | { readonly code: 'request_missing'; readonly params: { readonly id: FrameId } };

/** What the player uses to send the recorded frames. */
export interface PlayerPorts {
  /** Writes one line to the client; the line has no line ending. */
  readonly write: (line: string) => void;
  /** Writes a line that the recorded agent wrote to stderr. */
  readonly writeStderr: (line: string) => void;
  /** Reports where the client differs from the recorded one. */
  readonly tell: (deviation: Deviation) => void;
  /** The recorded agent ended by itself here. */
  readonly exit: (code: number) => void;
}

/** A frame with its description. */
interface Described extends FrameDescription {
  readonly frame: unknown;
}

/**
 * Replays one recorded process as an agent. It writes what the agent wrote, in the recorded order. Where the client wrote something, it
 * waits until the client sends an equivalent message: a request or notification with the same method, or a response to the same request.
 * The ids of responses are replaced by those of the client's own requests. A message that comes too early waits for its place. A request
 * that has no place in the trace is answered with an error, if the protocol has errors.
 */
export class TracePlayer {
  readonly #steps: readonly TraceLine[];
  readonly #describer: FrameDescriber;
  readonly #ports: PlayerPorts;
  /** Maps the recorded id of a client's request to its current id. */
  readonly #ids = new Map<FrameId, FrameId>();
  readonly #early: Described[] = [];
  #position = 0;

  /** @param describer for the recorded protocol */
  constructor(steps: readonly TraceLine[], describer: FrameDescriber, ports: PlayerPorts) {
    this.#steps = steps;
    this.#describer = describer;
    this.#ports = ports;
  }

  /** Writes what the agent wrote before the client sent anything. */
  start(): void {
    this.#play();
  }

  /** Handles a line of the client. */
  receive(line: string): void {
    const frame = this.#describer.parse(line);
    const message = frame === undefined ? undefined : this.#describe(frame, 'sent');
    const awaited = this.#awaited;
    if (message !== undefined && (message.kind !== 'other' || awaited?.kind === 'other')) this.#take(message, awaited);
    else this.#ports.tell({ code: 'line_unreadable', params: { line: line.slice(0, 200) } });
  }

  /**
   * Call this when the client closed its end.
   * @returns whether the trace was played to its end
   */
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
      // A cancel may be repeated, so an unexpected one is not saved for later.
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

  /** Whether the rest of the trace contains more such messages than already wait. */
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
