import type { AgentFiles, HostServices, NewRequest } from '../../services/hostServices.js';
import type { SessionEvent } from '../../session/event.js';
import type { AskingSubagent, UserAnswer } from '../../session/userRequest.js';
import type { CallSubagents } from './callSubagents.js';
import type { UpdateMap } from './map.js';
import type { ReportTerminal, SessionTerminals } from './sessionTerminals.js';
import type { Steering } from './steering.js';

/** Who may ask something of the host: a session, or a sub-agent of one. */
export interface AskingSession {
  /** Of the session. */
  readonly id: string;
  /** Absolute: where it works, and where its commands run. */
  readonly cwd: string;
  /** Absolute: the folder of the session. What is in neither this nor the others is asked about, wherever a sub-agent says that it works. */
  readonly folder: string;
  readonly otherFolders?: readonly string[];
  readonly map: UpdateMap;
  files?: AgentFiles;
  terminals?: SessionTerminals;
  readonly cancelling: boolean;
  /** Whose session it is, if it is that of a sub-agent. */
  readonly subagent?: AskingSubagent;
  /** The sub-agents without sessions of their own. */
  readonly calls?: CallSubagents;
  readonly steering?: Steering;
  /** Returns a signal that is also aborted when nobody waits for the answer any more. */
  signalOfTurn(signal: AbortSignal): AbortSignal;
  readonly reportTerminal: ReportTerminal;
  emit(event: SessionEvent | undefined): void;
}

/** Shows a request to the user as one of the session, with the sub-agent that makes it. */
export function askUser(
  { requestUser }: Pick<HostServices, 'requestUser'>,
  session: AskingSession,
  request: NewRequest,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const { id: sessionId } = session;
  const itemId = request.kind === 'permission' ? request.subject.itemId : undefined;
  const subagent = session.subagent ?? (itemId === undefined ? undefined : session.calls?.callerOf(itemId));
  return requestUser({ ...request, sessionId, ...(subagent === undefined ? {} : { subagent }) }, signal);
}
