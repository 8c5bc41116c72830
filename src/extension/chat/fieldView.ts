/** Maps a field of a form for the page. */
import type { FieldView } from '../../contract/formField.js';
import { type Choice, foldToOneLine, type FormField, hidesText, revealHidden, revealOnOneLine } from '../../core/index.js';

/** Spells out hidden characters in the texts that are shown. The name of a field and its values go back to the agent unchanged. */
export function fieldView(field: FormField): FieldView {
  const shown = wordsOf(field);
  switch (field.type) {
    case 'select':
      return { ...field, ...shown, choices: field.choices.map(choiceView) };
    case 'multiselect': {
      const { defaultValue, choices, ...rest } = field;
      return {
        ...rest,
        ...shown,
        choices: choices.map(choiceView),
        ...(defaultValue === undefined ? {} : { defaultValue: [...defaultValue] }),
      };
    }
    case 'text': {
      const { placeholder, pattern } = field;
      return {
        ...field,
        ...shown,
        ...(placeholder === undefined ? {} : { placeholder: revealOnOneLine(placeholder) }),
        ...(pattern === undefined ? {} : { pattern: revealOnOneLine(pattern) }),
      };
    }
    default:
      return { ...field, ...shown };
  }
}

function wordsOf(field: FormField): Pick<FieldView, 'label' | 'description'> {
  const label = field.label ?? (hidesText(field.name) ? field.name : undefined);
  // A text box contains the text as it is.
  const filledIn = field.type === 'text' && hidesText(field.defaultValue ?? '') ? field.defaultValue : undefined;
  const description = [
    ...(field.description === undefined ? [] : [field.description]),
    ...(filledIn === undefined ? [] : [`The default value has hidden characters: ${filledIn}`]),
  ];
  return {
    ...(label === undefined ? {} : { label: foldToOneLine(label) }),
    ...(description.length === 0 ? {} : { description: revealHidden(description.join('\n')) }),
  };
}

function choiceView({ value, label, description }: Choice): Extract<FieldView, { type: 'select' }>['choices'][number] {
  return { value, label: foldToOneLine(label), ...(description === undefined ? {} : { description: revealHidden(description) }) };
}
