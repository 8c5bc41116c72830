/** What the user can set in a session: the mode, the model and whatever else the agent offers, as one list. */
import type { ModeHint } from './agentHint.js';

/** A value that an option offers. */
export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  /** What the host knows about it beyond the agent's description. */
  readonly hint?: ModeHint;
}

/** Choices that belong together, for example the models of one provider. */
export interface OptionGroup {
  readonly group: string;
  readonly name: string;
  readonly choices: readonly OptionChoice[];
}

interface OptionBase {
  /** Unique in the session. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Front ends know `mode` and `model`; an agent may use any other word. */
  readonly category?: string;
}

/** An option with one of several values. */
export interface SelectOption extends OptionBase {
  readonly type: 'select';
  /** May be a value that the agent does not list among the choices. */
  readonly currentValue: string;
  readonly choices: readonly (OptionChoice | OptionGroup)[];
  /** Other values are possible too: any text, or a whole number above zero. */
  readonly custom?: 'text' | 'count';
}

/** An option that is on or off. */
export interface ToggleOption extends OptionBase {
  readonly type: 'boolean';
  readonly currentValue: boolean;
}

/** An option of a session that the user can set. */
export type SessionOption = SelectOption | ToggleOption;

/**
 * The id of the option that stands for the modes of agents that have modes apart from their options. Conversations that were saved before
 * options became one list use it too.
 */
export const MODE_OPTION_ID = 'acp-host.mode';

/** Returns all choices in their order, without groups. */
export function choicesOf({ choices }: SelectOption): readonly OptionChoice[] {
  return choices.flatMap((entry) => ('choices' in entry ? entry.choices : [entry]));
}

/** Whether the value is one that the option offers, or a valid custom one. */
export function isChoice(option: SessionOption, value: string | boolean): boolean {
  if (option.type === 'boolean' || typeof value === 'boolean') return option.type === 'boolean' && typeof value === 'boolean';
  return choicesOf(option).some((choice) => choice.value === value) || isCustom(option, value);
}

/** Whether the option accepts the value as a custom one: any text, or a whole number above zero. */
export function isCustom({ custom }: SelectOption, value: string): boolean {
  return custom === 'text' ? value.trim() !== '' : custom === 'count' && /^[1-9]\d{0,8}$/.test(value);
}

/** Returns the list with one value changed. A value of the wrong type changes nothing. */
export function withValue(options: readonly SessionOption[], id: string, value: string | boolean): readonly SessionOption[] {
  return options.map((option) => {
    if (option.id !== id) return option;
    if (option.type === 'boolean') return typeof value === 'boolean' ? { ...option, currentValue: value } : option;
    return typeof value === 'string' ? { ...option, currentValue: value } : option;
  });
}

/** The select option that is the mode or the model: of several in the category, the one with its name as id, else the first. */
export function selectOf(options: readonly SessionOption[], category: 'mode' | 'model'): SelectOption | undefined {
  const all = options.filter((option): option is SelectOption => option.type === 'select' && option.category === category);
  return all.find(({ id }) => id === category) ?? all[0];
}

const silentNames = /yolo|bypass|full.?access|danger|unrestricted|auto.?(approv|accept|run|pilot)|skip.?permission|never.?ask/i;
const silentDescriptions =
  /\bno (prompts|approvals?|confirmations?)\b|\b(bypass|skip)(es)? (all|every)\b|auto.?approves? (all|every)|without (any )?(asking|approval|confirmation|prompt)/i;
/** A mode for edits alone still asks before commands. */
const isForEdits = /edit/i;
/** The mode is for files alone, or the description says the opposite. */
const qualified = /\b(edits?|files?|never|not|nothing)\b|n['\u2019]t\b|read.?only/i;
/** What is not asked about is not done. */
const refuses = /\bden(y|ies)\b|refus|reject/i;

/** Whether the agent says of a mode that it asks before nothing: by the mode's id and name, or by its description. */
export function neverAsks({ value, name, description = '' }: OptionChoice): boolean {
  const names = `${value} ${name}`;
  if (isForEdits.test(names) || refuses.test(description)) return false;
  return silentNames.test(names) || (silentDescriptions.test(description) && !qualified.test(description));
}
