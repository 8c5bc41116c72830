import type { ChatView, PromptView } from '../../contract/view.js';
import {
  type ConversationClient,
  type Disposable,
  DisposableStore,
  Emitter,
  emptyConversation,
  toDisposable,
  type UserRequest,
} from '../../core/index.js';
import type { FolderConversations } from '../conversation/folderConversations.js';
import type { Chip } from '../editor/selection.js';
import type { Closed } from './bannerView.js';
import { agentLabel } from './headerView.js';
import { Pacer } from '../pages/pacer.js';
import type { PageSource } from '../pages/pageLink.js';
import { promptIdOf } from './promptView.js';
import { promptViews } from './promptViews.js';
import type { LastKnown } from './composerView.js';
import { chatDrawer } from './viewModel.js';

export interface ChatSourceOptions {
  readonly conversations: FolderConversations;
  closed(): Closed | undefined;
  /** Milliseconds of silence after which an agent at work counts as unresponsive. */
  quietAfterMs(): number;
  /** What may explain the failed start on screen. */
  doctorNote(): string | undefined;
  /** What the agent offered when it ran last. */
  lastKnown(agentId: string): LastKnown | undefined;
  readDraft(id: string): string;
  writeDraft(id: string, text: string): void;
}

/** No folder is open. */
const noConversation = emptyConversation('', '');

/** What all pages are drawn from: the conversation on screen, and the pending requests of all of them. Drawn at most once per frame. */
export class ChatSource implements PageSource, Disposable {
  readonly #options: ChatSourceOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<void>();
  readonly #pacer = new Pacer(() => this.#onChange.fire());
  readonly #draw = chatDrawer();
  readonly #drawPrompts = promptViews();
  #chips: readonly Chip[] = [];
  #drawn: ChatView | undefined;
  #wake: NodeJS.Timeout | undefined;

  constructor(options: ChatSourceOptions) {
    this.#options = options;
    this.#store.add(options.conversations.onChange(() => this.refresh()));
    this.#store.add(toDisposable(() => clearTimeout(this.#wake)));
    this.#store.add(this.#pacer);
    this.#store.add(this.#onChange);
  }

  /** At most once per frame. */
  readonly onChange = this.#onChange.event;

  /** Something outside of the conversations changed: trust, folders, time. */
  refresh(): void {
    this.#drawn = undefined;
    this.#pacer.request();
  }

  view(): ChatView {
    return (this.#drawn ??= this.#redraw());
  }

  draft(): string {
    const { current } = this.#options.conversations;
    return current === undefined ? '' : this.#options.readDraft(current.conversation.state.id);
  }

  keepDraft(text: string): void {
    const { current } = this.#options.conversations;
    if (current !== undefined) this.#options.writeDraft(current.conversation.state.id, text);
  }

  addChip(chip: Chip): void {
    this.#chips = [...this.#chips.filter(({ id }) => id !== chip.id), chip];
    this.refresh();
  }

  removeChip(id: string): void {
    this.#chips = this.#chips.filter((chip) => chip.id !== id);
    this.refresh();
  }

  findChip(id: string): Chip | undefined {
    return this.#chips.find((chip) => chip.id === id);
  }

  /** Hands the chips over to the message that they go with. */
  takeChips(): readonly Chip[] {
    const chips = this.#chips;
    this.#chips = [];
    this.refresh();
    return chips;
  }

  /** The open request behind a prompt of the page, and whose it is. */
  findRequest(promptId: string): { readonly request: UserRequest; readonly conversation: ConversationClient } | undefined {
    return this.#requests().find(({ request }) => promptIdOf(request) === promptId);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #requests(): readonly { readonly request: UserRequest; readonly conversation: ConversationClient; readonly folderName: string }[] {
    return this.#options.conversations.all
      .flatMap(({ folder, conversation }) =>
        (conversation.state.session?.requests ?? []).map((request) => ({ request, conversation, folderName: folder.name })),
      )
      .sort((a, b) => a.request.at - b.request.at);
  }

  #prompts(): PromptView[] {
    const several = this.#options.conversations.all.length > 1;
    return this.#drawPrompts(
      this.#requests().map(({ request, conversation, folderName }) => {
        const { state } = conversation;
        const surroundings = {
          agent: agentLabel(state),
          cwd: state.session?.cwd ?? '',
          outsideTurn: state.session?.turn.type === 'idle',
          folder: several ? folderName : undefined,
        };
        return [request, surroundings] as const;
      }),
    );
  }

  #redraw(): ChatView {
    const { conversations } = this.#options;
    const now = Date.now();
    const conversation = conversations.current?.conversation.state ?? noConversation;
    const { view, wakeAt } = this.#draw({
      conversation,
      lastKnown: conversation.agent && this.#options.lastKnown(conversation.agent.id),
      prompts: this.#prompts(),
      closed: this.#options.closed(),
      doctorNote: this.#options.doctorNote(),
      quietAfterMs: this.#options.quietAfterMs(),
      chips: this.#chips.map(({ id, label, title }) => ({ id, label, title })),
      now,
    });
    clearTimeout(this.#wake);
    if (wakeAt !== undefined) this.#wake = setTimeout(() => this.refresh(), Math.max(0, wakeAt - now));
    return view;
  }
}
