/** Compares files that turns changed: on the left a version that the engine has, on the right the file itself, where one can edit. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.js';

/** No language service knows it, so none looks for problems in an earlier version. */
const scheme = 'acp-host-version';

/** One version of a file that a turn changed. */
export interface FileVersion {
  /** The id of the conversation. */
  readonly id: string;
  /** The id of the change set. */
  readonly set: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly side: 'before' | 'after';
}

export interface Comparison {
  /** Absolute. */
  readonly folder: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Undefined: there was no such file. */
  readonly before: FileVersion | undefined;
  /** `file`: as it is now. Undefined: there is no such file any more. */
  readonly after: FileVersion | 'file' | undefined;
}

export interface ChangedFiles extends Disposable {
  compare(title: string, comparison: Comparison): Promise<void>;
  /** The left side of a comparison; undefined if there was no such file. */
  earlier(comparison: Comparison): vscode.Uri | undefined;
  /** The file that is compared or open in the active editor, absolute; undefined if there is none. */
  active(): string | undefined;
  /** Returns the command that does the same as `compare`. */
  comparing(title: string, comparison: Comparison): vscode.Command;
  /** Compares several files in one editor. */
  compareAll(title: string, comparisons: readonly Comparison[]): Promise<void>;
}

/** @param read returns a version in Base64; undefined if there is no such file */
export function createChangedFiles(read: (version: FileVersion) => Promise<string | undefined>): ChangedFiles {
  const store = new DisposableStore();
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      async provideTextDocumentContent(uri) {
        const version = versionOf(uri);
        const content = version === undefined ? undefined : await read(version);
        return content === undefined ? '' : vscode.workspace.decode(Buffer.from(content, 'base64'));
      },
    }),
  );
  return {
    async compare(title, comparison) {
      await vscode.commands.executeCommand('vscode.diff', ...argumentsOf(title, comparison));
    },
    earlier: (comparison) => comparison.before && uriOf(comparison.before, comparison),
    active() {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      if (input instanceof vscode.TabInputTextDiff) return input.modified.fsPath;
      return input instanceof vscode.TabInputText ? input.uri.fsPath : undefined;
    },
    comparing: (title, comparison) => ({ command: 'vscode.diff', title: 'Open Diff', arguments: argumentsOf(title, comparison) }),
    async compareAll(title, comparisons) {
      const resources = comparisons.map((comparison) => {
        const { before, after } = comparison;
        return [uriOf('file', comparison), before && uriOf(before, comparison), after && uriOf(after, comparison)];
      });
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    },
    dispose: () => store.dispose(),
  };
}

/** Those of `vscode.diff`, which needs a document on both sides. */
function argumentsOf(title: string, comparison: Comparison): unknown[] {
  const nothing: FileVersion = { id: '', set: '', path: comparison.path, side: 'before' };
  const [left, right] = [comparison.before ?? nothing, comparison.after ?? nothing].map((version) => uriOf(version, comparison));
  return [left, right, title, { preview: true }];
}

/** Both versions have the same path, unless the file was renamed: the editor shows that. */
function uriOf(version: FileVersion | 'file', { folder, path: now }: Comparison): vscode.Uri {
  if (version === 'file') return vscode.Uri.file(join(folder, now));
  const query = new URLSearchParams({ ...version }).toString();
  return vscode.Uri.file(join(folder, version.path)).with({ scheme, query });
}

/** @returns undefined for an empty document */
function versionOf({ query }: vscode.Uri): FileVersion | undefined {
  const names = new URLSearchParams(query);
  const [id = '', set = '', path = ''] = ['id', 'set', 'path'].map((name) => names.get(name) ?? '');
  return id === '' ? undefined : { id, set, path, side: names.get('side') === 'after' ? 'after' : 'before' };
}
