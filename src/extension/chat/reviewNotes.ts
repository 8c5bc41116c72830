/** What the user said while reviewing: chips of the draft, one for each note, which the composer shows as one. */
import { randomUUID } from 'node:crypto';
import type { ContextChipView } from '../../contract/view.js';
import type { Chip, Hunk } from '../../core/index.js';
import { commentText, type LinesOfFile, placeText, undoneText } from '../../text/noteText.js';
import { counted } from '../../text/sentence.js';

const prefix = 'note:';
/** The id of the chip for all notes of a draft. */
export const notesChipId = 'notes';

export function undoneChip(lines: LinesOfFile, hunk: Hunk): Chip {
  const label = `Undone: ${placeText(lines)}`;
  return { id: prefix + randomUUID(), label, title: label, content: { type: 'text', text: undoneText(lines, hunk) } };
}

/** @param code the lines that it is about */
export function commentChip(lines: LinesOfFile, text: string, code: readonly string[]): Chip {
  const place = placeText(lines);
  return {
    id: prefix + randomUUID(),
    label: `Comment: ${place}`,
    title: `${place}: ${text}`,
    content: { type: 'text', text: commentText(lines, text, code) },
    comment: { ...lines, text },
  };
}

export function isNote({ id }: Pick<Chip, 'id'>): boolean {
  return id.startsWith(prefix);
}

/** Returns one chip for all notes; none if there are none. */
export function notesView(notes: readonly Chip[]): readonly ContextChipView[] {
  if (notes.length === 0) return [];
  const title = ['Sent with your next message:', ...notes.map((note) => note.title)].join('\n');
  return [{ id: notesChipId, label: counted(notes.length, 'note'), title, holds: 'notes' }];
}

/** Returns what the agent will read. */
export function notesText(notes: readonly Chip[]): string {
  return notes.flatMap(({ content }) => (content.type === 'text' ? [content.text] : [])).join('\n\n');
}
