/** The command line: the options of each command, and what it requests with them. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { codeTaskKinds, type OptionWish, type TextPosition } from '../../core/index.js';
import {
  agentChoice,
  agentOptions,
  asUsageError,
  changesFormats,
  closest,
  fileName,
  folder,
  formats,
  milliseconds,
  numberFrom1,
  oneOf,
  permissionPolicies,
  recoveryChoices,
  refuseUnknownOptions,
  showFormats,
  usageError,
} from './optionValues.js';

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const permission = { type: 'string', default: 'ask' } as const;
const format = { type: 'string', default: 'text' } as const;
/** Of a command that looks at what is saved. */
const savedOptions = { format, state: text } as const;
const taskOptions = { task: text, file: text, range: text, language: text, 'selected-text-as': text } as const;
const conversationOptions = {
  ...agentOptions,
  ...savedOptions,
  cwd: text,
  permission,
  answer: text,
  'ask-timeout': { type: 'string', default: '0' },
  'start-timeout': text,
  'mcp-config': text,
  'add-dir': texts,
  'system-prompt': text,
  session: text,
  continue: flag,
  recover: text,
  mode: text,
  model: text,
  set: texts,
} as const;
const changesOptions = { ...savedOptions, last: flag, turn: text } as const;
const help = { type: 'boolean', short: 'h', default: false } as const;

type Options = NonNullable<ParseArgsConfig['options']>;
type Given<O extends Options> = ReturnType<typeof parseArgs<{ options: O; tokens: true; allowPositionals: boolean }>>;

/** @throws HostError `usage` */
function given<const O extends Options>(argv: readonly string[], options: O): Given<O> {
  return asUsageError(() => parseArgs({ args: [...argv], options, allowPositionals: true, tokens: true }));
}

/** @param request returns what the options, and the words between them, request @throws HostError `usage` */
function command<const N extends string, const O extends Options, R extends object>(
  type: N,
  options: O,
  request: (values: Given<O>['values'], words: readonly string[], platform: NodeJS.Platform) => R,
) {
  return {
    options: { ...options, help },
    /** Returns undefined for `--help`. */
    parse(argv: readonly string[], platform: NodeJS.Platform): ({ readonly type: N } & R) | undefined {
      const { values, positionals, tokens } = given(argv, { ...options, help });
      const asksForHelp = tokens.some((token) => token.kind === 'option' && token.name === 'help');
      return asksForHelp ? undefined : { type, ...request(values, positionals, platform) };
    },
  };
}

/** What people mean by words after a command that takes only options. */
const meanings: Readonly<Record<string, string>> = {
  chat: 'acp-host run',
  sessions: '--search',
  doctor: '--agent',
  login: '--agent',
  serve: '--agent',
};

/** A command that takes only options. */
function optionsOnly<const N extends string, const O extends Options, R extends object>(
  type: N,
  options: O,
  request: (values: Given<O>['values'], platform: NodeJS.Platform) => R,
) {
  return command(type, options, (values, words, platform) => {
    if (words.length === 0) return request(values, platform);
    const meant = meanings[type];
    // Of several words without quotes, the option has the first.
    const value: unknown = Object.entries(values).find(([name]) => meant === `--${name}`)?.[1];
    const all = [...(typeof value === 'string' ? [value] : []), ...words].join(' ');
    throw usageError(
      `${type} takes only options, not "${words.join(' ')}"${meant === undefined ? '' : `. Did you mean: ${meant} "${all}"?`}`,
    );
  });
}

