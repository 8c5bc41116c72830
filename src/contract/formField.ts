/** The fields of a form as the page draws them, and the values that it sends back by their names. */
import * as z from 'zod/mini';

const optionalText = z.optional(z.string());

const base = { name: z.string(), label: optionalText, description: optionalText, required: z.boolean() };
const choice = z.object({ value: z.string(), label: z.string(), description: optionalText });
const number = { min: z.optional(z.number()), max: z.optional(z.number()), defaultValue: z.optional(z.number()) };
/** `allowCustom`: the list also has "Other…". */
const choosing = { choices: z.array(choice), allowCustom: z.boolean() };

export const fieldSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    ...base,
    multiline: z.optional(z.boolean()),
    placeholder: optionalText,
    minLength: z.optional(z.number()),
    maxLength: z.optional(z.number()),
    format: z.optional(z.enum(['email', 'uri', 'date', 'date-time'])),
    /** Only shown, never evaluated. */
    pattern: optionalText,
    defaultValue: optionalText,
  }),
  z.object({ type: z.literal('number'), ...base, ...number }),
  z.object({ type: z.literal('integer'), ...base, ...number }),
  z.object({ type: z.literal('boolean'), ...base, defaultValue: z.optional(z.boolean()) }),
  z.object({ type: z.literal('select'), ...base, ...choosing, defaultValue: optionalText }),
  z.object({
    type: z.literal('multiselect'),
    ...base,
    ...choosing,
    minItems: z.optional(z.number()),
    maxItems: z.optional(z.number()),
    defaultValue: z.optional(z.array(z.string())),
  }),
]);
export type FieldView = z.infer<typeof fieldSchema>;

/** The value of a multiselect field is an array. */
export const fieldValuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));
export type FieldValuesView = z.infer<typeof fieldValuesSchema>;
