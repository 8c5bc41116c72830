/** Asks for a model provider: key, base URL and model together, because a key must not be sent anywhere else than intended. */
import * as vscode from 'vscode';
import type { ProviderAgent, ProviderPreset } from '../../core/index.js';
import type { ApiKeys } from '../window/secrets.js';
import { writeAgentSettings } from '../window/settings.js';
import type { AgentSettings } from '../window/settingsTable.js';
import { askApiKey, askText } from './pickers.js';

/** @returns whether anything was changed */
export async function askProvider(agent: ProviderAgent, now: AgentSettings, apiKeys: ApiKeys): Promise<boolean> {
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
