/** The help as text for a terminal. */
import { commandTexts, exitCodeTexts, optionTexts, variableTexts } from './helpTexts.js';
import { commands } from './parseArguments.js';
import { type CommandName, commandNames } from './request.js';

const columns = 80;
/** Where texts begin. A longer name has a line of its own. */
const textColumn = 24;

/** @param command whose options to show; undefined for the overview */
export function helpText(command?: CommandName): string {
  return command === undefined ? overview() : helpOf(command);
}

function overview(): string {
  return [
    'Usage: acp-host COMMAND [options]\n',
    section('Commands', Object.fromEntries(commandNames.map((name) => [usageOf(name), firstSentence(commandTexts[name].text)]))),
    '`acp-host COMMAND --help` describes a command and its options.\n`acp-host --version` prints the version.\n',
    section('Exit codes', exitCodeTexts),
    section('Environment variables', variableTexts),
  ].join('\n');
}

function helpOf(command: CommandName): string {
  return [
    `Usage: acp-host ${usageOf(command, '[options] ')}\n`,
    `${wrapped(commandTexts[command].text, columns).join('\n')}\n`,
    section('Options', Object.fromEntries(Object.entries(optionTexts).filter(([option]) => hasOption(command, option)))),
    'The exit codes and environment variables are in `acp-host --help`.\n',
  ].join('\n');
}

/** The command with its operand. */
export function usageOf(command: CommandName, options = ''): string {
  return `${command} ${options}${commandTexts[command].operand ?? ''}`.trimEnd();
}

/** @param option one of `optionTexts`. An entry without a value is that of a switch. */
export function hasOption(command: CommandName, option: string): boolean {
  const type = /--\S+ /.test(option) ? 'string' : 'boolean';
  return [...option.matchAll(/--([a-z-]+)/g)].every(([, name = '']) => commands[command].options[name]?.type === type);
}

/** What a list says; the rest is for people who use the command or option. */
export function firstSentence(text: string): string {
  return text.replace(/(?<=\.) .*/, '');
}

function section(title: string, entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).flatMap(([name, text]) => {
    const [first = '', ...others] = wrapped(text, columns - textColumn).map((line) => ' '.repeat(textColumn) + line);
    const start = `  ${name}`;
    return start.length < textColumn - 1 ? [start + first.slice(start.length), ...others] : [start, first, ...others];
  });
  return `${title}:\n${lines.join('\n')}\n`;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && line.length <= width) lines.splice(-1, 1, line);
    else lines.push(word);
  }
  return lines;
}
