import type { StopReason } from '@agentclientprotocol/sdk/unstable';
import { CommandError } from '../commandError.js';
import type { Turn } from '../turn.js';

export interface Command {
  readonly name: string;
  /** What follows the name, for the client's command menu. */
  readonly hint?: string;
  readonly description: string;
  /** Resolves with the stop reason of the turn; undefined means that it ended regularly. */
  run(turn: Turn, input: string): Promise<StopReason | void>;
}

/** Splits `NAME REST`, where a name with spaces is in double quotes. */
export function splitFirst(input: string): { readonly first: string; readonly rest: string } {
  const match = /^\s*(?:"([^"]*)"|(\S+))\s*([\s\S]*)$/.exec(input);
  return { first: match?.[1] ?? match?.[2] ?? '', rest: match?.[3] ?? '' };
}

/** @throws CommandError that shows the syntax of the command */
export function needed(value: string, usage: string): string {
  if (value === '') throw new CommandError(`Something is missing. Write: \`${usage}\``);
  return value;
}

/** Returns a code block whose fence is longer than any in the text. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

/** Returns `1 line`, `2 lines`, with thousands separators. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
