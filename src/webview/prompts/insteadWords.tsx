/** Rejects a permission with words: a button beside the options, which opens a line for what the agent is to do instead. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PermissionPromptView } from '../../contract/view.js';
import type { PageMemory } from '../base/pageState.js';
import { forgetTyping } from '../base/typing.js';
import { Icon } from '../components/components.js';

/** Its name among the answers that the page remembers. */
const fieldName = 'instead';
/** In a narrower page, the line has no space for the longer placeholder. */
const narrowPx = 320;

/** Whether the options allow or reject something. With more than one way to allow once, they are the answers to a question. */
export function takesWords({ options }: PermissionPromptView): boolean {
  return options.filter(({ icon }) => icon === 'allows').length <= 1;
}

interface InsteadWordsProps {
  readonly promptId: string;
  readonly agent: string;
  readonly memory: PageMemory;
  /** @returns whether this decided the request, which it does not too early */
  readonly reject: (words: string) => boolean;
}

/** What was written survives a reload, and a look at another request. Escape hides it, and the next Escape dismisses the request. */
export function InsteadWords({ promptId, agent, memory, reject }: InsteadWordsProps) {
  const [text, setText] = useState(memory.state.forms?.[promptId]?.[fieldName]?.text ?? '');
  const [open, setOpen] = useState(text !== '');
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const wasOpen = useRef(open);
  useLayoutEffect(() => {
    if (open && !wasOpen.current) field.current?.focus();
    wasOpen.current = open;
  }, [open]);
  const change = (changed: string): void => {
    setText(changed);
    const draft = { text: changed, chosen: [], other: false, on: false };
    memory.change({ forms: { ...memory.state.forms, [promptId]: { [fieldName]: draft } } });
  };
  const close = (): void => {
    button.current?.focus();
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, repeat, isComposing, keyCode } = event;
    // A key that is held down decides nothing: it may be the one that has opened the field.
    if (repeat || isComposing || keyCode === 229) return;
    const words = text.trim();
    if (key === 'Enter' && words !== '' && reject(words)) forgetTyping();
    else if (key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const label = `Tell ${agent} what to do instead`;
  const what = 'Reject and Tell the Agent What to Do Instead';
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button instead-button"
        aria-label={what}
        title={what}
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
      >
        <Icon name="comment" />
      </button>
      {open ? (
        <input
          ref={field}
          type="text"
          class="answer instead"
          dir="auto"
          aria-label={label}
          title="Enter: reject and tell the agent · Esc: back to the options"
          placeholder={innerWidth <= narrowPx ? 'Do this instead' : label}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      ) : null}
    </>
  );
}
