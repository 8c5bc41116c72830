/** Several questions at once, each with its choices, in the shape that Claude Code began and several agents have. */
import * as z from 'zod/mini';
import type { NewRequest } from '../../services/hostServices.js';
import { joinChoices } from '../../session/joinedChoices.js';
import type { FieldValue, FormField } from '../../session/userRequest.js';
import { itemParser, listOf, orNull } from './schema/lenient.js';

const question = itemParser(
  z.looseObject({
    question: z.string(),
    header: orNull(z.string()),
    multiSelect: orNull(z.boolean()),
    options: z.catch(listOf(itemParser(z.looseObject({ label: z.string().check(z.minLength(1)), description: orNull(z.string()) }))), []),
  }),
);
export type Question = NonNullable<ReturnType<typeof question>>;

/** The field of each question has its number in the list, from 0, as its name. @param title of the form if there are several */
export function questionnaireForm(
  sessionId: string,
  questions: readonly Question[],
  title: string,
): Extract<NewRequest, { readonly kind: 'form' }> {
  const [only] = questions.length === 1 ? questions : [];
  return {
    kind: 'form',
    sessionId,
    ...(only?.header == null ? {} : { title: only.header }),
    message: only?.question ?? title,
    fields: questions.map((one, index) => fieldOf(one, String(index), only !== undefined)),
  };
}

/** Returns all questions or none, because a question that the user did not see must not be answered. */
export function questionsIn(value: unknown): readonly Question[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const questions = value.flatMap((one) => question(one) ?? []);
  return questions.length === value.length ? questions : undefined;
}

function fieldOf({ question: label, header, options, multiSelect }: Question, name: string, isOnly: boolean): FormField {
  const base = {
    name,
    required: true,
    ...(isOnly ? {} : { label, ...(header == null ? {} : { description: header }) }),
  };
  const choices = options.map(({ label: value, description }) => ({
    value,
    label: value,
    ...(description == null ? {} : { description }),
  }));
  if (choices.length === 0) return { type: 'text', ...base, multiline: true };
  return { type: multiSelect === true ? 'multiselect' : 'select', ...base, choices, allowCustom: true };
}

/** Several answers become one text. */
export function answerText(value: FieldValue): string {
  return typeof value === 'object' ? joinChoices(value) : String(value);
}
