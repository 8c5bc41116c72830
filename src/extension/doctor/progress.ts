import type { Finding } from '../../core/index.js';
import { findingText } from '../../text/findingText.js';
import { showProgress } from '../window/windowMessages.js';

/**
 * Shows progress with the latest finding.
 * @returns undefined if the user canceled
 */
export function collectFindings(
  title: string,
  work: (report: (finding: Finding) => void, signal: AbortSignal) => Promise<void>,
): Promise<readonly Finding[] | undefined> {
  return showProgress(title, async (report, signal) => {
    const findings: Finding[] = [];
    await work((finding) => {
      findings.push(finding);
      report(findingText(finding, 'editor').title);
    }, signal);
    return signal.aborted ? undefined : findings;
  });
}
