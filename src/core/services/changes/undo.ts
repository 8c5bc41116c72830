/** Decides how files look when changes are taken back, without touching one. */
import { isUtf8 } from 'node:buffer';
import { inBatches, sliced } from '../../node/sliced.js';
import type { FileMode } from '../../node/workFiles.js';
import type { LeftFile } from '../../session/changes.js';
import { type BytePath, type FileDifference, type FileVersion, shown, unkeptIn } from './differences.js';

/** What one change set did to one file. */
export interface RecordedDifference extends FileDifference {
  /** The id of the change set. */
  readonly set: string;
}

/** How a file is, or is to be. */
export interface FileState {
  readonly mode: FileMode;
  readonly blob: string;
  /** Absent: its content is recorded. */
  readonly bytes?: Buffer;
}

/** Why files are left as they are. */
export type Why = Pick<LeftFile, 'why' | 'detail'>;

export interface UndoSources {
  /** What is there now: unsaved text first. */
  current(path: BytePath): Promise<FileState | Why | undefined>;
  /** What is saved under unsaved text, which `current` has; undefined if there is none. */
  saved(path: BytePath): FileState | undefined;
  /** @throws HostError `changes_unknown` */
  content(blob: string): Promise<Buffer>;
  /** The state of a file with this content. */
  stateOf(mode: FileMode, bytes: Buffer): FileState;
  /** Merges two versions of a text with a common earlier one. @returns undefined if both changed the same lines */
  merge(texts: { readonly base: Buffer; readonly one: Buffer; readonly other: Buffer }): Promise<Buffer | undefined>;
}

export interface PlannedFile {
  readonly now: FileState | undefined;
  /** undefined: there is to be none. */
  readonly to: FileState | undefined;
  /** Only what is saved is changed. The text over it is as it should be. */
  readonly isUnderText?: true;
}

/** Files that are taken back together or not at all: a single one, unless it was renamed. */
export interface UndoUnit {
  /** Only files that are not yet as they are to be. */
  readonly files: ReadonlyMap<BytePath, PlannedFile>;
  readonly differences: readonly RecordedDifference[];
}

/** How many are read, or written, at the same time. */
export const unitsAtOnce = 8;

export interface UndoPlan {
  readonly units: readonly UndoUnit[];
  readonly left: readonly LeftFile[];
}

/**
 * @param differences of one change set after the other, the newest first
 * @param mayTake false for a file that the user may have changed, and that was not named
 * @param newNameOf what a file is called that is no longer there, if that is known
 * @throws HostError `changes_unknown`
 */
export async function planUndo(
  differences: readonly RecordedDifference[],
  sources: UndoSources,
  mayTake: (path: BytePath) => boolean = () => true,
  newNameOf: (path: string) => string | undefined = () => undefined,
): Promise<UndoPlan> {
  const plans = await inBatches(await unitsOf(differences), unitsAtOnce, async (unit) => {
    const planned: UndoUnit | Why = unit.every(({ path }) => mayTake(path)) ? await planUnit(unit, sources) : { why: 'also_user' };
    if (!('why' in planned)) return { units: [planned], left: [] };
    const isGone = planned.why === 'changed' && (await sources.current(unit[0]?.path ?? '')) === undefined;
    const left = leftOf(unit, planned).map((file): LeftFile => {
      const name = isGone ? newNameOf(file.path) : undefined;
      return name === undefined ? file : { ...file, detail: name };
    });
    return { units: [], left };
  });
  return { units: plans.flatMap(({ units }) => units), left: plans.flatMap(({ left }) => left) };
}

/** @returns each file of the unit once, as it is called in a change set */
export function leftOf(unit: readonly FileDifference[], why: Why): readonly LeftFile[] {
  return [...new Set(unit.map(({ path }) => shown(path)))].map((path) => ({ path, ...why }));
}

/** Those that share a path belong together. Their order stays. */
async function unitsOf(differences: readonly RecordedDifference[]): Promise<readonly (readonly RecordedDifference[])[]> {
  const links = new Map<BytePath, BytePath>();
  const nameOf = (path: BytePath): BytePath => {
    let name = path;
    for (let next = links.get(name); next !== undefined; next = links.get(name)) name = next;
    if (name !== path) links.set(path, name);
    return name;
  };
  for await (const { path, from } of sliced(differences)) {
    const [one, other] = [nameOf(path), nameOf(from)];
    if (one !== other) links.set(other, one);
  }
  const units = new Map<BytePath, RecordedDifference[]>();
  for await (const difference of sliced(differences)) {
    const name = nameOf(difference.path);
    const unit = units.get(name);
    if (unit === undefined) units.set(name, [difference]);
    else unit.push(difference);
  }
  return [...units.values()];
}

