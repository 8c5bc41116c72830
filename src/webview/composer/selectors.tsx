/** What the agent lets the user choose: mode and model by name next to the text, everything else in a separate panel. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SelectorView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import { Icon } from '../components/components.js';
import { useFloating, useLeaving } from '../components/floating.js';

interface SelectorsProps {
  readonly selectors: readonly SelectorView[];
  readonly post: Post;
}

export function Selectors({ selectors, post }: SelectorsProps) {
  const shown = (['mode', 'model'] as const).flatMap((wanted) => selectors.find(({ category }) => category === wanted) ?? []);
  const others = selectors.filter((selector) => !shown.includes(selector));
  return (
    <span class="selectors">
      {shown.map((selector) => (
        <NamedSelector key={selector.id} selector={selector} post={post} />
      ))}
      {others.length === 0 ? null : <MoreOptions selectors={others} post={post} />}
    </span>
  );
}

interface SelectorProps {
  readonly selector: SelectorView;
  readonly post: Post;
}

const icons = { mode: 'shield', model: 'sparkle', other: 'settings' } as const;

/** The current value on one line, beside an icon. The list is the browser's own, invisible above the text. */
function NamedSelector({ selector, post }: SelectorProps) {
  if (typeof selector.value === 'boolean') return <Toggle selector={selector} value={selector.value} post={post} />;
  return (
    <span class={selector.warns ? 'named-selector warns' : 'named-selector'} title={titleOf(selector)}>
      <Icon name={selector.warns ? 'warning' : icons[selector.category]} />
      <span class="selector-value" aria-hidden="true" dir="auto">
        {currentLabel(selector)}
      </span>
      <Icon name="chevron-down" />
      <Choices selector={selector} value={selector.value} post={post} />
    </span>
  );
}

/** The button that opens the panel, and the panel while it is open. */
function MoreOptions({ selectors, post }: SelectorsProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const values = selectors.map((selector) => `${selector.label}: ${currentLabel(selector)}`).join(' · ');
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button more-options"
        aria-label="More options"
        title={values}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="settings" />
      </button>
      {open ? <OptionsPanel selectors={selectors} post={post} anchor={button} onClose={close} onLeave={() => setOpen(false)} /> : null}
    </>
  );
}

interface OptionsPanelProps extends SelectorsProps {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  /** Called when the user is done, so that the focus returns to the button. */
  readonly onClose: () => void;
  /** Called when the focus or the pointer went elsewhere. */
  readonly onLeave: () => void;
}

function OptionsPanel({ selectors, post, anchor, onClose, onLeave }: OptionsPanelProps) {
  const panel = useFloating<HTMLDivElement>(anchor, 'own');
  useLayoutEffect(() => panel.current?.querySelector<HTMLElement>('select, input')?.focus(), []);
  useLeaving(panel, anchor, onLeave);
  return (
    <div
      ref={panel}
      class="floating options-panel"
      role="dialog"
      aria-label="Options of the agent"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        event.preventDefault();
        onClose();
      }}
    >
      {selectors.map((selector) => (
        <Row key={selector.id} selector={selector} post={post} />
      ))}
    </div>
  );
}

function Row({ selector, post }: SelectorProps) {
  if (typeof selector.value === 'boolean') return <Toggle selector={selector} value={selector.value} post={post} />;
  return (
    <label class="option-row" title={titleOf(selector)}>
      <span class="option-label" dir="auto">
        {selector.label}
      </span>
      <Choices selector={selector} value={selector.value} post={post} />
    </label>
  );
}

function Choices({ selector, value, post }: SelectorProps & { readonly value: string }) {
  const { id, label, options, disabled = false } = selector;
  return (
    <select
      class="choices-list"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget: list }) => {
        post({ type: 'setOption', selectorId: id, value: list.value });
        // If the agent refuses it, nothing is drawn again, and only a change can be chosen.
        list.value = value;
      }}
    >
      {options.some((option) => option.value === value) ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value} title={option.description}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function Toggle({ selector, value, post }: SelectorProps & { readonly value: boolean }) {
  const { id, label, hint, disabled = false } = selector;
  return (
    <label class="toggle" title={hint ?? label}>
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={({ currentTarget: box }) => {
          post({ type: 'setOption', selectorId: id, value: box.checked });
          box.checked = value;
        }}
      />
      <span dir="auto">{label}</span>
    </label>
  );
}

function currentLabel({ value, options }: SelectorView): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return options.find((option) => option.value === value)?.label ?? value;
}

function titleOf(selector: SelectorView): string {
  const description = selector.options.find(({ value }) => value === selector.value)?.description;
  const parts = [`${selector.label}: ${currentLabel(selector)}`, description, selector.hint];
  return [...new Set(parts)].filter((part) => part !== undefined).join(' · ');
}
