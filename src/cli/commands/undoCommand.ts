/** `acp-host undo`: takes back what turns changed. */
import path from 'node:path';
import { type HostError, isInTurn } from '../../core/index.js';
import { type ConversationState, type EngineClient, type UndoResult } from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { turnsWithNumber, type UndoableTurn, undoableIn, undoTurns } from '../conversation/changedTurns.js';
import { lookAtConversation } from '../conversation/openConversation.js';
import { turnLines, undoLines } from '../output/changeText.js';
import { ExitCode } from '../output/exitCode.js';
import { schemaVersion, type UndoLine } from '../output/reportSchema.js';
import { oneLine } from '../../text/plainText.js';
import { paintFor } from '../output/terminalText.js';
import { realFolder } from '../system/files.js';
import { type Io, isColored, isInteractive, writeJson } from '../system/io.js';
import { tellFailure } from './changesCommand.js';
import { confirm } from '../system/askOnce.js';

const nothing: UndoResult = { undone: [], left: [] };

/**
 * @returns the exit code
 * @throws HostError `usage` for an unknown ID, turn or file, and if nobody can be asked; `changes_unknown`
 */
export async function undoChanges(request: RequestOf<'undo'>, io: Io): Promise<number> {
  if (!request.yes && !isInteractive(io))
    throw usageError('undo asks before it changes files, which needs a terminal. Without one, use --yes');
  return lookAtConversation(request, io, async (client, state) => {
    const chosen = await choose(client, state, request);
    if (chosen.length > 0 && !request.yes) await askAbout(chosen, io);
    const isNamed = request.files.length > 0;
    const result = chosen.length === 0 ? nothing : await undoTurns(client, state.id, chosen, isNamed);
    report(result, state, request, io);
    if (chosen.length === 0 && request.format === 'text') tellFailure(state, io);
    return result.left.length === 0 ? ExitCode.ended : ExitCode.failed;
  });
}

async function choose(client: EngineClient, state: ConversationState, request: RequestOf<'undo'>): Promise<readonly UndoableTurn[]> {
  const { turn: number, all, files: given } = request;
  if (number === undefined && isInTurn(state)) throw stillRunning(state);
  const names = await Promise.all(given.map((name) => namesIn(state.cwd, name)));
  const found = new Set<readonly string[]>();
  const chosen: UndoableTurn[] = [];
  for (const turn of [...turnsWithNumber(state, number)].reverse()) {
    const undoable = await undoableIn(client, state.id, turn, (file) => {
      const named = names.filter((ways) => ways.includes(file.path) || (file.from !== undefined && ways.includes(file.from)));
      named.forEach((ways) => found.add(ways));
      return names.length === 0 || named.length > 0;
    });
    if (undoable === undefined) continue;
    chosen.unshift(undoable);
    if (!all) break;
  }
  if (chosen.some(({ turn }) => turn.set.kind === 'running')) throw stillRunning(state);
  const missing = given.find((_, index) => !found.has(names[index] ?? []));
  if (missing === undefined) return chosen;
  const where = number ?? (all ? undefined : chosen[0]?.turn.number);
  throw usageError(`${where === undefined ? 'No turn changed' : `Turn ${where} did not change`} "${oneLine(missing)}"`);
}

function stillRunning({ id }: ConversationState): HostError {
  return usageError(`A turn is running. Stop it with \`acp-host stop ${id}\`, or choose an earlier one with --turn`);
}

/** Returns what `ChangedFile` may call a file. @param cwd of the conversation, perhaps through a link @param name absolute, or relative to it */
async function namesIn(cwd: string, name: string): Promise<readonly string[]> {
  const roots = [cwd, (await realFolder(cwd)) ?? cwd];
  return roots.map((root) => path.relative(root, path.resolve(cwd, name)).replaceAll(path.sep, '/'));
}

/** Shows the files, and asks. @throws HostError `cancelled` for any answer but yes */
async function askAbout(chosen: readonly UndoableTurn[], io: Io): Promise<void> {
  const paint = paintFor(isColored(io.stderr, io.env));
  for (const { turn, files } of chosen) io.stderr.write(`${turnLines({ ...turn, files }, paint).join('\n')}\n\n`);
  await confirm('Undo these changes?', 'Nothing was undone', io);
}

function report({ undone, left }: UndoResult, { id }: ConversationState, { format }: RequestOf<'undo'>, io: Io): void {
  if (format === 'json') {
    const line: UndoLine = { schemaVersion, id, undone: [...undone], left: left.map((file) => ({ ...file })) };
    return writeJson(io.stdout, line);
  }
  if (undone.length === 0 && left.length === 0) io.stdout.write('There is nothing to undo.\n');
  const lines = undoLines({ undone, left });
  for (const line of lines.undone) io.stdout.write(`${line}\n`);
  for (const line of lines.left) io.stderr.write(`${line}\n`);
  if (left.some(({ why }) => why === 'also_user')) io.stderr.write('  To undo a change that may be yours, name the file with --file.\n');
}
