/** Reviewing in the files themselves: lenses and commands for each hunk, and comments. */
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Action } from '../../contract/actions.js';
import { FilesToReview, type ReviewParts, uriOf } from './filesToReview.js';
import { createHunkActions } from './hunkActions.js';
import { type Disposable, DisposableStore, HostError, revealOnOneLine, toDisposable } from '../../core/index.js';
import { type LineHere, lineOf } from '../editor/editorInUse.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import { commentChip } from '../chat/sharedDraft.js';
import { reviewOf } from '../chat/toReview.js';
import { commandOf } from '../../contract/userActions.js';

const lenses: readonly (readonly [action: Action, title: string])[] = [
  ['undoHunk', 'Undo'],
  ['commentHunk', 'Comment'],
  ['reviewHunk', 'Reviewed'],
];

/** Its `refresh` draws them again; call it when `showsLenses` may have changed. */
function createHunkLenses(files: FilesToReview, { showsLenses }: ReviewParts) {
  const store = new DisposableStore();
  const onChange = store.add(new vscode.EventEmitter<void>());
  store.add(files.onChange(() => onChange.fire()));
  store.add(
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file' },
      {
        onDidChangeCodeLenses: onChange.event,
        async provideCodeLenses(document) {
          const reviewed = showsLenses(document.uri) ? files.find(document.uri) : undefined;
          const hunks = reviewed === undefined ? [] : await files.hunksOf(reviewed, document);
          return hunks.flatMap(({ line, name }) => {
            const at = Math.min(line, document.lineCount - 1);
            return lenses.map(
              ([action, title]) =>
                new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
                  command: commandOf(action) ?? '',
                  title,
                  arguments: [document.uri.toString(), name],
                }),
            );
          });
        },
      },
    ),
  );
  return { refresh: (): void => onChange.fire(), dispose: (): void => store.dispose() };
}

/** How long it is known that no turn changed a file. */
const unchangedMs = 10_000;

/** Hovers of lines that turns wrote: which conversation it was, with a link to the turn. */
export function createLineHovers({ engine }: Pick<ReviewParts, 'engine'>): Disposable {
  /** The files that no turn had changed, by their URIs, each with when that was. */
  const unchanged = new Map<string, number>();

  /** Without asking for a text that may be large. */
  const isChanged = async (uri: string, { cwd, path }: LineHere): Promise<boolean> => {
    if (Date.now() - (unchanged.get(uri) ?? Number.NEGATIVE_INFINITY) < unchangedMs) return false;
    const found = await engine.call('is_changed', { cwd, path });
    if (found) unchanged.delete(uri);
    else unchanged.set(uri, Date.now());
    return found;
  };

  return vscode.languages.registerHoverProvider(
    { scheme: 'file' },
    {
      async provideHover(document, position, token) {
        // Nothing is started for a hover.
        if (engine.connection.state !== 'connected' || engine.list.state.conversations.length === 0) return undefined;
        const [uri, place] = [document.uri.toString(), lineOf(document, position.line + 1)];
        try {
          if (place === undefined || !(await isChanged(uri, place)) || token.isCancellationRequested) return undefined;
          const origin = await engine.call('line_origin', place);
          const entry = engine.list.state.conversations.find(({ id }) => id === origin?.conversationId);
          return entry && new vscode.Hover(textFor(entry.title ?? entry.firstWords ?? '', [uri, String(place.line)]));
        } catch {
          // Who wants to know runs the command, which says what failed.
          return undefined;
        }
      },
    },
  );
}

function textFor(title: string, where: readonly string[]): vscode.MarkdownString {
  const command = commandOf('showTurnOfLine') ?? '';
  const text = new vscode.MarkdownString('Written in ', true);
  text.isTrusted = { enabledCommands: [command] };
  const label = new vscode.MarkdownString().appendText(revealOnOneLine(title) || 'a conversation').value;
  return text.appendMarkdown(
    `[${label}](command:${command}?${encodeURIComponent(JSON.stringify(where))} "Show Turn That Wrote This Line")`,
  );
}

export type EditorReview = ReturnType<typeof createEditorReview>;

export function createEditorReview(parts: ReviewParts) {
  const store = new DisposableStore();
  const files = new FilesToReview(parts);
  const lenses = store.add(createHunkLenses(files, parts));
  store.add(createLineHovers(parts));
  const comments = store.add(createReviewComments(files, parts));
  const actions = store.add(createHunkActions(files, parts));
  store.add(parts.conversations.onChange(comments.draw));
  comments.draw();
  return {
    ...actions,
    ...comments,
    /** Whether the user is reviewing what the conversation changed, or has notes for its agent. */
    isReviewing: (entry: OpenConversation): boolean =>
      reviewOf(entry.conversation.state.changes).files.length > 0 || parts.notesOf(entry).notes.length > 0 || actions.mayBringBack(entry),
    refreshLenses: lenses.refresh,
    dispose: (): void => store.dispose(),
  };
}

/** VS Code shows `&gt;` for `>` in the label of a thread (`_headingLabel` in microsoft/vscode src/vs/workbench/contrib/comments/browser/commentThreadHeader.ts). */
const lookAlikes: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆' };

interface Shown {
  readonly entry: OpenConversation;
  readonly thread: vscode.CommentThread;
}

/** Comments on lines of files to review are notes of the draft; the editor shows them until they are sent or removed. */
function createReviewComments(files: FilesToReview, { conversations, notesOf, agentOf, nameOf }: ReviewParts) {
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
      : `For ${agentOf(entry)}, sent with your next message in ${nameOf(entry).replace(/[<>&]/g, (sign) => lookAlikes[sign] ?? '')}`;
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
    /** Shows the comments that there are now, and where one can be added. */
    draw,
    /** @param argument what the editor passes to the command of its button @throws HostError `usage` if that is no comment */
    async saveComment(argument: unknown): Promise<void> {
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
    /** @param argument what the editor passes to the command of its button */
    deleteComment(argument: unknown): void {
      for (const [id, { entry, thread }] of shown) if (thread === argument) notesOf(entry).removeChip(id);
      draw();
    },
    dispose: (): void => store.dispose(),
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
