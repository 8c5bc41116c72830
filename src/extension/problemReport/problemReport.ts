/** A problem report: a Markdown file that users can read before they share it. Pure. */
import { homedir } from 'node:os';
import type { Redactor } from '../../core/index.js';

/** One section of a report. */
export interface ReportSection {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

const intro = [
  'Created by **ACP Host: Report a Problem**. Read it before you share it: known secrets, values of environment variables and the path of your home folder are redacted,',
  'but only you can tell what else is private. Describe what you did, what you expected and what happened instead:',
].join('\n');

/** @param home the user's home folder, absolute; replaced by `~` */
export function problemReport(sections: readonly ReportSection[], redactor: Redactor, home: string = homedir()): string {
  const parts = ['# Problem report', intro, '> ', ...sections.map(({ title, body }) => `## ${title}\n\n${body}`)];
  return `${withoutHome(redactor.text(parts.join('\n\n')), home)}\n`;
}

/** Also replaces it inside JSON. A home folder with a very short path, such as `/`, is not private and would match everywhere. */
function withoutHome(text: string, home: string): string {
  if (home.length < 4) return text;
  const escaped = JSON.stringify(home).slice(1, -1);
  return text.replaceAll(escaped, '~').replaceAll(home, '~');
}

/** Returns the text in a fence that the text cannot end. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** Leaves out undefined facts. */
export function factList(facts: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(facts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]))
    .join('\n');
}
