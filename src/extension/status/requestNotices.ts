/** Notifications about requests: about those that no page shows, and about those that others answered. */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { answeredElsewhereText } from '../../text/requestText.js';
import {
  type ConversationEvent,
  type ConversationState,
  type Disposable,
  openRequests,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import type { PromptView } from '../../contract/view.js';
import { showBriefly, showMessage } from '../window/windowMessages.js';

export interface RequestNoticeOptions {
  /** Whether requests out of sight appear in a notification. */
  isWanted(): boolean;
  /** Whether a page shows the conversation of the request. */
  isOnScreen(promptId: string): boolean;
  /** Returns the request as it is now; undefined if it is no longer open. */
  find(promptId: string): PromptView | undefined;
  show(promptId: string): void;
  select(promptId: string, optionId: string): void;
}

const showLabel = 'Show';
const allowLabel = 'Allow Once';

/** @returns a function that notifies once about each request that no page shows; call it with all open requests, oldest first */
export function createRequestNotices(options: RequestNoticeOptions): (prompts: readonly PromptView[]) => void {
  let known: ReadonlySet<string> = new Set();
  const notify = async (prompt: PromptView): Promise<void> => {
    const { text, allows } = noticeOf(prompt);
    const choice = await showMessage('information', text, showLabel, ...(allows === undefined ? [] : [allowLabel]));
    if (choice === undefined) return;
    // Only what the user read is allowed; a request that changed since is shown instead.
    const isSame = isDeepStrictEqual(noticeOf(options.find(prompt.id)), { text, allows });
    if (choice === allowLabel && allows !== undefined && isSame) options.select(prompt.id, allows);
    else options.show(prompt.id);
  };
  return (prompts) => {
    const added = prompts.filter(({ id }) => !known.has(id));
    known = new Set(prompts.map(({ id }) => id));
    if (options.isWanted()) for (const prompt of added) if (!options.isOnScreen(prompt.id)) void notify(prompt);
  };
}

interface RequestNotice {
  readonly text: string;
  /** The option that allows the request once; absent unless the text says everything about it. */
  readonly allows: string | undefined;
}

function noticeOf(prompt: PromptView | undefined): RequestNotice {
  if (prompt === undefined) return { text: '', allows: undefined };
  const whose = [prompt.agent, prompt.conversation].filter((name) => name !== undefined).join(' · ');
  const all = smallRequest(prompt);
  const text = [`${whose}: ${prompt.title}`, ...(all === undefined ? [] : [all.text])].join(' ');
  return { text, allows: all?.allows };
}

/** The number of characters that a notification shows on two lines. */
const smallChars = 120;

/** @returns undefined for a request that a notification can't show completely, or that needs a second look */
function smallRequest(prompt: PromptView): { readonly text: string; readonly allows: string } | undefined {
  if (prompt.kind !== 'permission' || prompt.note !== undefined || prompt.toolTitle !== undefined) return undefined;
  if (prompt.risks.length > 0) return undefined;
  const [part, ...others] = prompt.parts;
  const allows = prompt.options.filter(({ icon }) => icon === 'allows');
  if (part?.type !== 'text' || !part.code || others.length > 0 || allows.length !== 1) return undefined;
  const more = prompt.details.map((detail) => detail.text).filter((detail) => !part.text.includes(detail));
  // The whole path of the folder says where it runs.
  const where = prompt.context.filter((fact) => !more.some((detail) => fact === `in ${basename(detail)}`));
  const text = [part.text, ...where, ...more].join(' · ');
  // A notification puts everything on one line.
  const isShort = text.length <= smallChars && /^[\x20-\x7e\xb7]+$/.test(text) && !text.includes('  ');
  return isShort && allows[0] !== undefined ? { text, allows: allows[0].optionId } : undefined;
}

export interface AnsweredElsewhereParts {
  readonly conversations: {
    onEvents(
      listener: (change: { readonly state: ConversationState; readonly events: readonly ConversationEvent[] | undefined }) => void,
    ): Disposable;
  };
  /** Whether this window gave the answer that counted. */
  wasAnsweredHere(requestId: string, answer: UserAnswer): boolean;
}

/** Says how requests were answered in other windows and in terminals: here, they just disappear. */
export function watchAnswers({ conversations, wasAnsweredHere }: AnsweredElsewhereParts): Disposable {
  const open = new Map<string, UserRequest>();
  return conversations.onEvents(({ state, events }) => {
    // A snapshot says what is open, and not what became of the others.
    if (events === undefined) for (const request of openRequests(state)) open.set(request.id, request);
    for (const told of events ?? []) {
      for (const event of told.type === 'session' ? told.events : told.type === 'asked' ? [told.event] : []) {
        if (event.type === 'request_opened') open.set(event.request.id, event.request);
        if (event.type !== 'request_closed') continue;
        const request = open.get(event.requestId);
        open.delete(event.requestId);
        if (request === undefined || event.by === undefined || wasAnsweredHere(event.requestId, event.answer)) continue;
        showBriefly(answeredElsewhereText(request, event.answer, event.by));
      }
    }
  });
}
