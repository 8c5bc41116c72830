/** Questions of the agent to its user that are no elicitations, and the form of them that agents use in addition to ACP. */
import { askUserMethods } from '../../../agents/knownAgents.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { askUserForm, askUserResult, parseAskUserRequest } from '../schema/requests.js';
import { type AcpFeature, type FeatureContext, refuse } from './feature.js';
import { type AskingSession, askUser } from '../askingSession.js';
import type { NewRequest } from '../../../services/hostServices.js';
import type { UserAnswer } from '../../../session/userRequest.js';
import { noteAnswer } from './permission.js';

export const questions: AcpFeature = {
  get requests() {
    return Object.fromEntries(askUserMethods().map((method) => [method, answerQuestion]));
  },
};

async function answerQuestion(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseAskUserRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'A question needs a sessionId');
  return askUserResult(await askQuestion(context, { sessionId: request.sessionId }, () => askUserForm(request), signal));
}

interface AskedIn {
  readonly sessionId: string;
  /** The call that asks, if the agent names it. */
  readonly toolCallId?: string | null | undefined;
}

/** Asks the user, and records how the question ended. @param signal as in AnswerRequest */
export async function askQuestion(
  context: FeatureContext,
  { sessionId, toolCallId }: AskedIn,
  formIn: (session: AskingSession) => NewRequest,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const session = await context.sessionOf(sessionId);
  if (session === undefined) return refuse(context, 'the session is not open', sessionId);
  if (session.cancelling) return { type: 'cancel' };
  const answer = await askUser(context.services, session, formIn(session), session.signalOfTurn(signal));
  noteAnswer(session, answer, toolCallId);
  return answer;
}
