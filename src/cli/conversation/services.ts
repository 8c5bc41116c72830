/** What the engine asks of the command line: which agent to start, and how. */
import { type FrontEndServices, HostError, messageOf } from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import { type ChosenAgent, choiceOf, chooseAgent } from '../system/agents.js';
import type { Io } from '../system/io.js';
import { clientInfo } from '../system/packageVersion.js';
import type { ConversationTarget } from './target.js';

/** In 24 days: timers support no longer time. */
const longestMs = 2 ** 31 - 1;

/**
 * For a conversation of others: its agent as it is known here, if no front end that knows more is there.
 * @param agentId of the conversation; undefined before one was chosen
 */
export function servicesWhileJoined(agentId: () => string | undefined, cwd: () => string, io: Io): FrontEndServices {
  const agent = async (): Promise<ChosenAgent> => {
    try {
      const id = agentId();
      return await chooseAgent(id === undefined ? undefined : choiceOf(id), io, cwd());
    } catch (cause) {
      // The settings of an editor may define it.
      throw new HostError('unsupported', { detail: messageOf(cause) }, { cause });
    }
  };
  return {
    async peek_agent() {
      const { definition, isFallback } = await agent();
      return { id: definition.id, label: definition.label, isFallback };
    },
    choose_agent: async () => ({ ...(await agent()), baseEnv: io.env, clientInfo: clientInfo(), optionDefaults: [] }),
  };
}

/** To start an agent without a conversation. */
export function servicesToStart({ definition, isFallback }: ChosenAgent, io: Io): FrontEndServices {
  return {
    peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback }),
    choose_agent: () => Promise.resolve({ definition, isFallback, baseEnv: io.env, clientInfo: clientInfo(), optionDefaults: [] }),
  };
}

export function servicesFor(request: ConversationRequest, { agent, mcp, otherFolders }: ConversationTarget, io: Io): FrontEndServices {
  const { isFallback } = agent;
  const { startTimeoutMs, systemPrompt } = request;
  const definition = systemPrompt === undefined ? agent.definition : { ...agent.definition, systemPrompt };
  return {
    peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback }),
    choose_agent: () =>
      Promise.resolve({
        definition,
        isFallback,
        baseEnv: io.env,
        mcpServers: mcp.servers,
        leftOutServers: mcp.problems,
        secretValues: mcp.secretValues,
        otherFolders,
        clientInfo: clientInfo(),
        ...(startTimeoutMs !== undefined && { deadlines: { initializeMs: startTimeoutMs || longestMs } }),
        requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
        optionDefaults: request.options.map((wish) => ({ ...wish, isRequired: true })),
      }),
  };
}
