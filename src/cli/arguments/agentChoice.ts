/** The options that specify the agent and how to reach it. */
import {
  defaultProtocol,
  isPlainBeyondLoopback,
  parsePin,
  parseServerUrl,
  protocolNames,
  protocolOf,
  splitCommandLine,
  type SplitOptions,
} from '../../core/index.js';
import { type AgentChoice, usageError } from './request.js';

export const agentOptions = {
  agent: { type: 'string' },
  protocol: { type: 'string' },
  command: { type: 'string' },
  url: { type: 'string' },
  'key-env': { type: 'string' },
  pin: { type: 'string' },
} as const;

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
