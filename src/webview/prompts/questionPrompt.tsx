/** The agent asks a question: one of some answers, several of them, or words. What was begun survives a reload. */
import { useRef, useState } from 'preact/hooks';
import type { QuestionPromptView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import type { AnswerDraft, PageMemory } from '../base/pageState.js';
import { PromptDialog, useArmed, type PromptFrame } from './promptDialog.js';

interface QuestionPromptProps {
  readonly prompt: QuestionPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
  readonly memory: PageMemory;
}

export function QuestionPrompt({ prompt, frame, post, memory }: QuestionPromptProps) {
  const armed = useArmed();
  const [decided, setDecided] = useState(false);
  const [draft, setDraft] = useState<AnswerDraft>(
    memory.state.answers[prompt.id] ?? { text: '', chosen: [], other: prompt.options.length === 0 },
  );
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (next: Partial<AnswerDraft>): void => {
    const changed = { ...draft, ...next };
    setDraft(changed);
    memory.change({ answers: { ...memory.state.answers, [prompt.id]: changed } });
  };
  const ready = armed && !decided;
  const missing = whatIsMissing(prompt, draft);
  const submit = (): void => {
    if (!ready || missing !== undefined) return;
    setDecided(true);
    post({ type: 'answer', promptId: prompt.id, text: answerText(prompt, draft) });
  };
  const dismiss = (): void => {
    setDecided(true);
    post({ type: 'dismiss', promptId: prompt.id });
  };
  const toggle = (index: number): void => {
    const option = prompt.options[index];
    if (option !== undefined) change(prompt.multiple ? { chosen: toggled(draft.chosen, option) } : { chosen: [option], other: false });
    else if (index === prompt.options.length && prompt.allowCustom)
      change(prompt.multiple ? { other: !draft.other } : { chosen: [], other: true });
  };
  const freeText = prompt.options.length === 0;
  return (
    <PromptDialog
      prompt={prompt}
      frame={frame}
      icon="question"
      armed={ready}
      onDismiss={dismiss}
      onDigit={toggle}
      {...(freeText ? { firstField: field } : {})}
    >
      <form
        class="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="prompt-body" role="group" aria-label="Question" tabIndex={0}>
          <div class="question-text" id="question-text" dir="auto">
            {prompt.question}
          </div>
          {freeText ? null : <Choices prompt={prompt} draft={draft} onToggle={toggle} />}
          {freeText || draft.other ? (
            <textarea
              ref={field}
              class="answer"
              aria-label="Answer"
              aria-describedby="question-text answer-missing"
              rows={2}
              dir="auto"
              value={draft.text}
              placeholder="Write your answer"
              onInput={(event) => change({ text: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) submit();
              }}
            />
          ) : null}
        </div>
        <div class="prompt-options">
          <button type="submit" class="button" disabled={!ready || missing !== undefined} aria-describedby="answer-missing">
            Submit
          </button>
          <button type="button" class="button secondary" disabled={!ready} title="Esc" onClick={dismiss}>
            Cancel
          </button>
          <span class="answer-missing" id="answer-missing">
            {missing ?? (freeText || draft.other ? 'Ctrl+Enter submits' : '')}
          </span>
        </div>
      </form>
    </PromptDialog>
  );
}

interface ChoicesProps {
  readonly prompt: QuestionPromptView;
  readonly draft: AnswerDraft;
  readonly onToggle: (index: number) => void;
}

function Choices({ prompt, draft, onToggle }: ChoicesProps) {
  const choice = (label: string, index: number, checked: boolean) => (
    <label class="choice" key={index}>
      <input
        type={prompt.multiple ? 'checkbox' : 'radio'}
        name={`choice-${prompt.id}`}
        checked={checked}
        onChange={() => onToggle(index)}
      />
      <span dir="auto">{label}</span>
    </label>
  );
  return (
    <div class="choices" role={prompt.multiple ? 'group' : 'radiogroup'} aria-labelledby="question-text">
      {prompt.options.map((option, index) => choice(option, index, draft.chosen.includes(option)))}
      {prompt.allowCustom ? choice('Other …', prompt.options.length, draft.other) : null}
    </div>
  );
}

function toggled(chosen: readonly string[], option: string): string[] {
  return chosen.includes(option) ? chosen.filter((other) => other !== option) : [...chosen, option];
}

/** Why it cannot be submitted yet. */
function whatIsMissing({ options, multiple }: QuestionPromptView, { text, chosen, other }: AnswerDraft): string | undefined {
  if ((options.length === 0 || other) && text.trim() === '') return 'Write an answer first';
  if (options.length > 0 && chosen.length === 0 && !other) return multiple ? 'Choose at least one answer first' : 'Choose an answer first';
  return undefined;
}

/** One string: agents want several answers joined, in the order in which they were offered. */
function answerText({ options }: QuestionPromptView, { text, chosen, other }: AnswerDraft): string {
  const picked = options.filter((option) => chosen.includes(option));
  return [...picked, ...(options.length === 0 || other ? [text.trim()] : [])].join(', ');
}
