/** A long text that the user pasted: a chip instead of hundreds of lines in the composer. The agent gets it as text. */
import { randomUUID } from 'node:crypto';
import type { Chip } from '../../core/index.js';

const prefix = 'pasted-text:';
const titleChars = 200;

export function pastedTextChip(text: string): Chip {
  const lines = text.trimEnd().split('\n').length;
  const title = text.length <= titleChars ? text : `${text.slice(0, titleChars)} …`;
  return { id: `${prefix}${randomUUID()}`, label: `Pasted text · ${lines} lines`, title, content: { type: 'text', text } };
}

/** @param id of a chip */
export function isPastedText(id: string): boolean {
  return id.startsWith(prefix);
}
