/** What a conversation needs from its front end; the composition root hands it in, tests their own. */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { AgentHost } from '../host/api.js';
import type { OptionWish } from '../session/chooseOption.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import type { ConversationSummary } from './library.js';
import type { LongTextFile } from './longText.js';
import type { AgentDefinition, AgentSummary, OutboxPrompt, SessionKey } from './state.js';

export interface AgentChoice {
  /** Ready to start: with the keys and settings that the user gave in its environment. */
  readonly definition: AgentDefinition;
  readonly isFallback: boolean;
  readonly baseEnv: NodeJS.ProcessEnv;
}

/** What outlives the front end, however that ends. Must survive JSON. */
export interface ConversationRecord {
  /** Absent: no session yet. */
  readonly place: ConversationPlace | undefined;
  /** Prompts that no turn had taken. */
  readonly outbox: readonly OutboxPrompt[];
  readonly returned: readonly OutboxPrompt[];
}

/** Which session a conversation is at. */
export interface ConversationPlace extends SessionKey {
  /** The session that it goes on from, where its agent did not resume that one. */
  readonly continues: string | undefined;
  /** What stands above goes with the next prompt, as text. */
  readonly withContext: boolean;
}

export type OptionDefault = OptionWish & {
  /** Set in every session that is opened, which fails where the agent does not offer it. Otherwise in new ones, where it is offered. */
  readonly isRequired: boolean;
};

/** `owned`: what else ends with the host, just before it: it can still be read. */
export interface CreatedHost {
  readonly host: AgentHost;
  readonly owned: Disposable;
}

export interface ConversationPorts {
  readonly log: Logger;
  readonly clock: Clock;
  isTrusted(): boolean;
  /**
   * When a prompt opens the session. `when_told`: it waits until the agent is back by itself, or until a command opens the session.
   * Absent: at once, also where the agent was to be started a little later.
   */
  readonly opens?: 'at_once' | 'when_told';
  /**
   * Which agent it would be; looks at settings and PATH only and starts nothing.
   * @param id the agent of the conversation; absent: the user's choice
   * @throws HostError `agent_not_found`, `usage`
   */
  peekAgent(id: string | undefined): Promise<AgentSummary>;
  /** @throws as peekAgent */
  chooseAgent(id: string | undefined): Promise<AgentChoice>;
  /** Called once for all conversations that share the agent. */
  createHost(choice: AgentChoice): CreatedHost;
  optionDefaults(): readonly OptionDefault[];
  /** The agent is known to hang on this prompt. @param agent its name as in `AgentInfo`, or the id of its definition */
  mayHang(agent: { readonly name: string; readonly version?: string | undefined }, content: readonly ContentBlock[]): boolean;
  /** Writes a text where the agent can read it. @throws whatever the disk says */
  readonly writeTextFile: (text: string) => Promise<LongTextFile>;
  /** What was saved of a session, itself last, before it those that it goes on from. @throws HostError `storage_failed` */
  readSaved(key: SessionKey): Promise<readonly SessionState[]>;
  /** What was saved of those that a session goes on from, oldest first. */
  readEarlier(agentId: string, session: SessionState): Promise<readonly SessionState[]>;
  recall(): Promise<ConversationRecord | undefined>;
  /** Called whenever it changed. @param summary absent while nothing was said */
  remember(record: ConversationRecord, summary: ConversationSummary | undefined): void;
}
