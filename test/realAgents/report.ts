/** Formats the results of the check as docs/agents.md. */
import { cases } from './cases.js';
import { type RealAgent, realAgents } from './catalog.js';
import type { Results } from './results.js';
import type { Verdict } from './verdict.js';

const marks: Readonly<Record<Verdict['type'], string>> = { works: '✓', agent: '–', fault: '✗' };

/** @param on the date, as `2026-01-31` */
export function reportOf(results: Results, on: string): string {
  const agents = realAgents.filter(({ name, version }) => results[`${name} ${version}`] !== undefined);
  const notes: string[] = [];
  const cell = ({ name, version }: RealAgent, title: string): string => {
    const verdict = results[`${name} ${version}`]?.[title];
    if (verdict === undefined) return '';
    if (verdict.note === undefined) return marks[verdict.type];
    notes.push(`${notes.length + 1}. ${name}, ${title}: ${escaped(verdict.note)}`);
    return `${marks[verdict.type]} ${notes.length}`;
  };
  const rows = cases.map(({ title }) => `| ${title} | ${agents.map((agent) => cell(agent, title)).join(' | ')} |`);
  return [
    '# Agents',
    '',
    'What real agents do when `acp-host` drives them. `npm run agents -- check` creates this page: it starts each agent in an empty home folder, with a scripted',
    'model as its provider, and does what a user would do. Install the agents first with `npm run agents -- install`.',
    '',
    `Last checked on ${on}, with ${agents.map(({ name, version }) => (name.endsWith(version) ? name : `${name} ${version}`)).join(', ')}.`,
    '',
    '✓ works · – the agent works differently, or does not support it · ✗ does not work',
    '',
    `| | ${agents.map(({ name }) => name).join(' | ')} |`,
    `|---|${agents.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...notes,
    '',
  ].join('\n');
}

function escaped(note: string): string {
  return note.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
