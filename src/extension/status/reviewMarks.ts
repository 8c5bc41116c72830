/** Shows files with changes that are not reviewed outside the chat: marked in the Explorer and on tabs, and listed in the Source Control view. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type ConversationState, type Disposable, DisposableStore, toDisposable } from '../../core/index.js';
import { type FileToReview, reviewOf } from '../chat/toReview.js';

/** A conversation that is open in this window. */
export interface ReviewedConversation {
  readonly id: string;
  readonly folder: { readonly path: string };
  readonly conversation: { readonly state: ConversationState };
}

export interface ReviewMarksParts<C extends ReviewedConversation> {
  readonly conversations: {
    readonly all: readonly C[];
    /** Fires when a conversation changed, was opened or was closed. */
    onChange(listener: () => void): Disposable;
  };
  nameOf(conversation: C): string;
  /** Returns the command that compares a file with what it was before the changes. */
  comparing(conversation: C, file: FileToReview): vscode.Command;
  /** Returns what the file was before the changes; undefined if there was no such file. */
  earlier(conversation: C, file: FileToReview): vscode.Uri | undefined;
}

export function markFilesToReview<C extends ReviewedConversation>({
  conversations,
  nameOf,
  comparing,
  earlier,
}: ReviewMarksParts<C>): Disposable {
  const store = new DisposableStore();
  const [mark, list] = [store.add(createMarks()), store.add(createList())];
  let drawn: readonly unknown[] = [];
  const draw = (): void => {
    const facts = conversations.all.flatMap((one) => [
      one.id,
      nameOf(one),
      one.conversation.state.changes,
      one.conversation.state.agent?.label,
    ]);
    // A conversation changes with each word of an answer.
    if (facts.length === drawn.length && facts.every((fact, index) => fact === drawn[index])) return;
    drawn = facts;
    const toReview = conversations.all.flatMap((one) => {
      const { files } = reviewOf(one.conversation.state.changes);
      if (files.length === 0) return [];
      const agent = one.conversation.state.agent?.label ?? 'an agent';
      const rows = files.map((file) => ({
        file: join(one.folder.path, file.path),
        isGone: file.isGone,
        command: comparing(one, file),
        earlier: file.isText ? earlier(one, file) : undefined,
      }));
      return [{ id: one.id, name: nameOf(one), agent, rows }];
    });
    mark.draw(toReview);
    list.draw(toReview);
  };
  store.add(conversations.onChange(draw));
  draw();
  return store;
}

interface ToReview {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly rows: readonly {
    /** Absolute. */
    readonly file: string;
    readonly isGone: boolean;
    readonly command: vscode.Command;
    /** With what the lines of the open file are compared. */
    readonly earlier: vscode.Uri | undefined;
  }[];
}

interface Drawing extends Disposable {
  draw(all: readonly ToReview[]): void;
}

function createMarks(): Drawing {
  const store = new DisposableStore();
  const onChange = store.add(new vscode.EventEmitter<vscode.Uri[]>());
  /** The agents that changed each file, by its URI. */
  let agents: ReadonlyMap<string, string> = new Map();
  store.add(
    vscode.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: onChange.event,
      provideFileDecoration(uri) {
        const names = agents.get(uri.toString());
        // Without a color: that is the source control's.
        return names === undefined ? undefined : new vscode.FileDecoration('•', `Changed by ${names}, not reviewed`);
      },
    }),
  );
  return {
    draw(all) {
      const before = agents;
      agents = agentsByUri(all);
      const changed = [...new Set([...before.keys(), ...agents.keys()])].filter((uri) => before.get(uri) !== agents.get(uri));
      if (changed.length > 0) onChange.fire(changed.map((uri) => vscode.Uri.parse(uri)));
    },
    dispose: () => store.dispose(),
  };
}

function agentsByUri(all: readonly ToReview[]): ReadonlyMap<string, string> {
  const names = new Map<string, Set<string>>();
  for (const { agent, rows } of all) {
    for (const { file, isGone } of rows) {
      if (isGone) continue;
      const uri = vscode.Uri.file(file).toString();
      names.set(uri, (names.get(uri) ?? new Set()).add(agent));
    }
  }
  return new Map([...names].map(([uri, own]) => [uri, [...own].join(', ')]));
}

/** In the Source Control view, with a group for each conversation, and beside the lines of open files. It is there only as long as it has files. */
function createList(): Drawing {
  let control: vscode.SourceControl | undefined;
  const groups = new Map<string, vscode.SourceControlResourceGroup>();
  /** What files were before, by their URIs. */
  let earlier: ReadonlyMap<string, vscode.Uri | undefined> = new Map();
  const remove = (): void => {
    for (const group of groups.values()) group.dispose();
    groups.clear();
    control?.dispose();
    control = undefined;
  };
  return {
    ...toDisposable(remove),
    draw(all) {
      if (all.length === 0) return remove();
      // Those of the first conversation win.
      earlier = new Map(
        all.flatMap(({ rows }) => rows.map((row) => [vscode.Uri.file(row.file).toString(), row.earlier] as const)).toReversed(),
      );
      control ??= createControl((uri) => earlier.get(uri.toString()));
      for (const [id, group] of groups) {
        if (all.some((one) => one.id === id)) continue;
        group.dispose();
        groups.delete(id);
      }
      for (const { id, name, agent, rows } of all) {
        const group = groups.get(id) ?? control.createResourceGroup(id, name);
        groups.set(id, group);
        group.label = name;
        group.resourceStates = rows.map(({ file, isGone, command }) => ({
          resourceUri: vscode.Uri.file(file),
          command,
          decorations: { strikeThrough: isGone, tooltip: `${isGone ? 'Deleted' : 'Changed'} by ${agent}` },
        }));
      }
    },
  };
}

function createControl(earlier: (uri: vscode.Uri) => vscode.Uri | undefined): vscode.SourceControl {
  const control = vscode.scm.createSourceControl('acpHost', 'Changes by Agents');
  // There is nothing to commit, and the badge counts what is to be committed.
  control.inputBox.visible = false;
  control.count = 0;
  control.quickDiffProvider = { provideOriginalResource: earlier };
  return control;
}
