import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDeadline } from '../../base/deadline.js';
import { HostError, messageOf } from '../../base/errors.js';
import { removeFile, writePrivateFile } from '../../node/files.js';
import { inBatches, sliced } from '../../node/sliced.js';
import {
  type FileMode,
  leadsOverLink,
  readWorkFile,
  removeWorkFile,
  type WorkFile,
  workFileFacts,
  writeWorkFile,
} from '../../node/workFiles.js';
import type { LeftFile } from '../../session/changes.js';
import { type BytePath, type FileDifference, type FileVersion } from './differences.js';
import { blobOf } from './records.js';
import { expectFolder, keptBytes } from './snapshot.js';
import {
  type FileState,
  leftOf,
  type PlannedFile,
  type RecordedDifference,
  type UndoPlan,
  type UndoSources,
  type UndoUnit,
  unitsAtOnce,
  type Why,
} from './undo.js';
import type { OpenedFolder } from './unfinished.js';

/** What an editor has of files. Nobody answers while none is there. */
export interface EditorTexts {
  /** The texts of those files that are open with unsaved changes. @param paths absolute */
  unsaved(paths: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /**
   * Changes those files that are open, so that its user can undo it, and saves those that had no unsaved changes.
   * @param texts by absolute path
   * @param saves saves the others, too
   * @param late aborted when it is too late to begin
   * @returns the paths of the files that are as they should be
   */
  edit(texts: Readonly<Record<string, string>>, saves?: boolean, late?: AbortSignal): Promise<readonly string[]>;
}

/** How long an editor may take to tell what it has; and to change and save files, for which it may run formatters. */
const editorLookMs = 10_000;
const editorSaveMs = 60_000;

/** @returns the same editor; the calls reject with HostError `request_timeout` if it hangs */
export function inTime(editor: EditorTexts): EditorTexts {
  return {
    unsaved: (paths) => unlessLate(() => editor.unsaved(paths), 'unsaved_texts', editorLookMs),
    edit: (texts, saves) => unlessLate((late) => editor.edit(texts, saves, late), 'edit_texts', editorSaveMs),
  };
}

export function isLate(error: unknown): boolean {
  return error instanceof HostError && error.code === 'request_timeout';
}

function unlessLate<T>(ask: (late: AbortSignal) => Promise<T>, method: string, timeoutMs: number): Promise<T> {
  const late = new AbortController();
  return new Promise((resolve, reject) => {
    const stop = startDeadline(timeoutMs, () => {
      late.abort();
      reject(new HostError('request_timeout', { method, timeoutMs }));
    });
    ask(late.signal).finally(stop).then(resolve, reject);
  });
}

export interface WorkingFiles extends UndoSources {
  /** Records all contents, so that the change itself can be recorded. What can't be recorded is left. Never rejects. */
  keep(units: readonly UndoUnit[]): Promise<UndoPlan>;
  /** Changes the files, those of a unit all or none. @throws HostError `changes_unknown` before anything was changed */
  apply(units: readonly UndoUnit[]): Promise<Applied>;
}

export interface Applied {
  /** What was changed, each file with how it was and how it is. */
  readonly done: readonly FileDifference[];
  /** What was taken back, also where nothing had to be changed. */
  readonly units: readonly UndoUnit[];
  readonly left: readonly LeftFile[];
}

/** A file that is to be changed. */
interface Step extends PlannedFile {
  readonly unit: UndoUnit;
  readonly path: BytePath;
}
type Writing = Step & { readonly to: FileState };

/** `git merge-file` exits with the number of conflicts, at most 127, or with 255 if it can't merge. */
const mergeCodes = [...Array.from({ length: 128 }, (_, code) => code), 255];
/** How much is in memory at a time, and in one message to an editor. */
const groupBytes = 8 * 1024 * 1024;
/** How many are looked at without letting others run. */
const groupFiles = 500;
const byteOrderMark = Buffer.from('\uFEFF');

/** For whom files are changed. */
export interface Editing {
  /** Of the change set. */
  readonly id: string;
  readonly editor: EditorTexts;
  /** Returns what the editor calls a file, absolute. */
  nameOf(path: BytePath): string;
}

/** The files of a folder as they are now, in its editors and on disk. @throws HostError `changes_unknown` */
export async function openWorkingFiles(
  { folder, git, records }: OpenedFolder,
  differences: readonly RecordedDifference[],
  { id, editor: anyEditor, nameOf }: Editing,
): Promise<WorkingFiles> {
  const editor = inTime(anyEditor);
  await expectFolder(folder);
  const root = Buffer.from(folder);
  const inFolder = (path: BytePath): Buffer => Buffer.concat([root, Buffer.from(`/${path}`, 'latin1')]);
  const recorded = new Set<string | undefined>();
  const names = new Set<string>();
  for await (const { path, from, before, after } of sliced(differences)) {
    recorded.add(before?.blob).add(after?.blob);
    names.add(nameOf(path)).add(nameOf(from));
  }
  const unsaved: Readonly<Record<string, string>> = await editor.unsaved([...names]).catch((error: unknown) => {
    // Its unsaved texts must not be left out.
    if (isLate(error)) throw new HostError('changes_unknown', { reason: 'editor_hangs' });
    return {};
  });
  /** Of each file with unsaved text. */
  const saved = new Map<BytePath, FileState>();
  /** Of each file when it was read. */
  const stamps = new Map<BytePath, string | undefined>();
  const stampOf = (path: BytePath): string | undefined => workFileFacts(inFolder(path))?.stamp;

  function stateOf(mode: FileMode, bytes: Buffer): FileState {
    const blob = blobOf(bytes);
    return recorded.has(blob) ? { mode, blob } : { mode, blob, bytes };
  }

  async function current(path: BytePath): Promise<FileState | Why | undefined> {
    try {
      // Nothing beyond a link was recorded, so there is no such file.
      if (leadsOverLink(inFolder(path), root)) return undefined;
      stamps.set(path, stampOf(path));
      const file = await readWorkFile(inFolder(path), keptBytes);
      if (file === 'other') return { why: 'changed' };
      if (file === undefined) return undefined;
      const text = file.mode === '120000' ? undefined : unsaved[nameOf(path)];
      if (text === undefined) return stateOf(file.mode, file.bytes);
      saved.set(path, stateOf(file.mode, file.bytes));
      return stateOf(file.mode, bytesOf(text, file));
    } catch (error) {
      return refusal(error);
    }
  }

  /** Why the file can't be changed as planned. */
  function problemOf({ path }: Step): Why | undefined {
    try {
      const isSame = !leadsOverLink(inFolder(path), root) && stampOf(path) === stamps.get(path);
      return isSame ? undefined : { why: 'changed' };
    } catch (error) {
      return refusal(error);
    }
  }

  async function put(path: BytePath, file: WorkFile | undefined): Promise<Why | undefined> {
    try {
      if (file === undefined) await removeWorkFile(inFolder(path), root);
      else await writeWorkFile(inFolder(path), file, id);
      return undefined;
    } catch (error) {
      return isTaken(error) ? { why: 'changed' } : refusal(error);
    }
  }

  /** Writes what the editor did not save exactly so. */
  async function correct({ path, now, to }: Writing, bytes: Buffer, isEdited: boolean): Promise<Why | undefined> {
    const found = await readWorkFile(inFolder(path), Number.MAX_SAFE_INTEGER).catch(() => undefined);
    const disk = found === 'other' ? undefined : found;
    // What the user has not saved stays unsaved.
    const isKept = unsaved[nameOf(path)] !== undefined && (isEdited || now?.blob === to.blob);
    const file = { mode: to.mode, bytes: isKept && disk !== undefined ? disk.bytes : bytes };
    return disk?.mode === file.mode && disk.bytes.equals(file.bytes) ? undefined : put(path, file);
  }

  async function putBack({ path, now }: Step): Promise<boolean> {
    const bytes = now && (now.bytes ?? (await records.content(now.blob).catch(() => undefined)));
    if (now !== undefined && bytes === undefined) return false;
    return (await put(path, now && bytes && { mode: now.mode, bytes })) === undefined;
  }

  /** @returns the names of the files that the editor changed, and of those that it may still change */
  async function edit(
    writings: readonly Writing[],
    contents: ReadonlyMap<string, Buffer>,
  ): Promise<{ readonly edited: ReadonlySet<string>; readonly late?: ReadonlySet<string> }> {
    const texts = writings.flatMap(({ path, now, to, isUnderText }): [string, string][] => {
      if (isUnderText === true) return [];
      const bytes = to.bytes ?? contents.get(to.blob);
      const isText = bytes !== undefined && to.mode !== '120000' && isUtf8(bytes);
      // In the place of a link, an editor still has the file that was there before.
      return isText && now !== undefined && now.mode !== '120000' && now.blob !== to.blob ? [[nameOf(path), textOf(bytes)]] : [];
    });
    try {
      return { edited: new Set(texts.length === 0 ? [] : await editor.edit(Object.fromEntries(texts))) };
    } catch (error) {
      return { edited: new Set(), ...(isLate(error) && { late: new Set(texts.map(([name]) => name)) }) };
    }
  }

  return {
    current,
    saved: (path) => saved.get(path),
    stateOf,
    content: (blob) => records.content(blob),
    async merge({ base, one, other }) {
      const files = [one, base, other].map((bytes) => ({ path: join(tmpdir(), `acp-host-merge-${randomUUID()}`), bytes }));
      try {
        for (const { path, bytes } of files) await writePrivateFile(path, bytes);
        const call = { cwd: git.directory, accepts: mergeCodes };
        const { code, stdout } = await git.run(['merge-file', '-p', ...files.map(({ path }) => path)], call);
        return code === 0 ? stdout : undefined;
      } finally {
        for (const { path } of files) await removeFile(path);
      }
    },
    async keep(units) {
      const kept = await inBatches(units, unitsAtOnce, async (unit): Promise<UndoPlan> => {
        try {
          for (const state of [...unit.files.values()].flatMap(({ now, to }) => [now, to]))
            if (state?.bytes !== undefined) await records.storeContent(state.bytes);
          return { units: [unit], left: [] };
        } catch (error) {
          return { units: [], left: leftOf(unit.differences, refusal(error)) };
        }
      });
      return { units: kept.flatMap((one) => one.units), left: kept.flatMap(({ left }) => left) };
    },
    async apply(units) {
      const steps: Step[] = [];
      for await (const unit of sliced(units)) for (const [path, file] of unit.files) steps.push({ unit, path, ...file });
      const writings = steps.filter((step): step is Writing => step.to !== undefined);
      const sizes = await records.sizes(writings.flatMap(({ to }) => (to.bytes === undefined ? [to.blob] : [])));
      const failed = new Map<UndoUnit, Why>();
      const done = new Map<UndoUnit, readonly Step[]>();
      const attempt = async (step: Step, change: () => Promise<Why | undefined>): Promise<void> => {
        const { unit } = step;
        if (failed.has(unit)) return;
        const why = await change();
        const before = done.get(unit) ?? [];
        if (why === undefined) return void done.set(unit, [...before, step]);
        failed.set(unit, why);
        const stuck: Step[] = [];
        for (const one of before) if (!(await putBack(one))) stuck.push(one);
        done.set(unit, stuck);
      };
      // What is removed makes room for folders.
      const removals = steps.filter(({ to }) => to === undefined);
      for (const group of groupsOf(removals, () => 0))
        await unitByUnit(group, (step) => attempt(step, async () => problemOf(step) ?? put(step.path, undefined)));
      for (const group of groupsOf(writings, ({ to }) => to.bytes?.length ?? sizes.get(to.blob) ?? 0)) {
        const contents = await records.contents(group.map(({ to }) => to.blob));
        const ready = group.filter((step) => problemOf(step) === undefined && !failed.has(step.unit));
        const { edited, late } = await edit(ready, contents);
        await unitByUnit(group, (step) =>
          attempt(step, async () => {
            const name = nameOf(step.path);
            const bytes = step.to.bytes ?? contents.get(step.to.blob);
            if (bytes === undefined) return { why: 'unkept' };
            if (late?.has(name) === true) return { why: 'refused', detail: 'editor_hangs' };
            if (edited.has(name)) return correct(step, bytes, true);
            // The user may have been faster than the editor.
            const problem = problemOf(step);
            if (problem !== undefined) return problem;
            return unsaved[name] === undefined || step.isUnderText === true
              ? put(step.path, { mode: step.to.mode, bytes })
              : correct(step, bytes, false);
          }),
        );
      }
      return {
        done: [...done.values()].flat().map(differenceOf),
        units: units.filter((unit) => !failed.has(unit)),
        left: [...failed].flatMap(([unit, why]) => leftOf(unit.differences, why)),
      };
    },
  };
}

export function differenceOf({ path, now, to }: Omit<Step, 'unit'>): FileDifference {
  return { path, from: path, before: versionOf(now), after: versionOf(to), added: 0, removed: 0, isBinary: false };
}

function versionOf(state: FileState | undefined): FileVersion | undefined {
  return state && { mode: state.mode, blob: state.blob };
}

/** An editor leaves out the mark at the beginning of a file. */
function bytesOf(text: string, { bytes }: WorkFile): Buffer {
  return Buffer.concat([bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0), Buffer.from(text)]);
}

