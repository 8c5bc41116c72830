/** The findings of diagnostics, as a document and as a note on a card. */
import type { Finding, FindingState } from '../../core/index.js';
import { findingText, verdictText } from '../../text/findingText.js';

const marks: Readonly<Record<FindingState, string>> = { ok: '✓', note: '·', warning: '⚠', problem: '✗' };

/** Returns a Markdown document: problems first, then everything else in the order in which it was checked. */
export function doctorDocument(agent: string, findings: readonly Finding[]): string {
  const order: readonly FindingState[] = ['problem', 'warning', 'ok', 'note'];
  const sections = order.flatMap((state) => findings.filter((finding) => finding.state === state)).map(section);
  return [`# Diagnostics: ${agent}`, verdictText(findings), ...sections].join('\n\n').concat('\n');
}

function section(finding: Finding): string {
  const { title, detail, advice } = findingText(finding, 'editor');
  return [
    `## ${marks[finding.state]} ${title}`,
    ...(detail === undefined ? [] : [`\`\`\`\n${detail}\n\`\`\``]),
    ...(advice === undefined ? [] : [`→ ${advice}`]),
  ].join('\n\n');
}

/** Returns what may explain a failed start; undefined if nothing was found. */
export function doctorNote(findings: readonly Finding[]): string | undefined {
  const telling = findings.filter(({ state }) => state === 'problem' || state === 'warning');
  if (telling.length === 0) return undefined;
  return telling
    .map((finding) => {
      const { title, detail, advice } = findingText(finding, 'editor');
      return [`${marks[finding.state]} ${title}`, ...indented(detail), ...indented(advice === undefined ? undefined : `→ ${advice}`)].join(
        '\n',
      );
    })
    .join('\n');
}

function indented(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split('\n').map((line) => `  ${line}`);
}
