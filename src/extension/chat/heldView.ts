/** Messages that are on hold until the user decides, grouped by reason. */
import type { HeldView } from '../../contract/view.js';
import type { ButtonView } from '../../contract/viewParts.js';
import type { Blocker, HoldReason, OutboxPrompt } from '../../core/index.js';
import { buttons } from '../advice/advice.js';
import { promptRow } from './messageView.js';

interface HeldText {
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly ButtonView[];
}

export interface HeldViewInput {
  readonly agent: string;
  /** Why messages cannot be sent before the user has done something about it. */
  readonly blocker: Blocker['type'] | undefined;
  /** The user has to choose how the conversation continues before anything can be sent. */
  readonly choiceOpen: boolean;
  /** The last turn of the conversation was interrupted, so the user can resend it first. */
  readonly afterInterruption: boolean;
}

/** The most urgent first. */
const heldText: Readonly<Record<HoldReason, (prompts: readonly OutboxPrompt[], input: HeldViewInput) => HeldText>> = {
  turn_interrupted: (prompts, { afterInterruption }) =>
    afterInterruption
      ? {
          title: `${countOf(prompts)} after the interrupted turn`,
          text: 'Resend that turn first, or skip it and send what is on hold.',
          buttons: [buttons.resendInterrupted, buttons.skip],
        }
      : { title: countOf(prompts), text: 'An earlier turn was interrupted.', buttons: [buttons.sendHeld] },
  context_lost: (prompts, { agent }) => ({
    title: countOf(prompts),
    text: `Written before ${agent} lost this context.`,
    buttons: [buttons.sendHeld],
  }),
  unanswered: (prompts, { agent }) => ({
    title: countOf(prompts),
    text: `The turn ended, and ${agent} didn't say whether it received ${prompts.length === 1 ? 'it' : 'them'}.`,
    buttons: [buttons.sendHeld],
  }),
  engine_ended: (prompts) => ({
    title: countOf(prompts),
    text: `${prompts.length === 1 ? 'It was' : 'They were'} not sent before ACP Host ended.`,
    buttons: [buttons.sendHeld],
  }),
};

export function heldViews(outbox: readonly OutboxPrompt[], input: HeldViewInput): HeldView[] {
  return [...blockedHeld(outbox, input), ...decidedHeld(outbox, input)];
}

const sentLater: Readonly<Record<Blocker['type'], (subject: string) => string>> = {
  sign_in: (subject) => `${subject} sent after you sign in.`,
  resume_refused: () => chooseAbove,
  failed: (subject) => `${subject} sent once the problem above is resolved.`,
};
const chooseAbove = 'Choose how to continue above. Nothing is sent until then.';

/** Returns what would be sent at once without the blocker. */
function blockedHeld(outbox: readonly OutboxPrompt[], { blocker }: HeldViewInput): HeldView[] {
  const prompts = blocker === undefined ? [] : outbox.filter(({ held }) => held === undefined);
  if (blocker === undefined || prompts.length === 0) return [];
  return [
    {
      title: countOf(prompts),
      text: sentLater[blocker](prompts.length === 1 ? 'It is' : 'They are'),
      prompts: prompts.map(promptRow),
      buttons: [],
    },
  ];
}

function decidedHeld(outbox: readonly OutboxPrompt[], input: HeldViewInput): HeldView[] {
  return (Object.keys(heldText) as HoldReason[]).flatMap((why) => {
    const prompts = outbox.filter(({ held }) => held === why);
    if (prompts.length === 0) return [];
    const described = heldText[why](prompts, input);
    const decided = input.choiceOpen
      ? { text: chooseAbove, buttons: [] }
      : { text: described.text, buttons: described.buttons.map((one) => ({ ...one, itemId: why })) };
    return [
      {
        title: described.title,
        ...decided,
        prompts: prompts.map(promptRow),
      },
    ];
  });
}

function countOf(prompts: readonly OutboxPrompt[]): string {
  return `${prompts.length} ${prompts.length === 1 ? 'message' : 'messages'} on hold`;
}
