/** The slash commands of a chat at a terminal: the host's own, and `/help`, which lists them with the agent's. */
import type { AvailableCommand } from '../../core/index.js';
import { oneLine } from '../output/terminalText.js';

/** In the order of the help. */
const ownCommands = {
  mode: 'list the modes, or set one: /mode ID',
  model: 'list the models, or set one: /model ID',
  set: "list the agent's options, or set one: /set ID VALUE",
  steer: 'tell the agent something in the middle of its turn: /steer TEXT',
  followup: "put a prompt into the agent's own queue: /followup TEXT",
  login: 'sign in to the agent, and send what waits for it: /login METHOD',
  retry: 'after you signed in elsewhere, restart the agent, and send what waits',
  changes: 'list the files that the last turn changed',
  undo: 'undo what the last turn changed',
  help: 'list the commands',
  exit: 'exit after the queued prompts, like Ctrl+D',
} as const;

export type OwnCommand = keyof typeof ownCommands;

/** Whether `name` is a command of the host. If the agent has a command with the same name, that one takes precedence. */
export function isOwnCommand(name: string, agentCommands: readonly AvailableCommand[]): name is OwnCommand {
  return Object.hasOwn(ownCommands, name) && agentCommands.every((command) => command.name !== name);
}

/** The commands that a line may become, each with the space that follows it. */
export function completionsOf(line: string, agentCommands: readonly AvailableCommand[]): readonly string[] {
  return namesOf(agentCommands)
    .map((name) => `/${name} `)
    .filter((command) => line.startsWith('/') && command.startsWith(line));
}

function namesOf(agentCommands: readonly AvailableCommand[]): readonly string[] {
  const own = Object.keys(ownCommands).filter((name) => isOwnCommand(name, agentCommands));
  return [...own, ...agentCommands.map(({ name }) => name).filter((name) => /^[\w:.-]+$/.test(name))];
}

/** @returns one line per command, the host's before the agent's */
export function helpLines(agentCommands: readonly AvailableCommand[]): readonly string[] {
  const own = Object.entries(ownCommands).filter(([name]) => isOwnCommand(name, agentCommands));
  const theirs = agentCommands.map(({ name, description }) => [oneLine(name, 40), oneLine(description, 100)] as const);
  const all = [...own, ...theirs];
  const width = Math.max(...all.map(([name]) => name.length));
  return all.map(([name, description]) => `  /${name.padEnd(width)}  ${description}`);
}
