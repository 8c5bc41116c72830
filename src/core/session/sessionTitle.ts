import type { ContentBlock } from './content.js';
import type { SessionEvent } from './event.js';
import { isPrompt, type SessionState, type TranscriptItem } from './model.js';
import { reduce } from './reducer.js';

/** The number of items in which the last prompt is looked for, because an agent may send a title with every item of a long turn. */
const searched = 1_000;

/**
 * Replaces each name that the agent gives its session by the one that the session has then. The reducer takes it as it is, because a log has
 * only some of the names.
 * @param before the session before these events
 */
export function withLastingTitles(before: SessionState, events: readonly SessionEvent[]): readonly SessionEvent[] {
  if (!events.some(({ type }) => type === 'info')) return events;
  let state = before;
  return events.map((event) => {
    const lasting =
      event.type === 'info' && typeof event.title === 'string'
        ? { ...event, title: nextTitle(state.title, event.title, state.items) }
        : event;
    state = reduce(state, lasting);
    return lasting;
  });
}

/**
 * Returns the title after an agent named its session. Some agents give it the last prompt as its name in each turn, so the first name stays
 * unless the new one says more than that.
 * @param before undefined if it has no name yet
 * @param items those of the session until now
 */
function nextTitle(before: string | undefined, title: string, items: readonly TranscriptItem[]): string {
  if (before === undefined || before === title) return title;
  const prompt = items.slice(-searched).findLast(isPrompt);
  return prompt !== undefined && repeats(title, prompt.content) ? before : title;
}

/**
 * Returns the name of a conversation that continued in these sessions, oldest first; undefined if no agent gave it one. The beginning of
 * the prompt is none: agents take it from the text that they get, which also has what was pasted and attached.
 */
export function titleOf(sessions: readonly Pick<SessionState, 'title' | 'items'>[]): string | undefined {
  return sessions.reduce<string | undefined>((before, { title, items }) => {
    // A session has the name of its first prompt if its agent has only given it such names.
    const first = items.find(isPrompt);
    return title === undefined || (first !== undefined && repeats(title, first.content)) ? before : title;
  }, undefined);
}

/** Whether a title is the beginning of a prompt, with or without what is attached to it. */
function repeats(title: string, prompt: readonly ContentBlock[]): boolean {
  const words = plainWords(title);
  return words !== '' && [saidIn, textsIn, textsWithNames].some((texts) => plainWords(prompt.flatMap(texts).join(' ')).startsWith(words));
}

function saidIn(block: ContentBlock): readonly string[] {
  return block.type === 'text' ? [block.text] : [];
}

function textsIn(block: ContentBlock): readonly string[] {
  return block.type === 'resource' && 'text' in block.resource ? [block.resource.text] : saidIn(block);
}

function textsWithNames(block: ContentBlock): readonly string[] {
  return block.type === 'resource' ? [block.resource.uri, ...textsIn(block)] : textsIn(block);
}

/** Agents cut a prompt in the middle of a word, leave out its line breaks, and put signs around what is attached. */
function plainWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
