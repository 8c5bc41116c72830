/**
 * The dialog for one request at the terminal: its text, and the meaning of typed lines. An empty line dismisses the request, or skips an
 * optional field.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type ConfirmRequest,
  describePermission,
  dismissingOption,
  type EditorRequest,
  type FieldValue,
  type FileAccess,
  type FormField,
  type FormRequest,
  foldToOneLine,
  isFilledIn,
  optionDigits,
  pathBehindLinks,
  type PermissionDescription,
  type PermissionOption,
  type PermissionRequest,
  type RequestFolder,
  revealHidden,
  revealOnOneLine,
  type UrlRequest,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import { shorten } from '../../text/plainText.js';
import { formMessage, type OptionText, optionText, subjectText, urlWarning } from '../../text/requestText.js';
import { askedBy } from '../../text/workText.js';
import { boxed, fitsOnLine, type Paint } from '../output/terminalText.js';
import { answerFromOption, permissionLines, valueFromText } from '../output/requestText.js';

export interface RequestDialog {
  /** Shown once; may have several lines. */
  readonly text: string;
  /** The text in front of the next line of input. */
  prompt(): string;
  /**
   * Returns undefined for an invalid answer, `more` with the next text if another line is needed, `instead` for a refusal with words, and
   * `changed` for a consent to what is not the case any more: the request must be shown again.
   */
  typed(line: string): UserAnswer | { readonly type: 'more'; readonly text?: string } | Instead | Changed | undefined;
}

/** The request is dismissed, and the agent gets these words. */
export interface Instead {
  readonly type: 'instead';
  readonly feedback: string;
}

/** A file that the request is about has changed since it was shown. */
export interface Changed {
  readonly type: 'changed';
}

export interface DialogParts {
  readonly paint: Paint;
  readonly agentLabel: string;
  /** Absolute. */
  readonly cwd: string;
  /** The files that the agent works with; absent if it works on another machine. */
  readonly files?: Pick<FileAccess, 'peekNow'> | undefined;
  /** Returns the current width of the terminal. */
  readonly columns?: () => number | undefined;
}

/** No decision; the host turns it into the agent's own refusal if there is one. */
const canceled: UserAnswer = { type: 'cancel' };

/** Declines a form; any other line may be an answer. */
const declineWord = '/decline';

type TextField = Extract<FormField, { type: 'text' }>;

export function openDialog(request: UserRequest, parts: DialogParts): RequestDialog {
  const dialog = dialogOf(request, parts);
  const { subagent } = request;
  return subagent === undefined ? dialog : { ...dialog, text: `${parts.paint.dim(askedBy(subagent))}\n${dialog.text}` };
}

function dialogOf(request: UserRequest, parts: DialogParts): RequestDialog {
  switch (request.kind) {
    case 'permission':
      return permissionDialog(request, parts);
    case 'confirm':
      return confirmDialog(request, parts);
    case 'form':
      return formDialog(request, parts);
    case 'url':
      return urlDialog(request, parts);
    case 'editor':
      return editorDialog(request, parts);
  }
}

function yesOrNo(typed: string): UserAnswer | undefined {
  const yes = valueFromText({ type: 'boolean', name: '', required: true }, typed);
  return yes === undefined ? undefined : yes ? { type: 'accept', values: {} } : { type: 'decline' };
}

function headline(text: string, paint: Paint): string {
  return `${paint.yellow('?')} ${paint.bold(text)}`;
}

/** Text of the agent in our own line is at most this long. */
const longestInLine = 40;

/** Formats text of the agent below its number: on the same line if it has one line that fits, otherwise in the agent's column. */
function numbered(names: readonly string[], { paint, columns }: DialogParts): readonly string[] {
  return names.flatMap((name, index) => {
    const [head, text] = [`  ${paint.bold(String(index + 1))}`, foldToOneLine(name)];
    return fitsOnLine(`  ${index + 1}  ${text}`, columns?.()) ? [`${head}  ${text}`] : [head, ...boxed(text, columns?.(), paint)];
  });
}

function shortened(text: string): string {
  return shorten(foldToOneLine(text), longestInLine);
}

/** Formats a question of the agent: on our line if it has one line, otherwise in the agent's column. */
function asked(how: string, question: string, { agentLabel, paint, columns }: DialogParts): readonly string[] {
  const agent = shortened(agentLabel);
  const line = `${agent} ${how}: ${foldToOneLine(question)}`;
  if (!question.trim().includes('\n') && fitsOnLine(`? ${line}`, columns?.())) return [headline(line, paint)];
  return [headline(`${agent} ${how}:`, paint), ...boxed(revealHidden(question.trim()), columns?.(), paint)];
}

