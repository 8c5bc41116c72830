import type { AgentSummary } from '../core/index.js';

/** Says that a message for a running turn may not have reached it. @param words the message, on one line */
export function unansweredText(agent: Pick<AgentSummary, 'label'> | undefined, words: string): string {
  return `The turn ended, and ${agent?.label ?? 'the agent'} didn't say whether it received "${words}". Send it again if it has no effect.`;
}
