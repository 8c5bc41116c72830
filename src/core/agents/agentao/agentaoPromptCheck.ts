import type { ContentBlock } from '../../session/model.js';
import type { PromptHang } from '../agentKnowledge.js';

/** The time is quadratic: 16 KiB take 2 s and 64 KiB half a minute for each model call, and nothing else runs meanwhile. */
const limitChars = 8 * 1024;

/** Returns whether agentao hangs for seconds to minutes on a run of letters, digits and `_ . / \\ -`. */
export function checkAgentaoPrompt(content: readonly ContentBlock[]): PromptHang | undefined {
  const runChars = Math.max(0, ...content.map((block) => longestRun(textIn(block))));
  return runChars > limitChars ? { kind: 'freezes', runChars } : undefined;
}

/** Returns the text as the agent reads it: embedded text becomes text, a link stays a link. */
function textIn(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
}

/** A run consists of letters, digits and characters of paths. Source: agentao 0.5.17, prompts/helpers.py, `[\w./\\-]+`. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/[\p{L}\p{N}_./\\-]+/gu)) longest = Math.max(longest, run.length);
  return longest;
}
