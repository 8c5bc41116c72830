/** Derives the options of a session from what the agent reports about its state. */
import type { OptionChoice, OptionGroup, SelectOption, SessionOption } from '../../session/sessionOption.js';
import type { Command } from './piCalls.js';
import type { PiModel, PiState } from './schema/answers.js';

export interface PiOptionFacts {
  readonly state: PiState;
  readonly models: readonly PiModel[];
  /** Undefined if the agent does not report them. */
  readonly levels: readonly string[] | undefined;
  /** The agent never reports this: its initial value, or the value that was last set. */
  readonly autoRetry: boolean;
}

/** Options that the host can set, but that the agent does not report. */
export const unstatedOptions: ReadonlySet<string> = new Set(['auto_retry']);

/** For agents that do not report their levels; they choose the nearest one that the model supports. */
const usualLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const queueModes = ['one-at-a-time', 'all'];
const interruptModes = ['immediate', 'wait'];

export function toOptions({ state, models, levels, autoRetry }: PiOptionFacts): readonly SessionOption[] {
  return [
    ...modelOption(state, models),
    ...select('thought_level', 'Thinking Level', levelOf(state), levels ?? levelsOf(state)),
    ...select('steering', 'Steering Mode', state.steeringMode, queueModes),
    ...select('follow_up', 'Follow-Up Mode', state.followUpMode, queueModes),
    ...select('interrupt', 'Interrupt Mode', state.interruptMode, interruptModes),
    ...toggle('auto_compaction', 'Automatic Compaction', state.autoCompactionEnabled),
    ...toggle('auto_retry', 'Automatic Retry', autoRetry),
  ];
}

const toggles = { auto_compaction: true, auto_retry: true };

/** @returns the command that sets it; undefined for an unknown option or an invalid value */
export function commandFor(id: string, value: string | boolean, models: readonly PiModel[]): Command | undefined {
  if (typeof value === 'boolean') return Object.hasOwn(toggles, id) ? { type: `set_${id}`, enabled: value } : undefined;
  switch (id) {
    case 'model': {
      const model = models.find((one) => valueOf(one) === value);
      return model && { type: 'set_model', provider: model.provider, modelId: model.id };
    }
    case 'thought_level':
      return { type: 'set_thinking_level', level: value };
    case 'steering':
      return { type: 'set_steering_mode', mode: value };
    case 'follow_up':
      return { type: 'set_follow_up_mode', mode: value };
    case 'interrupt':
      return { type: 'set_interrupt_mode', mode: value };
    default:
      return undefined;
  }
}

/** Model ids are only unique within a provider. */
function valueOf({ provider, id }: PiModel): string {
  return `${provider}/${id}`;
}

/** xcsh reports no level until one is set, and if the model has none; this means `off`. */
function levelOf({ model, thinkingLevel }: PiState): string | undefined {
  return thinkingLevel ?? (model?.reasoning === undefined ? undefined : 'off');
}

function levelsOf({ model, thinkingLevel }: PiState): readonly string[] {
  if (model?.reasoning === false) return ['off'];
  return thinkingLevel === undefined || usualLevels.includes(thinkingLevel) ? usualLevels : [...usualLevels, thinkingLevel];
}

function modelOption({ model }: PiState, models: readonly PiModel[]): readonly SelectOption[] {
  if (models.length === 0) return [];
  const providers = [...new Set(models.map(({ provider }) => provider))];
  const choicesOf = (provider: string): readonly OptionChoice[] =>
    models.filter((one) => one.provider === provider).map((one) => ({ value: valueOf(one), name: one.name ?? one.id }));
  const groups = providers.map((provider): OptionGroup => ({ group: provider, name: provider, choices: choicesOf(provider) }));
  const choices = groups.length === 1 ? (groups[0]?.choices ?? []) : groups;
  return [
    { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: model === undefined ? '' : valueOf(model), choices },
  ];
}

function select(id: string, name: string, currentValue: string | undefined, values: readonly string[]): readonly SelectOption[] {
  if (currentValue === undefined) return [];
  return [{ type: 'select', id, name, category: id, currentValue, choices: values.map((value) => ({ value, name: value })) }];
}

function toggle(id: string, name: string, currentValue: boolean | undefined): readonly SessionOption[] {
  return currentValue === undefined ? [] : [{ type: 'boolean', id, name, category: id, currentValue }];
}
