import { isDeepStrictEqual } from 'node:util';
import type { PreviewedEdit } from '../editor/editPreview.js';
import { agentLabel } from './headerView.js';
import {
  type ConversationClient,
  type Disposable,
  DisposableStore,
  Emitter,
  emptyConversation,
  openRequests,
  type UserRequest,
} from '../../core/index.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { Pacer, type PageSource } from '../pages/pageLink.js';
import { editOf, promptView, type RequestViewInput } from './promptView.js';
import type { RequestFiles } from '../editor/requestFiles.js';
import { sentences } from '../../text/sentence.js';
import type { ChatView, PromptView } from '../../contract/view.js';
import { chatDrawer } from './viewModel.js';

export type FilesOfRequests = Pick<RequestFiles, 'revision' | 'textOf'>;

/** What the user has read may not be the case any more. */
const changedText = 'The file has changed since the agent asked.';

interface Known {
  readonly input: RequestViewInput;
  readonly revision: number | undefined;
  readonly view: PromptView;
  /** Of the first view. */
  readonly drawn: string | undefined;
}

const drawnOf = (view: PromptView): string | undefined => (view.kind === 'permission' ? view.drawn : undefined);

/**
 * Maps open requests to views; returns the same views in the same list while the requests, the input for their views and the files are the
 * same.
 * @param files absent if nobody knows them
 */
export function promptViews(files?: FilesOfRequests): (requests: readonly (readonly [UserRequest, RequestViewInput])[]) => PromptView[] {
  const known = new WeakMap<UserRequest, Known>();
  const textIn = files && ((folder: string, path: string) => files.textOf(folder, path));
  let last: PromptView[] = [];
  const viewOf = (request: UserRequest, input: RequestViewInput): PromptView => {
    const before = known.get(request);
    const isSameInput = before !== undefined && isDeepStrictEqual(before.input, input);
    if (isSameInput && before.revision === files?.revision) return before.view;
    const drawnNow = promptView(request, input, textIn);
    const drawn = before === undefined ? drawnOf(drawnNow) : before.drawn;
    const now = drawn === drawnOf(drawnNow) ? drawnNow : { ...drawnNow, note: sentences(drawnNow.note ?? '', changedText) };
    const view = before !== undefined && isDeepStrictEqual(now, before.view) ? before.view : now;
    known.set(request, { input, revision: files?.revision, view, drawn });
    return view;
  };
  return (requests) => {
    const views = requests.map(([request, input]) => viewOf(request, input));
    if (views.length !== last.length || views.some((view, index) => view !== last[index])) last = views;
    return last;
  };
}

/**
 * Returns the pending requests of a conversation, oldest first, with the input for their views.
 * @param name the name of the conversation, if the prompts appear outside it
 */
export function requestsOf(
  { id, folder, conversation }: Pick<OpenConversation, 'id' | 'folder'> & { readonly conversation: Pick<ConversationClient, 'state'> },
  name?: string,
): (readonly [UserRequest, RequestViewInput])[] {
  const { state } = conversation;
  const input: RequestViewInput = {
    conversation: { id, ...(name === undefined ? {} : { name }) },
    agent: agentLabel(state),
    cwd: state.session?.cwd ?? '',
    ...(state.agent?.isServer === true && { isServer: true }),
    outsideTurn: state.session?.turn.type === 'idle',
    folder: name === undefined ? undefined : folder.name,
  };
  return openRequests(state).map((request) => [request, input] as const);
}

interface PendingPrompt {
  readonly prompt: PromptView;
  readonly request: UserRequest;
  readonly entry: OpenConversation;
}

interface PendingOptions {
  readonly conversations: OpenConversations;
  nameOf(entry: OpenConversation): string;
  /** The files that requests are about; absent if nobody knows them. */
  readonly files?: FilesOfRequests & Pick<RequestFiles, 'onChange' | 'refresh'>;
}

