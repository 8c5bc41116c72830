/** docs/agents.md, made of what the check found. */
import { cases } from './cases.js';
import type { AgentResult } from './check.js';
import type { Verdict } from './verdict.js';

const marks: Readonly<Record<Verdict['type'], string>> = { works: '✓', agent: '–', fault: '✗' };

/** @param on the day, as `2026-01-31` */
export function reportOf(results: readonly AgentResult[], on: string): string {
  const heads = results.map(({ agent }) => agent.name);
  const notes: string[] = [];
  const cell = ({ agent, verdicts }: AgentResult, title: string): string => {
    const verdict = verdicts.find((one) => one.title === title)?.verdict;
    if (verdict === undefined) return '';
    if (verdict.note === undefined) return marks[verdict.type];
    notes.push(`${notes.length + 1}. ${agent.name}, ${title}: ${escaped(verdict.note)}`);
    return `${marks[verdict.type]} ${notes.length}`;
  };
  const rows = cases.map(({ title }) => `| ${title} | ${results.map((result) => cell(result, title)).join(' | ')} |`);
  return [
    '# Agents',
    '',
    'What real agents do when `acp-host` drives them. `npm run agents -- check` makes this page: it starts each agent in an empty home, with a scripted model as its',
    'provider, and does with it what a person would. Install the agents first with `npm run agents -- install`.',
    '',
    `Last checked on ${on}, with ${results.map(({ agent }) => `${agent.name} ${agent.version}`).join(', ')}.`,
    '',
    '✓ works · – the agent does it in another way or not at all · ✗ does not work',
    '',
    `| | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...notes,
    '',
  ].join('\n');
}

function escaped(note: string): string {
  return note.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
