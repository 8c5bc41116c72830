/** What the engine asks of the command line: which agent to start, and how. */
import type { FrontEndServices } from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import type { Io } from '../system/io.js';
import { clientInfo } from '../system/packageVersion.js';
import type { ConversationTarget } from './target.js';

/** In 24 days: timers support no longer time. */
const longestMs = 2 ** 31 - 1;

export function servicesFor(request: ConversationRequest, { agent }: ConversationTarget, io: Io): FrontEndServices {
  const { definition, isFallback } = agent;
  const { startTimeoutMs } = request;
  return {
    peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback }),
    choose_agent: () =>
      Promise.resolve({
        definition,
        isFallback,
        baseEnv: io.env,
        clientInfo: clientInfo(),
        ...(startTimeoutMs !== undefined && { deadlines: { initializeMs: startTimeoutMs || longestMs } }),
        requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
        optionDefaults: request.options.map((wish) => ({ ...wish, isRequired: true })),
      }),
  };
}
