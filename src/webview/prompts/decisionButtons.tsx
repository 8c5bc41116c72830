/** The ways to decide a prompt, each with its digit, and the way to dismiss it. */
import { Icon } from '../components/components.js';

/** To agree has the digit that allows a permission, and to decline the one that rejects it. */
export const choiceDigits = [1, 3] as const;

interface Choice {
  readonly label: string;
  /** A name of the codicon font. */
  readonly icon: string;
  readonly choose: () => unknown;
}

interface DecisionButtonsProps {
  readonly ready: boolean;
  readonly choices: readonly [agree: Choice, decline: Choice];
  readonly dismiss: () => void;
}

export function DecisionButtons({ ready, choices, dismiss }: DecisionButtonsProps) {
  return (
    <div class="prompt-options" role="group" aria-label="Options">
      <div class="option-buttons">
        {choices.map(({ label, icon, choose }, index) => (
          <button type="button" class="button option secondary" key={label} disabled={!ready} onClick={() => void choose()}>
            <kbd aria-hidden="true">{choiceDigits[index]}</kbd>
            <Icon name={icon} />
            {label}
          </button>
        ))}
        <Dismiss ready={ready} dismiss={dismiss} />
      </div>
    </div>
  );
}

/** @param index of a digit, 0-based */
export function choose(choices: DecisionButtonsProps['choices'], index: number): void {
  const at = choiceDigits.findIndex((digit) => digit === index + 1);
  choices[at]?.choose();
}

export function Dismiss({ ready, dismiss }: { readonly ready: boolean; readonly dismiss: () => void }) {
  return (
    <button type="button" class="text-button dismiss" disabled={!ready} title="Esc: cancel this request" onClick={dismiss}>
      Dismiss
    </button>
  );
}
