/** One process of the agent, which has one session at a time: its start, what crosses its pipes, and its end. */
import { HostError } from '../../base/errors.js';
import { parseJson } from '../../base/parseJson.js';
import type { ExitInfo } from '../../node/spawnProcess.js';
import { isWithin, maxLevels } from '../../transport/jsonDepth.js';
import { defaultLineLimits } from '../../transport/lineSplitter.js';
import type { BackendEnd, CloseOptions, ConnectOptions } from '../agentBackend.js';
import { AgentConnection } from '../agentConnection.js';
import { type LeftOut, waitForRoom } from '../agentInput.js';
import type { PiDialect } from './dialect.js';
import { type Command, PiCalls } from './piCalls.js';
import { nothing, type PiState, stateSchema } from './schema/answers.js';
import { parseFrame, type PiChunk, type PiEvent } from './schema/frames.js';

/** The number of events that are held before there is a session, in which agents describe their screen. */
const earlyEvents = 1_000;
/** The version of omp 17.2 and later in which a frame can be longer than a line. */
const chunkedVersion = 2;

/** The session that uses the process. */
export interface PiListener {
  receive(event: PiEvent): void;
  lose(error: HostError): void;
}

export interface PiProcessParts {
  readonly options: ConnectOptions;
  readonly dialect: PiDialect;
  readonly leftOut: LeftOut;
  readonly nextId: () => string;
  /** @returns what the end of this process means to its session */
  readonly onLost: (process: PiProcess, error: HostError) => HostError;
  readonly onEnd: (process: PiProcess, end: BackendEnd) => void;
}

export class PiProcess {
  readonly calls: PiCalls;
  readonly #parts: PiProcessParts;
  readonly #connection: AgentConnection;
  readonly #early: PiEvent[] = [];
  readonly #chunks = new PiChunks();
  #listener: PiListener | undefined;
  #ready: () => void = () => {};
  readonly #isReady: Promise<void>;
  #saidReady = false;
  invalidMessages = 0;
  pauses = 0;

  private constructor(connection: AgentConnection, parts: PiProcessParts) {
    this.#connection = connection;
    this.#parts = parts;
    const { dialect, options, nextId, onEnd } = parts;
    this.calls = new PiCalls({ channel: connection.channel, dialect, redactor: options.redactor, nextId });
    this.#isReady = new Promise((resolve) => (this.#ready = resolve));
    connection.onClosed((end) => onEnd(this, end));
    connection.channel.listen({
      isMessage: (value) => parseFrame(value).kind !== 'invalid',
      onValue: (value) => this.#receive(value),
      onLineTooLong: (head) => this.#receiveHead(head),
      onEnd: (cause) => this.#lose(new HostError('agent_exited', { reason: 'output_closed' }, { cause })),
    });
  }

  /** @throws HostError like ConnectAgent; nothing of the process is left running then */
  static async start(parts: PiProcessParts): Promise<{ readonly process: PiProcess; readonly state: PiState }> {
    const connection = await AgentConnection.open(parts.options);
    const process = new PiProcess(connection, parts);
    return { process, state: await connection.handshake(process.#greet()) };
  }

  get connection(): AgentConnection {
    return this.#connection;
  }

  get noiseLines(): number {
    return this.#connection.channel.noiseLines;
  }

  /** Delivers the events so far first. */
  listen(listener: PiListener): void {
    this.#listener = listener;
    for (const event of this.#early.splice(0)) listener.receive(event);
  }

  state(timeoutMs: number): Promise<PiState> {
    return this.calls.request({ command: { type: 'get_state' }, answer: stateSchema, timeoutMs });
  }

  close(o: CloseOptions = {}): Promise<ExitInfo> {
    return this.#connection.close(o);
  }

  #greet(): Promise<PiState> {
    const { options, dialect } = this.#parts;
    const { signal, deadlines } = options;
    return greet({
      dialect,
      signal,
      ready: this.#isReady,
      saidReady: () => this.#saidReady,
      ask: (command, given) => this.calls.request({ command, answer: stateSchema, timeoutMs: deadlines.initializeMs, signal: given }),
    });
  }

  #receive(value: unknown): void {
    const frame = parseFrame(value);
    switch (frame.kind) {
      case 'response':
        return this.calls.receive(frame.response);
      case 'ready':
        this.#saidReady = true;
        if (frame.versions.includes(chunkedVersion)) this.#negotiate();
        return this.#ready();
      case 'event':
        if (this.#listener !== undefined) this.#listener.receive(frame.event);
        else if (this.#early.length < earlyEvents) this.#early.push(frame.event);
        return waitForRoom(this.#connection.channel, this.#parts.options.whenDrained, this);
      case 'unknown':
        this.#parts.leftOut.report(frame.problem);
        // The agent waits for the answer to a dialog, and cannot stop until then. It ignores the answer to anything else.
        if (frame.waitsAs !== undefined) this.calls.tell({ type: 'extension_ui_response', id: frame.waitsAs, cancelled: true });
        return;
      case 'chunk': {
        const whole = this.#chunks.add(frame.chunk);
        if (whole.kind === 'frame') this.#receive(whole.frame);
        else if (whole.kind === 'lost') this.#receiveHead(whole.head);
        return;
      }
      case 'invalid':
        this.invalidMessages++;
        return;
      case 'ignored':
        return;
    }
  }

  /** Without this, the agent replaces a response over 1 MiB, such as a long history, with a failure. */
  #negotiate(): void {
    const { log } = this.#parts.options;
    this.calls
      .request({ command: { type: 'negotiate_protocol', protocolVersion: chunkedVersion }, answer: nothing, isUrgent: true })
      .catch((error: unknown) => log.debug('The agent did not accept version 2 of the protocol', error));
  }

  #receiveHead(head: string): void {
    this.invalidMessages++;
    this.calls.receiveHead(head);
  }

  #lose(cause: HostError): void {
    const error = this.#parts.onLost(this, cause);
    this.#listener?.lose(error);
    this.calls.lose(error);
    this.#ready();
    this.#connection.lost(cause);
  }
}

// Joins the frames that an agent sends in several lines. The parts of a frame arrive in their order.

/** `lost`: the frame is unusable; `head` is its beginning, as far as it is known. */
type Joined =
  | { readonly kind: 'part' }
  | { readonly kind: 'frame'; readonly frame: unknown }
  | { readonly kind: 'lost'; readonly head: string };

interface OpenFrame {
  readonly chunkId: string;
  readonly parts: Buffer[];
  bytes: number;
}

const headBytes = 2_048;
const part: Joined = { kind: 'part' };

export class PiChunks {
  #open: OpenFrame | undefined;
  /** The frame of which the other parts are skipped. */
  #skipped: string | undefined;

