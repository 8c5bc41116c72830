/** The events `permission` and `question`. */
import { closeReasonOf, type FrontEndProgram, type PermissionSubject, type UserAnswer, type UserRequest } from '../../core/index.js';
import type { EventLine, Unversioned } from './eventSchema.js';
import {
  isOptionRequest,
  onlyField,
  optionFromAnswer,
  type OptionRequest,
  optionsOf,
  type QuestionRequest,
  questionText,
  textFromAnswer,
} from './requestText.js';

type Line = Unversioned<EventLine>;

export function requestLine(request: UserRequest): Line {
  const { id, sessionId, subagent } = request;
  const asked = { phase: 'request', sessionId, id, ...(subagent && { subagent: { ...subagent } }) } as const;
  if (!isOptionRequest(request)) return { event: 'question', ...asked, ...questionFacts(request) };
  const { calls, moreCalls } = request.kind === 'permission' ? request : {};
  return {
    event: 'permission',
    ...asked,
    toolCall: toolCallOf(request),
    ...(calls && { calls: calls.map(callOf) }),
    ...(moreCalls && { moreCalls }),
    options: optionsOf(request).map((option) => ({ ...option })),
  };
}

function questionFacts(request: QuestionRequest) {
  const { options, ...question } = questionText(request);
  const fields = request.kind === 'form' && !isOneText(request) ? request.fields : undefined;
  return {
    ...question,
    options: [...options],
    ...(fields && { fields: fields.map((field) => ({ ...field })) }),
    ...(request.kind === 'url' && { url: request.url }),
    ...(request.kind === 'editor' && { prefill: request.prefill }),
  };
}

/** Whether the form is one required field whose answer is a text, so that the event needs no `fields`. */
function isOneText({ fields }: Extract<UserRequest, { kind: 'form' }>): boolean {
  const field = onlyField(fields);
  if (field?.type === 'text') return field.required;
  if (field?.type !== 'select' && field?.type !== 'multiselect') return false;
  return field.required && field.choices.every(({ label, value }) => label === value);
}

type ToolCall = Extract<EventLine, { event: 'permission'; phase: 'request' }>['toolCall'];

function toolCallOf(request: OptionRequest): ToolCall {
  if (request.kind === 'confirm') {
    const { title, message } = request;
    const content = message === undefined ? [] : [{ type: 'content', content: { type: 'text', text: message } }];
    return { toolCallId: '', title, kind: 'other', content, locations: [] };
  }
  return callOf(request.subject);
}

function callOf({ toolCallId, title, toolKind, rawInput, content, locations }: PermissionSubject): ToolCall {
  return {
    toolCallId,
    title,
    kind: toolKind,
    ...(rawInput !== undefined && { rawInput }),
    content: content.map((part) => ({ ...part })),
    locations: locations.map((location) => ({ ...location })),
  };
}

export function answeredLine(request: UserRequest, answer: UserAnswer, by?: FrontEndProgram): Line {
  const answered = { phase: 'answer', sessionId: request.sessionId, id: request.id, ...(by && { by }) } as const;
  const reason = closeReasonOf(answer);
  const why = reason === undefined ? {} : { why: reason };
  const cancelled = { outcome: 'cancelled', ...why } as const;
  if (isOptionRequest(request)) {
    const optionId = optionFromAnswer(request, answer);
    return { event: 'permission', ...answered, ...(optionId === undefined ? cancelled : { outcome: 'selected', optionId, ...why }) };
  }
  if (answer.type === 'cancel') return { event: 'question', ...answered, ...cancelled };
  const text = textFromAnswer(request, answer);
  if (text !== undefined) return { event: 'question', ...answered, outcome: 'answered', text };
  if (answer.type === 'decline') return { event: 'question', ...answered, outcome: 'declined' };
  const values = Object.fromEntries(
    Object.entries(answer.values).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
  return { event: 'question', ...answered, outcome: 'answered', values };
}
