/** The page's end of the wire to the extension: parses what comes, keeps count of revisions, and asks again after a gap. */
import { hostMessageSchema, type HostMessage, type Op, type PageMessage } from '../contract/messages.js';
import type { ChatView } from '../contract/view.js';

interface VsCodeApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

export type Post = (message: PageMessage) => void;

export interface HostLink {
  readonly post: Post;
  /** What `writeState` stored last, also before a reload; not parsed. */
  readState(): unknown;
  writeState(state: object): void;
  /** Listens and says `ready`. Called once. */
  start(receiver: HostReceiver): void;
}

export interface HostReceiver {
  snapshot(view: ChatView, draft: string): void;
  patch(ops: readonly Op[]): void;
  focus(target: 'composer' | 'prompt'): void;
  insertText(text: string): void;
}

export function connectToHost(): HostLink {
  const api = acquireVsCodeApi();
  const post: Post = (message) => api.postMessage(message);
  return {
    post,
    readState: () => api.getState(),
    writeState: (state) => api.setState(state),
    start(receiver) {
      const receive = createReceiver(receiver, post);
      window.addEventListener('message', (event) => receive(event.data));
      post({ type: 'ready' });
    },
  };
}

function createReceiver(receiver: HostReceiver, post: Post): (data: unknown) => void {
  /** Undefined: a snapshot is awaited, and patches before it are of no use. */
  let revision: number | undefined;
  const resync = (why: string): void => {
    post({ type: 'pageError', message: why });
    if (revision === undefined) return;
    revision = undefined;
    post({ type: 'resync' });
  };
  const apply = (message: HostMessage): void => {
    switch (message.type) {
      case 'snapshot':
        revision = message.revision;
        return receiver.snapshot(message.view, message.draft);
      case 'patch':
        if (revision === undefined) return;
        if (message.revision !== revision + 1) return resync(`patch ${message.revision} came after ${revision}`);
        revision = message.revision;
        return receiver.patch(message.ops);
      case 'focus':
        return receiver.focus(message.target);
      case 'insertText':
        return receiver.insertText(message.text);
    }
  };
  return (data) => {
    const parsed = hostMessageSchema.safeParse(data);
    if (!parsed.success) return resync(`message not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`);
    try {
      apply(parsed.data);
    } catch (error) {
      resync(`message not drawn: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  };
}
