/** ACP `elicitation/create`: the agent asks for values, or to open a page. Each request gets exactly one answer. */
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import type { NewRequest } from '../../../services/hostServices.js';
import type { UserAnswer } from '../../../session/userRequest.js';
import { askUser } from '../askingSession.js';
import { type Elicitation, elicitationResult, formOf, parseCompletion, parseElicitation } from '../schema/elicitation.js';
import { incoming } from '../schema/methods.js';
import { type AcpFeature, type AskedPage, type FeatureContext, refuse } from './feature.js';
import { noteAnswer } from './permission.js';

export const elicitation: AcpFeature = {
  // An empty object would declare neither of them.
  capabilities: () => ({ elicitation: { form: {}, url: {} } }),
  requests: { [incoming.createElicitation]: answerElicitation },
  notifications: {
    [incoming.elicitationComplete](context, params) {
      const completed = parseCompletion(params);
      const pages = [...context.pages].filter(({ id }) => id === completed?.elicitationId);
      // ACP: ignore an unknown or already completed one. Sessions that count by themselves may use an id twice.
      (pages.find(({ isOpened }) => isOpened) ?? pages[0])?.done.abort();
    },
  },
};

async function answerElicitation(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseElicitation(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'elicitation/create of an unknown mode or form');
  if (request.mode === 'url' && !isWebPage(request.url)) {
    context.log.warn('Refused to open a page that is neither http: nor https:', { sessionId: request.sessionId });
    throw new RpcError(ErrorCode.invalidParams, 'elicitation/create opens only http: and https: pages');
  }
  const asker = await askerOf(context, request, signal);
  if (asker === undefined)
    return elicitationResult(refuse(context, 'it belongs to no open session and to no call that may ask', request.sessionId ?? ''));
  if (asker.isCancelling) return elicitationResult({ type: 'cancel' });
  if (request.mode === 'url') return openPage(context, asker, request);
  const form = formOf(asker.sessionId, request);
  if (form === undefined) throw new RpcError(ErrorCode.invalidParams, 'elicitation/create requires a field of an unknown type');
  const answer = await asker.ask(form, asker.until);
  asker.note(answer);
  return elicitationResult(answer);
}

async function openPage(
  context: FeatureContext,
  { sessionId, until, ask, note }: Asker,
  { elicitationId, message, url }: Extract<Elicitation, { mode: 'url' }>,
): Promise<unknown> {
  const page: AskedPage = { id: elicitationId, done: new AbortController(), isOpened: false };
  const { signal } = page.done;
  context.pages.add(page);
  const forget = (): void => void context.pages.delete(page);
  signal.addEventListener('abort', forget);
  const request = { kind: 'url', sessionId, message, url, pageId: elicitationId } as const;
  const ends = AbortSignal.any([until, signal]);
  const answer = await ask(request, ends);
  if (!signal.aborted) note(answer);
  page.isOpened = answer.type === 'accept';
  // Accepting means consent only. Nothing of what follows reaches the agent.
  if (page.isOpened) void ask({ ...request, isOpened: true }, ends).then(forget, forget);
  else forget();
  return elicitationResult(answer);
}

function isWebPage(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/** Where a question is shown. */
interface Asker {
  /** Empty outside of sessions. */
  readonly sessionId: string;
  readonly isCancelling: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly until: AbortSignal;
  ask(request: NewRequest, signal: AbortSignal): Promise<UserAnswer>;
  /** Records how the question ended. */
  note(answer: UserAnswer): void;
}

/**
 * In ACP, an elicitation belongs to a session or to one of the host's requests, named by its id. If that request was made in a session, for
 * example the prompt of a turn, so does the elicitation, however many turns are running. Otherwise, whoever signs in or opens a session is
 * asked, and no session shows the question, not even the only one with a running turn. If neither is named, the elicitation can only belong
 * to a single running turn.
 */
async function askerOf(context: FeatureContext, elicitation: Elicitation, signal: AbortSignal): Promise<Asker | undefined> {
  const { services, sessions } = context;
  const { sessionId, requestId, toolCallId } = elicitation;
  const call = sessionId == null && requestId != null ? context.callOf(requestId) : undefined;
  const until = call === undefined ? signal : AbortSignal.any([signal, call.over]);
  if (typeof call?.asker === 'function') {
    const { asker, hold } = call;
    return { sessionId: '', isCancelling: false, until, ask: (request, ends) => hold(asker(request, ends)), note: () => {} };
  }
  const busy = [...sessions].filter((session) => session.busy);
  const only = requestId == null && busy.length === 1 ? busy[0] : undefined;
  const session = sessionId == null ? (call?.asker ?? only) : await context.sessionOf(sessionId);
  if (session === undefined) return undefined;
  return {
    sessionId: session.id,
    isCancelling: session.cancelling,
    until: session.signalOfTurn(until),
    ask: (request, ends) => {
      const answer = askUser(services, session, request, ends);
      return call === undefined ? answer : call.hold(answer);
    },
    note: (answer) => noteAnswer(session, answer, toolCallId),
  };
}
