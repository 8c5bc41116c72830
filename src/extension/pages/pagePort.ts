import type * as z from 'zod/mini';
import type { Disposable, Event, Logger } from '../../core/index.js';

/** A message of a page. */
export interface Said {
  readonly type: string;
}

/** The messages that reach the feed of a page. Errors that a page reports about itself go to the log. */
export type Heard<In extends Said> = Exclude<In, { readonly type: 'pageError' }>;

/** One page, as an endpoint for messages. */
export interface PagePort<Out, In> {
  post(message: Out): void;
  /** Fires only for messages of the contract. */
  readonly onMessage: Event<In>;
}

/** The host's end of the connection to a webview. */
export interface MessageWire {
  postMessage(message: unknown): PromiseLike<boolean>;
  onDidReceiveMessage(listener: (message: unknown) => void): Disposable;
}

export function openPort<Out, In extends Said>(wire: MessageWire, schema: z.ZodMiniType<In>, log: Logger): PagePort<Out, Heard<In>> {
  return {
    post: (message) => void wire.postMessage(message),
    onMessage: (listener) =>
      wire.onDidReceiveMessage((data) => {
        const parsed = schema.safeParse(data);
        if (!parsed.success) log.warn('The page sent an invalid message', parsed.error.message);
        else if (isForFeed(parsed.data)) listener(parsed.data);
        else log.error('Error in the page', 'message' in parsed.data ? parsed.data.message : parsed.data);
      }),
  };
}

function isForFeed<In extends Said>(message: In): message is Heard<In> {
  return message.type !== 'pageError';
}
