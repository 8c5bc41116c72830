import type { ContentBlock } from '../session/model.js';

/** What the user attached to the draft, for example a selection in the editor. It is sent with the next message. */
export interface Chip {
  /** Unique among the chips of a draft. */
  readonly id: string;
  readonly label: string;
  readonly title: string;
  /** What the agent reads. */
  readonly content: ContentBlock;
  /** It is a comment on lines of a file, which front ends show there. */
  readonly comment?: LineComment;
}

export interface LineComment {
  /** Relative to the folder of the conversation, with `/`. */
  readonly path: string;
  /** 1-based, inclusive, as the lines were when the user wrote it. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
}

/** What is being written, for every front end that shows the conversation. */
export interface DraftContent {
  readonly text: string;
  readonly chips: readonly Chip[];
}

export const emptyDraft: DraftContent = { text: '', chips: [] };

/** The commands of a conversation that change its draft. */
export type DraftChange =
  | { readonly type: 'write_draft'; readonly text: string }
  /** Replaces a chip with the same ID. */
  | { readonly type: 'add_chip'; readonly chip: Chip }
  | { readonly type: 'remove_chips'; readonly ids: readonly string[] };

/** Returns the same draft if nothing changed. Pure. */
export function changeDraft(draft: DraftContent, change: DraftChange): DraftContent {
  switch (change.type) {
    case 'write_draft':
      return change.text === draft.text ? draft : { ...draft, text: change.text };
    case 'add_chip':
      return { ...draft, chips: [...draft.chips.filter(({ id }) => id !== change.chip.id), change.chip] };
    case 'remove_chips': {
      const chips = draft.chips.filter(({ id }) => !change.ids.includes(id));
      return chips.length < draft.chips.length ? { ...draft, chips } : draft;
    }
  }
}
