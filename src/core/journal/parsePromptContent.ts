import { parseEvent } from './eventSchema.js';
import type { ContentBlock } from '../session/model.js';

/**
 * Parses the content of a prompt that a front end saved, and trusts it as little as one in a saved event.
 * @returns undefined for anything else
 */
export function parsePromptContent(value: unknown): readonly ContentBlock[] | undefined {
  const event = parseEvent({ type: 'queued', at: 0, prompt: { id: '', at: 0, content: value } });
  return event?.type === 'queued' ? event.prompt.content : undefined;
}
