/** The files to review that are open in editors: whose they are, and what their turns changed in the text as it is now. */
import { createHash } from 'node:crypto';
import { basename, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { type Disposable, type ChangeHunk, type EngineClient, type Hunk, hunksOfChange, isWithin, keepLatest } from '../../core/index.js';
import { type FileToReview, reviewOf } from '../chat/toReview.js';
import type { ChatSource } from '../chat/chatSource.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import type { FileVersion } from '../editor/documents.js';

/** How many versions are remembered. They never change. */
const knownVersions = 40;

export interface ReviewedFile {
  readonly entry: OpenConversation;
  readonly file: FileToReview;
}

/** A part of a change. */
export interface NamedHunk extends ChangeHunk {
  /** The same as long as neither its lines nor what they were before change. @see ChangedFile.reviewedHunks */
  readonly name: string;
}

/** What reviewing in the files uses. */
export interface ReviewParts {
  readonly conversations: {
    readonly all: readonly OpenConversation[];
    readonly current: OpenConversation | undefined;
    /** Fires when a conversation changed, was opened or was closed. */
    onChange(listener: () => void): Disposable;
  };
  readonly engine: Pick<EngineClient, 'call' | 'connection'> & { readonly list: Pick<EngineClient['list'], 'state'> };
  /** What the user noted for the next message of a conversation. */
  notesOf(entry: OpenConversation): Pick<ChatSource, 'notes' | 'addChip' | 'removeChip'>;
  agentOf(entry: OpenConversation): string;
  nameOf(entry: OpenConversation): string;
  compare(entry: OpenConversation, file: FileToReview): Promise<void>;
  /** Takes a whole file back, on disk. @returns whether it was */
  undoFile(entry: OpenConversation, file: FileToReview): Promise<boolean>;
  /** Whether a file has lenses. */
  showsLenses(uri: vscode.Uri): boolean;
  /** Runs work that no command waits for, and shows what fails. */
  readonly report: (work: () => Promise<unknown>) => Promise<void>;
}

export class FilesToReview {
  readonly #conversations: ReviewParts['conversations'];
  readonly #engine: ReviewParts['engine'];
  readonly #versions = new Map<string, Promise<string>>();

  constructor({ conversations, engine }: ReviewParts) {
    this.#conversations = conversations;
    this.#engine = engine;
  }

  /** Fires when other files, or other parts of them, are to be reviewed. */
  onChange(listener: () => void): Disposable {
    let known = this.#files();
    return this.#conversations.onChange(() => {
      const files = this.#files();
      // A conversation changes with each word of an answer, and its changes with each file that a turn writes.
      if (isDeepStrictEqual(files, known)) return;
      known = files;
      listener();
    });
  }

  /** Of all files to review, as texts. */
  get uris(): readonly string[] {
    return this.#conversations.all.flatMap((entry) => filesIn(entry).map(({ path }) => uriOf(entry, path).toString()));
  }

  /** If several conversations changed the file, it is that of the current one. */
  find(uri: vscode.Uri): ReviewedFile | undefined {
    if (uri.scheme !== 'file') return undefined;
    for (const entry of this.#inOrder()) {
      const isIt = ({ path }: FileToReview): boolean =>
        uri.path.endsWith(basename(path)) && uriOf(entry, path).toString() === uri.toString();
      const file = filesIn(entry).find(isIt);
      if (file !== undefined) return { entry, file };
    }
    return undefined;
  }

  /** Returns whose file it is, to review or not, and its path in the folder of the conversation. */
  placeOf(uri: vscode.Uri): { readonly entry: OpenConversation; readonly path: string } | undefined {
    const found = this.find(uri);
    if (found !== undefined) return { entry: found.entry, path: found.file.path };
    const entry = this.#inOrder().find(({ folder }) => uri.scheme === 'file' && isWithin(folder.path, uri.fsPath));
    return entry && { entry, path: relative(entry.folder.path, uri.fsPath).replaceAll(sep, '/') };
  }

  /**
   * Returns what is still to be reviewed in the text as it is now, saved or not, from top to bottom.
   * @throws HostError `changes_unknown`
   */
  async hunksOf({ entry, file }: ReviewedFile, document: vscode.TextDocument): Promise<readonly NamedHunk[]> {
    if (!file.isText) return [];
    const { encoding } = document;
    const { id } = entry;
    const [earlier, after] = await Promise.all([
      file.isNew ? '' : this.#read({ id, set: file.set, path: file.from, side: 'before' }, encoding),
      this.#read({ id, set: file.last, path: file.path, side: 'after' }, encoding),
    ]);
    const hunks = hunksOfChange({ earlier, after, now: document.getText() }).map((hunk) => ({ ...hunk, name: nameOf(hunk) }));
    return hunks.filter(({ name }) => !file.reviewedHunks.includes(name));
  }

  #files() {
    return this.#conversations.all.map((entry) => [entry.id, filesIn(entry)]);
  }

  #inOrder(): readonly OpenConversation[] {
    const { current, all } = this.#conversations;
    return current === undefined ? all : [current, ...all];
  }

  #read(version: FileVersion, encoding: string): Promise<string> {
    const key = JSON.stringify([version, encoding]);
    let text = this.#versions.get(key);
    if (text === undefined) {
      text = this.#engine.call('changed_content', version).then(async (content) => {
        const bytes = Buffer.from(content ?? '', 'base64');
        return (await vscode.workspace.decode(bytes, { encoding })).replace(/^\uFEFF/, '');
      });
      keepLatest(this.#versions, key, text, knownVersions);
      text.catch(() => this.#versions.delete(key));
    }
    return text;
  }
}

function filesIn({ conversation }: OpenConversation): readonly FileToReview[] {
  return reviewOf(conversation.state.changes).files;
}

/** @param path relative to the folder of the conversation */
export function uriOf({ folder }: OpenConversation, path: string): vscode.Uri {
  return vscode.Uri.file(join(folder.path, path));
}

function nameOf({ earlierLine, earlier, now }: Hunk): string {
  return createHash('sha256')
    .update(JSON.stringify([earlierLine, earlier, now]))
    .digest('base64url')
    .slice(0, 16);
}
