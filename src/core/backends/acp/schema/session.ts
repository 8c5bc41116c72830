/**
 * Parses what a session offers: modes, options and commands. Source: ACP v1 (SDK 2.4.0); `models` is the form that was removed on
 * 2026-06-01.
 */
import type { AvailableCommand, SessionConfigOption, SessionMode, SessionModeState } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { isFields, isMeta, isText, itemParser, listOf, meta, nullish, orNull, replacingListOf, shape } from './lenient.js';

const mode: z.ZodMiniType<SessionMode> = z.looseObject({ id: z.string(), name: z.string(), description: orNull(z.string()), _meta: meta });

export const modeState: z.ZodMiniType<SessionModeState> = z.looseObject({
  currentModeId: z.string(),
  availableModes: replacingListOf(itemParser(mode)),
  _meta: meta,
});

/** Strict, because a member `options` would make it look like a group. */
const selectValue = z.object({ value: z.string(), name: z.string(), description: orNull(z.string()), _meta: meta });
const selectGroup = z.looseObject({ group: z.string(), name: z.string(), options: listOf(itemParser(selectValue)), _meta: meta });
const optionBase = { id: z.string(), name: z.string(), description: orNull(z.string()), category: orNull(z.string()), _meta: meta };

const configOptions: { readonly [K in SessionConfigOption['type']]: z.ZodMiniType<SessionConfigOption> } = {
  select: z.looseObject({
    ...optionBase,
    type: z.literal('select'),
    currentValue: z.string(),
    options: z.union([z.array(selectGroup), listOf(itemParser(selectValue))]),
  }),
  boolean: z.looseObject({ ...optionBase, type: z.literal('boolean'), currentValue: z.boolean() }),
};

/** Returns undefined for an option of an unknown type, because it must not appear as a control of a known type. */
export function parseConfigOption(value: unknown): SessionConfigOption | undefined {
  if (!isFields(value)) return undefined;
  const schema = value['type'] === 'select' || value['type'] === 'boolean' ? configOptions[value['type']] : undefined;
  const result = schema?.safeParse(value);
  return result?.success === true ? result.data : undefined;
}

const command: z.ZodMiniType<AvailableCommand> = z.looseObject({
  name: z.string(),
  description: z.catch(z.string(), ''),
  input: orNull(z.looseObject({ hint: z.string(), _meta: meta })),
  _meta: meta,
});

export const parseCommand = itemParser(command);

export const isCommand = shape<AvailableCommand>({
  name: isText,
  description: isText,
  input: nullish(shape<NonNullable<AvailableCommand['input']>>({ hint: isText, _meta: isMeta })),
  _meta: isMeta,
});

/** Legacy: agents from before the removal still support `session/set_model`. */
export interface LegacyModels {
  readonly currentModelId: string;
  readonly availableModels: readonly { readonly modelId: string; readonly name: string; readonly description?: string | null }[];
}

const legacyModels: z.ZodMiniType<LegacyModels> = z.looseObject({
  currentModelId: z.string(),
  availableModels: replacingListOf(itemParser(z.looseObject({ modelId: z.string(), name: z.string(), description: orNull(z.string()) }))),
});

const offered = {
  modes: orNull(modeState),
  configOptions: orNull(replacingListOf(parseConfigOption)),
  models: orNull(legacyModels),
  _meta: meta,
};

export const newSessionResult = z.looseObject({ sessionId: z.string().check(z.minLength(1)), ...offered });
/** Some agents answer `null`, because pages of the specification do. */
export const loadSessionResult = z.looseObject(offered);
export const setConfigOptionResult = z.looseObject({ configOptions: orNull(replacingListOf(parseConfigOption)) });
/** `{}` in ACP; agentao returns the current mode. */
export const setModeResult = z.looseObject({ modeId: orNull(z.string()) });

export type OfferedBySession = z.output<typeof loadSessionResult>;
