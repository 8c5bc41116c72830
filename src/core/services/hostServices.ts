/** What an agent may ask of its host. The core decides policy; a front end only answers. */
import type { AskAnswer, PermissionAsk, QuestionAsk } from '../session/model.js';

/** An ask before the host gave it its id and times. */
export type AskRequest = Omit<PermissionAsk, 'id' | 'at' | 'deadlineAt'> | Omit<QuestionAsk, 'id' | 'at' | 'deadlineAt'>;

export interface HostServices {
  /**
   * Puts a request of the agent before the user. Resolves exactly once, with one of the offered options, an answer, or `cancelled`
   * (which is also what every end brings: turn cancelled, agent gone, session closed, host disposed). Never rejects, never approves by itself.
   * @param signal aborted when the agent withdraws the request
   */
  ask(request: AskRequest, signal: AbortSignal): Promise<AskAnswer>;
}
