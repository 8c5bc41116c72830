/** `acp-host changes`: what the turns of a conversation changed. */
import type { ConversationState, EngineClient } from '../../core/index.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { type ChangedTurn, filesOf, turnsWithNumber } from '../conversation/changedTurns.js';
import { lookAtConversation } from '../conversation/openConversation.js';
import { changedFileFacts, turnLines } from '../output/changeText.js';
import { toCliError } from '../output/errorText.js';
import { paintFor } from '../output/terminalText.js';
import { type ChangesLine, schemaVersion } from '../output/reportSchema.js';
import { counted } from '../../text/sentence.js';
import { type Io, isColored, writeJson } from '../system/io.js';

/** @throws HostError `usage` for an unknown ID or turn, `changes_unknown` */
export async function showChanges(request: RequestOf<'changes'>, io: Io): Promise<void> {
  await lookAtConversation(request, io, async (client, state) => {
    const turns = turnsWithNumber(state, request.turn);
    switch (request.format) {
      case 'json':
        writeJson(io.stdout, await changesLine(client, state, turns));
        break;
      case 'patch':
        io.stdout.write(await patchOf(client, state, turns));
        tellLeftOut(turns, io);
        break;
      case 'text':
        io.stdout.write(await textOf(client, state, turns, request.turn, io));
    }
    if (request.format !== 'json') tellFailure(state, io);
  });
}

/** Says why the changes of the last turn are missing. */
export function tellFailure({ changesFailure }: ConversationState, io: Io): void {
  if (changesFailure !== undefined) io.stderr.write(`acp-host: ${toCliError(changesFailure).message}\n`);
}

async function changesLine(client: EngineClient, { id }: ConversationState, turns: readonly ChangedTurn[]): Promise<ChangesLine> {
  const lines: ChangesLine['turns'] = [];
  for (const turn of turns) {
    const { kind, problems } = turn.set;
    lines.push({
      turn: turn.number,
      ...(kind === 'running' && { running: true }),
      ...(problems.length > 0 && { problems: [...problems] }),
      files: (await filesOf(client, id, turn)).map(changedFileFacts),
    });
  }
  return { schemaVersion, id, turns: lines };
}

async function patchOf(client: EngineClient, { id }: ConversationState, turns: readonly ChangedTurn[]): Promise<Buffer> {
  const sets = turns.flatMap(({ set }) => (set.kind === 'running' ? [] : [set.id]));
  return sets.length === 0 ? Buffer.alloc(0) : Buffer.from(await client.call('changes_patch', { id, sets }), 'base64');
}

/** Git takes back nothing outside of the folder in which it runs. */
function tellLeftOut(turns: readonly ChangedTurn[], io: Io): void {
  const elsewhere = turns.flatMap(({ set }) => set.files.filter((file) => file.path.startsWith('../') && file.isUndone !== true));
  const count = new Set(elsewhere.map((file) => file.path)).size;
  if (count === 0) return;
  io.stderr.write(`acp-host: The patch leaves out ${counted(count, 'file')} in other folders, which \`acp-host undo\` takes back.\n`);
}

async function textOf(
  client: EngineClient,
  { id }: ConversationState,
  turns: readonly ChangedTurn[],
  number: number | undefined,
  io: Io,
): Promise<string> {
  const paint = paintFor(isColored(io.stdout, io.env));
  const blocks: string[] = [];
  for (const turn of turns) blocks.push(turnLines({ ...turn, files: await filesOf(client, id, turn) }, paint).join('\n'));
  return blocks.length === 0 ? `${nothingChanged(number)}\n` : `${blocks.join('\n\n')}\n`;
}

function nothingChanged(number: number | undefined): string {
  return number === undefined ? 'No files were changed.' : `Turn ${number} changed no files.`;
}
