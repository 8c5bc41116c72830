/** Parses the command line. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { codeTaskKinds, type OptionWish, type TextPosition } from '../../core/index.js';
import {
  agentChoice,
  agentOptions,
  asUsageError,
  closest,
  folder,
  milliseconds,
  numberFrom1,
  oneOf,
  refuseUnknownOptions,
} from './optionValues.js';
import {
  type ChangedRequest,
  changesFormats,
  commandIn,
  type CommandName,
  commandNames,
  type ConversationRequest,
  formats,
  permissionPolicies,
  recoveryChoices,
  type Request,
  showFormats,
  type TaskRequest,
  usageError,
} from './request.js';

const conversationOptions = {
  ...agentOptions,
  cwd: { type: 'string' },
  permission: { type: 'string', default: 'ask' },
  answer: { type: 'string' },
  'ask-timeout': { type: 'string', default: '0' },
  'start-timeout': { type: 'string' },
  'mcp-config': { type: 'string' },
  'add-dir': { type: 'string', multiple: true },
  'system-prompt': { type: 'string' },
  session: { type: 'string' },
  continue: { type: 'boolean', default: false },
  recover: { type: 'string' },
  mode: { type: 'string' },
  model: { type: 'string' },
  set: { type: 'string', multiple: true },
  format: { type: 'string', default: 'text' },
  state: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The options of a task on a part of a file. */
const taskOptions = {
  task: { type: 'string' },
  file: { type: 'string' },
  range: { type: 'string' },
  language: { type: 'string' },
  'selected-text-as': { type: 'string' },
} as const;

const runOptions = {
  ...conversationOptions,
  ...taskOptions,
  resend: { type: 'boolean', default: false },
  detach: { type: 'boolean', default: false },
} as const;
const agentsOptions = { format: conversationOptions.format, help: conversationOptions.help } as const;
const agentListOptions = { ...agentsOptions, refresh: { type: 'boolean', default: false } } as const;
const removeOptions = { help: conversationOptions.help } as const;
const replayOptions = { process: { type: 'string' }, help: conversationOptions.help } as const;
const doctorOptions = {
  ...agentsOptions,
  ...agentOptions,
  cwd: conversationOptions.cwd,
  session: { type: 'boolean', default: false },
  state: conversationOptions.state,
} as const;
const { cwd, help } = conversationOptions;
const signOut = { type: 'boolean', default: false } as const;
const loginOptions = { ...agentOptions, cwd, method: { type: 'string' }, 'sign-out': signOut, help } as const;
const serveOptions = { ...agentOptions, cwd, 'sign-in': { type: 'string' }, help } as const;
const savedOptions = { ...agentsOptions, state: conversationOptions.state } as const;
const attachOptions = {
  ...savedOptions,
  permission: conversationOptions.permission,
  answer: conversationOptions.answer,
  last: { type: 'boolean', default: false },
} as const;
const statusOptions = {
  ...savedOptions,
  watch: { type: 'boolean', default: false },
  prompt: { type: 'boolean', default: false },
} as const;
const stopOptions = {
  all: { type: 'boolean', default: false },
  state: conversationOptions.state,
  help: conversationOptions.help,
} as const;
const changesOptions = {
  ...savedOptions,
  last: attachOptions.last,
  turn: { type: 'string' },
} as const;
const undoOptions = {
  ...changesOptions,
  all: stopOptions.all,
  file: { type: 'string', multiple: true },
  yes: { type: 'boolean', default: false },
} as const;
const sessionsOptions = {
  ...savedOptions,
  ...agentOptions,
  cwd: conversationOptions.cwd,
  all: stopOptions.all,
  delete: { type: 'string' },
  yes: undoOptions.yes,
} as const;
const installOptions = { yes: undoOptions.yes, help: conversationOptions.help } as const;

interface CommandDefinition {
  readonly options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** Returns `help` without a command for `--help`. */
  parse(argv: readonly string[], platform: NodeJS.Platform): Request;
}

export const commands: Readonly<Record<CommandName, CommandDefinition>> = {
  run: { options: runOptions, parse: parseRun },
  chat: { options: conversationOptions, parse: parseChat },
  attach: { options: attachOptions, parse: parseAttach },
  status: { options: statusOptions, parse: parseStatus },
  stop: { options: stopOptions, parse: parseStop },
  changes: { options: changesOptions, parse: parseChanges },
  undo: { options: undoOptions, parse: parseUndo },
  sessions: { options: sessionsOptions, parse: parseSessions },
  show: { options: savedOptions, parse: parseShow },
  agents: { options: agentListOptions, parse: parseAgents },
  install: { options: installOptions, parse: (argv) => parseInstall('install', argv) },
  update: { options: installOptions, parse: (argv) => parseInstall('update', argv) },
  remove: { options: removeOptions, parse: parseRemove },
  doctor: { options: doctorOptions, parse: parseDoctor },
  login: { options: loginOptions, parse: parseLogin },
  serve: { options: serveOptions, parse: parseServe },
  engine: { options: savedOptions, parse: parseEngine },
  replay: { options: replayOptions, parse: parseReplay },
};

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
  const request = commands[command].parse(rest, platform);
  return request.type === 'help' ? { type: 'help', command } : request;
}

