/** How a run ended, as a verdict. */
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { answerOf, errorOf, lastTurn } from './events.js';
import { files, said } from './model/script.js';
import type { Trial, TrialRun } from './trial.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

export function endedWell({ code, events }: TrialRun): boolean {
  return code === 0 && lastTurn(events).startsWith('ended end_turn');
}

export function failed({ code, events, stderr }: TrialRun): Verdict {
  return fault(`exit ${code}, ${lastTurn(events)}: ${short(errorOf(events) ?? (answerOf(events) || stderr))}`);
}

/** `ended end_turn` → `ended with end_turn` */
export function worded(turnEnd: string): string {
  return turnEnd.replace(/^ended (?=\S)/, 'ended with ');
}

export function expectAnswer(trial: Trial, run: TrialRun): Verdict {
  if (!endedWell(run)) return failed(run);
  return hasAnswered(trial, run.events) ? works() : fault(`unexpected answer: ${short(answerOf(run.events))}`);
}

/** Whether the agent has answered the case `text`. */
export function hasAnswered({ agent }: Trial, events: readonly EventLine[]): boolean {
  return agent.isScripted ? answerOf(events).includes(said.text) : answerOf(events) !== '';
}

export function short(words = 'nothing'): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

export function recalled(events: readonly EventLine[], prompts: number): Verdict {
  const answer = answerOf(events);
  return answer.includes(said.recall(prompts)) ? works() : fault(`the agent forgot: ${short(answer || errorOf(events))}`);
}

/** @returns what is wrong with the file that the script creates; undefined if it is exact */
export async function wrongIn(trial: Trial): Promise<Verdict | undefined> {
  const text = await trial.read(files.created);
  if (text === files.content) return undefined;
  return `${text}\n` === files.content ? byAgent('leaves out the last line break') : fault('the file was not written');
}
