/** Says how requests were answered in other windows and in terminals: here, they just disappear. */
import {
  type ConversationEvent,
  type ConversationState,
  type Disposable,
  openRequests,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import { answeredElsewhereText } from '../../text/answerText.js';
import { showBriefly } from '../window/windowMessages.js';

export interface AnsweredElsewhereParts {
  readonly conversations: {
    onEvents(
      listener: (change: { readonly state: ConversationState; readonly events: readonly ConversationEvent[] | undefined }) => void,
    ): Disposable;
  };
  /** Whether this window gave the answer that counted. */
  wasAnsweredHere(requestId: string, answer: UserAnswer): boolean;
}

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
