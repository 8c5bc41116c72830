/** What was entered into a field so far, what is missing, and its value. */
import type { FieldValuesView, FieldView } from '../../contract/viewParts.js';
import type { FieldDraft } from '../base/pageState.js';

type Value = FieldValuesView[string];

export function emptyDraft(field: FieldView): FieldDraft {
  const nothing = { text: '', chosen: [], other: false };
  switch (field.type) {
    case 'text':
      return { ...nothing, text: field.defaultValue ?? '' };
    case 'number':
    case 'integer':
      return { ...nothing, text: field.defaultValue === undefined ? '' : String(field.defaultValue) };
    case 'boolean':
      // As in a terminal: what the user skips is left out of the answer.
      return { ...nothing, on: field.defaultValue ?? (field.required ? false : undefined) };
    case 'select':
      return chosenFrom(field, field.defaultValue === undefined ? [] : [field.defaultValue]);
    case 'multiselect':
      return chosenFrom(field, field.defaultValue ?? []);
  }
}

type TextField = Extract<FieldView, { type: 'text' }>;
type ChoiceField = Extract<FieldView, { type: 'select' | 'multiselect' }>;

function chosenFrom({ choices, allowCustom }: ChoiceField, values: readonly string[]): FieldDraft {
  const known = new Set(choices.map(({ value }) => value));
  const offered = values.filter((value) => known.has(value));
  const [own = ''] = allowCustom ? values.filter((value) => !known.has(value)) : [];
  return { text: own, chosen: offered, other: own !== '' };
}

/** Handles a click on the choice at that position; the one after the last is "Other…". */
export function toggleChoice(field: ChoiceField, draft: FieldDraft, index: number): FieldDraft {
  const choice = field.choices[index]?.value;
  const isMany = field.type === 'multiselect';
  if (choice === undefined) {
    if (index !== field.choices.length || !field.allowCustom) return draft;
    return isMany ? { ...draft, other: !draft.other } : { ...draft, chosen: [], other: true };
  }
  if (!isMany) return { ...draft, chosen: [choice], other: false };
  const isChosen = draft.chosen.includes(choice);
  return { ...draft, chosen: isChosen ? draft.chosen.filter((other) => other !== choice) : [...draft.chosen, choice] };
}

/** Returns undefined if the field is empty. Choices are in the order in which they were offered. */
export function valueOf(field: FieldView, draft: FieldDraft): Value | undefined {
  const text = draft.text.trim();
  switch (field.type) {
    case 'text':
      return text === '' ? undefined : text;
    case 'number':
    case 'integer':
      return text === '' ? undefined : Number(text);
    case 'boolean':
      return draft.on;
    case 'select':
      return draft.other ? (text === '' ? undefined : text) : draft.chosen[0];
    case 'multiselect': {
      const own = draft.other && text !== '' ? [text] : [];
      const chosen = new Set(draft.chosen);
      const values = [...new Set([...field.choices.map(({ value }) => value).filter((value) => chosen.has(value)), ...own])];
      return values.length === 0 ? undefined : values;
    }
  }
}

/** Returns why the field cannot be submitted yet. */
export function whatIsMissing(field: FieldView, draft: FieldDraft): string | undefined {
  const value = valueOf(field, draft);
  if ((field.type === 'select' || field.type === 'multiselect') && draft.other && draft.text.trim() === '') return 'Write an answer first';
  if (value === undefined) return field.required ? whatToDo(field) : undefined;
  switch (field.type) {
    case 'number':
    case 'integer':
      return numberFault(field, Number(value));
    case 'multiselect':
      return countFault(field, Array.isArray(value) ? value.length : 0);
    case 'text':
      return textFault(field, String(value));
    default:
      return undefined;
  }
}

function whatToDo(field: FieldView): string {
  switch (field.type) {
    case 'select':
      return 'Choose an answer first';
    case 'multiselect':
      return Number(field.minItems) > 1 ? `Choose at least ${field.minItems}` : 'Choose at least one answer first';
    case 'number':
    case 'integer':
      return 'Enter a number first';
    default:
      return 'Write an answer first';
  }
}

function numberFault({ type, min, max }: Extract<FieldView, { type: 'number' | 'integer' }>, value: number): string | undefined {
  if (!Number.isFinite(value)) return 'Not a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'Not a whole number';
  if (min !== undefined && value < min) return `At least ${min}`;
  return max !== undefined && value > max ? `At most ${max}` : undefined;
}

const formatFaults: Readonly<
  Record<NonNullable<TextField['format']>, { readonly fits: (text: string) => boolean; readonly fault: string }>
> = {
  email: { fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text), fault: 'Not an email address' },
  uri: { fits: (text) => URL.canParse(text), fault: 'Not a URL' },
  date: { fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(text), fault: 'Not a date such as 2026-01-31' },
  'date-time': {
    fits: (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && isTime(text),
    fault: 'Not a date and time such as 2026-01-31T18:05:00Z',
  },
};

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function textFault({ minLength = 0, maxLength = Infinity, format }: TextField, text: string): string | undefined {
  const length = Array.from(text).length;
  if (length < minLength) return `At least ${minLength} characters`;
  if (length > maxLength) return `At most ${maxLength} characters`;
  return format === undefined || formatFaults[format].fits(text) ? undefined : formatFaults[format].fault;
}

function countFault({ minItems = 0, maxItems = Infinity }: Extract<FieldView, { type: 'multiselect' }>, count: number): string | undefined {
  if (count < minItems) return `Choose at least ${minItems}`;
  return count > maxItems ? `Choose at most ${maxItems}` : undefined;
}
