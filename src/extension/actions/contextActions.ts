/** Actions that attach something to the next message, or show what is known of a line. */
import { join } from 'node:path';
import { HostError, stripControls } from '../../core/index.js';
import { droppedTextChip, pastedTextChip, terminalTextChip } from '../chat/sharedDraft.js';
import { findStartOfTurn } from '../chat/transcript.js';
import { fileChip, imageChip, selectionChip } from '../editor/fileChips.js';
import { lineHere } from '../editor/editorInUse.js';
import { terminalSelection } from '../editor/terminalSelection.js';
import { oneLine } from '../../text/plainText.js';
import { droppedFiles } from '../editor/workspaceFiles.js';
import { showMessage } from '../window/windowMessages.js';
import { type ActionScope, notHere } from './actionScope.js';
import { pickFiles } from './pickers.js';

export function createContextActions({ parts, target, current, source, ask }: ActionScope) {
  const { files, pages, writeMessageFile, engine, conversations, report } = parts;
  const focusComposer = (): Promise<void> => pages.focus(target(), 'composer');
  /** @param paths absolute */
  const attachFiles = (paths: Promise<readonly string[]>): Promise<void> => {
    const { folder } = current();
    return source().attach(paths.then((all) => Promise.all(all.map((path) => fileChip(path, folder.path)))));
  };
  /** @param paths absolute */
  const addFiles = async (paths: readonly string[]): Promise<void> => {
    // At once: when the files were read, the user may be elsewhere.
    await Promise.all([attachFiles(Promise.resolve(paths)), focusComposer()]);
  };
  return {
    addFiles,
    /**
     * Ignores any path that the editor did not list, because it comes from a page.
     * @param path relative to the folder, as suggested
     */
    addSuggestedFile(path: string): Promise<void> {
      const { folder } = current();
      return attachFiles(files.list(folder.path).then((listed) => (listed.includes(path) ? [join(folder.path, path)] : [])));
    },
    /** Adds what is in the workspace, and nothing else, because it comes from a page. @throws HostError `usage` if there is something else */
    async addDropped(uris: readonly string[]): Promise<void> {
      const paths = await droppedFiles(uris);
      if (paths.length > 0) await addFiles(paths);
      if (paths.length < uris.length) throw new HostError('usage', { detail: 'You can drop only files and folders of the workspace' });
    },
    /** @param url `data:` with a picture that the user pasted or dropped */
    addImage(url: string): Promise<void> {
      const { id } = current();
      return source().attach(imageChip(url, (...file) => writeMessageFile(id, ...file)).then((chip) => [chip]));
    },
    /** @param name of the file with the text, which the user dropped from another program; absent if it was pasted */
    addText(text: string, name?: string): void {
      source().addChip(name === undefined ? pastedTextChip(text) : droppedTextChip(oneLine(name), text));
    },
    async addFilesToChat(): Promise<void> {
      const { path } = current().folder;
      const chosen = await ask(async () => pickFiles(await files.list(path), path));
      if (chosen !== undefined) await addFiles(chosen);
    },
    async toggleOpenFile(): Promise<void> {
      const { id } = current();
      const leavesOut = conversations.listed(id)?.leavesOutOpenFile !== true;
      await conversations.change({ type: 'leave_out_open_file', id, leavesOut });
      source().refresh();
    },
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip(current().folder.path));
      await focusComposer();
    },
    async addTerminalSelectionToChat(): Promise<void> {
      const chat = source();
      const selected = await terminalSelection();
      if (selected === undefined) return;
      chat.addChip(terminalTextChip(selected));
      await focusComposer();
    },
    /** Opens the conversation whose turn wrote the line, at that turn. @param uri @param line see lineHere */
    async showTurnOfLine(uri?: string, line?: string): Promise<void> {
      const place = lineHere(uri, line === undefined ? undefined : Number(line));
      const origin = await engine.call('line_origin', place);
      if (origin === undefined) {
        const name = stripControls(place.path.slice(place.path.lastIndexOf('/') + 1));
        void report(() => showMessage('information', `No recorded turn of an agent wrote line ${place.line} of ${name}`));
        return;
      }
      const entry = conversations.openListed(origin.conversationId);
      if (entry === undefined || !(await conversations.whenRestored(entry)))
        throw notHere(conversations, origin.conversationId, 'The conversation that wrote this line');
      const itemId = findStartOfTurn(entry.conversation.state, origin.turnId);
      await pages.focus(entry, 'composer', itemId === undefined ? undefined : { type: 'reveal', itemId });
    },
  };
}
