/** Actions that attach something to the next message. */
import { join } from 'node:path';
import type { ActionScope } from './actionScope.js';
import { pickFiles } from './pickers.js';
import { fileChip, imageChip } from '../editor/fileChip.js';
import { selectionChip } from '../editor/selection.js';

export function createContextActions({ parts, target, current, source }: ActionScope) {
  const { files, pages, writeMessageFile } = parts;
  const focusComposer = (): Promise<void> => pages.focus(target(), 'composer');
  /** @param paths absolute */
  const attachFiles = async (paths: Promise<readonly string[]>): Promise<void> => {
    const { folder } = current();
    await source().attach(paths.then((all) => Promise.all(all.map((path) => fileChip(path, folder.path)))));
    await focusComposer();
  };
  return {
    /** @param paths absolute */
    addFiles: (paths: readonly string[]): Promise<void> => attachFiles(Promise.resolve(paths)),
    /**
     * Ignores any path that the editor did not list, because it comes from a page.
     * @param path relative to the folder, as suggested
     */
    async addSuggestedFile(path: string): Promise<void> {
      const { folder } = current();
      await attachFiles(files.list(folder.path).then((listed) => (listed.includes(path) ? [join(folder.path, path)] : [])));
    },
    /** @param url `data:` with a picture that the user pasted */
    addImage: (url: string): Promise<void> => source().attach(imageChip(url, writeMessageFile).then((chip) => [chip])),
    async addFilesToChat(): Promise<void> {
      const { path } = current().folder;
      await attachFiles(Promise.resolve(await pickFiles(await files.list(path), path)));
    },
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip());
      await focusComposer();
    },
  };
}
