/** Comments on lines of files to review. They are notes of the draft; the editor shows them until they are sent or removed. */
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore, HostError, toDisposable } from '../../core/index.js';
import { commentChip } from '../chat/reviewNotes.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import type { Notes } from './hunkActions.js';
import { type FilesToReview, uriOf } from './filesToReview.js';

export interface ReviewCommentsParts {
  readonly files: FilesToReview;
  readonly conversations: { readonly all: readonly OpenConversation[]; readonly current: OpenConversation | undefined };
  notesOf(entry: OpenConversation): Notes;
  agentOf(entry: OpenConversation): string;
  nameOf(entry: OpenConversation): string;
}

export interface ReviewComments extends Disposable {
  /** Shows the comments that there are now, and where one can be added. */
  draw(): void;
  /** @param argument what the editor passes to the command of its button @throws HostError `usage` if that is no comment */
  saveComment(argument: unknown): Promise<void>;
  /** @param argument what the editor passes to the command of its button */
  deleteComment(argument: unknown): void;
}

interface Shown {
  readonly entry: OpenConversation;
  readonly thread: vscode.CommentThread;
}

export function createReviewComments({ files, conversations, notesOf, agentOf, nameOf }: ReviewCommentsParts): ReviewComments {
  const store = new DisposableStore();
  /** There from the first file to review on: without it, the editor removes what the user is writing. */
  let controller: vscode.CommentController | undefined;
  let offered: readonly string[] = [];
  /** By the ids of the notes. */
  const shown = new Map<string, Shown>();
  store.add(
    toDisposable(() => {
      for (const { thread } of shown.values()) thread.dispose();
      controller?.dispose();
    }),
  );
  /** The editor asks again where one can comment when it gets a provider, and draws all comments anew. */
  const offer = (): void => {
    const { uris } = files;
    if (controller === undefined || isDeepStrictEqual(uris, offered)) return;
    offered = uris;
    controller.commentingRangeProvider = {
      provideCommentingRanges: (document) =>
        files.find(document.uri) === undefined ? [] : [new vscode.Range(0, 0, document.lineCount - 1, 0)],
    };
  };

  const labelOf = (entry: OpenConversation): string =>
    entry === conversations.current
      ? `For ${agentOf(entry)}, sent with your next message`
      : `For ${agentOf(entry)}, sent with your next message in ${nameOf(entry)}`;
  const draw = (): void => {
    const all = conversations.all.flatMap((entry) =>
      notesOf(entry).notes.flatMap(({ id, comment }) => (comment ? [{ entry, id, comment }] : [])),
    );
    for (const [id, { entry, thread }] of shown) {
      if (all.some((one) => one.id === id)) {
        const label = labelOf(entry);
        if (thread.label !== label) thread.label = label;
        continue;
      }
      thread.dispose();
      shown.delete(id);
    }
    if (controller === undefined) {
      if (all.length === 0 && files.uris.length === 0) return;
      controller = createController();
      offer();
    }
    for (const { entry, id, comment } of all) {
      if (shown.has(id)) continue;
      const range = new vscode.Range(comment.firstLine - 1, 0, comment.lastLine - 1, 0);
      const thread = controller.createCommentThread(uriOf(entry, comment.path), range, []);
      shown.set(id, { entry, thread });
      fill(thread, comment.text, labelOf(entry));
    }
  };
  store.add(
    files.onChange(() => {
      draw();
      offer();
    }),
  );

  return {
    draw,
    async saveComment(argument) {
      // The file may have been reviewed while the user wrote.
      const place = isReply(argument) ? files.placeOf(argument.thread.uri) : undefined;
      if (!isReply(argument) || place === undefined)
        throw new HostError('usage', { detail: 'Write a comment in a file that is to be reviewed' });
      const { thread, text } = argument;
      const { entry, path } = place;
      const document = await vscode.workspace.openTextDocument(thread.uri);
      // The file may be shorter now.
      const { start, end } = document.validateRange(thread.range ?? new vscode.Range(0, 0, 0, 0));
      const lines = { path, firstLine: start.line + 1, lastLine: end.line + 1 };
      const code = Array.from({ length: end.line - start.line + 1 }, (_, index) => document.lineAt(start.line + index).text);
      const chip = commentChip(lines, text, code);
      shown.set(chip.id, { entry, thread });
      fill(thread, text, labelOf(entry));
      notesOf(entry).addChip(chip);
    },
    deleteComment(argument) {
      for (const [id, { entry, thread }] of shown) if (thread === argument) notesOf(entry).removeChip(id);
      draw();
    },
    dispose: () => store.dispose(),
  };
}

function createController(): vscode.CommentController {
  const controller = vscode.comments.createCommentController('acpHost', 'ACP Host');
  controller.options = {
    prompt: 'Comment for the agent',
    placeHolder: 'Sent with your next message in the conversation that changed this file',
  };
  return controller;
}

function fill(thread: vscode.CommentThread, text: string, label: string): void {
  thread.canReply = false;
  thread.label = label;
  thread.comments = [{ body: text, mode: vscode.CommentMode.Preview, author: { name: 'You' } }];
}

function isReply(value: unknown): value is vscode.CommentReply {
  return typeof value === 'object' && value !== null && 'thread' in value && 'text' in value && typeof value.text === 'string';
}