/** In the order of the help. Folders and files are as given, relative to the current folder. */
export const commands = {
  run: command('run', { ...conversationOptions, ...taskOptions, resend: flag, detach: flag }, (values, words, platform) => {
    const prompt = words.join(' ');
    const task = taskRequest(values, prompt);
    if (task === undefined && prompt.trim() === '')
      throw usageError('No prompt specified. Pass it as an argument, or - to read it from stdin');
    const request = conversationRequest(values, platform);
    const { resend, detach } = values;
    if (detach) refuseAnswering(request, resend);
    /** `prompt`: `-` stands for stdin. */
    return { ...request, options: [...request.options, ...taskOptionWishes(values)], prompt: task ?? prompt, resend, detach };
  }),
  chat: optionsOnly('chat', conversationOptions, (values, platform) => conversationRequest(values, platform)),
  attach: command(
    'attach',
    { ...savedOptions, permission, answer: text, last: flag },
    ({ permission, answer, last, ...values }, words) => ({
      ...conversationAt('attach', words, last),
      permission: oneOf('--permission', permission, permissionPolicies),
      answer,
      ...savedRequest(values),
    }),
  ),
  status: optionsOnly('status', { ...savedOptions, watch: flag, prompt: flag }, ({ watch, prompt, ...values }) => {
    const saved = savedRequest(values);
    if (prompt && (watch || saved.format === 'json'))
      throw usageError(`--prompt and ${watch ? '--watch' : '--format json'} cannot be used together`);
    return { watch, prompt, ...saved };
  }),
  stop: command('stop', { all: flag, state: text }, ({ all, state }, words) => {
    const id = oneId('stop', words);
    if ((id === undefined) !== all) throw usageError('stop takes the ID of one conversation, or --all. List them with `acp-host status`');
    return { id, state: folder('--state', state) };
  }),
  changes: command('changes', changesOptions, (values, words) => ({
    ...changedRequest('changes', words, values),
    format: oneOf('--format', values.format, changesFormats),
  })),
  undo: command('undo', { ...changesOptions, all: flag, file: texts, yes: flag }, (values, words) => {
    const { all, yes } = values;
    const files = (values.file ?? []).flatMap((name) => fileName('--file', name) ?? []);
    if (all && values.turn !== undefined) throw usageError('--turn and --all cannot be used together');
    return { ...changedRequest('undo', words, values), all, files, yes, format: oneOf('--format', values.format, formats) };
  }),
  sessions: optionsOnly(
    'sessions',
    { ...savedOptions, ...agentOptions, cwd: text, all: flag, search: text, delete: text, yes: flag },
    (values, platform) => {
      const agent = agentChoice(values, platform);
      const { all, cwd, search, delete: deleted, yes } = values;
      if (agent === undefined && deleted !== undefined)
        throw usageError('--delete is for the sessions of an agent: specify it with --agent');
      if (yes && deleted === undefined) throw usageError('--yes is for --delete');
      if (search?.trim() === '') throw usageError('--search takes the words to find');
      if (search !== undefined && agent !== undefined)
        throw usageError('--search finds what ACP Host saved, of every agent: omit --agent, --command and --url');
      if (deleted === '') throw usageError('--delete takes the ID of a session');
      /** `ofAgent`: also the sessions of the agent that did not begin here. `deleted`: the beginning of an ID is enough if the user is asked. */
      return { ofAgent: agent && { agent, deleted, yes }, cwd: folder('--cwd', cwd), all, search, ...savedRequest(values) };
    },
  ),
  show: command('show', savedOptions, ({ format, state }, [id = '', ...others]) => {
    if (id === '' || others.length > 0) throw usageError('show takes the ID of one session. List the IDs with `acp-host sessions`');
    return { id, format: oneOf('--format', format, showFormats), state: folder('--state', state) };
  }),
  agents: optionsOnly('agents', { format, refresh: flag }, ({ format, refresh }) => ({
    format: oneOf('--format', format, formats),
    refresh,
  })),
  install: command('install', { yes: flag }, ({ yes }, words) => ({ name: oneAgent('install', words), yes })),
  update: command('update', { yes: flag }, ({ yes }, words) => ({ name: oneAgent('update', words), yes })),
  remove: command('remove', {}, (_, words) => ({ name: oneAgent('remove', words) })),
  doctor: optionsOnly('doctor', { ...savedOptions, ...agentOptions, cwd: text, session: flag }, ({ session, ...values }, platform) => ({
    ...agentIn(values, platform),
    opensSession: session,
    ...savedRequest(values),
  })),
  login: optionsOnly('login', { ...agentOptions, cwd: text, method: text, 'sign-out': flag }, (values, platform) => ({
    ...agentIn(values, platform),
    method: values.method,
    signsOut: values['sign-out'],
  })),
  serve: optionsOnly('serve', { ...agentOptions, cwd: text, 'sign-in': text }, (values, platform) => ({
    ...agentIn(values, platform),
    signIn: values['sign-in'],
  })),
  engine: command('engine', savedOptions, (values, words) => {
    const [action = 'show', ...others] = words;
    if ((action !== 'show' && action !== 'stop') || others.length > 0)
      throw usageError(`engine takes nothing, or \`stop\`, not "${words.join(' ')}"`);
    return { action, ...savedRequest(values) } as const;
  }),
  replay: command('replay', { process: text }, ({ process }, [file = '', ...others]) => {
    if (file === '' || others.length > 0) throw usageError('replay takes one trace file');
    return { file, process: process === undefined ? undefined : numberFrom1('--process', process) };
  }),
} as const;