  add({ chunkId, index, count, byteLength, data }: PiChunk): Joined {
    if (chunkId === this.#skipped && index > 0) return part;
    if (index === 0) this.#open = { chunkId, parts: [], bytes: 0 };
    const open = this.#open;
    if (open === undefined || open.chunkId !== chunkId || open.parts.length !== index) return this.#lose(chunkId);
    const bytes = Buffer.from(data, 'base64');
    open.parts.push(bytes);
    open.bytes += bytes.length;
    if (Math.max(byteLength, open.bytes) > defaultLineLimits.lineBytes) return this.#lose(chunkId);
    if (open.parts.length < count) return part;
    const frame = parseJson(Buffer.concat(open.parts).toString('utf8'));
    if (frame === undefined || !isWithin(frame, maxLevels)) return this.#lose(chunkId);
    this.#open = undefined;
    return { kind: 'frame', frame };
  }

  #lose(chunkId: string): Joined {
    const head = this.#open?.chunkId === chunkId ? (this.#open.parts[0]?.toString('utf8', 0, headBytes) ?? '') : '';
    this.#open = undefined;
    this.#skipped = chunkId;
    return { kind: 'lost', head };
  }
}

// Sends the first command to a process. If the answer takes long, the process may be a different program than expected, so a second
// question finds that out.

/** Most programs that start quickly have started by then. */
const doubtMs = 1_000;
/** How long the answer to a question before a late `ready` may take; after that, it counts as lost. */
const lateAnswerMs = 1_500;

const question: Command = { type: 'get_state' };
/**
 * A question for every program: the Pi family only looks at `type`, and a program with JSON-RPC answers that it does not know the method.
 */
const openQuestion: Command = { ...question, jsonrpc: '2.0', method: 'get_state' };

interface Greeting {
  readonly dialect: PiDialect;
  /** Resolves when the process sends `ready`, or ends. */
  readonly ready: Promise<void>;
  readonly saidReady: () => boolean;
  readonly ask: (command: Command, signal: AbortSignal) => Promise<PiState>;
  readonly signal: AbortSignal;
}

/** @throws HostError `handshake_failed` for the other dialect, and whatever `ask` throws */
async function greet(o: Greeting): Promise<PiState> {
  const { dialect, saidReady } = o;
  const state = await (dialect.saysReady ? whenReady(o) : atOnce(o));
  if (state !== undefined && dialect.saysReady === saidReady()) return state;
  throw new HostError('handshake_failed', { reason: 'other_protocol', protocol: dialect.name, found: dialect.other });
}

/** @returns undefined if the process sends `ready` before it answers; earlier questions may then never be answered */
async function atOnce({ ask, ready, signal }: Greeting): Promise<PiState | undefined> {
  const answer = ask(question, signal);
  const first = Promise.race([answer, ready.then(() => undefined)]);
  if (await isSettled(first, doubtMs, signal)) return first;
  return Promise.race([first, ask(openQuestion, signal)]);
}

/** Programs of this dialect read nothing before `ready`; those of the other one never send it, but answer. */
async function whenReady({ ask, ready, signal }: Greeting): Promise<PiState> {
  if (await isSettled(ready, doubtMs, signal)) return ask(question, signal);
  const early = new AbortController();
  const answer = ask(openQuestion, AbortSignal.any([signal, early.signal]));
  await Promise.race([answer, ready]);
  if (await isSettled(answer, lateAnswerMs, signal)) return answer;
  early.abort();
  return ask(question, signal);
}

/** Whether the promise settles within this time. A rejection counts too, and is left to whoever awaits the promise. */
async function isSettled(promise: Promise<unknown>, limitMs: number, signal: AbortSignal): Promise<boolean> {
  let isOver = (_: boolean): void => {};
  const late = new Promise<boolean>((resolve) => (isOver = resolve));
  const giveUp = (): void => isOver(false);
  const timer = setTimeout(giveUp, limitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}
