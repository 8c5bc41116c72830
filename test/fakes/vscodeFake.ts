import { readFile, stat, writeFile } from 'node:fs/promises';

/** The parts of VS Code that are needed to open files and links, compare files and show messages. Records what is asked, shown and opened. */
export const editor = {
  /** Absolute. */
  folders: [] as string[],
  isTrusted: true,
  /** The buttons that the user presses where there are such; undefined closes every question. */
  answer: undefined as string | readonly string[] | undefined,
  asked: [] as string[],
  /** The rows of the last list, and those that the user picks, by their labels; undefined closes the list. */
  listed: [] as readonly string[],
  picked: undefined as string | readonly string[] | undefined,
  /** What the user types into an input box. */
  typed: undefined as string | undefined,
  /** What the last input box said. */
  input: undefined as { readonly title?: string; readonly prompt?: string } | undefined,
  /** The button that the user presses in a list, by its tooltip. */
  pressed: undefined as string | undefined,
  /** The list that is open. */
  list: undefined as QuickPick | undefined,
  /** What modal questions said below their titles. */
  details: [] as string[],
  /** Notifications, each with the labels of its buttons. */
  shown: [] as { readonly text: string; readonly labels: readonly string[] }[],
  /** The messages in the status bar. */
  brief: [] as string[],
  opened: [] as string[],
  /** The kind of machine on which the extensions of the window run; undefined: this one. */
  remoteName: undefined as string | undefined,
  /** Presses Cancel in the progress notification. */
  cancelProgress: undefined as (() => void) | undefined,
  /** The file in the active editor, its text and what is selected in it. */
  file: '/project/a.ts',
  text: '',
  selection: { isEmpty: true } as { readonly isEmpty: boolean; readonly start?: object; readonly end?: object },
  /** The documents that are open. */
  documents: [] as TextDocument[],
  /** Returns what is said about a line, 0-based. */
  hover: undefined as ((document: TextDocument, line: number) => Promise<Hover | undefined>) | undefined,
};

export class Hover {
  readonly contents: MarkdownString;

  constructor(contents: MarkdownString) {
    this.contents = contents;
  }
}

export class MarkdownString {
  value: string;
  isTrusted: unknown;

  constructor(value = '') {
    this.value = value;
  }

  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, '\\$&');
    return this;
  }

  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

interface HoverProvider {
  provideHover(
    document: TextDocument,
    position: Position,
    token: { readonly isCancellationRequested: boolean },
  ): Promise<Hover | undefined>;
}

export const languages = {
  registerHoverProvider(_selector: unknown, provider: HoverProvider) {
    editor.hover = (document, line) => provider.provideHover(document, new Position(line), { isCancellationRequested: false });
    return { dispose: () => (editor.hover = undefined) };
  },
};

/** A document of a file. A position in it is its offset. */
export class TextDocument {
  readonly uri: ReturnType<typeof Uri.file>;
  readonly isClosed = false;
  readonly encoding: string;
  readonly eol: number;
  isDirty: boolean;
  /** What the editor does to the text when it saves the document. */
  onSave = (text: string): string => text;
  #text: string;

  constructor(file: string, text: string, { isDirty = false, encoding = 'utf8' } = {}) {
    this.uri = Uri.file(file);
    this.#text = text;
    this.isDirty = isDirty;
    this.encoding = encoding;
    this.eol = text.includes('\r\n') ? EndOfLine.CRLF : EndOfLine.LF;
  }

  getText(): string {
    return this.#text;
  }

  positionAt(offset: number): Position {
    return new Position(offset);
  }

  replace({ start, end }: Range, text: string): void {
    this.#text = this.#text.slice(0, start.line) + text + this.#text.slice(end.line);
    this.isDirty = true;
  }

  async save(): Promise<boolean> {
    this.#text = this.onSave(this.#text);
    this.isDirty = false;
    await writeFile(this.uri.fsPath, (this.encoding === 'utf8bom' ? '\uFEFF' : '') + this.#text);
    return true;
  }
}

export const CodeActionKind = { QuickFix: {}, RefactorRewrite: { append: () => ({}) } };
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const EndOfLine = { LF: 1, CRLF: 2 };

export class WorkspaceEdit {
  readonly replacements: { readonly uri: { toString(): string }; readonly range: Range; readonly text: string }[] = [];

