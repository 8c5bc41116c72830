/**
 * One tab that compares a file with what the edit of a request makes of it. The real file is on the left, with what is not saved in it: the
 * right side is what does not exist yet, and the file could only be there if something wrote it before the user agreed. Nothing is written
 * until then.
 */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, Emitter } from '../../core/index.js';

/**
 * Commands don't say when their key was pressed, so this is longer than the time after which a key that is held down repeats itself (at most
 * one second on Windows and Linux).
 */
const guardMs = 1_100;

/** Lets nothing through that may have been pressed before the user saw what it decides. @param now in milliseconds, never goes back */
export function createPressGuard(now: () => number) {
  let opensAt = Infinity;
  return {
    /** What is decided is not visible. */
    close(): void {
      opensAt = Infinity;
    },
    /** It has become visible, or has changed. */
    shown(): void {
      opensAt = now() + guardMs;
    },
    /** @returns whether what was pressed now counts */
    passes(): boolean {
      const isOpen = now() >= opensAt;
      // A key that is held down repeats the command: it must be released for as long.
      if (!isOpen && opensAt !== Infinity) opensAt = now() + guardMs;
      return isOpen;
    },
  };
}

/** No language service works with it, and its documents are plain text: none looks for problems in what is only proposed. */
const scheme = 'acp-host-proposed';

export interface PreviewedEdit {
  readonly promptId: string;
  readonly conversationId: string;
  /** That of the prompt. */
  readonly drawn: string | undefined;
  /** Absolute. */
  readonly path: string;
  /** There is no such file yet. */
  readonly isNew: boolean;
  readonly after: string;
  /** Present if the tab shows everything that the user must know to decide. `reject`: absent if dismissing is the only way. */
  readonly options?: { readonly allow: string; readonly reject: string | undefined } | undefined;
}

export type EditPreview = ReturnType<typeof createEditPreview>;

/** @param mark receives whether keys and buttons of the tab decide: it is at the front, and shows everything */
export function createEditPreview(mark: (decides: boolean) => void) {
  const store = new DisposableStore();
  const onContent = store.add(new vscode.EventEmitter<vscode.Uri>());
  const onShown = store.add(new Emitter<void>());
  let knownPath: string | undefined;
  let edit: PreviewedEdit | undefined;
  const guard = createPressGuard(() => performance.now());
  let isFront = false;
  let isOpening = false;
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: onContent.event,
      provideTextDocumentContent: ({ path, query }) =>
        query === '' && edit !== undefined && uriOf(edit.path).path === path ? edit.after.replace(/^\uFEFF/, '') : '',
    }),
  );
  const look = (): void => {
    const wasFront = isFront;
    // While another one is being opened, its tab may be there already.
    isFront = edit !== undefined && isProposal(vscode.window.tabGroups.activeTabGroup.activeTab, uriOf(edit.path));
    if (isFront && !wasFront && !isOpening) guard.shown();
    // A tab that is replaced may be gone before the next one is there.
    if (!isOpening && openTabs().length === 0) edit = undefined;
    mark(isFront && edit?.options !== undefined);
    if (edit?.path === knownPath) return;
    knownPath = edit?.path;
    onShown.fire();
  };
  store.add(vscode.window.tabGroups.onDidChangeTabs(look));
  store.add(vscode.window.tabGroups.onDidChangeTabGroups(look));
  store.add(vscode.window.onDidChangeWindowState(() => !isOpening && guard.shown()));

  const open = async (next: PreviewedEdit, preserveFocus: boolean): Promise<void> => {
    guard.close();
    edit = next;
    isOpening = true;
    try {
      await openTab(next, preserveFocus);
    } finally {
      // Another one that took its place meanwhile is still being opened.
      if (edit === next || edit === undefined) {
        isOpening = false;
        if (edit === undefined) await closeTabs(openTabs());
        guard.shown();
        look();
      }
    }
  };
  const openTab = async (next: PreviewedEdit, preserveFocus: boolean): Promise<void> => {
    const [last] = openTabs();
    const right = uriOf(next.path);
    onContent.fire(right);
    const left = next.isNew ? right.with({ query: 'nothing' }) : vscode.Uri.file(next.path);
    // `background` is an option of this command only: microsoft/vscode src/vs/workbench/api/common/extHostTypeConverters.ts.
    const background = preserveFocus && last?.isActive === false;
    const options = { preview: true, preserveFocus, background, ...(last && { viewColumn: last.group.viewColumn }) };
    for (const uri of next.isNew ? [left, right] : [right]) await makePlain(await vscode.workspace.openTextDocument(uri));
    await vscode.commands.executeCommand('vscode.diff', left, right, `${basename(next.path)} (proposed)`, options);
    // One that the user keeps open is not replaced.
    if (edit === next) await closeTabs(openTabs().filter((tab) => !isProposal(tab, right)));
  };
  return {
    /** Shows it in the tab, which is opened or replaced. */
    show: (next: PreviewedEdit): Promise<void> => open(next, false),
    /** The edit in the tab; undefined if the tab is not open. */
    get shown(): PreviewedEdit | undefined {
      return edit;
    },
    /** Whether it is an edit of this file. */
    compares: (file: vscode.Uri): boolean => edit !== undefined && vscode.Uri.file(edit.path).toString() === file.toString(),
    /** Fires when `shown` is an edit of another file. */
    onShown: onShown.event,
    /** Replaces what is in the tab, without the keyboard focus. Closes it if there is nothing to show. */
    async follow(next: PreviewedEdit | undefined): Promise<void> {
      if (edit === undefined) return;
      if (next !== undefined) return open(next, true);
      edit = undefined;
      await closeTabs(openTabs());
    },
    /** Returns the edit if the user may decide about it with what was pressed now. */
    decided: (): PreviewedEdit | undefined => (isFront && guard.passes() ? edit : undefined),
    dispose: (): void => store.dispose(),
  };
}

/** The name has an ending that no language has. */
function uriOf(path: string): vscode.Uri {
  return vscode.Uri.file(`${path} (proposed)`).with({ scheme });
}

/** The first line of a file may also say its language. */
async function makePlain(document: vscode.TextDocument): Promise<void> {
  if (document.languageId !== 'plaintext') await vscode.languages.setTextDocumentLanguage(document, 'plaintext');
}

function openTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter((tab) => isProposal(tab)));
}

/** The keyboard focus stays where it is. */
async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  await vscode.window.tabGroups.close(tabs, true);
}

/** @param proposed absent: any */
function isProposal(tab: vscode.Tab | undefined, proposed?: vscode.Uri): boolean {
  const { modified } = tab?.input instanceof vscode.TabInputTextDiff ? tab.input : {};
  return modified?.scheme === scheme && (proposed === undefined || modified.toString() === proposed.toString());
}