function confirmDialog(request: ConfirmRequest, parts: DialogParts): RequestDialog {
  const { title, message } = request;
  return {
    text: [
      ...asked('asks', title, parts),
      ...(message === undefined ? [] : boxed(revealHidden(message), parts.columns?.(), parts.paint)),
    ].join('\n'),
    prompt: () => `Your choice (y or n, ${dismissHint(request)}): `,
    typed: (line) => (line.trim() === '' ? canceled : yesOrNo(line.trim())),
  };
}

/** A longer request is shown on demand, because its beginning would scroll out of view. */
const linesAtOnce = 60;

function permissionDialog(request: PermissionRequest, parts: DialogParts): RequestDialog {
  const { paint } = parts;
  const columns = parts.columns?.();
  const agent = shortened(parts.agentLabel);
  const describe = (): PermissionDescription => describePermission(request, requestFolder(parts));
  const description = describe();
  const { options, subject } = description;
  const digits = optionDigits(options, description.isQuestion);
  const asks = `${agent} asks for permission: `;
  const anonymous = { ...subject, params: { files: subject.params.files } };
  const { carried, risks } = permissionLines(description, parts);
  const held = carried.length > linesAtOnce ? carried.slice(linesAtOnce) : [];
  let isShown = held.length === 0;
  const choices = [
    ...risks,
    ...options.flatMap((option, index) => optionLines(digits[index] ?? 0, optionText(option, request.alwaysScope, agent), paint, columns)),
    ...(description.isQuestion ? [] : [insteadLine(paint, columns)]),
  ];
  return {
    text: [
      headline(
        fitsOnLine(`? ${asks}${subjectText(subject)}`, columns) ? `${asks}${subjectText(subject)}` : `${asks}${subjectText(anonymous)}`,
        paint,
      ),
      ...carried.slice(0, linesAtOnce),
      ...(isShown ? [] : [`  ${paint.yellow('!')} ${paint.bold(`${held.length} more lines are not shown yet. Type a to show them.`)}`]),
      ...choices,
    ].join('\n'),
    prompt: () =>
      `Your choice (${numbersText(digits)}${isShown ? '' : `, a to show ${held.length} more lines`}, ${dismissHint(request)}): `,
    typed(line) {
      const typed = line.trim();
      if (typed === '') return canceled;
      if (typed === 'a' && !isShown) {
        isShown = true;
        // The options have moved out of sight.
        return { type: 'more', text: [...held, ...choices].join('\n') };
      }
      const feedback = description.isQuestion ? undefined : /^r\s+(.+)$/s.exec(typed)?.[1];
      if (feedback !== undefined) return { type: 'instead', feedback };
      const option = options[digits.indexOf(numberIn(typed))];
      if (option !== undefined && !isRefusal(option) && !isDeepStrictEqual(describe().files, description.files)) return { type: 'changed' };
      return option && answerFromOption(request, option.optionId);
    },
  };
}

function requestFolder({ cwd, files }: DialogParts): RequestFolder {
  return {
    cwd,
    behindLinks: (path) => pathBehindLinks(cwd, path),
    textOf(path) {
      const text = files?.peekNow(path);
      return text === undefined ? undefined : { text };
    },
  };
}

function isRefusal({ kind }: PermissionOption): boolean {
  return kind === 'reject_once' || kind === 'reject_always';
}

function insteadLine(paint: Paint, columns: number | undefined): string {
  const words = ['Tell the agent what to do instead', 'Do this instead', 'Instead'].find((text) =>
    fitsOnLine(`  r TEXT  ${text}`, columns),
  );
  return `  ${paint.bold('r TEXT')}${words === undefined ? '' : `  ${words}`}`;
}

function optionLines(digit: number, { kind, name, reach }: OptionText, paint: Paint, columns: number | undefined): readonly string[] {
  const head = `  ${paint.bold(String(digit))}  ${kind}`;
  const words = `${reach === undefined ? '' : ` (${reach})`}${name === undefined ? '' : `: ${name}`}`;
  if (fitsOnLine(`  ${digit}  ${kind}${words}`, columns)) return [`${head}${words}`];
  return [head, ...[reach, name].flatMap((text) => (text === undefined ? [] : boxed(text, columns, paint)))];
}

