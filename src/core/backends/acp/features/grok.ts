/**
 * What Grok Build says beside ACP. It asks its user questions, and whether its plan is approved, without which it can't leave its plan mode;
 * and it tells of sub-agents, whose sessions then speak as in ACP. Source: grok 1.0.41, measured, and the types in the source of grok-build.
 */
import * as z from 'zod/mini';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import type { UserAnswer } from '../../../session/userRequest.js';
import type { NewRequest } from '../../../services/hostServices.js';
import type { AskingSession } from '../askingSession.js';
import { type Question, questionnaireForm, questionsIn } from '../questionnaire.js';
import { itemParser, orNull } from '../schema/lenient.js';
import type { WirePermission } from '../schema/requests.js';
import type { AcpFeature, FeatureContext } from './feature.js';
import { requestPermission } from './permission.js';
import { askQuestion } from './questions.js';

export const grok: AcpFeature = {
  requests: { '_x.ai/ask_user_question': answerQuestions, '_x.ai/exit_plan_mode': answerPlan },
  notifications: { '_x.ai/session_notification': receiveSubagent },
};

const questionsRequest = itemParser(z.looseObject({ sessionId: z.string(), toolCallId: orNull(z.string()), questions: z.unknown() }));

async function answerQuestions(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = questionsRequest(params);
  const questions = questionsIn(request?.questions);
  // Their texts are the keys of the answers.
  if (request === undefined || questions === undefined || new Set(questions.map(({ question }) => question)).size < questions.length)
    throw new RpcError(ErrorCode.invalidParams, 'Questions need a sessionId, and texts that differ');
  const { sessionId, toolCallId } = request;
  const formIn = ({ map }: AskingSession): NewRequest =>
    questionnaireForm(sessionId, questions, map.tools.latest.get(toolCallId ?? '')?.title ?? '');
  return questionsResult(questions, await askQuestion(context, request, formIn, signal));
}

/** An answer without `annotations` is invalid. */
function questionsResult(questions: readonly Question[], answer: UserAnswer): unknown {
  if (answer.type !== 'accept') return { outcome: 'cancelled' };
  const answers = questions.flatMap(({ question }, index) => {
    const value = answer.values[String(index)];
    return value === undefined ? [] : [[question, typeof value === 'object' ? value : String(value)] as const];
  });
  return { outcome: 'accepted', answers: Object.fromEntries(answers), annotations: {} };
}

const planRequest = itemParser(z.looseObject({ sessionId: z.string(), toolCallId: orNull(z.string()), planContent: orNull(z.string()) }));

/** The IDs of the options are the outcomes. */
const planOptions: WirePermission['options'] = [
  { optionId: 'approved', name: 'Approve Plan', kind: 'allow_once' },
  { optionId: 'cancelled', name: 'Keep Planning', kind: 'reject_once' },
];

async function answerPlan(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = planRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'A plan needs a sessionId');
  const { sessionId, toolCallId, planContent } = request;
  const toolCall = {
    toolCallId: toolCallId ?? '',
    kind: 'switch_mode' as const,
    ...(planContent ? { content: [{ type: 'content' as const, content: { type: 'text' as const, text: planContent } }] } : {}),
  };
  const { outcome } = await requestPermission(context, { sessionId, toolCall, options: planOptions }, signal);
  return { outcome: outcome.outcome === 'selected' ? outcome.optionId : 'cancelled' };
}

const subagentNotification = itemParser(
  z.looseObject({
    /** Of the session that it works for. */
    sessionId: z.string(),
    update: z.looseObject({
      sessionUpdate: z.enum(['subagent_spawned', 'subagent_finished']),
      child_session_id: z.string(),
      description: orNull(z.string()),
      status: orNull(z.string()),
      error: orNull(z.string()),
    }),
  }),
);

/** Whatever else it tells, it also tells as in ACP. */
function receiveSubagent({ sessions }: FeatureContext, params: unknown): void {
  const notification = subagentNotification(params);
  if (notification === undefined) return;
  const { sessionId, update } = notification;
  const about = { sessionUpdate: 'subagent_update', sessionId: update.child_session_id };
  sessions.receive(
    sessionId,
    update.sessionUpdate === 'subagent_spawned'
      ? { ...about, title: update.description, state: { state: 'running' } }
      : { ...about, state: { state: 'idle', ...endOf(update.status, update.error) } },
  );
}

function endOf(status: string | null | undefined, message: string | null | undefined): Readonly<Record<string, unknown>> {
  if (status === 'cancelled') return { stopReason: 'cancelled' };
  return status === 'completed' ? { stopReason: 'end_turn' } : { error: { message } };
}
