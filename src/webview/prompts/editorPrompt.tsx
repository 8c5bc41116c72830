/** The agent asks for a text, and provides an initial one. Changes survive a reload. */
import { useRef, useState } from 'preact/hooks';
import type { EditorPromptView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import { PromptDialog, type PromptFrame } from './promptDialog.js';
import { useDecision } from './useDecision.js';

interface EditorPromptProps {
  readonly prompt: EditorPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
  readonly memory: PageMemory;
}

const fieldName = 'text';

export function EditorPrompt({ prompt, frame, post, memory }: EditorPromptProps) {
  const { id: promptId, title, prefill } = prompt;
  const { ready, decide, dismiss } = useDecision(promptId, post);
  const [text, setText] = useState(memory.state.forms?.[promptId]?.[fieldName]?.text ?? prefill);
  const box = useRef<HTMLTextAreaElement>(null);
  const change = (changed: string): void => {
    setText(changed);
    const draft = { text: changed, chosen: [], other: false, on: false };
    memory.change({ forms: { ...memory.state.forms, [promptId]: { [fieldName]: draft } } });
  };
  const submit = (): void => decide({ type: 'answer', promptId, values: { [fieldName]: text } });
  return (
    <PromptDialog prompt={prompt} frame={frame} icon="edit" armed={ready} onDismiss={dismiss} firstField={box}>
      <form
        class="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="prompt-body">
          <textarea
            ref={box}
            class="answer"
            aria-label={title}
            rows={8}
            dir="auto"
            value={text}
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) submit();
            }}
          />
        </div>
        <div class="prompt-options">
          <button type="submit" class="button" disabled={!ready}>
            Submit
          </button>
          <button type="button" class="button secondary" disabled={!ready} title="Esc" onClick={dismiss}>
            Cancel
          </button>
          <span class="answer-missing">Ctrl+Enter submits</span>
        </div>
      </form>
    </PromptDialog>
  );
}
