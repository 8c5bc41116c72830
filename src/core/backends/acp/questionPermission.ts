/**
 * Detects questions that arrive as permission requests: either the agent marks them, or it offers several ways to allow something once and
 * the request contains nothing else that could be allowed. An answer is one of the offered options, together with what the user entered.
 */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { type Fields, isFields } from '../../base/fields.js';
import type { NewRequest } from '../../services/hostServices.js';
import type { PermissionOption, PermissionSubject, UserAnswer } from '../../session/userRequest.js';
import { answerText, questionnaireForm, questionsIn } from './questionnaire.js';
import { itemParser, orNull } from './schema/lenient.js';
import type { WirePermission } from './schema/requests.js';

export interface AskedQuestion {
  readonly request: NewRequest;
  result(answer: UserAnswer): QuestionResult;
}

type QuestionResult = RequestPermissionResponse & { readonly answers?: Readonly<Record<string, string>> };

/**
 * @param subject of the request together with what its tool call said before
 * @returns undefined for a real permission request: something could be allowed, or an option has no ID of its own
 */
export function questionIn(request: WirePermission, subject: PermissionSubject): AskedQuestion | undefined {
  const ids = new Set(request.options.map(({ optionId }) => optionId));
  if (actsOn(subject) || ids.has('') || ids.size < request.options.length) return undefined;
  // A tool call without a title has its ID as its title, which is not a question.
  const said = subject.title === subject.toolCallId ? { ...subject, title: '' } : subject;
  return markedQuestion(request, said) ?? choiceQuestion(request, said);
}

function actsOn({ toolKind, locations, content }: PermissionSubject): boolean {
  return (toolKind !== 'other' && toolKind !== 'think') || locations.length > 0 || content.some(({ type }) => type !== 'content');
}

/**
 * Handles Qwen's form: the questions are in `_meta` or in the input, and the answers are next to the outcome, by the number of the
 * question.
 */
function markedQuestion(
  { sessionId, toolCall, options, _meta: ofRequest }: WirePermission,
  { rawInput, title }: PermissionSubject,
): AskedQuestion | undefined {
  const meta = { ...ofRequest, ...toolCall._meta };
  const submit = optionOf(options, 'allow_once');
  if (meta['qwenInteractionKind'] !== 'user_question' || submit === undefined) return undefined;
  const questions = questionsIn(meta['qwenQuestions']) ?? questionsIn(isFields(rawInput) ? rawInput['questions'] : undefined);
  if (questions === undefined) return undefined;
  return {
    request: { ...questionnaireForm(sessionId, questions, title), canDecline: true },
    result(answer) {
      if (answer.type !== 'accept') return refusal(answer, options);
      const answers = Object.fromEntries(Object.entries(answer.values).map(([key, value]) => [key, answerText(value)]));
      return { outcome: { outcome: 'selected', optionId: submit.optionId }, answers };
    },
  };
}

const choiceField = 'choice';
/** Members of an input that belong to a question and not to an action. */
const askingMembers: ReadonlySet<string> = new Set(['question', 'prompt', 'message', 'header', 'title', 'options', 'choices']);

/** Handles a choice such as Red or Blue: there is nothing to permit, only one of several answers to choose. */
function choiceQuestion(
  { sessionId, options }: WirePermission,
  { title, rawInput, content }: PermissionSubject,
): AskedQuestion | undefined {
  const answers = options.filter((option) => option.kind === 'allow_once');
  const asksOnly =
    answers.length > 1 &&
    options.every((option) => option.kind === 'allow_once' || option.kind === 'reject_once') &&
    (rawInput == null || (isFields(rawInput) && Object.keys(rawInput).every((name) => askingMembers.has(name))));
  const descriptions = descriptionsIn(rawInput);
  const said = content.map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : undefined));
  if (!asksOnly || descriptions === undefined || said.includes(undefined)) return undefined;
  const asked = askedIn(rawInput);
  const words = [title, asked, ...said].filter((text) => text !== undefined && text !== '');
  if (words.length === 0) return undefined;
  return {
    request: {
      kind: 'form',
      sessionId,
      message: [...new Set(words)].join('\n\n'),
      fields: [
        {
          type: 'select',
          name: choiceField,
          required: true,
          choices: answers.map(({ optionId, name }) => {
            const description = descriptions.get(name);
            return { value: optionId, label: name, ...(description === undefined ? {} : { description }) };
          }),
          allowCustom: false,
        },
      ],
      canDecline: true,
    },
    result(answer) {
      const optionId = answer.type === 'accept' ? answer.values[choiceField] : undefined;
      if (answer.type !== 'accept' || typeof optionId !== 'string') return refusal(answer, options);
      return { outcome: { outcome: 'selected', optionId } };
    },
  };
}

function askedIn(rawInput: unknown): string | undefined {
  const { question: asked, prompt, message }: Fields = isFields(rawInput) ? rawInput : {};
  return [asked, prompt, message].find((text): text is string => typeof text === 'string' && text !== '');
}

const describedOption = itemParser(
  z.strictObject({ label: z.string(), description: orNull(z.string()), value: z.exactOptional(z.string()) }),
);

/** Returns what the input says about the choices, by their names; undefined if it says more than can be shown. */
function descriptionsIn(rawInput: unknown): ReadonlyMap<string, string> | undefined {
  const { options, choices = options }: Fields = isFields(rawInput) ? rawInput : {};
  if (choices === undefined) return new Map();
  if (!Array.isArray(choices)) return undefined;
  const descriptions = new Map<string, string>();
  for (const choice of choices) {
    const described = typeof choice === 'string' ? { label: choice } : describedOption(choice);
    if (described === undefined) return undefined;
    if (described.description != null) descriptions.set(described.label, described.description);
  }
  return descriptions;
}

/** In ACP, `cancelled` means that the turn is canceled. Some agents take it for a yes if the turn continues. */
function refusal(answer: UserAnswer, options: readonly PermissionOption[]): QuestionResult {
  const goesOn = answer.type !== 'cancel' || answer.why === undefined || answer.why === 'deadline' || answer.why === 'not_interactive';
  const no = goesOn ? optionOf(options, 'reject_once') : undefined;
  return { outcome: no === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: no.optionId } };
}

function optionOf(options: readonly PermissionOption[], kind: PermissionOption['kind']): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}
