import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError, toHostError } from '../../base/errors.js';
import { removeFile, writePrivateFile } from '../../node/files.js';
import { parentOf, readWorkFile, removeWorkFile, type WorkFile, writeWorkFile } from '../../node/workFiles.js';
import type { LeftFile } from '../../session/changes.js';
import { realPathWithin } from '../files.js';
import type { OpenedFolder } from './folderChanges.js';
import { blobOf } from './records.js';
import { type BytePath, type FileDifference, type FileVersion, shown } from './snapshot.js';
import type { FileChange, UndoSources } from './undo.js';

/** What an editor has of files. Nobody answers while none is there. */
export interface EditorTexts {
  /** The texts of those files that are open with unsaved changes. @param paths absolute */
  unsaved(paths: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Changes those files that are open, so that its user can undo it. @param texts by absolute path @returns the paths that it changed */
  edit(texts: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

export interface WorkingFiles extends UndoSources {
  /** Changes the files, each of them completely or not at all. @param files undefined: to be removed */
  apply(files: ReadonlyMap<BytePath, WorkFile | undefined>): Promise<Applied>;
}

export interface Applied {
  readonly done: readonly FileDifference[];
  readonly left: readonly LeftFile[];
}

/** `git merge-file` exits with the number of conflicts, at most 127. */
const mergeCodes = Array.from({ length: 128 }, (_, code) => code);

/** The files of a folder as they are now, in its editors and on disk. @throws HostError `changes_unknown` */
export async function openWorkingFiles(
  { folder, git, records }: OpenedFolder,
  changes: readonly FileChange[],
  editor: EditorTexts,
): Promise<WorkingFiles> {
  const absolute = (path: BytePath): string => join(folder, shown(path));
  const blobs = new Set(changes.flatMap(({ before, after }) => [before?.blob, after?.blob].filter((blob) => blob !== undefined)));
  const contents = await records.contents(blobs);
  const unsaved: Readonly<Record<string, string>> = await editor
    .unsaved([...new Set(changes.map(({ path }) => absolute(path)))])
    .catch(() => ({}));

  async function current(path: BytePath): Promise<WorkFile | 'other' | undefined> {
    const file = await readWorkFile(bytesIn(folder, path));
    const text = unsaved[absolute(path)];
    return text === undefined || file === undefined || file === 'other' ? file : { ...file, bytes: Buffer.from(text) };
  }

  async function versionOf(file: WorkFile | undefined): Promise<FileVersion | undefined> {
    if (file === undefined) return undefined;
    const blob = blobOf(file.bytes);
    return { mode: file.mode, blob: contents.has(blob) ? blob : await records.storeContent(file.bytes) };
  }

  async function change(path: BytePath, file: WorkFile | undefined, isEdited: boolean): Promise<void> {
    if (isEdited) return;
    const target = bytesIn(folder, path);
    await assertWithin(folder, target);
    if (file === undefined) await removeWorkFile(target, Buffer.from(folder));
    else await writeWorkFile(target, file);
  }

  return {
    current,
    content: async (blob) => contents.get(blob) ?? records.content(blob),
    isBlob: (bytes, blob) => blobOf(bytes) === blob,
    async merge({ base, one, other }) {
      const files = [one, base, other].map((bytes) => ({ path: join(tmpdir(), `acp-host-merge-${randomUUID()}`), bytes }));
      try {
        for (const { path, bytes } of files) await writePrivateFile(path, bytes);
        const { code, stdout } = await git.run(['merge-file', '-p', ...files.map(({ path }) => path)], {
          cwd: folder,
          accepts: mergeCodes,
        });
        return code === 0 ? stdout : undefined;
      } finally {
        for (const { path } of files) await removeFile(path);
      }
    },
    async apply(files) {
      const done: FileDifference[] = [];
      const left: LeftFile[] = [];
      const before = new Map<BytePath, WorkFile | undefined>();
      for (const path of files.keys()) {
        const now = await current(path);
        before.set(path, now === 'other' ? undefined : now);
      }
      const texts = [...files].flatMap(([path, file]): [string, string][] =>
        file === undefined || file.mode === '120000' ? [] : [[absolute(path), file.bytes.toString('utf8')]],
      );
      const edited = new Set(await editor.edit(Object.fromEntries(texts)).catch(() => []));
      // What is removed makes room for folders.
      const order = [...files].sort(([, a], [, b]) => Number(a !== undefined) - Number(b !== undefined));
      for (const [path, file] of order) {
        try {
          await change(path, file, edited.has(absolute(path)));
          const [one, other] = [await versionOf(before.get(path)), await versionOf(file)];
          done.push({ path, from: path, before: one, after: other, added: 0, removed: 0, isBinary: false });
        } catch (error) {
          left.push({ path: shown(path), why: 'refused', detail: toHostError(error).message });
        }
      }
      return { done, left };
    },
  };
}

function bytesIn(folder: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** A link in the place of one of its folders could lead anywhere. @throws HostError `changes_unknown` */
async function assertWithin(folder: string, target: Buffer): Promise<void> {
  const parent = parentOf(target).toString('utf8');
  if (parent !== folder && (await realPathWithin(folder, parent)) !== parent)
    throw new HostError('changes_unknown', { reason: 'link_in_path', path: target.toString('utf8') });
}
