/** What an agent says of a session when it opens it: modes and options, also in the form that ACP gave up. */
import type { SessionConfigOption, SessionModes } from '../../session/model.js';
import type { LegacyModels, OfferedBySession } from './schema/session.js';

/** Stands for `models`, which agents still send and which is chosen by `session/set_model`. Not an id that an agent would use. */
export const LEGACY_MODEL_OPTION_ID = 'acp-host.legacy-model';

export interface SessionOffer {
  readonly modes: SessionModes | undefined;
  readonly configOptions: readonly SessionConfigOption[];
}

export function toSessionOffer(result: OfferedBySession): SessionOffer {
  const options = result.configOptions ?? [];
  const has = (category: string): boolean => options.some((option) => option.category === category);
  return {
    // ACP: where the options have a mode, `modes` is its older twin.
    modes: has('mode') ? undefined : (result.modes ?? undefined),
    configOptions: result.models == null || has('model') ? options : [...options, modelOption(result.models)],
  };
}

function modelOption({ currentModelId, availableModels }: LegacyModels): SessionConfigOption {
  return {
    type: 'select',
    id: LEGACY_MODEL_OPTION_ID,
    name: 'Model',
    category: 'model',
    currentValue: currentModelId,
    options: availableModels.map(({ modelId, name, description }) => ({
      value: modelId,
      name,
      ...(description == null ? {} : { description }),
    })),
  };
}

/** For agents whose answer to a change does not hold the new state. */
export function withValue(
  options: readonly SessionConfigOption[],
  configId: string,
  value: string | boolean,
): readonly SessionConfigOption[] {
  return options.map((option) => {
    if (option.id !== configId) return option;
    if (option.type === 'boolean') return typeof value === 'boolean' ? { ...option, currentValue: value } : option;
    return typeof value === 'string' ? { ...option, currentValue: value } : option;
  });
}