function knownCommand(argv: readonly string[]): CommandName {
  const [word = ''] = argv;
  const command = commandIn(argv);
  if (command !== undefined) return command;
  if (word.startsWith('-')) throw usageError(`Unknown option ${word}`);
  const meant = closest(word, commandNames);
  throw usageError(`Unknown command "${word}". Did you mean: acp-host ${meant ?? `run "${word}"`}?`);
}

/** Parses options, and words between them. @throws HostError `usage` */
function withWords<const T extends NonNullable<ParseArgsConfig['options']>>(argv: readonly string[], options: T) {
  return asUsageError(() => parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }));
}

/** Parses options, and refuses anything else. @throws HostError `usage` */
function withoutWords<const T extends NonNullable<ParseArgsConfig['options']>>(argv: readonly string[], options: T) {
  return asUsageError(() => parseArgs({ args: [...argv], options, allowPositionals: false, strict: true }));
}

function parseRun(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values, positionals } = withWords(argv, runOptions);
  if (values.help) return { type: 'help' };
  const prompt = positionals.join(' ');
  const task = taskRequest(values, prompt);
  if (task === undefined && prompt.trim() === '')
    throw usageError('No prompt specified. Pass it as an argument, or - to read it from stdin');
  const request = conversationRequest(values, platform);
  if (values.detach) refuseAnswering(request, values.resend);
  const options = [...request.options, ...taskOptionWishes(values)];
  return { type: 'run', ...request, options, prompt: task ?? prompt, resend: values.resend, detach: values.detach };
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

function parseChat(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values } = withoutWords(argv, conversationOptions);
  return values.help ? { type: 'help' } : { type: 'chat', ...conversationRequest(values, platform) };
}

function parseAttach(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, attachOptions);
  if (values.help) return { type: 'help' };
  const id = oneId('attach', positionals);
  if (id !== undefined && values.last) throw usageError('An ID and --last cannot be used together');
  return {
    type: 'attach',
    id,
    last: values.last,
    permission: oneOf('--permission', values.permission, permissionPolicies),
    answer: values.answer,
    format: oneOf('--format', values.format, formats),
    state: folder('--state', values.state),
  };
}

function parseStatus(argv: readonly string[]): Request {
  const { values } = withoutWords(argv, statusOptions);
  if (values.help) return { type: 'help' };
  const { watch, prompt } = values;
  const format = oneOf('--format', values.format, formats);
  if (prompt && (watch || format === 'json'))
    throw usageError(`--prompt and ${watch ? '--watch' : '--format json'} cannot be used together`);
  return { type: 'status', format, watch, prompt, state: folder('--state', values.state) };
}

function parseStop(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, stopOptions);
  if (values.help) return { type: 'help' };
  const id = oneId('stop', positionals);
  if ((id === undefined) !== values.all)
    throw usageError('stop takes the ID of one conversation, or --all. List them with `acp-host status`');
  return { type: 'stop', id, state: folder('--state', values.state) };
}

function parseChanges(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, changesOptions);
  if (values.help) return { type: 'help' };
  return { type: 'changes', ...changedRequest('changes', positionals, values), format: oneOf('--format', values.format, changesFormats) };
}

function parseUndo(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, undoOptions);
  if (values.help) return { type: 'help' };
  const { all, file: files = [], yes } = values;
  if (all && values.turn !== undefined) throw usageError('--turn and --all cannot be used together');
  if (files.includes('')) throw usageError('--file must be the name of a file, not an empty text');
  return {
    type: 'undo',
    ...changedRequest('undo', positionals, values),
    all,
    files,
    yes,
    format: oneOf('--format', values.format, formats),
  };
}

function changedRequest(
  command: CommandName,
  positionals: readonly string[],
  { last, turn, state }: { readonly last: boolean; readonly turn?: string | undefined; readonly state?: string | undefined },
): ChangedRequest {
  const id = oneId(command, positionals);
  if (id !== undefined && last) throw usageError('An ID and --last cannot be used together');
  return { id, last, turn: turn === undefined ? undefined : numberFrom1('--turn', turn), state: folder('--state', state) };
}

function parseEngine(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, savedOptions);
  if (values.help) return { type: 'help' };
  const [action = 'show', ...others] = positionals;
  if ((action !== 'show' && action !== 'stop') || others.length > 0)
    throw usageError(`engine takes nothing, or \`stop\`, not "${positionals.join(' ')}"`);
  return { type: 'engine', action, format: oneOf('--format', values.format, formats), state: folder('--state', values.state) };
}

function oneId(command: CommandName, [id, ...others]: readonly string[]): string | undefined {
  if (id === '' || others.length > 0)
    throw usageError(`${command} takes the ID of one conversation. List the IDs with \`acp-host status\` or \`acp-host sessions\``);
  return id;
}

