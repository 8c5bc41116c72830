/** Maps an agent's requests, with everything that users need to decide. */
import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import type { DiffView, FieldView, LocationView } from '../../contract/viewParts.js';
import type { PermissionPromptView, PromptView, RequestPartView } from '../../contract/view.js';
import {
  type Choice,
  describePermission,
  type DiffPart,
  diffTexts,
  dismissingOption,
  type FileText,
  foldToOneLine,
  type FormField,
  hidesText,
  isOrdinary,
  optionDigits,
  pathBehindLinks,
  type PermissionDescription,
  type PermissionOption,
  type PermissionRequest,
  type RequestPart,
  revealHidden,
  revealOnOneLine,
  shownHunk,
  type ShownPath,
  type UserRequest,
  withoutAbsent,
} from '../../core/index.js';
import {
  formMessage,
  optionText,
  partLabel,
  placeText,
  riskText,
  subjectText,
  unsavedText,
  urlTitle,
  urlWarning,
} from '../../text/requestText.js';
import { sentences } from '../../text/sentence.js';
import { askedBy } from '../../text/workText.js';
import type { PreviewedEdit } from '../editor/editPreview.js';
import { prettyJson, toolFacts } from './toolView.js';

export interface RequestViewInput {
  /** `name` is present if the prompt appears outside the conversation. Two agents may use the same session id. */
  readonly conversation?: { readonly id: string; readonly name?: string };
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  /** The agent asks although no turn is running. */
  readonly outsideTurn: boolean;
  /** The action happens where the agent runs, in an unknown folder. */
  readonly isServer?: boolean;
  /** The name of the folder if the window has several; undefined otherwise. */
  readonly folder: string | undefined;
}

/** Ids of requests are only unique in their session, and those of sessions only in their agent. */
function promptIdOf({ sessionId, id }: UserRequest, conversation: RequestViewInput['conversation']): string {
  return [...(conversation === undefined ? [] : [conversation.id]), sessionId, id].join('/');
}

/** Returns what every prompt has: its agent, its origin if that is unusual, and its deadline if it has one. */
function frameOf(
  request: UserRequest,
  { conversation, agent, outsideTurn }: RequestViewInput,
): Pick<PromptView, 'id' | 'agent' | 'conversation' | 'at' | 'note' | 'until'> {
  return {
    id: promptIdOf(request, conversation),
    agent,
    ...(conversation?.name === undefined ? {} : { conversation: conversation.name }),
    at: request.at,
    ...noteOf(request, outsideTurn && request.sessionId !== '' ? `${agent} asked after its last turn ended.` : ''),
    ...(request.deadlineAt === undefined ? {} : { until: request.deadlineAt }),
  };
}

/** A sub-agent may work longer than a turn. */
function noteOf({ subagent }: UserRequest, otherwise: string): { readonly note?: string } {
  const note = subagent === undefined ? otherwise : askedBy(subagent);
  return note === '' ? {} : { note };
}

/** Returns the text of a file in the folder of a session; undefined if it can't be shown. */
export type TextIn = (folder: string, path: string) => FileText | undefined;

export function promptView(request: UserRequest, input: RequestViewInput, textIn?: TextIn): PromptView {
  const { agent } = input;
  const frame = frameOf(request, input);
  switch (request.kind) {
    case 'permission':
      return permissionView(request, input, textIn);
    case 'form':
      return {
        kind: 'form',
        ...frame,
        title: request.title === undefined ? `${agent} asks` : foldToOneLine(request.title),
        message: revealHidden(formMessage(request)),
        fields: request.fields.map(fieldView),
        canDecline: request.canDecline === true,
      };
    case 'url': {
      const note = sentences(frame.note ?? '', urlWarning(request));
      return {
        kind: 'url',
        ...(note === '' ? frame : { ...frame, note }),
        title: urlTitle(request),
        message: revealHidden(request.message),
        url: revealOnOneLine(request.url),
        ...(request.isOpened === true ? { isOpened: true } : {}),
      };
    }
    case 'confirm':
      return {
        kind: 'confirm',
        ...frame,
        title: foldToOneLine(request.title),
        ...(request.message === undefined ? {} : { message: revealHidden(request.message) }),
      };
    case 'editor':
      return { kind: 'editor', ...frame, title: foldToOneLine(request.title), prefill: request.prefill };
  }
}