async function planUnit(differences: readonly RecordedDifference[], sources: UndoSources): Promise<UndoUnit | Why> {
  const found = new Map<BytePath, FileState | undefined>();
  for (const path of new Set(differences.flatMap((one) => [one.path, one.from]))) {
    const now = await sources.current(path);
    if (now !== undefined && 'why' in now) return now;
    found.set(path, now);
  }
  const states = await takeAllBack(differences, found, sources);
  if ('why' in states) return (await planUnderText(differences, found, sources)) ?? states;
  const files = new Map<BytePath, PlannedFile>();
  for (const [path, to] of states) {
    const now = found.get(path);
    if (!isSame(now, to)) files.set(path, { now, to });
    else {
      // Text that was begun before the change never had it, and its file has.
      const saved = sources.saved(path);
      const others = saved && (await takeAllBack(differences, new Map(found).set(path, saved), sources));
      const under = others === undefined || 'why' in others ? saved : others.get(path);
      if (!isSame(saved, under)) files.set(path, { now: saved, to: under, isUnderText: true });
    }
  }
  return { files, differences };
}

/**
 * The lines of an unsaved text can't be told apart from the change. If it rather is a version of what was there before, the change was made
 * under it: then the file is taken back, and the text stays.
 * @returns undefined if it is not
 */
async function planUnderText(
  differences: readonly RecordedDifference[],
  found: ReadonlyMap<BytePath, FileState | undefined>,
  sources: UndoSources,
): Promise<UndoUnit | undefined> {
  const [[path, text] = ['', undefined], ...others] = found;
  const saved = sources.saved(path);
  if (text === undefined || saved === undefined || others.length > 0) return undefined;
  const states = await takeAllBack(differences, new Map([[path, saved]]), sources);
  const to = 'why' in states ? undefined : states.get(path);
  if (to === undefined) return undefined;
  const contents = [text, to, saved].map(async ({ blob, bytes }) => linesOf(bytes ?? (await sources.content(blob))));
  const [its = [], earlier = [], later = []] = await Promise.all(contents);
  if (differingLines(its, earlier) >= differingLines(its, later)) return undefined;
  return { files: new Map([[path, { now: saved, to, isUnderText: true }]]), differences };
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').split('\n');
}

/** How many lines only one of them has, in whatever order. */
function differingLines(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of other) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

/** @param found what is there now @returns what is to be there */
async function takeAllBack(
  differences: readonly RecordedDifference[],
  found: ReadonlyMap<BytePath, FileState | undefined>,
  sources: UndoSources,
): Promise<ReadonlyMap<BytePath, FileState | undefined> | Why> {
  const states = new Map(found);
  for (const difference of differences) {
    const { path, from } = difference;
    const step = await takeBack(difference, { now: states.get(path), earlier: states.get(from) }, sources);
    if ('why' in step) return step;
    // A file that is renamed leaves its name.
    states.set(path, undefined).set(from, step.to);
  }
  return states;
}

type Step = { readonly to: FileState | undefined } | Why;

/** @param files.earlier what is there now under the earlier name */
async function takeBack(
  { path, from, before, after }: FileDifference,
  { now, earlier }: { readonly now: FileState | undefined; readonly earlier: FileState | undefined },
  sources: UndoSources,
): Promise<Step> {
  if ((path === from || now === undefined) && isSame(earlier, before)) return { to: earlier };
  const unkept = unkeptIn({ before, after });
  if (unkept !== undefined) return { why: 'unkept', detail: unkept };
  if (path !== from && earlier !== undefined) return { why: 'changed' };
  const [one, other] = [stateOf(before), stateOf(after)];
  if (isSame(now, other)) return { to: one };
  // A file that was added or removed can't be merged.
  if (now === undefined || one === undefined || other === undefined) return { why: 'changed' };
  const merged = await mergeStates(now, one, other, sources);
  return merged === undefined ? { why: 'changed' } : { to: merged };
}

/** The file was changed since: takes back what became of `before` in `after`, and leaves everything else. */
async function mergeStates(now: FileState, before: FileState, after: FileState, sources: UndoSources): Promise<FileState | undefined> {
  if ([now, before, after].some(({ mode }) => mode === '120000')) return undefined;
  const mode = now.mode === after.mode ? before.mode : now.mode;
  if (now.blob === after.blob) return { ...before, mode };
  if (before.blob === after.blob || now.blob === before.blob) return { ...now, mode };
  const contents = [after, now, before].map(async ({ blob, bytes }) => bytes ?? sources.content(blob));
  const [base, one, other] = await Promise.all(contents);
  if (base === undefined || one === undefined || other === undefined || ![base, one, other].every(isText)) return undefined;
  const bytes = await sources.merge({ base, one, other });
  return bytes === undefined ? undefined : sources.stateOf(mode, bytes);
}

/** Whether both are known and alike, or there is neither. */
export function isSame(one: FileState | FileVersion | undefined, other: FileState | FileVersion | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.blob !== undefined && one.blob === other.blob && one.mode === other.mode;
}

function stateOf(version: FileVersion | undefined): FileState | undefined {
  if (version?.blob === undefined) return undefined;
  const { mode, blob } = version;
  return { mode: mode === '100755' || mode === '120000' ? mode : '100644', blob };
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
