/** Quick picks for choosing among what the agent or the settings offer. */
import { join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { SelectorView } from '../../contract/view.js';
import {
  type AuthMethod,
  choicesOf,
  type ConversationHit,
  type ConversationListEntry,
  isCustom,
  type SelectOption,
  stripControls,
} from '../../core/index.js';
import type { FileToReview } from '../chat/toReview.js';
import { shorten } from '../../text/plainText.js';
import { ageText, historyRows } from '../list/listRow.js';
import type { Folder } from '../window/workspace.js';
import { askForText, showMessage, plainLabel } from '../window/windowMessages.js';

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

async function pick<T>(choices: readonly Choice<T>[], title: string, placeHolder: string): Promise<T | undefined> {
  return (await vscode.window.showQuickPick(choices, { title, placeHolder, matchOnDescription: true }))?.value;
}

function fileRow(path: string): { readonly label: string; readonly description: string } {
  const name = posix.basename(path);
  return { label: `$(file) ${plainLabel(name)}`, description: plainLabel(path.slice(0, path.lastIndexOf('/') + 1)) };
}

/**
 * @param paths relative to `cwd`, with `/` between folders
 * @param cwd absolute
 * @returns the absolute paths of the chosen files; undefined if the user closed the list
 */
export async function pickFiles(paths: readonly string[], cwd: string): Promise<readonly string[] | undefined> {
  const items = paths.toSorted().map((path) => ({ path, ...fileRow(path) }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Add Files to Chat',
    placeHolder: items.length === 0 ? 'This folder has no files' : 'Select the files that the agent should look at',
    canPickMany: true,
    matchOnDescription: true,
  });
  return chosen?.map(({ path }) => join(cwd, path));
}

/** @returns those that are to be restored; undefined if the user closed the list */
export async function pickFilesToRestore(files: readonly FileToReview[]): Promise<readonly FileToReview[] | undefined> {
  const items = files.map((file) => ({
    file,
    ...fileRow(file.path),
    detail: [
      ...(file.isNew ? ['Created since: will be deleted'] : file.isGone ? ['Deleted since: will be there again'] : []),
      ...(file.alsoUser ? ['May be yours'] : []),
    ].join('. '),
    // What may be the user's is restored only if the user chooses it.
    picked: !file.alsoUser,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Restore Files to Here',
    placeHolder: 'Select the files to restore. The conversation stays as it is',
    canPickMany: true,
    matchOnDescription: true,
  });
  return chosen?.map(({ file }) => file);
}

/** @param messages newest first; `text` without context @returns the id of the chosen one */
export function pickMessage(
  messages: readonly { readonly id: string; readonly text: string; readonly at: number }[],
  now: number,
): Promise<string | undefined> {
  const choices = messages.map(({ id, text, at }) => ({
    value: id,
    label: plainLabel(shorten(stripControls(text.trim().split('\n', 1)[0] ?? ''), longestLine)) || 'Attachments only',
    description: ageText(at, now),
  }));
  return pick(choices, 'Rewind to Message', 'Select a message to edit it and continue from there');
}
/** A list row has no room for more. */
const longestLine = 120;

export interface HistoryChoice {
  readonly does: 'open' | 'rename' | 'delete';
  readonly id: string;
  /** What was found there, and where. */
  readonly hit?: ConversationHit | undefined;
}

interface HistoryItem extends vscode.QuickPickItem {
  readonly id: string;
  readonly hit?: ConversationHit;
}

/** Fewer characters are in every conversation. */
const fewestSearched = 3;

export interface HistoryOptions {
  entries(): readonly ConversationListEntry[];
  readonly currentId: string | undefined;
  onListChange(listener: () => void): vscode.Disposable;
  /** Finds a text in these conversations. A search ends the one before. Never rejects. */
  search(text: string, ids: readonly string[]): Promise<readonly ConversationHit[]>;
}

const renameButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Rename' };
const deleteButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete' };

/**
 * Lists all conversations, newest first. Those that change while it is open keep their places, and new ones come last.
 * @returns the chosen one, and what the user wants to do with it
 */
export async function pickConversation(options: HistoryOptions): Promise<HistoryChoice | undefined> {
  let hits: readonly ConversationHit[] = [];
  // Rows stay where the user saw them first, so that a click on one of their buttons meets the row that was there.
  let places: ReadonlyMap<string, number> = new Map();
  const buttons = [renameButton, deleteButton];
  const items = (): HistoryItem[] => {
    const placeOf = ({ id }: { readonly id: string }): number => places.get(id) ?? places.size;
    const rows = historyRows(options.entries(), { currentId: options.currentId, hits, now: Date.now() });
    const placed = rows.toSorted((a, b) => placeOf(a) - placeOf(b));
    places = new Map(placed.map(({ id }, place) => [id, place]));
    return placed.map((row) => ({ ...row, buttons }));
  };
  if (items().length === 0) {
    // Not awaited, because the message may stay open for any time.
    void showMessage('information', 'No saved conversations yet');
    return undefined;
  }
  const list = vscode.window.createQuickPick<HistoryItem>();
  list.title = 'History';
  list.placeholder = 'Search conversations';
  list.matchOnDescription = true;
  list.keepScrollPosition = true;
  list.items = items();
  const update = (): void => {
    const changed = items();
    if (isDeepStrictEqual(changed, list.items)) return;
    const active = list.activeItems[0];
    list.items = changed;
    // The editor makes the first row the active one.
    if (active !== undefined) list.activeItems = changed.filter(({ id }) => id === active.id);
  };
  const watching = options.onListChange(update);
  let searched: string | undefined;
  const search = async (text: string): Promise<void> => {
    searched = text;
    hits = [];
    update();
    // What is too short ends the search before, too.
    const isShort = text.length < fewestSearched;
    const found = await options.search(isShort ? '' : text, isShort ? [] : list.items.map(({ id }) => id));
    if (searched !== text) return;
    hits = found;
    list.busy = false;
    update();
  };
  try {
    return await new Promise<HistoryChoice | undefined>((resolve) => {
      const choose = (does: HistoryChoice['does'], item: HistoryItem | undefined): void =>
        resolve(item && { does, id: item.id, hit: item.hit });
      list.onDidChangeValue((text) => {
        list.busy = true;
        void search(text.trim());
      });
      list.onDidAccept(() => choose('open', list.selectedItems[0]));
      list.onDidHide(() => resolve(undefined));
      list.onDidTriggerItemButton(({ item, button }) => choose(button === renameButton ? 'rename' : 'delete', item));
      list.show();
    });
  } finally {
    if (searched !== undefined) void options.search('', []);
    searched = undefined;
    watching.dispose();
    list.dispose();
  }
}

/** @returns the chosen way to sign in */
export function pickMethod(methods: readonly AuthMethod[]): Promise<AuthMethod | undefined> {
  const choices = methods.map((method) => ({
    value: method,
    label: plainLabel(method.name),
    ...(method.description === undefined ? {} : { detail: plainLabel(method.description) }),
  }));
  return pick(choices, 'Sign In', 'Select a way to sign in');
}

export async function pickFolder(folders: readonly Folder[]): Promise<Folder | undefined> {
  if (folders.length <= 1) return folders[0];
  return pick(
    folders.map((folder) => ({ value: folder, label: folder.name, description: folder.path })),
    'Select Folder',
    'The agent works in this folder',
  );
}

/** @returns the chosen value of the selector */
export async function pickOption(selector: SelectorView): Promise<string | boolean | undefined> {
  const options: readonly { value: string | boolean; label: string; description?: string | undefined }[] =
    typeof selector.value === 'boolean'
      ? [
          { value: true, label: 'On' },
          { value: false, label: 'Off' },
        ]
      : selector.options;
  const choices = options.map(({ value, label, description }) => ({
    value,
    label: `${value === selector.value ? '$(check)' : '$(blank)'} ${plainLabel(label)}`,
    ...(description === undefined ? {} : { detail: plainLabel(description) }),
  }));
  return pick(choices, selector.label, `Select ${selector.label}`);
}

/** @returns a value that the option does not list; undefined if the user canceled */
export function askOption(option: SelectOption): Promise<string | undefined> {
  const { name, custom, currentValue } = option;
  const prompt = custom === 'count' ? 'Enter a whole number above zero.' : 'Enter the text to use.';
  const isListed = choicesOf(option).some(({ value }) => value === currentValue);
  return askForText({
    title: name,
    prompt,
    value: isListed ? '' : currentValue,
    validateInput: (text) => (isCustom(option, text) ? undefined : text === '' ? 'Required' : prompt),
  });
}

/**
 * The box hides the input.
 * @param whose the agent or the provider that the key is for
 * @param where a sentence that says who gets the key
 * @returns undefined if the user canceled; '' to remove the key
 */
export function askApiKey(whose: string, where?: string): Promise<string | undefined> {
  return askForText({
    title: `API Key for ${whose}`,
    password: true,
    prompt: [where, "Saved in the editor's secret storage. Leave it empty to remove the key."]
      .filter((part) => part !== undefined)
      .join(' '),
  });
}

/** @returns undefined if the user canceled */
export function askText(
  title: string,
  prompt: string,
  value: string,
  { optional = false }: { readonly optional?: boolean } = {},
): Promise<string | undefined> {
  return askForText({
    title,
    prompt,
    value,
    ...(optional ? {} : { validateInput: (text) => (text.trim() === '' ? 'Required' : undefined) }),
  });
}
