/** What surrounds the text: context chips, and how full the context is. */
import { useState } from 'preact/hooks';
import type { ComposerView, ContextChipView } from '../../contract/view.js';
import { Icon } from '../components/components.js';
import type { Post } from '../base/hostLink.js';
import type { ComposerModel } from './composerModel.js';
import { withoutMention } from './suggestions.js';
import { formatCount } from '../base/formatText.js';

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
              {label}
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
