/** What a search found in a conversation. */
import type { ConversationHit } from '../core/index.js';
import { oneLine } from './plainText.js';

const sources: Readonly<Record<ConversationHit['by'], string>> = { user: 'You', agent: 'Agent', command: 'Command', file: 'File' };

/** One line: who wrote it, or what it is, and the text. */
export function foundText({ by, text, isCut }: Pick<ConversationHit, 'by' | 'text' | 'isCut'>): string {
  return `${sources[by]}: ${isCut ? '…' : ''}${oneLine(text)}`;
}