/** @param textIn absent if nobody knows the files */
export function descriptionOf(request: PermissionRequest, { cwd, isServer }: RequestViewInput, textIn?: TextIn): PermissionDescription {
  const textOf = isServer === true ? undefined : textIn && ((path: string) => textIn(cwd, path));
  return describePermission(request, { cwd, behindLinks: (path) => pathBehindLinks(cwd, path), textOf });
}

function permissionView(request: PermissionRequest, input: RequestViewInput, textIn?: TextIn): PermissionPromptView {
  const { cwd, agent } = input;
  const { subject } = request;
  const description = descriptionOf(request, input, textIn);
  const diffs = [subject, ...(request.calls ?? [])].flatMap((call) => toolFacts(call, cwd).diffs).values();
  const ordinary = new Set(description.parts.filter((part) => isOrdinary(part, description.subject, description.parts, cwd)));
  const parts = description.parts.filter((part) => !ordinary.has(part));
  const title = parts.find((part) => part.type === 'title');
  const digits = optionDigits(description.options, description.isQuestion);
  const inRow = new Set(optionsInRow(description.options, description.isQuestion));
  const rawInput = prettyJson(subject.rawInput);
  const whole: ToWhole = (path) => (input.isServer === true || isAbsolute(path) ? path : resolve(cwd, path));
  const shown = parts.flatMap((part) => partView(part, whole, () => diffs.next().value));
  const allows = onlyConsent(description);
  const unsaved = unsavedView(description, allows);
  return {
    kind: 'permission',
    ...frameOf(request, input),
    title: subjectText(description.subject),
    toolKind: subject.toolKind,
    ...(title === undefined || title.covered ? {} : { toolTitle: foldToOneLine(title.text) }),
    parts: shown,
    ...drawnOf(description, shown, unsaved),
    risks: description.risks.map(riskText),
    context: whereItRuns(input),
    details: detailsOf(description.parts, [...ordinary], input),
    options: description.options.map((option, index) => ({
      ...optionView(option, request, agent, description.isQuestion),
      ...(unsaved !== undefined && option.optionId === allows ? { kind: 'Allow Anyway', primary: false } : {}),
      digit: digits[index] ?? index + 1,
      ...(inRow.has(option) ? {} : { isMore: true }),
    })),
    rejectsWhenDismissed: dismissingOption(request) !== undefined,
    ...(rawInput === undefined ? {} : { rawInput: revealHidden(rawInput) }),
  };
}

/** Returns the option that allows the request once; undefined if there are several, or none. */
export function onlyConsent({ options, isQuestion }: PermissionDescription): string | undefined {
  return isQuestion ? undefined : options.find(({ kind }) => kind === 'allow_once')?.optionId;
}

function unsavedView({ unsaved }: PermissionDescription, allows: string | undefined): PermissionPromptView['unsaved'] {
  if (unsaved.length === 0) return undefined;
  const files = unsaved.map(({ path, label }) => ({ path, label: revealOnOneLine(label) }));
  return { text: unsavedText(unsaved.map(({ label }) => label)), files, ...(allows === undefined ? {} : { allows }) };
}

/** Nothing for a request that shows nothing of the files. */
function drawnOf(
  { parts }: PermissionDescription,
  shown: readonly RequestPartView[],
  unsaved: PermissionPromptView['unsaved'],
): Pick<PermissionPromptView, 'drawn' | 'unsaved'> {
  const isPlaced = parts.some((part) => part.type === 'diff' && part.placed !== undefined);
  if (!isPlaced && unsaved === undefined) return {};
  const drawn = JSON.stringify([shown.filter(({ type }) => type === 'diff'), unsaved]);
  return { drawn: createHash('sha256').update(drawn).digest('base64'), ...(unsaved === undefined ? {} : { unsaved }) };
}

/** A longer value, or one with several lines, gets a separate block. */
const valueChars = 120;

const isShort = (text: string): boolean => !text.includes('\n') && text.length <= valueChars;

/**
 * Returns what the request makes of a file, with the options to decide about it if there is nothing else to know.
 * @param path absolute; absent: that of the first file
 */
