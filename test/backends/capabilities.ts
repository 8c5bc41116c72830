/** The table in docs/protocols.md of what works with each protocol. The conformance suite determines it, and compares it with the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** In the order of the rows. */
export const capabilities = {
  pieces: 'Answers appear as they are written',
  images: 'Images in a message',
  stop: 'Stop a turn',
  steer: 'Steer: a message reaches the running turn',
  followUp: "Follow up: a message waits in the agent's own queue",
  takeBack: "Remove a message from the agent's own queue",
  tools: 'Tool calls',
  permissions: 'Permission requests',
  forms: 'Questions with several fields',
  options: 'Model and other options',
  resume: 'Resume a conversation',
  history: 'The agent returns the history of a resumed conversation',
  fork: 'The agent forks a session for a conversation that goes on from an earlier message',
  signIn: 'Sign in from ACP Host',
  close: 'Close one conversation while others continue',
} as const;
export type Capability = keyof typeof capabilities;

/** In the order of the table. */
const columns = ['ACP', 'Pi', 'xcsh, omp', 'Agent-CLI Remote', 'Agent service'] as const;
export type Column = (typeof columns)[number];

/** What works with a peer. */
export type Found = ReadonlyMap<Capability, boolean>;
/** Texts for users: the reason for each refusal, and notes about what works. */
export type Remarks = Partial<Record<Capability, string>>;

const page = path.resolve(import.meta.dirname, '../../docs/protocols.md');
const section = 'What works';

/** @param peers the peers of one column; if something only works with some of them, the remarks of the others apply */
export function columnOf(peers: readonly { readonly found: Found; readonly remarks: Remarks }[]): Readonly<Record<Capability, string>> {
  const cell = (capability: Capability): string => {
    const works = peers.some(({ found }) => found.get(capability) === true);
    // The remark of a peer that refuses it comes first.
    const remark = peers
      .toSorted((one, other) => Number(one.found.get(capability)) - Number(other.found.get(capability)))
      .map(({ remarks }) => remarks[capability])
      .find((one) => one !== undefined);
    if (!works) return `– ${remark ?? ''}`;
    return remark === undefined ? '✓' : `✓ (${remark})`;
  };
  const names = Object.keys(capabilities) as Capability[];
  return Object.fromEntries(names.map((name) => [name, cell(name)])) as Record<Capability, string>;
}

/** @returns the cells of the page by column and capability */
export function readPage(): Readonly<Record<Column, Readonly<Record<string, string>>>> {
  const rows = readSection(section)
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const titles = new Map(Object.entries(capabilities).map(([name, title]): [string, string] => [title, name]));
  const of = (column: Column): Readonly<Record<string, string>> => {
    const at = rows[0]?.indexOf(column) ?? -1;
    return Object.fromEntries(rows.slice(2).map((row) => [titles.get(row[0] ?? '') ?? row[0], row[at] ?? '']));
  };
  return Object.fromEntries(columns.map((column) => [column, of(column)])) as Record<Column, Record<string, string>>;
}

/** Replaces one column and the titles of the rows. */
export function writePage(column: Column, cells: Readonly<Record<Capability, string>>): void {
  const known = { ...readPage(), [column]: cells };
  const rows = Object.entries(capabilities).map(([name, title]) => [title, ...columns.map((one) => known[one][name] ?? '')]);
  writeSection(section, tableOf(['', ...columns], rows));
}

/** A table in Markdown. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (words: readonly string[]): string => `| ${words.join(' | ')} |`;
  return [line(titles).replace('|  |', '| |'), `|${titles.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** @returns what the page has between the marks with this name */
export function readSection(name: string): string {
  const [, rest = ''] = readFileSync(page, 'utf8').split(marks(name).begin);
  return (rest.split(marks(name).end)[0] ?? '').trim();
}

export function writeSection(name: string, text: string): void {
  const { begin, end } = marks(name);
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(begin);
  writeFileSync(page, [before, begin, '\n\n', text, '\n\n', end, rest.split(end)[1]].join(''));
}

function marks(name: string): { readonly begin: string; readonly end: string } {
  return { begin: `<!-- ${name}: begin -->`, end: `<!-- ${name}: end -->` };
}
