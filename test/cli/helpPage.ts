/** The part of docs/cli.md that says the same as the help. `npm run options` writes it, and a test compares it. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  commandTexts,
  exitCodeTexts,
  firstSentence,
  hasOption,
  optionTexts,
  usageOf,
  variableTexts,
} from '../../src/cli/arguments/help.js';
import { commandNames } from '../../src/cli/arguments/parseArguments.js';

const page = path.resolve(import.meta.dirname, '../../docs/cli.md');
const [begin, end] = ['<!-- Help: begin -->', '<!-- Help: end -->'];

export function readHelpPage(): string {
  const [, rest = ''] = readFileSync(page, 'utf8').split(begin);
  return (rest.split(end)[0] ?? '').trim();
}

export function writeHelpPage(): void {
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(begin);
  writeFileSync(page, [before, begin, '\n\n', helpMarkdown(), '\n\n', end, rest.split(end)[1]].join(''));
}

export function helpMarkdown(): string {
  const options = Object.entries(optionTexts).map(([option, text]) => {
    const commands = commandNames.filter((command) => hasOption(command, option));
    return [code(option), commands.join(', '), firstSentence(text)];
  });
  return [
    table(
      'Commands',
      ['Command', 'Description'],
      commandNames.map((name) => [code(`acp-host ${usageOf(name)}`), firstSentence(commandTexts[name].text)]),
    ),
    table('Options', ['Option', 'Commands', 'Description'], options),
    table('Exit codes', ['Code', 'Meaning'], Object.entries(exitCodeTexts)),
    table(
      'Environment variables',
      ['Variable', 'Description'],
      Object.entries(variableTexts).map(([name, text]) => [code(name), firstSentence(text)]),
    ),
  ].join('\n\n');
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [`## ${title}\n`, line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Each option of a list on its own. */
function code(names: string): string {
  return names.replace(/[^,]+(?=, --|$)/g, (name) => name.replace(/\S.*/, '`$&`'));
}

/** Options are code on the page, and only names in a terminal. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/(?<![`\w-])--[a-z-]+( json)?/g, '`$&`');
}
