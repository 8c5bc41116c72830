/** The agent asks for one or several answers: texts, numbers, one or more choices. Entered values survive a reload. */
import { useRef, useState } from 'preact/hooks';
import type { FieldView } from '../../contract/viewParts.js';
import type { FormPromptView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import type { FieldDraft, PageMemory } from '../base/pageState.js';
import { emptyDraft, toggleChoice, valueOf, whatIsMissing } from './formDraft.js';
import { Field, takesText } from './formField.js';
import { PromptDialog, type PromptFrame, useDecision } from './promptDialog.js';

interface FormPromptProps {
  readonly prompt: FormPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
  readonly memory: PageMemory;
}

export function FormPrompt({ prompt, frame, post, memory }: FormPromptProps) {
  const { id, fields, message } = prompt;
  const { ready, decide, dismiss } = useDecision(id, post);
  const [drafts, setDrafts] = useState<Readonly<Record<string, FieldDraft>>>(memory.state.forms?.[id] ?? {});
  const firstField = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const draftOf = (field: FieldView): FieldDraft => drafts[field.name] ?? emptyDraft(field);
  const change = (field: FieldView, draft: FieldDraft): void => {
    const changed = { ...drafts, [field.name]: draft };
    setDrafts(changed);
    memory.change({ forms: { ...memory.state.forms, [id]: changed } });
  };
  const only = fields.length === 1 ? fields[0] : undefined;
  const missing = whatTheFormMisses(fields, draftOf);
  const submit = (): void => {
    if (missing !== undefined) return;
    const values = fields.flatMap((field) => {
      const value = valueOf(field, draftOf(field));
      return value === undefined ? [] : [[field.name, value] as const];
    });
    decide({ type: 'answer', promptId: id, values: Object.fromEntries(values) });
  };
  const other = fields.find((field) => draftOf(field).other);
  /** Where a letter is for the box of "Other…", a digit is, too. */
  const mark =
    other !== undefined || (only?.type !== 'select' && only?.type !== 'multiselect')
      ? undefined
      : (index: number): void => {
          change(only, toggleChoice(only, draftOf(only), index));
          // From here, Enter submits.
          form.current?.querySelectorAll<HTMLElement>('.choice input')[index]?.focus();
        };
  /** What is typed while a choice has the focus is for the box of "Other…" if the user chose that. */
  const write =
    other &&
    ((text: string): void => {
      change(other, { ...draftOf(other), text: draftOf(other).text + text });
      form.current?.querySelector<HTMLElement>('.choices ~ .answer')?.focus();
    });
  const first = fields[0];
  const typing = fields.some((field) => takesText(field, draftOf(field)));
  return (
    <PromptDialog
      prompt={prompt}
      frame={frame}
      icon="question"
      armed={ready}
      onDismiss={dismiss}
      onDigit={mark}
      digitsMark
      write={write}
      firstField={first?.type === 'text' ? firstField : undefined}
    >
      <form
        ref={form}
        class="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="prompt-body" role="group" aria-label="Question" tabIndex={0}>
          <div class="question-text" id="question-text" dir="auto">
            {message}
          </div>
          {fields.map((field, index) => (
            <Field
              key={field.name}
              field={field}
              draft={draftOf(field)}
              id={`field-${index}`}
              isOnly={only !== undefined}
              missing={whatIsMissing(field, draftOf(field))}
              onChange={(draft) => change(field, draft)}
              onSubmit={submit}
              inputRef={index === 0 ? firstField : undefined}
            />
          ))}
        </div>
        <div class="prompt-options">
          <button type="submit" class="button" disabled={!ready || missing !== undefined} title={missing} aria-describedby="answer-missing">
            Submit
          </button>
          {prompt.canDecline ? (
            <button type="button" class="button secondary" disabled={!ready} onClick={() => decide({ type: 'decline', promptId: id })}>
              Decline
            </button>
          ) : null}
          <button type="button" class="button secondary" disabled={!ready} title="Esc" onClick={dismiss}>
            Cancel
          </button>
          <span class="answer-missing" id="answer-missing">
            {missing ?? (typing ? 'Ctrl+Enter submits' : '')}
          </span>
        </div>
      </form>
    </PromptDialog>
  );
}

/** Returns the reason of the first field that has one, with the name of the field if there are several. */
function whatTheFormMisses(fields: readonly FieldView[], draftOf: (field: FieldView) => FieldDraft): string | undefined {
  for (const field of fields) {
    const missing = whatIsMissing(field, draftOf(field));
    if (missing !== undefined) return fields.length === 1 ? missing : `${field.label ?? field.name}: ${missing}`;
  }
  return undefined;
}
