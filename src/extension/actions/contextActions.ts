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
  const addFiles = async (paths: readonly string[]): Promise<void> => {
    const { folder } = current();
    const chips = await Promise.all(paths.map((path) => fileChip(path, folder.path)));
    for (const chip of chips) source().addChip(chip);
    await focusComposer();
  };
  return {
    addFiles,
    /**
     * Ignores any path that the editor did not list, because it comes from a page.
     * @param path relative to the folder, as suggested
     */
    async addSuggestedFile(path: string): Promise<void> {
      const { folder } = current();
      if ((await files.list(folder.path)).includes(path)) await addFiles([join(folder.path, path)]);
    },
    /** @param url `data:` with a picture that the user pasted */
    async addImage(url: string): Promise<void> {
      const to = source();
      to.addChip(await imageChip(url, writeMessageFile));
    },
    async addFilesToChat(): Promise<void> {
      const { path } = current().folder;
      await addFiles(await pickFiles(await files.list(path), path));
    },
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip());
      await focusComposer();
    },
  };
}
