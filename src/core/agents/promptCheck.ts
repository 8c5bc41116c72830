import type { ContentBlock } from '../session/model.js';
import { chooseProfile } from './acpQuirks.js';

/** What a prompt is known to do to an agent. */
export interface PromptHang {
  /** The agent stands still over it: no answer, no stop, until it is through. */
  readonly kind: 'freezes';
  /** Length of the longest run without a break in it, in characters. */
  readonly runChars: number;
}

/**
 * To be said before the prompt is sent. Pure; linear in the length of the prompt.
 * @param agent its name as in `AgentInfo`; for one that was never started, the id of its definition
 */
export function checkPrompt(
  agent: { readonly name: string; readonly version?: string | undefined },
  content: readonly ContentBlock[],
): PromptHang | undefined {
  const { freezesOnRunsOverChars: limit } = chooseProfile({ name: agent.name, version: agent.version ?? '' });
  if (limit === undefined) return undefined;
  const runChars = Math.max(0, ...content.map((block) => longestRun(textIn(block))));
  return runChars > limit ? { kind: 'freezes', runChars } : undefined;
}

/** As the agent reads it: embedded text becomes text, a link stays a link. */
function textIn(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
}

/** Letters, digits and what paths are made of. Source: agentao 0.5.17, prompts/helpers.py, `[\w./\\-]+`. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/[\p{L}\p{N}_./\\-]+/gu)) longest = Math.max(longest, run.length);
  return longest;
}
