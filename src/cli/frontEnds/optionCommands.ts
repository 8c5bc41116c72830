/** `/mode`, `/model` and `/set`: what users at a terminal can set during a chat. */
import { type AvailableCommand, optionName, type OptionWish, type SessionOption, valuesOf } from '../../core/index.js';
import { oneLine } from '../output/terminalText.js';
import type { ChatCommands } from './chatFrontEnd.js';
import { isOwnCommand } from './ownCommands.js';

type OptionCommand = { readonly type: 'list'; readonly only: string | undefined } | { readonly type: 'set'; readonly wish: OptionWish };

/** Returns undefined for a prompt. */
export function parseOptionCommand(line: string, agentCommands: readonly AvailableCommand[]): OptionCommand | undefined {
  const [, name, rest = ''] = /^\/(set|mode|model)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  if (name === undefined || !isOwnCommand(name, agentCommands)) return undefined;
  const words = rest.trim();
  if (name === 'mode' || name === 'model') {
    return words === '' ? { type: 'list', only: name } : { type: 'set', wish: { category: name, value: words } };
  }
  const [, id, value] = /^([^\s=]+)(?:\s*=\s*|\s+)(.+)$/s.exec(words) ?? [];
  if (id !== undefined && value !== undefined) return { type: 'set', wish: { id, value } };
  return { type: 'list', only: words === '' ? undefined : words };
}

/** Sets the option, or lists what can be set. */
export async function runOptionCommand(command: OptionCommand, commands: ChatCommands, write: (line: string) => void): Promise<void> {
  if (command.type === 'list') return listOptions(commands.options(), command.only, write);
  const problem = await commands.setOption(command.wish);
  if (problem !== undefined) return write(problem);
  const { wish } = command;
  write(`${'id' in wish ? wish.id : wish.category}: ${oneLine(wish.value)}`);
}

function listOptions(options: readonly SessionOption[], only: string | undefined, write: (line: string) => void): void {
  const shown = options.filter((option) => only === undefined || [optionName(option), option.category].includes(only));
  if (shown.length === 0) return write(only === undefined ? 'The agent has no options.' : `The agent has no option "${oneLine(only)}".`);
  for (const option of shown) {
    write(`  ${oneLine(optionName(option))}  ${oneLine(option.name)}`);
    for (const value of valuesOf(option)) write(`    ${value === currentOf(option) ? '*' : ' '} ${oneLine(value)}`);
  }
}

function currentOf(option: SessionOption): string {
  return option.type === 'boolean' ? (option.currentValue ? 'on' : 'off') : option.currentValue;
}