function urlDialog(request: UrlRequest, parts: DialogParts): RequestDialog {
  const warning = urlWarning(request);
  const { paint } = parts;
  const columns = parts.columns?.();
  // The name of a host may be long enough to fill lines that look like ours.
  const warns = fitsOnLine(`  ${warning}`, columns) ? [`  ${paint.yellow(warning)}`] : boxed(paint.yellow(warning), columns, paint);
  if (request.isOpened === true)
    return {
      text: asked('waits for the page that you opened', request.message, parts).join('\n'),
      prompt: () => 'Press Enter to stop waiting: ',
      typed: () => canceled,
    };
  return {
    text: [
      ...asked('asks you to open a page', request.message, parts),
      ...boxed(revealOnOneLine(request.url), columns, paint),
      ...(warning === '' ? [] : warns),
    ].join('\n'),
    prompt: () => `Did you open it? (y or n, ${dismissHint(request)}): `,
    typed(line) {
      return line.trim() === '' ? canceled : yesOrNo(line.trim());
    },
  };
}

function editorDialog(request: EditorRequest, parts: DialogParts): RequestDialog {
  const lines: string[] = [];
  const { title, prefill } = request;
  return {
    text: [
      ...asked('asks for a text', title, parts),
      ...(prefill === '' ? [] : boxed(revealHidden(prefill), parts.columns?.(), parts.paint)),
    ].join('\n'),
    prompt: () =>
      lines.length > 0
        ? ''
        : `Your text (a line with only "." ends it${prefill === '' ? '' : '; as the first line, it keeps the text above'}, ${dismissHint(request)}):\n`,
    typed(line) {
      if (line === '.') return { type: 'accept', values: { text: lines.length === 0 ? prefill : lines.join('\n') } };
      if (lines.length === 0 && line.trim() === '') return canceled;
      lines.push(line);
      return { type: 'more' };
    },
  };
}

function formDialog(request: FormRequest, parts: DialogParts): RequestDialog {
  const { title, fields } = request;
  const message = formMessage(request);
  const values: Record<string, FieldValue> = {};
  let index = 0;
  const fieldText = (field: FormField | undefined): readonly string[] => {
    if (field === undefined) return [];
    const choices = field.type === 'select' || field.type === 'multiselect' ? field.choices : [];
    const names = choices.map(({ label, description }) => (description === undefined ? label : `${label} (${description})`));
    return [...fieldHeading(field, index, fields.length, parts), ...fieldRules(field, parts), ...numbered(names, parts)];
  };
  const isTitleLong = title !== undefined && shortened(title) !== foldToOneLine(title);
  return {
    text: [
      ...(title === undefined || isTitleLong
        ? asked('asks', title === undefined ? message : `${title}\n${message}`, parts)
        : asked(`asks (${foldToOneLine(title)})`, message, parts)),
      ...fieldText(fields[0]),
    ].join('\n'),
    prompt: () => fieldPrompt(request, fields[index]),
    typed(line) {
      const field = fields[index];
      const typed = line.trim();
      if (request.canDecline === true && typed === declineWord) return { type: 'decline' };
      if (field === undefined) return typed === '' ? canceled : yesOrNo(typed);
      if (typed === '' && field.required && field.defaultValue === undefined) return canceled;
      const value = typed === '' ? field.defaultValue : typedValue(field, typed);
      if ((value === undefined && typed !== '') || !isFilledIn(field, value)) return undefined;
      if (value !== undefined) values[field.name] = value;
      index++;
      return index >= fields.length ? { type: 'accept', values } : { type: 'more', text: fieldText(fields[index]).join('\n') };
    },
  };
}

/** Returns no heading if the message is the question. If the agent left out the label, the name of the field replaces it. */
function fieldHeading(
  { label, name, description }: FormField,
  index: number,
  count: number,
  { paint, columns }: DialogParts,
): readonly string[] {
  const described = description === undefined ? '' : foldToOneLine(description);
  if (count === 1) {
    const text = [...(label === undefined ? [] : [foldToOneLine(label)]), described].join(': ');
    return described === '' ? [] : boxed(paint.bold(text), columns?.(), paint);
  }
  const head = `${index + 1} of ${count}:`;
  const text = `${foldToOneLine(label ?? name)}${described === '' ? '' : `: ${described}`}`;
  if (fitsOnLine(`? ${head} ${text}`, columns?.())) return [headline(`${head} ${text}`, paint)];
  return [headline(head, paint), ...boxed(text, columns?.(), paint)];
}

