/** The replies of the scripted model, independent of any provider. */
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';

export type ReplyPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string }
  | {
      readonly type: 'call';
      readonly name: string;
      readonly namespace?: string | undefined;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  /** A call of a tool whose input is a single text. */
  | { readonly type: 'freeform'; readonly name: string; readonly input: string }
  /** Repeats the text several times a second until the agent closes the connection. */
  | { readonly type: 'endless'; readonly text: string };

export type ModelReply =
  | { readonly type: 'answer'; readonly parts: readonly ReplyPart[] }
  | { readonly type: 'error'; readonly status: number; readonly message: string };

export const answer = (...parts: readonly ReplyPart[]): ModelReply => ({ type: 'answer', parts });
export const text = (words: string): ReplyPart => ({ type: 'text', text: words });

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** The time between two chunks of an endless answer. */
const endlessMs = 200;

/** A stream of server-sent events. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.setHeader('Content-Type', 'text/event-stream');
  }

  send(data: object): void {
    this.#response.write(`data: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an event with its name before its data. */
  sendNamed(type: string, data: object): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }

  /** Resolves when the agent has closed the connection. */
  async repeat(send: () => void): Promise<void> {
    send();
    const timer = setInterval(send, endlessMs);
    if (!this.#response.destroyed) await once(this.#response, 'close');
    clearInterval(timer);
  }

  end(lastLine = ''): void {
    this.#response.end(lastLine);
  }
}
