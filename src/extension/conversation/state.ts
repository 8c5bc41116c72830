/** Everything that there is to draw of a conversation. */
import type { AgentInfo, AgentStatus, ConversationContext, SessionState } from '../../core/index.js';
import type { UnsentPrompt } from './outbox.js';
import type { Blocker } from './blocker.js';

export interface ConversationState {
  readonly agent: { readonly id: string; readonly label: string; readonly isFallback: boolean } | undefined;
  readonly status: AgentStatus;
  readonly info: AgentInfo | undefined;
  /** Milliseconds since the epoch; the session is being opened. */
  readonly connectingSince: number | undefined;
  readonly session: SessionState | undefined;
  /** The agent of `session` runs, and knows it. */
  readonly live: boolean;
  readonly earlierSessions: readonly SessionState[];
  /** What of `above` goes with the next message. */
  readonly context: ConversationContext | undefined;
  readonly unsent: readonly UnsentPrompt[];
  readonly blocker: Blocker | undefined;
}
