import { useRef, useState } from 'preact/hooks';
import type { PageMessage } from '../../contract/pageMessages.js';
import type { Post } from '../base/hostLink.js';
import { isPressedSince, spendHeldKeys } from './presses.js';
import { useArmedAt } from './promptDialog.js';

export interface Decision {
  /** False for a moment before the prompt can be decided, and after the decision. */
  readonly ready: boolean;
  /** Posts the message if the current click or key is for this prompt. @returns whether it was */
  act(message: PageMessage): boolean;
  /** Works only once. @returns whether the prompt was decided by this */
  decide(message: PageMessage): boolean;
  dismiss(): void;
}

export function useDecision(promptId: string, post: Post): Decision {
  const armedAt = useArmedAt();
  const [decided, setDecided] = useState(false);
  /** Also known to a digit that was pressed before and is still waiting. */
  const isDecided = useRef(false);
  const ready = armedAt !== undefined && !decided;
  const act = (message: PageMessage): boolean => {
    if (!ready || isDecided.current || !isPressedSince(armedAt)) return false;
    post(message);
    return true;
  };
  const decide = (message: PageMessage): boolean => {
    if (!act(message)) return false;
    spendHeldKeys();
    isDecided.current = true;
    setDecided(true);
    return true;
  };
  return { ready, act, decide, dismiss: () => void decide({ type: 'dismiss', promptId }) };
}
