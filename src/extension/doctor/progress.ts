import * as vscode from 'vscode';
import type { Finding } from '../../core/index.js';
import { findingText } from '../../text/findingText.js';

/**
 * Shows progress with the latest finding.
 * @returns undefined if the user canceled
 */
export async function withProgress(
  title: string,
  work: (report: (finding: Finding) => void, signal: AbortSignal) => Promise<void>,
): Promise<readonly Finding[] | undefined> {
  const findings: Finding[] = [];
  const stopped = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      const subscription = token.onCancellationRequested(() => abort.abort());
      try {
        await work((finding) => {
          findings.push(finding);
          progress.report({ message: findingText(finding).title });
        }, abort.signal);
        return abort.signal.aborted;
      } finally {
        subscription.dispose();
      }
    },
  );
  return stopped ? undefined : findings;
}
