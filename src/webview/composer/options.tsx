/** What stands under the text: context chips, the agent's own options, how full the context is. */
import type { ComposerView, ContextChipView, SelectorView } from '../../contract/view.js';
import { Icon } from '../components/components.js';
import type { Post } from '../base/hostLink.js';
import { formatCount } from '../base/formatText.js';

export function Chips({ chips, post }: { readonly chips: readonly ContextChipView[]; readonly post: Post }) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Context">
      {chips.map(({ id, label, title }) => (
        <li class="chip" key={id} title={title}>
          <button type="button" class="chip-label" aria-label={`Open ${label}`} onClick={() => post({ type: 'openChip', id })}>
            {label}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${label}`}
            title={`Remove ${label}`}
            onClick={() => post({ type: 'removeChip', id })}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Selectors({ selectors, post }: { readonly selectors: readonly SelectorView[]; readonly post: Post }) {
  return (
    <span class="selectors">
      {selectors.map((selector) => (
        <Selector key={selector.id} selector={selector} post={post} />
      ))}
    </span>
  );
}

function Selector({ selector, post }: { readonly selector: SelectorView; readonly post: Post }) {
  const { id, label, value, options, hint, disabled = false } = selector;
  if (typeof value === 'boolean') {
    return (
      <label class="toggle" title={hint ?? label}>
        <input
          type="checkbox"
          checked={value}
          disabled={disabled}
          onChange={(event) => post({ type: 'setOption', selectorId: id, value: event.currentTarget.checked })}
        />{' '}
        {label}
      </label>
    );
  }
  const current = options.find((option) => option.value === value);
  const title = [label, current?.description, hint].filter((part) => part !== undefined).join(' · ');
  return (
    <select
      class="selector"
      aria-label={label}
      title={title}
      value={value}
      disabled={disabled}
      onChange={(event) => post({ type: 'setOption', selectorId: id, value: event.currentTarget.value })}
    >
      {current === undefined ? <option value={value}>{value}</option> : null}
      {options.map((option) => (
        <option key={option.value} value={option.value} title={option.description}>
          {option.label}
        </option>
      ))}
    </select>
  );
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
      <span aria-hidden="true">{percent} %</span>
      <span class="meter-track">
        <span class="meter-bar" style={{ inlineSize: `${percent}%` }} />
      </span>
    </span>
  );
}
