/** The page's end of the connection to the extension: parses messages, checks revisions, and asks again after a gap. */
import { hostMessageSchema, type HostMessage, type Op } from '../../contract/messages.js';
import type { PageMessage } from '../../contract/pageMessages.js';
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
  /** Returns what `writeState` last stored, even before a reload; not parsed. */
  readState(): unknown;
  writeState(state: object): void;
  /** Starts listening and says `ready`. Call it once. */
  start(receiver: HostReceiver): void;
}

export interface HostReceiver {
  /**
   * Called before each message.
   * @returns a promise that resolves when the page can draw it, and never rejects; later messages wait with it. Undefined: it can now
   */
  prepare(message: HostMessage): Promise<void> | undefined;
  /** Another conversation is about to replace the one on the page. What is posted now still belongs to the old one. */
  leave(): void;
  /**
   * @param draft undefined: it follows
   * @param conversation its id; undefined if there is no particular one
   */
  snapshot(view: ChatView, draft: string | undefined, conversation: string | undefined): void;
  patch(ops: readonly Op[]): void;
  focus(target: 'composer' | 'prompt'): void;
  reveal(itemId: string): void;
  follow(): void;
  editMessage(message: Extract<HostMessage, { type: 'editMessage' }>): void;
  returnText(text: string, promptId: string | undefined): void;
  draft(text: string): void;
  image(path: string, data: string): void;
  suggestedFiles(paths: readonly string[]): void;
  files(found: Extract<HostMessage, { type: 'files' }>['files']): void;
}

/** The connection of a page with a contract of its own. Call `listen` once. */
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
  const post: Post = (message) => postRaw(shown.id === undefined ? message : { conversation: shown.id, ...message });
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

/** Every message names its conversation, this one unless it already names another, because the host may have replaced it before the message arrives. */
interface ShownConversation {
  id: string | undefined;
}

function createReceiver(receiver: HostReceiver, post: Post, shown: ShownConversation): (data: unknown) => void {
  /** Undefined while a snapshot is awaited; earlier patches are useless. */
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
      case 'reveal':
        return receiver.reveal(message.itemId);
      case 'follow':
        return receiver.follow();
      case 'editMessage':
        return receiver.editMessage(message);
      case 'returnText':
        return receiver.returnText(message.text, message.promptId);
      case 'draft':
        return receiver.draft(message.text);
      case 'image':
        return receiver.image(message.path, message.data);
      case 'suggestedFiles':
        return receiver.suggestedFiles(message.paths);
      case 'files':
        return receiver.files(message.files);
    }
  };
  const draw = (message: HostMessage): void => {
    try {
      apply(message);
    } catch (error) {
      resync(`message not drawn: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  };
  /** The message that is being prepared, and those that arrived in the meantime. */
  let waiting: HostMessage[] = [];
  const take = (message: HostMessage): void => {
    if (waiting.length > 0) {
      waiting.push(message);
      return;
    }
    const ready = receiver.prepare(message);
    if (ready === undefined) return draw(message);
    waiting.push(message);
    void ready.then(() => {
      const [first, ...others] = waiting;
      waiting = [];
      if (first !== undefined) draw(first);
      for (const next of others) take(next);
    });
  };
  return (data) => {
    const parsed = hostMessageSchema.safeParse(data);
    if (parsed.success) take(parsed.data);
    else resync(`message not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`);
  };
}

/** Reports every later error in the page, including violations of its own policy. */
export function reportPageErrors(report: (message: string) => void): void {
  window.addEventListener('error', ({ message, error }) => report(error instanceof Error ? (error.stack ?? message) : message));
  window.addEventListener('unhandledrejection', ({ reason }) =>
    report(`unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`),
  );
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    report(`blocked by the content security policy: ${violatedDirective} ${blockedURI}`),
  );
}
