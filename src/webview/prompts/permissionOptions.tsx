/** The options of a permission: one to allow and one to reject in a row of equal buttons, the others in a menu beside them. */
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PermissionPromptView } from '../../contract/view.js';
import type { PageMemory } from '../base/pageState.js';
import { forgetTyping } from '../base/typing.js';
import { Icon } from '../components/components.js';
import { useFloating, useLeaving } from '../components/floating.js';

type Option = PermissionPromptView['options'][number];

const optionIcons: Readonly<Record<Option['icon'], string>> = {
  allows: 'check',
  allowsAlways: 'check-all',
  rejects: 'circle-slash',
  unknown: 'question',
};

interface PermissionOptionsProps {
  readonly prompt: PermissionPromptView;
  readonly ready: boolean;
  readonly select: (option: Option) => void;
  readonly dismiss: () => void;
  /** What is beside and below the row. */
  readonly children: ComponentChildren;
}

/** The row is a single Tab stop, with arrow keys inside. */
export function PermissionOptions(props: PermissionOptionsProps) {
  const { ready, select, dismiss, children } = props;
  const { options, rejectsWhenDismissed } = props.prompt;
  const [current, setCurrent] = useState(0);
  const [open, setOpen] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  const more = options.filter(({ isMore }) => isMore);
  const button = (option: Option, tabIndex: number, onFocus?: () => void) => (
    <OptionButton key={option.optionId} {...{ option, ready, tabIndex, onFocus }} select={() => select(option)} />
  );
  const moreLabel = more.every(({ kind }) => /always/i.test(kind)) ? 'Always…' : 'More…';
  const inRow = options.filter(({ isMore }) => !isMore);
  const close = (): void => {
    setOpen(false);
    row.current?.querySelector<HTMLElement>('.option-more')?.focus();
  };
  return (
    <div class="prompt-options" role="group" aria-label="Options">
      <div ref={row} class="option-buttons" onKeyDown={(event) => moveFocus(event, row)}>
        {inRow.map((option, index) => button(option, index === current ? 0 : -1, () => setCurrent(index)))}
        {more.length === 0 ? null : (
          <button
            type="button"
            class="button secondary option-more"
            tabIndex={current === inRow.length ? 0 : -1}
            aria-label={`${moreLabel} (more options)`}
            title={more.map(({ digit, kind }) => `${digit}: ${kind}`).join(' · ')}
            aria-haspopup="menu"
            aria-expanded={open}
            onFocus={() => setCurrent(inRow.length)}
            onClick={() => setOpen(!open)}
          >
            <span>{moreLabel}</span>
            <Icon name="chevron-down" />
          </button>
        )}
        {rejectsWhenDismissed ? null : <Dismiss ready={ready} dismiss={dismiss} />}
      </div>
      {children}
      {open ? (
        <Menu anchor={row} onClose={close} onLeave={() => setOpen(false)}>
          {more.map((option) => button(option, -1))}
        </Menu>
      ) : null}
    </div>
  );
}

interface MenuProps {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly onLeave: () => void;
  readonly children: readonly preact.JSX.Element[];
}

function Menu({ anchor, onClose, onLeave, children }: MenuProps) {
  const menu = useFloating<HTMLDivElement>(anchor, 'stretch');
  // Buttons that can't be pressed yet don't take the focus.
  useLayoutEffect(() => (menu.current?.querySelector<HTMLElement>('button:enabled') ?? menu.current)?.focus(), []);
  useLeaving(menu, anchor, onLeave);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return moveFocus(event, menu);
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <div ref={menu} class="floating option-menu" role="group" aria-label="More options" tabIndex={-1} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}

function moveFocus(event: KeyboardEvent, box: RefObject<HTMLElement | null>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...(box.current?.querySelectorAll('button') ?? [])];
  const index = buttons.findIndex((button) => button === document.activeElement);
  buttons.at((index + step) % buttons.length)?.focus();
}

interface OptionButtonProps {
  readonly option: Option;
  readonly ready: boolean;
  readonly tabIndex: number;
  readonly onFocus: (() => void) | undefined;
  readonly select: () => void;
}

function OptionButton({ option: { kind, name, reach, icon, digit, primary }, ready, tabIndex, onFocus, select }: OptionButtonProps) {
  return (
    <button
      type="button"
      class={primary ? 'button option' : 'button option secondary'}
      disabled={!ready}
      tabIndex={tabIndex}
      title={[kind, name, reach].filter((part) => part !== undefined).join(' · ')}
      onFocus={onFocus}
      onClick={select}
    >
      {digit < 10 ? <kbd aria-hidden="true">{digit}</kbd> : null}
      <Icon name={optionIcons[icon]} />
      <span class="option-text">
        <span class="option-kind">
          {kind.replace(/ once$/, '')}
          {kind.endsWith(' once') ? <span class="option-once"> once</span> : null}
        </span>
        {name === undefined ? null : (
          <span class="option-name">
            <bdi>{name}</bdi>
          </span>
        )}
        {reach === undefined ? null : (
          <span class="option-reach">
            <bdi>{reach}</bdi>
          </span>
        )}
      </span>
    </button>
  );
}

export function Dismiss({ ready, dismiss }: { readonly ready: boolean; readonly dismiss: () => void }) {
  return (
    <button type="button" class="text-button dismiss" disabled={!ready} title="Esc: cancel this request" onClick={dismiss}>
      Dismiss
    </button>
  );
}

// Rejects a permission with words: a button beside the options, which opens a line for what the agent is to do instead.

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
    const draft = { text: changed, chosen: [], other: false };
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
