/** Finds the option of a session, and one of its values, that a user's input stands for. */
import { choicesOf, isCustom, type SelectOption, type SessionOption } from './sessionOption.js';

/** Names the option by its category or its id. `mode` and `model` are ids too, whatever the agent calls the option. */
export type OptionWish = { readonly value: string } & ({ readonly category: 'mode' | 'model' } | { readonly id: string });

export type ChosenOption =
  | { readonly type: 'found'; readonly option: SessionOption; readonly value: string | boolean }
  /** There is no such option. */
  | { readonly type: 'unknown'; readonly id: string }
  /** The input fits several values, which are in `offered`. */
  | { readonly type: 'ambiguous'; readonly id: string; readonly value: string; readonly offered: readonly string[] }
  /** `offered` lists the values of the option, or of every option of that category. */
  | { readonly type: 'unavailable'; readonly id: string; readonly value: string; readonly offered: readonly string[] };

/** If several options fit, chooses the first one that offers the value. */
export function chooseOption(options: readonly SessionOption[], wish: OptionWish): ChosenOption {
  const id = 'id' in wish ? wish.id : wish.category;
  const candidates = 'id' in wish ? optionsNamed(options, wish.id) : selectsOf(options, wish.category);
  const fitting = candidates.map((option) => ({ option, values: valuesFor(option, wish.value) })).filter(({ values }) => values.length > 0);
  for (const { option, values } of fitting) {
    const [value, ...others] = values;
    if (value !== undefined && others.length === 0) return { type: 'found', option, value };
  }
  const several = fitting.flatMap(({ values }) => values.map(String));
  if (several.length > 0) return { type: 'ambiguous', id, value: wish.value, offered: several };
  if (candidates.length === 0 && 'id' in wish) return { type: 'unknown', id };
  return { type: 'unavailable', id, value: wish.value, offered: candidates.flatMap(valuesOf) };
}

/**
 * The name that a user can enter for the option. Ids with the host's own prefix represent older forms of ACP; users enter the category instead.
 */
export function optionName({ id, category }: SessionOption): string {
  return id.startsWith('acp-host.') && category !== undefined ? category : id;
}

/** Returns the option and the value as a user enters them. */
export function wishNames(option: SessionOption, value: string | boolean): { readonly option: string; readonly value: string } {
  return { option: optionName(option), value: typeof value === 'boolean' ? (value ? 'on' : 'off') : value };
}

/** Returns the values that the option offers, in order; `on` and `off` for a switch. */
export function valuesOf(option: SessionOption): readonly string[] {
  return option.type === 'boolean' ? ['on', 'off'] : choicesOf(option).map(({ value }) => value);
}

function optionsNamed(options: readonly SessionOption[], id: string): readonly SessionOption[] {
  const exact = options.filter((option) => option.id === id);
  if (exact.length > 0) return exact;
  const ofCategory = options.filter(({ category }) => category === id);
  return ofCategory.length > 0 ? ofCategory : options.filter(({ name }) => isSameWord(name, id));
}

function selectsOf(options: readonly SessionOption[], category: string): readonly SelectOption[] {
  return options.filter((option): option is SelectOption => option.type === 'select' && option.category === category);
}

const toggles: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['yes', true],
  ['off', false],
  ['false', false],
  ['no', false],
]);

/** Returns the value itself, or every value that the input may stand for, because it is a part of the value or its name. */
function valuesFor(option: SessionOption, wanted: string): readonly (string | boolean)[] {
  if (option.type === 'boolean') return toggles.has(wanted.toLowerCase()) ? [toggles.get(wanted.toLowerCase()) === true] : [];
  const choices = choicesOf(option);
  if (choices.some(({ value }) => value === wanted)) return [wanted];
  const ways = [
    choices.filter(({ value }) => lastPartOfUrl(value) === wanted),
    choices.filter(({ value }) => withoutProvider(value) === wanted),
    choices.filter(({ name }) => isSameWord(name, wanted)),
  ];
  const found = ways.find((one) => one.length > 0)?.map(({ value }) => value);
  return found ?? (isCustom(option, wanted) ? [wanted] : []);
}

/** Model ids are only unique within a provider: `provider/id`, where the id may also contain slashes. */
function withoutProvider(value: string): string | undefined {
  return /^[^/:]+\/(.+)$/.exec(value)?.[1];
}

/** Some agents use URLs as ids: `https://…/session-modes#plan`. */
function lastPartOfUrl(value: string): string | undefined {
  const [, last] = /^[a-z][a-z0-9+.-]*:.*[/#]([^/#]+)\/?$/i.exec(value) ?? [];
  return last;
}

function isSameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
