/** Components that the sections share. */
import { useEffect, useState } from 'preact/hooks';
import type { ButtonView, CountsView } from '../../contract/viewParts.js';
import { isFirstClick } from '../base/dom.js';
import type { Post } from '../base/hostLink.js';
import { onTick } from '../base/ticker.js';
import { formatDuration } from '../base/formatText.js';

export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

/** The first letters of an agent's name in a frame, as in the Conversations view: no agent brings a picture of itself. */
export function AgentIcon({ agent }: { readonly agent: string }) {
  const [first = '?', second = ''] = agent.match(/[\p{L}\p{N}]/gu) ?? [];
  return <span class="agent-icon" aria-hidden="true" data-letters={first.toUpperCase() + second.toLowerCase()} />;
}

/** How long ago something was, counted by the page. Shows nothing in the first second. */
export function Age({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    return onTick(() => setNow(Date.now()));
  }, [since]);
  return now - since < 1000 ? null : <span class="age"> · {formatDuration(now - since)}</span>;
}

/** A countdown: " in 4 s". */
export function TimeLeft({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => onTick(() => setNow(Date.now())), [until]);
  return <span class="age"> in {formatDuration(Math.max(0, until - now))}</span>;
}

export function Counts({ counts: { files, added, removed } }: { readonly counts: CountsView }) {
  return (
    <span class="counts">
      {files} <span class="count-added">+{added}</span> <span class="count-removed">−{removed}</span>
    </span>
  );
}

interface ButtonsProps {
  readonly buttons: readonly ButtonView[];
  readonly post: Post;
  /** With `primary`, the first button is primary, because it is the most likely one. */
  readonly look?: 'primary' | 'secondary' | 'text';
}

const classes = { primary: 'button', secondary: 'button secondary', text: 'text-button' } as const;

export function Buttons({ buttons, post, look = 'primary' }: ButtonsProps) {
  if (buttons.length === 0) return null;
  return (
    <div class="button-row">
      {buttons.map(({ action, label, methodId, itemId }, index) => (
        <button
          type="button"
          key={[action, methodId, itemId].join('/')}
          class={classes[look === 'primary' && index > 0 ? 'secondary' : look]}
          onClick={({ detail }) =>
            isFirstClick(detail) &&
            post({ type: 'action', action, ...(itemId !== undefined && { itemId }), ...(methodId !== undefined && { methodId }) })
          }
        >
          {label}
        </button>
      ))}
    </div>
  );
}

interface CopyButtonProps {
  /** What the button copies, for its label. */
  readonly what: 'address' | 'command';
  readonly text: string;
  readonly post: Post;
}

export function CopyButton({ what, text, post }: CopyButtonProps) {
  const label = `Copy ${what}`;
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={() => post({ type: 'copy', text })}>
      <Icon name="copy" />
    </button>
  );
}
