/** The values of options, as texts of the command line. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { closestMatch } from 'leven';
import {
  defaultProtocol,
  HostError,
  isPlainBeyondLoopback,
  messageOf,
  parsePin,
  parseServerUrl,
  protocolNames,
  protocolOf,
  splitCommandLine,
  type SplitOptions,
} from '../../core/index.js';

export const formats = ['text', 'json'] as const;
export const showFormats = [...formats, 'md'] as const;
export const changesFormats = [...formats, 'patch'] as const;

export const permissionPolicies = ['ask', 'allow', 'reject'] as const;
export type PermissionPolicy = (typeof permissionPolicies)[number];

/** How a conversation continues in a new session: with its history or without it. */
export const recoveryChoices = ['context', 'fresh'] as const;
export type RecoveryChoice = (typeof recoveryChoices)[number];

/**
 * Creates the error for an invalid command line.
 * @param message for users, without a period at the end
 */
export function usageError(message: string, options: { readonly cause?: unknown } = {}): HostError {
  return new HostError('usage', { detail: message }, options);
}

/** An empty name usually comes from a variable that is not set, and would stand for the current folder. @throws HostError `usage` */
export function folder(option: string, name: string | undefined): string | undefined {
  return nonEmpty('folder', option, name);
}

/** Like `folder`. */
export function fileName(option: string, name: string | undefined): string | undefined {
  return nonEmpty('file', option, name);
}

function nonEmpty(what: string, option: string, name: string | undefined): string | undefined {
  if (name === '') throw usageError(`${option} must be the name of a ${what}, not an empty text`);
  return name;
}

/** @throws HostError `usage` */
export function numberFrom1(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw usageError(`${option} must be a number from 1, not "${text}"`);
  return value;
}

/** @throws HostError `usage` */
export function milliseconds(option: string, seconds: string): number {
  const value = seconds.trim() === '' ? NaN : Number(seconds);
  if (!Number.isFinite(value) || value < 0) throw usageError(`${option} must be a number of seconds, or 0 for no limit, not "${seconds}"`);
  return Math.round(value * 1000);
}

/** @throws HostError `usage` */
export function oneOf<const T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw usageError(`${option} must be one of ${allowed.join(', ')}, not "${value}"`);
  return found;
}

/**
 * Node doesn't say which option may be meant.
 * @param advice if none is
 * @throws HostError `usage`
 */
export function refuseUnknownOptions(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>, advice: string): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name));
  if (unknown?.kind !== 'option') return;
  // As other programs call it.
  const meant = unknown.name === 'json' && 'format' in options ? 'format json' : closest(unknown.name, Object.keys(options));
  throw usageError(`Unknown option '${unknown.rawName}'${meant === undefined ? advice : `. Did you mean: --${meant}?`}`);
}

/** Runs a parser of Node. @throws HostError `usage` */
export function asUsageError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw usageError(usageText(error), { cause: error });
  }
}

/** Node explains at length what else the line could mean; its first sentence is enough, unless it does not say what to do. */
function usageText(error: unknown): string {
  const [sentence = ''] = messageOf(error).split(/\.\s/, 1);
  const [, ambiguous] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(sentence) ?? [];
  if (ambiguous !== undefined)
    return `The value of ${ambiguous} is missing, or starts with a dash. Pass such a value as ${ambiguous}=VALUE`;
  return sentence.replace(/\.$/, '');
}

/** The name that a word with a typing error stands for, or that it alone abbreviates; undefined if none comes into question. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const [abbreviated, ...others] = word.length < 3 ? [] : names.filter((name) => name.startsWith(word));
  if (abbreviated !== undefined) return others.length === 0 ? abbreviated : undefined;
  const swapped = names.find((name) => isSwapped(word, name));
  if (swapped !== undefined) return swapped;
  return closestMatch(word, names, { maxDistance: Math.min(Math.max(1, Math.floor(word.length / 3)), 3) });
}

/** Whether two neighboring letters changed places, which counts as two errors otherwise: `agnet` is `agent`. */
function isSwapped(word: string, name: string): boolean {
  return [...word].some((_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2) === name);
}

