/** The saved sessions of the agent, in ACP's form. */
import { RequestError, type SessionInfo } from '@agentclientprotocol/sdk';
import type { AgentBackend, SavedSession, SavedSessions } from '../core/index.js';

/** @throws RequestError if the agent has no list */
export function savedIn({ sessions: { saved } }: AgentBackend, method: string): SavedSessions {
  if (saved === undefined) throw RequestError.methodNotFound(method);
  return saved;
}

export function toSessionInfo({ updatedAt, ...session }: SavedSession): SessionInfo {
  return { ...session, updatedAt: new Date(updatedAt).toISOString() };
}
