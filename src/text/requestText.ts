/** The texts for the parts of a request, for its risks, and for its options. */
import { alwaysScopeText } from './hintText.js';
import { shorten } from './plainText.js';
import {
  closeReasonOf,
  type FieldValues,
  foldToOneLine,
  type FormRequest,
  type FrontEndIdentity,
  type HostQuestion,
  pageFacts,
  type PermissionOption,
  type PermissionRequest,
  type PlacedChange,
  type RequestPart,
  type RequestRisk,
  type RequestSubject,
  requestTitle,
  revealOnOneLine,
  selectedOption,
  type UrlRequest,
  type UserAnswer,
  type UserRequest,
} from '../core/index.js';

const places: Readonly<Record<FrontEndIdentity['program'], string>> = { editor: 'in another window', terminal: 'in a terminal' };

/** `Answered in a terminal: Allow once (Edit a.txt)`. */
export function answeredElsewhereText(request: UserRequest, answer: UserAnswer, { program }: FrontEndIdentity): string {
  const how = howAnswered(request, answer);
  const title = shorten(foldToOneLine(requestTitle(request)), 80);
  return `${how === undefined ? 'Dismissed' : 'Answered'} ${places[program]}${how === undefined ? '' : `: ${shorten(foldToOneLine(how), 80)}`} (${title})`;
}

/** Returns undefined if there was no decision. */
function howAnswered(request: UserRequest, answer: UserAnswer): string | undefined {
  if (answer.type === 'cancel' || closeReasonOf(answer) !== undefined) return undefined;
  if (answer.type === 'decline') return request.kind === 'confirm' ? 'No' : 'declined';
  if (request.kind === 'confirm') return 'Yes';
  if (request.kind === 'url') return request.isOpened !== true ? 'opened' : 'done';
  if (request.kind === 'form') return chosenLabels(request, answer.values).join(', ') || 'with a text';
  if (request.kind === 'editor') return 'with a text';
  const optionId = selectedOption(answer);
  return request.options.find((option) => option.optionId === optionId)?.name ?? optionId;
}

/** Text that was written may be meant for the agent only. */
function chosenLabels({ fields }: FormRequest, values: FieldValues): readonly string[] {
  return fields.flatMap((field) => {
    const value = values[field.name];
    if (typeof value === 'boolean') return [(fields.length === 1 ? '' : `${field.label ?? field.name}: `) + (value ? 'Yes' : 'No')];
    if (field.type !== 'select' && field.type !== 'multiselect') return [];
    const chosen = [value ?? []].flat();
    return field.choices.filter((choice) => chosen.includes(choice.value)).map(({ label }) => label);
  });
}

/** The longest host in a title; a longer one is in the warning. */
const longestHost = 40;

/** Names the host to which the page really leads. */
export function urlTitle({ url, isOpened }: UrlRequest): string {
  if (isOpened === true) return 'Waiting for the browser';
  const { host } = pageFacts(url) ?? { host: '' };
  return host === '' || host.length > longestHost ? 'Open a page?' : `Open a page on ${revealOnOneLine(host)}?`;
}

/** @returns an empty text if there is nothing to warn about */
export function urlWarning({ url, isOpened }: UrlRequest): string {
  const facts = isOpened === true ? undefined : pageFacts(url);
  if (facts === undefined) return '';
  const { host, misleads, isExposed } = facts;
  return [
    ...(misleads || host.length > longestHost ? [`This address leads to ${revealOnOneLine(host)}.`] : []),
    ...(isExposed ? ['It is not encrypted, so others can read and change what you see and enter there.'] : []),
  ].join(' ');
}

/** A longer path is left out of the title; it appears below in full. */
const titlePathChars = 80;

