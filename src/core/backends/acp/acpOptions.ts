import { isDeepStrictEqual } from 'node:util';
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import {
  choicesOf,
  isChoice,
  MODE_OPTION_ID,
  type OptionChoice,
  type SelectOption,
  type SessionOption,
  withValue,
} from '../../session/sessionOption.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { LegacyModels, OfferedBySession } from './schema/session.js';

/** Stands for `models`, which agents still send, and which is set with `session/set_model`. No agent would use this id. */
export const LEGACY_MODEL_OPTION_ID = 'acp-host.legacy-model';

type SessionModes = NonNullable<OfferedBySession['modes']>;

/**
 * The options of one session: ACP's options, its modes (the older form of an option of the category `mode`) and `models` (the removed
 * form), merged into one list.
 */
export class AcpOptions {
  readonly #quirks: AcpQuirks;
  #config: readonly SessionOption[] = [];
  /** Undefined if a config option is the mode, and if the agent has none. */
  #mode: SelectOption | undefined;
  /** The agent reported its current mode before its modes. */
  #earlyModeId: string | undefined;
  /** Names that the agent lists separately from its options. */
  #models: readonly string[] = [];
  #list: readonly SessionOption[] = [];
  #unstated = new Set<string>();
  /** How often the agent has reported each option. */
  readonly #reports = new Map<string, number>();

  constructor(quirks: AcpQuirks) {
    this.#quirks = quirks;
  }

  /** The same array until something changes. */
  get list(): readonly SessionOption[] {
    return this.#list;
  }

  /** Options whose current value the agent has not reported. */
  get unstated(): ReadonlySet<string> {
    return this.#unstated;
  }

  /**
   * Applies the answer that opened the session.
   * @param known the options as last seen, because some agents do not report their modes again
   */
  open(offered: OfferedBySession, known: readonly SessionOption[]): void {
    // What an answer doesn't mention is unchanged: it is as reported before the answer, or else as last seen.
    const isUnstated = offered.configOptions == null && this.#config.length === 0;
    const config = isUnstated
      ? known.filter(({ id }) => id !== MODE_OPTION_ID)
      : (offered.configOptions?.map(toSessionOption) ?? this.#config);
    const models = offered.models == null || hasModel(config) ? [] : [modelOption(offered.models)];
    this.#config = [...(models.length === 0 ? config : config.filter(({ id }) => id !== LEGACY_MODEL_OPTION_ID)), ...models];
    this.#unstated = new Set(isUnstated ? config.filter((option) => this.#config.includes(option)).map(({ id }) => id) : []);
    this.#openMode(offered.modes ?? undefined, known);
    this.#merge();
  }

  /** @returns whether the list changed */
  setConfig(configOptions: readonly SessionConfigOption[]): boolean {
    const legacy = this.#config.filter(({ id }) => id === LEGACY_MODEL_OPTION_ID);
    const config = configOptions.map(toSessionOption);
    this.#config = hasCategory(config, 'model') ? config : [...config, ...legacy];
    for (const { id } of config) {
      this.#unstated.delete(id);
      this.#count(id);
    }
    return this.#merge();
  }

  /**
   * Also applies if a config option is the mode, because an agent may report a change in the older form only.
   * @returns whether the list changed
   */
  setCurrentMode(modeId: string): boolean {
    this.#count(modeAmong(this.#config, modeId)?.id ?? MODE_OPTION_ID);
    return this.#setMode(modeId);
  }

  #setMode(modeId: string): boolean {
    const twin = modeAmong(this.#config, modeId);
    this.#unstated.delete(twin?.id ?? MODE_OPTION_ID);
    if (twin !== undefined) {
      this.#config = this.#config.map((option) => (option === twin ? { ...twin, currentValue: modeId } : option));
    } else if (this.#mode === undefined) this.#earlyModeId = modeId;
    else this.#mode = { ...this.#mode, currentValue: modeId };
    return this.#merge();
  }

  /**
   * Call this before the agent is asked to set an option.
   * @returns to be called if its answer names no value: then it is the one that was asked for, unless the agent has reported one meanwhile.
   * Returns whether the list changed
   */
  expect(id: string, value: string | boolean): () => boolean {
    const before = this.#reports.get(id);
    return () => this.#reports.get(id) === before && this.#setValue(id, value);
  }

  #count(id: string): void {
    this.#reports.set(id, (this.#reports.get(id) ?? 0) + 1);
  }

  #setValue(id: string, value: string | boolean): boolean {
    if (id === MODE_OPTION_ID) return this.#setMode(String(value));
    this.#config = withValue(this.#config, id, value);
    this.#unstated.delete(id);
    return this.#merge();
  }

  /** @returns whether the list changed */
  addModels(names: readonly string[]): boolean {
    this.#models = names;
    return this.#merge();
  }

