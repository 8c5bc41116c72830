/** The view as the page has it: sections as signals; items are passed on to the transcript, which draws them itself. */
import { signal, type Signal } from '@preact/signals';
import type { Op } from '../../contract/messages.js';
import type {
  BannerView,
  ChatView,
  ComposerView,
  EmptyView,
  HeaderView,
  HeldView,
  ItemView,
  PlanEntryView,
  PromptView,
  LineView,
  WaitView,
} from '../../contract/view.js';

export interface Sections {
  /** False until the first snapshot. */
  readonly loaded: Signal<boolean>;
  readonly itemCount: Signal<number>;
  readonly header: Signal<HeaderView>;
  readonly banner: Signal<BannerView | null>;
  readonly empty: Signal<EmptyView>;
  readonly plans: Signal<readonly (readonly PlanEntryView[])[]>;
  readonly prompts: Signal<readonly PromptView[]>;
  readonly wait: Signal<WaitView | null>;
  readonly queue: Signal<ChatView['queue']>;
  readonly held: Signal<readonly HeldView[]>;
  readonly review: Signal<LineView | null>;
  readonly unsaved: Signal<LineView | null>;
  readonly composer: Signal<ComposerView>;
}

/** Receives the items. */
export interface ItemSink {
  reset(items: readonly ItemView[]): void;
  put(item: ItemView): void;
  append(id: string, text: string): void;
  remove(id: string): void;
  readonly count: number;
}

export function createSections(): Sections {
  return {
    loaded: signal(false),
    itemCount: signal(0),
    header: signal<HeaderView>({ agent: '', state: 'stopped', stateText: '' }),
    banner: signal<BannerView | null>(null),
    empty: signal<EmptyView>({ title: '', text: '', examples: [], buttons: [] }),
    plans: signal<readonly (readonly PlanEntryView[])[]>([]),
    prompts: signal<readonly PromptView[]>([]),
    wait: signal<WaitView | null>(null),
    queue: signal<ChatView['queue']>([]),
    held: signal<readonly HeldView[]>([]),
    review: signal<LineView | null>(null),
    unsaved: signal<LineView | null>(null),
    composer: signal<ComposerView>({ placeholder: '', busy: false, selectors: [], commands: [], chips: [] }),
  };
}

export function applySnapshot(sections: Sections, items: ItemSink, view: ChatView): void {
  // Comes first, because items name the agent.
  sections.header.value = view.header;
  items.reset(view.items);
  sections.itemCount.value = items.count;
  sections.banner.value = view.banner;
  sections.empty.value = view.empty;
  sections.plans.value = view.plans;
  sections.prompts.value = view.prompts;
  sections.wait.value = view.wait;
  sections.queue.value = view.queue;
  sections.held.value = view.held;
  sections.review.value = view.review;
  sections.unsaved.value = view.unsaved;
  sections.composer.value = view.composer;
  sections.loaded.value = true;
}

export function applyOp(sections: Sections, items: ItemSink, op: Op): void {
  switch (op.op) {
    case 'item':
      items.put(op.item);
      break;
    case 'append':
      items.append(op.id, op.text);
      break;
    case 'remove':
      items.remove(op.id);
      break;
    case 'header':
      sections.header.value = op.header;
      break;
    case 'banner':
      sections.banner.value = op.banner;
      break;
    case 'empty':
      sections.empty.value = op.empty;
      break;
    case 'plans':
      sections.plans.value = op.plans;
      break;
    case 'prompts':
      sections.prompts.value = op.prompts;
      break;
    case 'wait':
      sections.wait.value = op.wait;
      break;
    case 'queue':
      sections.queue.value = op.queue;
      break;
    case 'held':
      sections.held.value = op.held;
      break;
    case 'review':
      sections.review.value = op.review;
      break;
    case 'unsaved':
      sections.unsaved.value = op.unsaved;
      break;
    case 'composer':
      sections.composer.value = op.composer;
      break;
  }
  sections.itemCount.value = items.count;
}