const verbs: Readonly<Record<RequestSubject['code'], { readonly alone: string; readonly verb: string; readonly takesPath: boolean }>> = {
  run: { alone: 'Run a command?', verb: 'Run', takesPath: false },
  read: { alone: 'Read a file?', verb: 'Read', takesPath: true },
  edit: { alone: 'Edit a file?', verb: 'Edit', takesPath: true },
  create: { alone: 'Write a file?', verb: 'Write', takesPath: true },
  delete: { alone: 'Delete a file?', verb: 'Delete', takesPath: true },
  move: { alone: 'Move a file?', verb: 'Move', takesPath: false },
  search: { alone: 'Search?', verb: 'Search', takesPath: false },
  think: { alone: 'Allow it to think?', verb: 'Think', takesPath: false },
  fetch: { alone: 'Fetch from the network?', verb: 'Fetch', takesPath: false },
  send: { alone: 'Send to the network?', verb: 'Send', takesPath: false },
  switch_mode: { alone: 'Switch the mode?', verb: 'Switch', takesPath: false },
  other: { alone: 'Allow this?', verb: 'Allow', takesPath: false },
};

/** Returns a question on one line: "Edit src/a.ts?" */
export function subjectText({ code, params: { path, files } }: RequestSubject): string {
  const { alone, verb, takesPath } = verbs[code];
  if (!takesPath) return alone;
  if (files > 1) return `${verb} ${files} files?`;
  const label = path === undefined ? undefined : revealOnOneLine(path.label);
  return label === undefined || label.length > titlePathChars ? alone : `${verb} ${label}?`;
}

const labels: Readonly<
  Record<Exclude<RequestPart['type'], 'argument' | 'variable' | 'header' | 'attachment' | 'call' | 'more_calls'>, string | undefined>
> = {
  title: undefined,
  command: undefined,
  folder: 'Runs in',
  stdin: 'Standard input',
  web: undefined,
  body: 'Body',
  move: undefined,
  path: undefined,
  diff: undefined,
  text: undefined,
};
const attachments: Readonly<Record<Extract<RequestPart, { type: 'attachment' }>['kind'], string>> = {
  image: 'Image, not shown',
  audio: 'Audio, not played',
  link: 'Link',
  file: 'File',
  terminal: 'Terminal',
  other: 'Content of an unknown kind',
};

/** Returns a label for a part that is not clear by itself. */
export function partLabel(part: RequestPart): string | undefined {
  switch (part.type) {
    case 'argument':
      return part.name === '' ? undefined : agentLabel(part.name);
    case 'variable':
    case 'header':
      return agentLabel(part.name);
    case 'call':
      return 'Another call that this may allow';
    case 'more_calls':
      return 'Calls that are not shown';
    case 'attachment':
      return attachments[part.kind];
    default:
      return labels[part.type];
  }
}

const ownLabels: ReadonlySet<string> = new Set(
  [...Object.values(labels), ...Object.values(attachments), 'Another call that this may allow', 'Calls that are not shown', 'Path', 'Title']
    .filter((label) => label !== undefined)
    .map((label) => label.toLowerCase()),
);

/** Puts a name of the agent that is one of our labels in quotation marks. */
function agentLabel(name: string): string {
  const label = revealOnOneLine(name);
  return ownLabels.has(
    label
      .replace(/[:\s]+/g, ' ')
      .trim()
      .toLowerCase(),
  )
    ? `"${label}"`
    : label;
}

const questions: Readonly<Record<HostQuestion, string>> = {
  fork_point: 'Fork before which message?',
};

/** Returns what a form asks: in the agent's words if the agent asks. */
export function formMessage({ question, message }: FormRequest): string {
  return question === undefined ? message : questions[question];
}

export function riskText(risk: RequestRisk): string {
  switch (risk.code) {
    case 'outside_folder': {
      const [first, ...more] = risk.params.paths.map(({ path, target }) =>
        [path, ...(target === undefined ? [] : [target])].map(revealOnOneLine).join(' → '),
      );
      return more.length === 0 ? `Outside the folder: ${first ?? ''}` : `${more.length + 1} paths are outside the folder`;
    }
    case 'lookalike_letters': {
      const [first, ...more] = risk.params.paths.map(revealOnOneLine);
      const which = more.length === 0 ? (first ?? '') : `${more.length + 1} paths`;
      return `Mixes alphabets whose letters look alike: ${which}`;
    }
    case 'secrets': {
      const [first = '', ...more] = risk.params.paths.map((path) => revealOnOneLine(path.split(/[\\/]/).at(-1) ?? path));
      return more.length === 0 ? `May hold secrets: ${first}` : `${more.length + 1} files may hold secrets`;
    }
    case 'network':
      return 'May use the network';
    case 'deletes':
      return 'May delete something';
    case 'several_commands':
      return 'Runs several commands';
    case 'hidden_characters':
      return 'Has hidden characters, shown as <U+…>';
  }
}

