/** Questions of the agent to its user, in the form that agents use in addition to ACP. */
import { askUserMethods } from '../../../agents/knownAgents.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { askUserForm, askUserResult, parseAskUserRequest } from '../schema/requests.js';
import { type AcpFeature, type FeatureContext, refuse } from './feature.js';
import { askUser } from '../askingSession.js';
import { noteAnswer } from './permission.js';

export const questions: AcpFeature = {
  get requests() {
    return Object.fromEntries(askUserMethods().map((method) => [method, answerQuestion]));
  },
};

async function answerQuestion(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseAskUserRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'A question needs a sessionId');
  const session = await context.sessionOf(request.sessionId);
  if (session === undefined) return askUserResult(refuse(context, 'the session is not open', request.sessionId));
  if (session.cancelling) return askUserResult({ type: 'cancel' });
  const answer = await askUser(context.services, session, askUserForm(request), session.signalOfTurn(signal));
  noteAnswer(session, answer);
  return askUserResult(answer);
}
