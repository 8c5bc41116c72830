/** What an agent can request from its host. The core decides the policy; a front end only answers. */
import type { AskingSubagent, UserAnswer, UserRequest } from '../session/userRequest.js';
import type { ConfinedNavigation } from './codeNavigation.js';
import type { FileAccess } from './files.js';

type Unopened<R> = R extends UserRequest ? Omit<R, 'id' | 'at' | 'deadlineAt'> : never;

/** A request before the host adds its ID and times. */
export type NewRequest = Unopened<UserRequest> & {
  /** How long the agent itself waits; absent or 0: as long as the host allows. */
  readonly timeoutMs?: number;
};

/**
 * Messages that a protocol leaves to vendors, whose methods begin with `_`, as an agent and its client agree on them. The host knows none of
 * them. Only a front end that has an agent's own client behind it takes part.
 */
export interface VendorMessages {
  /**
   * Has no deadline.
   * @param signal aborts the wait, and tells the other side
   * @throws HostError `request_failed` with the error of the other side as its params `code`, `message` and `data`; `cancelled`, `agent_exited`
   */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

/** ACP v1: methods of vendors begin with an underscore. */
export const isVendorMethod = (name: string): boolean => name.startsWith('_');

/**
 * Shows a request of the agent to the user. Resolves exactly once, with an answer that the request allows. Every other end is a
 * `cancel` (turn canceled, agent gone, session closed, host disposed), or a rejection if there is no decision. Never rejects the promise, and
 * never accepts anything by itself.
 * @param signal aborted when the agent withdraws the request
 */
export type RequestUser = (request: NewRequest, signal: AbortSignal) => Promise<UserAnswer>;

export interface LineRange {
  /** 1-based. */
  readonly line?: number | undefined;
  /** The number of lines; 0 is none. */
  readonly limit?: number | undefined;
}

/** A session's access to files. Calls for the same path take effect in the order in which they were made. */
export interface AgentFiles {
  /**
   * Returns the text that the editor shows, unsaved text included, else the text on disk, without a byte order mark.
   * @param signal aborts a question to the user
   * @throws FileRefusal
   */
  readText(path: string, range: LineRange, signal: AbortSignal): Promise<string>;
  /**
   * Replaces the text of a file, or creates it with its folders: in the editor if it is open there, so that the user can undo it, and saved.
   * On disk, the file keeps its encoding and is replaced completely or not at all.
   * @throws FileRefusal
   */
  writeText(path: string, text: string, signal: AbortSignal): Promise<void>;
}

/** What an agent may request from its host. The front end provides it. */
export interface HostServices {
  readonly requestUser: RequestUser;
  /**
   * Returns access to the folder of a session, which may be another one than the folder in which the agent was started.
   * @param folder absolute
   * @param others the other folders that the agent was told of: absolute, without symbolic links
   */
  filesIn(folder: string, others?: readonly string[]): FileAccess;
  /**
   * Returns the access of a session to files. If absent, agents are not offered any.
   * @param folder absolute
   * @param others as for `filesIn`
   * @param subagent the one whose access it is, if it is one
   */
  readonly agentFiles?: (sessionId: string, folder: string, others?: readonly string[], subagent?: AskingSubagent) => AgentFiles;
  /** What an editor knows about the code in the folder in which the agent was started. If absent, the agent may not query it. */
  readonly codeNavigation?: ConfinedNavigation;
  /** Receives the vendor messages of the agent. If absent, the host refuses its requests, and ignores its notifications. */
  readonly vendor?: VendorMessages;
}
