import { useState } from 'preact/hooks';
import type { PageMessage } from '../../contract/messages.js';
import type { Post } from '../base/hostLink.js';
import { isPressedSince, spendHeldKeys } from './presses.js';
import { useArmedAt } from './promptDialog.js';

export interface Decision {
  /** False for a moment before the prompt can be decided, and after the decision. */
  readonly ready: boolean;
  /** Works only once. */
  decide(message: PageMessage): void;
  dismiss(): void;
}

export function useDecision(promptId: string, post: Post): Decision {
  const armedAt = useArmedAt();
  const [decided, setDecided] = useState(false);
  const ready = armedAt !== undefined && !decided;
  const decide = (message: PageMessage): void => {
    if (!ready || !isPressedSince(armedAt)) return;
    spendHeldKeys();
    setDecided(true);
    post(message);
  };
  return { ready, decide, dismiss: () => decide({ type: 'dismiss', promptId }) };
}
