/** The turns of a conversation that changed files, by their numbers. */
import {
  type ChangedFile,
  type ChangeSet,
  type ConversationState,
  type EngineClient,
  type LeftFile,
  type SessionState,
  type UndoResult,
  withoutContext,
} from '../../core/index.js';
import { usageError } from '../arguments/usageError.js';
import { textOf } from '../output/contentText.js';

export interface ChangedTurn {
  /** Among all turns of the conversation, 1-based. */
  readonly number: number;
  /** Empty if the agent began the turn by itself. */
  readonly prompt: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly set: ChangeSet;
}

interface Turn extends Omit<ChangedTurn, 'number' | 'set'> {
  readonly id: string;
}

/** Oldest first. */
export function changedTurns({ earlierSessions, session, changes }: ConversationState): readonly ChangedTurn[] {
  const sets = new Map(changes.flatMap((set) => (set.kind === 'undo' || set.files.length === 0 ? [] : [[set.id, set]])));
  const turns = [...earlierSessions, ...(session === undefined ? [] : [session])].flatMap(turnsOf);
  return turns.flatMap(({ id, ...turn }, index) => {
    const set = sets.get(id);
    return set === undefined ? [] : [{ ...turn, number: index + 1, set }];
  });
}

/**
 * Returns the turn with this number, if it changed something; all turns that did if there is no number.
 * @throws HostError `usage` if the conversation has fewer turns
 */
export function turnsWithNumber(state: ConversationState, number: number | undefined): readonly ChangedTurn[] {
  const turns = changedTurns(state);
  if (number === undefined) return turns;
  const { earlierSessions, session } = state;
  const count = [...earlierSessions, ...(session === undefined ? [] : [session])].flatMap(turnsOf).length;
  if (number > count)
    throw usageError(
      count === 0
        ? 'The conversation has no turns yet'
        : `The conversation has ${count === 1 ? '1 turn' : `${count} turns`}, so there is no turn ${number}`,
    );
  return turns.filter((turn) => turn.number === number);
}

/** All files that the turn changed. @throws HostError `changes_unknown` */
export async function filesOf(client: EngineClient, id: string, { set }: ChangedTurn): Promise<readonly ChangedFile[]> {
  if (set.kind === 'running' || set.files.length >= set.fileCount) return set.files;
  return client.call('changed_files', { id, set: set.id });
}

/** A turn with those of its files that are to be undone. */
export interface UndoableTurn {
  readonly turn: ChangedTurn;
  /** Not undone yet. */
  readonly files: readonly ChangedFile[];
  /** These are all files of the turn. */
  readonly isWhole: boolean;
}

/**
 * Returns what is not undone yet of a turn; undefined if that is nothing.
 * @param isWanted of its files, only these @throws HostError `changes_unknown`
 */
export async function undoableIn(
  client: EngineClient,
  id: string,
  turn: ChangedTurn,
  isWanted: (file: ChangedFile) => boolean = () => true,
): Promise<UndoableTurn | undefined> {
  const all = await filesOf(client, id, turn);
  const files = all.filter((file) => isWanted(file) && file.isUndone !== true);
  return files.length === 0 ? undefined : { turn, files, isWhole: files.length === all.length };
}

/** The last turn that changed something and is not undone yet. @throws HostError `changes_unknown` */
export async function lastUndoable(client: EngineClient, state: ConversationState): Promise<UndoableTurn | undefined> {
  for (const turn of [...changedTurns(state)].reverse()) {
    const undoable = await undoableIn(client, state.id, turn);
    if (undoable !== undefined) return undoable;
  }
  return undefined;
}

/**
 * Undoes the files of turns.
 * @param isNamed the user named them: a change that may be the user's is undone, too @throws HostError `changes_unknown`
 */
export async function undoTurns(client: EngineClient, id: string, turns: readonly UndoableTurn[], isNamed = false): Promise<UndoResult> {
  const sets = turns.map(({ turn }) => turn.set.id);
  if (!isNamed && turns.every(({ isWhole }) => isWhole)) return client.call('undo_changes', { id, sets });
  const files = turns.flatMap((turn) => turn.files);
  const isLeft = ({ alsoUser }: ChangedFile): boolean => alsoUser === true && !isNamed;
  const left = files.filter(isLeft).map(({ path }): LeftFile => ({ path, why: 'also_user' }));
  const paths = new Set(files.filter((file) => !isLeft(file)).map(({ path }) => path));
  if (paths.size === 0) return { undone: [], left };
  const result = await client.call('undo_changes', { id, sets, paths: [...paths] });
  return { ...result, left: [...result.left, ...left] };
}

export function isTurnRunning({ session }: ConversationState): boolean {
  return session !== undefined && session.turn.type !== 'idle';
}

export function isAllUndone(files: readonly ChangedFile[]): boolean {
  return files.every((file) => file.isUndone === true);
}

/** The turns of one session, the running one last. */
function turnsOf({ items, turn }: SessionState): readonly Turn[] {
  const prompts = new Map<string, string>();
  for (const item of items) {
    if (item.kind === 'message' && item.role === 'user' && item.turnId !== undefined && !prompts.has(item.turnId))
      prompts.set(item.turnId, withoutContext(item.content).map(textOf).join(' '));
  }
  const ended = items.flatMap((item) => (item.kind === 'turn_end' ? [{ id: item.turnId, at: item.startedAt }] : []));
  const running = turn.type === 'idle' ? [] : [{ id: turn.turnId, at: turn.startedAt }];
  return [...ended, ...running].map((one) => ({ ...one, prompt: prompts.get(one.id) ?? '' }));
}
