/** The ways to decide a prompt, each with its digit, and the way to dismiss it. */
import { Icon } from '../components/components.js';

interface DecisionButtonsProps {
  readonly ready: boolean;
  /** Icons are names of the codicon font. */
  readonly choices: readonly { readonly label: string; readonly icon: string; readonly choose: () => unknown }[];
}

export function DecisionButtons({ ready, choices }: DecisionButtonsProps) {
  return (
    <div class="prompt-options" role="group" aria-label="Options">
      {choices.map(({ label, icon, choose }, index) => (
        <span class="prompt-option" key={label}>
          <button type="button" class="button secondary" disabled={!ready} onClick={() => void choose()}>
            <kbd aria-hidden="true">{index + 1}</kbd>
            <Icon name={icon} />
            {label}
          </button>
        </span>
      ))}
    </div>
  );
}

interface DismissLinkProps {
  readonly ready: boolean;
  readonly dismiss: () => void;
  /** The agent gets a refusal; otherwise it learns that there was no decision. */
  readonly rejects?: boolean;
}

export function DismissLink({ ready, dismiss, rejects = false }: DismissLinkProps) {
  const title = rejects ? 'Esc: reject this request once' : 'Esc: cancel this request';
  return (
    <div class="prompt-foot">
      <button type="button" class="text-button" disabled={!ready} title={title} onClick={dismiss}>
        {rejects ? 'Dismiss (rejects once)' : 'Dismiss'}
      </button>
    </div>
  );
}
