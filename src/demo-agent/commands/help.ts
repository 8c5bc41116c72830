/** The table of commands, and how the agent introduces itself. */
import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable';
import type { Turn } from '../turn.js';
import { askCommand } from './asking.js';
import type { Command } from './command.js';
import { delegateCommand } from './delegating.js';
import { editCommand, writeCommand } from './editing.js';
import { failCommand } from './failing.js';
import { planCommand } from './planning.js';
import { listCommand, readCommand, searchCommand } from './reading.js';
import { runCommand } from './running.js';
import { compactCommand, modeCommand, noticeCommand, titleCommand, usageCommand } from './session.js';
import { longCommand, thinkCommand } from './streaming.js';

const helpCommand: Command = {
  name: 'help',
  description: 'Show what this agent can do',
  run: (turn) => turn.say(commandList()),
};

const commands: readonly Command[] = [
  helpCommand,
  listCommand,
  readCommand,
  searchCommand,
  editCommand,
  writeCommand,
  runCommand,
  askCommand,
  planCommand,
  delegateCommand(findCommand),
  longCommand,
  thinkCommand,
  failCommand,
  usageCommand,
  titleCommand,
  modeCommand,
  noticeCommand,
  compactCommand,
];

/** The first word of a prompt names the command, with or without a slash. */
export function findCommand(prompt: string): { readonly command: Command; readonly input: string } | undefined {
  const match = /^\s*\/?([a-z]+)(?:\s+|$)([\s\S]*)$/i.exec(prompt);
  const command = commands.find(({ name }) => name === match?.[1]?.toLowerCase());
  return command && { command, input: (match?.[2] ?? '').trimEnd() };
}

export function availableCommands(): AvailableCommand[] {
  return commands.map(({ name, description, hint }) => ({ name, description, ...(hint !== undefined && { input: { hint } }) }));
}

export const introduction =
  'I am the demo agent of ACP Host: a real agent with real tools, but **without a model**. I understand a few commands; `help` lists them.';

/** Answers a prompt that is not a command. */
export async function sayNoModel(turn: Turn, prompt: string): Promise<void> {
  const attached = turn.attachments.map((block) => `- ${describeAttachment(block)}`);
  if (prompt.trim() !== '') await turn.say('There is no model behind me, so I cannot answer that.');
  if (attached.length > 0) await turn.say(`You attached:\n\n${attached.join('\n')}`);
  await turn.say(`I do exactly what one of my commands says:\n\n${commandList()}`);
}

function commandList(): string {
  return commands.map(({ name, hint, description }) => `- \`${hint === undefined ? name : `${name} ${hint}`}\`: ${description}`).join('\n');
}

function describeAttachment(block: Turn['attachments'][number]): string {
  switch (block.type) {
    case 'resource_link':
      return `a link to \`${block.name}\``;
    case 'resource':
      return `\`${block.resource.uri}\`, ${'text' in block.resource ? `${block.resource.text.length} characters` : 'not text'}`;
    case 'image':
    case 'audio':
      return `${block.mimeType}, ${Buffer.byteLength(block.data, 'base64')} bytes`;
    case 'text':
      return 'text';
  }
}
