/**
 * What both ends say before a socket becomes a wire, one JSON object per line. This must not change, so that all versions understand each
 * other. Each end proves that it could read the engine's file, and neither sends the token, so an impostor does not learn it.
 *
 * front end: hail · engine: proof · front end: proof, hello · engine: status · front end: wish · engine: granted or not · wish …
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import * as z from 'zod/mini';
import { startDeadline } from '../base/deadline.js';
import { parseJson } from '../base/parseJson.js';

export interface Hello {
  /** Of ACP Host. */
  readonly version: string;
  readonly linkVersion: number;
  readonly program: 'editor' | 'terminal';
  readonly pid: number;
}

const hail = z.object({ acpHost: z.literal('engine'), nonce: z.string() });
const engineProof = z.object({ proof: z.string(), nonce: z.string() });
const hello: z.ZodMiniType<Hello> = z.object({
  version: z.string(),
  linkVersion: z.number(),
  // Newer versions may have more programs.
  program: z.catch(z.enum(['editor', 'terminal']), 'terminal'),
  pid: z.number(),
});
const frontEndProof = z.object({ proof: z.string(), hello });
export interface EngineStatus {
  /** Of ACP Host. */
  readonly version: string;
  readonly linkVersion: number;
  /** That are running. */
  readonly turns: number;
  /** It was asked to end, and is about to. */
  readonly isEnding: boolean;
}
const status: z.ZodMiniType<EngineStatus> = z.object({
  version: z.string(),
  linkVersion: z.number(),
  turns: z.number(),
  isEnding: z.boolean(),
});
const wish = z.object({ wish: z.string() });
export type Wish = 'attach' | 'end_if_idle';
export interface Reply {
  readonly granted: boolean;
  readonly status: EngineStatus;
}
const reply: z.ZodMiniType<Reply> = z.object({ granted: z.boolean(), status });

/** How a greeting fails. `impostor`: the other end doesn't know the token, or speaks something else. */
export class GreetingFailure extends Error {
  readonly how: 'closed' | 'late' | 'impostor';
  constructor(how: GreetingFailure['how']) {
    super(how);
    this.how = how;
  }
}

/** Lines over a socket, within a time limit for all of them together. Destroys the socket when something fails. */
export class Greeting {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #failure: GreetingFailure | undefined;
  #wake = (): void => {};
  readonly #stopDeadline: () => void;
  readonly #listeners: Readonly<Record<'data' | 'error' | 'close', (bytes: Buffer) => void>> = {
    data: (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    },
    error: () => {}, // `close` follows.
    close: () => this.#fail('closed'),
  };

  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#stopDeadline = startDeadline(timeoutMs, () => this.#fail('late'));
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
  }

  /** @throws GreetingFailure */
  async greetEngine(token: string, own: Hello): Promise<EngineStatus> {
    const nonce = newNonce();
    this.#send({ acpHost: 'engine', nonce });
    const proven = await this.#next(engineProof);
    if (!isProof(proven.proof, token, 'engine', nonce)) throw this.#fail('impostor');
    this.#send({ proof: prove(token, 'front end', proven.nonce), hello: own });
    return this.#next(status);
  }

  /** @throws GreetingFailure */
  async greetFrontEnd(token: string): Promise<Hello> {
    const nonce = newNonce();
    const { nonce: theirs } = await this.#next(hail);
    this.#send({ proof: prove(token, 'engine', theirs), nonce });
    const proven = await this.#next(frontEndProof);
    if (!isProof(proven.proof, token, 'front end', nonce)) throw this.#fail('impostor');
    return proven.hello;
  }

  /** @throws GreetingFailure */
  wish(wanted: Wish): Promise<Reply> {
    this.#send({ wish: wanted });
    return this.#next(reply);
  }

  /** Newer versions may wish for something else. @throws GreetingFailure */
  async nextWish(): Promise<string> {
    return (await this.#next(wish)).wish;
  }

  answer(answer: EngineStatus | Reply): void {
    this.#send(answer);
  }

  /** @returns the socket, paused, for the wire */
  release(): Socket {
    this.#stopDeadline();
    this.#socket.pause();
    for (const [event, listener] of Object.entries(this.#listeners)) if (event !== 'error') this.#socket.off(event, listener);
    if (this.#received.length > 0) this.#socket.unshift(this.#received);
    return this.#socket;
  }

  #send(value: unknown): void {
    this.#socket.write(`${JSON.stringify(value)}\n`);
  }

  async #next<T>(schema: z.ZodMiniType<T>): Promise<T> {
    for (;;) {
      const end = this.#received.indexOf('\n');
      if (end >= 0) {
        const line = this.#received.toString('utf8', 0, end);
        this.#received = this.#received.subarray(end + 1);
        const parsed = schema.safeParse(parseJson(line));
        if (!parsed.success) throw this.#fail('impostor');
        return parsed.data;
      }
      if (this.#received.length > maxLineBytes) throw this.#fail('impostor');
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #fail(how: GreetingFailure['how']): GreetingFailure {
    this.#failure ??= new GreetingFailure(how);
    this.#stopDeadline();
    this.#socket.destroy();
    this.#wake();
    return this.#failure;
  }
}

const maxLineBytes = 64 * 1024;

function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** The role is part of it, so that an end can't be made to prove itself to itself. */
function prove(token: string, role: 'engine' | 'front end', nonce: string): string {
  return createHmac('sha256', token).update(`${role} ${nonce}`).digest('base64url');
}

function isProof(proof: string, token: string, role: 'engine' | 'front end', nonce: string): boolean {
  const [given, expected] = [Buffer.from(proof), Buffer.from(prove(token, role, nonce))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
