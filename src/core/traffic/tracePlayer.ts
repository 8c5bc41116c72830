import { isId, isNotification, isRequest, isResponse } from '../rpc/message.js';
import { ErrorCode } from '../rpc/peer.js';
import type { TraceLine } from './traceFile.js';

export interface PlayerPorts {
  /** One line to the client, without its end. */
  readonly write: (line: string) => void;
  /** A line that the recorded agent wrote to stderr. */
  readonly writeStderr: (line: string) => void;
  /** Where the client does something else than the recorded one; for people. */
  readonly tell: (words: string) => void;
  /** The recorded agent ended by itself here. */
  readonly exit: (code: number) => void;
}

type Frame = Readonly<Record<string, unknown>>;

/**
 * Plays one recorded process as an agent. What the agent said is said in the recorded order; at what the client had said it waits until the
 * client says the like: a request or notification of the same method, or an answer to the same request. Ids of answers become those of the
 * client's own requests. What comes too early waits for its place, and what the trace has no place for is answered with an error.
 */
export class TracePlayer {
  readonly #steps: readonly TraceLine[];
  readonly #ports: PlayerPorts;
  /** Recorded id of a request of the client → its id now. */
  readonly #ids = new Map<unknown, string | number>();
  readonly #early: Frame[] = [];
  #position = 0;

  constructor(steps: readonly TraceLine[], ports: PlayerPorts) {
    this.#steps = steps;
    this.#ports = ports;
  }

  /** Says what the agent said before it was spoken to. */
  start(): void {
    this.#play();
  }

  /** A line of the client. */
  receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#ports.tell(`The client wrote a line that is no JSON: ${line.slice(0, 200)}`);
    }
    if (isRequest(message) || isResponse(message) || isNotification(message)) this.#take({ ...message });
    else this.#ports.tell(`The client sent something that is no JSON-RPC message: ${line.slice(0, 200)}`);
  }

  /** The client closed its end. @returns whether the trace was played to its end */
  end(): boolean {
    const missing = this.#steps.slice(this.#position).find((step) => 'frame' in step);
    if (missing === undefined) return true;
    this.#ports.tell(
      `The client left before the end of the trace, which waits for ${describe(this.#awaited)} (line ${this.#position + 1} of ${this.#steps.length} of this process)`,
    );
    return false;
  }

  get #awaited(): Frame | undefined {
    const step = this.#steps[this.#position];
    return step !== undefined && 'frame' in step && step.dir === 'out' ? step.frame : undefined;
  }

  #take(message: Frame): void {
    const awaited = this.#awaited;
    if (awaited !== undefined && isLike(message, awaited)) {
      this.#meet(message, awaited);
      this.#play();
    } else if (isNotification(message)) {
      // A cancel may be repeated, so one that is not awaited is not kept for later.
      this.#ports.tell(`The client sent ${describe(message)}, the trace goes on with ${describe(awaited)}: left out`);
    } else if (this.#comesLater(message)) {
      this.#ports.tell(`The client sent ${describe(message)}, the trace goes on with ${describe(awaited)}: it waits for its place`);
      this.#early.push(message);
    } else this.#refuse(message);
  }

  #refuse(message: Frame): void {
    this.#ports.tell(`The client sent ${describe(message)}, which the trace does not have here`);
    if (!isRequest(message)) return;
    const error = { code: ErrorCode.methodNotFound, message: `The trace has no answer to ${message.method} here` };
    this.#ports.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
  }

  /** As often as it waits already, it must still be to come. */
  #comesLater(message: Frame): boolean {
    const waiting = this.#early.filter((other) => isLike(message, other)).length;
    const coming = this.#steps
      .slice(this.#position)
      .filter((step) => 'frame' in step && step.dir === 'out' && isLike(message, step.frame)).length;
    return coming > waiting;
  }

  #play(): void {
    for (let step = this.#steps[this.#position]; step !== undefined; step = this.#steps[this.#position]) {
      if ('frame' in step && step.dir === 'out') {
        const { frame } = step;
        const index = this.#early.findIndex((message) => isLike(message, frame));
        const [met] = index === -1 ? [] : this.#early.splice(index, 1);
        if (met === undefined) return;
        this.#meet(met, frame);
      } else {
        this.#position++;
        this.#say(step);
      }
    }
  }

  #say(step: TraceLine): void {
    const { write, writeStderr, tell, exit } = this.#ports;
    if ('frame' in step) this.#write(step.frame);
    else if ('noise' in step) write(step.noise);
    else if ('stderr' in step) writeStderr(step.stderr);
    else if ('gap' in step) tell(`${step.gap} messages are missing in the trace here`);
    else if (step.process === 'ended' && step.requested !== true) exit(step.code ?? 1);
  }

  #write(frame: Frame): void {
    if (!isResponse(frame)) return this.#ports.write(JSON.stringify(frame));
    const id = this.#ids.get(frame.id);
    if (id === undefined) this.#ports.tell(`The trace answers request ${frame.id}, which it does not have: left out`);
    else this.#ports.write(JSON.stringify({ ...frame, id }));
  }

  #meet(message: Frame, recorded: Frame): void {
    this.#position++;
    if (isRequest(recorded) && isId(message['id'])) this.#ids.set(recorded.id, message['id']);
  }
}

function isLike(message: Frame, recorded: Frame): boolean {
  if (isResponse(recorded)) return isResponse(message) && message.id === recorded.id;
  return message['method'] === recorded['method'] && isRequest(message) === isRequest(recorded);
}

function describe(frame: Frame | undefined): string {
  if (frame === undefined) return 'nothing more';
  if (isResponse(frame)) return `the answer to request ${frame.id} of the agent`;
  return isRequest(frame) ? `the request ${frame.method}` : `the notification ${String(frame['method'])}`;
}