// The options that specify the agent and how to reach it.

export const agentOptions = {
  agent: { type: 'string' },
  protocol: { type: 'string' },
  command: { type: 'string' },
  url: { type: 'string' },
  'key-env': { type: 'string' },
  pin: { type: 'string' },
} as const;

export type AgentChoice =
  | { readonly type: 'named'; readonly id: string }
  | { readonly type: 'command'; readonly protocol: string; readonly argv: readonly string[] }
  | {
      readonly type: 'server';
      readonly protocol: string;
      readonly url: string;
      /** The name of the variable with its key. */
      readonly keyVariable?: string;
      readonly pin?: string;
    };

type AgentValues = { readonly [K in keyof typeof agentOptions]?: string | undefined };

/**
 * @returns undefined if none of the options is used
 * @throws HostError `usage`
 */
export function agentChoice(values: AgentValues, platform: NodeJS.Platform): AgentChoice | undefined {
  const { agent, protocol, command, url } = values;
  if (agent !== undefined) {
    refuse(values, ['command', 'url', 'protocol', 'key-env', 'pin'], (option) => `--agent and --${option} cannot be used together`);
    return { type: 'named', id: agent };
  }
  if (command !== undefined && url !== undefined) throw usageError('--command and --url cannot be used together');
  if (url !== undefined) return serverChoice(url, values);
  refuse(values, ['key-env', 'pin'], (option) => `--${option} requires --url`);
  if (command === undefined) {
    if (protocol !== undefined) throw usageError(`--protocol requires ${optionFor(protocol)}`);
    return undefined;
  }
  const spoken = protocol ?? defaultProtocol;
  if (peerOf(spoken) === 'server') throw usageError(`Agents that speak ${spoken} are servers. Use --url instead of --command`);
  return { type: 'command', protocol: spoken, argv: splitCommand(command, { backslashEscapes: platform !== 'win32' }) };
}

function serverChoice(text: string, { protocol, 'key-env': keyVariable, pin }: AgentValues): AgentChoice {
  if (protocol === undefined) throw usageError(`--url requires --protocol. Protocols of servers: ${protocolNames('server').join(', ')}`);
  if (peerOf(protocol) === 'process') throw usageError(`Agents that speak ${protocol} are programs. Use --command instead of --url`);
  const url = parseServerUrl(text);
  if (isPlainBeyondLoopback(url))
    throw usageError('--url with ws:// is limited to this machine, because nothing is encrypted. Use wss://, or a tunnel to 127.0.0.1');
  if (pin !== undefined && url.startsWith('ws:')) throw usageError('--pin requires a wss:// URL');
  if (keyVariable === '') throw usageError('--key-env must be the name of an environment variable');
  return {
    type: 'server',
    protocol,
    url,
    ...(keyVariable === undefined ? {} : { keyVariable }),
    ...(pin === undefined ? {} : { pin: parsePin(pin) }),
  };
}

function peerOf(protocol: string): 'process' | 'server' {
  if (!protocolNames().includes(protocol)) throw usageError(`--protocol must be one of ${protocolNames().join(', ')}, not "${protocol}"`);
  return protocolOf(protocol).peer;
}

function optionFor(protocol: string): string {
  return peerOf(protocol) === 'server' ? '--url' : '--command';
}

function refuse(values: AgentValues, options: readonly (keyof AgentValues)[], words: (option: string) => string): void {
  for (const option of options) if (values[option] !== undefined) throw usageError(words(option));
}

/**
 * Splits the text of --command. The help promises the escapes and the error.
 * @throws HostError `usage` for an unclosed quote or an empty command
 */
export function splitCommand(line: string, options: SplitOptions): readonly string[] {
  const split = splitCommandLine(line, options);
  if ('unclosed' in split) throw usageError(`--command has an unclosed ${split.unclosed}: ${line}`);
  const { words } = split;
  if (words.length === 0 || words[0] === '')
    throw usageError('--command is empty. Specify the program and its arguments, e.g. --command "my-agent --acp"');
  return words;
}
