/** Formats the results of the check as docs/agents.md. */
import path from 'node:path';
import { cases } from './cases.js';
import { type RealAgent, realAgents } from './catalog.js';
import { keyOf, type Results } from './results.js';
import type { Verdict } from './verdict.js';

export const agentsPage = path.resolve(import.meta.dirname, '../../docs/agents.md');

type Result = Results[string]['verdicts'][string];

const marks: Readonly<Record<Verdict['type'], string>> = { works: '✓', agent: '–', fault: '✗' };

export function reportOf(results: Results): string {
  const agents = realAgents.filter((agent) => results[keyOf(agent)] !== undefined);
  const verdictOf = (agent: RealAgent, title: string): Result | undefined => results[keyOf(agent)]?.verdicts[title];
  const checked = (agent: RealAgent): string => {
    const { name, version } = agent;
    const { on = '' } = results[keyOf(agent)] ?? {};
    return `${name.endsWith(version) ? name : `${name} ${version}`} (${on})`;
  };
  const cell = (agent: RealAgent, title: string): string => {
    const verdict = verdictOf(agent, title);
    return verdict === undefined ? '' : marks[verdict.type];
  };
  const rows = cases.map(({ title }) => `| ${title} | ${agents.map((agent) => cell(agent, title)).join(' | ')} |`);
  const notes = agents.flatMap((agent) => {
    const lines = notesOf(cases.map(({ title }) => ({ title, verdict: verdictOf(agent, title) })));
    return lines.length === 0 ? [] : [`## ${agent.name}`, '', ...lines, ''];
  });
  return [
    '# Agents',
    '',
    'What real agents do when `acp-host` drives them. `npm run agents -- check` creates this page: it starts each agent in an empty home folder, with a scripted',
    'model as its provider, and does what a user would do. Install the agents first with `npm run agents -- install`.',
    '',
    `Last checked: ${agents.map(checked).join(', ')}.`,
    '',
    '✓ works · – the agent works differently, or does not support it · ✗ does not work',
    '',
    `| | ${agents.map(({ name }) => name).join(' | ')} |`,
    `|---|${agents.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...notes,
  ].join('\n');
}

/** One line for each note, with the cases that it is about. */
function notesOf(found: readonly { readonly title: string; readonly verdict: Result | undefined }[]): readonly string[] {
  const titles = new Map<string, readonly string[]>();
  for (const { title, verdict } of found)
    if (verdict?.note !== undefined) titles.set(verdict.note, [...(titles.get(verdict.note) ?? []), title]);
  return [...titles].map(([note, about]) => `- ${about.join('; ')}: ${escaped(note)}`);
}

function escaped(note: string): string {
  return note.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
