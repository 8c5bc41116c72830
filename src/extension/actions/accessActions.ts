/** Actions with which the user gives an agent access: sign-in, API keys, and the certificate of a server. */
import * as vscode from 'vscode';
import type { ActionScope } from './actionScope.js';
import { mayEndAgent } from './agentActions.js';
import { listAgents, providerSettings, startableAgent } from '../agent/agentChoice.js';
import type { Folder } from '../window/workspace.js';
import {
  type AgentDefinition,
  type AuthMethod,
  commandOfMethod,
  type ConversationClient,
  type ConversationState,
  fallbackAgent,
  findKnownAgent,
  HostError,
  type HostErrorData,
  type ProviderAgent,
  type ProviderPreset,
  type ServerDefinition,
  suggestedAgent,
  takesProvider,
  type TerminalMethod,
} from '../../core/index.js';
import { execute, type OpenConversation } from '../conversation/openConversations.js';
import { othersId } from '../list/otherSessions.js';
import { askApiKey, askText, pickMethod } from './pickers.js';
import type { StoredValues, ServerTrust } from '../window/secrets.js';
import { type AgentSettings, writeAgentSettings } from '../window/settings.js';
import { confirm, showBriefly, showMessage, showProgress } from '../window/windowMessages.js';

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
      const { agent } = entry.conversation.state;
      // The agent may have listed none without it.
      if (agent !== undefined) scope.parts.others.reload(othersId(entry.folder.path, agent.id));
    },
    async signOut(): Promise<void> {
      const { conversation } = current();
      if (await execute(conversation, { type: 'sign_out' })) await offerToForget(conversation.state.agent, agents);
    },
    async setApiKey(): Promise<void> {
      const conversation = target()?.conversation;
      const server = await serverOf(scope, conversation?.state.agent?.id);
      if (server !== undefined) {
        if (await askServerKey(server, agents.servers)) await restartForChange(scope);
        return;
      }
      const agent = providerAgent(conversation?.state.agent);
      const changed = await askProvider(agent, providerSettings(agent, agents.settings()), agents.apiKeys);
      if (!changed || conversation === undefined) return;
      // The key is in the environment of the process, so a running agent needs a new process; otherwise, the next start reads it.
      await restartForChange(scope, { ifStarted: true });
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
  if (method.type === 'agent') return signInByAgent(method, conversation, () => mayEndAgent(scope, 'Restart'));
  const definition = await launchable(scope, folder, conversation.state.agent?.id);
  // ACP: a new process reads what was saved in the terminal.
  if (await signInWithTerminal(method, { definition, cwd: folder.path })) await restartForChange(scope);
}

/** Only a new process has what changed, such as a key. */
async function restartForChange(scope: ActionScope, o: { readonly ifStarted?: boolean } = {}): Promise<void> {
  if (await mayEndAgent(scope, 'Restart')) await scope.run({ type: 'restart', ...o });
  else showBriefly('This takes effect when the agent restarts');
}

/** Like `startableAgent`, but with the path at which the command was found. */
async function launchable({ parts, launchContext }: ActionScope, folder: Folder, agentId: string | undefined): Promise<AgentDefinition> {
  const { definition } = await startableAgent(parts.agents, folder.path, agentId);
  const found = (await listAgents(parts.agents, await launchContext())).agents.find((one) => one.definition.id === definition.id);
  return 'url' in definition ? definition : { ...definition, command: found?.path ?? definition.command };
}

/**
 * Returns the server as the settings define it.
 * @returns undefined for an agent that is a process
 */
