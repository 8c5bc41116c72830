/** What the host's slash commands do, for lists of commands. */
import type { AvailableCommand, CodeTaskKind, HostCommand, SessionEvent } from '../core/index.js';

const taskTexts: Readonly<Record<CodeTaskKind, string>> = {
  explain: 'Explain this code.',
  docstring: 'Write a documentation comment for this code.',
  optimize: 'Optimize this code.',
  fix: 'Find and fix the errors in this code.',
  unittest: 'Write unit tests for this code.',
};

/** Returns the task as a sentence, for agents that have no command for it. */
export function codeTaskText(kind: CodeTaskKind): string {
  return taskTexts[kind];
}

const texts: Readonly<Record<HostCommand, string>> = {
  compact: 'Compact the context of the session',
  fork: 'Start a new session that ends before one of your messages',
  clone: 'Copy the session to a new one',
  name: 'Set the name of the session',
  export: 'Export the session to an HTML file',
  stats: 'Show the messages, tokens and cost of the session',
  last: 'Show the last answer again',
  bash: 'Run a shell command whose output the agent sees with your next message',
  'clear-context': 'Clear everything that the server knows of this conversation',
  regenerate: 'Generate the last answer again',
  explain: 'Explain the attached code',
  docstring: 'Write a documentation comment for the attached code',
  optimize: 'Optimize the attached code',
  fix: 'Find and fix the errors in the attached code',
  unittest: 'Write unit tests for the attached code',
};

/** The commands with a description each, as far as there is one. */
export function describeCommands(commands: readonly AvailableCommand[]): readonly AvailableCommand[] {
  return commands.map(({ host, ...command }) => (host === undefined ? command : { ...command, description: texts[host] }));
}

export function withCommandTexts(event: SessionEvent): SessionEvent {
  return event.type === 'commands' ? { ...event, commands: describeCommands(event.commands) } : event;
}
