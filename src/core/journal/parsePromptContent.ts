import { parseEvent } from './eventSchema.js';
import type { ContentBlock } from '../session/model.js';

/** The content of a prompt that a front end kept by itself, believed as little as one in a kept event. @returns undefined for anything that is none */
export function parsePromptContent(value: unknown): readonly ContentBlock[] | undefined {
  const event = parseEvent({ type: 'queued', at: 0, prompt: { id: '', at: 0, content: value } });
  return event?.type === 'queued' ? event.prompt.content : undefined;
}
