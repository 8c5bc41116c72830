import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore, type Event, growthSince } from '../../core/index.js';
import type { HostMessage, Op } from '../../contract/messages.js';
import type { PageMessage } from '../../contract/pageMessages.js';
import type { ChatView, ItemView } from '../../contract/view.js';
import type { Heard, PageFeed, PagePort } from './webviewPage.js';

/** One frame of a screen. */
const frameMs = 16;

/**
 * Decides when pages learn of changes: at the end of the frame with the first change, and so at most once per frame. It is the only place
 * between a conversation and its pages that waits.
 */
export class Pacer implements Disposable {
  readonly #onFrame: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onFrame: () => void) {
    this.#onFrame = onFrame;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onFrame();
    }, frameMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

export type ChatPort = PagePort<HostMessage, Heard<PageMessage>>;

/** What a page is drawn from. `view` is cheap if nothing changed. */
export interface PageSource {
  /** The id of the current conversation; undefined if there is no particular one. When it changes, a page starts over. */
  readonly conversationId: string | undefined;
  view(): ChatView;
  /** Fires at most once per frame, because each change of the view results in a message. */
  readonly onChange: Event<void>;
  /** What the composer contains; undefined if that is not known yet. */
  draft(): string | undefined;
  /** Finds files in the conversation's folder. */
  findFiles?(names: readonly string[]): Promise<Extract<HostMessage, { type: 'files' }>['files']>;
  /** Finds files that the user may mean with these letters. */
  suggestFiles?(typed: string): Promise<readonly string[]>;
  /** Returns a picture of the workspace as a `data:` URL. */
  readImage?(path: string): Promise<string | undefined>;
}

/** What a page is told about the conversation that it shows. */
export type ToldMessage = Extract<HostMessage, { type: 'focus' | 'reveal' | 'follow' | 'returnText' | 'editMessage' }>;

/** What a page asks for, except for the messages that are answered here. */
export type PageIntent = Exclude<Heard<PageMessage>, { type: 'ready' | 'resync' | 'focused' | 'lookUp' | 'suggestFiles' | 'loadImage' }>;

interface PageLinkOptions {
  readonly port: ChatPort;
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  /** Called when the page got or lost the keyboard focus; a page that is closed loses it. */
  readonly onFocus?: (focused: boolean) => void;
  /** Called when the page shows the conversation. */
  readonly onReady?: () => void;
}

/** Keeps one page in sync with the host: nothing before its `ready`, then a snapshot, then patches. Each `ready` starts over. */
export class PageLink implements PageFeed {
  readonly #options: PageLinkOptions;
  readonly #store = new DisposableStore();
  /** What the page has; undefined while there is no page. */
  #held: ChatView | undefined;
  #heldId: string | undefined;
  #revision = 0;
  #afterReady: ToldMessage[] = [];

