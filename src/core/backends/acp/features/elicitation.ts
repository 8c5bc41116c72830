/** ACP `elicitation/create`: the agent asks for values, or to open a page. Each request gets exactly one answer. */
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { type AskingSession, askUser } from '../askingSession.js';
import { type Elicitation, elicitationResult, formOf, parseCompletion, parseElicitation } from '../schema/elicitation.js';
import { incoming } from '../schema/methods.js';
import { type AcpFeature, type FeatureContext, refuse } from './feature.js';
import { noteAnswer } from './permission.js';

export const elicitation: AcpFeature = {
  // An empty object would declare neither of them.
  capabilities: () => ({ elicitation: { form: {}, url: {} } }),
  requests: { [incoming.createElicitation]: answerElicitation },
  notifications: {
    [incoming.elicitationComplete](context, params) {
      const completed = parseCompletion(params);
      const pages = [...openPages(context)].filter(({ id }) => id === completed?.elicitationId);
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
  const session = await sessionOf(context, request);
  if (session === undefined) return elicitationResult(refuse(context, 'it does not belong to an open session', request.sessionId ?? ''));
  if (session.cancelling) return elicitationResult({ type: 'cancel' });
  const until = session.signalOfTurn(signal);
  if (request.mode === 'url') return openPage(context, session, request, until);
  const form = formOf(session.id, request);
  if (form === undefined) throw new RpcError(ErrorCode.invalidParams, 'elicitation/create requires a field of an unknown type');
  const answer = await askUser(context.services, session, form, until);
  noteAnswer(session, answer, request.toolCallId);
  return elicitationResult(answer);
}

async function openPage(
  context: FeatureContext,
  session: AskingSession,
  { elicitationId, message, url, toolCallId }: Extract<Elicitation, { mode: 'url' }>,
  until: AbortSignal,
): Promise<unknown> {
  const page: Page = { id: elicitationId, done: new AbortController(), isOpened: false };
  const { signal } = page.done;
  const pages = openPages(context);
  pages.add(page);
  const forget = (): void => void pages.delete(page);
  signal.addEventListener('abort', forget);
  const request = { kind: 'url', sessionId: session.id, message, url, pageId: elicitationId } as const;
  const ends = AbortSignal.any([until, signal]);
  const answer = await askUser(context.services, session, request, ends);
  if (!signal.aborted) noteAnswer(session, answer, toolCallId);
  page.isOpened = answer.type === 'accept';
  // Accepting means consent only. Nothing of what follows reaches the agent.
  if (page.isOpened) void askUser(context.services, session, { ...request, isOpened: true }, ends).then(forget, forget);
  else forget();
  return elicitationResult(answer);
}

function isWebPage(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/**
 * In ACP, an elicitation belongs to a session or to one of the host's requests, named by its id. If that request is the prompt of a turn,
 * the elicitation belongs to that turn, however many turns are running. Any other request is outside of the conversations (a sign-in, or a
 * session that is being opened), so no session may show its question, not even the only one with a running turn. If neither is named, the
 * elicitation can only belong to a single running turn.
 */
async function sessionOf(
  { sessions, sessionOf: find }: FeatureContext,
  { sessionId, requestId }: Elicitation,
): Promise<AskingSession | undefined> {
  if (sessionId != null) return find(sessionId);
  if (requestId != null) return [...sessions].find((session) => session.isTurnOf(requestId));
  const busy = [...sessions].filter((session) => session.busy);
  return busy.length === 1 ? busy[0] : undefined;
}

interface Page {
  /** The agent's own. */
  readonly id: string;
  readonly done: AbortController;
  isOpened: boolean;
}

/** Pages that the user is asked to open or has open, oldest first, by connection. */
const pagesOf = new WeakMap<FeatureContext, Set<Page>>();

function openPages(context: FeatureContext): Set<Page> {
  const known = pagesOf.get(context);
  if (known !== undefined) return known;
  const pages = new Set<Page>();
  pagesOf.set(context, pages);
  return pages;
}
