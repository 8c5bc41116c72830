import path from 'node:path';
import { Redactor } from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import { choiceOf, type ChosenAgent, chooseAgent } from '../system/agents.js';
import { realFolder } from '../system/files.js';
import type { Io } from '../system/io.js';
import { newestSession, openJournals } from '../system/journals.js';
import { stateFolder } from '../system/stateFolder.js';
import { usageError } from '../arguments/usageError.js';

/** What the options of the command line refer to on this machine. */
export interface ConversationTarget {
  /** Absolute, without symbolic links. */
  readonly cwd: string;
  readonly agent: ChosenAgent;
  /** Absent: a new session. */
  readonly sessionId: string | undefined;
  /** Identifies the saved conversation where its agent reused the ID; absent: the newest. */
  readonly createdAt: number | undefined;
}

/** @throws HostError `usage`, and other errors before an agent exists */
export async function findTarget(request: ConversationRequest, io: Io): Promise<ConversationTarget> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const wanted = request.agent && (await chooseAgent(request.agent, io, cwd));
  if (request.session.type !== 'continue') {
    return {
      cwd,
      agent: wanted ?? (await chooseAgent(undefined, io, cwd)),
      sessionId: request.session.type === 'id' ? request.session.id : undefined,
      createdAt: undefined,
    };
  }
  const newest = await newestSession(openJournals(stateFolder(request.state, io), new Redactor()), cwd, wanted?.definition.id);
  return {
    cwd,
    agent: wanted ?? (await chooseAgent(choiceOf(newest.agentId), io, cwd)),
    sessionId: newest.sessionId,
    createdAt: newest.createdAt,
  };
}

/** @throws HostError `usage` */
async function existingFolder(folder: string): Promise<string> {
  const real = await realFolder(folder);
  if (real === undefined) throw usageError(`--cwd is not a folder: ${path.resolve(folder)}`);
  return real;
}