  constructor(options: PageLinkOptions) {
    const { port, source, onIntent } = options;
    this.#options = options;
    this.#store.add(
      port.onMessage((message) => {
        if (message.type === 'ready' || message.type === 'resync') this.#begin();
        else if (message.type === 'focused') this.#options.onFocus?.(message.focused);
        else if (message.type === 'lookUp') void this.#answer(this.#lookUp(message.names));
        else if (message.type === 'suggestFiles') void this.#answer(this.#suggestFiles(message.typed));
        else if (message.type === 'loadImage') void this.#answer(this.#loadImage(message.path));
        else onIntent(message);
      }),
    );
    this.#store.add(source.onChange(() => this.#sendPatch()));
  }

  suspend(): void {
    this.#held = undefined;
    this.#options.onFocus?.(false);
  }

  /** Whether the page receives messages now. */
  get isReady(): boolean {
    return this.#held !== undefined;
  }

  /** Sends the message now, or right after the snapshot if the page is not ready yet. */
  tell(message: ToldMessage): void {
    if (this.isReady) this.#options.port.post(message);
    else this.#afterReady.push(message);
  }

  /** Passes on what was written elsewhere. A page that is not ready, or shows another conversation, gets drafts with its snapshot. */
  tellDraft(conversationId: string, text: string): void {
    if (this.#held === undefined || this.#heldId !== conversationId || this.#options.source.conversationId !== conversationId) return;
    // The page compares the messages that it has sent with the conversation when it gets its first draft.
    this.#sendPatch();
    this.#options.port.post({ type: 'draft', text });
  }

  dispose(): void {
    this.suspend();
    this.#store.dispose();
  }

  #begin(): void {
    this.#sendSnapshot();
    this.#options.onReady?.();
  }

  #sendSnapshot(): void {
    const { port, source } = this.#options;
    const { conversationId } = source;
    const draft = source.draft();
    this.#held = source.view();
    this.#heldId = conversationId;
    port.post({
      type: 'snapshot',
      revision: ++this.#revision,
      view: this.#held,
      ...(draft === undefined ? {} : { draft }),
      ...(conversationId === undefined ? {} : { conversation: conversationId }),
    });
    for (const message of this.#afterReady.splice(0)) port.post(message);
  }

  /** The page may show another conversation by then, perhaps of another folder. */
  async #answer(coming: Promise<HostMessage | undefined>): Promise<void> {
    const id = this.#heldId;
    const answer = await coming;
    if (answer !== undefined && this.#held !== undefined && this.#heldId === id) this.#options.port.post(answer);
  }

  async #lookUp(names: readonly string[]): Promise<HostMessage | undefined> {
    const files = (await this.#options.source.findFiles?.(names)) ?? [];
    return files.length === 0 ? undefined : { type: 'files', files };
  }

  async #suggestFiles(typed: string): Promise<HostMessage> {
    return { type: 'suggestedFiles', paths: [...((await this.#options.source.suggestFiles?.(typed)) ?? [])] };
  }

  async #loadImage(path: string): Promise<HostMessage | undefined> {
    const data = await this.#options.source.readImage?.(path);
    return data === undefined ? undefined : { type: 'image', path, data };
  }

  #sendPatch(): void {
    if (this.#held === undefined) return;
    const { port, source } = this.#options;
    if (source.conversationId !== this.#heldId) return this.#sendSnapshot();
    const next = source.view();
    const ops = diffViews(this.#held, next);
    this.#held = next;
    if (ops.length > 0) port.post({ type: 'patch', revision: ++this.#revision, ops });
  }
}

/**
 * Returns the operations that turn `previous` into `next`, for a page with `previous`. Everything is compared by value, but there may be
 * thousands of items, so callers keep the unchanged ones: an item that is the same object is not looked at.
 */
export function diffViews(previous: ChatView, next: ChatView): Op[] {
  return [...diffItems(previous.items, next.items), ...diffSections(previous, next)];
}

function diffItems(previous: readonly ItemView[], next: readonly ItemView[]): Op[] {
  if (previous === next) return [];
  const ops: Op[] = [];
  let nextIds: ReadonlySet<string> | undefined;
  const isKept = (id: string): boolean => (nextIds ??= new Set(next.map((item) => item.id))).has(id);
  let index = 0;
  let diverged = false;
  for (const before of previous) {
    const after = next[index];
    if (!diverged && after?.id === before.id) {
      ops.push(...diffItem(before, after));
      index++;
    } else {
      // An item can only be replaced in its place or appended. From the first change of order on, all items are removed and added again.
      diverged ||= isKept(before.id);
      ops.push({ op: 'remove', id: before.id });
    }
  }
  for (const item of next.slice(index)) ops.push({ op: 'item', item });
  return ops;
}

function diffItem(before: ItemView, after: ItemView): Op[] {
  if (before === after) return [];
  const text = appendedText(before, after);
  if (text === undefined) return [{ op: 'item', item: after }];
  return text === '' ? [] : [{ op: 'append', id: after.id, text }];
}

/** Returns the text that was appended if nothing else changed; `''` if nothing changed. */
function appendedText(before: ItemView, after: ItemView): string | undefined {
  const [old, grown] = [growing(before), growing(after)];
  if (old === undefined || grown === undefined) return isDeepStrictEqual(before, after) ? '' : undefined;
  if (!isDeepStrictEqual(old.rest, grown.rest)) return undefined;
  const added = growthSince(before, after);
  if (added !== undefined) return added;
  return grown.text.startsWith(old.text) ? grown.text.slice(old.text.length) : undefined;
}

/** Returns the member of an item that `append` adds to, and the other members. */
function growing(item: ItemView): { readonly text: string; readonly rest: object } | undefined {
  switch (item.kind) {
    case 'agent': {
      const { markdown, ...rest } = item;
      return { text: markdown, rest };
    }
    case 'thought':
    case 'user': {
      const { text, ...rest } = item;
      return { text, rest };
    }
    case 'tool': {
      const { output, ...rest } = item;
      return output === undefined ? undefined : { text: output, rest };
    }
    case 'notice':
    case 'plan':
    case 'subagent':
    case 'turn_end':
      return undefined;
  }
}

type Section = Exclude<keyof ChatView, 'items'>;

const sections = Object.keys({
  header: true,
  banner: true,
  empty: true,
  plans: true,
  prompts: true,
  wait: true,
  queue: true,
  held: true,
  review: true,
  unsaved: true,
  composer: true,
} satisfies Readonly<Record<Section, true>>) as readonly Section[];

function diffSections(previous: ChatView, next: ChatView): Op[] {
  const ops: Op[] = [];
  for (const op of sections) if (!isDeepStrictEqual(previous[op], next[op])) ops.push({ op, [op]: next[op] } as Op);
  return ops;
}
