/** Every setting, with the shape that is accepted and what counts where it does not fit. package.json declares the same (test/extension/manifest.test.ts). */
import * as z from 'zod/mini';

const envSchema = z.record(z.string(), z.nullable(z.string()));

export const configuredAgentSchema = z.object({
  label: z.optional(z.string()),
  command: z.string().check(z.minLength(1)),
  args: z._default(z.array(z.string()), []),
  /** `null` removes an inherited variable. */
  env: z._default(envSchema, {}),
});
export type ConfiguredAgent = z.infer<typeof configuredAgentSchema>;

export const apiFormats = ['', 'openai-completions', 'anthropic-messages', 'openai-responses'] as const;

const seconds = z.number().check(z.minimum(1));
const secondsOrNever = z.number().check(z.minimum(0));
const megabytes = z.number().check(z.minimum(1));

interface Setting<T> {
  readonly schema: z.ZodMiniType<T>;
  /** As in package.json. */
  readonly fallback: T;
}

function setting<T>(schema: z.ZodMiniType<T>, fallback: NoInfer<T>): Setting<T> {
  return { schema, fallback };
}

/** Keys without the prefix `acpHost.`. */
export const settingsTable = {
  agents: setting(z.record(z.string(), z.unknown()), {}),
  defaultAgent: setting(z.string(), ''),
  'agentao.path': setting(z.string(), ''),
  'agentao.provider': setting(z.string(), ''),
  'agentao.baseUrl': setting(z.string(), ''),
  'agentao.model': setting(z.string(), ''),
  'agentao.format': setting(z.enum(apiFormats), ''),
  defaultMode: setting(z.string(), ''),
  notifications: setting(z.boolean(), false),
  'deadlines.initializeSeconds': setting(seconds, 30),
  'deadlines.sessionSeconds': setting(seconds, 120),
  'deadlines.querySeconds': setting(seconds, 15),
  'deadlines.permissionSeconds': setting(secondsOrNever, 0),
  'deadlines.questionSeconds': setting(secondsOrNever, 0),
  quietAfterSeconds: setting(seconds, 60),
  'journal.maxMegabytesPerConversation': setting(megabytes, 64),
  'journal.maxMegabytes': setting(megabytes, 1024),
} as const;

export type SettingKey = keyof typeof settingsTable;
export type SettingValue<K extends SettingKey> = (typeof settingsTable)[K]['fallback'];

/** @returns the value, or the fallback and why the value does not fit */
export function parseSetting<K extends SettingKey>(key: K, value: unknown): { readonly value: SettingValue<K>; readonly problem?: string } {
  const { schema, fallback }: Setting<SettingValue<K>> = settingsTable[key];
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { value: fallback, problem: `acpHost.${key}: ${z.prettifyError(parsed.error)}` };
}

/** The agents of the setting, one by one: a wrong one costs only itself. */
export function parseAgents(value: Readonly<Record<string, unknown>>): {
  readonly agents: ReadonlyMap<string, ConfiguredAgent>;
  readonly problems: readonly string[];
} {
  const agents = new Map<string, ConfiguredAgent>();
  const problems: string[] = [];
  for (const [id, entry] of Object.entries(value)) {
    const parsed = configuredAgentSchema.safeParse(entry);
    if (parsed.success) agents.set(id, parsed.data);
    else problems.push(`acpHost.agents.${id}: ${z.prettifyError(parsed.error)}`);
  }
  return { agents, problems };
}
