/** Actions with which the user gives an agent access: sign-in, API keys, and the certificate of a server. */
import { listAgents, providerSettings, startableAgent } from '../agent/agentChoice.js';
import { signInWithTerminal } from '../agent/signIn.js';
import { execute } from '../conversation/execute.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import type { Folder } from '../window/folders.js';
import type { ActionScope } from './actionScope.js';
import { pickMethod } from './pickers.js';
import { askProvider } from './providerDialog.js';
import { askServerKey, askTrust, failureOf } from './serverAccess.js';
import { signInByAgent } from './signInByAgent.js';
import {
  type AgentDefinition,
  type AuthMethod,
  fallbackAgent,
  findKnownAgent,
  HostError,
  type ProviderAgent,
  type ServerDefinition,
  suggestedAgent,
  takesProvider,
} from '../../core/index.js';

export function createAccessActions(scope: ActionScope) {
  const { target, current, run } = scope;
  const { agents } = scope.parts;
  return {
    async signIn(_itemId?: string, methodId?: string): Promise<void> {
      const entry = current();
      const methods = entry.conversation.state.info?.authMethods ?? [];
      const method =
        methods.find(({ id }) => id === methodId) ?? (methods.length > 1 ? await scope.ask(() => pickMethod(methods)) : methods[0]);
      if (method === undefined && methods.length > 1) return;
      if (method === undefined) throw new HostError('unsupported', { reason: 'sign_in' });
      await signInBy(scope, method, entry);
    },
    async setApiKey(): Promise<void> {
      const conversation = target()?.conversation;
      const server = await serverOf(scope, conversation?.state.agent?.id);
      if (server !== undefined) {
        if (await askServerKey(server, agents.servers)) await run({ type: 'restart' });
        return;
      }
      const agent = providerAgent(conversation?.state.agent);
      const changed = await askProvider(agent, providerSettings(agent, agents.settings()), agents.apiKeys);
      if (!changed || conversation === undefined) return;
      // The key is in the environment of the process, so a running agent needs a new process; otherwise, the next start reads it.
      await execute(conversation, { type: 'restart', ifStarted: true });
    },
    async trustServer(): Promise<void> {
      const { state } = current().conversation;
      const server = await serverOf(scope, state.agent?.id);
      if (server === undefined) throw new HostError('unsupported', { detail: 'This agent is not a server' });
      if (await askTrust(server, failureOf(state), agents.servers, server.pin)) await run({ type: 'restart' });
    },
  };
}

async function signInBy(scope: ActionScope, method: AuthMethod, { folder, conversation }: OpenConversation): Promise<void> {
  if (method.type === 'agent') return signInByAgent(method, conversation);
  const definition = await launchable(scope, folder, conversation.state.agent?.id);
  // ACP: a new process reads what was saved in the terminal.
  if (await signInWithTerminal(method, { definition, cwd: folder.path })) await execute(conversation, { type: 'restart' });
}

/** Like `startableAgent`, but with the path at which the command was found. */
async function launchable({ parts, launchContext }: ActionScope, folder: Folder, agentId: string | undefined): Promise<AgentDefinition> {
  const { definition } = await startableAgent(parts.agents, folder.path, agentId);
  const found = (await listAgents(parts.agents, await launchContext())).find((one) => one.definition.id === definition.id);
  return 'url' in definition ? definition : { ...definition, command: found?.path ?? definition.command };
}

/**
 * Returns the server as the settings define it.
 * @returns undefined for an agent that is a process
 */
async function serverOf({ parts, target, launchContext }: ActionScope, agentId: string | undefined): Promise<ServerDefinition | undefined> {
  if (target() === undefined) return undefined;
  const definition = (await listAgents(parts.agents, await launchContext())).find((one) => one.definition.id === agentId)?.definition;
  return definition !== undefined && 'url' in definition ? definition : undefined;
}

/**
 * For users without an agent of their own, returns the suggested one.
 * @throws HostError `unsupported` for an agent that takes no provider
 */
function providerAgent(agent: { readonly id: string; readonly label: string } | undefined): ProviderAgent {
  if (agent === undefined || agent.id === fallbackAgent.id) return suggestedAgent;
  const known = findKnownAgent(agent.id);
  if (!takesProvider(known)) throw new HostError('unsupported', { detail: `${agent.label} doesn't accept an API key from ACP Host` });
  return known;
}
