/** The agent asks the user to open a page. The complete URL is shown; the host asks before it opens an unencrypted one. */
import type { UrlPromptView } from '../../contract/view.js';
import { CopyButton } from '../components/components.js';
import type { Post } from '../base/hostLink.js';
import { choose, DecisionButtons } from './decisionButtons.js';
import { PromptDialog, type PromptFrame } from './promptDialog.js';
import { useDecision } from './useDecision.js';

interface UrlPromptProps {
  readonly prompt: UrlPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
}

export function UrlPrompt({ prompt, frame, post }: UrlPromptProps) {
  const { id: promptId, message, url } = prompt;
  const { ready, act, decide, dismiss } = useDecision(promptId, post);
  const choices: Parameters<typeof choose>[0] = [
    // This does not decide the prompt yet: the host may ask again, and the user may decline.
    { label: 'Open', icon: 'link-external', choose: () => act({ type: 'openUrl', promptId }) },
    { label: 'Decline', icon: 'circle-slash', choose: () => decide({ type: 'decline', promptId }) },
  ];
  return (
    <PromptDialog prompt={prompt} frame={frame} icon="globe" armed={ready} onDismiss={dismiss} onDigit={(index) => choose(choices, index)}>
      <div class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
        <div class="question-text" dir="auto">
          {message}
        </div>
        <div class="prompt-command">
          <pre dir="ltr">{url}</pre>
          <CopyButton what="address" text={url} post={post} />
        </div>
      </div>
      <DecisionButtons ready={ready} choices={choices} dismiss={dismiss} />
    </PromptDialog>
  );
}
