/** Parts that the sections share. */
import { useEffect, useState } from 'preact/hooks';
import type { ButtonView } from '../../contract/view.js';
import type { Post } from '../hostLink.js';
import { onTick } from '../ticker.js';
import { formatDuration } from '../words.js';

export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

/** How long ago, counted by the page. Nothing in the first second. */
export function Age({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    return onTick(() => setNow(Date.now()));
  }, [since]);
  return now - since < 1000 ? null : <span class="age"> · {formatDuration(now - since)}</span>;
}

/** The first button is the likeliest. */
export function Buttons({ buttons, post, quiet = false }: { readonly buttons: readonly ButtonView[]; readonly post: Post; readonly quiet?: boolean }) {
  if (buttons.length === 0) return null;
  return (
    <div class="button-row">
      {buttons.map(({ action, label }, index) => (
        <button type="button" key={action} class={quiet ? 'text-button' : index === 0 ? 'button' : 'button secondary'} onClick={() => post({ type: 'action', action })}>{label}</button>
      ))}
    </div>
  );
}
