/** What users may set in a session. Every setting changes what the agent does. */
import { type ClientCapabilities, RequestError, type SessionConfigOption, type SessionModeState } from '@agentclientprotocol/sdk/unstable';
import * as z from 'zod/mini';

export const modes = [
  { id: 'ask', name: 'Ask', description: 'Asks before it changes a file or runs a command.' },
  { id: 'auto', name: 'Accept edits', description: 'Changes files without asking; asks before it runs a command.' },
  { id: 'read-only', name: 'Read-only', description: 'Changes no file and runs no command.' },
] as const;

export const verbosities = [
  { value: 'brief', name: 'Brief', description: 'Results without tips.' },
  { value: 'normal', name: 'Normal', description: 'Results and tips.' },
  { value: 'detailed', name: 'Detailed', description: 'Also says what it is about to do, and how long it took.' },
] as const;

export const storedSettings = z.readonly(
  z.object({
    modeId: z.enum(['ask', 'auto', 'read-only'] satisfies (typeof modes)[number]['id'][]),
    verbosity: z.enum(['brief', 'normal', 'detailed'] satisfies (typeof verbosities)[number]['value'][]),
    timestamps: z.boolean(),
  }),
);

export type Settings = z.infer<typeof storedSettings>;

export const defaultSettings: Settings = { modeId: 'ask', verbosity: 'normal', timestamps: false };

export function modeState(settings: Settings): SessionModeState {
  return { currentModeId: settings.modeId, availableModes: modes.map((mode) => ({ ...mode })) };
}

/** Boolean options are only sent to clients that declared them (ACP v1, "Session config options"). */
export function configOptions(settings: Settings, client: ClientCapabilities): SessionConfigOption[] {
  const options: SessionConfigOption[] = [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: settings.modeId,
      options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      id: 'verbosity',
      name: 'Verbosity',
      category: 'model_config',
      type: 'select',
      currentValue: settings.verbosity,
      options: verbosities.map((verbosity) => ({ ...verbosity })),
    },
  ];
  if (client.session?.configOptions?.boolean) {
    options.push({
      id: 'timestamps',
      name: 'Timestamps',
      description: 'Begin each answer with the time.',
      type: 'boolean',
      currentValue: settings.timestamps,
    });
  }
  return options;
}

/** @throws RequestError -32602 for an unknown mode */
export function withMode(settings: Settings, modeId: string): Settings {
  const mode = modes.find((candidate) => candidate.id === modeId);
  if (!mode) throw RequestError.invalidParams({ modeId }, `There is no mode "${modeId}"`);
  return { ...settings, modeId: mode.id };
}

/** @throws RequestError -32602 for an unknown option or value */
export function withOption(settings: Settings, configId: string, value: string | boolean): Settings {
  if (configId === 'mode' && typeof value === 'string') return withMode(settings, value);
  if (configId === 'timestamps' && typeof value === 'boolean') return { ...settings, timestamps: value };
  const verbosity = configId === 'verbosity' ? verbosities.find((candidate) => candidate.value === value) : undefined;
  if (!verbosity)
    throw RequestError.invalidParams({ configId, value }, `The option "${configId}" does not exist or cannot be "${String(value)}"`);
  return { ...settings, verbosity: verbosity.value };
}
