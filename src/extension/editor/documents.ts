/** Read-only documents of the editor with text that exists nowhere else: tool input and output, both sides of a diff, and earlier versions of files. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, keepLatest } from '../../core/index.js';

const scheme = 'acp-host';
/** A window can have more tabs than the user reads; the oldest texts are dropped first. */
const maxDocuments = 100;

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments() {
  const store = new DisposableStore();
  const texts = new Map<string, string>();
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? 'This text is no longer available. Open it again from the chat.',
    }),
  );
  const uriOf = (name: string, text: string): vscode.Uri => {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const uri = vscode.Uri.from({ scheme, path: `/${name.replace(/^[\\/]+/, '')}`, query: hash });
    keepLatest(texts, uri.toString(), text, maxDocuments);
    return uri;
  };
  return {
    /**
     * @param name shown in the tab; its extension determines the language
     * @param o `rendered`: renders the Markdown of the document, if the editor can
     */
    async open(name: string, text: string, { rendered = false }: { readonly rendered?: boolean } = {}): Promise<void> {
      const uri = uriOf(name, text);
      // The command belongs to a built-in extension, which the user may have disabled.
      if (rendered && (await vscode.commands.getCommands(true)).includes('markdown.showPreview'))
        await vscode.commands.executeCommand('markdown.showPreview', uri);
      else await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    },
    /**
     * Compares parts of a file, as plain text: a language service would find errors in what is no whole file.
     * @param path the path of the file, for the title
     */
    async openDiff(path: string, before: string, after: string): Promise<void> {
      const name = path.split(/[\\/]/).at(-1) ?? path;
      await vscode.commands.executeCommand(
        'vscode.diff',
        uriOf(`before/${name} (before)`, before),
        uriOf(`after/${name} (proposed)`, after),
        `${name} (proposed)`,
        { preview: true },
      );
    },
    dispose: (): void => store.dispose(),
  };
}

// Compares files that turns changed: on the left a version that the engine has, on the right the file itself, where one can edit.

/** No language service knows it, so none looks for problems in an earlier version. */
const versionScheme = 'acp-host-version';

/** For rows of the editor: only when one is chosen is it known whether its file is still there. The editor offers no such name to users. */
const compareCommand = '_acpHost.compare';

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

export type ChangedFiles = ReturnType<typeof createChangedFiles>;

/** @param read returns a version in Base64; undefined if there is no such file */
export function createChangedFiles(read: (version: FileVersion) => Promise<string | undefined>) {
  const store = new DisposableStore();
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(versionScheme, {
      async provideTextDocumentContent(uri) {
        const version = versionOf(uri);
        const content = version === undefined ? undefined : await read(version);
        return content === undefined ? '' : vscode.workspace.decode(Buffer.from(content, 'base64'));
      },
    }),
  );
  /** Those of several files that are open, each with its files. */
  const shown = new Map<vscode.Tab, { readonly title: string; readonly comparisons: readonly Comparison[] }>();
  const compareAll = async (title: string, all: readonly Comparison[]): Promise<void> => {
    const comparisons = await Promise.all(all.map(asOnDisk));
    const resources = comparisons.map((comparison) => {
      const { before, after } = comparison;
      return [uriOf('file', comparison), before && uriOf(before, comparison), after && uriOf(after, comparison)];
    });
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (tab?.label.startsWith(title) === true) shown.set(tab, { title, comparisons });
  };
  const compare = async (title: string, comparison: Comparison): Promise<void> => {
    await vscode.commands.executeCommand('vscode.diff', ...argumentsOf(title, await asOnDisk(comparison)));
  };
  store.add(vscode.commands.registerCommand(compareCommand, compare));
  return {
    compare,
    /** The left side of a comparison; undefined if there was no such file. */
    earlier: (comparison: Comparison): vscode.Uri | undefined => comparison.before && uriOf(comparison.before, comparison),
    /** The file that is compared or open in the active editor, absolute; undefined if there is none. */
    active(): string | undefined {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      if (input instanceof vscode.TabInputTextDiff) return input.modified.fsPath;
      return input instanceof vscode.TabInputText ? input.uri.fsPath : undefined;
    },
    /** Returns the command that does the same as `compare`. */
    comparing: (title: string, comparison: Comparison): vscode.Command => ({
      command: compareCommand,
      title: 'Open Diff',
      arguments: [title, comparison],
    }),
    /** Compares several files in one editor. */
    compareAll,
    /**
     * Closes the comparisons of files that are gone. Call this after an undo: an editor keeps the last text of a file that was created. One with
     * unsaved text stays, and one of several files in another place of the window, where it would take the focus to be shown without the file.
     */
    async closeGone(): Promise<void> {
      const tabs = openTabs();
      for (const tab of shown.keys()) if (!tabs.includes(tab)) shown.delete(tab);
      for (const tab of tabs) {
        const { input } = tab;
        const isGone =
          input instanceof vscode.TabInputTextDiff && input.original.scheme === versionScheme && !(await isThere(input.modified));
        if (isGone) await closeUnchanged(tab);
      }
      for (const [tab, { title, comparisons }] of shown) {
        const there = await Promise.all(comparisons.map(async (one) => one.after !== 'file' || (await isThere(uriOf('file', one)))));
        const left = comparisons.filter((_, index) => there[index]);
        const isInFront = tab.isActive && tab.group.isActive;
        if (left.length === comparisons.length || (left.length > 0 && !isInFront)) continue;
        if ((await closeUnchanged(tab)) && left.length > 0) await compareAll(title, left);
      }
    },
    dispose: (): void => store.dispose(),
  };
}

function openTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** @returns whether it was closed; not one that the user has closed meanwhile, or that has unsaved text */
async function closeUnchanged(tab: vscode.Tab): Promise<boolean> {
  return openTabs().includes(tab) && !tab.isDirty && (await vscode.window.tabGroups.close(tab, true));
}

/** @returns true for what is not on disk */
async function isThere(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme !== 'file') return true;
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Compares a file that is no longer there as deleted. The editor would leave it out, and not say so. */
export async function asOnDisk(comparison: Comparison): Promise<Comparison> {
  const { before, after } = comparison;
  if (before === undefined || after !== 'file' || (await isThere(uriOf(after, comparison)))) return comparison;
  return { ...comparison, after: undefined };
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
  return vscode.Uri.file(join(folder, version.path)).with({ scheme: versionScheme, query });
}

/** @returns undefined for an empty document */
function versionOf({ query }: vscode.Uri): FileVersion | undefined {
  const names = new URLSearchParams(query);
  const [id = '', set = '', path = ''] = ['id', 'set', 'path'].map((name) => names.get(name) ?? '');
  return id === '' ? undefined : { id, set, path, side: names.get('side') === 'after' ? 'after' : 'before' };
}
