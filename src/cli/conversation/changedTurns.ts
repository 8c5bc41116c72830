/** The turns of a conversation that changed files, by their numbers. */
import {
  type ChangedFile,
  type ChangeSet,
  type ConversationState,
  type EngineClient,
  type SessionState,
  type UndoResult,
  withoutContext,
  sessionsOf,
} from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';
import { textOf } from '../../text/plainText.js';
import { counted } from '../../text/sentence.js';

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
export function changedTurns(state: ConversationState): readonly ChangedTurn[] {
  const sets = new Map(state.changes.flatMap((set) => (set.kind === 'undo' || set.files.length === 0 ? [] : [[set.id, set]])));
  return turnsIn(state).flatMap(({ id, ...turn }, index) => {
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
  const count = turnsIn(state).length;
  if (number > count)
    throw usageError(
      count === 0 ? 'The conversation has no turns yet' : `The conversation has ${counted(count, 'turn')}, so there is no turn ${number}`,
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
  const files = (await filesOf(client, id, turn)).filter((file) => isWanted(file) && file.isUndone !== true);
  return files.length === 0 ? undefined : { turn, files };
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
export function undoTurns(client: EngineClient, id: string, turns: readonly UndoableTurn[], isNamed = false): Promise<UndoResult> {
  const sets = turns.map(({ turn }) => turn.set.id);
  const paths = turns.flatMap(({ files }) => files.map(({ path }) => path));
  return client.call('undo_changes', { id, sets, ...(isNamed && { paths: [...new Set(paths)] }) });
}

/** Whether a turn has ended of which it is not known yet, or not completely, what it changed. */
export function isRecording({ session, changes }: ConversationState): boolean {
  const running = session === undefined || session.turn.type === 'idle' ? undefined : session.turn.turnId;
  return changes.some(({ id, kind }) => kind === 'running' && id !== running);
}

/** All turns. Those of which nothing but their changes is saved any more are older than the others. */
function turnsIn(state: ConversationState): readonly Turn[] {
  const turns = sessionsOf(state).flatMap(turnsOf);
  const known = new Set(turns.map(({ id }) => id));
  const older = state.changes.filter(({ id, kind }) => kind === 'turn' && !known.has(id));
  return [...older.map(({ id, at }) => ({ id, at, prompt: '' })), ...turns];
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
