/**
 * The pending prompts, one at a time, oldest first. In the chat, they are docked above the composer and block nothing; in the panel, they
 * are the whole page.
 */
import { signal, type Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { Surface } from '../../contract/messages.js';
import type { ConfirmPromptView, EditorPromptView, PromptView, UrlPromptView } from '../../contract/view.js';
import { countOf } from '../base/formatText.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import type { Sections } from '../base/store.js';
import { Age, CopyButton, Icon } from '../components/components.js';
import { Dismiss } from './permissionOptions.js';
import { PromptDialog, type PromptFrame, useDecision } from './promptDialog.js';
import type { FormPrompt as FormPromptComponent } from './formPrompt.js';
import { PermissionPrompt } from './permissionPrompt.js';
import { turnToPrompts } from './presses.js';

export interface PromptsModel {
  /** The ids of the prompts that were pending when the user minimized them. One that arrives later is not minimized. */
  readonly minimized: Signal<ReadonlySet<string>>;
  /** Opens the prompts and moves the keyboard focus there. */
  focus(): void;
}

const none: ReadonlySet<string> = new Set();
/** A chunk of its own, because few conversations contain a form. */
let FormPrompt: typeof FormPromptComponent | undefined;
let loading: Promise<void> | undefined;

/**
 * Call this before any of these prompts is drawn.
 * @returns a promise that resolves when they can be drawn, and never rejects; undefined if they can be drawn now
 */
export function loadForms(prompts: readonly PromptView[]): Promise<void> | undefined {
  if (FormPrompt !== undefined || !prompts.some(({ kind }) => kind === 'form')) return undefined;
  return (loading ??= import('./formPrompt.js').then((chunk) => void (FormPrompt = chunk.FormPrompt), reportError));
}

export function createPromptsModel(): PromptsModel {
  const minimized = signal(none);
  return {
    minimized,
    focus() {
      turnToPrompts();
      // A prompt that is open stays: an older one must not take its place.
      if (document.querySelector('.prompt') === null) minimized.value = none;
      // Waits until the prompt was rendered.
      setTimeout(() => document.querySelector<HTMLElement>('.prompt')?.focus());
    },
  };
}

interface PromptsProps {
  readonly sections: Sections;
  readonly model: PromptsModel;
  readonly post: Post;
  readonly memory: PageMemory;
  readonly surface: Surface;
  readonly composer: { focus(): void; write(text: string): void };
}

export function Prompts({ sections, model, post, memory, surface, composer }: PromptsProps) {
  const prompts = sections.prompts.value;
  const [chosenId, setChosenId] = useState<string>();
  const bar = useRef<HTMLButtonElement>(null);
  const { minimized } = model;
  const isOpen = ({ id }: PromptView): boolean => !minimized.value.has(id);
  const chosen = prompts.find(({ id }) => id === chosenId) ?? prompts[0];
  if (chosen === undefined) return surface === 'prompts' && sections.loaded.value ? <Nothing post={post} /> : null;
  const prompt = isOpen(chosen) ? chosen : (prompts.find(isOpen) ?? chosen);
  const { id } = prompt;
  if (!isOpen(prompt)) {
    return (
      <button
        ref={bar}
        type="button"
        class="prompt-bar"
        aria-expanded={false}
        onClick={() => {
          minimized.value = none;
        }}
      >
        <Icon name="bell-dot" />
        <span class="prompt-bar-title">{prompt.title}</span>
        <span>
          {prompts.length > 1 ? countOf(prompts.length, 'request', 'requests') : ''}
          <Age since={prompt.at} />
        </span>
        <Icon name="chevron-up" />
      </button>
    );
  }
  const docked = surface === 'chat';
  const index = prompts.indexOf(prompt);
  const go = (step: -1 | 1): void => {
    const { id: next } = prompts[(index + step) % prompts.length] ?? prompt;
    setChosenId(next);
    minimized.value = new Set([...minimized.value].filter((other) => other !== next));
  };
  const frame: PromptFrame = {
    modal: !docked,
    returnFocus: () => (isOpen(prompt) ? composer.focus() : bar.current?.focus()),
    place: prompts.length > 1 ? { index, count: prompts.length, go } : undefined,
    write: docked ? composer.write : undefined,
    minimize: docked
      ? () => {
          setChosenId(id);
          minimized.value = new Set(prompts.map((pending) => pending.id));
        }
      : undefined,
  };
  const props = { frame, post };
  switch (prompt.kind) {
    case 'permission':
      // With other texts of files, it is drawn anew, and can't be decided for a moment again.
      return <PermissionPrompt key={`${id} ${prompt.drawn ?? ''}`} {...props} prompt={prompt} memory={memory} />;
    case 'form':
      if (FormPrompt === undefined) return <div class="prompt-bar">{prompt.title} (reload the window)</div>;
      return <FormPrompt key={id} {...props} prompt={prompt} memory={memory} />;
    case 'url':
      return <UrlPrompt key={id} {...props} prompt={prompt} />;
    case 'confirm':
      return <ConfirmPrompt key={id} {...props} prompt={prompt} />;
    case 'editor':
      return <EditorPrompt key={id} {...props} prompt={prompt} memory={memory} />;
  }
}

function Nothing({ post }: { readonly post: Post }) {
  return (
    <div class="empty">
      <div class="empty-content">
        <Icon name="pass" />
        <h2 class="empty-title">No pending requests</h2>
        <button type="button" class="button secondary" onClick={() => post({ type: 'action', action: 'openChatInEditor' })}>
          Open chat
        </button>
      </div>
    </div>
  );
}

/** The agent asks the user to open a page. The complete URL is shown; the host asks before it opens an unencrypted one. */
interface UrlPromptProps {
  readonly prompt: UrlPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
}

function UrlPrompt({ prompt, frame, post }: UrlPromptProps) {
  const { id: promptId, message, url, isOpened } = prompt;
  const { ready, act, decide, dismiss } = useDecision(promptId, post);
  // This does not decide the prompt yet: the host may ask again, and the user may decline.
  const open = (): boolean => act({ type: 'openUrl', promptId });
  const choices: Parameters<typeof choose>[0] =
    isOpened === true
      ? [
          { label: 'Done', icon: 'check', choose: () => decide({ type: 'answer', promptId, values: {} }) },
          { label: 'Open Again', icon: 'link-external', choose: open },
        ]
      : [
          { label: 'Open', icon: 'link-external', choose: open },
          { label: 'Decline', icon: 'circle-slash', choose: () => decide({ type: 'decline', promptId }) },
        ];
  return (
    <PromptDialog prompt={prompt} frame={frame} icon="globe" armed={ready} onDismiss={dismiss} onDigit={(index) => choose(choices, index)}>
      <div class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
        <div class="question-text" dir="auto">
          {message}
        </div>
        <div class="prompt-command">
          <pre dir="ltr">{url}</pre>
          <CopyButton what="address" text={url} post={post} />
        </div>
      </div>
      <DecisionButtons ready={ready} choices={choices} dismiss={dismiss} />
    </PromptDialog>
  );
}

/** The agent asks for a yes or a no. */
interface ConfirmPromptProps {
  readonly prompt: ConfirmPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
}

/** Anything else is shown as code, because an agent may ask about a command, or about a change line by line. */
const isSentence = /[.!?…]$/;

function ConfirmPrompt({ prompt, frame, post }: ConfirmPromptProps) {
  const { id: promptId, message } = prompt;
  const { ready, decide, dismiss } = useDecision(promptId, post);
  const choices: Parameters<typeof choose>[0] = [
    { label: 'Yes', icon: 'check', choose: () => decide({ type: 'answer', promptId, values: {} }) },
    { label: 'No', icon: 'circle-slash', choose: () => decide({ type: 'decline', promptId }) },
  ];
  return (
    <PromptDialog
      prompt={prompt}
      frame={frame}
      icon="question"
      armed={ready}
      onDismiss={dismiss}
      onDigit={(index) => choose(choices, index)}
    >
      {message === undefined ? null : (
        <div class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
          {isSentence.test(message) ? (
            <div class="question-text" dir="auto">
              {message}
            </div>
          ) : (
            <div class="prompt-command">
              <pre dir="ltr">{message}</pre>
            </div>
          )}
        </div>
      )}
      <DecisionButtons ready={ready} choices={choices} dismiss={dismiss} />
    </PromptDialog>
  );
}

/** The agent asks for a text, and provides an initial one. Changes survive a reload. */
interface EditorPromptProps {
  readonly prompt: EditorPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
  readonly memory: PageMemory;
}

const fieldName = 'text';

function EditorPrompt({ prompt, frame, post, memory }: EditorPromptProps) {
  const { id: promptId, title, prefill } = prompt;
  const { ready, decide, dismiss } = useDecision(promptId, post);
  const [text, setText] = useState(memory.state.forms?.[promptId]?.[fieldName]?.text ?? prefill);
  const box = useRef<HTMLTextAreaElement>(null);
  const change = (changed: string): void => {
    setText(changed);
    const draft = { text: changed, chosen: [], other: false };
    memory.change({ forms: { ...memory.state.forms, [promptId]: { [fieldName]: draft } } });
  };
  const submit = (): void => void decide({ type: 'answer', promptId, values: { [fieldName]: text } });
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

/** To agree has the digit that allows a permission, and to decline the one that rejects it. */
const choiceDigits = [1, 3] as const;

interface Choice {
  readonly label: string;
  /** A name of the codicon font. */
  readonly icon: string;
  readonly choose: () => unknown;
}

interface DecisionButtonsProps {
  readonly ready: boolean;
  readonly choices: readonly [agree: Choice, decline: Choice];
  readonly dismiss: () => void;
}

/** The ways to decide a prompt, each with its digit, and the way to dismiss it. */
function DecisionButtons({ ready, choices, dismiss }: DecisionButtonsProps) {
  return (
    <div class="prompt-options" role="group" aria-label="Options">
      <div class="option-buttons">
        {choices.map(({ label, icon, choose }, index) => (
          <button type="button" class="button option secondary" key={label} disabled={!ready} onClick={() => void choose()}>
            <kbd aria-hidden="true">{choiceDigits[index]}</kbd>
            <Icon name={icon} />
            {label}
          </button>
        ))}
        <Dismiss ready={ready} dismiss={dismiss} />
      </div>
    </div>
  );
}

/** @param index of a digit, 0-based */
function choose(choices: DecisionButtonsProps['choices'], index: number): void {
  const at = choiceDigits.findIndex((digit) => digit === index + 1);
  choices[at]?.choose();
}
