/** Slash commands that the host adds for what a protocol can do besides prompts, if the agent has no command for it. */
import { codeTaskKinds } from './codeTask.js';
import type { AvailableCommand } from './model.js';

/** `src/text` describes them. */
export const hostCommands = [
  'compact',
  'fork',
  'clone',
  'name',
  'export',
  'stats',
  'last',
  'bash',
  'clear-context',
  'regenerate',
  ...codeTaskKinds,
] as const;
/** The name of a slash command that the host adds to those of the agent. */
export type HostCommand = (typeof hostCommands)[number];

/** @param hint what may follow the name; empty: nothing */
export function hostCommand(name: HostCommand, hint = ''): AvailableCommand {
  return { name, host: name, description: '', ...(hint !== '' && { input: { hint } }) };
}