type ConversationValues = ReturnType<typeof parseArgs<{ options: typeof conversationOptions }>>['values'];

function conversationRequest(values: ConversationValues, platform: NodeJS.Platform): ConversationRequest {
  if (values.session !== undefined && values.continue) throw usageError('--session and --continue cannot be used together');
  return {
    agent: agentChoice(values, platform),
    cwd: folder('--cwd', values.cwd),
    permission: oneOf('--permission', values.permission, permissionPolicies),
    answer: values.answer,
    askTimeoutMs: milliseconds('--ask-timeout', values['ask-timeout']),
    startTimeoutMs: values['start-timeout'] === undefined ? undefined : milliseconds('--start-timeout', values['start-timeout']),
    mcpConfig: values['mcp-config'],
    otherFolders: values['add-dir'] ?? [],
    systemPrompt: values['system-prompt'],
    session: values.session !== undefined ? { type: 'id', id: values.session } : { type: values.continue ? 'continue' : 'new' },
    recover: values.recover === undefined ? undefined : oneOf('--recover', values.recover, recoveryChoices),
    options: [...named('mode', values.mode), ...named('model', values.model), ...(values.set ?? []).map(optionWish)],
    format: oneOf('--format', values.format, formats),
    state: folder('--state', values.state),
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

function parseAgents(argv: readonly string[]): Request {
  const { values } = withoutWords(argv, agentListOptions);
  if (values.help) return { type: 'help' };
  return { type: 'agents', format: oneOf('--format', values.format, formats), refresh: values.refresh };
}

function parseInstall(type: 'install' | 'update', argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, installOptions);
  return values.help ? { type: 'help' } : { type, name: oneAgent(type, positionals), yes: values.yes };
}

function parseRemove(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, removeOptions);
  return values.help ? { type: 'help' } : { type: 'remove', name: oneAgent('remove', positionals) };
}

function oneAgent(command: CommandName, [name = '', ...others]: readonly string[]): string {
  if (name === '' || others.length > 0) throw usageError(`${command} takes the name of one agent. List the names with \`acp-host agents\``);
  return name;
}

function parseReplay(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, replayOptions);
  if (values.help) return { type: 'help' };
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) throw usageError('replay takes one trace file');
  const process = values.process === undefined ? undefined : numberFrom1('--process', values.process);
  return { type: 'replay', file, process };
}

function parseDoctor(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values } = withoutWords(argv, doctorOptions);
  if (values.help) return { type: 'help' };
  return {
    type: 'doctor',
    agent: agentChoice(values, platform),
    cwd: folder('--cwd', values.cwd),
    opensSession: values.session,
    format: oneOf('--format', values.format, formats),
    state: folder('--state', values.state),
  };
}

function parseLogin(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values } = withoutWords(argv, loginOptions);
  if (values.help) return { type: 'help' };
  const { method, 'sign-out': signsOut } = values;
  return { type: 'login', agent: agentChoice(values, platform), method, signsOut, cwd: folder('--cwd', values.cwd) };
}

function parseServe(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values } = withoutWords(argv, serveOptions);
  if (values.help) return { type: 'help' };
  return { type: 'serve', agent: agentChoice(values, platform), cwd: folder('--cwd', values.cwd), signIn: values['sign-in'] };
}

function parseSessions(argv: readonly string[], platform: NodeJS.Platform): Request {
  const { values } = withoutWords(argv, sessionsOptions);
  if (values.help) return { type: 'help' };
  const agent = agentChoice(values, platform);
  const { all, cwd, delete: deleted, yes } = values;
  if (agent === undefined && (all || (cwd ?? deleted) !== undefined))
    throw usageError('--cwd, --all and --delete are for the sessions of an agent: specify it with --agent');
  if (yes && deleted === undefined) throw usageError('--yes is for --delete');
  if (deleted === '') throw usageError('--delete takes the ID of a session');
  const ofAgent = agent && { agent, cwd: folder('--cwd', cwd), all, deleted, yes };
  return { type: 'sessions', ofAgent, format: oneOf('--format', values.format, formats), state: folder('--state', values.state) };
}

function parseShow(argv: readonly string[]): Request {
  const { values, positionals } = withWords(argv, savedOptions);
  if (values.help) return { type: 'help' };
  const [id = '', ...others] = positionals;
  if (id === '' || others.length > 0) throw usageError('show takes the ID of one session. List the IDs with `acp-host sessions`');
  return { type: 'show', id, format: oneOf('--format', values.format, showFormats), state: folder('--state', values.state) };
}

type TaskValues = { readonly [K in keyof typeof taskOptions]?: string | undefined };

/**
 * Returns undefined if no task is specified.
 * @throws HostError `usage`
 */
function taskRequest(values: TaskValues, prompt: string): TaskRequest | undefined {
  const { task, file, range, language, 'selected-text-as': selectedTextAs } = values;
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