export type CommandName = keyof typeof commands;

/** What a command line requests. */
export type RequestOf<N extends CommandName> = NonNullable<ReturnType<(typeof commands)[N]['parse']>>;

/** `help` without a command: the overview. */
export type Request = RequestOf<CommandName> | { readonly type: 'help'; readonly command?: CommandName } | { readonly type: 'version' };

export const commandNames = Object.keys(commands).filter(isCommandName);

function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(commands, word);
}

/** Returns the command of this command line, even if the rest of it is invalid. */
export function commandIn([word = '']: readonly string[]): CommandName | undefined {
  return isCommandName(word) ? word : undefined;
}

/**
 * @param argv without the program and the script
 * @throws HostError `usage`
 */
export function parseArguments(argv: readonly string[], platform: NodeJS.Platform): Request {
  const [word, ...rest] = argv;
  if (word === undefined) throw usageError(`No command specified. Use one of: ${commandNames.join(', ')}`);
  if (['--help', '-h'].includes(word) || (word === 'help' && rest.length === 0)) return { type: 'help' };
  if (word === 'help') return { type: 'help', command: knownCommand(rest) };
  if (['version', '--version', '-v'].includes(word)) return { type: 'version' };
  const command = knownCommand(argv);
  refuseUnknownOptions(rest, commands[command].options, command === 'run' ? '. Put a prompt that starts with a dash after --' : '');
  return commands[command].parse(rest, platform) ?? { type: 'help', command };
}

function knownCommand(argv: readonly string[]): CommandName {
  const [word = ''] = argv;
  const command = commandIn(argv);
  if (command !== undefined) return command;
  if (word.startsWith('-')) {
    const [, name = ''] = /^--([^=]+)/.exec(word) ?? [];
    const taking = commandNames.find((one) => Object.hasOwn(commands[one].options, name));
    throw usageError(
      taking === undefined ? `Unknown option ${word}` : `Options follow the command, for example acp-host ${taking} ${word}`,
    );
  }
  const meant = closest(word, commandNames);
  throw usageError(`Unknown command "${word}". Did you mean: acp-host ${meant ?? `run "${word}"`}?`);
}

/** What these options decide, this program would have to be there for. */
function refuseAnswering({ permission, answer }: ConversationRequest, resend: boolean): void {
  const [option] = [
    permission === 'ask' ? [] : ['--permission'],
    answer === undefined ? [] : ['--answer'],
    resend ? ['--resend'] : [],
  ].flat();
  if (option !== undefined)
    throw usageError(`--detach cannot be used with ${option}. The agent waits for answers until you use \`acp-host attach\``);
}

/** `state` overrides the folder for saved sessions. */
function savedRequest({ format, state }: { readonly format: string; readonly state?: string | undefined }) {
  return { format: oneOf('--format', format, formats), state: folder('--state', state) };
}

type AgentValues = Parameters<typeof agentChoice>[0] & { readonly cwd?: string | undefined };

function agentIn(values: AgentValues, platform: NodeJS.Platform) {
  return { agent: agentChoice(values, platform), cwd: folder('--cwd', values.cwd) };
}

/** What the commands for the changes of turns share. `turn` is 1-based. */
export type ChangedRequest = ReturnType<typeof changedRequest>;

function changedRequest(
  command: string,
  words: readonly string[],
  { last, turn, state }: { readonly last: boolean; readonly turn?: string | undefined; readonly state?: string | undefined },
) {
  const conversation = conversationAt(command, words, last);
  return { ...conversation, turn: turn === undefined ? undefined : numberFrom1('--turn', turn), state: folder('--state', state) };
}

/** `id` is that of a conversation or of a session, or the beginning of one; `last`: the conversation that was used last, in any folder. */
function conversationAt(command: string, words: readonly string[], last: boolean) {
  const id = oneId(command, words);
  if (id !== undefined && last) throw usageError('An ID and --last cannot be used together');
  return { id, last };
}

function oneId(command: string, [id, ...others]: readonly string[]): string | undefined {
  if (id === '' || others.length > 0)
    throw usageError(`${command} takes the ID of one conversation. List the IDs with \`acp-host status\` or \`acp-host sessions\``);
  return id;
}

function oneAgent(command: string, [name = '', ...others]: readonly string[]): string {
  if (name === '' || others.length > 0) throw usageError(`${command} takes the name of one agent. List the names with \`acp-host agents\``);
  return name;
}

