/** Opens a session in a process: asks for what is needed before the first prompt, and for the history. */
import { HostError, toHostError } from '../../base/errors.js';
import { fileFacts } from '../../node/files.js';
import type { SessionSink } from '../agentBackend.js';
import type { Command } from './piCalls.js';
import { PiSession } from './piSession.js';
import type { PiSessionParts } from './piSessionParts.js';
import type { DerivedSession } from './piVerbs.js';
import { messagesSchema, type PiState, switchedSchema } from './schema/answers.js';

export interface OpenParts extends Omit<PiSessionParts, 'sink'> {
  readonly onOpen: (session: PiSession) => void;
}

/** @param isFirst the process was started for this session, so its arguments determine what it opens */
export async function openNew(
  parts: OpenParts,
  o: { readonly state: PiState; readonly isFirst: boolean },
  sink: SessionSink,
): Promise<PiSession> {
  const { process, deadlines } = parts;
  let { state } = o;
  const isBegun = (state.messageCount ?? 0) > 0;
  if (isBegun && !o.isFirst) {
    await switchBy(parts, { type: 'new_session' });
    state = await process.state(deadlines.sessionMs);
  }
  const session = new PiSession(state.sessionFile ?? state.sessionId, { ...parts, sink });
  await session.learn(state);
  parts.onOpen(session);
  sink.begin(session);
  if (isBegun && o.isFirst) await tellHistory(parts, session);
  session.begin();
  return session;
}

/** @throws HostError like BackendSessions.open */
export async function openSaved(
  parts: OpenParts,
  { sessionId, file }: { readonly sessionId: string; readonly file: string },
  sink: SessionSink,
): Promise<PiSession> {
  const { process, deadlines } = parts;
  const session = new PiSession(sessionId, { ...parts, sink });
  parts.onOpen(session);
  // Extensions may ask the user before they allow the switch.
  sink.begin(session);
  session.begin();
  await switchBy(parts, { type: 'switch_session', sessionPath: file }).catch((error: unknown) => {
    const failure = toHostError(error);
    throw failure.code === 'request_failed'
      ? new HostError('session_unknown', { ...failure.params, reason: 'refused' }, { cause: error })
      : error;
  });
  await session.learn(await process.state(deadlines.sessionMs));
  await tellHistory(parts, session);
  return session;
}

/**
 * Creates a session in a process without a session.
 * @param path a saved session
 * @throws HostError `request_failed`, also if there are no messages before that point
 */
export async function deriveSession(
  parts: Pick<OpenParts, 'process' | 'deadlines'>,
  path: string,
  command: Command,
): Promise<DerivedSession> {
  await switchBy(parts, { type: 'switch_session', sessionPath: path });
  const { text } = await switchBy(parts, command);
  const { sessionFile } = await parts.process.state(parts.deadlines.sessionMs);
  const isSaved = sessionFile !== undefined && sessionFile !== path && (await fileFacts(sessionFile)) !== undefined;
  if (!isSaved) throw new HostError('request_failed', { method: command.type, detail: 'the new session has no messages' });
  return { path: sessionFile, text };
}

async function switchBy(
  { process, deadlines }: Pick<OpenParts, 'process' | 'deadlines'>,
  command: Command,
): Promise<{ readonly text: string | undefined }> {
  const { cancelled, text } = await process.calls.request({ command, answer: switchedSchema, timeoutMs: deadlines.sessionMs });
  if (cancelled === true) throw new HostError('request_failed', { method: command.type, detail: 'cancelled by an extension' });
  return { text };
}

async function tellHistory({ process, deadlines }: OpenParts, session: PiSession): Promise<void> {
  const command = { type: 'get_messages' };
  const { messages } = await process.calls.request({ command, answer: messagesSchema, timeoutMs: deadlines.sessionMs });
  session.tellHistory(messages);
}