function textOf(bytes: Buffer): string {
  return (bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes).toString('utf8');
}

/** @returns the same in the same order, few and small enough to be done at a time; what is too large for a group is one of its own */
function* groupsOf<T>(all: readonly T[], sizeOf: (one: T) => number): Generator<readonly T[]> {
  let group: T[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = sizeOf(one);
    if (group.length > 0 && (bytes + size > groupBytes || group.length === groupFiles)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(one);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/** Several units at the same time, and of each unit one after the other. */
async function unitByUnit<T extends Step>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const units = new Map<UndoUnit, T[]>();
  for (const one of all) units.set(one.unit, [...(units.get(one.unit) ?? []), one]);
  await inBatches([...units.values()], unitsAtOnce, async (its) => {
    for (const one of its) await work(one);
  });
}

/** Whether a folder is in the place of the file, or a file in the place of its folder. */
function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENOTEMPTY' || code === 'EEXIST';
}

/** With what the system or git says, and without the code, the call and the name of a file beside the one that is to be written. */
function refusal(error: unknown): Why {
  const detail = error instanceof HostError ? error.params.detail : messageOf(error).replace(/^E[A-Z0-9]+: |, [a-z]+(?: '.*')?$/gs, '');
  return { why: 'refused', ...(typeof detail === 'string' && { detail }) };
}
