/** Checks whether an agent that resumed a conversation remembers what is shown of it. Pure. */
import type { SessionSink } from '../backends/agentBackend.js';
import type { SessionEvent } from '../session/event.js';
import type { HostNotice } from '../session/hostNotice.js';
import { type ContentBlock, isPrompt, type SessionState } from '../session/model.js';

/** How many prompts ahead the comparison looks when one is missing in the middle; a conversation without its middle is rare. */
const lookAhead = 50;

/**
 * @param redact applied to the replay, because saved conversations are redacted
 * @returns what a user must know; undefined if nothing is missing, as far as a comparison of the prompts can tell: not every agent replays them
 */
export function checkRecall(
  kept: SessionState,
  replay: Pick<ReplayRecord, 'told' | 'prompts'>,
  redact: (text: string) => string,
): HostNotice | undefined {
  const prompts = comparablePrompts(kept).map((words) => ({ words, letters: lettersOf(redact(words)) }));
  if (prompts.length === 0) return undefined;
  if (!replay.told) return { code: 'recall_nothing_told', params: {} };
  const told = lettersOf(redact(replay.prompts));
  if (told === '') return undefined;
  const remembered = lastFound(
    prompts.map(({ letters }) => letters),
    told,
  );
  if (remembered === -1) return { code: 'recall_other_conversation', params: {} };
  const since = prompts[remembered + 1];
  if (since === undefined) return undefined;
  return { code: 'recall_tail_lost', params: { prompts: prompts.length - remembered - 1, since: since.words } };
}

/**
 * The texts of prompts that an agent can be expected to replay: not those of a turn that was interrupted at the end, which is marked
 * anyway.
 */
function comparablePrompts({ items }: SessionState): readonly string[] {
  const cut = new Set(items.flatMap((item) => (item.kind === 'turn_end' && item.outcome.type === 'interrupted' ? [item.turnId] : [])));
  const prompts = items
    .filter(isPrompt)
    .map(({ content, turnId }) => ({ words: longestText(content), isCut: turnId !== undefined && cut.has(turnId) }));
  while (prompts.at(-1)?.isCut === true) prompts.pop();
  // Agents handle slash commands in their own way: some replay their expansion.
  return prompts.map(({ words }) => words).filter((words) => words.trim() !== '' && !words.trimStart().startsWith('/'));
}

/** Agents join the parts of a prompt, and put links and images between them, in their own way. The longest text represents the prompt. */
function longestText(content: readonly ContentBlock[]): string {
  return content.reduce((longest, block) => (block.type === 'text' && block.text.length > longest.length ? block.text : longest), '');
}

/** Removes white space, in which agents differ. */
function lettersOf(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** @returns the index of the last prompt found, where each is searched for after the previous one; -1 for none */
function lastFound(prompts: readonly string[], told: string): number {
  let last = -1;
  for (let at = 0; ; ) {
    const next = nextFound(prompts, last + 1, told.slice(at));
    if (next === undefined) return last;
    last = next.index;
    at += next.end;
  }
}

/**
 * Finds the prompt that comes first. Of two at the same place, it returns the longer one, because the shorter may only be its beginning.
 */
function nextFound(prompts: readonly string[], from: number, told: string): { readonly index: number; readonly end: number } | undefined {
  let best: { readonly index: number; readonly at: number; readonly end: number } | undefined;
  for (let index = from; index < Math.min(from + lookAhead, prompts.length); index++) {
    const prompt = prompts[index] ?? '';
    const at = (best === undefined ? told : told.slice(0, best.at + prompt.length)).indexOf(prompt);
    if (at < 0) continue;
    const end = at + prompt.length;
    if (best === undefined || at < best.at || (at === best.at && end > best.end)) best = { index, at, end };
  }
  return best;
}

/** The limit for a replay. No conversation is that long, and an agent that floods must not fill the memory. */
const limitChars = 8 * 1024 * 1024;

/** The events that carry messages. If the host already has the transcript, a replay of them is not new. */
const transcriptEvents: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'notice', 'compaction']);

/** @param replay gets the messages that the agent replays, if the transcript has them already */
export function historyTo(emit: SessionSink['event'], replay: ReplayRecord | undefined): SessionSink['history'] {
  return (event) => (replay !== undefined && transcriptEvents.has(event.type) ? replay.record(event) : emit(event));
}

/** Records what an agent replays of a known conversation, as far as it shows whether both remember the same. */
export class ReplayRecord {
  #told = false;
  #chars = 0;
  readonly #prompts: string[] = [];

  record(event: SessionEvent): void {
    this.#told = true;
    if (event.type !== 'message' || event.role !== 'user' || event.content.type !== 'text' || this.#chars > limitChars) return;
    this.#chars += event.content.text.length;
    this.#prompts.push(event.content.text);
  }

  /** Whether the agent replayed any message, of the user or of itself. */
  get told(): boolean {
    return this.#told;
  }

  /** All text of the user in sequence: agents don't mark where one prompt ends and the next begins. */
  get prompts(): string {
    return this.#prompts.join('');
  }
}
