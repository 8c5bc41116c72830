import { join } from 'node:path';
import { ChangesInFolders } from '../services/changes/changesInFolders.js';
import { changesFolder, FolderChanges, type RecordingOptions } from '../services/changes/folderChanges.js';
import { type FileLine, findLineOrigin, lineHistory } from '../services/changes/lineOrigin.js';
import { removeUnused } from '../services/changes/upkeep.js';
import type { EditorTexts } from '../services/changes/workingFiles.js';
import { isDeepStrictEqual } from 'node:util';
import { HostError } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { readSmallFile, realFolderPath, replaceSmallFile } from '../node/smallFiles.js';
import type { LineOrigin } from '../session/changes.js';
import { recordingSchema } from './callSchemas.js';

/** What the turns of all conversations changed. Each conversation has one owner of it, as long as the engine runs. */
export class EngineChanges {
  readonly #stateFolder: string;
  readonly #folders = new Map<string, FolderChanges>();
  readonly #conversations = new Map<string, ChangesInFolders>();
  #options: Partial<RecordingOptions> = {};

  /** @param stateFolder absolute */
  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  /** Reads what to record, and removes repositories that are of no use any more. Call this before the others. Never rejects. */
  async load(): Promise<void> {
    try {
      this.#options = recordingSchema.safeParse(parseJson(readSmallFile(this.#file)?.text ?? '')).data ?? {};
    } catch {
      // What is not known is as if nobody had said it.
    }
    await removeUnused(changesFolder(this.#stateFolder)).catch(() => {});
  }

  /** Says what to record from now on, also to the next engine. The last one counts. */
  configure(options: RecordingOptions): void {
    if (!isDeepStrictEqual(options, this.#options)) this.#save(options);
    this.#options = options;
    for (const folder of this.#folders.values()) folder.configure(options);
  }

  /** @param cwd absolute @param editor the one in which its user works, whichever that is at the time */
  of(id: string, cwd: string, editor: EditorTexts): ChangesInFolders {
    const known = this.#conversations.get(id);
    if (known !== undefined) return known;
    const changes = new ChangesInFolders({ id, cwd, folderAt: (path) => this.#in(path), editor });
    this.#conversations.set(id, changes);
    return changes;
  }

  /** @throws HostError `usage` for a conversation that is not open */
  get(id: string): ChangesInFolders {
    const changes = this.#conversations.get(id);
    if (changes === undefined) throw new HostError('usage', { reason: 'conversation_unknown' });
    return changes;
  }

  /** The user saved these files. @param paths absolute */
  noteSaved(paths: readonly string[]): void {
    for (const folder of this.#folders.values()) for (const path of paths) folder.noteSaved(path);
  }

  /** @param cwd absolute @param place its path is relative to the folder, with `/` @throws HostError `changes_unknown` */
  async lineOrigin(cwd: string, { path, ...place }: FileLine): Promise<LineOrigin | undefined> {
    const folder = this.#in(cwd);
    if (!(await folder.exists())) return undefined;
    const bytes = Buffer.from(path).toString('latin1');
    return folder.read(({ records }) => findLineOrigin(lineHistory(records), { ...place, path: bytes }));
  }

  /** @param cwd absolute @param path relative to the folder, with `/` @throws HostError `changes_unknown` */
  async isChanged(cwd: string, path: string): Promise<boolean> {
    const folder = this.#in(cwd);
    if (!(await folder.exists())) return false;
    return folder.read(async ({ records }) => (await records.changesOf(Buffer.from(path).toString('latin1'))).length > 0);
  }

  /** Removes what was recorded of a conversation that is removed. @throws HostError `changes_unknown` */
  async remove(id: string, cwd: string): Promise<void> {
    const changes = this.#conversations.get(id);
    this.#conversations.delete(id);
    changes?.dispose();
    const own = this.#in(cwd);
    const others = (await own.exists()) ? await own.read(({ records }) => records.otherFolders(id)) : [];
    for (const folder of [own, ...others.map((path) => this.#in(path))]) await folder.remove(id);
  }

  /** Resolves when every turn is recorded, and no git runs any more. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all([...this.#conversations.values()].map((changes) => changes.settled()));
    await Promise.all([...this.#folders.values()].map((folder) => folder.settled()));
  }

  get #file(): string {
    return join(this.#stateFolder, 'recording.json');
  }

  #save(options: RecordingOptions): void {
    try {
      replaceSmallFile(this.#file, JSON.stringify(options));
    } catch {
      // A full disk keeps nobody from working.
    }
  }

  #in(cwd: string): FolderChanges {
    const path = realFolderPath(cwd);
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const folder = new FolderChanges(this.#stateFolder, path, this.#options);
    this.#folders.set(path, folder);
    return folder;
  }
}