export function editOf(
  request: PermissionRequest,
  input: RequestViewInput,
  textIn: TextIn,
  path?: string,
): Pick<PreviewedEdit, 'path' | 'isNew' | 'after' | 'options'> | undefined {
  const description = descriptionOf(request, input, textIn);
  const { files, parts, risks, options, subject } = description;
  const file = path === undefined ? files[0] : files.find((one) => one.path === resolve(path));
  if (file === undefined) return undefined;
  const allow = onlyConsent(description);
  const isAll =
    risks.length === 0 &&
    subject.params.files === 1 &&
    parts.every(
      (part) =>
        part.type === 'title' ||
        part.type === 'path' ||
        (part.type === 'diff' && saysAll(part)) ||
        (part.type === 'argument' && isShort(part.text)),
    );
  const reject = options.find(({ kind }) => kind === 'reject_once')?.optionId;
  return { path: file.path, isNew: file.isNew, after: file.after, options: isAll && allow !== undefined ? { allow, reject } : undefined };
}

/** Whether the change beside the file needs no words. */
function saysAll({ placed }: DiffPart): boolean {
  return (
    placed === undefined ||
    placed.fit.type === 'replaces' ||
    (placed.fit.type === 'everywhere' && !placed.isInSaved) ||
    placeText(placed) === undefined
  );
}

/** Returns nothing for the only folder of the window: it is where everything happens. */
function whereItRuns({ folder, isServer }: RequestViewInput): string[] {
  if (isServer === true) return ['on the server'];
  return folder === undefined ? [] : [`in ${folder}`];
}

/** Returns one option to allow and one to reject, or all if they don't decide between these. */
function optionsInRow(options: readonly PermissionOption[], isQuestion: boolean): readonly PermissionOption[] {
  const first = (...kinds: readonly PermissionOption['kind'][]): readonly PermissionOption[] =>
    options.filter(({ kind }) => kinds.includes(kind)).slice(0, 1);
  const inRow = [...first('allow_once', 'allow_always'), ...first('reject_once', 'reject_always')];
  return isQuestion || inRow.length === 0 ? options : inRow;
}

const icons = {
  allow_once: 'allows',
  allow_always: 'allowsAlways',
  reject_once: 'rejects',
  reject_always: 'rejects',
  other: 'unknown',
} as const;

function optionView(
  option: PermissionOption,
  { alwaysScope }: PermissionRequest,
  agent: string,
  isQuestion: boolean,
): Omit<PermissionPromptView['options'][number], 'digit'> {
  return {
    optionId: option.optionId,
    ...optionText(option, alwaysScope, agent),
    icon: icons[option.kind],
    primary: option.kind === 'allow_once' && !isQuestion,
  };
}

/** Makes a path absolute, because the panel for requests would open a relative one in the folder of another conversation. */
type ToWhole = (path: string) => string;

/** @param nextDiff returns the changes in the order of their parts */
function partView(part: RequestPart, whole: ToWhole, nextDiff: () => DiffView | undefined): RequestPartView[] {
  switch (part.type) {
    case 'title':
      return [];
    case 'call':
      return [{ type: 'text', text: revealOnOneLine(part.text), code: false, label: partLabel(part) ?? '' }];
    case 'more_calls':
      return [{ type: 'value', label: partLabel(part) ?? '', text: String(part.count) }];
    case 'command':
      return [{ type: 'text', text: revealHidden(part.text), code: true, copy: 'command' }];
    case 'web': {
      const method = part.method === undefined ? '' : `${revealOnOneLine(part.method)} `;
      return [{ type: 'text', text: `${method}${revealOnOneLine(part.url)}`, code: true, copy: 'address' }];
    }
    case 'text':
      return [{ type: 'text', text: revealHidden(part.text), code: false }];
    case 'move':
      return [{ type: 'path', location: placeOf(part.from, whole), to: placeOf(part.to, whole) }];
    case 'path':
      return [{ type: 'path', location: placeOf(part, whole, part.line) }];
    case 'diff': {
      const diff = nextDiff();
      const place = { path: whole(part.path), label: revealOnOneLine(part.label) };
      return diff === undefined ? [] : [placedView(part, place) ?? { type: 'diff', diff: { ...diff, ...place } }];
    }
    default: {
      const label = partLabel(part);
      const text = revealHidden(part.type === 'folder' ? part.path : part.text);
      if (label !== undefined && isShort(text)) return [{ type: 'value', label, text }];
      return [{ type: 'text', text, code: true, ...(label === undefined ? {} : { label }) }];
    }
  }
}

