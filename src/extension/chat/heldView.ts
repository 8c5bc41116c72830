/** Messages that wait for the user, by the reason for which they do. */
import type { ButtonView, HeldView } from '../../contract/view.js';
import { buttons } from '../text/buttons.js';
import type { HoldReason, UnsentPrompt } from '../conversation/outbox.js';
import { textOf } from './itemView.js';

interface Words {
  readonly severity: HeldView['severity'];
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly ButtonView[];
}

export interface HeldSurroundings {
  readonly agent: string;
  /** The last turn of the conversation was interrupted, so it can be sent again first. */
  readonly afterCut: boolean;
  /** The user has yet to say how the conversation goes on: nothing can be sent before. */
  readonly choiceOpen: boolean;
}

/** The most urgent first. */
const words: Readonly<Record<HoldReason, (prompts: readonly UnsentPrompt[], surroundings: HeldSurroundings) => Words>> = {
  freezes: (prompts, { agent }) => ({
    severity: 'warning',
    title: prompts.length === 1 ? `This message would freeze ${agent}` : `These messages would freeze ${agent}`,
    text: `A very long run of characters without a space keeps ${agent} busy for up to minutes: it can neither answer nor be stopped. As a file it does no harm.`,
    buttons: [buttons.sendAsFile, buttons.sendAnyway, buttons.keepEditing],
  }),
  turn_cut: (prompts, { afterCut }) =>
    afterCut
      ? {
          severity: 'info',
          title: `${countOf(prompts)} behind the interrupted turn`,
          text: 'Resend that turn first, or skip it and send what waits.',
          buttons: [buttons.resendInterrupted, buttons.skip],
        }
      : { severity: 'info', title: countOf(prompts), text: 'The turn before was interrupted.', buttons: [buttons.sendHeld] },
  context_lost: (prompts, { agent }) => ({
    severity: 'info',
    title: countOf(prompts),
    text: `Written for ${agent} as it knew the conversation above.`,
    buttons: [buttons.sendHeld],
  }),
  window_closed: (prompts) => ({
    severity: 'info',
    title: countOf(prompts),
    text: 'The window was closed before it was sent.',
    buttons: [buttons.sendHeld],
  }),
};

export function heldViews(unsent: readonly UnsentPrompt[], surroundings: HeldSurroundings): HeldView[] {
  return (Object.keys(words) as HoldReason[]).flatMap((why) => {
    const prompts = unsent.filter(({ held }) => held === why);
    if (prompts.length === 0) return [];
    const described = words[why](prompts, surroundings);
    const decided = surroundings.choiceOpen
      ? { text: 'Choose above how to go on; nothing is sent before.', buttons: [] }
      : { text: described.text, buttons: [...described.buttons] };
    return [
      {
        severity: described.severity,
        title: described.title,
        ...decided,
        prompts: prompts.map(({ id, content }) => ({ id, text: textOf(content) })),
      },
    ];
  });
}

function countOf(prompts: readonly UnsentPrompt[]): string {
  return prompts.length === 1 ? 'Your message waits' : `${prompts.length} messages wait`;
}
