/** The agent asks for a yes or a no. */
import type { ConfirmPromptView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import { PromptDialog, type PromptFrame } from './promptDialog.js';
import { choose, DecisionButtons } from './decisionButtons.js';
import { useDecision } from './useDecision.js';

interface ConfirmPromptProps {
  readonly prompt: ConfirmPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
}

/** Anything else is shown as code, because an agent may ask about a command, or about a change line by line. */
const isSentence = /[.!?…]$/;

export function ConfirmPrompt({ prompt, frame, post }: ConfirmPromptProps) {
  const { id: promptId, message } = prompt;
  const { ready, decide, dismiss } = useDecision(promptId, post);
  const choices: Parameters<typeof choose>[0] = [
    { label: 'Yes', icon: 'check', choose: () => decide({ type: 'answer', promptId, values: {} }) },
    { label: 'No', icon: 'circle-slash', choose: () => decide({ type: 'decline', promptId }) },
  ];
  return (
    <PromptDialog
      prompt={prompt}
      frame={frame}
      icon="question"
      armed={ready}
      onDismiss={dismiss}
      onDigit={(index) => choose(choices, index)}
    >
      {message === undefined ? null : (
        <div class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
          {isSentence.test(message) ? (
            <div class="question-text" dir="auto">
              {message}
            </div>
          ) : (
            <div class="prompt-command">
              <pre dir="ltr">{message}</pre>
            </div>
          )}
        </div>
      )}
      <DecisionButtons ready={ready} choices={choices} dismiss={dismiss} />
    </PromptDialog>
  );
}