  get size(): number {
    return this.replacements.length;
  }

  replace(uri: { toString(): string }, range: Range, text: string): void {
    this.replacements.push({ uri, range, text });
  }
}

export class Position {
  readonly line: number;

  constructor(line: number) {
    this.line = line;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(start: Position, end: Position) {
    this.start = start;
    this.end = end;
  }
}

export class ThemeIcon {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

export class TreeItem {
  readonly label: string;

  constructor(label: string) {
    this.label = label;
  }
}

export const Uri = {
  from: (parts: object) => parts,
  file: (fsPath: string) => ({ scheme: 'file', fsPath, toString: () => `file://${fsPath}` }),
  /** Decodes every part, and takes what has no scheme for a path, like VS Code. */
  parse: (text: string) => {
    const { protocol, pathname } = new URL(text, 'file:///');
    const path = decodeURIComponent(pathname);
    return { scheme: protocol.slice(0, -1), text: decodeURIComponent(text), path, fsPath: path };
  },
};

export const workspace = {
  get textDocuments() {
    return editor.documents;
  },
  applyEdit({ replacements }: WorkspaceEdit): Promise<boolean> {
    for (const { uri, range, text } of replacements)
      editor.documents.find((one) => one.uri.toString() === uri.toString())?.replace(range, text);
    return Promise.resolve(true);
  },
  get isTrusted() {
    return editor.isTrusted;
  },
  getWorkspaceFolder({ fsPath }: { readonly fsPath: string }) {
    const folder = editor.folders.find((one) => fsPath.startsWith(`${one}/`));
    return folder === undefined ? undefined : { uri: Uri.file(folder) };
  },
  getConfiguration: () => ({ inspect: () => undefined }),
  get workspaceFolders() {
    return editor.folders.map((folder) => ({ uri: Uri.file(folder) }));
  },
  fs: {
    readFile: ({ fsPath }: { readonly fsPath: string }) => readFile(fsPath),
    stat: async ({ fsPath }: { readonly fsPath: string }) => ({
      type: (await stat(fsPath)).isDirectory() ? FileType.Directory : FileType.File,
    }),
  },
};

interface Progress {
  report(step: { readonly message: string }): void;
}

interface Token {
  onCancellationRequested(listener: () => void): { dispose(): void };
}

function show(text: string, ...rest: readonly (string | { readonly detail?: string })[]): Promise<string | undefined> {
  const labels = rest.filter((one) => typeof one === 'string');
  for (const one of rest) if (typeof one === 'object' && one.detail !== undefined) editor.details.push(one.detail);
  editor.shown.push({ text, labels });
  return Promise.resolve(pressed(labels));
}

function pressed(labels: readonly string[]): string | undefined {
  return [editor.answer].flat().find((one) => one !== undefined && labels.includes(one));
}

export const FileType = { File: 1, Directory: 2 };

export const QuickPickItemKind = { Separator: -1 };

export const ProgressLocation = { Notification: 15 };

export const window = {
  visibleTextEditors: [],
  tabGroups: { all: [] },
  onDidChangeActiveTextEditor: () => ({ dispose() {} }),
  registerFileDecorationProvider: () => ({ dispose() {} }),
  get activeTextEditor() {
    const { file, text, selection } = editor;
    const lineCount = text.split('\n').length;
    const document = { uri: Uri.file(file), fileName: file, languageId: 'typescript', lineCount, getText: () => text };
    return { document, selection, visibleRanges: [] };
  },
  showWarningMessage(question: string, { detail }: { readonly detail: string }, ...labels: readonly string[]): Promise<string | undefined> {
    editor.asked.push(`${question} ${detail}`);
    return Promise.resolve(pressed(labels));
  },
  showInputBox(options: typeof editor.input): Promise<string | undefined> {
    editor.input = options;
    return Promise.resolve(editor.typed);
  },
  createQuickPick: () => new QuickPick(),
  async showQuickPick<T extends { readonly label: string }>(items: readonly T[]): Promise<T | readonly T[] | undefined> {
    editor.listed = items.map(({ label }) => label);
    const { picked } = editor;
    if (typeof picked === 'string' || picked === undefined) return items.find(({ label }) => label === picked);
    return items.filter(({ label }) => picked.includes(label));
  },
  setStatusBarMessage: (text: string) => void editor.brief.push(text),
  showInformationMessage: show,
  showErrorMessage: show,
  async withProgress<T>({ title }: { readonly title: string }, work: (progress: Progress, token: Token) => Promise<T>): Promise<T> {
    const report = ({ message }: { readonly message: string }): void =>
      void editor.shown.push({ text: `${title}: ${message}`, labels: [] });
    const onCancellationRequested: Token['onCancellationRequested'] = (listener) => {
      editor.cancelProgress = listener;
      return { dispose: () => (editor.cancelProgress = undefined) };
    };
    return work({ report }, { onCancellationRequested });
  },
};

interface Button {
  readonly tooltip: string;
}

interface Row {
  readonly label: string;
  readonly detail?: string;
  readonly alwaysShow?: boolean;
  readonly buttons?: readonly Button[];
}

/** A quick pick in which the user presses a button of the first row, picks a row, or accepts the active one. */
class QuickPick {
  activeItems: readonly Row[] = [];
  #items: readonly Row[] = [];
  #onAccept = (): void => {};
  #onValue = (_: string): void => {};
  #onButton = (_: { readonly item: Row; readonly button: Button }): void => {};

