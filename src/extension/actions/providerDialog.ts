/** A model provider for agentao: key, address and model are asked for together, because agentao takes all of them or none. */
import * as vscode from 'vscode';
import type { ApiKeys } from '../window/secrets.js';
import { type AgentaoSettings, writeSetting } from '../window/settings.js';
import { askApiKey, askText } from './pickers.js';

interface KnownProvider {
  readonly label: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly format: AgentaoSettings['format'];
}

/** Only what saves typing; any provider that speaks one of the formats works. */
const knownProviders: readonly KnownProvider[] = [
  { label: 'OpenAI', provider: 'OPENAI', baseUrl: 'https://api.openai.com/v1', format: '' },
  { label: 'Anthropic', provider: 'ANTHROPIC', baseUrl: 'https://api.anthropic.com', format: 'anthropic-messages' },
  { label: 'DeepSeek', provider: 'DEEPSEEK', baseUrl: 'https://api.deepseek.com/v1', format: '' },
];

/** @returns whether anything was changed */
export async function askProvider(now: AgentaoSettings, apiKeys: ApiKeys): Promise<boolean> {
  const chosen = await pickProvider(now);
  if (chosen === undefined) return false;
  const key = await askApiKey(chosen.provider);
  if (key === undefined) return false;
  if (key.trim() === '') {
    await apiKeys.remove(chosen.provider);
    return true;
  }
  const baseUrl = await askText(
    `Address for ${chosen.provider}`,
    'Where the provider answers, e.g. https://api.openai.com/v1',
    chosen.baseUrl,
  );
  if (baseUrl === undefined) return false;
  const model = await askText(
    `Model of ${chosen.provider}`,
    'The name of the model as the provider writes it',
    chosen.provider === now.provider ? now.model : '',
  );
  if (model === undefined) return false;
  await writeSetting('agentao.provider', chosen.provider);
  await writeSetting('agentao.baseUrl', baseUrl.trim());
  await writeSetting('agentao.model', model.trim());
  await writeSetting('agentao.format', chosen.format);
  await apiKeys.write(chosen.provider, key.trim());
  return true;
}

async function pickProvider(now: AgentaoSettings): Promise<KnownProvider | undefined> {
  const inUse: KnownProvider = { label: now.provider, provider: now.provider, baseUrl: now.baseUrl, format: now.format };
  const offered = now.baseUrl === '' ? knownProviders : [inUse, ...knownProviders.filter(({ provider }) => provider !== now.provider)];
  const items = [
    ...offered.map((known) => ({ label: known.label, description: known.baseUrl, known })),
    { label: 'Another provider …', known: undefined },
  ];
  const item = await vscode.window.showQuickPick(items, { title: 'Set API Key', placeHolder: 'Which model provider shall agentao use?' });
  if (item === undefined || item.known !== undefined) return item?.known;
  const name = await askText('Name of the Provider', 'Letters, digits and underscores; agentao names its variables after it', '');
  return name === undefined
    ? undefined
    : { label: name, provider: name.trim().toUpperCase().replace(/\W+/g, '_'), baseUrl: '', format: '' };
}
