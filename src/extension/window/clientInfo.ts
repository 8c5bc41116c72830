import type * as vscode from 'vscode';
import * as z from 'zod/mini';

const manifestSchema = z.object({ displayName: z.string(), version: z.string() });

/** How the host introduces itself to agents. */
export function clientInfoOf(context: vscode.ExtensionContext): {
  readonly name: string;
  readonly title: string;
  readonly version: string;
} {
  const { displayName, version } = manifestSchema.parse(context.extension.packageJSON);
  return { name: 'acp-host', title: displayName, version };
}
