/** The texts for tool calls: what they do, and to what. */
import { stripControls, type ToolCallContent, type ToolKind, unwrapShell } from '../core/index.js';

/** What a call does, for the beginning of a title. */
export const toolVerbs: Readonly<Record<ToolKind, string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
  other: 'Use',
};

/** Matches a shell with the script that it runs, up to the end. */
const shellCall = /(?<![\w./-])(?:\/(?:[\w.-]+\/)+)?(?:ba|z|da|k|a|fi)?sh -.*$/s;

/**
 * Returns the agent's title for a row: paths are relative to the session's folder, and commands appear without the shell that runs them.
 */
export function toolTitle(title: string, cwd: string): string {
  const quoted = /^`([^`]*)`$/.exec(title)?.[1] ?? title;
  return stripControls(withoutFolder(quoted.replace(shellCall, unwrapShell), cwd));
}

/**
 * Returns the text of a tool call. Agents wrap output in a code fence for clients that render it as Markdown; the front ends use a
 * monospace font anyway.
 */
export function outputText(content: readonly ToolCallContent[]): string {
  const parts = content.flatMap((one) => {
    if (one.type === 'terminal') return one.output === undefined ? [] : [one.output];
    return one.type === 'content' && one.content.type === 'text' ? [one.content.text] : [];
  });
  return parts.map(withoutFence).join('\n');
}

export function withoutFence(text: string): string {
  return /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}

/** Makes paths inside the folder relative to it, wherever the folder is the beginning of a path. */
export function withoutFolder(text: string, cwd: string): string {
  const folder = cwd.replace(/[\\/]+$/, '');
  if (folder === '' || !text.includes(folder)) return text;
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replace(new RegExp(String.raw`(?<![\w.\-\\/])${escaped}[\\/](?=[^\s\\/])`, 'g'), '');
}
