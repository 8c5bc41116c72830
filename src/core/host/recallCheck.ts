/** Whether an agent that took a conversation up remembers what is shown of it. Pure. */
import type { ContentBlock, SessionState } from '../session/model.js';
import type { HostNotice } from '../session/hostNotice.js';
import type { ReplayRecord } from './replayRecord.js';

export type Recall =
  /** As far as it can be told: the prompts are compared, and not every agent replays them. */
  | { readonly type: 'whole' }
  /** The end is missing. `since`: the first prompt that is. */
  | { readonly type: 'tail_lost'; readonly prompts: number; readonly since: string }
  /** None of the prompts is what is shown. */
  | { readonly type: 'another' }
  | { readonly type: 'nothing_told' };

/** So far a prompt that is missing in the middle is looked beyond; a conversation without its middle is rare. */
const lookAhead = 50;

/**
 * @param redact what is kept on disk has been redacted, so what the agent tells must be too
 */
export function checkRecall(kept: SessionState, replay: Pick<ReplayRecord, 'told' | 'prompts'>, redact: (text: string) => string): Recall {
  const prompts = comparablePrompts(kept).map((words) => ({ words, letters: lettersOf(redact(words)) }));
  if (prompts.length === 0) return { type: 'whole' };
  if (!replay.told) return { type: 'nothing_told' };
  const told = lettersOf(redact(replay.prompts));
  if (told === '') return { type: 'whole' };
  const remembered = lastFound(
    prompts.map(({ letters }) => letters),
    told,
  );
  if (remembered === -1) return { type: 'another' };
  const since = prompts[remembered + 1];
  return since === undefined ? { type: 'whole' } : { type: 'tail_lost', prompts: prompts.length - remembered - 1, since: since.words };
}

/** The texts of prompts that an agent can be expected to repeat: not of a turn that was cut at the end, which is marked as that anyway. */
function comparablePrompts({ items }: SessionState): readonly string[] {
  const cut = new Set(items.flatMap((item) => (item.kind === 'turn_end' && item.outcome.type === 'interrupted' ? [item.turnId] : [])));
  const prompts = items.flatMap((item) =>
    item.kind === 'message' && item.role === 'user'
      ? [{ words: longestText(item.content), isCut: item.turnId !== undefined && cut.has(item.turnId) }]
      : [],
  );
  while (prompts.at(-1)?.isCut === true) prompts.pop();
  // A slash command is the agent's own matter: some replay what they made of it.
  return prompts.map(({ words }) => words).filter((words) => words.trim() !== '' && !words.trimStart().startsWith('/'));
}

/** Agents join the parts of a prompt and put links and images between them in their own way; its longest text stands for it. */
function longestText(content: readonly ContentBlock[]): string {
  return content.reduce((longest, block) => (block.type === 'text' && block.text.length > longest.length ? block.text : longest), '');
}

/** White space is where agents differ. */
function lettersOf(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** @returns the index of the last prompt that was told, where each is looked for behind the one before; -1 for none */
function lastFound(prompts: readonly string[], told: string): number {
  let last = -1;
  for (let at = 0; ; ) {
    const next = nextFound(prompts, last + 1, told.slice(at));
    if (next === undefined) return last;
    last = next.index;
    at += next.end;
  }
}

/** The prompt that comes soonest; of two at the same place the longer one, for the shorter may only be how it begins. */
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

/** What a person must know of it, if anything. */
export function recallNotice(recall: Recall): HostNotice | undefined {
  switch (recall.type) {
    case 'whole':
      return undefined;
    case 'tail_lost':
      return { code: 'recall_tail_lost', params: { prompts: recall.prompts, since: recall.since } };
    case 'another':
      return { code: 'recall_other_conversation', params: {} };
    case 'nothing_told':
      return { code: 'recall_nothing_told', params: {} };
  }
}
