/** One field of a form. If a form has only one field, the question is its label, and what it lacks appears next to Submit. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FieldView } from '../../contract/viewParts.js';
import type { FieldDraft } from '../base/pageState.js';
import { toggleChoice } from './formDraft.js';

interface FieldProps {
  readonly field: FieldView;
  readonly draft: FieldDraft;
  /** Unique in the page. */
  readonly id: string;
  readonly isOnly: boolean;
  readonly missing: string | undefined;
  readonly onChange: (draft: FieldDraft) => void;
  readonly onSubmit: () => void;
  readonly inputRef: RefObject<(HTMLTextAreaElement & HTMLInputElement) | null> | undefined;
}

/** Whether the field shows a text box. */
export function takesText({ type }: FieldView, { other }: FieldDraft): boolean {
  return type === 'text' || type === 'number' || type === 'integer' || other;
}

export function Field(props: FieldProps) {
  const { field, draft, id, isOnly, missing } = props;
  if (isOnly && field.label === undefined && field.description === undefined && field.type !== 'boolean') return <Control {...props} />;
  const description =
    field.description === undefined ? null : (
      <div class="field-description" id={`${id}-description`} dir="auto">
        {field.description}
      </div>
    );
  return (
    <div class="field">
      {field.type === 'boolean' ? null : (
        <div class="field-label" id={`${id}-label`} dir="auto">
          {field.label ?? field.name}
          {field.required ? null : <span class="field-optional"> (optional)</span>}
        </div>
      )}
      {field.type === 'boolean' ? null : description}
      <Control {...props} draft={draft} />
      {field.type === 'boolean' ? description : null}
      {isOnly || missing === undefined ? null : (
        <div class="answer-missing" id={`${id}-missing`}>
          {missing}
        </div>
      )}
    </div>
  );
}

/** Returns what names the field for a screen reader, and what describes it. */
function namesOf({ field, id, isOnly, missing }: FieldProps): {
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-describedby': string;
} {
  const description = field.description === undefined ? [] : [`${id}-description`];
  const isQuestion = isOnly && field.label === undefined && field.description === undefined;
  if (isQuestion) return { 'aria-label': 'Answer', 'aria-describedby': 'question-text answer-missing' };
  const fault = isOnly ? ['answer-missing'] : missing === undefined ? [] : [`${id}-missing`];
  return { 'aria-labelledby': `${id}-label`, 'aria-describedby': [...description, ...fault].join(' ') };
}

function Control(props: FieldProps) {
  const { field, draft, id, onChange } = props;
  switch (field.type) {
    case 'text':
    case 'number':
    case 'integer':
      return <TextBox {...props} />;
    case 'boolean':
      return (
        <label class="choice">
          <input
            type="checkbox"
            aria-describedby={`${id}-description`}
            checked={draft.on === true}
            onChange={(event) => onChange({ ...draft, on: event.currentTarget.checked })}
          />
          <span dir="auto">{field.label ?? field.name}</span>
        </label>
      );
    case 'select':
    case 'multiselect':
      return <Choices {...props} field={field} />;
  }
}

function TextBox(props: FieldProps) {
  const { field, draft, onChange, onSubmit, inputRef } = props;
  const isLine = field.type === 'number' || field.type === 'integer' || (field.type === 'text' && field.multiline !== true);
  const shared = {
    ...namesOf(props),
    class: 'answer',
    dir: 'auto' as const,
    value: draft.text,
    placeholder: (field.type === 'text' ? (field.placeholder ?? field.pattern) : undefined) ?? (isLine ? '' : 'Write your answer'),
    ref: inputRef ?? null,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onChange({ ...draft, text: event.currentTarget.value }),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) onSubmit();
    },
  };
  if (!isLine) return <textarea rows={2} {...shared} />;
  return <input type="text" {...(field.type === 'text' ? {} : { inputMode: 'decimal' as const })} {...shared} />;
}

type ChoicesProps = FieldProps & { readonly field: Extract<FieldView, { type: 'select' | 'multiselect' }> };

/** The box of "Other…" gets the focus when the user chooses it, unless with an arrow key, which may only pass it. */
function Choices(props: ChoicesProps) {
  const { field, draft, id, isOnly, onChange } = props;
  const isMany = field.type === 'multiselect';
  const root = useRef<HTMLDivElement>(null);
  const wasOther = useRef(draft.other);
  const byArrow = useRef(false);
  useLayoutEffect(() => {
    if (draft.other && !wasOther.current && !byArrow.current) root.current?.querySelector<HTMLElement>('.answer')?.focus();
    wasOther.current = draft.other;
  }, [draft.other]);
  const choice = (label: string, description: string | undefined, index: number, checked: boolean) => (
    <label class="choice" key={index}>
      <input
        type={isMany ? 'checkbox' : 'radio'}
        name={`choice-${id}`}
        checked={checked}
        onChange={() => onChange(toggleChoice(field, draft, index))}
      />
      <span dir="auto">
        {label}
        {description === undefined ? null : <span class="field-description"> {description}</span>}
      </span>
    </label>
  );
  const isQuestion = isOnly && field.label === undefined && field.description === undefined;
  const chosen = new Set(draft.chosen);
  return (
    <div ref={root} onKeyDown={({ key }) => (byArrow.current = key.startsWith('Arrow'))} onPointerDown={() => (byArrow.current = false)}>
      <div class="choices" role={isMany ? 'group' : 'radiogroup'} aria-labelledby={isQuestion ? 'question-text' : `${id}-label`}>
        {field.choices.map(({ value, label, description }, index) => choice(label, description, index, chosen.has(value)))}
        {field.allowCustom ? choice('Other…', undefined, field.choices.length, draft.other) : null}
      </div>
      {draft.other ? <TextBox {...props} /> : null}
    </div>
  );
}
