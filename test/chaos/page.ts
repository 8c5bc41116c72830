/**
 * A page like those of the editor: the extension's own link and view drawer on one side, the page's own store on the other, with JSON in
 * between.
 */
import assert from 'node:assert/strict';
import { type HostMessage, hostMessageSchema } from '../../src/contract/messages.js';
import { type PageMessage, pageMessageSchema } from '../../src/contract/pageMessages.js';
import type { ChatView, ItemView } from '../../src/contract/view.js';
import {
  type ConversationState,
  type Disposable,
  Emitter,
  emptyConversation,
  nullLogger,
  type SessionState,
} from '../../src/core/index.js';
import { Pacer, PageLink } from '../../src/extension/pages/pageLink.js';
import { openPort } from '../../src/extension/pages/webviewPage.js';
import { chatDrawer } from '../../src/extension/chat/viewModel.js';
import { applyOp, applySnapshot, createSections, type ItemSink } from '../../src/webview/base/store.js';

/** Stores the items of a page without drawing them. */
class Items implements ItemSink {
  readonly #items = new Map<string, ItemView>();

  get all(): readonly ItemView[] {
    return [...this.#items.values()];
  }

  get count(): number {
    return this.#items.size;
  }

  reset(items: readonly ItemView[]): void {
    this.#items.clear();
    for (const item of items) this.put(item);
  }

  put(item: ItemView): void {
    this.#items.set(item.id, item);
  }

  append(id: string, text: string): void {
    const item = this.#items.get(id);
    assert.ok(item !== undefined, `text for ${id}, which the page does not have`);
    if (item.kind === 'agent') this.put({ ...item, markdown: item.markdown + text });
    else if (item.kind === 'tool') this.put({ ...item, output: (item.output ?? '') + text });
    else if (item.kind === 'thought' || item.kind === 'user') this.put({ ...item, text: item.text + text });
    else assert.fail(`text for ${id}, which has none`);
  }

  remove(id: string): void {
    assert.ok(this.#items.delete(id), `${id} is removed, which the page does not have`);
  }
}

/** The session that a page shows: of a host, or of a conversation. */
interface PageSource {
  readonly state: SessionState;
  readonly onBatch: (listener: () => void) => Disposable;
}

export class Page implements Disposable {
  readonly #session: PageSource;
  readonly #toHost = new Emitter<unknown>();
  readonly #changes = new Emitter<void>();
  readonly #sections = createSections();
  readonly #items = new Items();
  readonly #draw = chatDrawer();
  readonly #owned: readonly Disposable[];
  readonly #pacer = new Pacer(() => this.#changes.fire());
  #revision = 0;

  /** The page is ready at once. */
  constructor(session: PageSource) {
    this.#session = session;
    const wire = {
      postMessage: (message: unknown) => Promise.resolve(this.#receive(hostMessageSchema.parse(plain(message)))),
      onDidReceiveMessage: this.#toHost.event,
    };
    const port = openPort<HostMessage, PageMessage>(wire, pageMessageSchema, nullLogger);
    const source = {
      conversationId: undefined,
      view: () => viewOf(session.state, this.#draw),
      onChange: this.#changes.event,
      draft: () => '',
    };
    this.#owned = [
      this.#changes,
      this.#toHost,
      session.onBatch(() => this.#pacer.request()),
      this.#pacer,
      new PageLink({ port, source, onIntent: () => {} }),
    ];
    this.#toHost.fire({ type: 'ready' });
  }

  /** Resolves when the page has received everything. */
  async settled(): Promise<void> {
    const drawn = new Promise<void>((resolve) => {
      const subscription = this.#changes.event(() => {
        subscription.dispose();
        resolve();
      });
    });
    this.#pacer.request();
    await drawn;
  }

  /** Checks that the page has what a newly opened page would have. */
  assertUpToDate(): void {
    const { items, ...rest } = plain(viewOf(this.#session.state, chatDrawer()));
    assert.deepEqual(plain(this.#items.all), items, 'the items of the page');
    const { header, banner, empty, plans, prompts, wait, queue, held, review, unsaved, composer } = this.#sections;
    const shown = { header, banner, empty, plans, prompts, wait, queue, held, review, unsaved, composer };
    assert.deepEqual(
      plain(Object.fromEntries(Object.entries(shown).map(([name, section]) => [name, section.value]))),
      rest,
      'the sections of the page',
    );
  }

  dispose(): void {
    for (const one of this.#owned) one.dispose();
  }

  #receive(received: HostMessage): boolean {
    if (received.type === 'snapshot') {
      this.#revision = received.revision;
      applySnapshot(this.#sections, this.#items, received.view);
    } else if (received.type === 'patch') {
      assert.equal(received.revision, ++this.#revision, 'a patch was lost');
      for (const op of received.ops) applyOp(this.#sections, this.#items, op);
    }
    return true;
  }
}

/** Leaves out the time, so that changes over time are not compared. */
function viewOf(session: SessionState, draw: ReturnType<typeof chatDrawer>): ChatView {
  const conversation: ConversationState = {
    ...emptyConversation('chaos', session.cwd),
    agent: { id: 'chaos', label: 'Chaos', isFallback: false },
    status: { state: 'ready' },
    session,
    live: true,
  };
  return draw({ conversation, prompts: [], closed: undefined, chips: [], quietAfterMs: Number.MAX_SAFE_INTEGER, now: session.createdAt })
    .view;
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
