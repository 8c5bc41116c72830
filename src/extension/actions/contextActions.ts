/** Actions that attach something to the next message. */
import { join } from 'node:path';
import { pastedTextChip } from '../chat/sharedDraft.js';
import type { ActionScope } from './actionScope.js';
import { pickFiles } from './pickers.js';
import { fileChip, imageChip } from '../editor/fileChip.js';
import { selectionChip } from '../editor/openFile.js';

export function createContextActions({ parts, target, current, source, ask }: ActionScope) {
  const { files, pages, writeMessageFile } = parts;
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
    /** @param url `data:` with a picture that the user pasted */
    addImage: (url: string): Promise<void> => source().attach(imageChip(url, writeMessageFile).then((chip) => [chip])),
    addText(text: string): void {
      source().addChip(pastedTextChip(text));
    },
    async addFilesToChat(): Promise<void> {
      const { path } = current().folder;
      const chosen = await ask(async () => pickFiles(await files.list(path), path));
      if (chosen !== undefined) await addFiles(chosen);
    },
    async toggleOpenFile(): Promise<void> {
      const { id } = current();
      const leavesOut = parts.conversations.listed(id)?.leavesOutOpenFile !== true;
      await parts.conversations.change({ type: 'leave_out_open_file', id, leavesOut });
      source().refresh();
    },
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip(current().folder.path));
      await focusComposer();
    },
  };
}
