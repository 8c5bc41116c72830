/**
 * What surrounds the text of a message: what the agent lets the user choose, mode and model by name next to the text and everything else in a
 * separate panel; context chips; and how full the context is.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComposerView, ContextChipView, SelectorView } from '../../contract/view.js';
import { formatCount } from '../base/formatText.js';
import type { Post } from '../base/hostLink.js';
import { Icon } from '../components/components.js';
import { useFloating, useLeaving } from '../components/floating.js';
import type { ComposerModel } from './composerModel.js';
import { withoutMention } from './suggestions.js';

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

interface ChipsProps {
  readonly chips: readonly ContextChipView[];
  readonly model: ComposerModel;
  readonly post: Post;
}

export function Chips({ chips, model, post }: ChipsProps) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Context">
      {chips.map(({ id, label, title, follows, holds }) => {
        const isLeftOut = follows === 'leftOut';
        // Says what the file is, so it is never cut.
        const [name, ending] = label.split(/(\..{1,16})$/);
        const change = `${follows === undefined ? 'Remove' : isLeftOut ? 'Include' : 'Leave out'} ${label}`;
        return (
          // The next file takes the place of the one that was open, so that the button keeps the focus.
          <li class={isLeftOut ? 'chip left-out' : 'chip'} key={follows === undefined ? id : 'open file'} title={title}>
            <button
              type="button"
              class="chip-label"
              aria-label={`${holds === 'pastedText' ? 'Unfold' : 'Open'} ${label}`}
              onClick={() => post({ type: 'openChip', id })}
            >
              {holds === 'picture' ? <Thumbnail id={id} model={model} /> : holds === 'notes' ? <Icon name="comment" /> : null}
              <span>{name}</span>
              {ending}
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={change}
              title={change}
              onClick={() => {
                if (follows !== undefined) return post({ type: 'action', action: 'toggleOpenFile' });
                const text = withoutMention(model.text.value, title);
                if (text !== model.text.value) model.setText(text);
                post({ type: 'removeChip', id });
              }}
            >
              <Icon name={isLeftOut ? 'add' : 'close'} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Thumbnail({ id, model }: { readonly id: string; readonly model: ComposerModel }) {
  // A function that stays the same is called once per element.
  const [show] = useState(
    () =>
      (element: Element | null): void =>
        void (element && model.showPicture(id, element)),
  );
  return <span ref={show} class="thumbnail" />;
}

export function ContextMeter({ usage }: { readonly usage: NonNullable<ComposerView['usage']> }) {
  const percent = usage.size <= 0 ? 0 : Math.min(100, Math.round((usage.used / usage.size) * 100));
  const words = `${formatCount(usage.used)} of ${formatCount(usage.size)} tokens of the context used${usage.cost === undefined ? '' : ` · ${usage.cost}`}`;
  return (
    <span
      class={percent >= 80 ? 'meter full' : 'meter'}
      role="meter"
      aria-label="Context"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={words}
      title={words}
    >
      <span class="meter-text" aria-hidden="true">
        {percent}%
      </span>
      <svg class="meter-ring" viewBox="0 0 16 16" aria-hidden="true">
        <circle class="meter-track" cx="8" cy="8" r="6" />
        {percent === 0 ? null : <circle class="meter-bar" cx="8" cy="8" r="6" pathLength="100" stroke-dasharray={`${percent} 100`} />}
      </svg>
    </span>
  );
}
