/**
 * The pending prompts, one at a time, oldest first. In the chat, they are docked above the composer and block nothing; in the panel, they
 * are the whole page.
 */
import { signal, type Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { Surface } from '../../contract/messages.js';
import type { PromptView } from '../../contract/view.js';
import { Age, Icon } from '../components/components.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import type { Sections } from '../base/store.js';
import { countOf } from '../base/formatText.js';
import type { PromptFrame } from './promptDialog.js';
import { ConfirmPrompt } from './confirmPrompt.js';
import { EditorPrompt } from './editorPrompt.js';
import type { FormPrompt as FormPromptComponent } from './formPrompt.js';
import { PermissionPrompt } from './permissionPrompt.js';
import { turnToPrompts } from './presses.js';
import { UrlPrompt } from './urlPrompt.js';

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
      return <PermissionPrompt key={id} {...props} prompt={prompt} />;
    case 'form':
      if (FormPrompt === undefined) return <div class="prompt-bar">{prompt.title} (can't be shown; reload the window)</div>;
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
