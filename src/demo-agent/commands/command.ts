import type { StopReason } from '@agentclientprotocol/sdk';
import { CommandError } from '../commandError.js';
import type { Turn } from '../turn.js';

export interface Command {
  readonly name: string;
  /** What follows the name, as the client's command menu shows it. */
  readonly hint?: string;
  readonly description: string;
  /** Resolves with the stop reason of the turn; nothing means that it ended as it should. */
  run(turn: Turn, input: string): Promise<StopReason | void>;
}

/** Splits `NAME REST`, where a name with spaces stands in double quotes. */
export function splitFirst(input: string): { readonly first: string; readonly rest: string } {
  const match = /^\s*(?:"([^"]*)"|(\S+))\s*([\s\S]*)$/.exec(input);
  return { first: match?.[1] ?? match?.[2] ?? '', rest: match?.[3] ?? '' };
}

/** @throws CommandError that shows how the command is to be written */
export function needed(value: string, usage: string): string {
  if (value === '') throw new CommandError(`Something is missing. Write: \`${usage}\``);
  return value;
}

/** As a fenced code block, with a fence longer than any inside. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

/** `1 line`, `2 lines`; with thousands set apart. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
