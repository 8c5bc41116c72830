/** The page's end of the wire to the extension: parses what comes, keeps count of revisions, and asks again after a gap. */
import { hostMessageSchema, type HostMessage, type Op, type PageMessage } from '../../contract/messages.js';
import type { ChatView } from '../../contract/view.js';

interface VsCodeApi {
  postMessage(message: object): void;
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
  /** The conversation on the page is about to be replaced by another one. What is posted now is still about it. */
  leave(): void;
  /** @param conversation its id; undefined: of none in particular */
  snapshot(view: ChatView, draft: string, conversation: string | undefined): void;
  patch(ops: readonly Op[]): void;
  focus(target: 'composer' | 'prompt'): void;
  insertText(text: string): void;
  image(path: string, data: string): void;
  files(found: Extract<HostMessage, { type: 'files' }>['files']): void;
}

/** The line of a page that has a contract of its own. `listen` is called once. */
export interface RawLink<Message extends object> extends Pick<HostLink, 'readState' | 'writeState'> {
  readonly post: (message: Message) => void;
  listen(receive: (data: unknown) => void): void;
}

export function connectRaw<Message extends object>(): RawLink<Message> {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    readState: () => api.getState(),
    writeState: (state) => api.setState(state),
    listen: (receive) => window.addEventListener('message', (event) => receive(event.data)),
  };
}

export function connectToHost(): HostLink {
  const { post: postRaw, readState, writeState, listen } = connectRaw<PageMessage>();
  const shown: ShownConversation = { id: undefined };
  const post: Post = (message) => postRaw(shown.id === undefined ? message : { ...message, conversation: shown.id });
  return {
    post,
    readState,
    writeState,
    start(receiver) {
      listen(createReceiver(receiver, post, shown));
      post({ type: 'ready' });
    },
  };
}

/** Every message says which conversation it is about: the host may have replaced it before it hears. */
interface ShownConversation {
  id: string | undefined;
}

function createReceiver(receiver: HostReceiver, post: Post, shown: ShownConversation): (data: unknown) => void {
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
        if (shown.id !== undefined && shown.id !== message.conversation) receiver.leave();
        shown.id = message.conversation;
        return receiver.snapshot(message.view, message.draft, message.conversation);
      case 'patch':
        if (revision === undefined) return;
        if (message.revision !== revision + 1) return resync(`patch ${message.revision} came after ${revision}`);
        revision = message.revision;
        return receiver.patch(message.ops);
      case 'focus':
        return receiver.focus(message.target);
      case 'insertText':
        return receiver.insertText(message.text);
      case 'image':
        return receiver.image(message.path, message.data);
      case 'files':
        return receiver.files(message.files);
    }
  };
  return (data) => {
    const parsed = hostMessageSchema.safeParse(data);
    if (!parsed.success)
      return resync(`message not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`);
    try {
      apply(parsed.data);
    } catch (error) {
      resync(`message not drawn: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  };
}

/** What goes wrong in the page from now on is told, also what its own policy forbids. */
export function reportPageErrors(report: (message: string) => void): void {
  window.addEventListener('error', ({ message, error }) => report(error instanceof Error ? (error.stack ?? message) : message));
  window.addEventListener('unhandledrejection', ({ reason }) =>
    report(`unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`),
  );
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    report(`blocked by the content security policy: ${violatedDirective} ${blockedURI}`),
  );
}