async function serverOf({ parts, target, launchContext }: ActionScope, agentId: string | undefined): Promise<ServerDefinition | undefined> {
  if (target() === undefined) return undefined;
  const { agents } = await listAgents(parts.agents, await launchContext());
  const definition = agents.find((one) => one.definition.id === agentId)?.definition;
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

/**
 * Signs in with a method of the agent, which may wait for the user for any time; shows that, and lets the user cancel it. Then sends what is
 * waiting.
 * @param mayRestart asks before a restart ends something else
 * @throws HostError why the agent did not sign the user in
 */
export async function signInByAgent(
  { id, name }: AuthMethod,
  conversation: ConversationClient,
  mayRestart: () => Promise<boolean>,
): Promise<void> {
  const agent = conversation.state.agent?.label ?? 'the agent';
  const outcome = await showProgress(`Signing in to ${agent} with ${name}`, async (report, signal) => {
    report(`Waiting for ${agent}, for example in a browser`);
    signal.addEventListener('abort', () => void conversation.execute({ type: 'cancel_sign_in' }));
    try {
      return (await execute(conversation, { type: 'sign_in', methodId: id })) ? 'signed_in' : 'refused';
    } catch (thrown) {
      if (signal.aborted) return 'canceled';
      throw thrown;
    }
  });
  if (outcome === 'signed_in') await execute(conversation, { type: 'open' });
  // Some agents read who is signed in only when they start.
  const knowsNot = outcome === 'signed_in' && conversation.state.blocker?.type === 'sign_in';
  const restarts = knowsNot || (outcome === 'canceled' && (await wantsRestart(agent)));
  if (restarts && (await mayRestart())) await execute(conversation, { type: 'restart' });
}

/** ACP: an agent is free to ignore that its client canceled a request. */
async function wantsRestart(agent: string): Promise<boolean> {
  const text = `Sign-in canceled. ${agent} may still be waiting for it. If it stops responding, restart it.`;
  const label = 'Restart';
  return (await showMessage('information', text, label)) === label;
}

/** Keys stay unless the user wants to remove them, too. */
export async function offerToForget(
  agent: ConversationState['agent'],
  { settings, apiKeys }: { readonly settings: () => Parameters<typeof providerSettings>[1]; readonly apiKeys: StoredValues },
): Promise<void> {
  const known = findKnownAgent(agent?.id);
  if (agent === undefined || !takesProvider(known)) return;
  const { provider } = providerSettings(known, settings());
  if ((await apiKeys.read(provider)) === undefined) return;
  const isSure = await confirm(
    `Also remove the API key for ${provider}?`,
    `You signed out of ${agent.label}. ACP Host still has the API key for ${provider}, and ${agent.label} gets it at its next start.`,
    'Remove Key',
  );
  if (isSure) await apiKeys.remove(provider);
}

// Asks for a model provider: key, base URL and model together, because a key must not be sent anywhere else than intended.

/** @returns whether anything was changed */
async function askProvider(agent: ProviderAgent, now: AgentSettings, apiKeys: StoredValues): Promise<boolean> {
  const chosen = await pickProvider(agent, now);
  if (chosen === undefined) return false;
  const key = await askApiKey(chosen.provider);
  if (key === undefined) return false;
  if (key.trim() === '') {
    await apiKeys.remove(chosen.provider);
    return true;
  }
  const baseUrl = await askText(
    `Base URL for ${chosen.provider}`,
    "The URL of the provider's API, e.g. https://api.openai.com/v1",
    chosen.baseUrl,
  );
  if (baseUrl === undefined) return false;
  const model = await askText(
    `Model of ${chosen.provider}`,
    'The name of the model, as the provider spells it',
    chosen.provider === now.provider ? now.model : '',
  );
  if (model === undefined) return false;
  const { provider, format } = chosen;
  await writeAgentSettings(agent.settingsSection, { provider, baseUrl: baseUrl.trim(), model: model.trim(), format });
  await apiKeys.write(chosen.provider, key.trim());
  return true;
}

async function pickProvider({ label, provider: form }: ProviderAgent, now: AgentSettings): Promise<ProviderPreset | undefined> {
  const inUse: ProviderPreset = { label: now.provider, provider: now.provider, baseUrl: now.baseUrl, format: now.format };
  const offered = now.baseUrl === '' ? form.presets : [inUse, ...form.presets.filter(({ provider }) => provider !== now.provider)];
  const items = [
    ...offered.map((preset) => ({ label: preset.label, description: preset.baseUrl, preset })),
    { label: 'Another provider…', preset: undefined },
  ];
  const item = await vscode.window.showQuickPick(items, { title: 'Set API Key', placeHolder: `Which model provider should ${label} use?` });
  if (item === undefined || item.preset !== undefined) return item?.preset;
  const name = await askText('Name of the Provider', `Letters, digits and underscores; ${label} names its variables after it`, '');
  return name === undefined
    ? undefined
    : { label: name, provider: name.trim().toUpperCase().replace(/\W+/g, '_'), baseUrl: '', format: '' };
}

// What a server needs before the host connects to it: a key, or the user's consent to a certificate or an unencrypted connection.

/** @returns whether anything was changed */
async function askServerKey({ url, label }: ServerDefinition, trust: ServerTrust): Promise<boolean> {
  const key = await askApiKey(label, `Sent to ${new URL(url).host} only.`);
  if (key === undefined) return false;
  if (key.trim() === '') await trust.keys.remove(url);
  else await trust.keys.write(url, key.trim());
  return true;
}

/** Returns why the agent is not available. */
function failureOf({ blocker, status }: ConversationState): HostErrorData | undefined {
  return blocker?.error ?? (status.state === 'failed' ? status.error : undefined);
}

/**
 * Asks before anything is sent to the server.
 * @param settingsPin the pin in the settings, which only the user can change
 * @returns whether the user trusts the server now
 */
async function askTrust(
  { url, label }: ServerDefinition,
  error: HostErrorData | undefined,
  trust: ServerTrust,
  settingsPin: string | undefined,
): Promise<boolean> {
  const { reason, pin, fingerprint, subject, validFrom, validTo } = error?.params ?? {};
  if (reason === 'plain_text') {
    const isSure = await confirm(
      `Connect to ${label} without encryption?`,
      `${url}\n\nAnyone on the network between you and the server can read and change the conversation and the key.`,
      'Connect Unencrypted',
    );
    if (isSure) await trust.allowPlain(url);
    return isSure;
  }
  if ((reason !== 'certificate_untrusted' && reason !== 'pin_mismatch') || typeof pin !== 'string') return false;
  if (settingsPin !== undefined)
    throw new HostError('usage', { setting: 'acpHost.agents', detail: 'The pin of this server is in the settings. Change it there' });
  const facts = [
    ['Server', new URL(url).host],
    ['Issued to', subject],
    ['Valid', `${String(validFrom)} – ${String(validTo)}`],
    ['SHA-256 fingerprint', fingerprint],
    ['Public key', pin],
  ].map(([name, value]) => `${String(name)}: ${String(value)}`);
  const changed =
    reason === 'pin_mismatch'
      ? 'The certificate is not the one that you trusted before. Somebody may be impersonating the server.\n\n'
      : '';
  const isSure = await confirm(
    reason === 'pin_mismatch' ? `Trust the changed certificate of ${label}?` : `Trust the certificate of ${label}?`,
    `${changed}${facts.join('\n')}\n\nCompare the fingerprint with the one that the operator of the server gives you. Nothing has been sent yet.`,
    'Trust Certificate',
  );
  if (isSure) await trust.pin(url, pin);
  return isSure;
}

/**
 * Runs the command of the method without a shell, in a terminal of the editor.
 * @returns whether to try again; false if the user closed the terminal or the command failed, which the terminal and the editor have shown
 */
export async function signInWithTerminal(
  method: TerminalMethod,
  { definition, cwd }: { readonly definition: AgentDefinition; readonly cwd: string },
): Promise<boolean> {
  // A server must not name commands to run on this machine.
  if ('url' in definition) throw new HostError('unsupported', { reason: 'sign_in' });
  const [command = '', ...args] = commandOfMethod(method, definition);
  const terminal = vscode.window.createTerminal({
    name: `Sign in to ${definition.label}`,
    shellPath: command,
    shellArgs: args,
    cwd,
    env: { ...definition.env, ...method.env },
    isTransient: true,
  });
  terminal.show();
  const code = await new Promise<number | undefined>((resolve) => {
    const subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed !== terminal) return;
      subscription.dispose();
      resolve(closed.exitStatus?.code);
    });
  });
  return code === 0;
}