  #openMode(modes: SessionModes | undefined, known: readonly SessionOption[]): void {
    // ACP: if the options contain a mode, `modes` is its older equivalent.
    if (hasCategory(this.#config, 'mode')) return;
    const { assumedMode, modeHints } = this.#quirks;
    const reported = modes === undefined ? undefined : toModeOption(modes);
    const lastSeen = known.find((option): option is SelectOption => option.id === MODE_OPTION_ID && option.type === 'select');
    const mode = reported ?? (assumedMode === undefined ? lastSeen : { ...modeOptionBase, ...assumedMode });
    if (mode === undefined) return;
    const isStated = reported !== undefined || this.#earlyModeId !== undefined;
    const currentValue = reported?.currentValue ?? this.#earlyModeId ?? mode.currentValue;
    this.#mode = { ...mode, currentValue, choices: choicesOf(mode).map((choice) => withHint(choice, modeHints)) };
    if (!isStated) this.#unstated.add(MODE_OPTION_ID);
  }

  #merge(): boolean {
    const config = this.#models.length === 0 ? this.#config : (this.#quirks.withModels?.(this.#config, this.#models) ?? this.#config);
    const list = this.#mode === undefined || hasCategory(config, 'mode') ? config : [this.#mode, ...config];
    if (isDeepStrictEqual(list, this.#list)) return false;
    this.#list = list;
    return true;
  }
}

/** Returns the option that is the mode; if there are several, the one that offers this value. */
function modeAmong(options: readonly SessionOption[], modeId: string): SelectOption | undefined {
  const modes = options.filter((option): option is SelectOption => option.type === 'select' && option.category === 'mode');
  return modes.find((option) => isChoice(option, modeId)) ?? modes[0];
}

/** Whether an option other than the older form is the model. */
function hasModel(options: readonly SessionOption[]): boolean {
  return options.some(({ id, category }) => category === 'model' && id !== LEGACY_MODEL_OPTION_ID);
}

function hasCategory(options: readonly SessionOption[], category: string): boolean {
  return options.some((option) => option.category === category);
}

const modeOptionBase = { type: 'select', id: MODE_OPTION_ID, name: 'Mode', category: 'mode' } as const;

function withHint(choice: OptionChoice, hints: AcpQuirks['modeHints']): OptionChoice {
  const hint = Object.hasOwn(hints, choice.value) ? hints[choice.value] : undefined;
  return hint === undefined ? choice : { ...choice, hint };
}

function toModeOption({ currentModeId, availableModes }: SessionModes): SelectOption {
  return {
    ...modeOptionBase,
    currentValue: currentModeId,
    choices: availableModes.map(({ id, name, description }) => ({ value: id, name, ...(description == null ? {} : { description }) })),
  };
}

function modelOption({ currentModelId, availableModels }: LegacyModels): SelectOption {
  return {
    type: 'select',
    id: LEGACY_MODEL_OPTION_ID,
    name: 'Model',
    category: 'model',
    currentValue: currentModelId,
    choices: availableModels.map(({ modelId, name, description }) => ({
      value: modelId,
      name,
      ...(description == null ? {} : { description }),
    })),
  };
}

export function toSessionOption(option: SessionConfigOption): SessionOption {
  const { id, name, description, category } = option;
  const base = { id, name, ...(description == null ? {} : { description }), ...(category == null ? {} : { category }) };
  if (option.type === 'boolean') return { ...base, type: 'boolean', currentValue: option.currentValue };
  return {
    ...base,
    type: 'select',
    currentValue: option.currentValue,
    choices: option.options.map((entry) =>
      'options' in entry ? { group: entry.group, name: entry.name, choices: entry.options.map(toChoice) } : toChoice(entry),
    ),
  };
}

function toChoice(choice: { readonly value: string; readonly name: string; readonly description?: string | null }): OptionChoice {
  const { value, name, description } = choice;
  return { value, name, ...(description == null ? {} : { description }) };
}

/** Maps a mode option to ACP's `modes`. */
export function toModes(option: SelectOption): SessionModes {
  return {
    currentModeId: option.currentValue,
    availableModes: choicesOf(option).map(({ value, name, description }) => ({
      id: value,
      name,
      ...(description === undefined ? {} : { description }),
    })),
  };
}

/** Maps an option to the wire. */
export function toConfigOption(option: SessionOption): SessionConfigOption {
  const { id, name, description, category } = option;
  const base = { id, name, ...(description === undefined ? {} : { description }), ...(category === undefined ? {} : { category }) };
  if (option.type === 'boolean') return { ...base, type: 'boolean', currentValue: option.currentValue };
  // ACP allows groups or values, but not both in one list.
  const groups = option.choices.flatMap((entry) =>
    'choices' in entry ? [{ group: entry.group, name: entry.name, options: entry.choices.map(toChoice) }] : [],
  );
  const options = groups.length > 0 ? groups : choicesOf(option).map(toChoice);
  return { ...base, type: 'select', currentValue: option.currentValue, options };
}