/** The pending requests of all open conversations, each with the name of its conversation. */
export class PendingPrompts implements PageSource, Disposable {
  readonly #options: PendingOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<void>();
  readonly #onFrame = new Emitter<void>();
  readonly #pacer = new Pacer(() => {
    this.#look();
    this.#onFrame.fire();
  });
  /** The rest of the view of a page that draws nothing but the prompts. */
  readonly #frame: ChatView;
  readonly #drawPrompts: ReturnType<typeof promptViews>;
  #all: readonly PendingPrompt[] = [];

  constructor(options: PendingOptions) {
    this.#options = options;
    this.#drawPrompts = promptViews(options.files);
    const nothing = { conversation: emptyConversation('', ''), prompts: [], closed: undefined, chips: [], quietAfterMs: Infinity, now: 0 };
    this.#frame = chatDrawer()(nothing).view;
    this.#store.add(options.conversations.onChange(() => this.#pacer.request()));
    const watching = options.files?.onChange(() => this.#pacer.request());
    if (watching !== undefined) this.#store.add(watching);
    this.#store.add(this.#pacer);
    this.#store.add(this.#onChange);
    this.#store.add(this.#onFrame);
  }

  /** Fires when requests came or went, or when their conversations got other names; at most once per frame. */
  readonly onChange = this.#onChange.event;

  /** Fires when anything happened in any conversation; at most once per frame. */
  readonly onFrame = this.#onFrame.event;

  readonly conversationId = undefined;

  /** Oldest first. */
  get all(): readonly PendingPrompt[] {
    return this.#all;
  }

  /** The conversations, each once. Several may have the same name, such as a branch and what it comes from. */
  get conversations(): readonly OpenConversation[] {
    return [...new Set(this.#all.map(({ entry }) => entry))];
  }

  view(): ChatView {
    return { ...this.#frame, prompts: this.#all.map(({ prompt }) => prompt) };
  }

  draft(): string {
    return '';
  }

  /** Returns the open request for a prompt, and its conversation. */
  find(promptId: string): PendingPrompt | undefined {
    return this.#collect().find(({ prompt }) => prompt.id === promptId);
  }

  /** Like `find`, with the files as they are now. */
  findNow(promptId: string): PendingPrompt | undefined {
    this.#options.files?.refresh();
    return this.find(promptId);
  }

  /** Like `findNow`, but undefined if the files are not as they were drawn. */
  findAsDrawn(promptId: string, drawn: string | undefined): PendingPrompt | undefined {
    const found = this.findNow(promptId);
    return found?.prompt.kind === 'permission' && found.prompt.drawn !== drawn ? undefined : found;
  }

  /**
   * Returns what the request makes of a file; undefined if it says nothing of it, or if a change does not fit.
   * @param path absolute; absent: that of the first file
   */
  previewOf(promptId: string, path?: string): PreviewedEdit | undefined {
    const { files } = this.#options;
    const found = this.find(promptId);
    if (files === undefined || found?.request.kind !== 'permission' || found.prompt.kind !== 'permission') return undefined;
    const { entry, request, prompt } = found;
    const input = requestsOf(entry).find(([one]) => one === request)?.[1];
    const edit = input && editOf(request, input, (folder, file) => files.textOf(folder, file), path);
    return edit && { ...edit, promptId, conversationId: entry.id, drawn: prompt.drawn };
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Cheap while nothing is pending, because it is called for each frame in which something streams. */
  #look(): void {
    const all = this.#collect();
    if (isSame(this.#all, all)) return;
    this.#all = all;
    this.#onChange.fire();
  }

  #collect(): readonly PendingPrompt[] {
    const { conversations, nameOf } = this.#options;
    const waiting = conversations.all
      .filter(({ conversation }) => openRequests(conversation.state).length > 0)
      .flatMap((entry) => requestsOf(entry, nameOf(entry)).map((request) => ({ request, entry })))
      .sort((a, b) => a.request[0].at - b.request[0].at);
    const views = this.#drawPrompts(waiting.map(({ request }) => request));
    return views.flatMap((prompt, index) => {
      const found = waiting[index];
      return found === undefined ? [] : [{ prompt, entry: found.entry, request: found.request[0] }];
    });
  }
}

function isSame(one: readonly PendingPrompt[], other: readonly PendingPrompt[]): boolean {
  return one.length === other.length && one.every(({ prompt }, index) => prompt === other[index]?.prompt);
}
