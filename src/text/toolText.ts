/** The words for tool calls: what they do, and to what. */
import { type ToolCallContent, type ToolKind, unwrapShell } from '../core/index.js';

/** What a call does, before what it does it to. */
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

/** A shell with what it is told to run, up to the end. */
const shellCall = /(?<![\w./-])(?:\/(?:[\w.-]+\/)+)?(?:ba|z|da|k|a|fi)?sh -.*$/s;

/** The agent's title for a row: paths from the session's folder on, and a command without the shell that runs it. */
export function toolTitle(title: string, cwd: string): string {
  const quoted = /^`([^`]*)`$/.exec(title)?.[1] ?? title;
  return withoutFolder(quoted.replace(shellCall, unwrapShell), cwd);
}

/** The text of a tool call. Agents wrap output in a code fence, for clients that draw it as markdown; every front end shows it in a monospace font anyway. */
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

/** Names what lies in the folder from there on, as long as the folder stands at the beginning of a path. */
export function withoutFolder(text: string, cwd: string): string {
  const folder = cwd.replace(/[\\/]+$/, '');
  if (folder === '' || !text.includes(folder)) return text;
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replace(new RegExp(String.raw`(?<![\w.\-\\/])${escaped}[\\/](?=[^\s\\/])`, 'g'), '');
}