  get items(): readonly Row[] {
    return this.#items;
  }

  /** Like in VS Code, the first of the new rows becomes the active one. */
  set items(items: readonly Row[]) {
    this.#items = items;
    this.activeItems = items.slice(0, 1);
  }

  /** Only rows that the list has can be active. */
  get selectedItems(): readonly Row[] {
    return this.activeItems.filter((item) => this.#items.includes(item));
  }

  onDidAccept(listener: () => void): void {
    this.#onAccept = listener;
  }

  onDidChangeValue(listener: (value: string) => void): void {
    this.#onValue = listener;
  }

  type(value: string): void {
    this.#onValue(value);
  }

  onDidHide(): void {}

  onDidTriggerButton(): void {}

  onDidTriggerItemButton(listener: (pressed: { readonly item: Row; readonly button: Button }) => void): void {
    this.#onButton = listener;
  }

  show(): void {
    editor.list = this;
    const [item] = this.items;
    const button = item?.buttons?.find(({ tooltip }) => tooltip === editor.pressed);
    if (item !== undefined && button !== undefined) this.#onButton({ item, button });
    const picked = this.items.filter(({ label }) => label === editor.picked);
    if (picked.length === 0) return;
    this.activeItems = picked;
    this.accept();
  }

  accept(): void {
    this.#onAccept();
  }

  dispose(): void {
    editor.list = undefined;
  }
}

/** Like VS Code, `vscode.open` opens text and other files, but refuses a folder. */
export const commands = {
  async executeCommand(command: string, { fsPath = '', query = '' }: CommandTarget, options: OpenOptions = {}): Promise<void> {
    const isFile = command === 'vscode.open';
    if (isFile && (await stat(fsPath)).isDirectory()) throw new Error(`${fsPath} is a folder`);
    const line = options.selection === undefined ? '' : `:${options.selection.start.line + 1}`;
    editor.opened.push(isFile ? `${fsPath}${line}` : `${command} ${fsPath}${query}`);
  },
};

/** A file, or what to search for in the settings. */
interface CommandTarget {
  readonly fsPath?: string;
  readonly query?: string;
}

interface OpenOptions {
  readonly selection?: Range;
}

export const env = {
  get remoteName() {
    return editor.remoteName;
  },
  /** The editor encodes a decoded URI again, and keeps a string: microsoft/vscode src/vs/editor/browser/services/openerService.ts. */
  openExternal(target: string | { readonly text: string }): Promise<boolean> {
    editor.opened.push(typeof target === 'string' ? target : encodeURI(target.text));
    return Promise.resolve(true);
  },
};