/** Returns what the line for the answer is too short for. */
function fieldRules(field: FormField, { paint, columns }: DialogParts): readonly string[] {
  const suggested = defaultText(field);
  const pattern = field.type === 'text' ? (field.pattern ?? '') : '';
  return [
    ...(isLong(suggested) ? [`Suggested: ${foldToOneLine(suggested)}`] : []),
    ...(isLong(pattern) ? [`Pattern: ${revealHidden(pattern)}`] : []),
  ].flatMap((line) => boxed(line, columns?.(), paint));
}

function isLong(text: string): boolean {
  return foldToOneLine(text).length > longestInLine || text.includes('\n');
}

/** @param typed not empty */
function typedValue(field: FormField, typed: string): FieldValue | undefined {
  if (field.type !== 'select' && field.type !== 'multiselect') return valueFromText(field, typed);
  const numbers = typed.split(',').map((part) => numberIn(part.trim()));
  const chosen = numbers.flatMap((number) => field.choices[number - 1]?.value ?? []);
  const areAllChoices = chosen.length === numbers.length;
  if (field.type === 'select') return areAllChoices && chosen.length === 1 ? chosen[0] : field.allowCustom ? typed : undefined;
  return areAllChoices ? [...new Set(chosen)] : field.allowCustom ? [typed] : undefined;
}

/** @param field undefined if the form has no fields */
function fieldPrompt(request: FormRequest, field: FormField | undefined): string {
  if (field === undefined) return `Your choice (y or n, ${dismissHint(request)}): `;
  const onEnter =
    field.defaultValue !== undefined
      ? `Enter to accept ${isLong(defaultText(field)) ? 'what is suggested' : foldToOneLine(defaultText(field))}`
      : field.required
        ? dismissHint(request)
        : 'Enter to skip';
  const enter = request.canDecline === true ? `${onEnter}, ${declineWord} to decline` : onEnter;
  switch (field.type) {
    case 'boolean':
      return `Your answer (y or n, ${enter}): `;
    case 'number':
    case 'integer':
      return `Your answer (${numberRange(field)}, ${enter}): `;
    case 'select':
    case 'multiselect': {
      const many = field.type === 'multiselect' ? ', several as 1,2' : '';
      const free = field.allowCustom ? ', or your own answer' : '';
      return `Your choice (${rangeOf(field.choices.length)}${many}${free}, ${enter}): `;
    }
    case 'text':
      return `Your answer (${[...textRules(field), enter].join(', ')}): `;
  }
}

/** Returns the default value as the user would type or choose it. */
function defaultText(field: FormField): string {
  if (field.type === 'boolean') return field.defaultValue === true ? 'y' : 'n';
  const values = [field.defaultValue ?? ''].flat().map(String);
  const choices = field.type === 'select' || field.type === 'multiselect' ? field.choices : [];
  // If two choices have the same value, the first one counts.
  const labels = new Map(choices.toReversed().map(({ value, label }) => [value, label]));
  return values.map((value) => labels.get(value) ?? value).join(', ');
}

const formatTexts: Readonly<Record<NonNullable<TextField['format']>, string>> = {
  email: 'an email address',
  uri: 'a URL',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time such as 2026-01-31T18:05:00Z',
};

function textRules({ format, pattern, minLength, maxLength }: TextField): readonly string[] {
  return [
    ...(format === undefined ? [] : [formatTexts[format]]),
    ...(pattern === undefined ? [] : [isLong(pattern) ? 'matching the pattern' : `matching ${revealHidden(pattern)}`]),
    ...(minLength === undefined || minLength === 0 ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ];
}

function numberRange({ type, min, max }: Extract<FormField, { type: 'number' | 'integer' }>): string {
  const what = type === 'integer' ? 'a whole number' : 'a number';
  if (min !== undefined && max !== undefined) return `${what} from ${min} to ${max}`;
  return min !== undefined ? `${what} of at least ${min}` : max !== undefined ? `${what} of at most ${max}` : what;
}

/** Returns what Enter alone does, and the deadline. */
function dismissHint(request: UserRequest): string {
  const { at, deadlineAt } = request;
  const hint = dismissingOption(request) === undefined ? 'Enter to cancel' : 'Enter to reject once';
  return deadlineAt === undefined ? hint : `${hint}, automatic after ${(deadlineAt - at) / 1000} s`;
}

function numbersText(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const isRange = sorted.every((number, index) => number === index + 1);
  return isRange ? rangeOf(sorted.length) : new Intl.ListFormat('en', { type: 'disjunction' }).format(sorted.map(String));
}

function rangeOf(count: number): string {
  return count === 1 ? '1' : `1-${count}`;
}

/** Returns 0 for anything but a number. */
function numberIn(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0;
}