/** @returns undefined if nobody knows where the change is in its file */
function placedView(part: DiffPart, place: Pick<DiffView, 'path' | 'label'>): RequestPartView | undefined {
  const hunk = shownHunk(part);
  if (hunk === undefined || part.placed === undefined) return undefined;
  const { oldText, newText, firstLine } = hunk;
  const { added, removed } = diffTexts(oldText, newText);
  const note = placeText(part.placed);
  return {
    type: 'diff',
    diff: {
      ...place,
      ...(part.placed.fit.type === 'new' ? {} : { oldText }),
      newText,
      ...(firstLine === undefined ? { isUnnumbered: true } : firstLine === 1 ? {} : { firstLine }),
      added,
      removed,
    },
    ...(note === undefined ? {} : { note }),
  };
}

function placeOf({ path, label }: ShownPath, whole: ToWhole, line?: number): LocationView {
  const place = { path: whole(path), label: revealOnOneLine(label) };
  return line === undefined ? place : { ...place, line, label: `${place.label}:${line}` };
}

/** Returns the full texts of what the lines above shorten, and what they leave out because it is ordinary. */
function detailsOf(
  parts: readonly RequestPart[],
  ordinary: readonly RequestPart[],
  { cwd, isServer }: RequestViewInput,
): { label: string; text: string }[] {
  const paths = parts.flatMap((part) =>
    part.type === 'path' || part.type === 'diff' ? [part] : part.type === 'move' ? [part.from, part.to] : [],
  );
  const whole = [...new Set(paths.filter(({ path, label }) => path !== label).map(({ path }) => path))];
  return [
    ...parts.flatMap((part) => (part.type === 'title' && part.covered ? [{ label: 'Title', text: foldToOneLine(part.text) }] : [])),
    ...ordinary.flatMap((part) => ordinaryDetail(part)),
    ...whole.map((path) => ({ label: 'Path', text: revealOnOneLine(path) })),
    ...(isServer === true ? [] : [{ label: 'Folder', text: revealOnOneLine(cwd) }]),
  ];
}

function ordinaryDetail(part: RequestPart): { label: string; text: string }[] {
  switch (part.type) {
    case 'title':
      return part.covered ? [] : [{ label: 'Tool', text: revealOnOneLine(part.text) }];
    case 'argument':
      return [{ label: revealOnOneLine(part.name), text: revealOnOneLine(part.text) }];
    default:
      return [];
  }
}

// Maps a field of a form for the page.

/** Spells out hidden characters in the texts that are shown. The name of a field and its values go back to the agent unchanged. */
function fieldView(field: FormField): FieldView {
  const shown = wordsOf(field);
  switch (field.type) {
    case 'select':
      return { ...field, ...shown, choices: field.choices.map(choiceView) };
    case 'multiselect': {
      const { defaultValue, choices, ...rest } = field;
      return {
        ...rest,
        ...shown,
        choices: choices.map(choiceView),
        ...(defaultValue === undefined ? {} : { defaultValue: [...defaultValue] }),
      };
    }
    case 'text': {
      const { placeholder, pattern } = field;
      return {
        ...field,
        ...shown,
        ...withoutAbsent({ placeholder: placeholder && revealOnOneLine(placeholder), pattern: pattern && revealOnOneLine(pattern) }),
      };
    }
    default:
      return { ...field, ...shown };
  }
}

function wordsOf(field: FormField): Pick<FieldView, 'label' | 'description'> {
  const label = field.label ?? (hidesText(field.name) ? field.name : undefined);
  // A text box contains the text as it is.
  const filledIn = field.type === 'text' && hidesText(field.defaultValue ?? '') ? field.defaultValue : undefined;
  const description = [
    ...(field.description === undefined ? [] : [field.description]),
    ...(filledIn === undefined ? [] : [`The default value has hidden characters: ${filledIn}`]),
  ];
  return {
    ...(label === undefined ? {} : { label: foldToOneLine(label) }),
    ...(description.length === 0 ? {} : { description: revealHidden(description.join('\n')) }),
  };
}

function choiceView({ value, label, description }: Choice): Extract<FieldView, { type: 'select' }>['choices'][number] {
  return { value, label: foldToOneLine(label), ...(description === undefined ? {} : { description: revealHidden(description) }) };
}