/** What `run` and `chat` share: the agent, the session and who answers the agent. */
export type ConversationRequest = ReturnType<typeof conversationRequest>;

function conversationRequest(values: Given<typeof conversationOptions>['values'], platform: NodeJS.Platform) {
  if (values.session !== undefined && values.continue) throw usageError('--session and --continue cannot be used together');
  return {
    /** If it is undefined: the agent of the resumed session, or the default. */
    ...agentIn(values, platform),
    permission: oneOf('--permission', values.permission, permissionPolicies),
    answer: values.answer,
    /** 0: no limit. */
    askTimeoutMs: milliseconds('--ask-timeout', values['ask-timeout']),
    /** 0: no limit; undefined: the default of the core. */
    startTimeoutMs: values['start-timeout'] === undefined ? undefined : milliseconds('--start-timeout', values['start-timeout']),
    mcpConfig: fileName('--mcp-config', values['mcp-config']),
    otherFolders: (values['add-dir'] ?? []).flatMap((name) => folder('--add-dir', name) ?? []),
    systemPrompt: values['system-prompt'],
    session:
      values.session !== undefined
        ? ({ type: 'id', id: values.session } as const)
        : ({ type: values.continue ? 'continue' : 'new' } as const),
    /** If it is undefined, `chat` asks and `run` fails. */
    recover: values.recover === undefined ? undefined : oneOf('--recover', values.recover, recoveryChoices),
    /** Set before the first prompt, in this order. */
    options: [...named('mode', values.mode), ...named('model', values.model), ...(values.set ?? []).map(optionWish)],
    ...savedRequest(values),
  };
}

function named(category: 'mode' | 'model', value: string | undefined): readonly OptionWish[] {
  return value === undefined ? [] : [{ category, value }];
}

function optionWish(text: string): OptionWish {
  const [, id, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  if (id === undefined || value === undefined) throw usageError(`--set must be ID=VALUE, not "${text}"`);
  return { id: id.trim(), value };
}

type TaskValues = { readonly [K in keyof typeof taskOptions]?: string | undefined };

/**
 * Returns a task of an agent that offers it, for example as a command; undefined if none is specified.
 * @throws HostError `usage`
 */
function taskRequest(values: TaskValues, prompt: string) {
  const { task, range, language, 'selected-text-as': selectedTextAs } = values;
  const file = fileName('--file', values.file);
  if (task === undefined) {
    const [needless] =
      Object.entries({ file, range, language, 'selected-text-as': selectedTextAs }).find(([, value]) => value !== undefined) ?? [];
    if (needless !== undefined) throw usageError(`--${needless} requires --task`);
    return undefined;
  }
  const kind = codeTaskKinds.find((known) => known === task);
  if (kind === undefined) throw usageError(`--task must be one of ${codeTaskKinds.join(', ')}, not "${task}"`);
  if (prompt.trim() !== '') throw usageError('--task takes no prompt');
  if (file === undefined || range === undefined) throw usageError('--task requires --file and --range');
  const [, startLine, startColumn, endLine, endColumn] = /^L?(\d+):(\d+)-L?(\d+):(\d+)$/.exec(range) ?? [];
  const start = position(startLine, startColumn);
  const end = position(endLine, endColumn);
  const isBackward = start === undefined || end === undefined || end.line < start.line;
  if (isBackward || (end.line === start.line && end.character <= start.character))
    throw usageError(`--range must be L1:C1-L2:C2, both from 1 and the end exclusive, not "${range}"`);
  return { kind, file, range: { start, end } };
}

/**
 * Returns the options that the task sets in the session.
 * @throws HostError `usage`
 */
function taskOptionWishes({ language, 'selected-text-as': selectedTextAs }: TaskValues): readonly OptionWish[] {
  return [...wish('language', language, ['en', 'zh']), ...wish('selected-text-as', selectedTextAs, ['string', 'object'], 'selected_text')];
}

function wish(name: string, value: string | undefined, known: readonly string[], id = name): readonly OptionWish[] {
  if (value === undefined) return [];
  if (!known.includes(value)) throw usageError(`--${name} must be one of ${known.join(', ')}, not "${value}"`);
  return [{ id, value }];
}

function position(line: string | undefined, column: string | undefined): TextPosition | undefined {
  const place = { line: Number(line) - 1, character: Number(column) - 1 };
  return place.line >= 0 && place.character >= 0 ? place : undefined;
}