/** Returns what a user must know about the place of a change; undefined if it is as expected. */
export function placeText({ fit, isInSaved }: PlacedChange): string | undefined {
  const where = isInSaved ? 'Fits the saved file, not the unsaved changes' : undefined;
  switch (fit.type) {
    case 'part':
      return fit.repeats ? 'The file already has the new text there' : where;
    case 'whole':
    case 'new':
      return where;
    case 'replaces':
      return 'Replaces the whole file';
    case 'everywhere':
      return [`Replaces ${placesText(fit)}`, ...(where === undefined ? [] : [where])].join('. ');
    case 'several':
      return `Fits in ${placesText(fit)}`;
    case 'applied':
      return 'Is already in the file';
    case 'mismatch':
      return 'Does not match the file any more';
    case 'no_file':
      return 'The file does not exist';
  }
}

function placesText({ count, lines }: { readonly count: number; readonly lines: readonly number[] }): string {
  return `${count} places: lines ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
}

/** @param labels at least one */
export function unsavedText(labels: readonly string[]): string {
  // Not when the module is loaded: the first one takes 12 ms, which every start of a program would pay.
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(labels.map(revealOnOneLine));
  return labels.length === 1 ? `${names} has unsaved changes` : `${names} have unsaved changes`;
}

const kinds: Readonly<Record<PermissionOption['kind'], string>> = {
  allow_once: 'Allow once',
  allow_always: 'Always allow',
  reject_once: 'Reject once',
  reject_always: 'Always reject',
  other: 'Unknown kind',
};

/** What to call the option. The host's own options have no names. */
export function optionLabel({ name, kind }: PermissionOption): string {
  return name === '' ? kinds[kind] : name;
}

export interface OptionText {
  /** The host's text for what the option does. It always comes first, because the agent's name may say anything. */
  readonly kind: string;
  /** The agent's name on one line; absent if it adds nothing. */
  readonly name?: string;
  /** The scope of an "always". */
  readonly reach?: string;
}

/** @param agent the agent's name for users */
export function optionText({ kind, name }: PermissionOption, alwaysScope: PermissionRequest['alwaysScope'], agent: string): OptionText {
  const folded = foldToOneLine(name);
  const shown = saysMore(folded, kind) ? folded : undefined;
  const isAlways = kind === 'allow_always' || kind === 'reject_always';
  const known = isAlways && alwaysScope !== undefined ? foldToOneLine(alwaysScopeText(alwaysScope)) : undefined;
  // If the host does not know the scope, only the agent's own text may say it.
  const reach = known ?? (isAlways && shown === undefined ? `as far as ${agent} decides` : undefined);
  return { kind: kinds[kind], ...(shown === undefined ? {} : { name: shown }), ...(reach === undefined ? {} : { reach }) };
}

const saysYes = ['yes', 'ok', 'okay', 'approve', 'accept', 'permit', 'proceed', 'allow'];
const saysNo = ['no', 'deny', 'decline', 'refuse', 'disallow', 'reject'];
const saysNothing = ['it', 'this', 'that', 'only', 'just', 'time', 'request', 'call', 'action'];
/** Words that say the same as the kind. */
const synonyms: Readonly<Record<PermissionOption['kind'], readonly string[]>> = {
  allow_once: [...saysYes, ...saysNothing],
  allow_always: [...saysYes, ...saysNothing],
  reject_once: [...saysNo, ...saysNothing],
  reject_always: [...saysNo, ...saysNothing],
  other: [],
};

/** Whether the name says more than the kind: "Always allow" and "Yes" don't for an option that allows, but "Reject" does. */
function saysMore(name: string, kind: PermissionOption['kind']): boolean {
  const plain = name.toLowerCase().replace(/(don['\u2019]t|do not) allow/, 'disallow');
  const words = plain.match(/[^\s.,!()"\u201c\u201d]+/g) ?? [];
  const known = [...kinds[kind].toLowerCase().split(' '), ...synonyms[kind]];
  return words.some((word) => !known.includes(word));
}
